"""A store for tests that fails when it is told to, as on a disk that is full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lobby.store import MatchRow, StoreFailed
from lobby.store.memory import MemoryStore


class FailingStore(MemoryStore):
    """A store of which the function that `failing` names fails, and from then on every commit."""

    failing = ""

    def commit(self) -> None:
        self._fail_if("commit")

    def retain(self, *, ended_before: float) -> bool:
        self._fail_if("retain")
        return super().retain(ended_before=ended_before)

    def matches(self, **filters: Any) -> Sequence[MatchRow]:
        self._fail_if("matches")
        return super().matches(**filters)

    def _fail_if(self, function: str) -> None:
        if self.failing == function:
            self.failing = "commit"
            raise StoreFailed("lobby.db cannot be written: the disk is full")
