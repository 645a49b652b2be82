"""Time as the server sees it: a clock that is handed over, and the agenda of what is to happen when.

The server clock counts the seconds during which the server was up, over all its lives, so that time it was down is charged
to nobody; nor is time for which it was held up. No other clock is read for anything that players are told, or that is
stored.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from math import inf
from typing import Final, Protocol

from structlog import get_logger

log = get_logger(__name__)

STALL: Final = 0.1
"""Seconds by which the server may be late at what is due; more is charged to nobody's clock."""

LEAD: Final = 0.01
"""Seconds that the first thing due is put off where the server was held up: what came in meanwhile came in time."""

SPARE: Final = 256
"""Entries that the agenda may hold for nothing, on top of as many again as there are alarms set."""


class Clock(Protocol):
    """Two readings: `now` for everything that is measured, `wall` for everything that is dated."""

    def now(self) -> float:
        """Return the server clock, in seconds; what the agenda takes of it never runs backwards, over restarts neither."""

    def wall(self) -> float:
        """Return the date, in seconds since 1970."""

    def excuse(self, seconds: float) -> float:
        """Take back seconds in which the server could not attend to anyone. Return how many."""


class SystemClock:
    """The real one; once started, it goes on from the reading at which an earlier life of the server ended.

    Until then it stands still, so that what the server takes to come back is not charged to those who play.
    """

    def __init__(self, origin: float = 0.0) -> None:
        self._origin = origin
        self._started: float | None = None

    def start(self) -> None:
        """Let time pass from now on."""
        self._started = time.monotonic()

    def excuse(self, seconds: float) -> float:
        """Take back seconds in which the server could not attend to anyone. Return how many."""
        if seconds < STALL:
            return 0.0
        self._origin -= seconds
        return seconds

    def now(self) -> float:
        """Return the server clock, in seconds."""
        return self._origin if self._started is None else self._origin + time.monotonic() - self._started

    def wall(self) -> float:
        """Return the date, in seconds since 1970."""
        return time.time()


class Alarm:
    """One thing that may happen at a time. `ring` is called with the time for which it was set."""

    __slots__ = ("due", "queued", "ring")

    def __init__(self, ring: Callable[[float], None]) -> None:
        self.ring = ring
        self.due = inf
        self.queued = inf  # the earliest time at which the agenda will look at this alarm


class Agenda:
    """The alarms that are set, in one heap.

    Putting an alarm off only changes its `due`: the heap looks at it once at its old time and moves it then. So a turn
    clock that every move puts off costs no heap operation a move. What was cancelled is let go once it is the larger part
    of the heap, so that nothing keeps a connection or a match in memory that is over.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.now = clock.now()
        """The time of this turn of the event loop: that of the last `run`. What comes in together happens at one time."""
        self._heap: list[tuple[float, int, Alarm]] = []
        self._serial = 0
        self._set = 0  # how many alarms are set
        self._deferred: list[Callable[[], None]] = []
        self._running = False
        self.sooner: Callable[[], None] = lambda: None
        """Called when the earliest time has moved forward, so that whoever waits can wait less."""

    def set(self, alarm: Alarm, due: float) -> None:
        """Let the alarm ring at `due`, and no longer at the time it was set for before."""
        if alarm.due == inf:
            self._set += 1
        alarm.due = due
        if due < alarm.queued:
            self._queue(alarm, due)

    def cancel(self, alarm: Alarm) -> None:
        """Let the alarm not ring."""
        if alarm.due < inf:
            alarm.due = inf
            self._set -= 1
            self._sweep()

    def drop(self, alarm: Alarm) -> None:
        """Let the alarm never ring again, and hold on to nothing that it would have called."""
        self.cancel(alarm)
        alarm.ring = _nothing

    def defer(self, action: Callable[[], None]) -> None:
        """Run something once all alarms of this instant have rung; only while an alarm rings."""
        self._deferred.append(action)

    @property
    def next(self) -> float:
        """When `run` has something to look at; infinity where nothing is set."""
        return self._heap[0][0] if self._heap else inf

    def run(self, now: float) -> None:
        """Take this for the time, and ring every alarm that is due by then, in order; those of one instant together."""
        if self._running:
            return
        if not self._heap or self._heap[0][0] > now:
            self.now = now
            return
        late = now - max(self.now, self._heap[0][0] - LEAD)
        self.now = now = now - self.clock.excuse(late)
        self._running = True
        try:
            while self._heap and self._heap[0][0] <= now:
                self._instant(self._heap[0][0])
        finally:
            self._running = False

    def _instant(self, due: float) -> None:
        while self._heap and self._heap[0][0] == due:
            _, _, alarm = heappop(self._heap)
            if alarm.queued != due:
                continue
            alarm.queued = inf
            if alarm.due == due:
                alarm.due = inf
                self._set -= 1
                _guarded(alarm.ring, due)
            elif alarm.due < inf:
                self._queue(alarm, max(alarm.due, due))
        deferred, self._deferred = self._deferred, []
        for action in deferred:
            _guarded(action)

    def _queue(self, alarm: Alarm, due: float) -> None:
        first = self.next
        self._serial += 1
        alarm.queued = due
        heappush(self._heap, (due, self._serial, alarm))
        self._sweep()
        if due < first and not self._running:
            self.sooner()

    def _sweep(self) -> None:
        """Let go of what stands in the heap for nothing, once that is most of it."""
        if len(self._heap) <= 2 * self._set + SPARE:
            return
        kept = []
        for entry in self._heap:
            due, _, alarm = entry
            if alarm.queued == due and alarm.due < inf:
                kept.append(entry)
            elif alarm.queued == due:
                alarm.queued = inf
        self._heap = kept
        heapify(kept)


def _guarded(action: Callable[..., None], *due: float) -> None:
    """Do something that is due; where it fails, by a fault of ours, the rest of what is due happens all the same."""
    try:
        action(*due)
    except Exception:
        log.exception("what was due has failed")


def _nothing(_: float) -> None:
    """Do nothing."""
