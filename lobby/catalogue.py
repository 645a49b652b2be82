"""The games that this server has: engines found through the entry-point group `lobby.games`, ours and a stranger's alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

import msgspec
from msgspec import json
from structlog import get_logger

from games.contract import MAX_SEATS, Engine, OptionRefused
from protocol.errors import Code, ProtocolError
from protocol.fields import fault
from protocol.suggest import closest

log = get_logger(__name__)

GROUP: Final = "lobby.games"


class Catalogue:
    """Engines by the name of their game."""

    def __init__(self, engines: Iterable[Engine]) -> None:
        self._engines = {engine.info.name: engine for engine in engines}
        self._listed = {name: _listing(engine) for name, engine in self._engines.items()}

    @classmethod
    def installed(cls) -> Catalogue:
        """Load every installed game; one that fails to load is logged and left out."""
        return cls(engine for entry in entry_points(group=GROUP) if (engine := _load(entry)) is not None)

    def __iter__(self) -> Iterator[str]:
        """Return the names of the games, sorted."""
        return iter(sorted(self._engines))

    def get(self, game: str) -> Engine | None:
        """Return the engine of a game that is installed."""
        return self._engines.get(game)

    def engine(self, game: str) -> Engine:
        """Return the engine of a game. Raise `ProtocolError` (`UNKNOWN_GAME`) where there is none."""
        engine = self._engines.get(game)
        if engine is None:
            near = closest(game, self._engines)
            hint = f"; did you mean {near}?" if near else ""
            raise ProtocolError(Code.UNKNOWN_GAME, f"there is no such game{hint} This server has: {', '.join(self)}")
        return engine

    def listing(self, game: str) -> dict[str, Any]:
        """Return what `lobby.games` says of a game."""
        return self._listed[game]


def settle(engine: Engine, sent: dict[str, Any]) -> Any:
    """Decode options and fill in their defaults. Raise `ProtocolError` (`INVALID_OPTIONS`) where they are wrong."""
    try:
        return engine.settle(msgspec.convert(sent, engine.options))
    except msgspec.ValidationError as error:
        field, message = fault(error, engine.options)
        raise ProtocolError(Code.INVALID_OPTIONS, message, field=field.removeprefix("$.")) from None
    except OptionRefused as refused:
        raise ProtocolError(Code.INVALID_OPTIONS, refused.message, field=refused.field) from None


def plain(options: Any) -> dict[str, Any]:
    """Return settled options as they are shown."""
    shown: dict[str, Any] = msgspec.to_builtins(options)
    return shown


def _load(entry: EntryPoint) -> Engine | None:
    try:
        engine: Engine = entry.load()()
        _listing(engine)
        if not 2 <= engine.info.min_players <= engine.info.max_players <= MAX_SEATS:
            raise ValueError(f"a game is for 2 to {MAX_SEATS} players")
        if engine.info.name != entry.name:
            raise ValueError(f"the entry point is called {entry.name}, the game {engine.info.name}")
        settle(engine, {})
    except Exception:
        log.exception("a game was left out: it does not load", entry_point=f"{entry.name} = {entry.value}")
        return None
    return engine


def _listing(engine: Engine) -> dict[str, Any]:
    info = engine.info
    return {
        "game": info.name,
        "summary": info.summary,
        "min_players": info.min_players,
        "max_players": info.max_players,
        "options": _schema(engine.options),
        "actions": _schema(_union(engine)),
    }


def _union(engine: Engine) -> Any:
    union: Any = engine.actions[0]
    for kind in engine.actions[1:]:
        union |= kind
    return union


def _schema(kind: Any) -> dict[str, Any]:
    schema: dict[str, Any] = json.schema(kind)
    return schema
