"""What all connections share: who is let in, and whose turn it is where more is asked for than one turn of the loop can do."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from typing import Final, Protocol

from structlog import get_logger

from lobby.clock import Agenda
from lobby.router import Caller, Router
from lobby.settings import Settings
from lobby.tick import Tick

log = get_logger(__name__)

READ: Final = 8 * 1024
"""Bytes that are read from one connection in one turn of the loop: a line of the longest, or a hundred common ones."""

TURN: Final = 32
"""Requests that one connection is served in one turn of the loop; the rest waits, so that others come first."""

SHARE: Final = 0.003
"""Seconds in one turn of the loop for all those together who have to wait for their turn."""

BURST: Final = 0.1
"""Seconds of requests, at the full rate, that may come at once."""


class Guest(Protocol):
    """A connection, as far as the door and the server that ends know it."""

    address: str

    def go_on(self) -> None:
        """Serve more of what was read."""

    def dismiss(self, line: bytes) -> None:
        """Say that the server ends, and close once all is written."""

    def abandon(self, line: bytes) -> None:
        """Close with a last line and nothing of what waits."""

    def abort(self) -> None:
        """Close at once."""


class Door:
    """Lets connections in, counts them, and gives those who ask much their turns, so that the others need not wait."""

    def __init__(
        self, *, router: Router, tick: Tick, agenda: Agenda, settings: Settings, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.router = router
        self.tick = tick
        self.agenda = agenda
        self.settings = settings
        self.loop = loop
        self.buffer = memoryview(bytearray(READ))  # asyncio fills it and hands it on in one step
        self.capacity = settings.max_connections
        self.open: set[Guest] = set()
        self.closed: list[Callable[[Caller], None]] = []
        self.burst = max(TURN, settings.request_rate * BURST)
        self._from: Counter[str] = Counter()
        self._parting: list[Caller] = []
        self._waiting: deque[Guest] = deque()
        self._empty = asyncio.Event()
        self._empty.set()

    def refusal(self, address: str) -> bytes | None:
        """Return what one more connection from an address is told where it may not come in."""
        if self.router.closing:
            return self.router.late()
        limit = self.settings.max_connections_per_address
        room = len(self.open) < self.capacity and (not limit or self._from[address] < limit)
        return None if room else self.router.full()

    def enter(self, connection: Guest) -> None:
        """Count a connection in."""
        self._empty.clear()
        self.open.add(connection)
        self._from[connection.address] += 1

    def leave(self, connection: Guest, caller: Caller) -> None:
        """Count a connection out, and tell of it together with all that end in this turn of the loop."""
        if connection not in self.open:
            return
        self.open.discard(connection)
        self._from[connection.address] -= 1
        if not self._from[connection.address]:
            del self._from[connection.address]
        if not self._parting:
            self.loop.call_soon(self._part)
        self._parting.append(caller)

    def _part(self) -> None:
        """Tell of connections that have ended, all at one instant: of two players none has gone earlier."""
        self.agenda.run(self.agenda.clock.now())  # what time did comes before, and the time left is told from now
        parting, self._parting = self._parting, []
        if not self.open:
            self._empty.set()
        for caller in parting:
            self._tell(caller)
        self.tick.wake()

    def _tell(self, caller: Caller) -> None:
        """Tell of one connection; where that fails, by a fault of ours, the others are told of all the same."""
        try:
            for call in self.closed:
                call(caller)
        except Exception:
            log.exception("the end of a connection could not be told")

    async def emptied(self) -> None:
        """Wait until no connection is open."""
        await self._empty.wait()

    def queue(self, connection: Guest) -> None:
        """Let a connection go on when its turn comes."""
        if not self._waiting:
            self.loop.call_soon(self._give_turns)
        self._waiting.append(connection)

    def _give_turns(self) -> None:
        """Let those who wait go on, each once, as many as fit in the share."""
        clock = self.agenda.clock
        self.agenda.run(clock.now())  # first of all: it may set the clock back, which would make the share longer
        until = clock.now() + SHARE
        for _ in range(len(self._waiting)):
            self._give_turn(self._waiting[0])  # still there, so that it queues behind without calling for turns again
            self._waiting.popleft()
            if clock.now() >= until:
                break
        if self._waiting:
            self.loop.call_soon(self._give_turns)

    @staticmethod
    def _give_turn(connection: Guest) -> None:
        """Let one connection go on; where that fails, by a fault of ours, it is lost, and no other's turn with it."""
        try:
            connection.go_on()
        except Exception:
            log.exception("a connection could not go on")
            connection.abort()
