"""Removing the journal entries of ended matches: when that is worth a walk, and the walk, a slice at a time."""

from __future__ import annotations

import sqlite3
from typing import Final

SLICE: Final = 2000
WORTH_A_WALK: Final = 1 << 16
"""The bytes of stale entries that are simply left where they are."""

STALE: Final = "NOT EXISTS (SELECT 1 FROM match WHERE match.number = journal.match AND match.live = 1)"


class Sweep:
    """Walks the journal of one database, whenever there is as much to remove as the last walk had to keep.

    So an entry is looked at about twice, however long its match lives, and the journal stays within twice its need.
    """

    def __init__(self) -> None:
        self._stale = WORTH_A_WALK  # bytes; what an earlier server left is found by a first walk
        self._kept = 0  # bytes that the last walk kept
        self._keeping = 0  # the same of the walk under way
        self._done = 0  # its place in the journal
        self._last: int | None = None  # where it is to end; None: no walk is under way

    def ended(self, size: int) -> None:
        """Take note that a match ended whose entries have this many bytes."""
        self._stale += size

    def slice(self, db: sqlite3.Connection) -> bool:
        """Do the next few entries, in the transaction that is open. Return whether the walk goes on."""
        if self._last is None:
            self._begin(db)
        upto = self._reach(db)
        if upto is None:
            self._kept, self._last = self._keeping, None
            return False
        span = (self._done, upto)
        db.execute(f"DELETE FROM journal WHERE seq > ? AND seq <= ? AND {STALE}", span)
        self._keeping += db.execute(
            "SELECT coalesce(sum(length(entry)), 0) FROM journal WHERE seq > ? AND seq <= ?", span
        ).fetchone()[0]
        self._done = upto
        return True

    @property
    def due(self) -> bool:
        """Whether there is anything to do."""
        return self._last is not None or self._stale >= max(self._kept, WORTH_A_WALK)

    def _begin(self, db: sqlite3.Connection) -> None:
        self._stale = self._keeping = self._done = 0
        self._last = db.execute("SELECT coalesce(max(seq), 0) FROM journal").fetchone()[0]

    def _reach(self, db: sqlite3.Connection) -> int | None:
        """Return where the next slice ends, `None` at the end of the walk."""
        found: int | None = db.execute(
            "SELECT max(seq) FROM (SELECT seq FROM journal WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?)",
            (self._done, self._last, SLICE),
        ).fetchone()[0]
        return found
