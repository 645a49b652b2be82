"""The page on the protocol, held against the code: codes, methods and their fields, events, reasons, limits."""

import ast
import re
from pathlib import Path

import msgspec
import pytest
from conversation import Conversation
from tables import ROOT, named, page, rows, words

from games.contract import Reason, Result
from lobby.router import Method
from lobby.settings import Settings
from protocol.errors import Code
from protocol.names import RESERVED

PAGE = page("docs/protocol.md")
METHODS = {words(row[0])[0]: row for row in rows(PAGE, "method", "fields", "answer")}
EVENTS = [*named(rows(PAGE, "event", "when")), *named(rows(PAGE, "event", "to", "when, and with what"))]
NAMESPACES = "session|server|lobby|game|tournament"
TELLING = {"event", "line", "Fact", "Parts", "tell"}
"""The functions that an event's name is handed to."""


def told(path: Path) -> set[str]:
    """Return the events that a source tells."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    return {
        argument.value
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", None)) in TELLING
        for argument in call.args
        if isinstance(argument, ast.Constant) and re.fullmatch(rf"(?:{NAMESPACES})\.[a-z_]+", str(argument.value))
    }


def fields(method: Method) -> list[str]:
    """Return the fields of a method as the page has them: `?` behind those that may be left out."""
    assert method.fields is not None
    return [f"{field.encode_name}{'' if field.required else '?'}" for field in msgspec.structs.fields(method.fields)]


def test_every_code_is_listed_in_the_order_of_the_code():
    assert named(rows(PAGE, "code", "when", "what to do")) == list(Code)


async def test_every_method_is_listed_with_its_fields(talk: Conversation):
    table = talk.server.house.router.methods
    assert sorted(METHODS) == sorted(table)
    asked = {name: words(row[1]) for name, row in METHODS.items()}
    assert asked.pop("game.action") == ["type"]
    assert asked == {name: fields(method) for name, method in table.items() if method.fields is not None}


def test_every_event_is_listed():
    sources = [*(ROOT / "lobby").rglob("*.py"), ROOT / "games" / "contract.py"]
    assert sorted(EVENTS) == sorted(set().union(*map(told, sources)))


def test_every_reason_is_listed():
    assert named(rows(PAGE, "reason", "means")) == list(Reason)


def test_every_result_and_every_reserved_name_is_named():
    assert {*Result, *RESERVED} <= set(words(PAGE))


@pytest.mark.parametrize("row", rows(PAGE, "setting", "default", "what it limits"), ids=lambda row: row[0])
def test_a_limit_is_given_with_its_default(row: list[str]):
    (key,) = words(row[0])
    assert float(row[1]) == getattr(Settings(), key)


async def test_every_game_is_listed_with_how_many_play(talk: Conversation):
    listings = [msgspec.json.decode(talk.server.house.catalogue.listing(game)) for game in talk.server.house.catalogue]
    seats = {game["game"]: sorted({game["min_players"], game["max_players"]}) for game in listings}
    assert {
        words(row[0])[0]: [int(n) for n in row[1].split(" to ")] for row in rows(PAGE, "game", "players", "page")
    } == seats
