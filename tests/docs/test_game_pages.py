"""The page of each game, held against its rules: options, actions, errors; and that it shows a match to its end."""

import json
import re
from typing import Any

import msgspec
import pytest
from conversation import OURS
from tables import ROOT, named, page, rows

from games.contract import Engine, Refusal
from lobby.catalogue import Catalogue
from protocol.errors import Code

CATALOGUE = Catalogue(OURS)
GAMES = list(CATALOGUE)


def schema(game: str) -> dict[str, Any]:
    """Return the options of a game, by name, as `lobby.games` shows them."""
    shown = msgspec.json.decode(CATALOGUE.listing(game))["options"]
    options: dict[str, Any] = shown["$defs"][shown["$ref"].rpartition("/")[2]]["properties"]
    return options


def values(option: dict[str, Any]) -> str:
    """Return in words what an option may be."""
    if "anyOf" in option:
        return f"{values(option['anyOf'][0])}, or `null`"
    if "enum" in option:
        *others, last = (f"`{value}`" for value in option["enum"])
        return f"{', '.join(others)} or {last}"
    if option["type"] == "boolean":
        return "`true` or `false`"
    kind = "whole number" if option["type"] == "integer" else "number"
    return f"{kind}, {option['minimum']:,} to {option['maximum']:,}"


def default(option: dict[str, Any]) -> str:
    """Return an option's default as JSON, `-` where it has none of its own."""
    if "default" not in option:
        return "-"
    return f"`{re.sub('[.]0$', '', json.dumps(option['default']))}`"


def test_every_game_has_a_page():
    assert sorted(path.stem for path in (ROOT / "docs" / "games").iterdir()) == GAMES


@pytest.mark.parametrize("game", GAMES)
def test_a_page_lists_the_options_as_the_schema_has_them(game: str):
    listed = [row[:3] for row in rows(page(f"docs/games/{game}.md"), "option", "value", "default", "meaning")]
    assert listed == [[f"`{name}`", values(option), default(option)] for name, option in schema(game).items()]


@pytest.mark.parametrize("engine", OURS, ids=lambda engine: engine.info.name)
def test_a_page_shows_every_action_with_its_fields(engine: Engine):
    lines = named(rows(page(f"docs/games/{engine.info.name}.md"), "line", "when"))
    for kind in engine.actions:
        start = f'game.action {{"type": "{kind.__struct_config__.tag}"'
        asked = [line for line in lines if line.startswith("REQ") and start in line]
        assert len(asked) == 1
        assert re.findall(r'[{ ]"(\w+)":', asked[0])[1 : 1 + len(kind.__struct_fields__)] == list(
            kind.__struct_fields__
        )


@pytest.mark.parametrize("game", GAMES)
def test_a_page_lists_every_code_that_its_conversations_show_and_no_unknown_one(game: str):
    text = page(f"docs/games/{game}.md")
    listed = named(rows(text, "code", "when", "what to do"))
    shown = set(re.findall(r'"code": "(\w+)"', text))
    assert shown - {*listed, Code.MATCH_OVER} == set()
    assert set(listed) - {*Refusal, Code.UNKNOWN_ACTION, Code.INVALID_OPTIONS} == set()
    assert set(listed) - shown == set()


@pytest.mark.parametrize("game", GAMES)
def test_a_page_names_every_code_with_which_its_rules_refuse(game: str):
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "games").glob(f"{game}*.py"))
    refusals = {Refusal[name] for name in re.findall(r"Refusal\.([A-Z_]+)", sources)}
    assert refusals <= set(named(rows(page(f"docs/games/{game}.md"), "code", "when", "what to do")))


@pytest.mark.parametrize("game", GAMES)
def test_a_page_shows_a_match_from_hello_to_its_result(game: str):
    (first,) = re.findall(r"^## A whole match$.*?^```transcript$(.*?)^```$", page(f"docs/games/{game}.md"), re.M | re.S)
    lines = first.strip().splitlines()
    assert lines[0] == 'ann> REQ 1 session.hello {"version": 1}'
    assert {line.split("<")[0] for line in lines[-5:] if " game.result " in line} == {"ann", "bob"}
