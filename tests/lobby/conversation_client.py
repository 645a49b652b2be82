"""One client of a running server, on a socket of its own, in the loop of the test."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import Final

PATIENCE: Final = 10.0
"""Seconds of real time after which a test gives up; nothing waits for them to pass."""

ON_THE_WAY: Final = 65_536
"""Bytes that the system may hold for a client that does not read: little, so that the server soon feels it."""

EOF: Final = "EOF"
"""Stands among the lines that are heard for the end of the connection."""


class Client(asyncio.Protocol):
    """One socket to the server. `heard` is what came and was not looked at yet, `ended` whether the server closed it."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.ended = False
        self.unasked = False  # whether it is not to ping: the server keeps it waiting, or it does not read
        self.silent = False  # whether it has ended its output
        self._rest = b""
        self._pings = 0
        self._news = asyncio.Event()

    @classmethod
    async def connect(cls, address: tuple[str, int], tls: ssl.SSLContext | None = None) -> Client:
        """Connect to a server; `tls` is what to trust, where it speaks TLS."""
        loop, sock = asyncio.get_running_loop(), socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ON_THE_WAY)
        sock.setblocking(False)
        await loop.sock_connect(sock, address)
        shown = None if tls is None else "localhost"
        _, client = await loop.create_connection(cls, sock=sock, ssl=tls, server_hostname=shown)
        return client

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.heard += [line.decode() for line in lines]
        self._news.set()

    def connection_lost(self, error: Exception | None) -> None:
        self.ended = True
        self.heard.append(EOF)
        self._news.set()

    def write(self, data: bytes | str) -> None:
        """Send bytes, or a text as UTF-8, as they are."""
        self.transport.write(data if isinstance(data, bytes) else data.encode())

    async def until(self, condition: Callable[[], bool]) -> None:
        """Read until something holds; fail where it never does."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._news.clear()
                await self._news.wait()

    async def closed(self) -> None:
        """Read to the end."""
        await self.until(lambda: self.ended)

    async def settle(self) -> None:
        """Read all that the server has to say for now: a ping behind it is the mark, and is left out."""
        if self.ended or self.unasked:
            return
        if self.silent:
            await self.closed()
            return
        self._pings += 1
        pong = f"RES ping:{self._pings} OK"
        self.write(f"\nREQ ping:{self._pings} session.ping\n")
        await self.until(lambda: pong in self.heard or self.ended)
        self.heard = [line for line in self.heard if line != pong]

    def taken(self) -> list[str]:
        """Return what was heard, and look at it no more."""
        taken, self.heard = self.heard, []
        return taken
