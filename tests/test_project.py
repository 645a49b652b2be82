"""The project around the code: what is installed, what the documents promise, and that both are there."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ENTRY_POINTS = PROJECT["scripts"] | PROJECT["entry-points"]["lobby.games"]
DOCUMENTS = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")})


def defined(path: Path) -> set[str]:
    return {
        node.name
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }


@pytest.mark.parametrize("target", ENTRY_POINTS.values())
def test_every_entry_point_names_something_that_exists(target: str):
    module, _, attribute = target.partition(":")
    path = ROOT / f"{module.replace('.', '/')}.py"
    if not path.exists() and module.startswith("games."):
        pytest.skip(f"{module} is not here yet")
    assert attribute in defined(path)


def test_only_the_three_rooms_and_the_tests_hold_code():
    folders = {path.parent.name for path in ROOT.glob("*/*.py") if not path.parent.name.startswith(".")}
    assert folders - {"build", "dist"} == {"protocol", "games", "lobby", "tests"}


def test_nothing_but_the_named_packages_is_needed_to_run_or_to_develop():
    needed = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    assert {re.split(r"[<>=!~ ]", package)[0] for package in needed} == {
        *("msgspec", "structlog"),
        *("pytest", "pytest-asyncio", "ruff"),
    }


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_make_target_that_a_document_names_exists(document: Path):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z.][a-z.-]*):", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:`|^\s*)make ([a-z.][a-z.-]*)", document.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= targets


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_to_a_file_of_the_project_leads_somewhere(document: Path):
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_the_changelog_has_a_place_for_what_is_not_released():
    assert "\n## [Unreleased]\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
