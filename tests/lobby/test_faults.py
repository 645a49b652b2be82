"""Faults of ours: of a game's rules, which cost a request or a match, and of the store, which cost the server."""

import re
from collections.abc import AsyncIterator

import pytest
from conversation import Conversation
from failing_store import FailingStore
from structlog.testing import capture_logs
from toy import Toy

VOID = 'EVT m1 game.result {"result": "VOID", "reason": "server_error"}'
INTERNAL = 'ERR {"code": "INTERNAL_ERROR", "message": "...", "ref": "..."}'


@pytest.fixture
async def toy() -> AsyncIterator[Conversation]:
    """Let ann and bob play the toy game, and cid watch from the lobby."""
    async with Conversation(engines=[Toy()]) as talk:
        await talk.enter("ann", "bob", "cid")
        await talk.match("ann", "bob", game="toy")
        talk.forget()
        yield talk


@pytest.mark.parametrize("what", ["apply", "telling"])
async def test_an_action_on_which_the_rules_fail_is_undone_and_the_third_makes_the_match_void(
    toy: Conversation, what: str
):
    broken = f'm1 game.action {{"type": "break", "what": "{what}"}}'
    await toy.holds(f"""
        ann> REQ 1 {broken}
        ann< RES 1 {INTERNAL}
        bob> REQ 1 m1 game.action {{"type": "shout"}}
        bob< RES 1 OK
        bob< EVT m1 game.action {{"type": "shout", "number": 1, "text": "x"}}
        ann< EVT m1 game.action {{"type": "shout", "number": 1, "text": "x"}}
        bob> REQ 2 {broken}
        bob< RES 2 {INTERNAL}
        ann> REQ 2 m1 game.action {{"type": "shout"}}
        ann< RES 2 OK
        ann< EVT m1 game.action {{"type": "shout", "number": 2, "text": "x"}}
        bob< EVT m1 game.action {{"type": "shout", "number": 2, "text": "x"}}
        ann> REQ 3 {broken}
        ann> REQ 4 {broken}
        ann< RES 3 {INTERNAL}
        ann< {VOID}
        ann< RES 4 ERR {{"code": "MATCH_OVER", ...}}
        bob< {VOID}
        cid> REQ 1 session.ping
        cid< RES 1 OK
    """)


async def test_a_fault_is_logged_with_the_reference_that_the_player_is_told(toy: Conversation):
    with capture_logs() as log:
        (line,) = await toy.say("ann", 'REQ 1 m1 game.action {"type": "break", "what": "apply"}')
    (ref,) = re.findall(r'"ref": "(\w+)"', line)
    (entry,) = [entry for entry in log if entry["log_level"] == "error"]
    assert (entry["ref"], entry["match"], entry["player"]) == (ref, "m1", "ann")
    assert entry["exc_info"]
    assert "planted" not in line


async def test_a_fault_of_the_clock_makes_the_match_void(toy: Conversation):
    await toy.holds(f"""
        ann> REQ 1 m1 game.action {{"type": "break", "what": "expire"}}
        ann< RES 1 OK
        ann< EVT m1 game.update {{"type": "broken", "what": "expire"}}
        bob< EVT m1 game.update {{"type": "broken", "what": "expire"}}
        -- 100 s later
        ann< {VOID}
        bob< {VOID}
    """)


@pytest.mark.parametrize("how", ["resign", "logout", "grace"])
async def test_a_fault_in_leaving_makes_the_match_void_and_the_leaver_gone(toy: Conversation, how: str):
    await toy.ask("ann", 'm1 game.action {"type": "break", "what": "forfeit"}')
    toy.forget()
    if how == "resign":
        await toy.ask("ann", "m1 game.resign")
    elif how == "logout":
        await toy.say("ann", "REQ 1 session.logout")
    else:
        await toy.hang_up("ann")
        await toy.advance(60)
    assert (await toy.say("bob"))[-1] == VOID
    assert (await toy.ask("bob", "lobby.matches"))["matches"] == [
        {"match": "m1", "game": "toy", "players": ["ann", "bob"], "live": False}
    ]


@pytest.mark.parametrize("what", ["view", "turn"])
async def test_a_fault_in_showing_the_state_fails_that_request_alone(toy: Conversation, what: str):
    await toy.ask("ann", f'm1 game.action {{"type": "break", "what": "{what}"}}')
    toy.forget()
    await toy.holds(f"""
        ann> REQ 1 m1 game.state
        ann< RES 1 {INTERNAL}
        ann> REQ 2 m1 game.state
        ann> REQ 3 m1 game.state
        ann> REQ 4 m1 game.state
        ann< RES 2 {INTERNAL}
        ann< RES 3 {INTERNAL}
        ann< RES 4 {INTERNAL}
        bob> REQ 1 m1 game.resign
        bob< RES 1 OK
        bob< EVT m1 game.result {{"result": "LOSS", "reason": "resigned"}}
        ann< EVT m1 game.result {{"result": "WIN", "reason": "resigned"}}
        ann> REQ 5 m1 game.state
        ann< RES 5 OK {{"game": "toy", "players": ["ann", "bob"], ...}}
    """)


async def test_a_match_that_cannot_be_started_is_void_from_the_start():
    async with Conversation(engines=[Toy()]) as talk:
        await talk.enter("ann", "bob")
        await talk.holds(f"""
            ann> REQ 1 lobby.subscribe {{"game": "toy", "options": {{"broken": "start"}}}}
            ann< RES 1 OK
            bob> REQ 1 lobby.subscribe {{"game": "toy", "options": {{"broken": "start"}}}}
            bob< RES 1 OK
            bob< EVT m1 game.match_started {{"opponent": "ann"}}
            bob< {VOID}
            ann< EVT m1 game.match_started {{"opponent": "bob"}}
            ann< {VOID}
            ann> REQ 2 m1 game.resign
            ann< RES 2 ERR {{"code": "MATCH_OVER", ...}}
        """)


CLOSING = """
    ann< EVT server.closing {"retry_after": 5}
    ann< EOF
    bob< EVT server.closing {"retry_after": 5}
    bob< EOF
"""


@pytest.fixture
async def failing() -> AsyncIterator[Conversation]:
    """Let ann and bob play battleship on a server whose store can be made to fail."""
    async with Conversation(store=FailingStore()) as talk:
        await talk.enter("ann", "bob")
        await talk.match("ann", "bob", game="battleship")
        talk.forget()
        yield talk
        assert talk.server.stop.is_set()
        assert str(talk.server.failure) == "lobby.db cannot be written: the disk is full"


@pytest.mark.parametrize(
    ("function", "cause"),
    [
        ("commit", "ann> REQ 1 session.ping\n ann> REQ 2 m1 game.resign"),
        ("commit", "-- 10 s later"),
        ("matches", "ann> REQ 1 lobby.matches"),
        ("retain", "-- 10 s later"),
        ("commit", "-- the server stops"),
    ],
)
async def test_what_cannot_be_stored_is_not_answered_and_everyone_is_told_that_the_server_closes(
    failing: Conversation, function: str, cause: str
):
    failing.store.failing = function
    await failing.holds(f"{cause}\n{CLOSING}")
