"""Reports: a broken property and the history that breaks it, for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from games.check.history import Act, Case, Input, Leave, Strike
from games.check.host import Game
from games.check.properties import Broken
from games.check.table import Table, Turn
from games.contract import Engine, Out


def tell(name: str, broken: Broken, case: Case | None, game: Game) -> str:
    """Return the lines that say what broke, how, and by which inputs."""
    lines = [f"{name}: BROKEN: {broken.property}", f"  {broken.detail}"]
    if case is not None:
        options = _json(msgspec.to_builtins(case.options))
        lines.append(f"  shortest history found: {len(case.inputs)} inputs after the start")
        lines.append(f"    {case.seats} seats, seed {case.seed}, options {options}")
        lines += [f"    {line}" for line in _story(game(), case)]
    return "\n".join(lines)


def _story(engine: Engine, case: Case) -> Iterator[str]:
    """Play the case once more, and yield a line an input; the one that breaks it off has no answer."""
    try:
        table = Table(engine, case)
        table.begin()
    except Broken:
        yield "0. start"
        return
    yield f"0. at 0 s: start; tells {_told(table.last)}"
    for number, given in enumerate(case.inputs, start=1):
        try:
            turn = table.take(given)
        except Broken:
            yield f"{number}. {_deed(given)}"
            return
        yield f"{number}. at {turn.at:g} s: {_deed(given)}; {_answer(turn)}"
        if turn.outcome is not None:
            yield f"   over: {' '.join(turn.outcome.results)}, {turn.outcome.reason}"
            return


def _deed(given: Input) -> str:
    match given:
        case Act():
            return f"seat {given.seat} sends {_json(given.body)}"
        case Leave():
            return f"seats {', '.join(map(str, given.seats))} leave, {given.reason}"
        case Strike():
            return f"time strikes{f', away: {list(given.away)}' if given.away else ''}"


def _answer(turn: Turn) -> str:
    if turn.refusing is not None:
        return f"{turn.refusing.code} {turn.refusing.message}".rstrip()
    return f"tells {_told(turn)}"


def _told(turn: Turn) -> str:
    names = [f"Out({fact.seat})" if isinstance(fact, Out) else fact.name for fact in turn.facts]
    return ", ".join(names) or "nothing"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
