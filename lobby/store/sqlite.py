"""The store in one SQLite file: writing, on top of what `reader` reads.

Writes wait in lists until something reads or `commit` comes, then go to the file in one transaction. The event loop
pays for that transaction and no more: checkpoints have a thread of their own.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from typing import Any, Final, NoReturn

from msgspec import msgpack
from msgspec.structs import replace

from lobby.store import Chunk, MatchRow, Row, StoreFailed, Wall
from lobby.store.checkpoints import Checkpoints
from lobby.store.lock import claim, release
from lobby.store.reader import SqliteReader
from lobby.store.schema import MIGRATIONS, migrate, version_of
from lobby.store.sweep import Sweep

SYNCHRONOUS: Final = {"process": "NORMAL", "power": "FULL"}
PATIENCE: Final = 30.0
"""Seconds to wait for a foreign writer before giving up; our own checkpoints take milliseconds at the very most."""

RETAIN_MATCHES: Final = 20
RETAIN_CHUNKS: Final = 100
"""What one slice of retention removes at most, a last match's chunks excepted."""

TOGETHER: Final = 64
"""Inputs that one statement appends at most: together they take two thirds of the time."""

APPEND: Final = [
    f"INSERT INTO journal (match, entry) VALUES {', '.join(['(?, ?)'] * size)}" for size in range(TOGETHER + 1)
]


