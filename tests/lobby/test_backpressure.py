"""Clients that read slowly or never: what they leave unread is bounded, and a replay is sent as they read it."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from conversation import Conversation
from failing_store import FailingStore
from toy import Toy

SHOUT = 'm1 game.action {"type": "shout", "letters": 50000}'
HELD = 200
"""Shouts that are more than the system holds for a client that does not read, and the unread limit on top."""


@pytest.fixture
async def talk() -> AsyncIterator[Conversation]:
    """Let ann and bob play the toy game, on a server that lets little be unread."""
    async with Conversation(engines=[Toy()], unread_limit=65_536) as conversation:
        await conversation.enter("ann", "bob")
        await conversation.match("ann", "bob", game="toy")
        conversation.forget()
        yield conversation


def stop_reading(talk: Conversation, name: str) -> None:
    """Let a client read no more, and not be waited for."""
    talk.clients[name].unasked = True
    talk.clients[name].transport.pause_reading()


def read_on(talk: Conversation, name: str) -> None:
    """Let a client read again, and be waited for."""
    talk.clients[name].unasked = False
    talk.clients[name].transport.resume_reading()


async def test_a_client_that_never_reads_is_closed_at_the_limit_and_its_session_lives(talk: Conversation):
    stop_reading(talk, "ann")
    shouts = 0
    while len(talk.server.door.open) == 2:
        assert shouts < HELD
        await talk.ask("bob", SHOUT)
        shouts += 1
    assert (
        talk.clients["bob"].taken()[-1].startswith('EVT lobby.presence {"match": "m1", "player": "ann", "connected": f')
    )
    talk.clients.pop("ann").transport.abort()
    await talk.holds(f"""
        ann> REQ 1 session.hello {{"version": 1}}
        ann> REQ 2 session.reconnect {{"session_token": "<token ann>", "matches": {{"m1": {shouts + 1}}}}}
        ann< RES 1 OK
        ann< RES 2 OK {{"player": "ann", "matches": {{"m1": {{"game": "toy", "events": {shouts + 1}, "live": true}}}}, ...}}
        bob< EVT lobby.presence {{"match": "m1", "player": "ann", "connected": true}}
    """)


async def test_a_replay_longer_than_the_limit_is_sent_as_fast_as_it_is_read_and_is_not_cut(talk: Conversation):
    for _ in range(HELD):
        await talk.ask("bob", SHOUT)
    story = talk.clients["ann"].taken()
    assert sum(map(len, story)) > 5_000_000
    await talk.hang_up("ann")
    talk.forget()
    await talk.ask("ann", 'session.hello {"version": 1}')
    stop_reading(talk, "ann")
    ann = talk.clients["ann"]
    ann.write(f'REQ 2 session.reconnect {{"session_token": "{talk.tokens["<token ann>"]}", "matches": {{"m1": 1}}}}\n')
    ann.write("REQ 3 session.ping\n")
    await talk.heard_by_now("ann")
    await talk.ask("bob", 'm1 game.action {"type": "shout"}')  # comes behind the replay
    assert len(talk.server.door.open) == 2
    read_on(talk, "ann")
    await ann.settle()
    answer, *lines = ann.taken()
    last = f'EVT m1 game.action {{"type": "shout", "number": {HELD + 1}, "text": "x"}}'
    assert answer.startswith("RES 2 OK")
    assert lines.index("RES 3 OK") >= HELD
    assert [line for line in lines if line != "RES 3 OK"] == [*story, last]


async def test_what_waits_behind_a_replay_counts_as_unread(talk: Conversation):
    for _ in range(HELD):
        await talk.ask("bob", SHOUT)
    await talk.hang_up("ann")
    await talk.ask("ann", 'session.hello {"version": 1}')
    stop_reading(talk, "ann")
    token = talk.tokens["<token ann>"]
    talk.clients["ann"].write(f'REQ 2 session.reconnect {{"session_token": "{token}"}}\n')
    for _ in range(4):
        await talk.ask("bob", SHOUT)
    assert len(talk.server.door.open) == 1


@pytest.mark.parametrize("how", ["replaced", "logged out", "at its end"])
async def test_a_connection_that_is_over_is_dropped_after_a_while_though_its_client_does_not_read(how: str):
    async with Conversation(engines=[Toy()], unread_limit=2**30) as talk:
        await talk.enter("ann", "bob")
        await talk.match("ann", "bob", game="toy")
        stop_reading(talk, "ann")
        for _ in range(HELD):
            await talk.ask("bob", SHOUT)
        ann = talk.clients.pop("ann")
        if how == "replaced":
            await talk.ask("tab", 'session.hello {"version": 1}')
            await talk.ask("tab", 'session.reconnect {"session_token": "<token ann>", "matches": {"m1": 999}}')
            await talk.hang_up("tab")
        elif how == "logged out":
            ann.write("REQ 1 session.logout\n")
        else:
            ann.transport.write_eof()
        await talk.ask("bob", "session.ping")
        await talk.advance(9.9)
        assert len(talk.server.door.open) == 2
        await talk.advance(0.1)
        assert len(talk.server.door.open) == 1
        ann.transport.abort()


async def test_requests_wait_for_a_replay_and_the_end_of_input_cuts_nothing(talk: Conversation):
    """Their answers are more than may be unread: served at once, they would wait behind the replay, and cost the connection."""
    for _ in range(HELD):
        await talk.ask("bob", SHOUT)
    story = talk.clients["ann"].taken()
    help_ = json.dumps(await talk.ask("bob", "session.help"))
    await talk.hang_up("ann")
    await talk.ask("ann", 'session.hello {"version": 1}')
    stop_reading(talk, "ann")
    ann = talk.clients["ann"]
    ann.write(f'REQ 2 session.reconnect {{"session_token": "{talk.tokens["<token ann>"]}", "matches": {{"m1": 1}}}}\n')
    ann.write('REQ first lobby.subscribe {"game": "toy"}\n')
    ann.write("".join(f"REQ h{number} session.help\n" for number in range(100)))
    await talk.end_input("ann")
    await talk.heard_by_now("ann")
    assert (await talk.ask("bob", "lobby.status"))["waiting"] == {}
    ann.transport.resume_reading()
    await ann.closed()
    answers = [f"RES h{number} OK {help_}" for number in range(100)]
    assert sum(map(len, answers)) > 2 * 65_536
    assert ann.taken()[1:] == [*story, "RES first OK", *answers, "EOF"]


async def test_a_replay_to_a_connection_that_closes_goes_on_as_long_as_it_is_read(talk: Conversation):
    """Here it is replaced in the middle of its replay, of which its client reads some five times a second."""
    for _ in range(HELD):
        await talk.ask("bob", SHOUT)
    story = talk.clients["ann"].taken()
    await talk.hang_up("ann")
    await talk.ask("ann", 'session.hello {"version": 1}')
    stop_reading(talk, "ann")
    ann = talk.clients["ann"]
    ann.write(f'REQ 2 session.reconnect {{"session_token": "{talk.tokens["<token ann>"]}", "matches": {{"m1": 1}}}}\n')
    await talk.heard_by_now("ann")
    await talk.ask("tab", 'session.hello {"version": 1}')
    await talk.ask("tab", 'session.reconnect {"session_token": "<token ann>", "matches": {"m1": 999}}')
    pauses = 0
    while not ann.ended:
        heard = len(ann.heard)
        ann.transport.resume_reading()
        await ann.until(lambda heard=heard: len(ann.heard) > heard)
        if not ann.ended:
            ann.transport.pause_reading()
            await talk.advance(0.2)
            pauses += 1
    answer, *lines = ann.taken()
    assert pauses > 75
    assert answer.startswith("RES 2 OK")
    assert lines == [*story, "EVT session.replaced", "EOF"]


async def test_a_store_that_fails_again_while_a_client_still_reads_is_told_of_once():
    store = FailingStore()
    async with Conversation(engines=[Toy()], store=store, unread_limit=2**30) as talk:
        await talk.enter("ann", "bob")
        await talk.match("ann", "bob", game="toy")
        stop_reading(talk, "ann")
        for _ in range(HELD):
            await talk.ask("bob", SHOUT)
        store.failing = "commit"
        await talk.advance(2)
        talk.clients["ann"].transport.resume_reading()
        await talk.clients["ann"].closed()
        heard = [line for line in talk.clients["ann"].taken() if not line.startswith("EVT m1 ")]
        assert heard == ['EVT server.closing {"retry_after": 5}', "EOF"]


async def test_while_a_stopping_server_waits_for_a_slow_client_whoever_connects_or_asks_is_told_so():
    async with Conversation(engines=[Toy()]) as talk:
        await talk.enter("ann", "bob", "cid")
        await talk.match("ann", "bob", game="toy")
        for _ in range(HELD):
            await talk.ask("bob", SHOUT)
        cid = talk.clients["cid"]
        stop_reading(talk, "cid")
        cid.write('REQ 1 lobby.watch {"match": "m1"}\nREQ 2 session.ping\n')
        await talk.settle()
        stopping = asyncio.create_task(talk.stop())
        await talk.clients["bob"].closed()
        cid.write("REQ 3 session.ping\n")
        late = await talk.client("dan")
        late.write('REQ 1 session.hello {"version": 1}\n')
        await late.closed()
        refusal, _ = late.taken()
        assert refusal.startswith('RES - ERR {"code": "SHUTTING_DOWN", "message": "the server is stopping')
        assert refusal.endswith('"retry_after": 5}')
        read_on(talk, "cid")
        await cid.closed()
        closing, *refusals, end = cid.taken()[-4:]
        assert (closing, end) == ('EVT server.closing {"retry_after": 5}', "EOF")
        assert refusals == [refusal.replace("RES -", "RES 2"), refusal.replace("RES -", "RES 3")]
        await stopping
