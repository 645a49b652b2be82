"""Choosing a store by its path: the one place that knows all of them."""

from __future__ import annotations

from lobby.store import Store
from lobby.store.memory import MemoryStore
from lobby.store.sqlite import SqliteStore

MEMORY = ":memory:"


def open_store(path: str, *, durability: str) -> Store:
    """Open the store at a path, `":memory:"` for one that forgets. `durability` is "process" or "power".

    Raise `StoreFailed` where it can't be opened; its directory must exist.
    """
    return MemoryStore() if path == MEMORY else SqliteStore(path, durability=durability)
