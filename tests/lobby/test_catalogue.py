"""Finding games: those that load are served, whatever else is installed beside them."""

import sys
from pathlib import Path

import pytest
from installed import install
from msgspec import json
from structlog.testing import capture_logs
from wrecks import NAMES

from lobby.catalogue import Catalogue
from protocol.errors import ProtocolError

MODULES = {
    "fails_to_import": "import nowhere_at_all\n",
    "is_no_python": "def (:\n",
    "exits": "raise SystemExit(1)\n",
    "never_ends_recursion": "def f(): f()\nf()\n",
}
GAMES = (
    {name: f"{name}:Game" for name in MODULES} | {name: f"wrecks:{name}" for name in NAMES} | {"whole": "wrecks:Whole"}
)


def others() -> set[str]:
    """Return the games that are installed where the tests run."""
    return set(Catalogue.installed())


def test_every_game_that_does_not_load_is_logged_and_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    before = others()
    install(tmp_path, "wreckage", games=GAMES, modules=MODULES)
    monkeypatch.syspath_prepend(str(tmp_path))
    with capture_logs() as log:
        catalogue = Catalogue.installed()
    assert set(catalogue) == before | {"whole"}
    assert {entry["entry_point"] for entry in log} == {f"{name} = {GAMES[name]}" for name in GAMES if name != "whole"}
    assert {(entry["event"], entry["log_level"]) for entry in log} == {
        ("a game was left out: it does not load", "error")
    }
    assert json.decode(catalogue.listing("whole"))["summary"] == "Nothing wrong."


def test_of_two_games_of_one_name_the_same_is_served_every_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    install(tmp_path, "one", games={"whole": "wrecks:Whole"})
    install(tmp_path, "another", games={"whole": "another:Whole"}, modules={"another": "from wrecks import Whole\n"})
    monkeypatch.syspath_prepend(str(tmp_path))
    with capture_logs() as log:
        catalogue = Catalogue.installed()
    assert [entry["entry_point"] for entry in log] == ["whole = wrecks:Whole"]
    assert "whole" in set(catalogue)


def test_what_a_game_prints_does_not_reach_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    source = "from wrecks import Whole\nprint('hello')\n"
    install(tmp_path, "talkative", games={"whole": "talkative:Whole"}, modules={"talkative": source})
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "talkative", raising=False)
    assert "whole" in set(Catalogue.installed())
    assert "hello" not in capsys.readouterr().out


def test_a_game_that_is_not_there_is_answered_with_those_that_are():
    with pytest.raises(ProtocolError, match=r"there is no game chess\. This server has: "):
        Catalogue(()).engine("chess")
