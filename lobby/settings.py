"""Every setting of the server: key, default, unit, range and meaning, declared once; and how a value is found.

Opens the settings file and reads the environment it is handed. It must not open a database, a socket or a log.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

MINUTE: Final = 60
DAY: Final = 24 * 60 * MINUTE
LONGEST: Final = 1_000_000_000
"""The longest duration in seconds, over thirty years: as good as for ever."""


class SettingsError(Exception):
    """A setting that can't be used; the message is one line for the operator."""


def default_db() -> str:
    """Return the path of the database where none is set: `lobby.db` in the user's state directory."""
    state = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):  # as the XDG base directory specification has it: empty or relative counts as unset
        state = os.path.expanduser("~/.local/state")
    return os.path.join(state, "lobby", "lobby.db")


def _text(meaning: str) -> Meta:
    return Meta(min_length=1, description=meaning)


def _seconds(meaning: str, *, least: float = 0) -> Meta:
    return Meta(ge=least, le=LONGEST, description=meaning, extra={"unit": "seconds"})


def _number(unit: str, meaning: str, *, least: int = 1, most: int = 1_000_000) -> Meta:
    return Meta(ge=least, le=most, description=meaning, extra={"unit": unit})


class Settings(Struct, frozen=True, kw_only=True):
    """What can be set. Durations are in seconds, fractions allowed."""

    host: Annotated[str, _text("the address to listen on")] = "127.0.0.1"
    port: Annotated[int, _number("", "the TCP port to listen on; 0 takes a free one", least=0, most=65_535)] = 7777
    db: Annotated[str, _text("the database file, or `:memory:` to keep nothing")] = msgspec.field(
        default_factory=default_db
    )
    durability: Annotated[
        Literal["process", "power"],
        Meta(
            description="what an answer survives: the end of the process, or a loss of power too, at the price of speed"
        ),
    ] = "process"
    log_format: Annotated[
        Literal["console", "json"], Meta(description="how log lines look: for people, or one JSON object each")
    ] = "console"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="the least severe level that is logged")
    ] = "info"
    tls_cert: Annotated[
        str | None, Meta(description="the file with the certificate chain, PEM; then nothing but TLS is spoken")
    ] = None
    tls_key: Annotated[str | None, Meta(description="the file with the private key of `tls_cert`, PEM")] = None

    name_hold: Annotated[float, _seconds("how long a name stays with its session after the connection ended")] = MINUTE
    session_ttl: Annotated[float, _seconds("how long a token works without being used")] = 30 * DAY
    reconnect_grace: Annotated[
        float, _seconds("how long a player may be away before live matches are lost, and may keep a due game waiting")
    ] = MINUTE
    keep_matches: Annotated[float, _seconds("how long a finished match is kept")] = 30 * DAY
    recent_matches: Annotated[
        float, _seconds("how long before a lost connection a match may have ended, to be in the answer to a reconnect")
    ] = 2 * MINUTE
    challenge_seconds: Annotated[float, _seconds("how long a challenge stays open", least=0.1)] = MINUTE
    challenges_per_minute: Annotated[
        int, _number("challenges", "how many one player may make in a minute, some or all of them at once")
    ] = 60
    decline_cooldown: Annotated[
        float, _seconds("how long after a decline the same player can't be challenged again")
    ] = MINUTE
    login_timeout: Annotated[float, _seconds("how long a connection may go without a login", least=0.1)] = 10 * MINUTE
    half_open_timeout: Annotated[
        float, _seconds("how soon a connection whose other end vanished is found", least=1)
    ] = MINUTE
    tournament_lapse: Annotated[float, _seconds("how long a tournament may stay open without being started")] = DAY
    retry_after: Annotated[float, _seconds("how long clients are asked to wait when the server is full or closing")] = 5

    max_connections: Annotated[
        int, _number("connections", "how many at a time; the limit of open files is raised for them as far as it may")
    ] = 10_000
    max_connections_per_address: Annotated[
        int, _number("connections", "how many at a time from one address; 0 for no limit", least=0)
    ] = 0
    max_sessions: Annotated[
        int, _number("sessions", "how many at a time, those included whose players are away but may come back")
    ] = 100_000
    request_rate: Annotated[
        int, _number("requests a second", "how many one connection may send before reading pauses")
    ] = 2_000
    unread_limit: Annotated[
        int, _number("bytes", "how much a client may leave unread before it is cut off", least=65_536, most=2**30)
    ] = 4 * 2**20
    max_subscriptions: Annotated[int, _number("subscriptions", "how many one session may have")] = 16
    max_live_matches: Annotated[int, _number("matches", "how many one session may have live")] = 32
    max_open_challenges: Annotated[int, _number("challenges", "how many one session may have open")] = 8
    max_watched: Annotated[int, _number("matches", "how many one session may watch")] = 16
    max_open_tournaments: Annotated[
        int, _number("tournaments", "how many one session may have created that are not over")
    ] = 4
    max_tournament_players: Annotated[
        int, _number("players", "how many may register for one tournament", least=2, most=256)
    ] = 256
    rated_per_day: Annotated[
        int, _number("matches a day", "how many matches of one pair from a queue are rated", least=0)
    ] = 10


