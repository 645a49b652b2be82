"""Shrinking: from a history that breaks a property to the shortest one found that still does."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from msgspec.structs import replace

from games.check.history import Case, Input, Strike
from games.check.host import Game
from games.check.options import settled
from games.check.play import finish
from games.check.properties import SECRETS, Broken, Property
from games.check.replay import check_replay
from games.check.table import Table
from games.check.twins import check_twins
from games.contract import Engine, OptionRefused

RUNS: Final = 400


def run(game: Game, case: Case, sought: Property) -> Broken | None:
    """Play a case, looking at every step; return how a property is broken by it, `None` where it holds."""
    try:
        table = Table(game(), case, thorough=True)
        table.begin()
        for given in case.inputs:
            if table.over:
                break
            if sought is Property.SAMPLES:
                table.probe_samples()
            table.take(given)
        if sought is Property.ENDS:
            _go_on(game(), table.played)
        _look_back(table, sought)
    except Broken as broken:
        return broken if broken.property is sought else None
    return None


def _look_back(table: Table, sought: Property) -> None:
    """Check what only a whole history shows."""
    if sought is Property.SAMPLES:
        table.probe_samples()
    elif sought in SECRETS:
        check_twins(table)
    elif sought in (Property.REPLAY, Property.ENCODING, Property.FROZEN):
        check_replay(table)


def _go_on(engine: Engine, case: Case) -> None:
    """Play a case to its end, once legally and once by time alone."""
    for idle in (False, True):
        table = Table(engine, case)
        table.begin()
        for given in case.inputs:
            table.take(given)
        finish(table, Random(0), idle=idle)


def shrink(game: Game, case: Case, broken: Broken) -> tuple[Case, Broken]:
    """Return a shorter case that breaks the same property, and how it does; the given ones where none was found."""
    budget = RUNS if broken.property is not Property.ENDS else 6
    found = True
    while found and budget > 0:
        found = False
        for smaller in _smaller(game(), case):
            budget -= 1
            worse = run(game, smaller, broken.property)
            if worse is not None:
                case, broken, found = smaller, worse, True
                break
            if budget <= 0:
                break
    return case, broken


def _smaller(engine: Engine, case: Case) -> Iterator[Case]:
    """Yield simpler cases, the boldest first: less history, then plainer options, then plainer inputs."""
    inputs = case.inputs
    chunk = len(inputs)
    while chunk:
        for start in range(len(inputs) - chunk, -1, -chunk):
            yield replace(case, inputs=(*inputs[:start], *inputs[start + chunk :]))
        chunk //= 2
    for options in _plainer(engine, case.options):
        yield replace(case, options=options, seats=engine.seats(options))
    if case.seed:
        yield replace(case, seed=0)
    for index, given in enumerate(inputs):
        plain = _plain(given)
        if plain != given:
            yield replace(case, inputs=(*inputs[:index], plain, *inputs[index + 1 :]))


def _plainer(engine: Engine, options: Any) -> Iterator[Any]:
    defaults = engine.settle(engine.options())
    if options == defaults:
        return
    yield defaults
    for field in options.__struct_fields__:
        if getattr(options, field) != getattr(defaults, field):
            try:
                yield settled(engine, replace(options, **{field: getattr(defaults, field)}))
            except (OptionRefused, Broken):
                continue


def _plain(given: Input) -> Input:
    return replace(given, away=(), late=0.0) if isinstance(given, Strike) else replace(given, wait=0.0)
