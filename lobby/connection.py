"""One socket: bytes in, lines to the router, the outbox out. It holds limits and back-pressure, and knows no request."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from math import inf
from typing import Final

from structlog import get_logger

from lobby.clock import Alarm
from lobby.door import TURN, Door
from lobby.outbox import Outbox
from lobby.router import Caller
from protocol.lines import LineReader

log = get_logger(__name__)

AT_ONCE: Final = 4
"""Lines that are served as soon as they are read, so that who asks little never waits."""

QUICK: Final = 0.0002
"""Seconds after which no further one of them is."""

PIECE: Final = 1024
"""Bytes that are looked at in one step where no line ends."""

SLICE: Final = 0.001
"""Seconds after which a connection is served no further line in its turn."""

DEAR: Final = 0.0001
"""Seconds from which a request counts as more than one against the request rate."""

PAUSE: Final = 0.01
"""Seconds for which reading pauses at least, over the request rate."""

LINGER: Final = 10.0
"""Seconds for which a closing connection may take nothing of what is still to be written, and stay open."""


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
        "_refusing",
        "_since",
        "_transport",
        "address",
    )

    def __init__(self, door: Door) -> None:
        self._door = door
        self._reader = LineReader()
        self._backlog = b""  # read and not yet served
        self._held = False  # whether reading is paused, until the backlog is served
        self._refusing = False  # whether the server ends, and says so to each request
        self._allowed = door.burst  # requests that it may make now, as of `_since`
        self._since = 0.0
        self.address = ""

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a connection in, or tell it why not."""
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
        if refusal := door.refusal(self.address):
            self.close(refusal)
            return
        self._since = door.agenda.clock.now()
        door.enter(self)
        _keep_alive(transport, door.settings.half_open_timeout)
        door.agenda.set(self._alarm, self._since + door.settings.login_timeout)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Lend the buffer that all connections share."""
        return self._door.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Serve what has come, or let it wait for its turn where this connection has lately asked for much."""
        data = bytes(self._door.buffer[:nbytes])
        if self._held:
            self._backlog += data
        elif self._refusing:
            self._backlog = data
            self._serve_rest()
        elif not self._asks_little():
            self._hold(data)
        elif data.find(b"\n") == nbytes - 1 < PIECE and not self._outbox.replaying:
            self._serve_one(data)
        else:
            self._serve(data, AT_ONCE, QUICK)

    def eof_received(self) -> bool:
        """Answer all that was read, then close; an unended line is dropped."""
        if self._transport.get_extra_info("sslcontext") is not None:
            self._serve_rest()
            self._door.tick.end()
            return False
        self._outbox.close()  # nothing waits to be served: while it does, nothing is read, the end neither
        return True

    def connection_lost(self, error: Exception | None) -> None:
        """Let the session know that its player is away."""
        self._backlog = b""
        self._door.agenda.drop(self._alarm)
        self._door.agenda.drop(self._pause)
        self._door.leave(self, self._caller)
        if self._outbox.overrun:
            log.warning("closed: it does not read", address=self.address)
        self._outbox.abandon()
        with suppress(TypeError):  # asyncio's transport refers to itself, and would wait for the garbage collector
            vars(self._transport).pop("_read_ready_cb", None)

    def pause_writing(self) -> None:
        """The transport has more than it can send."""
        self._outbox.pause()

    def resume_writing(self) -> None:
        """The transport can take more."""
        self._outbox.resume()

    # Serving

    def _serve_one(self, data: bytes) -> None:
        """Serve a line that came alone and whole, as nearly all do; `_serve` would take longer to find that out."""
        agenda = self._door.agenda
        agenda.run(agenda.clock.now())
        began = agenda.now
        if not self._outbox.closing:
            for line in self._reader.feed(data):
                self._door.router.serve(self._caller, line)
        self._spend(1, agenda.clock.now() - began)

    def _serve(self, data: bytes, most: int, seconds: float) -> None:
        """Serve so many lines, and as the request rate allows; keep the rest, and read no more before it is done."""
        agenda, outbox = self._door.agenda, self._outbox
        agenda.run(agenda.clock.now())  # what time did comes before what is asked now
        began = now = agenda.now  # not what was read before: the agenda may have set the clock back
        served, left, position = 0, min(most, int(self._allowed)), 0
        while position < len(data) and not outbox.closing:
            if served == left or outbox.replaying or now - began >= seconds:
                self._spend(served, now - began)
                self._hold(data[position:])
                return
            end = data.find(b"\n", position, position + PIECE) + 1 or min(position + PIECE, len(data))
            for line in self._reader.feed(data[position:end]):  # there is one at the most
                self._door.router.serve(self._caller, line)
                served += 1
            position, now = end, agenda.clock.now()
        self._spend(served, now - began)

    def _spend(self, served: int, seconds: float) -> None:
        """Count lines against the request rate, dear ones as several; nobody gets into debt by what one line has cost."""
        dear = seconds / DEAR
        left = self._allowed - (dear if dear > served else served)
        self._allowed = left if left > 0 else 0.0
        if self._alarm.due < inf and self._caller.session is not None and not self._outbox.closing:
            self._door.agenda.cancel(self._alarm)  # the log-in was in time

    def _asks_little(self) -> bool:
        """Whether more than half of what may come at once is left, so that what is asked now need not wait for its turn."""
        door = self._door
        if self._allowed * 2 < door.burst:
            now = door.agenda.clock.now()
            self._allowed = min(door.burst, self._allowed + max(0.0, now - self._since) * door.settings.request_rate)
            self._since = now
        return self._allowed * 2 >= door.burst

    def _hold(self, rest: bytes) -> None:
        self._backlog = rest
        if not self._held:
            self._held = True
            self._transport.pause_reading()
        if self._outbox.replaying:
            return  # `_drained` goes on
        door = self._door
        if self._asks_little() or self._allowed >= 1:
            door.queue(self)
        else:
            wait = (1 - self._allowed) / door.settings.request_rate
            door.agenda.set(self._pause, door.agenda.clock.now() + max(wait, PAUSE))

    def _resume(self, _: float) -> None:
        self._door.queue(self)  # not now: nothing is served while alarms ring

    def go_on(self) -> None:
        """Serve more of what was read; when that is done, read on."""
        rest, self._backlog = self._backlog, b""
        if rest:
            self._asks_little()
            self._serve(rest, TURN, SLICE)
        if self._held and not self._backlog and not self._transport.is_closing():
            self._held = False
            self._transport.resume_reading()

    def _serve_rest(self) -> None:
        """Serve the backlog whatever the rate: it is the last, or is only refused."""
        rest, self._backlog = self._backlog, b""
        for line in self._reader.feed(rest):
            if self._refusing or not self._outbox.closing:
                self._door.router.serve(self._caller, line)

    # Closing

    def close(self, line: bytes = b"") -> None:
        """Say a last line, if any, and close once all is written."""
        if line:
            self._outbox.put(line)
        self._outbox.close()

    def dismiss(self, line: bytes) -> None:
        """Say that the server ends, and close once all is written; what was read, or is until then, is refused."""
        self._refusing = not self._outbox.closing
        self._outbox.put(line)
        self._serve_rest()
        self._outbox.close()
        self.go_on()

    def _drained(self) -> None:
        if self._held:
            self._door.queue(self)  # not now: what is flushed was committed, what it causes is not

    def _linger(self) -> None:
        """Close once all is written, and at the latest after a while in which the client takes nothing."""
        agenda = self._door.agenda
        agenda.set(self._alarm, agenda.clock.now() + LINGER)

    def _too_late(self, _: float) -> None:
        if not self._outbox.closing:
            if self._caller.session is None:
                self.close()
        elif self._outbox.moved():
            self._linger()
        else:
            self.abort()

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
