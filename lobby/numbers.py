"""The numbers by which things are known: each is given out once, over all lives of the server."""

from __future__ import annotations

from lobby.rows import Counter
from lobby.store import Store


class Numbers:
    """Gives out the numbers of one kind (`match`, `session`, ...), from 1 on."""

    def __init__(self, store: Store, kind: str) -> None:
        self._store = store
        self._kind = kind
        self._last = next((row.last for row in store.rows(Counter) if row.name == kind), 0)

    def take(self, count: int = 1) -> int:
        """Give out a number, or so many in a row, and return the first."""
        first = self._last + 1
        self._last += count
        self._store.put(Counter(name=self._kind, last=self._last))
        return first
