"""Reading a database file: the half of the store that a server and the tools beside it share. It never writes."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from msgspec import msgpack
from msgspec.structs import replace

from lobby.store import MatchRow, Row, RowT, StoreFailed, Wall
from lobby.store.schema import MIGRATIONS, version_of

JOURNAL_PAGE: Final = 2000
ROWS_PAGE: Final = 200


class SqliteReader:
    """Reads what is committed, also while a server has the file; each call sees what is there by then."""

    def __init__(self, db: sqlite3.Connection, path: str) -> None:
        self._db = db
        self._path = path

    @classmethod
    def open(cls, path: str) -> SqliteReader:
        """Open a database for reading only. Raise `StoreFailed` where it is missing or this lobby can't read it."""
        if not os.path.isfile(path):
            raise StoreFailed(f"there is no database {path}")
        try:
            db = _connect_to_read(path)
            try:
                _check_version(db, path)
            except BaseException:
                db.close()
                raise
        except sqlite3.Error as error:
            raise StoreFailed(f"cannot read {path}: {error}") from error
        return cls(db, path)

    def copy(self, path: str) -> None:
        """Write all that is committed into a new file, which only its owner can read.

        Raise `FileExistsError` or another `OSError` where it can't be made, `StoreFailed` where it can't be filled.
        """
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            self._db.execute("VACUUM INTO ?", (path,))
        except sqlite3.Error as error:
            os.unlink(path)
            raise StoreFailed(f"cannot copy {self._path} to {path}: {error}") from error

    def rows(self, kind: type[RowT]) -> Iterator[RowT]:
        """Return all rows of a kind, by key."""
        if not self._has_table(kind):
            return
        for _, body in self._pages(f"SELECT key, body FROM row_{kind.table} WHERE key > ? ORDER BY key", ROWS_PAGE):
            yield msgpack.decode(body, type=kind)

    def live_matches(self) -> Iterator[MatchRow]:
        """Return the matches that have not ended, by number."""
        live = "SELECT number, body FROM match WHERE live = 1 AND number > ? ORDER BY number"
        return (_match(body) for _, body in self._pages(live, ROWS_PAGE))

    def journal(self) -> Iterator[tuple[int, bytes]]:
        """Return `(match, entry)` of all live matches, in the order of appending."""
        live = {number for (number,) in self._query("SELECT number FROM match WHERE live = 1")}
        for _, match, entry in self._pages(
            "SELECT seq, match, entry FROM journal WHERE seq > ? ORDER BY seq", JOURNAL_PAGE
        ):
            if match in live:
                yield match, entry

    def match(self, number: int) -> MatchRow | None:
        """Return a live or ended match that is still kept."""
        found = self._query(
            "SELECT body, inputs, views FROM match LEFT JOIN match_end ON match = number WHERE number = ?", (number,)
        )
        if not found:
            return None
        body, inputs, views = found[0]
        if inputs is None:
            return _match(body)
        return replace(_match(body), inputs=inputs, views=msgpack.decode(views, type=tuple[bytes, ...]))

    def matches(
        self, *, after: int, limit: int, game: str | None = None, player: str | None = None, live: bool | None = None
    ) -> Sequence[MatchRow]:
        """Return up to `limit` matches with numbers above `after`, by number."""
        given = {"after": after, "limit": limit, "game": game, "player": player}
        return [_match(body) for (body,) in self._query(_listing(game, player, live), given)]

    def matches_of(self, session: int, *, since: Wall, limit: int) -> Sequence[MatchRow]:
        """Return the last `limit` matches of a session that ended at `since` or later, by number."""
        found = self._query(
            "SELECT body FROM (SELECT match AS found FROM match_session WHERE session = ? AND ended >= ?"
            " ORDER BY ended DESC, match DESC LIMIT ?) CROSS JOIN match ON number = found ORDER BY number",
            (session, since, limit),
        )
        return [_match(body) for (body,) in found]

    def chunk_counts(self, match: int) -> Sequence[tuple[int, ...]]:
        """Return the counts of the sealed pieces of a record, by number."""
        found = self._query("SELECT counts FROM chunk WHERE match = ? ORDER BY number", (match,))
        return [msgpack.decode(counts, type=tuple[int, ...]) for (counts,) in found]

    def chunk(self, match: int, number: int) -> bytes:
        """Return the body of one sealed piece. Raise `KeyError` where there is none."""
        found = self._query("SELECT body FROM chunk WHERE match = ? AND number = ?", (match, number))
        if not found:
            raise KeyError((match, number))
        return bytes(found[0][0])

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """See the file, inside, as it was at the first reading there, whatever a server does to it meanwhile."""
        self._query("BEGIN")
        try:
            yield
        finally:
            self._query("COMMIT")

    def close(self) -> None:
        """Let the file go."""
        self._db.close()

    def _has_table(self, kind: type[Row]) -> bool:
        return bool(self._query("SELECT 1 FROM sqlite_master WHERE name = ?", (f"row_{kind.table}",)))

    def _settle(self) -> None:
        """Bring the file up to what was written: nothing, for one who only reads."""

    def _query(self, sql: str, given: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        self._settle()
        try:
            return self._db.execute(sql, given).fetchall()
        except sqlite3.Error as error:
            raise StoreFailed(f"{self._path} cannot be read: {error}") from error

    def _pages(self, sql: str, size: int) -> Iterator[Any]:
        """Run a query page by page, as an open cursor would hold on to the log and not bear writing under it.

        The query takes one value, above which its first column, the order, is to be.
        """
        after: float | int | str = float("-inf")
        while page := self._query(f"{sql} LIMIT ?", (after, size)):
            yield from page
            after = page[-1][0]


def _match(body: bytes) -> MatchRow:
    return msgpack.decode(body, type=MatchRow)


def _listing(game: str | None, player: str | None, live: bool | None) -> str:
    """Return the query of one page of matches; one index serves each combination of filters.

    Each has `live` before the number, so where both kinds are wanted, two walks in order of number are merged.
    """
    table, number = ("match", "number") if player is None else ("match_player", "match")
    wanted = f"{number} > :after"
    if game is not None:
        wanted += " AND game = :game"
    if player is not None:
        wanted += " AND name = :player"
    flags = (0, 1) if live is None else (int(live),)
    walks = " UNION ALL ".join(
        f"SELECT {number} AS found FROM {table} WHERE live = {flag} AND {wanted}" for flag in flags
    )
    return f"SELECT body FROM ({walks} ORDER BY found LIMIT :limit) CROSS JOIN match ON number = found ORDER BY number"


def _check_version(db: sqlite3.Connection, path: str) -> None:
    version = version_of(db, path)
    if version < len(MIGRATIONS):
        raise StoreFailed(
            f"{path} is empty or from an older lobby; start the server on it once, and it is brought up to date"
        )


def _connect_to_read(path: str) -> sqlite3.Connection:
    uri = f"{Path(path).absolute().as_uri()}?mode=ro"
    db = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        db.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        # Where nothing may be created beside the file. Without a log nobody is writing, so it can be read as it is.
        if os.path.exists(f"{path}-wal"):
            raise
        db = sqlite3.connect(f"{uri}&immutable=1", uri=True, isolation_level=None)
    except sqlite3.DatabaseError:
        pass  # what it is instead, is said by whoever looks at its version
    return db
