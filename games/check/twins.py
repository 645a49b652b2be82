"""Secrets: whether two histories that look alike to a viewer stay alike to them.

A *twin* is the same match in which, at one step, a seat `A` did another legal action than it did. From that step on
both get the same inputs, at the same times. A viewer `V` is any other seat, or the spectators. While every line that
V was told is the same in both, to the byte, they *look alike* to V. Three things then hold of every game, whatever
its rules; no engine needs to declare anything for them:

KNOWN: While they look alike to V, so do the views, who is in turn and until when, when time is due, and the answers
to V's own requests, accepted or refused, messages included. So only a line reveals: what leaks through `view`,
`turn`, `due` or an error message is convicted. (A seat that is out counts what spectators are told as its own lines.
After the end a view may show everything.)

WATCHED: While they look alike to a seat that plays, they look alike to the spectators: anyone may watch, so a
spectator must never know what would hurt a player. A leak to spectators alone is convicted.

HIDDEN: From A's action on, while any seat that owed an action along with A still owes the same one (it has been in
turn all along, and was not asked anew), they go on looking alike to every V. The one exception is an action that is
public by declaration: V was told a `game.action` with A as its `player`, and it is that which differs. So a hidden
choice that comes out, to anybody, before the others have made theirs is convicted.

What this can't see: a line that reveals a secret too early by the rules, but after everyone asked has answered. Only
the rules know that moment, so each game's own tests pin it. A twin ends where it can no longer be compared: when an
input is legal in one match and not in the other, or when nobody is left to whom they look alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, Final

import msgspec

from games.check.history import Act
from games.check.host import Refusing
from games.check.lines import asked, heard
from games.check.properties import Broken, Property
from games.check.table import Table, Turn
from games.contract import Fact, Out, Player, Seat, Step, only

REACH: Final = 24  # steps for which twins are compared; a shrinking run compares to the end

Viewer = Seat | None


def check_twins(table: Table, chance: Random | None = None) -> None:
    """Compare a match with twins: with a few that chance picks, or with every step's."""
    acts = [index for index, turn in enumerate(table.turns) if isinstance(turn.given, Act) and turn.refusing is None]
    if chance is not None:
        acts = [chance.choice(acts)] if acts else []
    reach = len(table.turns) if chance is None else REACH
    for index in acts:
        for act in _otherwise(table, index, lucks=range(6) if chance is None else (chance.getrandbits(32),)):
            Twin(table, index, act).compare(table.turns[index : index + reach])


def _otherwise(table: Table, index: int, lucks: Iterable[int]) -> Iterator[Act]:
    """Propose what the seat could have done instead."""
    turn, previous = table.turns[index], table.turns[index - 1]
    given = turn.given
    assert isinstance(given, Act)
    if given.seat not in previous.turn:
        return
    for luck in lucks:
        action = table.engine.sample(turn.before, given.seat, Random(luck))
        other = Act(given.seat, msgspec.to_builtins(action), given.wait)
        if other.body != given.body:
            yield other


