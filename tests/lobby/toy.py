"""A game for tests that does as it is told: it tells much, or breaks its contract where a player says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from games.contract import (
    Action,
    GameInfo,
    Options,
    Outcome,
    Reason,
    Rules,
    Seat,
    Step,
    acted,
    update,
)
from games.duel import BOTH, failed

TIME = 100.0
"""Seconds after the last action at which the match ends, as both have run out of time."""


class Shout(Action, frozen=True, tag="shout"):
    """Tell everyone a text of so many letters."""

    letters: int = 1


class Break(Action, frozen=True, tag="break"):
    """Let a function of the rules fail from now on: `apply` at once, the others when they are next called."""

    what: str


class ToyOptions(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is broken from the start."""

    broken: str = ""


class State(Struct, frozen=True):
    """A match; `broken` is the function that fails."""

    broken: str = ""
    last: float = 0.0
    shouts: int = 0
    outcome: Outcome | None = None


class Toy(Rules):
    """The rules: both may always shout."""

    info = GameInfo("toy", "Shouting.", version=1)
    options: type[Options] = ToyOptions
    actions: Sequence[type[Action]] = (Shout, Break)
    state: type[Struct] = State

    def start(self, options: ToyOptions, seats: int, seed: int) -> Step:
        _fail_if(options.broken == "start")
        return Step(State(options.broken))

    def turn(self, state: State) -> Mapping[Seat, float]:
        _fail_if(state.broken == "turn")
        return {} if state.outcome else dict.fromkeys(BOTH, state.last + TIME)

    def due(self, state: State) -> float | None:
        return None if state.outcome else state.last + TIME

    def admit(self, state: State, seat: Seat, action: type[Action], now: float) -> None:
        _fail_if(state.broken == "admit")

    def apply(self, state: State, seat: Seat, action: Shout | Break, now: float) -> Step:
        if isinstance(action, Shout):
            shouted = replace(state, last=now, shouts=state.shouts + 1)
            return Step(shouted, (acted({"type": "shout", "number": shouted.shouts, "text": "x" * action.letters}),))
        _fail_if(action.what == "apply")
        told = object() if action.what == "telling" else action.what
        return Step(replace(state, last=now, broken=action.what), (update({"type": "broken", "what": told}),))

    def forfeit(self, state: State, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        _fail_if(state.broken == "forfeit")
        return Step(replace(state, outcome=failed(seats, reason)))

    def expire(self, state: State, now: float, away: frozenset[Seat]) -> Step:
        _fail_if(state.broken == "expire")
        return Step(replace(state, outcome=failed(BOTH, Reason.TIMEOUT)))

    def outcome(self, state: State) -> Outcome | None:
        return state.outcome

    def view(self, state: State, seat: Seat | None) -> dict[str, Any]:
        _fail_if(state.broken == "view")
        return {"shouts": state.shouts}

    def sample(self, state: State, seat: Seat, chance: Random) -> Action:
        return Shout()


def _fail_if(broken: bool) -> None:
    if broken:
        raise RuntimeError("a planted fault")
