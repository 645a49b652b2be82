"""The games that this server has: engines found through the entry-point group `lobby.games`, ours and a stranger's alike."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Iterator
from contextlib import redirect_stdout
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

import msgspec
from msgspec import Raw, json
from structlog import get_logger

from games.contract import Engine, OptionRefused
from lobby.paging import ROOM
from lobby.scrutiny import FAULT, Breach, check_declared
from protocol import wire
from protocol.errors import Code, ProtocolError
from protocol.fields import fault
from protocol.suggest import LIKE, closest, shown

log = get_logger(__name__)

GROUP: Final = "lobby.games"


class Catalogue:
    """Engines by the name of their game."""

    def __init__(self, engines: Iterable[Engine]) -> None:
        self._engines = {engine.info.name: engine for engine in engines}
        self._listed = {name: Raw(wire.encode(_listing(engine))) for name, engine in self._engines.items()}
        self._defaults = {name: settle(engine, {}) for name, engine in self._engines.items()}

    @classmethod
    def installed(cls) -> Catalogue:
        """Load every installed game; one that fails to load is logged and left out, and so is the second of a name."""
        engines: dict[str, Engine] = {}
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
            engine = _load(entry, taken=engines)
            if engine is not None:
                engines[entry.name] = engine
        return cls(engines.values())

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
            near = closest(game, self._engines, over=LIKE)
            hint = f"; did you mean {near}?" if near else "."
            message = f"there is no game {shown(game)}{hint} This server has: {', '.join(self)}"
            raise ProtocolError(Code.UNKNOWN_GAME, message)
        return engine

    def restored(self, game: str, options: bytes, *, version: int | None = None) -> tuple[Engine, Any] | None:
        """Return the engine and the options of something stored; `None` where the game is gone, or takes them no longer.

        With a `version`, also where the rules have another one now.
        """
        engine = self._engines.get(game)
        if engine is None or version not in (None, engine.info.version):
            return None
        try:
            return engine, settle(engine, json.decode(options))
        except FAULT as error:
            log.warning("stored options are good no longer", game=game, exc_info=error)
            return None

    def defaults(self, game: str) -> Any:
        """Return the settled options of a game that was asked for without any."""
        return self._defaults[game]

    def listing(self, game: str) -> Raw:
        """Return what `lobby.games` says of a game, as JSON."""
        return self._listed[game]


def settle(engine: Engine, sent: dict[str, Any]) -> Any:
    """Decode options and fill in their defaults. Raise `ProtocolError` (`INVALID_OPTIONS`) where they are wrong."""
    try:
        options = engine.settle(msgspec.convert(sent, engine.options))
    except msgspec.ValidationError as error:
        field, message = fault(error, engine.options, sent)
        raise ProtocolError(Code.INVALID_OPTIONS, message, field=field.removeprefix("$.")) from None
    except OptionRefused as refused:
        raise ProtocolError(Code.INVALID_OPTIONS, str(refused.message), field=str(refused.field)) from None
    info, seats = engine.info, engine.seats(options)
    if not isinstance(options, engine.options) or type(seats) is not int:
        raise Breach("settled options are of the game's type, and say for how many they are")
    if not info.min_players <= seats <= info.max_players:
        message = f"{info.name} is for {info.min_players} to {info.max_players} players, not {seats}"
        raise ProtocolError(Code.INVALID_OPTIONS, message, field="players")
    return options


def plain(options: Any) -> dict[str, Any]:
    """Return settled options as they are shown."""
    shown: dict[str, Any] = msgspec.to_builtins(options)
    return shown


def _load(entry: EntryPoint, *, taken: Container[str]) -> Engine | None:
    try:
        if entry.name in taken:
            raise Breach("there is another game of that name")
        with redirect_stdout(sys.stderr):  # standard output is the server's own
            engine: Engine = entry.load()()
            check_declared(engine, entry.name)
            if len(wire.encode(_listing(engine))) > ROOM:
                raise Breach("what lobby.games would say of it does not fit in a line")
            wire.encode(plain(settle(engine, {})))
    except FAULT as error:
        log.error("a game was left out: it does not load", entry_point=f"{entry.name} = {entry.value}", exc_info=error)
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
