"""Time for tests: it passes when it is told to."""

from __future__ import annotations


class FakeClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: float = 0.0, wall: float = 1_800_000_000.0) -> None:
        self.seconds = now
        self.date = wall

    def now(self) -> float:
        return self.seconds

    def wall(self) -> float:
        return self.date

    def excuse(self, seconds: float) -> float:
        return 0.0

    def move(self, to: float) -> None:
        self.date += to - self.seconds
        self.seconds = to


def creeping(clock: FakeClock) -> float:
    """Return a reading a little later than the one before, as a real clock does; to be put in the place of `now`."""
    clock.seconds += 1e-6
    return clock.seconds