class Twin:
    """A second course of one match, from the step at which a seat acts otherwise."""

    def __init__(self, table: Table, index: int, act: Act) -> None:
        """Take a match, and what its step `index` could have been instead."""
        self.table, self.act = table, act
        self.state: Any = table.turns[index].before
        self.owing = set(table.turns[index - 1].turn) - {act.seat}
        self.alike: set[Viewer] = {seat for seat in range(table.case.seats) if seat != act.seat} | {None}
        self.story = f"had seat {act.seat} done {act.body} instead of {table.turns[index].given.body} at step {index}"  # type: ignore[union-attr]

    def compare(self, turns: Sequence[Turn]) -> None:
        """Go through both courses side by side. Raise `Broken` where a secret comes out."""
        for number, turn in enumerate(turns):
            given = self.act if number == 0 else turn.given
            assert given is not None
            reply = self.table.host.reply(self.state, given, turn.at)
            if isinstance(reply, Refusing) or turn.refusing is not None:
                if reply == turn.refusing:
                    continue
                if number and isinstance(given, Act) and given.seat in self.alike:
                    self._leak(Property.KNOWN, f"seat {given.seat} gets another answer to {given.body}")
                return
            self.state = reply.state
            if not self._go_on(turn, reply):
                return

    def _go_on(self, turn: Turn, step: Step) -> bool:
        """Compare what one accepted input led to, and return whether there is anything left to compare."""
        outcome = self.table.engine.outcome(step.state)
        known = asked(turn.facts)
        self.owing = {seat for seat in self.owing if seat in turn.turn and not known & only(seat)}
        if repr(turn.facts) != repr(step.facts) or outcome != turn.outcome:
            self._compare_lines(turn.facts, step.facts, over=outcome != turn.outcome)
        if not self.alike or outcome is not None or turn.outcome is not None:
            return False
        self._compare_knowledge(turn, step.state)
        return True

    def _compare_lines(self, facts: Sequence[Fact | Out], others: Sequence[Fact | Out], *, over: bool) -> None:
        before = set(self.alike)
        for viewer in before:
            here, there = heard(facts, viewer), heard(others, viewer)
            if over or repr(here) != repr(there):
                self.alike.discard(viewer)
                if self.owing and _declared(here, self.act.seat) == _declared(there, self.act.seat):
                    what = f"is told {_first_difference(here, there)}, and {_names(self.owing)} still owe their own"
                    self._leak(Property.HIDDEN, f"{_name(viewer)} {what}")
        if None in before and None not in self.alike:
            self._compare_watchers(facts, others)

    def _compare_watchers(self, facts: Sequence[Fact | Out], others: Sequence[Fact | Out]) -> None:
        for seat in self.alike - self.table.last.out:
            difference = _first_difference(heard(facts, None), heard(others, None))
            self._leak(Property.WATCHED, f"spectators are told {difference}, and seat {seat} can't know it")

    def _compare_knowledge(self, turn: Turn, state: Any) -> None:
        engine = self.table.engine
        alike = [viewer for viewer in self.alike if viewer not in turn.out or None in self.alike]
        if alike and (dict(engine.turn(state)) != turn.turn or engine.due(state) != turn.due):
            self._leak(Property.KNOWN, f"{_name(alike[0])} sees that another is in turn, or until another time")
        for viewer in alike:
            here, there = repr(engine.view(turn.after, viewer)), repr(engine.view(state, viewer))
            if here != there:
                self._leak(Property.KNOWN, f"{_name(viewer)} sees in its view {_excerpt(here, there)}")

    def _leak(self, broken: Property, detail: str) -> None:
        raise Broken(broken, f"{detail}: {self.story}")


def _declared(facts: Sequence[Fact | Out], seat: Seat) -> str:
    """Return what was told of a seat's action as public."""
    return repr(
        [
            fact.body
            for fact in facts
            if isinstance(fact, Fact)
            and fact.name == "game.action"
            and fact.body is not None
            and fact.body.get("player") == Player(seat)
        ]
    )


def _first_difference(here: Sequence[Fact | Out], there: Sequence[Fact | Out]) -> str:
    for one, other in zip(here, there, strict=False):
        if repr(one) != repr(other):
            return _excerpt(repr(one), repr(other))
    return "the end otherwise" if len(here) == len(there) else f"{len(here)} lines instead of {len(there)}"


def _excerpt(here: str, there: str) -> str:
    """Return both texts round their first difference."""
    at = next((index for index, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), 0)
    start = max(at - 30, 0)
    return f"`...{here[start : at + 20]}` instead of `...{there[start : at + 20]}`"


def _name(viewer: Viewer) -> str:
    return "a spectator" if viewer is None else f"seat {viewer}"


def _names(seats: Iterable[Seat]) -> str:
    return " and ".join(f"seat {seat}" for seat in sorted(seats))
