"""A game for tests that breaks its contract in the way that a player, or an option, asks for: `WRONG` lists the ways."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import repeat
from random import Random
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from games.contract import (
    EVERYONE,
    Action,
    Body,
    Fact,
    GameInfo,
    Options,
    Out,
    Outcome,
    Player,
    Reason,
    Refusal,
    Refused,
    Result,
    Rules,
    Seat,
    Step,
    constant,
    update,
)

TIME: Final = 100.0
"""Seconds after the last action at which time acts."""


class State(Struct, frozen=True):
    """A match; `broken` is what goes wrong the next time that the function `where` is called."""

    where: str = ""
    broken: str = ""
    acts: int = 0
    due: Any = TIME
    outcome: Any = None


def telling(fact: Any) -> Callable[[State], Any]:
    return lambda state: Step(state, (fact,))


def ending(outcome: Any) -> Callable[[State], Any]:
    return lambda state: Step(replace(state, outcome=outcome))


def due(due: Any) -> Callable[[State], Any]:
    return lambda state: Step(replace(state, due=due))


def returning(step: Any) -> Callable[[State], Any]:
    return lambda state: step


def raising(error: BaseException) -> Callable[[State], Any]:
    def fail(state: State) -> Any:
        raise error

    return fail


def endless(state: State) -> Any:
    return endless(state)


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


WRONG: Final[dict[str, Callable[[State], Any]]] = {
    "nothing is returned": returning(None),
    "something else is returned": returning({"facts": ()}),
    "there are no facts": lambda state: Step(state, None),  # type: ignore[arg-type]
    "facts have no end": lambda state: Step(state, repeat(update({}))),  # type: ignore[arg-type]
    "facts are too many": lambda state: Step(state, (update({}),) * 257),
    "a fact is a text": telling("hello"),
    "a body is no object": telling(update([1, 2])),  # type: ignore[arg-type]
    "a body can't be written": telling(update({"x": object()})),
    "a body is no text": telling(update({"x": "\ud800"})),
    "a body is too deep": telling(update({"x": nested(100_000)})),
    "a body is too long": telling(update({"x": "x" * 59_980})),
    "a body names nobody": telling(update({"x": Player(2)})),
    "an audience is too wide": telling(update({}, EVERYONE + 1)),
    "an audience is negative": telling(update({}, -1)),
    "an audience is a text": telling(update({}, "all")),  # type: ignore[arg-type]
    "an audience is a fraction": telling(update({}, 1.0)),  # type: ignore[arg-type]
    "a name has blanks": telling(Fact(EVERYONE, "game.update {}\nEVT m2 game.update")),
    "a name is no text": telling(Fact(EVERYONE, 7)),  # type: ignore[arg-type]
    "a name is not the game's": telling(Fact(EVERYONE, "game.result", {"result": "WIN"})),
    "a constant is wrong": telling(constant(update({}, -1))),
    "nobody is out": telling(Out(2, Reason.RESIGNED)),
    "a fraction is out": telling(Out(1.0, Reason.RESIGNED)),  # type: ignore[arg-type]
    "out for no reason": telling(Out(1, "bored")),  # type: ignore[arg-type]
    "time never comes": due(None),
    "time is not a number": due(float("nan")),
    "time is endless": due(float("inf")),
    "time is a text": due("soon"),
    "time is of another kind": due(Decimal(200)),
    "an outcome is a text": ending("over"),
    "results are missing": ending(Outcome((Result.WIN,), Reason.NORMAL)),
    "results are too many": ending(Outcome((Result.VOID,) * 3, Reason.NORMAL)),
    "results are a list": ending(Outcome([Result.WIN, Result.LOSS], Reason.NORMAL)),  # type: ignore[arg-type]
    "a result is none": ending(Outcome((Result.WIN, "LOST"), Reason.NORMAL)),  # type: ignore[arg-type]
    "a reason is none": ending(Outcome((Result.WIN, Result.LOSS), "checkmate")),  # type: ignore[arg-type]
    "an error": raising(ZeroDivisionError("planted")),
    "out of memory": raising(MemoryError()),
    "an exit": lambda state: sys.exit(3),
    "endless recursion": endless,
}
"""What a function that returns a step can do wrong, each a sentence."""

REFUSALS: Final[dict[str, BaseException]] = {
    "a code of the server's": Refused("LINE_TOO_LONG", "no"),  # type: ignore[arg-type]
    "a code of nobody's": Refused("BORED", "no"),  # type: ignore[arg-type]
    "no message": Refused(Refusal.INVALID_MOVE, None),  # type: ignore[arg-type]
    "a message of a book's length": Refused(Refusal.INVALID_MOVE, "x" * 60_000),
    "a field that can't be written": Refused(Refusal.INVALID_MOVE, "no", why=object()),
    "a field that stands there already": Refused(Refusal.INVALID_MOVE, "no", message_=1),
}
REFUSALS["a field that stands there already"].extra = {"message": "yes"}  # type: ignore[attr-defined]
"""How a refusal can be wrong."""


class Break(Action, frozen=True, tag="break"):
    """Let something go wrong: in `apply` at once, in another function the next time that it is called."""

    where: str
    how: str = ""


class Tick(Action, frozen=True, tag="tick"):
    """Let time act again and again, so many seconds after each time; 0 for ever the same time."""

    seconds: float


class Nod(Action, frozen=True, tag="nod"):
    """Do something that is right."""


class RogueOptions(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is wrong from the start, and for how many."""

    start: str = ""
    players: int = 2
    settle: str = ""


