"""What only a file can show: what survives, who is let in, what a failing disk leaves, and what a read costs."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from lobby.store import Chunk, MatchRow, Row, StoreFailed
from lobby.store.reader import SqliteReader
from lobby.store.schema import APPLICATION_ID, MIGRATIONS
from lobby.store.sqlite import SqliteStore
from tests.lobby.faulty_store import FaultyStore

ROOT = Path(__file__).parents[3]


class Note(Row, frozen=True, kw_only=True):
    table: ClassVar[str] = "note"
    name: str


def begun(number: int, *, game: str = "chess", players: tuple[str, ...] = ("ann", "bob")) -> MatchRow:
    return MatchRow(
        match=number,
        game=game,
        version=1,
        options=b"{}",
        seed=7,
        players=players,
        sessions=(1, 2),
        began=1.0,
        origin=0.0,
    )


def ended(row: MatchRow, at: float = 2.0) -> MatchRow:
    return replace(row, ended=at, results=("WIN", "LOSS"), reason="normal", inputs=b"inputs", views=(b"{}", b"{}"))


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "lobby.db")


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own, with the project on its path."""
    prelude = "import os, resource, signal, sys\nfrom tests.lobby.store.test_sqlite_store import *\n"
    return subprocess.run(
        [sys.executable, "-c", prelude + script, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


KILLED = """
store = SqliteStore(sys.argv[1])
store.open_match(begun(1))
store.append(1, b"committed")
store.put(Note(name="committed"))
store.commit()
store.append(1, b"lost")
store.put(Note(name="lost"))
list(store.journal())
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(path: str) -> None:
    """Leave behind the file of a server that was killed between two commits."""
    assert run(KILLED, path).returncode == -signal.SIGKILL


def contents(store: SqliteReader) -> tuple[list[tuple[int, bytes]], list[str], list[int]]:
    return (
        list(store.journal()),
        [note.name for note in store.rows(Note)],
        [row.match for row in store.live_matches()],
    )


COMMITTED = ([(1, b"committed")], ["committed"], [1])


# What survives


def test_what_was_committed_survives_a_kill_and_the_rest_is_gone(path: str) -> None:
    killed(path)
    store = SqliteStore(path)
    assert contents(store) == COMMITTED
    store.append(1, b"next")
    store.close()
    store = SqliteStore(path)
    assert list(store.journal()) == [(1, b"committed"), (1, b"next")]
    store.close()


def test_closing_commits_and_leaves_one_file_and_its_lock(path: str) -> None:
    store = SqliteStore(path)
    store.put(Note(name="last words"))
    store.close()
    assert sorted(os.listdir(os.path.dirname(path))) == ["lobby.db", "lobby.db.lock"]
    store = SqliteStore(path)
    assert [note.name for note in store.rows(Note)] == ["last words"]
    store.close()


def test_only_its_owner_may_read_the_file(path: str) -> None:
    SqliteStore(path).close()
    assert os.stat(path).st_mode & 0o077 == 0


@pytest.mark.parametrize(("durability", "level"), [("process", 1), ("power", 2)])
def test_durability_chooses_whether_a_commit_waits_for_the_disk(path: str, durability: str, level: int) -> None:
    store = SqliteStore(path, durability=durability)
    assert store._db.execute("PRAGMA synchronous").fetchone() == (level,)
    assert store._db.execute("PRAGMA wal_autocheckpoint").fetchone() == (0,)
    store.close()


# Who is let in


def test_a_second_server_is_refused_until_the_first_lets_go(path: str) -> None:
    first = SqliteStore(path)
    link = path + ".link"
    os.symlink(path, link)
    for name in (path, link):
        with pytest.raises(StoreFailed, match=r"is in use by another server"):
            SqliteStore(name)
    first.put(Note(name="undisturbed"))
    first.close()
    second = SqliteStore(link)
    assert [note.name for note in second.rows(Note)] == ["undisturbed"]
    second.close()


def test_a_server_in_another_process_is_refused_too(path: str) -> None:
    store = SqliteStore(path)
    answer = run("try: SqliteStore(sys.argv[1])\nexcept StoreFailed as error: print(error)", path)
    assert answer.stdout == f"{path} is in use by another server; stop that one, or choose another file with --db\n"
    store.close()


def test_a_file_from_a_newer_lobby_is_refused_and_untouched(path: str) -> None:
    SqliteStore(path).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 4}")
    db.close()
    before = Path(path).read_bytes()
    for opening in (SqliteStore, SqliteReader.open):
        with pytest.raises(StoreFailed, match=rf"newer lobby: it has version {len(MIGRATIONS) + 4}, .* knows 1$"):
            opening(path)
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE theirs (x)", "PRAGMA application_id = 7", "PRAGMA user_version = 1"]
)
def test_the_database_of_another_application_is_refused_and_untouched(path: str, statement: str) -> None:
    with sqlite3.connect(path) as db:
        db.execute(statement)
    db.close()
    before = Path(path).read_bytes()
    for opening in (SqliteStore, SqliteReader.open):
        with pytest.raises(StoreFailed, match=r"is not a database of lobby's but another application's$"):
            opening(path)
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize("content", [b"hello", b"\0" * 10_000, b"SQLite format 3\0" + b"\xff" * 2000])
def test_a_file_that_is_no_database_is_refused_and_untouched(path: str, content: bytes) -> None:
    Path(path).write_bytes(content)
    for opening in (SqliteStore, SqliteReader.open):
        with pytest.raises(StoreFailed, match=r"is not a database of lobby's$"):
            opening(path)
    assert Path(path).read_bytes() == content


def test_an_empty_file_becomes_a_database(path: str) -> None:
    Path(path).touch()
    SqliteStore(path).close()
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    db.close()


def test_a_place_where_no_file_can_be_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "missing" / "lobby.db", tmp_path / "file" / "lobby.db", tmp_path):
        with pytest.raises(StoreFailed) as caught:
            SqliteStore(str(place))
        assert str(place) in str(caught.value)
        assert "\n" not in str(caught.value)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_or_directory_that_may_not_be_written_is_refused(path: str) -> None:
    SqliteStore(path).close()
    os.chmod(path, 0o400)
    with pytest.raises(StoreFailed, match=r"cannot open .*: attempt to write a readonly database"):
        SqliteStore(path)
    os.chmod(os.path.dirname(path), 0o500)
    with pytest.raises(StoreFailed, match="Permission denied"):
        SqliteStore(path + ".new")
    os.chmod(os.path.dirname(path), 0o700)


# Readers beside the server


def test_a_reader_sees_what_is_committed_while_the_server_runs(path: str) -> None:
    store = SqliteStore(path)
    reader = SqliteReader.open(path)
    assert contents(reader) == ([], [], [])
    store.open_match(begun(1))
    store.append(1, b"committed")
    store.put(Note(name="committed"))
    assert len(list(store.journal())) == 1
    assert contents(reader) == ([], [], []), "not yet committed"
    store.commit()
    assert contents(reader) == COMMITTED
    store.close()
    assert contents(reader) == COMMITTED
    reader.close()


def test_a_reader_finds_what_a_killed_server_committed_and_so_does_the_next_server(path: str) -> None:
    killed(path)
    for _ in range(2):
        reader = SqliteReader.open(path)
        assert contents(reader) == COMMITTED
        reader.close()
    store = SqliteStore(path)
    assert contents(store) == COMMITTED
    store.close()


def test_a_reader_can_not_write(path: str) -> None:
    SqliteStore(path).close()
    reader = SqliteReader.open(path)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader._db.execute("DELETE FROM match")
    reader.close()


def test_a_reader_says_what_it_can_not_read(path: str) -> None:
    with pytest.raises(StoreFailed, match="there is no database"):
        SqliteReader.open(path)
    assert not os.path.exists(path)
    Path(path).touch()
    with pytest.raises(StoreFailed, match="empty or from an older lobby"):
        SqliteReader.open(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_reader_reads_a_closed_file_where_it_may_write_nothing(path: str) -> None:
    store = SqliteStore(path)
    store.open_match(begun(1))
    store.close()
    os.chmod(os.path.dirname(path), 0o500)
    reader = SqliteReader.open(path)
    assert [row.match for row in reader.live_matches()] == [1]
    reader.close()
    os.chmod(os.path.dirname(path), 0o700)


# When the disk fails

FULL = """
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
store = SqliteStore(sys.argv[1])
store.open_match(begun(1))
store.commit()
number = 0
try:
    while number < 10_000:
        store.append(1, b"%d" % number)
        store.commit()
        number += 1
except StoreFailed as error:
    print(number, error, sep="|")
for _ in range(2):
    try:
        store.append(1, b"after")
        store.commit()
    except StoreFailed as error:
        print(error)
store.close()
"""


def test_a_commit_that_the_disk_refuses_says_so_and_what_came_before_is_intact(path: str) -> None:
    answer = run(FULL, path)
    assert answer.returncode == 0, answer.stderr
    failed, *again = answer.stdout.splitlines()
    number, message = failed.split("|")
    assert re.fullmatch(re.escape(path) + r" cannot be written: (disk I/O error|database or disk is full)", message)
    assert again == [message, message]
    store = SqliteStore(path)
    assert int(number) > 10
    assert [entry for _, entry in store.journal()] == [b"%d" % place for place in range(int(number))]
    store.append(1, b"repaired")
    store.commit()
    store.close()


def test_a_failed_store_answers_no_read_with_what_it_could_not_store(path: str) -> None:
    store = FaultyStore(path, fails_at=2)
    store.open_match(begun(1))
    store.commit()
    store.append(1, b"lost")
    with pytest.raises(StoreFailed, match="cannot be written"):
        store.commit()
    for use in (
        store.commit,
        lambda: store.match(1),
        lambda: list(store.journal()),
        lambda: store.retain(ended_before=0.0),
    ):
        with pytest.raises(StoreFailed, match="cannot be written"):
            use()
    store.close()
    store.close()
    after = SqliteStore(path)
    assert (after.match(1), list(after.journal())) == (begun(1), [])
    after.close()


def test_a_write_that_no_file_can_hold_fails_the_commit_and_writes_nothing(path: str) -> None:
    store = SqliteStore(path)
    store.put(Note(name="fine"))
    store.open_match(begun(2**63))
    with pytest.raises(StoreFailed):
        store.commit()
    store.close()
    store = SqliteStore(path)
    assert list(store.rows(Note)) == []
    store.close()


def test_closing_a_store_that_can_not_commit_raises_and_still_lets_go(path: str) -> None:
    store = FaultyStore(path, fails_at=1)
    store.put(Note(name="lost"))
    with pytest.raises(StoreFailed):
        store.close()
    SqliteStore(path).close()


# What a read costs

Read = Callable[[SqliteReader], Any]

READS: dict[str, Read] = {
    f"matches {game} {player} {live} after {after}": lambda store, given=(game, player, live, after): store.matches(
        game=given[0], player=given[1], live=given[2], after=given[3], limit=5
    )
    for game, player, live, after in product(
        (None, "chess", "rare"), (None, "ann", "rare"), (None, True, False), (0, 9)
    )
} | {
    "matches_of": lambda store: store.matches_of(2, since=1e6, limit=9),
    "match": lambda store: store.match(7),
    "chunk_counts": lambda store: store.chunk_counts(7),
    "chunk": lambda store: store.chunk(7, 1),
}


def crowded(path: str, size: int) -> SqliteReader:
    """Return a reader of a file with `size` matches of each of a few sorts."""
    store = SqliteStore(path)
    number = 0
    for _ in range(size):
        for game, players in (("chess", ("ann", "bob")), ("go", ("ann", "cid"))):
            store.open_match(begun(number + 1, game=game, players=players))
            store.open_match(begun(number + 2, game=game, players=players))
            store.close_match(ended(begun(number + 2, game=game, players=players)))
            for piece in range(3):
                store.seal(number + 1, piece, Chunk((1, 1, 1), b"lines" * 1000))
            number += 2
    for late in range(1, 4):
        store.open_match(begun(number + late, game="rare", players=("rare", "ann")))
    store.close_match(ended(begun(number + 3, game="rare", players=("rare", "ann")), at=1e6))
    store.close()
    return SqliteReader(sqlite3.connect(path, isolation_level=None), path)


def steps(reader: SqliteReader, read: Read) -> int:
    """Return how many steps of SQLite's machine a read takes."""
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    read(reader)
    reader._db.set_progress_handler(step, 1)
    read(reader)
    reader._db.set_progress_handler(None, 1)
    return count


def test_no_read_costs_more_where_there_is_more_that_it_leaves_out(tmp_path: Path) -> None:
    small, large = crowded(str(tmp_path / "small.db"), 10), crowded(str(tmp_path / "large.db"), 300)
    for name, read in READS.items():
        assert steps(small, read) > 0
        assert steps(large, read) <= steps(small, read) * 1.1 + 10, name
    small.close()
    large.close()


def plans(db: sqlite3.Connection, work: Callable[[], Any]) -> list[str]:
    """Return a line for each thing that SQLite plans to do for the statements of some work."""
    said: list[str] = []
    db.set_trace_callback(said.append)
    work()
    db.set_trace_callback(None)
    explained = [sql.replace("-Inf", "-9e999") for sql in said if sql.startswith(("SELECT", "DELETE", "UPDATE"))]
    return [f"{detail}   <- {sql}" for sql in explained for *_, detail in db.execute(f"EXPLAIN QUERY PLAN {sql}")]


TABLES = r"\b(journal|match|match_end|match_player|match_session|part|chunk|row_note)\b"


def test_no_read_scans_a_table_or_touches_the_bulk_of_a_match(tmp_path: Path) -> None:
    reader = crowded(str(tmp_path / "lobby.db"), 5)
    reads = READS | {
        "rows": lambda store: list(store.rows(Note)),
        "live": lambda store: list(store.live_matches()),
        "journal": lambda store: list(store.journal()),
    }
    for name, read in reads.items():
        found = plans(reader._db, partial(read, reader))
        assert found, name
        assert not [plan for plan in found if re.match("SCAN " + TABLES, plan)], name
        assert name == "match" or not [plan for plan in found if "match_end" in plan], name
    reader.close()


def test_no_write_scans_a_table(path: str) -> None:
    store = SqliteStore(path)

    def live() -> None:
        store.put(Note(name="a"))
        store.drop(Note, "a")
        store.open_match(begun(1))
        store.append(1, b"entry")
        store.seal(1, 0, Chunk((1,), b""))
        store.close_match(ended(begun(1)))
        store.commit()
        store.retain(ended_before=9.0)
        store.commit()

    found = plans(store._db, live)
    assert len([plan for plan in found if "SEARCH" in plan]) > 10
    assert not [plan for plan in found if re.match("SCAN " + TABLES, plan)]
    store.close()


def test_a_turn_that_ends_after_the_store_was_closed_is_told_so(path: str) -> None:
    store = SqliteStore(path)
    store.close()
    with pytest.raises(StoreFailed, match="is closed"):
        store.commit()
