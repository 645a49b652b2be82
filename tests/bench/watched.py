"""`lobby serve`, with a watch on its event loop: how long each turn of it was, from the end of one wait to the next.

    python watched.py FIGURES serve ...

Between two signals `SIGUSR1` the turns are counted; at the second the figures go to the file FIGURES, one turn a line: the
microseconds by the clock, and those that the processor spent on it.
"""

from __future__ import annotations

import selectors
import signal
import sys
import time
from array import array
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))


class Watch:
    """What was measured so far."""

    def __init__(self, figures: Path) -> None:
        self._figures = figures
        self._clock, self._processor = array("d"), array("d")
        self.on = False

    def add(self, clock: float, processor: float) -> None:
        """Take note of a turn."""
        self._clock.append(clock)
        self._processor.append(processor)

    def turn(self, *_: Any) -> None:
        """Begin to count, or write the figures."""
        self.on = not self.on
        if not self.on:
            turns = zip(self._clock, self._processor, strict=True)
            lines = "".join(f"{1e6 * clock:.0f} {1e6 * processor:.0f}\n" for clock, processor in turns)
            self._figures.with_suffix(".part").write_text(lines)
            self._figures.with_suffix(".part").rename(self._figures)


def watched(watch: Watch) -> type[selectors.BaseSelector]:
    """Return a selector that times what happens between its waits."""

    class Watched(selectors.DefaultSelector):  # type: ignore[valid-type, misc]
        began: tuple[float, float] | None = None

        def select(self, timeout: float | None = None) -> Any:
            if watch.on and self.began is not None:
                watch.add(time.perf_counter() - self.began[0], time.thread_time() - self.began[1])
            events = super().select(timeout)
            self.began = (time.perf_counter(), time.thread_time()) if watch.on else None
            return events

    return Watched


def main() -> int:
    watch = Watch(Path(sys.argv[1]))
    selectors.DefaultSelector = watched(watch)  # type: ignore[misc, assignment]
    signal.signal(signal.SIGUSR1, watch.turn)
    from lobby.cli import main as lobby

    return lobby(sys.argv[2:])


if __name__ == "__main__":
    raise SystemExit(main())
