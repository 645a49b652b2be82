"""The layout of the database file: its mark, its version, and the steps from each version to the next.

A step that was released is never changed: a new layout is a new step at the end of `MIGRATIONS`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Final

from lobby.store import StoreFailed

APPLICATION_ID: Final = int.from_bytes(b"LBBY", "big")

Migration = tuple[str | Callable[[sqlite3.Connection], None], ...]
"""What brings a file to the next version: SQL statements, and functions where SQL is not enough."""

FIRST: Final[Migration] = (
    # Only ever appended to, and without an index by match: that would dirty a page for each match at every commit.
    "CREATE TABLE journal (seq INTEGER PRIMARY KEY, match INTEGER NOT NULL, entry BLOB NOT NULL)",
    # What a list shows; `match_end` holds the bulk. The number stands at the end of each index of `match` by itself.
    "CREATE TABLE match (number INTEGER PRIMARY KEY, game TEXT NOT NULL, live INTEGER NOT NULL, ended REAL,"
    " body BLOB NOT NULL)",
    "CREATE INDEX match_by_live ON match (live)",
    "CREATE INDEX match_by_game ON match (game, live)",
    "CREATE INDEX match_by_end ON match (ended) WHERE ended IS NOT NULL",
    "CREATE TABLE match_end (match INTEGER PRIMARY KEY, inputs BLOB NOT NULL, views BLOB NOT NULL)",
    "CREATE TABLE match_player (name TEXT, live INTEGER, match INTEGER, game TEXT NOT NULL,"
    " PRIMARY KEY (name, live, match)) WITHOUT ROWID",
    "CREATE INDEX match_player_by_game ON match_player (name, game, live, match)",
    "CREATE TABLE match_session (session INTEGER, ended REAL, match INTEGER,"
    " PRIMARY KEY (session, ended, match)) WITHOUT ROWID",
    "CREATE TABLE chunk (match INTEGER NOT NULL, number INTEGER NOT NULL, counts BLOB NOT NULL, body BLOB NOT NULL,"
    " UNIQUE (match, number))",
)

MIGRATIONS: Final[tuple[Migration, ...]] = (FIRST,)


def version_of(db: sqlite3.Connection, path: str) -> int:
    """Return the version of a file's layout, 0 where it is empty, and change nothing.

    Raise `StoreFailed` where it is no file of ours or one from a newer lobby.
    """
    try:
        mark, version, filled = db.execute(
            "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),"
            " EXISTS (SELECT 1 FROM sqlite_master)"
        ).fetchone()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise StoreFailed(f"{path} is not a database of lobby's") from error
        raise
    if mark != APPLICATION_ID and (mark or version or filled):
        raise StoreFailed(f"{path} is not a database of lobby's but another application's")
    if version > len(MIGRATIONS):
        raise StoreFailed(f"{path} is from a newer lobby: it has version {version}, this lobby knows {len(MIGRATIONS)}")
    return int(version)


def migrate(db: sqlite3.Connection, version: int, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring a file from a version to the newest, in one transaction."""
    if version == len(migrations):
        return
    db.execute("BEGIN IMMEDIATE")
    for migration in migrations[version:]:
        for step in migration:
            if callable(step):
                step(db)
            else:
                db.execute(step)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {len(migrations)}")
    db.execute("COMMIT")
