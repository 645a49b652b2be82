"""A file goes forward version by version, all the way or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from lobby.store.schema import APPLICATION_ID, MIGRATIONS, Migration, migrate, version_of

SECOND: Migration = ("ALTER TABLE match ADD COLUMN note TEXT", "UPDATE match SET note = 'second'")


def third(db: sqlite3.Connection) -> None:
    db.execute("UPDATE match SET note = note || ' third'")


def failing(db: sqlite3.Connection) -> None:
    raise sqlite3.OperationalError("the disk is full")


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:", isolation_level=None)
    migrate(db, 0)
    db.execute("INSERT INTO match VALUES (1, 'chess', 1, NULL, x'')")
    yield db
    db.close()


def test_a_new_file_has_the_newest_version_and_the_mark(db: sqlite3.Connection) -> None:
    assert version_of(db, "some.db") == len(MIGRATIONS)
    assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def test_the_first_version_stays_as_it_was_released(db: sqlite3.Connection) -> None:
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    assert tables == ["chunk", "journal", "match", "match_end", "match_player", "match_session"]


def test_each_missing_step_is_taken_once_in_order(db: sqlite3.Connection) -> None:
    steps = (*MIGRATIONS, SECOND, (third,))
    migrate(db, 1, steps)
    assert db.execute("SELECT note FROM match").fetchall() == [("second third",)]
    assert db.execute("PRAGMA user_version").fetchone() == (3,)
    migrate(db, 3, steps)
    assert db.execute("SELECT note FROM match").fetchall() == [("second third",)]


def test_a_step_that_fails_takes_the_others_back(db: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.OperationalError):
        migrate(db, 1, (*MIGRATIONS, SECOND, (failing,)))
    db.rollback()
    assert db.execute("PRAGMA user_version").fetchone() == (1,)
    assert "note" not in [column[1] for column in db.execute("PRAGMA table_info(match)")]
