"""Connections whose other end is gone, or might as well be: they are found, and nothing of them stays in memory."""

import asyncio
import socket
import sys
import tracemalloc

import pytest
from conversation import Conversation
from conversation_client import PATIENCE

UNREAD = 1 << 20
REQUESTS = b"REQ 1 lobby.games\n" * 100


@pytest.mark.skipif(sys.platform != "linux", reason="the options have other names, or are missing")
@pytest.mark.parametrize("seconds", [60.0, 20.0])
async def test_the_system_is_to_find_within_the_time_set_that_the_other_end_is_gone(seconds: float):
    async with Conversation(half_open_timeout=seconds) as talk:
        await talk.connect("ann")
        (connection,) = talk.server.door.open
        sock = connection._transport.get_extra_info("socket")
        idle, between, probes = (
            sock.getsockopt(socket.IPPROTO_TCP, option)
            for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
        )
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert seconds - probes < idle + between * probes <= seconds
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == seconds * 1000


async def test_what_a_client_left_unread_is_given_back_when_it_is_closed_for_it():
    async with Conversation(unread_limit=UNREAD, request_rate=1_000_000) as talk:
        await talk.enter("ann", "bob")
        client = talk.clients["ann"]
        client.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        client.transport.pause_reading()
        client.unasked = True
        tracemalloc.start()
        try:
            async with asyncio.timeout(PATIENCE):
                while len(talk.server.door.open) == 2:
                    client.write(REQUESTS)
                    await talk.ask("bob", "session.ping")
            client.transport.abort()
            await talk.ask("bob", "session.ping")
            left, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert most > UNREAD
        assert left < UNREAD / 5
        assert not talk.server.house.roster.named("ann").connected
