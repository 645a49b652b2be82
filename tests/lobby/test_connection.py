"""One connection: lines in any dress, in order, each answered once; its limits, and its end."""

import json

import pytest
from conversation import Conversation

PING = "REQ {} session.ping\n"


async def heard(talk: Conversation, name: str, data: bytes) -> list[str]:
    """Return what a client hears of bytes that it sends as they are."""
    client = await talk.client(name)
    client.write(data)
    await client.settle()
    return client.taken()


async def test_requests_in_one_packet_are_answered_in_order_each_once(talk: Conversation):
    requests = "".join(PING.format(number) for number in range(300))
    assert await heard(talk, "ann", requests.encode()) == [f"RES {number} OK" for number in range(300)]


async def test_what_a_request_causes_comes_after_its_answer_and_before_the_next(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.ask("bob", 'lobby.subscribe {"game": "roshambo"}')
    await talk.holds("""
        ann> REQ 1 lobby.subscribe {"game": "roshambo"}
        ann> REQ 2 m1 game.action {"type": "move", "move": "ROCK"}
        ann> REQ 3 m1 game.resign
        ann> REQ 4 session.ping
        ann< RES 1 OK
        ann< EVT m1 game.match_started {"opponent": "bob"}
        ann< EVT m1 game.update {"type": "start", "player": "ann", "opponent": "bob", "rounds": 3}
        ann< EVT m1 game.your_turn
        ann< RES 2 OK
        ann< RES 3 OK
        ann< EVT m1 game.action {"type": "move", "player": "ann", "move": "RETIRE"}
        ann< EVT m1 game.result {"result": "LOSS", "reason": "resigned"}
        ann< RES 4 OK
        bob< EVT m1 game.match_started {"opponent": "ann"}
        bob< EVT m1 game.update {"type": "start", "player": "bob", "opponent": "ann", "rounds": 3}
        bob< EVT m1 game.your_turn
        bob< EVT m1 game.action {"type": "move", "player": "ann", "move": "RETIRE"}
        bob< EVT m1 game.result {"result": "WIN", "reason": "resigned"}
    """)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"REQ 1 session.ping\r\n", ["RES 1 OK"]),
        (b"\r\n\n  \t\r\n  REQ 1 session.ping  \n", ["RES 1 OK"]),
        (b"REQ\t1 \t session.ping \t {}\n", ["RES 1 OK"]),
        (b"\xff\xfb\x01RE\xff\xfd\x03Q 1\xff\xf1 session.\xff\xfa\x18\x00\nxterm\xff\xf0ping\r\n", ["RES 1 OK"]),
        (b"req 1 session.ping\n", ['RES - ERR {"code": "BAD_REQUEST"']),
        (b"REQ - session.ping\n", ['RES - ERR {"code": "BAD_REQUEST"']),
        (b"hello\n", ['RES - ERR {"code": "BAD_REQUEST"']),
        (b"REQ 1 session.ping {\n", ['RES 1 ERR {"code": "BAD_REQUEST"']),
        (b'REQ 1 session.ping "\xff"\n', ['RES 1 ERR {"code": "BAD_REQUEST"']),
        (b"REQ 1 session.pong\n", ['RES 1 ERR {"code": "UNKNOWN_METHOD", "message": "']),
    ],
)
async def test_a_line_is_read_in_any_dress(talk: Conversation, data: bytes, lines: list[str]):
    for pieces in ([data], [data[:3], data[3:]], [bytes([byte]) for byte in data]):
        client = await talk.client("ann")
        for piece in pieces:
            client.write(piece)
        said = await heard(talk, "ann", b"")
        assert [line[: len(wanted)] for line, wanted in zip(said, lines, strict=True)] == lines


async def test_an_unknown_method_is_answered_with_the_closest_one(talk: Conversation):
    (line,) = await heard(talk, "ann", b"REQ 1 session.pong\n")
    assert "session.ping" in json.loads(line.removeprefix("RES 1 ERR "))["message"]


