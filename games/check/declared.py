"""What a game declares of itself, and what its modules import: checked once, before any match."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, Final, Union

import msgspec

from games.check.host import tag
from games.check.options import settled
from games.check.properties import Broken, Property
from games.contract import MAX_SEATS, Action, Engine, Options

FORBIDDEN: Final = frozenset(
    {
        "asyncio",
        "concurrent",
        "datetime",
        "http",
        "io",
        "logging",
        "multiprocessing",
        "os",
        "pathlib",
        "random",
        "secrets",
        "select",
        "selectors",
        "signal",
        "shutil",
        "socket",
        "socketserver",
        "sqlite3",
        "ssl",
        "subprocess",
        "tempfile",
        "threading",
        "time",
        "urllib",
        "uuid",
    }
)
ALLOWED: Final = (frozenset(sys.stdlib_module_names) - FORBIDDEN) | {"msgspec", "games"}
WORD: Final = re.compile(r"[a-z_]{1,32}")


def check_declared(engine: Engine) -> None:
    """Check info, options, actions and schemas of a game, and the imports of its modules."""
    _check_info(engine)
    _check_options(engine)
    _check_actions(engine)
    for module, name in _imports(inspect.getmodule(type(engine))):
        root = name.partition(".")[0]
        if root not in ALLOWED and root != module.__name__.partition(".")[0]:
            raise Broken(Property.IMPORTS, f"{module.__name__} imports {name}; from random only Random is allowed")


def _demand(holds: bool, detail: str) -> None:
    if not holds:
        raise Broken(Property.DECLARED, detail)


def _check_info(engine: Engine) -> None:
    info = engine.info
    _demand(bool(WORD.fullmatch(info.name)), f"the name {info.name!r} is no word of a-z and _")
    _demand(bool(info.summary.strip()) and "\n" not in info.summary, "the summary is no line of text")
    _demand(info.version >= 1, f"version {info.version} is not 1 or more")
    seats = f"{info.min_players} to {info.max_players} players"
    _demand(1 <= info.min_players <= info.max_players <= MAX_SEATS, f"{seats}: at least 1, at most {MAX_SEATS}")


def _check_options(engine: Engine) -> None:
    _demand(issubclass(engine.options, Options), f"{engine.options} is no Options")
    try:
        defaults = settled(engine, engine.options())
        msgspec.json.schema(engine.options)
    except (TypeError, ValueError) as error:
        raise Broken(Property.DECLARED, f"the options: {error}") from error
    seats, info = engine.seats(defaults), engine.info
    _demand(info.min_players <= seats <= info.max_players, f"the default options seat {seats}, against the info")


def _check_actions(engine: Engine) -> None:
    actions: list[type[Action]] = list(engine.actions)
    _demand(bool(actions), "there are no actions")
    for action in actions:
        _demand(issubclass(action, Action), f"{action} is no Action")
    tags = [tag(action) for action in actions]
    _demand(len(set(tags)) == len(tags), f"two actions share a type: {tags}")
    union: Any = Union[tuple(actions)]  # noqa: UP007 - made at run time
    try:
        msgspec.json.schema(union)
    except (TypeError, ValueError) as error:
        raise Broken(Property.DECLARED, f"the actions have no JSON Schema: {error}") from error


def _imports(first: ModuleType | None) -> Iterator[tuple[ModuleType, str]]:
    """Yield what a module imports, and what those modules of its own package import that it uses."""
    waiting, seen = [first], set[str]()
    while waiting:
        module = waiting.pop()
        if module is None or module.__name__ in seen:
            continue
        seen.add(module.__name__)
        for name in _imported(ast.parse(inspect.getsource(module)), module):
            yield module, name
            if name.partition(".")[0] == module.__name__.partition(".")[0] and name != "games.contract":
                waiting.append(_module(name))


def _imported(tree: ast.Module, module: ModuleType) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = (module.__package__ or "").split(".")
            base = ".".join(package[: len(package) - node.level + 1]) + "." if node.level else ""
            names = [alias.name for alias in node.names]
            if not (node.module == "random" and names == ["Random"]):
                yield base + (node.module or "") if node.module else base.rstrip(".")


def _module(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        return None
