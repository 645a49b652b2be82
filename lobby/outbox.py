"""What waits to be written to one connection: lines, answers yet to come, and replays at the pace of the client.

It knows the transport's buffer and the unread limit, and nothing of what the lines say.
"""

from __future__ import annotations

from asyncio import Transport
from collections.abc import Callable, Iterator
from typing import Final

from structlog import get_logger

from lobby.store import StoreFailed
from lobby.tick import Tick

log = get_logger(__name__)

REPLAY_SLICE: Final = 64 * 1024
"""Bytes of replays that one turn of the loop writes to one connection."""


class Outbox:
    """The output of one connection, in order.

    A replay is an iterator of joined lines. It is drawn on only while the transport wants more, and does not count as
    unread; what stands behind it waits, and does.
    """

    __slots__ = (
        "_behind",
        "_closes",
        "_drained",
        "_drawn",
        "_due",
        "_lines",
        "_moment",
        "_paused",
        "_replays",
        "_slack",
        "_tick",
        "_transport",
        "_unread_limit",
        "closing",
        "overrun",
    )

    def __init__(
        self,
        transport: Transport,
        tick: Tick,
        *,
        unread_limit: int,
        drained: Callable[[], None],
        closes: Callable[[], None],
    ) -> None:
        """Make an outbox that tells when its last replay is `drained`, and when it begins to close."""
        self._transport = transport
        self._tick = tick
        self._unread_limit = unread_limit
        self._drained = drained
        self._closes = closes
        self._lines: list[bytes | Iterator[bytes]] = []
        self._due = False
        self._paused = False
        self._replays = 0
        self._slack = 0  # bytes of replays that the transport may still hold
        self._behind = 0  # bytes of lines that wait behind a replay
        self._drawn = 0  # bytes of replays that were written so far
        self._moment = (0, 0)  # when it was last asked: bytes of replays written, bytes that the transport held
        self.closing = False
        self.overrun = False

    @property
    def replaying(self) -> bool:
        """Whether a replay is still being written."""
        return self._replays > 0

    def put(self, line: bytes) -> None:
        """Add a line, its LF included."""
        self._lines.append(line)
        if self._replays:
            self._behind += len(line)
        if not self._due:
            self._due = True
            self._tick.touch(self)

    def reserve(self) -> int:
        """Keep the next place for an answer, so that what a request causes comes after it; `fill` it in the same turn."""
        self.put(b"")
        return len(self._lines) - 1

    def fill(self, place: int, line: bytes) -> None:
        """Put the answer in the place that was kept for it."""
        self._lines[place] = line

    def replay(self, lines: Iterator[bytes]) -> None:
        """Add a replay: an iterator of one or more lines at a time, drawn on when there is room."""
        self._replays += 1
        self._lines.append(lines)
        if not self._due:
            self._due = True
            self._tick.touch(self)

    def close(self) -> None:
        """Close the connection once everything is written; nothing is added any more."""
        if not self.closing:
            self.closing = True
            self.moved()
            self._closes()
            self.wake()

    def moved(self) -> bool:
        """Return whether the client has taken anything since this was last asked."""
        (drawn, held), self._moment = self._moment, (self._drawn, self._transport.get_write_buffer_size())
        return self._moment[0] > drawn or self._moment[1] < held

    def pause(self) -> None:
        """Take note that the transport has more than it can send."""
        self._paused = True

    def resume(self) -> None:
        """Take note that the transport can take more."""
        self._paused = False
        self._slack = 0
        if self._replays:
            self.wake()

    def wake(self) -> None:
        """Flush at the end of this turn."""
        if not self._due:
            self._due = True
            self._tick.touch(self)

    def flush(self) -> None:
        """Write what can be written now."""
        self._due = False
        transport = self._transport
        if transport.is_closing():
            self.abandon()
            return
        if self._replays:
            self._pump()
        elif self._lines:
            transport.write(b"".join(self._lines))  # type: ignore[arg-type]  # no replay is among them
            self._lines.clear()
            self._behind = 0
        if self._paused and self._unread() > self._unread_limit:
            self.overrun = True
            transport.abort()
        elif self.closing and not self._lines:
            transport.close()

    def _pump(self) -> None:
        room = REPLAY_SLICE
        while self._lines and room > 0 and not self._paused:
            head = self._lines[0]
            if isinstance(head, bytes):
                self._write_lines()
            elif (piece := self._draw(head)) is not None:
                self._transport.write(piece)
                self._slack += len(piece)
                self._drawn += len(piece)
                room -= len(piece)
            else:
                del self._lines[0]
                self._replays -= 1
        self._slack = min(self._slack, self._transport.get_write_buffer_size())
        if not self._replays:
            self._drained()
        if self._lines and not self._paused:
            self.wake()

    def _write_lines(self) -> None:
        """Write the lines that stand before the next replay."""
        stop = next((i for i, line in enumerate(self._lines) if not isinstance(line, bytes)), len(self._lines))
        joined = b"".join(self._lines[:stop])  # type: ignore[arg-type]  # no replay is among them
        del self._lines[:stop]
        self._behind = max(0, self._behind - len(joined))
        self._transport.write(joined)

    def _draw(self, replay: Iterator[bytes]) -> bytes | None:
        """Return the next lines of a replay. One that fails takes its connection with it, and no other's turn."""
        try:
            return next(replay, None)
        except StoreFailed:
            raise
        except Exception:
            log.exception("a replay failed")
            self._transport.abort()
            return None

    def _unread(self) -> int:
        return max(0, self._transport.get_write_buffer_size() - self._slack) + self._behind

    def abandon(self) -> None:
        """Drop what waits to be written; nothing more is taken, and nobody told of anything."""
        self.closing = True
        self._drained = self._closes = _nothing
        self._lines.clear()
        self._replays = 0


def _nothing() -> None:
    """Do nothing."""