class SqliteStore(SqliteReader):
    """The store of one server; a second one on the same file is refused."""

    def __init__(self, path: str, *, durability: str = "process") -> None:
        """Open or create the file; its directory must exist. `durability` says whose end a commit survives.

        Raise `StoreFailed` where the file is in use, is not ours, is from a newer lobby, or can't be written.
        """
        path = os.path.realpath(path)
        if not os.path.isdir(os.path.dirname(path)):
            raise StoreFailed(f"cannot create {path}: there is no such directory")
        if os.path.isdir(path):
            raise StoreFailed(f"{path} is a directory; name a file in it, such as {os.path.join(path, 'lobby.db')}")
        self._lock = claim(path)
        try:
            super().__init__(_open(path, SYNCHRONOUS[durability]), path)
        except BaseException:
            release(self._lock)
            raise
        self._entries: list[int | bytes] = []  # match, entry, match, entry, ...
        self._writes: list[tuple[str, tuple[Any, ...]]] = []  # statements and their values, in order
        self._kinds: set[str] = set()  # of rows whose table is there
        self._sweep = Sweep()
        self._failure: str | None = None
        self._closed = False
        self._checkpoints = Checkpoints(path)
        self._checkpoints.start()

    def put(self, row: Row) -> None:
        """Insert a row, or replace the one with its key."""
        if row.table not in self._kinds:
            key = "key INTEGER PRIMARY KEY" if isinstance(row.key, int) else "key PRIMARY KEY NOT NULL"
            self._write(f"CREATE TABLE IF NOT EXISTS row_{row.table} ({key}, body BLOB NOT NULL)")
            self._kinds.add(row.table)
        self._write(f"INSERT OR REPLACE INTO row_{row.table} VALUES (?, ?)", row.key, msgpack.encode(row))

    def drop(self, kind: type[Row], key: int | str) -> None:
        """Remove a row, where it exists."""
        if self._has_table(kind):
            self._write(f"DELETE FROM row_{kind.table} WHERE key = ?", key)

    def open_match(self, row: MatchRow) -> None:
        """Begin a match."""
        self._write("INSERT INTO match VALUES (?, ?, 1, NULL, ?)", row.match, row.game, msgpack.encode(row))
        for name in set(row.players):
            self._write("INSERT INTO match_player VALUES (?, 1, ?, ?)", name, row.match, row.game)

    def append(self, match: int, entry: bytes) -> None:
        """Add an input to the journal of a live match."""
        self._entries += (match, entry)

    def seal(self, match: int, number: int, chunk: Chunk) -> None:
        """Keep a piece of a record."""
        counts = msgpack.encode(chunk.counts)
        self._write("INSERT OR REPLACE INTO chunk VALUES (?, ?, ?, ?)", match, number, counts, chunk.body)

    def close_match(self, row: MatchRow) -> None:
        """Replace the row of a live match by its ended one."""
        body = msgpack.encode(replace(row, inputs=b"", views=()))
        self._write("UPDATE match SET live = 0, ended = ?, body = ? WHERE number = ?", row.ended, body, row.match)
        self._write("INSERT INTO match_end VALUES (?, ?, ?)", row.match, row.inputs, msgpack.encode(row.views))
        for name in set(row.players):
            self._write("UPDATE match_player SET live = 0 WHERE name = ? AND live = 1 AND match = ?", name, row.match)
        for session in set(row.sessions):
            self._write("INSERT INTO match_session VALUES (?, ?, ?)", session, row.ended, row.match)
        self._sweep.ended(len(row.inputs))

    def commit(self) -> None:
        """Make everything written since the last commit durable. Raise `StoreFailed` where it can't."""
        self._settle()
        if self._db.in_transaction:
            try:
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                self._fail(error)
            if self._checkpoints.overdue:
                self._checkpoints.begin_anew(self._db)

    def retain(self, *, ended_before: Wall) -> bool:
        """Remove a bounded slice of what is no longer needed. Return whether there is more to remove now."""
        more = self._retain_matches(ended_before)
        if self._sweep.due:
            self._settle()
            try:
                self._begin()
                more |= self._sweep.slice(self._db)
            except sqlite3.Error as error:
                self._fail(error)
        return more

    def close(self) -> None:
        """Commit, and let the file go; after a failure only the latter."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._failure is None:
                self.commit()
        finally:
            self._failure = self._failure or f"{self._path} is closed"  # a turn of the loop may still end
            self._checkpoints.stop()
            with suppress(sqlite3.Error):
                self._db.close()
            release(self._lock)

    def _write(self, sql: str, *values: Any) -> None:
        self._writes.append((sql, values))

    def _has_table(self, kind: type[Row]) -> bool:
        if kind.table not in self._kinds and super()._has_table(kind):
            self._kinds.add(kind.table)
        return kind.table in self._kinds

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")

    def _settle(self) -> None:
        """Bring what was written into the transaction, which is begun where there is none."""
        if self._failure is not None:
            raise StoreFailed(self._failure)
        if not self._entries and not self._writes:
            return
        try:
            self._begin()
            for sql, values in self._writes:
                self._db.execute(sql, values)
            for start in range(0, len(self._entries), 2 * TOGETHER):
                entries = self._entries[start : start + 2 * TOGETHER]
                self._db.execute(APPEND[len(entries) // 2], entries)
        except (sqlite3.Error, ValueError, OverflowError) as error:
            self._fail(error)
        self._writes.clear()
        self._entries.clear()

    def _fail(self, error: Exception) -> NoReturn:
        """Write no more, as memory and disk have parted; the open transaction ends with its connection."""
        self._failure = f"{self._path} cannot be written: {error}"
        raise StoreFailed(self._failure) from error

    def _retain_matches(self, ended_before: Wall) -> bool:
        old = self._query(
            "SELECT body FROM match WHERE ended < ? ORDER BY ended LIMIT ?", (ended_before, RETAIN_MATCHES + 1)
        )
        chunks = 0
        for (body,) in old[:RETAIN_MATCHES]:
            if chunks >= RETAIN_CHUNKS:
                return True
            row = msgpack.decode(body, type=MatchRow)
            chunks += len(self.chunk_counts(row.match))
            self._forget(row)
        return len(old) > RETAIN_MATCHES

    def _forget(self, row: MatchRow) -> None:
        self._write("DELETE FROM match WHERE number = ?", row.match)
        self._write("DELETE FROM match_end WHERE match = ?", row.match)
        self._write("DELETE FROM chunk WHERE match = ?", row.match)
        for name in set(row.players):
            self._write("DELETE FROM match_player WHERE name = ? AND live = 0 AND match = ?", name, row.match)
        for session in set(row.sessions):
            self._write(
                "DELETE FROM match_session WHERE session = ? AND ended = ? AND match = ?", session, row.ended, row.match
            )


def _open(path: str, synchronous: str) -> sqlite3.Connection:
    try:
        _create(path)
        db = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE)
        try:
            version = version_of(db, path)
            _configure(db, path, synchronous)
            migrate(db, version)
            db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")  # a file or disk that takes no write is refused now
        except BaseException:
            db.close()
            raise
    except OSError as error:
        raise StoreFailed(f"cannot create {path}: {error.strerror}") from error
    except sqlite3.Error as error:
        raise StoreFailed(f"cannot open {path}: {error}") from error
    return db


def _create(path: str) -> None:
    """Create an empty file that only its owner can read: what the server keeps is nobody else's business."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _configure(db: sqlite3.Connection, path: str, synchronous: str) -> None:
    if db.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
        raise StoreFailed(f"cannot open {path}: its file system has no shared memory, which the write-ahead log needs")
    db.execute(f"PRAGMA synchronous = {synchronous}")
    db.execute(f"PRAGMA fullfsync = {synchronous == 'FULL'}")  # where the system's own fsync stops short of the disk
    db.execute("PRAGMA wal_autocheckpoint = 0")
    db.execute("PRAGMA cache_size = -8192")
