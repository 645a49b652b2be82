"""The write-ahead log stays small, whoever reads and however busily the server writes."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import enumerate as enumerate_threads

import pytest
from structlog.testing import capture_logs

from lobby.store.checkpoints import DUE, Checkpoints

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "some.db")


@pytest.fixture
def writer(path: str) -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA wal_autocheckpoint = 0")
    db.execute("CREATE TABLE filled (body BLOB)")
    yield db
    db.close()


@pytest.fixture
def other(path: str, writer: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(path, isolation_level=None, timeout=0)
    yield db
    db.close()


def write(db: sqlite3.Connection, pages: int) -> None:
    db.execute("INSERT INTO filled VALUES (zeroblob(?))", (pages * PAGE,))


def wal(path: str) -> int:
    return os.stat(path + "-wal").st_size


def pages(path: str) -> int:
    return os.stat(path).st_size // PAGE


def log_after_a_write(db: sqlite3.Connection) -> int:
    """Write a little, and return how many pages the log then holds."""
    write(db, 1)
    return int(db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1])


def test_a_small_log_is_left_alone(path: str, writer: sqlite3.Connection, other: sqlite3.Connection) -> None:
    write(writer, 50)
    Checkpoints(path).check(other)
    assert pages(path) < 50


def test_a_log_that_is_due_is_moved_and_the_next_write_begins_it_anew(
    path: str, writer: sqlite3.Connection, other: sqlite3.Connection
) -> None:
    write(writer, 2000)
    assert wal(path) > DUE
    checkpoints = Checkpoints(path)
    checkpoints.check(other)
    assert pages(path) >= 2000
    assert not checkpoints.overdue
    assert log_after_a_write(writer) < 10


def test_a_writer_that_is_never_idle_is_asked_to_begin_the_log_anew(
    path: str, writer: sqlite3.Connection, other: sqlite3.Connection
) -> None:
    checkpoints = Checkpoints(path, full=DUE)
    write(writer, 2000)
    writer.execute("BEGIN IMMEDIATE")
    checkpoints.check(other)
    write(writer, 60)
    writer.execute("COMMIT")
    assert wal(path) > 2060 * PAGE, "the log went on, for this transaction began before all was moved"
    assert checkpoints.overdue
    checkpoints.begin_anew(writer)
    assert not checkpoints.overdue
    assert log_after_a_write(writer) < 10
    assert writer.execute("SELECT sum(length(body)) FROM filled").fetchone() == ((2000 + 60 + 1) * PAGE,)


def test_a_reader_keeps_the_log_and_stops_nobody(
    path: str, writer: sqlite3.Connection, other: sqlite3.Connection
) -> None:
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    seen = reader.execute("SELECT count(*) FROM filled").fetchone()
    checkpoints = Checkpoints(path, full=DUE)
    write(writer, 2000)
    checkpoints.check(other)
    assert not checkpoints.overdue
    checkpoints.begin_anew(writer)
    assert log_after_a_write(writer) > 2000
    assert reader.execute("SELECT count(*) FROM filled").fetchone() == seen
    reader.close()
    checkpoints.check(other)
    assert checkpoints.overdue
    checkpoints.begin_anew(writer)
    assert log_after_a_write(writer) < 10


def test_the_file_of_the_log_keeps_its_size_while_much_is_written_and_is_cut_when_little_is(
    path: str, writer: sqlite3.Connection, other: sqlite3.Connection
) -> None:
    checkpoints = Checkpoints(path)
    write(writer, 2000)
    size = wal(path)
    checkpoints.check(other)
    write(writer, 500)
    checkpoints.check(other)
    assert wal(path) == size
    write(writer, 1)
    checkpoints.check(other)
    assert wal(path) == 0
    assert writer.execute("SELECT count(*) FROM filled").fetchone() == (3,)


def test_a_checkpoint_during_a_transaction_disturbs_neither(
    path: str, writer: sqlite3.Connection, other: sqlite3.Connection
) -> None:
    write(writer, 2000)
    writer.execute("BEGIN IMMEDIATE")
    write(writer, 10)
    Checkpoints(path).check(other)
    writer.execute("COMMIT")
    assert pages(path) >= 2000
    assert writer.execute("SELECT count(*) FROM filled").fetchone() == (2,)


def test_trouble_is_logged_once_and_goes_no_further(path: str, other: sqlite3.Connection) -> None:
    checkpoints = Checkpoints(path + ".missing")
    with capture_logs() as logs:
        checkpoints.check(other)
        checkpoints.check(other)
    assert [line["event"] for line in logs] == ["checkpoint_failed"]


def test_the_thread_looks_after_the_log_until_it_is_stopped(path: str, writer: sqlite3.Connection) -> None:
    write(writer, 2000)
    checkpoints = Checkpoints(path, every=0.001)
    checkpoints.start()
    for _ in range(10_000_000):
        if pages(path) >= 2000:
            break
    else:
        pytest.fail("nothing was moved")
    checkpoints.stop()
    assert "checkpoints" not in {thread.name for thread in enumerate_threads()}


class Unlucky(sqlite3.Connection):
    """A connection for which no checkpoint can be made."""

    def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
        if "wal_checkpoint" in sql:
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(sql, *values)


def test_a_writer_whose_checkpoint_fails_is_as_patient_as_before(path: str, writer: sqlite3.Connection) -> None:
    db = sqlite3.connect(path, isolation_level=None, timeout=30, factory=Unlucky)
    with capture_logs() as log:
        Checkpoints(path).begin_anew(db)
    assert [entry["event"] for entry in log] == ["checkpoint_failed"]
    assert db.execute("PRAGMA busy_timeout").fetchone() == (30_000,)
    db.close()
