"""Roshambo: rock, paper, scissors over a number of rounds, both players throwing at once. Only its rules.

A live match spends nearly all of its time here, so the facts that repeat are built once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, Final, Literal, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from games.contract import (
    PLAYER,
    SPECTATORS,
    Action,
    Body,
    Fact,
    GameInfo,
    Options,
    Outcome,
    Reason,
    Refusal,
    Refused,
    Rules,
    Seat,
    Step,
    TurnOptions,
    acted,
    constant,
    only,
    update,
    your_turn,
)
from games.duel import BOTH, drawn, failed, won_by

TURN_SECONDS: Final = 30.0

Throw = Literal["ROCK", "PAPER", "SCISSORS"]
THROWS: Final[tuple[Throw, ...]] = get_args(Throw)
BEATS: Final[Mapping[Throw, Throw]] = {"PAPER": "ROCK", "ROCK": "SCISSORS", "SCISSORS": "PAPER"}

SHOWN: Final[tuple[Mapping[str, Fact], ...]] = tuple(
    {move: constant(acted({"type": "move", "player": PLAYER[seat], "move": move})) for move in (*THROWS, "RETIRE")}
    for seat in BOTH
)
"""For each seat, and for each throw and `RETIRE`, the line that shows it."""

YOUR_TURN: Final = constant(your_turn(BOTH))


class Move(Action, frozen=True, tag="move"):
    """Throw in this round. It is shown once both have thrown."""

    move: Throw


class Retire(Action, frozen=True, tag="retire"):
    """Give the match up, at any time."""


class RoshamboOptions(TurnOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many rounds, and how fast."""

    rounds: Annotated[int, Meta(ge=1, le=9999, description="Number of rounds.")] = 3
    pace: Annotated[float, Meta(ge=0, le=60, description="Least seconds between the starts of two rounds.")] = 0.0


class State(Struct, frozen=True, gc=False):
    """A match. `began` is when the round in play was opened or, while it is not `open`, when it is going to be."""

    options: RoshamboOptions
    played: int = 0
    points: tuple[int, int] = (0, 0)
    thrown: tuple[Throw | None, Throw | None] = (None, None)
    last: tuple[Throw, Throw] | None = None
    began: float = 0.0
    open: bool = True
    outcome: Outcome | None = None


class Roshambo(Rules):
    """The rules of Roshambo."""

    info = GameInfo("roshambo", "Rock, paper, scissors over a number of rounds: most points win.", version=1)
    options: type[Options] = RoshamboOptions
    actions: Sequence[type[Action]] = (Move, Retire)
    state: type[Struct] = State

    def start(self, options: RoshamboOptions, seats: int, seed: int) -> Step:
        """Tell who plays whom over how many rounds, and open the first."""
        first, second = PLAYER[:2]
        rounds = options.rounds
        facts = (
            update({"type": "start", "player": first, "opponent": second, "rounds": rounds}, only(0)),
            update({"type": "start", "player": second, "opponent": first, "rounds": rounds}, only(1)),
            update({"type": "start", "players": [first, second], "rounds": rounds}, SPECTATORS),
            _call(options),
        )
        return Step(State(options), facts)

    def turn(self, state: State) -> Mapping[Seat, float]:
        """Return those who have not thrown in an open round."""
        if state.outcome is not None or not state.open:
            return {}
        deadline = _next(state)
        return {seat: deadline for seat in BOTH if state.thrown[seat] is None}

    def due(self, state: State) -> float | None:
        """Return when the open round's clocks run out, or when the next round opens."""
        return None if state.outcome is not None else _next(state)

    def admit(self, state: State, seat: Seat, action: type[Action], now: float) -> None:
        """Refuse a second throw in a round, and one before its round is open."""
        if action is Retire:
            return
        if not state.open:
            raise Refused(Refusal.NOT_YOUR_TURN, "the next round is not open yet; wait for game.your_turn")
        if state.thrown[seat] is not None:
            raise Refused(Refusal.NOT_YOUR_TURN, "you have moved in this round; wait for game.your_turn")

    def apply(self, state: State, seat: Seat, action: Move | Retire, now: float) -> Step:
        """Throw; the second throw of a round ends it. Or retire."""
        if isinstance(action, Retire):
            return self.forfeit(state, frozenset((seat,)), Reason.RESIGNED, now)
        first, second = state.thrown
        if seat == 0:
            first = action.move
        else:
            second = action.move
        if first is None or second is None:
            return Step(replace(state, thrown=(first, second)))
        return _finish_round(state, first, second, now)

    def forfeit(self, state: State, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        """End the match, and show everyone who is gone."""
        facts = tuple(SHOWN[seat]["RETIRE"] for seat in sorted(seats))
        return Step(replace(state, outcome=failed(seats, reason)), facts)

    def expire(self, state: State, now: float, away: frozenset[Seat]) -> Step:
        """Open the round that was held back, or take those out of time out of the match."""
        if not state.open:
            return Step(replace(state, began=now, open=True), (_call(state.options),))
        return self.forfeit(state, frozenset(self.turn(state)), Reason.TIMEOUT, now)

    def outcome(self, state: State) -> Outcome | None:
        """Return how the match ended, `None` while it lives."""
        return state.outcome

    def view(self, state: State, seat: Seat | None) -> Body:
        """Return the score and the last round; to a player also the throw that is still hidden from the other."""
        public = {
            "rounds": state.options.rounds,
            "played": state.played,
            "points": dict(zip(PLAYER, state.points, strict=False)),
            "last": None if state.last is None else dict(zip(PLAYER, state.last, strict=False)),
        }
        return public if seat is None else {**public, "move": state.thrown[seat]}

    def sample(self, state: State, seat: Seat, chance: Random) -> Action:
        """Return a random throw."""
        return Move(chance.choice(THROWS))


def _finish_round(state: State, first: Throw, second: Throw, now: float) -> Step:
    options, played = state.options, state.played + 1
    points = state.points
    if first != second:
        points = (points[0] + 1, points[1]) if BEATS[first] == second else (points[0], points[1] + 1)
    shown = (SHOWN[0][first], SHOWN[1][second])
    if played == options.rounds:
        return Step(State(options, played, points, last=(first, second), outcome=_decide(points)), shown)
    began = max(now, state.began + options.pace)
    opened = began == now
    after = State(options, played, points, last=(first, second), began=began, open=opened)
    return Step(after, (*shown, _call(options)) if opened else shown)


def _decide(points: tuple[int, int]) -> Outcome:
    first, second = points
    return drawn() if first == second else won_by(0 if first > second else 1)


def _next(state: State) -> float:
    return state.began + (state.options.turn_seconds or TURN_SECONDS) if state.open else state.began


def _call(options: RoshamboOptions) -> Fact:
    return YOUR_TURN if options.turn_seconds is None else your_turn(BOTH, options.turn_seconds)
