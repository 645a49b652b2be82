"""A server that comes up on what an earlier life of it has stored: as after a kill, on either store."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from conversation import OURS, Conversation
from fake_clock import FakeClock, creeping
from fleet import PLACE
from toy import Toy

from games.contract import GameInfo
from games.roshambo import Roshambo
from lobby.catalogue import Catalogue


@pytest.fixture(params=["memory", "file"])
async def talk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Conversation]:
    """A server on either store."""
    db = None if request.param == "memory" else tmp_path / "lobby.db"
    async with Conversation(db=db, engines=[*OURS, Toy()]) as conversation:
        yield conversation


async def back(talk: Conversation, *names: str, matches: str = "{}") -> None:
    """Let players reconnect, each with these counts."""
    for name in names:
        await talk.ask(name, 'session.hello {"version": 1}')
        await talk.ask(name, f'session.reconnect {{"session_token": "<token {name}>", "matches": {matches}}}')


@pytest.mark.parametrize("down", [0, 100_000])
async def test_down_time_is_charged_to_no_clock(talk: Conversation, down: float):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    await talk.ask("bob", f"m1 game.action {PLACE}")
    await talk.ask("ann", f"m1 game.action {PLACE}")
    await talk.advance(70)
    await talk.kill(down)
    await back(talk, "ann", "bob", matches='{"m1": 4}')
    talk.forget()
    await talk.holds("""
        -- 49.9 s later
        -- 0.1 s later
        ann< EVT m1 game.result {"result": "LOSS", "reason": "timeout"}
        bob< EVT m1 game.result {"result": "WIN", "reason": "timeout"}
    """)


async def test_every_grace_starts_anew_and_whoever_is_not_back_after_it_has_lost(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    await talk.hang_up("bob")
    await talk.advance(50)
    await talk.kill(1000)
    await talk.advance(30)
    await back(talk, "ann", matches='{"m1": 2}')
    talk.forget()
    await talk.holds("""
        -- 29.9 s later
        -- 0.1 s later
        ann< EVT m1 game.result {"result": "WIN", "reason": "disconnected"}
    """)


async def test_two_who_are_both_not_back_after_a_restart_are_lost_at_one_instant(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    talk.forget()
    await talk.kill()
    await talk.advance(60)
    await talk.holds("""
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>", "matches": {"m1": 2}}
        ann< RES 1 OK
        ann< RES 2 OK {"player": "ann", "matches": {"m1": {"game": "battleship", "events": 3, "live": false}}, ...}
        ann< EVT m1 game.result {"result": "VOID", "reason": "disconnected"}
    """)


async def test_names_tokens_and_numbers_go_on(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    await talk.ask("ann", "m1 game.resign")
    talk.forget()
    await talk.kill()
    await talk.holds("""
        cid> REQ 1 session.hello {"version": 1}
        cid> REQ 2 session.login {"player": "ANN"}
        cid> REQ 3 session.login {"player": "cid"}
        cid< RES 1 OK
        cid< RES 2 ERR {"code": "NAME_TAKEN", ...}
        cid< RES 3 OK {"session_token": "<token cid>"}
    """)
    await back(talk, "ann")
    assert await talk.match("cid", "ann", game="battleship") == "m2"


async def test_a_name_whose_hold_had_ended_is_free_after_a_restart_and_its_token_works(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="battleship")
    await talk.ask("ann", "m1 game.resign")
    await talk.hang_up("ann", "bob")
    await talk.advance(60)
    await talk.kill()
    await back(talk, "ann")
    talk.forget()
    await talk.holds("""
        dan> REQ 1 session.hello {"version": 1}
        dan> REQ 2 session.login {"player": "ann"}
        dan> REQ 3 session.login {"player": "bob"}
        dan< RES 1 OK
        dan< RES 2 ERR {"code": "NAME_TAKEN", ...}
        dan< RES 3 OK {"session_token": "<token dan>"}
        bob> REQ 1 session.hello {"version": 1}
        bob> REQ 2 session.reconnect {"session_token": "<token bob>"}
        bob< RES 1 OK
        bob< RES 2 ERR {"code": "INVALID_TOKEN", ...}
    """)


async def test_a_match_goes_on_where_it_stood_over_many_restarts(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="roshambo", options={"rounds": 5})
    heard = talk.clients["ann"].taken()
    for round_ in range(5):
        await talk.ask("ann", 'm1 game.action {"type": "move", "move": "ROCK"}')
        await talk.kill()
        await back(talk, "ann", "bob", matches=f'{{"m1": {len(heard)}}}')
        await talk.ask("bob", f'm1 game.action {{"type": "move", "move": "{"PAPER" if round_ == 2 else "SCISSORS"}"}}')
        heard += [line for line in talk.clients["ann"].taken() if " m1 " in line]
        await talk.restart()
        await back(talk, "ann", "bob", matches=f'{{"m1": {len(heard)}}}')
        assert [line for line in talk.clients["ann"].taken() if line.startswith("EVT m1")] == []
    await talk.kill()
    await back(talk, "ann")
    again = await talk.say("ann")
    assert [line for line in again if line.startswith("EVT m1")] == heard
    assert heard[-1] == 'EVT m1 game.result {"result": "WIN", "reason": "normal"}'
    assert len(heard) == 3 + 5 * 3


async def test_where_nobody_is_back_after_the_grace_nobody_has_won(talk: Conversation, monkeypatch: pytest.MonkeyPatch):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="battleship")
    monkeypatch.setattr(FakeClock, "now", creeping)
    await talk.kill()
    await back(talk, "cid")
    await talk.ask("cid", 'lobby.watch {"match": "m1"}')
    talk.forget()
    await talk.advance(61)
    assert talk.clients["cid"].taken() == [
        'EVT m1 game.result {"results": {"ann": "VOID", "bob": "VOID"}, "reason": "disconnected"}',
    ]


class NewToy(Toy):
    """The toy game under other rules."""

    info = GameInfo("toy", "Shouting, otherwise.", version=2)


@pytest.mark.parametrize("engines", [[NewToy()], [Roshambo()]], ids=["other rules", "no such game"])
async def test_a_match_whose_rules_are_gone_ends_void_behind_its_record(talk: Conversation, engines: list[Toy]):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="toy")
    for _ in range(70):
        await talk.ask("ann", 'm1 game.action {"type": "shout"}')
    story = talk.clients["bob"].taken()
    talk.catalogue = Catalogue(engines)
    await talk.restart()
    await talk.ask("bob", 'session.hello {"version": 1}')
    answer = await talk.ask("bob", 'session.reconnect {"session_token": "<token bob>", "matches": {"m1": 1}}')
    assert answer["matches"] == {"m1": {"game": "toy", "events": len(story) + 1, "live": False}}
    assert talk.clients["bob"].taken() == [
        *story[1:],
        'EVT m1 game.result {"result": "VOID", "reason": "server_error"}',
    ]


async def test_a_server_that_stops_tells_everyone_and_loses_nothing(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    talk.forget()
    await talk.holds("""
        -- cid connects
        -- the server stops, and starts again after 5 s
        ann< EVT server.closing {"retry_after": 5}
        ann< EOF
        bob< EVT server.closing {"retry_after": 5}
        bob< EOF
        cid< EVT server.closing {"retry_after": 5}
        cid< EOF
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>", "matches": {"m1": 2}}
        ann< RES 1 OK
        ann< RES 2 OK {"player": "ann", "matches": {"m1": {"game": "battleship", "events": 2, "live": true}}, ...}
    """)


async def test_a_server_that_stops_answers_what_it_has_read_and_does_none_of_it():
    """Thirty-two requests at once are served; what was read behind them waits for the request rate."""
    refused = (
        '{"code": "SHUTTING_DOWN", "message": "the server is stopping and does no more; try again a little later", '
    )
    async with Conversation(request_rate=1) as talk:
        ann = await talk.client("ann")
        ann.unasked = True
        ann.write("".join(f"REQ {number} session.ping\n" for number in range(33)) + "hello?\nREQ x no.such\nREQ y sess")
        assert await talk.heard_by_now("ann") == [f"RES {number} OK" for number in range(32)]
        await talk.stop()
        await ann.closed()
        closing, one, bad, other, end = ann.taken()
        assert (closing, end) == ('EVT server.closing {"retry_after": 5}', "EOF")
        assert (one, other) == (f'RES 32 ERR {refused}"retry_after": 5}}', f'RES x ERR {refused}"retry_after": 5}}')
        assert bad.startswith('RES - ERR {"code": "BAD_REQUEST"')
