"""What a game's rules hand to the server, held against the contract before anything comes of it.

Rules may be a stranger's, and wrong in any way: what breaks the contract costs a request or a match, never the server.
Only what could do harm is looked at here, cheaply; whether a game is right is for `games.check` to say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from msgspec import Struct

from games.contract import (
    EVERYONE,
    MAX_SEATS,
    Action,
    Audience,
    Engine,
    Options,
    Out,
    Outcome,
    Reason,
    Refusal,
    Refused,
    Result,
    Seat,
    Step,
)
from protocol import wire
from protocol.errors import Code, ProtocolError

FAULT: Final = (Exception, SystemExit)
"""What the rules raise when they go wrong; a stray `exit()` is not to stop the server."""

FACTS: Final = 256
"""Facts that one step may hold."""

STRIKES: Final = 100
"""Times that time may act in one match within one second of it."""

ROOM: Final = wire.OUTPUT_LIMIT - 80
"""Bytes of an object in an answer; the rest of the line is for what stands before it."""

_WORD: Final = re.compile(r"[a-z_]{1,32}").fullmatch
_NAME: Final = re.compile(r"[a-z_]{1,32}\.[a-z_]{1,32}").fullmatch
_NAMES: Final = frozenset({"game.update", "game.action", "game.your_turn"})
_NOT_THEIRS: Final = frozenset({"game.match_started", "game.result"})


class Breach(Exception):
    """The rules of a game have broken the contract. The message says how, for the log."""


# What a game declares


def check_declared(engine: Engine, name: str) -> None:
    """Check a game that was found under a name: what it says of itself, its types, and that no function is missing."""
    info = engine.info
    _demand(info.name == name, f"the entry point is called {name}, the game {info.name}")
    _demand(_WORD(info.name), f"the name {info.name!r} is no word of 1 to 32 letters a-z and _")
    _demand(isinstance(info.summary, str) and "\n" not in info.summary, "the summary is no line of text")
    _demand(type(info.version) is int, f"the version is {info.version!r}, which is no whole number")
    _demand(2 <= info.min_players <= info.max_players <= MAX_SEATS, f"a game is for 2 to {MAX_SEATS} players")
    _demand(issubclass(engine.options, Options), f"the options are no {Options.__name__}")
    _demand(issubclass(engine.state, Struct) and engine.state.__struct_config__.frozen, "the state is no frozen struct")
    _demand(engine.actions, "there are no actions")
    for kind in engine.actions:
        _demand(issubclass(kind, Action) and kind.__struct_config__.tag_field == "type", f"{kind} is no action")
    for function in _FUNCTIONS:
        _demand(callable(getattr(engine, function, None)), f"there is no function {function}")


_FUNCTIONS: Final = tuple(name for name, item in vars(Engine).items() if callable(item) and not name.startswith("_"))


# What it leads to in a match


def check_step(step: Any) -> None:
    """Check that a function of the rules returned a step, of no more facts than there may be."""
    if not isinstance(step, Step) or len(step.facts) > FACTS:
        raise Breach(f"a step of at most {FACTS} facts is due, not {_kind(step)}")


def check_due(due: Any) -> None:
    """Check that a match which lives has a time at which it goes on."""
    if due is None or not isinstance(due, (float, int)) or not isfinite(due):
        raise Breach(f"the match lives, and due is {due!r}: it could hang")


def check_told(to: Audience, name: str, body: Any, line: bytes) -> None:
    """Check a fact together with the line that was made of it."""
    if to & EVERYONE != to:
        raise Breach(f"{to!r} is no audience")
    if name not in _NAMES and (name in _NOT_THEIRS or not _NAME(name)):
        raise Breach(f"{_kind(name)} is no name of a fact")
    if type(body) is not dict and body is not None and not isinstance(body, Mapping):
        raise Breach(f"{name} tells {_kind(body)}, which is no object")
    if len(line) > wire.OUTPUT_LIMIT:
        raise Breach(f"{name} takes a line of {len(line)} bytes; the limit is {wire.OUTPUT_LIMIT}")


def check_out(fact: Any, seats: int) -> None:
    """Check what stands among the facts and is none: that somebody is out."""
    if not isinstance(fact, Out):
        raise Breach(f"{_kind(fact)} is no fact")
    check_seat(fact.seat, seats)
    Reason(fact.reason)


def check_seat(seat: Seat, seats: int) -> None:
    """Check that there is such a seat."""
    if seat not in range(seats):
        raise Breach(f"there is no seat {seat!r} in a match of {seats}")


def check_outcome(outcome: Any, seats: int) -> None:
    """Check that an end is whole: a result for every seat, and why."""
    if not isinstance(outcome, Outcome) or type(outcome.results) is not tuple or len(outcome.results) != seats:
        raise Breach(f"an outcome with {seats} results is due, not {_kind(outcome)}")
    for result in outcome.results:
        Result(result)
    Reason(outcome.reason)


def check_left(left: Audience, outcome: Outcome | None) -> None:
    """Check that after a forfeit nobody who left is still in the match."""
    if outcome is None and left:
        raise Breach("a player who left is neither out nor is the match over")


def check_view(view: Any, shown: bytes) -> None:
    """Check a view together with the answer that was made of it."""
    if not isinstance(view, Mapping):
        raise Breach(f"{_kind(view)} is no view")
    if len(shown) > ROOM:
        raise Breach(f"a view takes an answer of {len(shown)} bytes; the limit is {ROOM}")


def refusal(refused: Refused) -> ProtocolError:
    """Return a refusal as the error it is answered with. Raise where it can't be one."""
    error = ProtocolError(Code(Refusal(refused.code)), refused.message, **refused.extra)
    if not isinstance(error.message, str) or len(wire.failure(wire.NO_ID, error)) > ROOM:
        raise Breach(f"{_kind(refused)} is no refusal")
    return error


def _demand(holds: Any, detail: str) -> None:
    if not holds:
        raise Breach(detail)


def _kind(value: Any) -> str:
    """Return what kind of value it is, and not the value: the log holds no secret of a game."""
    return f"a {type(value).__name__}"