class Rogue(Rules):
    """The rules: everyone may always do everything."""

    info = GameInfo("rogue", "Breaking the rules.", version=1, max_players=3)
    options: type[Options] = RogueOptions
    actions: Sequence[type[Action]] = (Break, Tick, Nod)
    state: type[Struct] = State

    def __init__(self) -> None:
        self.settles = True

    def settle(self, sent: RogueOptions) -> Any:
        if not self.settles or sent.settle == "error":
            raise ZeroDivisionError("planted")
        return {"players": 2} if sent.settle == "another type" else sent

    def actions_with(self, options: RogueOptions) -> Sequence[type[Action]]:
        return None if options.start == "no actions" else self.actions  # type: ignore[return-value]

    def start(self, options: RogueOptions, seats: int, seed: int) -> Step:
        state = State()
        return WRONG[options.start](state) if options.start in WRONG else Step(state)

    def turn(self, state: State) -> Mapping[Seat, float]:
        return {}

    def due(self, state: State) -> float | None:
        return state.due

    def admit(self, state: State, seat: Seat, action: type[Action], now: float) -> None:
        if state.where == "admit":
            raise ZeroDivisionError("planted")

    def apply(self, state: State, seat: Seat, action: Any, now: float) -> Step:
        match action:
            case Break("apply", how):
                return WRONG[how](state) if how in WRONG else raising(REFUSALS[how])(state)
            case Break(where, how):
                return Step(replace(state, where=where, broken=how, due=now + TIME))
            case Tick(seconds):
                return Step(replace(state, where="tick", broken=str(seconds), due=now + seconds))
        return Step(replace(state, acts=state.acts + 1, due=now + TIME), (update({"type": "nod"}),))

    def forfeit(self, state: State, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        if state.where == "forfeit":
            return WRONG[state.broken](state) if state.broken else Step(state)
        return Step(state, tuple(Out(seat, reason) for seat in sorted(seats)))

    def expire(self, state: State, now: float, away: frozenset[Seat]) -> Step:
        if state.where == "expire":
            return WRONG[state.broken](state)
        return Step(replace(state, acts=state.acts + 1, due=state.due + float(state.broken or TIME)))

    def outcome(self, state: State) -> Outcome | None:
        return state.outcome

    def view(self, state: State, seat: Seat | None) -> Body:
        if state.where == "view":
            return {"too long": {"x": "x" * 60_000}, "a list": [1]}[state.broken]  # type: ignore[return-value]
        return {"acts": state.acts}

    def sample(self, state: State, seat: Seat, chance: Random) -> Action:
        return Nod()
