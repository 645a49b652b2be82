"""`lobby backup`: what it can't copy, or not to there, it says in one line. What a copy holds is tested in tests/crash."""

from pathlib import Path

import pytest

from lobby.cli import main
from lobby.store.sqlite import SqliteStore


@pytest.fixture
def db(tmp_path: Path) -> str:
    path = tmp_path / "lobby.db"
    SqliteStore(str(path)).close()
    return str(path)


def test_a_copy_is_its_owners_and_is_never_written_over(db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    copy = tmp_path / "copy.db"
    assert main(["backup", str(copy), "--db", db]) == 0
    assert copy.stat().st_mode & 0o777 == 0o600
    SqliteStore(str(copy)).close()
    assert main(["backup", str(copy), "--db", db]) == 1
    assert capsys.readouterr().err == f"lobby: {copy} exists; name a file that does not\n"


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    missing, copy = tmp_path / "missing.db", tmp_path / "copy.db"
    assert main(["backup", str(copy), "--db", str(missing)]) == 1
    assert capsys.readouterr().err == f"lobby: there is no database {missing}\n"
    assert not missing.exists()
    assert not copy.exists()


def test_a_folder_that_is_not_there_is_named(db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    copy = tmp_path / "nowhere" / "copy.db"
    assert main(["backup", str(copy), "--db", db]) == 1
    assert capsys.readouterr().err == f"lobby: cannot write {copy}: No such file or directory\n"
