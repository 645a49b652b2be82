"""What a step tells, held against the wire: names, audiences, JSON and its size, and who is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final

import msgspec

from games.check.properties import Broken, Property
from games.contract import MAX_SEATS, PLAYERS, SPECTATORS, Audience, Fact, Out, Player, Seat, only

LINE_LIMIT: Final = 60_000
FRAME: Final = (
    200  # of an answer with its id, or an event with its match, name and blanks; and of the fields round a view
)
LONGEST: Final = tuple(chr(0x20000 + seat) * 32 for seat in range(MAX_SEATS))  # four bytes a character
NAME: Final = re.compile(r"[a-z_]{1,32}\.[a-z_]{1,32}")
TOLD_BY_THE_MATCH: Final = frozenset({"game.match_started", "game.result"})
YOUR_TURN: Final = "game.your_turn"


def on_the_wire(value: Any) -> Any:
    """Return a body as plain JSON, the longest names put in. Raise `TypeError` or `ValueError` for what JSON lacks."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is Player:
        return LONGEST[value.seat]
    if kind is float:
        if not isfinite(value):
            raise ValueError(f"{value} is no JSON number")
        return value
    if isinstance(value, Mapping):
        return {_key(key): on_the_wire(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [on_the_wire(item) for item in value]
    return on_the_wire(msgspec.to_builtins(value))


def _key(key: Any) -> str:
    if isinstance(key, Player):
        return LONGEST[key.seat]
    if isinstance(key, str):
        return key
    raise TypeError(f"{key!r} is no key of a JSON object")


def check_body(body: Any, broken: Property, what: str) -> None:
    """Check that a body is a JSON object that fits in a line, whatever the players' names."""
    if not isinstance(body, Mapping):
        raise Broken(broken, f"{what} holds {body!r}, which is no object")
    try:
        size = len(msgspec.json.encode(on_the_wire(body))) + FRAME
    except (TypeError, ValueError, UnicodeError) as error:
        raise Broken(broken, f"{what} can't be written as JSON: {error}") from None
    if size > LINE_LIMIT:
        raise Broken(broken, f"{what} takes {size} bytes with the longest names; the limit is {LINE_LIMIT}")


def heard(facts: Sequence[Fact | Out], viewer: Seat | None) -> list[Fact | Out]:
    """Return what one viewer is told, `None` for a spectator: up to its `Out`."""
    ear = SPECTATORS if viewer is None else only(viewer)
    lines: list[Fact | Out] = []
    for fact in facts:
        if isinstance(fact, Out):
            if fact.seat == viewer:
                return [*lines, fact]
        elif fact.to & ear:
            lines.append(fact)
    return lines


def asked(facts: Sequence[Fact | Out]) -> Audience:
    """Return the seats that a step tells `your_turn`."""
    mask = 0
    for fact in facts:
        if isinstance(fact, Fact) and fact.name == YOUR_TURN:
            mask |= fact.to
    return mask


def check_facts(facts: Sequence[Fact | Out], *, seats: int, out: frozenset[Seat]) -> frozenset[Seat]:
    """Check the facts of one step, and return who is out after it."""
    present = only(*range(seats)) & ~only(*out) | SPECTATORS
    for fact in facts:
        if isinstance(fact, Out):
            if not only(fact.seat) & present:
                raise Broken(Property.OUT, f"seat {fact.seat} is told Out, and does not play any more")
            present &= ~only(fact.seat)
        else:
            _check_fact(fact, present, only(*range(seats)))
    return frozenset(seat for seat in range(seats) if not only(seat) & present)


def _check_fact(fact: Fact, present: Audience, table: Audience) -> None:
    if not fact.to & present:
        if fact.to & table:
            raise Broken(Property.OUT, f"{fact.name} {fact.body} is told only to seats that are out")
        raise Broken(Property.LINES, f"{fact.name} {fact.body} reaches nobody")
    if not NAME.fullmatch(fact.name):
        raise Broken(Property.LINES, f"{fact.name!r} is no name of the form word.word")
    if fact.name in TOLD_BY_THE_MATCH:
        raise Broken(Property.LINES, f"{fact.name} is told by the match itself")
    if fact.body is not None:
        check_body(fact.body, Property.LINES, fact.name)


def check_asks(facts: Sequence[Fact | Out], turn: Mapping[Seat, float], *, over: bool, seconds: Any) -> None:
    """Check every `your_turn` of a step; `seconds` is the body it must have, `...` for any."""
    told = 0
    for fact in facts:
        if not isinstance(fact, Fact) or fact.name != YOUR_TURN:
            if told:
                raise Broken(Property.ASKS, f"{fact} comes after your_turn")
            continue
        if over:
            raise Broken(Property.ASKS, "your_turn is told in the step that ends the match")
        if fact.to & SPECTATORS or fact.to & told or fact.to & PLAYERS & ~only(*turn):
            raise Broken(Property.ASKS, f"your_turn goes to {_seats(fact.to)}; in turn are {sorted(turn)}, once each")
        if seconds is not ... and fact.body != seconds:
            raise Broken(Property.ASKS, f"your_turn says {fact.body}; by the options it says {seconds}")
        told |= fact.to


def _seats(audience: Audience) -> list[str]:
    names = [f"seat {seat}" for seat in range(MAX_SEATS) if audience & only(seat)]
    return [*names, "spectators"] if audience & SPECTATORS else names
