"""The three rooms: who may import whom, and that the server knows no game by name."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "protocol": {"protocol", "msgspec"},
    "games": {"games", "msgspec"},
    "lobby": {"lobby", "games", "protocol", "msgspec", "structlog"},
}
IMPURE = {
    *("asyncio", "select", "selectors", "socket", "sqlite3", "subprocess", "threading"),
    *("datetime", "secrets", "time"),
}
"""What has no place in a protocol without I/O, or in rules without a clock. The conformance kit, a tool, is excused."""

GAMES = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["lobby.games"])


def sources(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imports(source: str) -> Iterator[str]:
    """Yield the dotted name of every module that a source imports; `from a import b` yields `a` and `a.b`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def packages(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imports(path.read_text(encoding="utf-8"))}


def modules() -> dict[str, Path]:
    """Return every module of the three rooms, by its dotted name."""
    paths = [path.relative_to(ROOT) for room in MAY_IMPORT for path in sources(room)]
    return {".".join(path.with_suffix("").parts).removesuffix(".__init__"): ROOT / path for path in paths}


def circle(needs: Mapping[str, set[str]]) -> list[str]:
    """Return modules that need each other all the way round, none where there is no such circle."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def texts(source: str) -> Iterator[str]:
    """Yield every string of a source but those that are statements of their own: docstrings."""
    tree = ast.parse(source)
    prose = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in prose:
            yield node.value


def named(source: str) -> set[str]:
    """Return the games that a source names: imports, or has as a word of a string."""
    words = {word for text in texts(source) for word in re.findall(r"[a-z]+", text.lower())}
    modules = {part for name in imports(source) for part in name.split(".")}
    return GAMES & (words | modules)


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_it_may(room: str):
    allowed = MAY_IMPORT[room] | sys.stdlib_module_names
    assert {path.name: packages(path) - allowed for path in sources(room) if packages(path) - allowed} == {}


@pytest.mark.parametrize("room", ["protocol", "games"])
def test_protocol_and_rules_reach_for_no_socket_clock_or_task(room: str):
    pure = [path for path in sources(room) if path.relative_to(ROOT).parts[1] not in ("check", "check.py")]
    assert {path.name: packages(path) & IMPURE for path in pure if packages(path) & IMPURE} == {}


def test_no_module_needs_itself_by_way_of_others_not_even_for_its_types():
    paths = modules()
    needs = {name: set(imports(path.read_text(encoding="utf-8"))) & set(paths) for name, path in paths.items()}
    assert {name for name in needs if needs[name]} > {"lobby.house", "protocol.wire", "games.rps"}
    assert circle(needs) == []


def test_a_circle_of_imports_is_found_however_long():
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})


def test_the_server_knows_no_game_by_name():
    assert {path.name: found for path in sources("lobby") if (found := named(path.read_text(encoding="utf-8")))} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import games.rps", {"rps"}),
        ("from games import battleship", {"battleship"}),
        ("from games.purrinha import Purrinha", {"purrinha"}),
        ("if game == 'roshambo': pass", {"roshambo"}),
        ("def f():\n    return {'games.rps:Rps': 1}", {"rps"}),
        ('def f():\n    """Serves rps, say."""', set()),
        ("from games.contract import Engine\nx = 'corpses'", set()),
    ],
)
def test_a_game_is_found_wherever_it_is_named(source: str, found: set[str]):
    assert named(source) == found


def test_imports_are_found_wherever_they_stand():
    source = "import a.b\nfrom c import d\ndef f():\n    import e as g\nfrom . import h\n"
    assert set(imports(source)) == {"a.b", "c", "c.d", "e"}
