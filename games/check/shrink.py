"""Shrinking: from a history that breaks a property to the shortest one found that still does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, product
from random import Random
from typing import Any, Final

from msgspec.structs import replace

from games.check.history import Act, Case, Input, Leave, Strike
from games.check.host import Game, tag
from games.check.options import settled
from games.check.play import finish
from games.check.properties import SECRETS, Broken, Property
from games.check.replay import check_replay
from games.check.table import Table
from games.check.twins import check_twins
from games.contract import Engine, OptionRefused, Reason

RUNS: Final = 400  # from one case to a smaller one
BRIEF_RUNS: Final = 600  # among all histories of one length
ENDLESS_RUNS: Final = 3

Fails = Callable[[Case], Broken | None]


def run(game: Game, case: Case, sought: Property, *, probing: bool) -> Broken | None:
    """Play a case, looking at every step; return how a property is broken by it, `None` where it holds.

    `probing` also tries at every step what `sample` proposes.
    """
    try:
        table = Table(game(), case, thorough=True)
        table.begin()
        if probing:
            table.probe_samples()
        for given in case.inputs:
            if table.over:
                break
            table.take(given)
            if probing:
                table.probe_samples()
        _look_back(table, sought)
        if sought is Property.ENDS:
            _go_on(game(), table.played)
    except Broken as broken:
        return broken if broken.property is sought else None
    return None


def _look_back(table: Table, sought: Property) -> None:
    """Check what only a whole history shows."""
    if sought in SECRETS:
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


def shortest(game: Game, case: Case, broken: Broken) -> tuple[Case, Broken]:
    """Return the shortest case found that breaks the same property, and how it does: at worst the given one."""
    sought, endless = broken.property, broken.property is Property.ENDS
    fails = partial(run, game, sought=sought, probing=not endless and run(game, case, sought, probing=False) is None)
    case, broken = _shrunk(game(), case, broken, fails=fails, budget=ENDLESS_RUNS if endless else RUNS)
    if not endless:
        for length in range(min(len(case.inputs), 3)):
            for inputs in islice(product(_pool(game(), case), repeat=length), BRIEF_RUNS):
                brief = replace(case, inputs=inputs)
                if worse := fails(brief):
                    return brief, worse
    return case, broken


def _shrunk(engine: Engine, case: Case, broken: Broken, *, fails: Fails, budget: int) -> tuple[Case, Broken]:
    """Go from case to smaller case while the property still breaks."""
    while budget > 0:
        for candidate in islice(_smaller(engine, case), budget):
            budget -= 1
            if worse := fails(candidate):
                case, broken = candidate, worse
                break
        else:
            break
    return case, broken


def _pool(engine: Engine, case: Case) -> list[Input]:
    """Return the last inputs of a case, and the plainest that any match may get: short histories are made of these."""
    pool: list[Input] = [*case.inputs[-8:], Strike()]
    for seat in range(case.seats):
        pool.append(Leave((seat,), Reason.RESIGNED))
        pool += [Act(seat, {"type": tag(action)}) for action in engine.actions_with(case.options)]
    return [given for index, given in enumerate(pool) if given not in pool[:index]]


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
