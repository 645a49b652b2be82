"""Finding games: those that are installed, by name, and any other by `module:Class`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from os import getcwd
from typing import Any, Final

from games.check.host import Game

GROUP: Final = "lobby.games"


class NotFound(Exception):
    """There is no such game, or it can't be loaded; the message is one line for who asked for it."""


def find_games(names: Sequence[str]) -> dict[str, Game]:
    """Return what makes the engines of the games named, all that are installed where none is."""
    installed = {point.name: point for point in entry_points(group=GROUP)}
    if not names and not installed:
        raise NotFound("no game is installed; name one as module:Class")
    return {name: _load(_point(name, installed)) for name in names or sorted(installed)}


def _point(name: str, installed: dict[str, EntryPoint]) -> EntryPoint:
    if ":" in name:
        sys.path.insert(0, getcwd())
        return EntryPoint(name, name, GROUP)
    if name in installed:
        return installed[name]
    known = ", ".join(sorted(installed)) or "none"
    raise NotFound(f"no game {name}; installed: {known}; any other is named as module:Class")


def _load(point: EntryPoint) -> Game:
    try:
        made: Any = point.load()
        made()
    except Exception as error:
        raise NotFound(f"{point.name} can't be loaded: {type(error).__name__}: {error}") from error
    return made  # type: ignore[no-any-return]
