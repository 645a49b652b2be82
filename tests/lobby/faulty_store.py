"""A store whose disk fails when a test wants it to."""

from __future__ import annotations

from lobby.store.sqlite import SqliteStore


class FaultyStore(SqliteStore):
    """A file store whose n-th commit fails for good; opened again, the file holds what the commits before it stored.

    Commits count from 1, those of nothing included; `fails_at` may be set while the store is in use.
    """

    def __init__(self, path: str, *, fails_at: int | None = None) -> None:
        super().__init__(path)
        self.fails_at = fails_at
        self.commits = 0

    def commit(self) -> None:
        """Commit, or fail as a full disk does."""
        self.commits += 1
        if self.commits == self.fails_at:
            self._fail(OSError("database or disk is full"))
        super().commit()
