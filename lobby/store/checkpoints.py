"""Checkpoints: moving what was committed from the write-ahead log into the database, off the event loop.

A thread with a connection of its own does it, and never keeps the writer waiting. But SQLite begins the log anew only
where a transaction finds all of it moved, and a writer that commits all the time never does. So once the log has
outgrown `FULL`, the thread moves all but the last bit, and asks the writer to move that itself. The file keeps its size
then: to cut it would take the writer as long as many commits. That waits until little is written.
"""

from __future__ import annotations

import os
import sqlite3
from threading import Event, Thread
from typing import Final

import structlog

DUE: Final = 4 << 20
"""The bytes of log from which a checkpoint is worth its syncs."""

FULL: Final = 64 << 20
"""The bytes of log from which the writer has to help."""

BIT: Final = 100
ROUNDS: Final = 8
"""The thread goes on until a round had only `BIT` pages to move, but not for ever where the writer is faster."""

PAGE: Final = 4096 + 24
"""The bytes of a page in the log."""

EVERY: Final = 0.5
"""Seconds between two looks at the size of the log."""

log = structlog.get_logger()


class Checkpoints:
    """Keeps the write-ahead log of one database small, from `start` to `stop`.

    `overdue` asks the writer to call `begin_anew` between two transactions.
    """

    def __init__(self, path: str, *, due: int = DUE, full: int = FULL, every: float = EVERY) -> None:
        self._path = path
        self._due = due
        self._full = full
        self._every = every
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="checkpoints", daemon=True)
        self._trouble: str | None = None
        self.overdue = False

    def start(self) -> None:
        """Begin to look after the log."""
        self._thread.start()

    def stop(self) -> None:
        """Return when the thread has ended and its connection is closed."""
        self._stopped.set()
        self._thread.join()

    def check(self, db: sqlite3.Connection) -> None:
        """Checkpoint where it is due; for a connection that the writer does not use."""
        try:
            if os.stat(f"{self._path}-wal").st_size > self._due:
                self._tend(db)
            self._trouble = None
        except (sqlite3.Error, OSError) as error:
            self._report(error)

    def begin_anew(self, db: sqlite3.Connection) -> None:
        """Move the last bit through the writer's connection, so that its next transaction begins the log anew.

        Where a reader still needs the log, nothing is waited for, and the thread will ask again.
        """
        self.overdue = False
        try:
            (patience,) = db.execute("PRAGMA busy_timeout").fetchone()
            db.execute("PRAGMA busy_timeout = 0")
            try:
                db.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
            finally:  # or the next commit would fail where it only has to wait
                db.execute(f"PRAGMA busy_timeout = {patience}")
        except sqlite3.Error as error:
            self._report(error)

    def _run(self) -> None:
        db = sqlite3.connect(self._path, isolation_level=None, timeout=0)
        try:
            while not self._stopped.wait(self._every):
                self.check(db)
        finally:
            db.close()

    def _tend(self, db: sqlite3.Connection) -> None:
        pages, complete = _move(db)
        if pages * PAGE > self._full:
            self.overdue = complete and _move_most(db, pages)
        elif complete and pages <= BIT:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def _report(self, error: Exception) -> None:
        """Say once what is wrong. The log still holds everything; where its disk fails too, the writer finds out."""
        if str(error) != self._trouble:
            log.warning("checkpoint_failed", error=str(error))
        self._trouble = str(error)


def _move(db: sqlite3.Connection) -> tuple[int, bool]:
    """Move what can be moved. Return the pages in the log, and whether no reader kept some of them there."""
    _, pages, moved = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return pages, moved == pages


def _move_most(db: sqlite3.Connection, before: int) -> bool:
    """Move pages in shorter and shorter rounds. Return whether no reader kept the last of them in the log."""
    for _ in range(ROUNDS):
        pages, complete = _move(db)
        if not complete:
            return False
        if pages - before <= BIT:
            break
        before = pages
    return True
