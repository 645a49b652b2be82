"""Reconnecting: what the answer lists, and which lines come again, in which order."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from conversation import Conversation

MOVE = 'm{} game.action {{"type": "move", "move": "{}"}}'
STORY = [
    'EVT m1 game.match_started {"opponent": "bob"}',
    'EVT m1 game.update {"type": "start", "player": "ann", "opponent": "bob", "rounds": 3}',
    "EVT m1 game.your_turn",
    'EVT m1 game.action {"type": "move", "player": "ann", "move": "ROCK"}',
    'EVT m1 game.action {"type": "move", "player": "bob", "move": "PAPER"}',
    "EVT m1 game.your_turn",
]
"""What ann is told of a roshambo match against bob, up to its second round."""


@pytest.fixture(params=["memory", "file"])
async def talk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Conversation]:
    """A server on either store."""
    async with Conversation(db=None if request.param == "memory" else tmp_path / "lobby.db") as conversation:
        yield conversation


async def second_round(talk: Conversation) -> None:
    """Let ann and bob play roshambo, up to the second round."""
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="roshambo")
    await talk.ask("ann", MOVE.format(1, "ROCK"))
    await talk.ask("bob", MOVE.format(1, "PAPER"))
    assert talk.clients["ann"].taken() == STORY
    talk.forget()


async def reconnect(talk: Conversation, name: str, matches: str | None) -> list[str]:
    """Return what a player hears, its answer first, who reconnects with counts, if any."""
    counts = "" if matches is None else f', "matches": {matches}'
    hello = 'REQ 1 session.hello {"version": 1}'
    lines = await talk.say(name, hello, f'REQ 2 session.reconnect {{"session_token": "<token {name}>"{counts}}}')
    assert lines.pop(0) == "RES 1 OK"
    return lines


@pytest.mark.parametrize("how", ["hangs up", "is killed", "stops", "takes over"])
@pytest.mark.parametrize(
    ("matches", "first"),
    [(None, 0), ("{}", 0), ('{"m1": 0}', 0), ('{"m1": 1}', 1), ('{"m1": 5}', 5), ('{"m1": 6}', 6), ('{"m1": 99}', 6)],
)
async def test_the_missing_lines_come_again_to_the_byte(talk: Conversation, how: str, matches: str | None, first: int):
    await second_round(talk)
    if how == "hangs up":
        await talk.hang_up("ann")
    elif how == "is killed":
        await talk.kill(1000)
    elif how == "stops":
        await talk.restart(1000)
    else:
        talk.clients["tab"] = talk.clients.pop("ann")
    answer, *missed = await reconnect(talk, "ann", matches)
    assert answer == (
        'RES 2 OK {"player": "ann", "matches": {"m1": {"game": "roshambo", "events": 6, "live": true}}, '
        '"subscriptions": [], "challenges": []}'
    )
    assert missed == STORY[first:]


async def test_lines_that_were_missed_while_away_come_once_and_play_goes_on(talk: Conversation):
    await second_round(talk)
    await talk.holds("""
        bob> REQ 1 m1 game.action {"type": "move", "move": "ROCK"}
        bob< RES 1 OK
        -- ann hangs up
        bob< EVT lobby.presence {"match": "m1", "player": "ann", "connected": false, "seconds": 30}
        -- 10 s later
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>", "matches": {"m1": 6}}
        ann> REQ 3 m1 game.action {"type": "move", "move": "PAPER"}
        ann< RES 1 OK
        ann< RES 2 OK {"player": "ann", "matches": {"m1": {"game": "roshambo", "events": 6, "live": true}}, ...}
        ann< RES 3 OK
        ann< EVT m1 game.action {"type": "move", "player": "ann", "move": "PAPER"}
        ann< EVT m1 game.action {"type": "move", "player": "bob", "move": "ROCK"}
        ann< EVT m1 game.your_turn
        bob< EVT lobby.presence {"match": "m1", "player": "ann", "connected": true}
        bob< EVT m1 game.action {"type": "move", "player": "ann", "move": "PAPER"}
        bob< EVT m1 game.action {"type": "move", "player": "bob", "move": "ROCK"}
        bob< EVT m1 game.your_turn
        -- ann hangs up
        bob< EVT lobby.presence {"match": "m1", "player": "ann", "connected": false, "seconds": 30}
        bob> REQ 2 m1 game.resign
        bob< RES 2 OK
        bob< EVT m1 game.action {"type": "move", "player": "bob", "move": "RETIRE"}
        bob< EVT m1 game.result {"result": "LOSS", "reason": "resigned"}
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>", "matches": {"m1": 9}}
        ann< RES 1 OK
        ann< RES 2 OK {"player": "ann", "matches": {"m1": {"game": "roshambo", "events": 11, "live": false}}, ...}
        ann< EVT m1 game.action {"type": "move", "player": "bob", "move": "RETIRE"}
        ann< EVT m1 game.result {"result": "WIN", "reason": "resigned"}
    """)


async def test_several_matches_come_one_after_another_before_any_other_event(talk: Conversation):
    """A subscription that can be paired at the return gives its match behind all that was missed."""
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="battleship")
    await talk.match("cid", "ann", game="battleship")
    await talk.match("ann", "cid", game="roshambo", options={"rounds": 9})
    await talk.ask("ann", 'lobby.subscribe {"game": "purrinha"}')
    await talk.hang_up("ann")
    await talk.ask("bob", 'lobby.subscribe {"game": "purrinha"}')
    await talk.ask("cid", "m2 game.resign")
    talk.forget()
    answer, *lines = await reconnect(talk, "ann", '{"m1": 1, "m3": 3}')
    assert answer == (
        'RES 2 OK {"player": "ann", "matches": {"m1": {"game": "battleship", "events": 2, "live": true}, '
        '"m2": {"game": "battleship", "events": 3, "live": false}, '
        '"m3": {"game": "roshambo", "events": 3, "live": true}}, '
        '"subscriptions": [{"game": "purrinha", "options": {"turn_seconds": null, "players": 2, "points": 3}}], '
        '"challenges": []}'
    )
    assert [" ".join(line.split(" ")[:3]) for line in lines] == [
        "EVT m1 game.update",
        "EVT m2 game.match_started",
        "EVT m2 game.update",
        "EVT m2 game.result",
        "EVT m4 game.match_started",
        "EVT m4 game.update",
        "EVT m4 game.your_turn",
    ]


async def test_ids_that_are_unknown_or_not_ones_own_are_left_out(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("cid", "bob", game="roshambo")
    await talk.hang_up("ann")
    answer = await reconnect(
        talk, "ann", '{"m1": 0, "m2": 0, "m0": 1, "m01": 0, "": 0, "x": 3, "m99999999999999999": 1}'
    )
    assert answer == ['RES 2 OK {"player": "ann", "matches": {}, "subscriptions": [], "challenges": []}']


@pytest.mark.parametrize("how", ["hangs up", "is killed", "takes over"])
async def test_matches_that_ended_within_two_minutes_before_the_end_are_listed_and_older_ones_where_named(
    talk: Conversation, how: str
):
    await talk.enter("ann", "bob")
    for _ in range(2):
        await talk.match("ann", "bob", game="battleship")
    await talk.ask("ann", "m1 game.resign")
    await talk.advance(60)
    await talk.ask("ann", "m2 game.resign")
    await talk.advance(100)
    if how == "hangs up":
        await talk.hang_up("ann")
        await talk.advance(1000)
    elif how == "is killed":
        await talk.kill(1000)
    else:
        talk.clients["tab"] = talk.clients.pop("ann")
    answer, *missed = await reconnect(talk, "ann", None)
    assert '"matches": {"m2": {"game": "battleship", "events": 3, "live": false}}' in answer
    assert [line.split(" ")[1] for line in missed] == ["m2"] * 3
    await talk.hang_up("ann")
    answer, *missed = await reconnect(talk, "ann", '{"m1": 2}')
    assert '"m1": {"game": "battleship", "events": 3, "live": false}' in answer
    assert missed[0] == 'EVT m1 game.result {"result": "LOSS", "reason": "resigned"}'


async def test_a_finished_match_can_be_asked_for_as_long_as_it_is_kept():
    async with Conversation(keep_matches=1000, name_hold=5000) as talk:
        await talk.enter("ann", "bob")
        await talk.match("ann", "bob", game="roshambo")
        await talk.ask("ann", "m1 game.resign")
        await talk.advance(990)
        await talk.hang_up("ann")
        assert len(await reconnect(talk, "ann", '{"m1": 4}')) == 2
        await talk.hang_up("ann")
        await talk.advance(21)
        assert await reconnect(talk, "ann", '{"m1": 4}') == [
            'RES 2 OK {"player": "ann", "matches": {}, "subscriptions": [], "challenges": []}'
        ]
        talk.forget()
        await talk.holds("""
            ann> REQ 3 m1 game.state
            ann< RES 3 ERR {"code": "UNKNOWN_MATCH", ...}
        """)


async def test_a_reconnect_lists_the_places_in_queues_with_their_options(talk: Conversation):
    await talk.enter("ann")
    await talk.ask("ann", 'lobby.subscribe {"game": "roshambo", "options": {"rounds": 5}}')
    await talk.ask("ann", 'lobby.subscribe {"game": "battleship"}')
    await talk.kill()
    assert await reconnect(talk, "ann", None) == [
        'RES 2 OK {"player": "ann", "matches": {}, "subscriptions": ['
        '{"game": "roshambo", "options": {"turn_seconds": null, "rounds": 5, "pace": 0}}, '
        '{"game": "battleship", "options": {"turn_seconds": null}}], "challenges": []}'
    ]


async def test_a_table_lives_on_over_a_kill_when_one_who_left_it_has_logged_out(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", "cid", game="purrinha", options={"players": 3})
    await talk.ask("bob", "m1 game.resign")
    await talk.ask("bob", "session.logout")
    await talk.kill()
    talk.forget()
    await talk.holds("""
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>", "matches": {"m1": 99}}
        ann> REQ 3 m1 game.action {"type": "pick_initial_number", "selected_value": 2}
        ann< RES 1 OK
        ann< RES 2 OK {"player": "ann", "matches": {"m1": {"game": "purrinha", "events": 5, "live": true}}, ...}
        ann< RES 3 OK
        ann< EVT m1 game.update {"type": "game_state", ...}
    """)
