"""One socket: bytes in, lines to the router, the outbox out. It holds limits and back-pressure, and knows no request."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from structlog import get_logger

from lobby.clock import Agenda, Alarm
from lobby.outbox import Outbox
from lobby.router import Caller, Router
from lobby.settings import Settings
from lobby.tick import Tick
from protocol.lines import LineReader, Overlong

log = get_logger(__name__)

TURN: Final = 32
"""Requests that one connection is served in one turn of the loop; the rest waits, so that others come first."""

BURST: Final = 0.1
"""Seconds of requests, at the full rate, that may come at once."""

PAUSE: Final = 0.01
"""Seconds for which reading pauses at least, over the request rate."""

LINGER: Final = 10.0
"""Seconds that a closing connection has to take what is still to be written."""


class Door:
    """What all connections share, and how many there are."""

    def __init__(
        self, *, router: Router, tick: Tick, agenda: Agenda, settings: Settings, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.router = router
        self.tick = tick
        self.agenda = agenda
        self.settings = settings
        self.loop = loop
        self.buffer = memoryview(bytearray(64 * 1024))  # asyncio fills it and hands it on in one step
        self.open: set[Connection] = set()
        self.closed: list[Callable[[Caller], None]] = []
        self.burst = max(TURN, settings.request_rate * BURST)
        self._from: dict[str, int] = {}
        self._empty = asyncio.Event()
        self._empty.set()

    def admits(self, address: str) -> bool:
        """Whether one more connection from an address may come in."""
        limit = self.settings.max_connections_per_address
        return len(self.open) < self.settings.max_connections and (not limit or self._from.get(address, 0) < limit)

    def enter(self, connection: Connection) -> None:
        """Count a connection in."""
        self._empty.clear()
        self.open.add(connection)
        self._from[connection.address] = self._from.get(connection.address, 0) + 1

    def leave(self, connection: Connection) -> None:
        """Count a connection out."""
        if connection in self.open:
            self.open.discard(connection)
            self._from[connection.address] -= 1
            if not self._from[connection.address]:
                del self._from[connection.address]
            if not self.open:
                self._empty.set()

    async def emptied(self) -> None:
        """Wait until no connection is open."""
        await self._empty.wait()


class Connection(asyncio.BufferedProtocol):
    """The thin shell between a transport and the router."""

    __slots__ = (
        "_alarm",
        "_allowed",
        "_backlog",
        "_caller",
        "_door",
        "_held",
        "_outbox",
        "_pause",
        "_reader",
        "_since",
        "_transport",
        "address",
    )

    def __init__(self, door: Door) -> None:
        self._door = door
        self._reader = LineReader()
        self._backlog: deque[bytes | Overlong] | None = None  # lines read and not yet served
        self._held = False  # whether reading is paused, until the backlog is served
        self._allowed = door.burst
        self._since = 0.0
        self.address = ""

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a connection in, or tell it that the server is full."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else ""
        door = self._door
        self._outbox = Outbox(
            transport,
            door.tick,
            unread_limit=door.settings.unread_limit,
            drained=self._drained,
            closes=self._linger,
        )
        self._caller = Caller(self._outbox)
        self._alarm = Alarm(self._too_late)
        self._pause = Alarm(self._resume)
        if not door.admits(self.address):
            self._outbox.put(door.router.full())
            self._outbox.close()
            return
        self._since = door.agenda.clock.now()
        door.enter(self)
        _keep_alive(transport, door.settings.half_open_timeout)
        door.agenda.set(self._alarm, door.agenda.clock.now() + door.settings.login_timeout)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Lend the buffer that all connections share."""
        return self._door.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Serve the lines that have come."""
        lines = self._reader.feed(self._door.buffer[:nbytes])
        if self._backlog is not None:
            self._backlog.extend(lines)
        elif lines:
            self._serve(lines)

    def eof_received(self) -> bool:
        """Answer all that was read, then close; an unended line is dropped."""
        if self._transport.get_extra_info("sslcontext") is not None:
            self._serve_at_once()
            return False
        self._outbox.close()  # nothing waits to be served: while it does, nothing is read, the end neither
        return True

    def connection_lost(self, error: Exception | None) -> None:
        """Let the session know that its player is away."""
        self._backlog = None
        self._door.agenda.cancel(self._alarm)
        self._door.agenda.cancel(self._pause)
        self._door.leave(self)
        if self._outbox.overrun:
            log.warning("closed: it does not read", address=self.address)
        for call in self._door.closed:
            call(self._caller)

    def pause_writing(self) -> None:
        """The transport has more than it can send."""
        self._outbox.pause()

    def resume_writing(self) -> None:
        """The transport can take more."""
        self._outbox.resume()

    # Serving

    def _serve(self, lines: list[bytes | Overlong]) -> None:
        """Serve lines, as many as this turn and the request rate allow; keep the rest, and read no more before it is done."""
        agenda = self._door.agenda
        agenda.run(agenda.clock.now())  # what time did comes before what is asked now
        outbox, caller, serve = self._outbox, self._caller, self._door.router.serve
        allowed = self._allowance(len(lines))
        for index, line in enumerate(lines):
            if outbox.closing:
                return
            if index == allowed or outbox.replaying:
                self._hold(deque(lines[index:]))
                return
            serve(caller, line)
            self._allowed -= 1
        if caller.session is not None and self._alarm.due < float("inf") and not outbox.closing:
            agenda.cancel(self._alarm)

    def _allowance(self, wanted: int) -> int:
        door = self._door
        if self._allowed < wanted:
            now = door.agenda.clock.now()
            self._allowed = min(door.burst, self._allowed + (now - self._since) * door.settings.request_rate)
            self._since = now
        return min(TURN, int(self._allowed))

    def _hold(self, rest: deque[bytes | Overlong]) -> None:
        self._backlog = rest
        if not self._held:
            self._held = True
            self._transport.pause_reading()
        if self._outbox.replaying:
            return
        door = self._door
        if self._allowed >= 1:
            door.loop.call_soon(self._go_on)
        else:
            wait = (1 - self._allowed) / door.settings.request_rate
            door.agenda.set(self._pause, door.agenda.clock.now() + max(wait, PAUSE))

    def _resume(self, _: float) -> None:
        self._door.loop.call_soon(self._go_on)  # not now: nothing is served while alarms ring

    def _go_on(self) -> None:
        rest, self._backlog = self._backlog, None
        if rest:
            self._serve(list(rest))
        if self._backlog is None and self._held and not self._transport.is_closing():
            self._held = False
            self._transport.resume_reading()

    def _serve_at_once(self) -> None:
        """Serve the backlog whatever the rate: the transport closes right after."""
        for line in self._backlog or ():
            if not self._outbox.closing:
                self._door.router.serve(self._caller, line)
        self._backlog = None
        self._door.tick.end()

    def _drained(self) -> None:
        if self._held:
            self._door.loop.call_soon(self._go_on)  # not now: what is flushed was committed, what it causes is not

    def _too_late(self, _: float) -> None:
        if not self._outbox.closing:
            if self._caller.session is None:
                self.close()
        elif self._outbox.moved():
            self._linger()
        else:
            self._transport.abort()

    def _linger(self) -> None:
        """Close once all is written, and at the latest after a while in which the client takes nothing."""
        agenda = self._door.agenda
        agenda.set(self._alarm, agenda.clock.now() + LINGER)

    def close(self, line: bytes = b"") -> None:
        """Say a last line, if any, and close."""
        if line:
            self._outbox.put(line)
        self._outbox.close()

    def abandon(self, line: bytes) -> None:
        """Close with a last line and nothing of what waits: it was not stored."""
        self._outbox.abandon()
        self._transport.write(line)
        self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()


def _keep_alive(transport: asyncio.Transport, seconds: float) -> None:
    """Let the system find within `seconds` that the other end is gone, where it can."""
    sock = transport.get_extra_info("socket")
    if sock is None or sock.family not in (socket.AF_INET, socket.AF_INET6):
        return
    probes = 3
    options = {
        "TCP_NODELAY": 1,
        "TCP_KEEPIDLE": max(1, int(seconds / 2)),
        "TCP_KEEPINTVL": max(1, int(seconds / 2 / probes)),
        "TCP_KEEPCNT": probes,
        "TCP_USER_TIMEOUT": int(seconds * 1000),
    }
    with suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in options.items():
        if hasattr(socket, name):
            with suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
