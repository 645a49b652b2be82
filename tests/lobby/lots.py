"""A game for tests of three to five players, with chance and a clock: who draws the longest straw wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from games.contract import (
    PLAYER,
    Action,
    Body,
    Fact,
    GameInfo,
    Options,
    Out,
    Outcome,
    Reason,
    Refusal,
    Refused,
    Result,
    Rules,
    Seat,
    Step,
    TurnOptions,
    acted,
    update,
    your_turn,
)


class Draw(Action, frozen=True, tag="draw"):
    """Draw a straw."""


class LotsOptions(TurnOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many draw."""

    players: Annotated[int, Meta(ge=3, le=5)] = 3


class State(Struct, frozen=True):
    """A match; `straws` are dealt and shown as they are drawn, in order of seats."""

    options: LotsOptions
    straws: tuple[int, ...]
    deadline: float
    next: Seat = 0
    out: tuple[Seat, ...] = ()
    outcome: Outcome | None = None


class Lots(Rules):
    """The rules of drawing lots."""

    info = GameInfo("lots", "The longest straw wins.", version=1, min_players=3, max_players=5)
    options: type[Options] = LotsOptions
    actions: Sequence[type[Action]] = (Draw,)
    state: type[Struct] = State

    def start(self, options: LotsOptions, seats: int, seed: int) -> Step:
        straws = tuple(Random(seed).sample(range(1, 100), seats))
        state = State(options, straws, self._seconds(options))
        return Step(state, (update({"type": "lots", "straws": seats}), your_turn((0,), options.turn_seconds)))

    def turn(self, state: State) -> Mapping[Seat, float]:
        return {} if state.outcome else {state.next: state.deadline}

    def admit(self, state: State, seat: Seat, action: type[Action], now: float) -> None:
        if seat != state.next:
            raise Refused(Refusal.NOT_YOUR_TURN, "wait for game.your_turn")

    def apply(self, state: State, seat: Seat, action: Draw, now: float) -> Step:
        straw = {"type": "draw", "player": PLAYER[seat], "straw": state.straws[seat]}
        return self._pass(state, now, acted(straw))

    def forfeit(self, state: State, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        after = replace(state, out=(*state.out, *sorted(seats)))
        outs = tuple(Out(seat, reason) for seat in sorted(seats))
        return self._pass(after, now, *outs) if state.next in seats or self._alone(after) else Step(after, outs)

    def expire(self, state: State, now: float, away: frozenset[Seat]) -> Step:
        return self.forfeit(state, frozenset((state.next,)), Reason.TIMEOUT, now)

    def outcome(self, state: State) -> Outcome | None:
        return state.outcome

    def view(self, state: State, seat: Seat | None) -> Body:
        return {"drawn": state.straws[: state.next]}

    def sample(self, state: State, seat: Seat, chance: Random) -> Action:
        return Draw()

    def _pass(self, state: State, now: float, *facts: Fact | Out) -> Step:
        left = [seat for seat in range(state.next + 1, len(state.straws)) if seat not in state.out]
        if left and not self._alone(state):
            after = replace(state, next=left[0], deadline=now + self._seconds(state.options))
            return Step(after, (*facts, your_turn((left[0],), state.options.turn_seconds)))
        struck = {fact.seat for fact in facts if isinstance(fact, Out)}
        staying = [seat for seat in range(len(state.straws)) if seat not in state.out]
        best = max(staying, key=lambda seat: state.straws[seat], default=None)
        results = [Result.WIN if seat == best else Result.LOSS for seat in range(len(state.straws))]
        if best is None:
            results = [Result.VOID if seat in struck else result for seat, result in enumerate(results)]
        shown = tuple(fact for fact in facts if not isinstance(fact, Out))
        return Step(replace(state, outcome=Outcome(tuple(results), Reason.NORMAL)), shown)

    @staticmethod
    def _alone(state: State) -> bool:
        return len(state.straws) - len(state.out) <= 1

    @staticmethod
    def _seconds(options: LotsOptions) -> float:
        return float(options.turn_seconds or 20)