class Key(Struct, frozen=True):
    """A setting as it was declared. `type` is what its value is decoded as, `range` says in words what is good."""

    name: str
    type: Any
    default: Any
    unit: str
    range: str
    meaning: str

    @property
    def variable(self) -> str:
        """Return the name of its environment variable."""
        return f"LOBBY_{self.name.upper()}"

    @property
    def wanted(self) -> str:
        """Return what a good value is, for messages: `a whole number of bytes, 65,536 to 1,073,741,824`."""
        kind, _ = get_args(self.type)
        if kind not in (int, float):
            return self.range
        number = "a whole number" if kind is int else "a number"
        return f"{number} of {self.unit}, {self.range}" if self.unit else f"{number}, {self.range}"


def _range(kind: Any, meta: Meta) -> str:
    if get_origin(kind) is Literal:
        *others, last = get_args(kind)
        return f"{', '.join(others)} or {last}"
    return f"{meta.ge:,} to {meta.le:,}" if kind in (int, float) else "text"


def _declared() -> Mapping[str, Key]:
    hints = get_type_hints(Settings, include_extras=True)
    defaults = Settings()
    keys = {}
    for name in Settings.__struct_fields__:
        kind, meta = get_args(hints[name])
        keys[name] = Key(
            name=name,
            type=hints[name],
            default=getattr(defaults, name),
            unit=(meta.extra or {}).get("unit", ""),
            range=_range(kind, meta),
            meaning=meta.description,
        )
    return keys


KEYS: Final[Mapping[str, Key]] = _declared()
"""Every setting by its key, in the order of declaration."""


class Given(Struct, frozen=True):
    """A value that somebody gave a key; `origin` says where, for people. `text` is to be read as the key's type."""

    value: Any
    origin: str
    text: bool = False


class Resolved(Struct, frozen=True):
    """The settings, and where each value came from."""

    settings: Settings
    origins: Mapping[str, str]


def from_file(path: Path) -> dict[str, Given]:
    """Return what a TOML file gives. Raise `SettingsError` where it can't be read."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"can't read {path}: {error.strerror}") from None
    except ValueError as error:  # not TOML, or not UTF-8
        raise SettingsError(f"{path} is not TOML: {error}") from None
    for name, value in table.items():
        if isinstance(value, dict):
            raise SettingsError(f"{path} has a table [{name}]; settings stand in no table, one a line: port = 9000")
    return {name: Given(value, str(path)) for name, value in table.items()}


def from_environment(environment: Mapping[str, str]) -> dict[str, Given]:
    """Return what the variables `LOBBY_<KEY>` give; names that are no key are ignored."""
    return {
        key.name: Given(environment[key.variable], key.variable, text=True)
        for key in KEYS.values()
        if key.variable in environment
    }


def resolve(*layers: Mapping[str, Given]) -> Resolved:
    """Lay values over the defaults, later layers over earlier ones. Raise `SettingsError` for the first that is bad."""
    values: dict[str, Any] = {}
    origins = dict.fromkeys(KEYS, "default")
    for layer in layers:
        for name, given in layer.items():
            values[name] = _value(_key(name, given.origin), given)
            origins[name] = given.origin
    settings = Settings(**values)
    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise SettingsError("tls_cert and tls_key go together: set both, or neither")
    return Resolved(settings, origins)


def _key(name: str, origin: str) -> Key:
    if name in KEYS:
        return KEYS[name]
    closest = get_close_matches(name, KEYS, n=1)
    hint = f"did you mean {closest[0]}? `lobby settings` lists all" if closest else f"there are {', '.join(KEYS)}"
    raise SettingsError(f"there is no setting {name!r} ({origin}); {hint}")


def _value(key: Key, given: Given) -> Any:
    if given.value == "" and key.default is None:
        return None
    try:
        return msgspec.convert(given.value, key.type, strict=not given.text)
    except msgspec.ValidationError:
        raise SettingsError(f"{key.name} must be {key.wanted}, not {given.value!r} ({given.origin})") from None
