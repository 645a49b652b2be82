"""The tick: what one turn of the event loop produced is stored in one transaction, and only then written to sockets.

So nothing that a client has seen can be lost, and disk and sockets are paid for once a turn, not once a line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from lobby.store import Store, StoreFailed


class Flushable(Protocol):
    """Something with output that waits for the commit."""

    def flush(self) -> None:
        """Write what has gathered."""


class Tick:
    """Gathers what is to be written, and ends the turn: commit, then flush."""

    def __init__(
        self, store: Store, soon: Callable[[Callable[[], None]], object], failed: Callable[[StoreFailed], None]
    ) -> None:
        self._store = store
        self._soon = soon
        self._failed = failed
        self._waiting: list[Flushable] = []
        self._due = False

    def touch(self, outbox: Flushable) -> None:
        """Flush this outbox at the end of the turn."""
        self._waiting.append(outbox)
        self.wake()

    def wake(self) -> None:
        """End the turn, output or none: something may be there to store."""
        if not self._due:
            self._due = True
            self._soon(self.end)

    def end(self) -> None:
        """End the turn. Where the store fails nothing is written: nothing leaves before what it follows from is stored."""
        self._due = False
        waiting, self._waiting = self._waiting, []
        try:
            self._store.commit()
            for outbox in waiting:  # whose replays read from the store
                outbox.flush()
        except StoreFailed as failure:
            self._failed(failure)
