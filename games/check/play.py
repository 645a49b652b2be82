"""Random play: matches as people, bots and broken clients would play them, all from one seed."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from msgspec import Struct

from games.check.history import Act, Input, Leave, Strike
from games.check.host import tag
from games.check.properties import Broken, Property
from games.check.table import Table
from games.contract import Reason, Seat

LIMIT: Final = 20_000  # inputs after which a match counts as endless
JUNK: Final[tuple[Any, ...]] = (None, True, False, -1, 0, 7, 100, 2**53, 1.5, "", "x", "rock", [], {}, [1], {"a": 1})


class Mood(Struct, frozen=True):
    """How often a table of this mood does something else than a legal action; and for how many inputs it does."""

    illegal: float = 0.0
    leave: float = 0.0
    strike: float = 0.0
    inputs: int = 0


MOODS: Final = (
    Mood(),
    Mood(illegal=0.3, inputs=LIMIT),
    Mood(strike=0.1, inputs=200),
    Mood(illegal=0.1, leave=0.03, strike=0.03, inputs=200),
    Mood(illegal=0.3, leave=0.1, strike=0.2, inputs=40),
    Mood(illegal=0.2, leave=0.5, strike=0.3, inputs=10),
)


def play_match(table: Table, chance: Random) -> None:
    """Play a match to its end: in some mood for a while, then legally or, one time in four, by time alone."""
    mood = chance.choice(MOODS)
    while not table.over and len(table.given) < mood.inputs:
        table.take(_input(table, chance, mood))
    finish(table, chance, idle=chance.random() < 0.25)


def finish(table: Table, chance: Random, *, idle: bool) -> None:
    """Play a match to its end, by time alone where it is idle. Raise `Broken` where it has none."""
    limit = len(table.turns) + LIMIT
    while not table.over:
        if len(table.turns) > limit:
            raise Broken(
                Property.ENDS, f"{LIMIT} {'strikes of time' if idle else 'legal actions'} later it still lives"
            )
        table.take(Strike() if idle else _legal(table, chance))


def _input(table: Table, chance: Random, mood: Mood) -> Input:
    draw = chance.random()
    if draw < mood.illegal:
        return _illegal(table, chance)
    if draw < mood.illegal + mood.leave:
        return _leave(table, chance)
    if draw < mood.illegal + mood.leave + mood.strike:
        return _strike(table, chance)
    return _legal(table, chance)


def _legal(table: Table, chance: Random) -> Input:
    turn = table.last.turn
    if not turn:
        return Strike()
    act = table.propose(chance.choice(list(turn)), chance)
    return act if act.wait or chance.random() < 0.8 else Act(act.seat, act.body, chance.choice((0.001, 0.5, 3.0, 1e6)))


def _leave(table: Table, chance: Random) -> Leave:
    playing = table.playing
    count = 1 if chance.random() < 0.6 else chance.randint(1, len(playing))
    reason = chance.choice((Reason.RESIGNED, Reason.DISCONNECTED))
    return Leave(tuple(chance.sample(playing, count)), reason, chance.choice((0.0, 0.0, 1.5)))


def _strike(table: Table, chance: Random) -> Strike:
    away: tuple[Seat, ...] = tuple(seat for seat in table.playing if chance.random() < 0.3)
    return Strike(away, chance.choice((0.0, 0.0, 0.25, 100.0)))


def _illegal(table: Table, chance: Random) -> Act:
    """Return an action that is probably not allowed: junk, a wrong seat, another phase, or a field gone wrong."""
    gone = list(table.last.out)
    seat = chance.choice(gone) if gone and chance.random() < 0.3 else chance.randrange(table.case.seats)
    kinds = list(table.host.actions.values())
    draw = chance.random()
    if draw < 0.1:
        return Act(seat, chance.choice(({}, {"type": None}, {"type": "nonsense"}, {"type": ["x"]}, {"move": 1})))
    if draw < 0.3:
        kind = chance.choice(kinds)
        return Act(seat, {"type": tag(kind), **{field: chance.choice(JUNK) for field in kind.__struct_fields__}})
    body = _body(table, chance)
    return Act(seat, body if draw < 0.6 or not body else {**body, **_spoilt(body, chance)})


def _body(table: Table, chance: Random) -> dict[str, Any]:
    """Return a body that is or was legal for somebody."""
    turn = table.last.turn
    if turn and chance.random() < 0.5:
        return table.propose(chance.choice(list(turn)), chance).body
    given = chance.choice(table.given) if table.given else None
    return given.body if isinstance(given, Act) else {"type": tag(chance.choice(list(table.host.actions.values())))}


def _spoilt(body: dict[str, Any], chance: Random) -> dict[str, Any]:
    """Return one field of a body, spoilt somewhere within; the type now and then."""
    field = chance.choice(list(body))
    return {field: body[field] if field == "type" and chance.random() < 0.8 else _spoil(body[field], chance)}


def _spoil(value: Any, chance: Random) -> Any:
    if isinstance(value, (list, tuple)) and value and chance.random() < 0.8:
        index = chance.randrange(len(value))
        return [*value[:index], _spoil(value[index], chance), *value[index + 1 :]][: chance.choice((None, -1, None))]
    if isinstance(value, dict) and value and chance.random() < 0.8:
        key = chance.choice(list(value))
        return {**value, key: _spoil(value[key], chance)}
    if type(value) is int and chance.random() < 0.5:
        return value + chance.choice((-1, 1, 10, -100))
    return chance.choice(JUNK)
