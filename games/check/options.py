"""Random options, drawn from what an options type declares; numbers stay small, so that matches stay short."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import msgspec
from msgspec import inspect

from games.check.properties import Broken, Property
from games.contract import Engine, OptionRefused

SPAN: Final = 5
TRIES: Final = 20


def draw_options(engine: Engine, chance: Random) -> Any:
    """Return settled options: the defaults, or some of them replaced at random; all of them agree with each other."""
    for _ in range(TRIES):
        try:
            return settled(engine, msgspec.convert(_draw(engine, chance), engine.options))
        except OptionRefused:
            continue
    return settled(engine, engine.options())


def settled(engine: Engine, sent: Any) -> Any:
    """Return settled options, checked to stay what they are. Raise `OptionRefused` as the engine does."""
    options = engine.settle(sent)
    if engine.settle(options) != options:
        raise Broken(Property.SETTLED, f"{options} settles to {engine.settle(options)}")
    again = msgspec.json.decode(msgspec.json.encode(options), type=engine.options)
    if again != options or engine.settle(again) != options:
        raise Broken(Property.SETTLED, f"{options} comes back from JSON as {again}")
    return options


def _draw(engine: Engine, chance: Random) -> dict[str, Any]:
    share = chance.choice((0.0, 0.3, 0.7))
    drawn: dict[str, Any] = {}
    for field in _fields(engine):
        if chance.random() < (0.7 if field.encode_name == "players" else share):
            value = _value(field.type, chance)
            if value is not ...:
                drawn[field.encode_name] = value
    return drawn


def _fields(engine: Engine) -> tuple[inspect.Field, ...]:
    described = inspect.type_info(engine.options)
    assert isinstance(described, inspect.StructType)
    return described.fields


def _value(kind: inspect.Type, chance: Random) -> Any:
    """Return a value of a type, `...` where there is no telling what it should be."""
    match kind:
        case inspect.Metadata():
            return _value(kind.type, chance)
        case inspect.UnionType():
            return _value(chance.choice(kind.types), chance)
        case inspect.IntType():
            least, most = _range(kind, 1)
            return chance.randint(int(least), int(most))
        case inspect.FloatType():
            return chance.uniform(*_range(kind, 0))
        case inspect.BoolType():
            return chance.random() < 0.5
        case inspect.LiteralType():
            return chance.choice(kind.values)
        case inspect.EnumType():
            return chance.choice(list(kind.cls)).value
        case inspect.NoneType():
            return None
        case _:
            return ...


def _range(kind: inspect.IntType | inspect.FloatType, step: int) -> tuple[float, float]:
    least = kind.ge if kind.ge is not None else (kind.gt or 0) + step
    most = kind.le if kind.le is not None else (least + SPAN if kind.lt is None else kind.lt - step)
    return least, min(most, least + SPAN)