async def test_a_line_that_is_too_long_is_dropped_and_the_connection_lives_on(talk: Conversation):
    longest = b"REQ 1 session.ping" + b" " * 8173
    assert len(longest + b"\n") == 8192
    assert await heard(talk, "ann", longest + b"\n") == ["RES 1 OK"]
    for data in (longest + b" \n", b"REQ 1 session.ping" + b"x" * 100_000 + b"\n"):
        said, after = await heard(talk, "ann", data + b"REQ 2 session.ping\n")
        assert said.startswith('RES 1 ERR {"code": "LINE_TOO_LONG", "message": "')
        assert after == "RES 2 OK"
    (said,) = await heard(talk, "ann", b"x" * 9_000 + b"\n")
    assert said.startswith('RES - ERR {"code": "LINE_TOO_LONG", "message": "')


async def test_at_the_end_of_input_all_that_was_read_is_answered_and_an_unended_line_dropped(talk: Conversation):
    client = await talk.client("ann")
    client.write("".join(PING.format(number) for number in range(300)) + "REQ last session.ping")
    await talk.end_input("ann")
    await client.settle()
    assert client.taken() == [*(f"RES {number} OK" for number in range(300)), "EOF"]


async def test_nothing_behind_a_logout_is_done(talk: Conversation):
    await talk.enter("ann")
    await talk.holds("""
        ann> REQ 1 lobby.subscribe {"game": "rps"}
        ann> REQ 2 session.logout
        ann> REQ 3 session.ping
        ann< RES 1 OK
        ann< RES 2 OK
        ann< EOF
    """)


async def test_a_connection_that_does_not_log_in_is_closed_after_the_timeout(talk: Conversation):
    await talk.holds("""
        ann> REQ 1 session.hello {"version": 1}
        ann< RES 1 OK
        -- 599 s later
        bob> REQ 1 session.hello {"version": 1}
        bob> REQ 2 session.login {"player": "bob"}
        bob< RES 1 OK
        bob< RES 2 OK {"session_token": "<token bob>"}
        -- 1 s later
        ann< EOF
        -- 3600 s later
        bob> REQ 3 session.ping
        bob< RES 3 OK
    """)


async def test_a_full_server_says_so_and_closes_and_has_room_again_when_somebody_leaves():
    async with Conversation(max_connections=2, retry_after=3) as talk:
        await talk.holds("""
            -- ann connects
            -- bob connects
            -- cid connects
            cid< RES - ERR {"code": "SERVER_FULL", "message": "...", "retry_after": 3}
            cid< EOF
            -- ann hangs up
            -- cid connects
            cid> REQ 1 session.ping
            cid< RES 1 OK
        """)


async def test_one_address_has_only_so_many_connections():
    async with Conversation(max_connections_per_address=1) as talk:
        await talk.holds("""
            -- ann connects
            -- bob connects
            bob< RES - ERR {"code": "SERVER_FULL", "message": "...", "retry_after": 5}
            bob< EOF
            ann> REQ 1 session.ping
            ann< RES 1 OK
        """)


async def test_over_the_request_rate_reading_pauses_and_nothing_is_lost():
    """Thirty-two at once are always served; what comes on top, ten a second here."""
    async with Conversation(request_rate=10) as talk:
        ann = await talk.client("ann")
        ann.unasked = True
        ann.write("".join(PING.format(number) for number in range(60)))
        assert await talk.heard_by_now("ann") == [f"RES {number} OK" for number in range(32)]
        ann.write("".join(PING.format(number) for number in range(60, 70)))
        assert await talk.heard_by_now("ann") == []
        await talk.advance(0.1)
        assert await talk.heard_by_now("ann") == ["RES 32 OK"]
        await talk.advance(0.9)
        assert await talk.heard_by_now("ann") == [f"RES {number} OK" for number in range(33, 42)]
        await talk.advance(0.05)
        assert await talk.heard_by_now("ann") == []
        await talk.advance(10)
        assert await talk.heard_by_now("ann") == [f"RES {number} OK" for number in range(42, 70)]


async def test_what_comes_over_the_rate_waits_at_the_client_every_time():
    """Far more than the system holds on its way, so that the client keeps some of it exactly if the server does not read."""
    async with Conversation(request_rate=1_000) as talk:
        ann = await talk.client("ann")
        ann.unasked = True
        for _ in range(2):
            ann.write("REQ 1 session.ping\n" * 150)
            await talk.heard_by_now("ann")
            await talk.advance(60)
            assert (await talk.heard_by_now("ann"))[-1] == "RES 1 OK"
        ann.write(("REQ 1 session.ping" + " " * 8_000 + "\n") * 2_000)
        for _ in range(10):
            await talk.heard_by_now("ann")
        assert ann.transport.get_write_buffer_size() > 0
