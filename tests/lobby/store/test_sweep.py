"""The walk that removes stale journal entries: all of them go, and its cost is bounded by what is appended."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from lobby.store.schema import migrate
from lobby.store.sweep import SLICE, WORTH_A_WALK, Sweep

ENTRY = b"x" * 100


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:", isolation_level=None)
    migrate(db, 0)
    yield db
    db.close()


def begin(db: sqlite3.Connection, match: int, entries: int = 0) -> None:
    db.execute("INSERT INTO match VALUES (?, 'chess', 1, NULL, x'')", (match,))
    append(db, match, entries)


def append(db: sqlite3.Connection, match: int, entries: int) -> None:
    db.executemany("INSERT INTO journal (match, entry) VALUES (?, ?)", [(match, ENTRY)] * entries)


def end(db: sqlite3.Connection, sweep: Sweep, match: int) -> None:
    db.execute("UPDATE match SET live = 0 WHERE number = ?", (match,))
    (size,) = db.execute("SELECT coalesce(sum(length(entry)), 0) FROM journal WHERE match = ?", (match,)).fetchone()
    sweep.ended(size)


def walk(db: sqlite3.Connection, sweep: Sweep) -> int:
    """Do what is due, and return in how many slices."""
    slices = 0
    while sweep.due:
        sweep.slice(db)
        slices += 1
        assert slices < 10_000
    return slices


def left(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """Return how many entries of each match are left."""
    return db.execute("SELECT match, count(*) FROM journal GROUP BY match ORDER BY match").fetchall()


def test_the_first_walk_finds_what_an_earlier_server_left(db: sqlite3.Connection) -> None:
    begin(db, 1, 10)
    begin(db, 2, 10)
    append(db, 3, 10)
    append(db, 1, 5)
    db.execute("UPDATE match SET live = 0 WHERE number = 2")
    sweep = Sweep()
    walk(db, sweep)
    assert left(db) == [(1, 15)]
    assert not sweep.due


def test_a_slice_is_bounded(db: sqlite3.Connection) -> None:
    append(db, 1, 10 * SLICE)
    sweep = Sweep()
    for done in range(1, 11):
        assert sweep.slice(db)
        assert left(db) == ([(1, (10 - done) * SLICE)] if done < 10 else [])
    assert not sweep.slice(db)


def test_a_few_stale_entries_are_not_worth_a_walk(db: sqlite3.Connection) -> None:
    sweep = Sweep()
    walk(db, sweep)
    begin(db, 1, WORTH_A_WALK // len(ENTRY) - 1)
    end(db, sweep, 1)
    assert not sweep.due
    begin(db, 2, 10)
    end(db, sweep, 2)
    assert sweep.due
    walk(db, sweep)
    assert left(db) == []


def test_entries_of_long_matches_are_not_walked_over_again_and_again(db: sqlite3.Connection) -> None:
    sweep = Sweep()
    long = 5 * SLICE
    begin(db, 1, long)
    short = 1000
    slices = 0
    for match in range(2, 102):
        begin(db, match, short)
        end(db, sweep, match)
        slices += walk(db, sweep)
        assert sum(count for _, count in left(db)) <= 2 * long + short
    appended = long + 100 * short
    assert slices * SLICE <= 3 * appended


def test_appending_goes_on_while_a_walk_does(db: sqlite3.Connection) -> None:
    begin(db, 1, SLICE)
    append(db, 2, 3 * SLICE)
    sweep = Sweep()
    while sweep.slice(db):
        append(db, 1, SLICE // 2)
    assert {match for match, _ in left(db)} == {1}
    assert not sweep.due
