"""The conformance kit: it convicts every planted fault by the property that broke, and no game of ours."""

from __future__ import annotations

import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from installed import install
from planted import PLANTS, Plant, TwoCoins

from games.check import Property, check_game
from games.check.__main__ import main
from games.check.finding import find_games
from games.purrinha import Purrinha

PYPROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
OURS = PYPROJECT["project"]["entry-points"]["lobby.games"]


@pytest.mark.parametrize("name", OURS)
def test_every_game_of_ours_holds_for_two_thousand_matches(name: str) -> None:
    (game,) = find_games([OURS[name]]).values()
    verdict = check_game(name, game)
    assert verdict.report == ""
    assert verdict.matches == 2000


def test_a_game_of_another_shape_holds() -> None:
    assert check_game("two_coins", TwoCoins, matches=300).report == ""


@pytest.mark.parametrize("fault", PLANTS, ids=lambda fault: f"{fault.broken.name}-{fault.game.__name__}")
def test_a_planted_fault_is_convicted_by_its_property_and_shortest_history(
    fault: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.check.play.LIMIT", 1500)
    verdict = check_game("planted", fault.game, matches=300)
    assert verdict.broken is not None
    assert verdict.broken.property is fault.broken, verdict.report
    assert (None if verdict.case is None else len(verdict.case.inputs)) == fault.shortest, verdict.report


def test_there_is_a_planted_fault_for_every_property() -> None:
    assert {fault.broken for fault in PLANTS} | {Property.IMPORTS} == set(Property)


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("import time", False),
        ("from os import environ", False),
        ("import random", False),
        ("from random import Random, randint", False),
        ("import lobby.store", False),
        ("import structlog", False),
        ("from random import Random", True),
        ("import math, collections.abc", True),
    ],
)
def test_a_module_that_could_see_the_world_is_convicted(line: str, holds: bool, tmp_path: Path) -> None:
    path = tmp_path / "stranger.py"
    path.write_text(f"{line}\nfrom games.purrinha import Purrinha\nclass Stranger(Purrinha):\n    pass\n")
    spec = spec_from_file_location("stranger", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, "stranger", module)
        spec.loader.exec_module(module)
        verdict = check_game("stranger", module.Stranger, matches=1)
    assert (verdict.broken is None) is holds
    assert holds or (verdict.broken and verdict.broken.property is Property.IMPORTS)


def test_the_same_seed_plays_the_same_matches() -> None:
    assert check_game("a", Purrinha, matches=30, seed=7) == check_game("a", Purrinha, matches=30, seed=7)
    assert check_game("a", Purrinha, matches=30, seed=7) != check_game("a", Purrinha, matches=30, seed=8)


def test_a_game_that_holds_prints_one_line_and_exits_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["planted:TwoCoins", "--matches", "20"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("planted:TwoCoins: 20 matches, ")
    assert out.endswith(" inputs, all properties hold\n")


def test_a_broken_game_prints_the_property_and_the_history_and_exits_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["planted:ShowsPicksInErrors", "--matches", "300"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"planted:ShowsPicksInErrors: BROKEN: {Property.KNOWN}"
    assert "gets another answer" in lines[1]
    assert lines[2] == "  shortest history found: 2 inputs after the start"
    assert lines[3].startswith("    2 seats, seed 0, options {")
    assert lines[5].startswith("    1. at 0 s: seat ")
    assert "(the sum so far is" in lines[6]


def test_an_entry_point_of_another_name_than_its_game_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path, "renamed", games={"coins": "games.purrinha:Purrinha"})
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["coins", "purrinha", "--matches", "1"]) == 0
    assert capsys.readouterr().err == (
        "warning: the entry point says coins, the GameInfo purrinha; no server takes it until they say the same\n"
    )


@pytest.mark.parametrize("name", ["chess_boxing", "planted:Missing", "no_such_module:Game"])
def test_a_game_that_is_not_there_exits_2_with_one_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name]) == 2
    assert capsys.readouterr().err.count("\n") == 1
