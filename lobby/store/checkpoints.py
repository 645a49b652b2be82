"""Checkpoints: moving what was committed from the write-ahead log into the database, off the event loop.

A thread with a connection of its own does it. It writes nothing else, and keeps the writer waiting only where the log
has outgrown `FULL`, and then for the two syncs that a new beginning takes.
"""

from __future__ import annotations

import os
import sqlite3
from threading import Event, Thread
from typing import Final

import structlog

DUE: Final = 4 << 20
"""The bytes of log from which a checkpoint is worth its syncs; a log that begins anew is cut to this size."""

FULL: Final = 64 << 20
"""The bytes of log from which the writer is made to begin it anew, where it was too busy to do so by itself."""

EVERY: Final = 0.5
"""Seconds between two looks at the size of the log."""

log = structlog.get_logger()


class Checkpoints:
    """Keeps the write-ahead log of one database small, from `start` to `stop`."""

    def __init__(self, path: str, *, due: int = DUE, full: int = FULL) -> None:
        self._path = path
        self._due = due
        self._full = full
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="checkpoints", daemon=True)
        self._trouble: str | None = None

    def start(self) -> None:
        """Begin to look after the log."""
        self._thread.start()

    def stop(self) -> None:
        """Return when the thread has ended and its connection is closed."""
        self._stopped.set()
        self._thread.join()

    def check(self, db: sqlite3.Connection) -> None:
        """Checkpoint where it is due.

        Trouble is logged once and does no harm: the log still holds everything. The writer meets it in its own time.
        """
        try:
            self._checkpoint(db)
            self._trouble = None
        except (sqlite3.Error, OSError) as error:
            if str(error) != self._trouble:
                log.warning("checkpoint_failed", error=str(error))
            self._trouble = str(error)

    def connect(self) -> sqlite3.Connection:
        """Open a connection that waits for nobody."""
        return sqlite3.connect(self._path, isolation_level=None, timeout=0)

    def _run(self) -> None:
        db = self.connect()
        try:
            while not self._stopped.wait(EVERY):
                self.check(db)
        finally:
            db.close()

    def _checkpoint(self, db: sqlite3.Connection) -> None:
        size = os.stat(f"{self._path}-wal").st_size
        if size <= self._due:
            return
        _, frames, moved = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        # The writer begins the log anew when it finds all of it moved. One that commits all the time never finds that.
        if moved < frames and size > self._full:
            db.execute("PRAGMA wal_checkpoint(RESTART)")
