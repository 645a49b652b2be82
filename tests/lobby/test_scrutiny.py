"""Rules that break their contract: it costs a request or their own match, at once and for good, and nothing else."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from conversation import OURS, Conversation
from rogue import REFUSALS, WRONG, Rogue
from structlog.testing import capture_logs

VOID = 'EVT m1 game.result {"result": "VOID", "reason": "server_error"}'
INTERNAL = 'ERR {"code": "INTERNAL_ERROR", "message": "that was our fault; nothing has changed, ...", "ref": "..."}'


@pytest.fixture
async def talk() -> AsyncIterator[Conversation]:
    """Let ann and bob play the rogue game, and cid and dan another one."""
    async with Conversation(engines=[Rogue(), *OURS]) as talk:
        await talk.enter("ann", "bob", "cid", "dan")
        await talk.match("ann", "bob", game="rogue")
        await talk.match("cid", "dan", game="roshambo", options={"rounds": 1})
        talk.forget()
        yield talk


def breaking(where: str, how: str = "") -> str:
    return "m1 game.action " + json.dumps({"type": "break", "where": where, "how": how})


async def the_others_play_on(talk: Conversation) -> None:
    talk.forget()
    await talk.holds("""
        cid> REQ 1 m2 game.action {"type": "move", "move": "ROCK"}
        dan> REQ 1 m2 game.action {"type": "move", "move": "PAPER"}
        cid< RES 1 OK
        cid< EVT m2 game.action {"type": "move", "player": "cid", "move": "ROCK"}
        cid< EVT m2 game.action {"type": "move", "player": "dan", "move": "PAPER"}
        cid< EVT m2 game.result {"result": "LOSS", "reason": "normal"}
        dan< RES 1 OK
        dan< EVT m2 game.action {"type": "move", "player": "cid", "move": "ROCK"}
        dan< EVT m2 game.action {"type": "move", "player": "dan", "move": "PAPER"}
        dan< EVT m2 game.result {"result": "WIN", "reason": "normal"}
    """)


@pytest.mark.parametrize("how", [*WRONG, *REFUSALS])
async def test_an_action_is_undone_and_the_third_fault_ends_the_match(talk: Conversation, how: str):
    broken = breaking("apply", how)
    await talk.holds(f"""
        ann> REQ 1 {broken}
        ann> REQ 2 {broken}
        ann< RES 1 {INTERNAL}
        ann< RES 2 {INTERNAL}
        bob> REQ 1 m1 game.action {{"type": "nod"}}
        bob< RES 1 OK
        bob< EVT m1 game.update {{"type": "nod"}}
        ann< EVT m1 game.update {{"type": "nod"}}
    """)
    assert (await talk.ask("bob", "m1 game.state"))["state"] == {"acts": 1}
    await talk.holds(f"""
        ann> REQ 3 {broken}
        ann< RES 3 {INTERNAL}
        ann< {VOID}
        bob< {VOID}
    """)
    await the_others_play_on(talk)


@pytest.mark.parametrize("how", WRONG)
async def test_a_fault_when_time_acts_ends_the_match_at_once(talk: Conversation, how: str):
    await talk.ask("ann", breaking("expire", how))
    await the_others_play_on(talk)
    await talk.holds(f"""
        -- 100 s later
        ann< {VOID}
        bob< {VOID}
    """)


@pytest.mark.parametrize("how", ["", *WRONG])
async def test_a_fault_when_somebody_leaves_ends_the_match_at_once_and_so_does_not_letting_go(
    talk: Conversation, how: str
):
    await talk.ask("ann", breaking("forfeit", how))
    await talk.holds(f"""
        bob> REQ 1 m1 game.resign
        bob< RES 1 OK
        bob< {VOID}
        ann< {VOID}
    """)
    await the_others_play_on(talk)


@pytest.mark.parametrize("how", ["no actions", *WRONG])
async def test_a_match_that_starts_wrongly_is_void(talk: Conversation, how: str):
    subscribe = "lobby.subscribe " + json.dumps({"game": "rogue", "options": {"start": how}})
    void = VOID.replace("m1", "m3")
    await talk.holds(f"""
        ann> REQ 1 {subscribe}
        ann< RES 1 OK
        bob> REQ 1 {subscribe}
        bob< RES 1 OK
        bob< EVT m3 game.match_started {{"opponent": "ann"}}
        bob< {void}
        ann< EVT m3 game.match_started {{"opponent": "bob"}}
        ann< {void}
    """)
    await the_others_play_on(talk)


async def test_a_fault_before_an_action_is_looked_at_counts_as_one(talk: Conversation):
    await talk.ask("ann", breaking("admit"))
    answers = await talk.say("ann", *(f'REQ {number} m1 game.action {{"type": "nod"}}' for number in (1, 2, 3)))
    assert ["INTERNAL_ERROR" in line for line in answers] == [True, True, True, False]
    assert answers[-1] == VOID


@pytest.mark.parametrize("seconds", [0, 1e-9, 0.009])
async def test_time_that_does_not_get_on_ends_the_match(talk: Conversation, seconds: float):
    with capture_logs() as log:
        await talk.ask("ann", f'm1 game.action {{"type": "tick", "seconds": {seconds}}}')
        await talk.advance(1)
    assert [talk.clients[name].heard for name in ("ann", "bob")] == [[VOID], [VOID]]
    (entry,) = [entry for entry in log if entry["log_level"] == "error"]
    assert (entry["match"], entry["why"]) == ("m1", "time stands still")
    await the_others_play_on(talk)


async def test_time_may_act_a_hundred_times_a_second(talk: Conversation):
    await talk.ask("ann", 'm1 game.action {"type": "tick", "seconds": 0.0101}')
    await talk.advance(5)
    assert (await talk.ask("ann", "m1 game.state"))["state"]["acts"] > 480


@pytest.mark.parametrize("how", ["too long", "a list"])
async def test_a_view_that_cannot_be_shown_fails_that_request_alone(talk: Conversation, how: str):
    await talk.ask("ann", breaking("view", how))
    await talk.holds(f"""
        ann> REQ 1 m1 game.state
        ann< RES 1 {INTERNAL}
        ann> REQ 2 m1 game.action {{"type": "nod"}}
        ann< RES 2 OK
        ann< EVT m1 game.update {{"type": "nod"}}
        bob< EVT m1 game.update {{"type": "nod"}}
    """)


async def test_a_match_that_everyone_has_left_is_over(talk: Conversation):
    await talk.holds("""
        ann> REQ 1 m1 game.resign
        ann< RES 1 OK
        ann< EVT m1 game.result {"result": "LOSS", "reason": "resigned"}
        bob> REQ 1 m1 game.resign
        bob< RES 1 OK
        bob< EVT m1 game.result {"result": "LOSS", "reason": "resigned"}
        cid> REQ 1 lobby.matches {"game": "rogue"}
        cid< RES 1 OK {"matches": [{"match": "m1", "game": "rogue", "players": ["ann", "bob"], "live": false}]}
    """)


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        ('{"settle": "error"}', INTERNAL),
        ('{"settle": "another type"}', INTERNAL),
        ('{"players": 0}', 'ERR {"code": "INVALID_OPTIONS", "message": "rogue is for 2 to 3 players, not 0", ...}'),
        ('{"players": 1}', 'ERR {"code": "INVALID_OPTIONS", "message": "rogue is for 2 to 3 players, not 1", ...}'),
        ('{"players": 4}', 'ERR {"code": "INVALID_OPTIONS", "message": ..., "field": "players"}'),
    ],
)
async def test_options_that_the_rules_get_wrong_seat_nobody(talk: Conversation, options: str, answer: str):
    await talk.holds(f"""
        ann> REQ 1 lobby.subscribe {{"game": "rogue", "options": {options}}}
        ann< RES 1 {answer}
        ann> REQ 2 lobby.unsubscribe {{"game": "rogue"}}
        ann< RES 2 ERR {{"code": "NOT_SUBSCRIBED", ...}}
    """)


async def test_the_server_starts_with_matches_queues_and_challenges_whose_options_the_rules_take_no_longer(
    tmp_path: Path,
):
    rogue = Rogue()
    async with Conversation(db=tmp_path / "lobby.db", engines=[rogue, *OURS]) as talk:
        await talk.enter("ann", "bob")
        await talk.match("ann", "bob", game="rogue")
        await talk.match("ann", "bob", game="roshambo")
        await talk.ask("ann", 'lobby.subscribe {"game": "rogue"}')
        await talk.ask("ann", 'lobby.challenge {"player": "bob", "game": "rogue"}')
        talk.forget()
        rogue.settles = False
        await talk.holds("""
            -- the server is killed, and starts again
            ann> REQ 1 session.hello {"version": 1}
            ann> REQ 2 session.reconnect {"session_token": "<token ann>", "matches": {"m1": 1, "m2": 99}}
            ann< RES 1 OK
            ann< RES 2 OK {"player": "ann", "matches": {"m1": {"game": "rogue", "events": 2, "live": false}, "m2": {"game": "roshambo", "events": 3, "live": true}}, "subscriptions": [], "challenges": []}
            ann< EVT m1 game.result {"result": "VOID", "reason": "server_error"}
        """)  # noqa: E501 - a line as it comes
