"""Tic-tac-toe: three in a row on a board of 3 by 3. Only its rules.

Squares are counted 0 to 8, row by row. The example of docs/adding-a-game.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from games.contract import (
    PLAYER,
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
    update,
    your_turn,
)
from games.duel import BOTH, drawn, failed, won_by

TURN_SECONDS: Final = 60.0

SQUARES: Final = range(9)
MARKS: Final = ("X", "O")
ROWS: Final = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
"""The eight ways to have three in a row."""

Board = tuple[Seat | None, ...]
"""Who has marked each square."""


class Mark(Action, frozen=True, tag="mark"):
    """Put your mark on a free square."""

    square: Annotated[int, Meta(ge=0, le=8, description="0 to 8, row by row from the top left.")]


class TicTacToeOptions(TurnOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who begins, and the clock."""

    first: Annotated[Literal["joined", "drawn"], Meta(description="Who begins: first to join, or by lot.")] = "joined"


class State(Struct, frozen=True):
    """A match. `mover` is to mark a square before `deadline`."""

    options: TicTacToeOptions
    mover: Seat
    deadline: float
    board: Board = (None,) * len(SQUARES)
    outcome: Outcome | None = None


class TicTacToe(Rules):
    """The rules of tic-tac-toe."""

    info = GameInfo("tictactoe", "Three in a row on a board of 3 by 3.", version=1)
    options: type[Options] = TicTacToeOptions
    actions: Sequence[type[Action]] = (Mark,)
    state: type[Struct] = State

    def start(self, options: TicTacToeOptions, seats: int, seed: int) -> Step:
        """Tell who has which mark, and let one of them begin."""
        mover = Random(seed).choice(BOTH) if options.first == "drawn" else 0
        state = State(options, mover, _seconds(options))
        marks = {PLAYER[mover]: MARKS[0], PLAYER[1 - mover]: MARKS[1]}
        return Step(state, (update({"type": "start", "marks": marks}), _call(state)))

    def turn(self, state: State) -> Mapping[Seat, float]:
        """Return the one who is to mark a square."""
        return {} if state.outcome else {state.mover: state.deadline}

    def admit(self, state: State, seat: Seat, action: type[Action], now: float) -> None:
        """Refuse whoever is not to move."""
        if seat != state.mover:
            raise Refused(Refusal.NOT_YOUR_TURN, "the other player is to move; wait for game.your_turn")

    def apply(self, state: State, seat: Seat, action: Mark, now: float) -> Step:
        """Mark a square; then it is the other's turn, or the match is over."""
        if state.board[action.square] is not None:
            free = ", ".join(str(square) for square in SQUARES if state.board[square] is None)
            raise Refused(Refusal.INVALID_MOVE, f"square {action.square} is taken; free are {free}")
        board = (*state.board[: action.square], seat, *state.board[action.square + 1 :])
        shown = acted({"type": "mark", "player": PLAYER[seat], "square": action.square})
        after = replace(
            state, board=board, mover=1 - seat, deadline=now + _seconds(state.options), outcome=_decide(board, seat)
        )
        return Step(after, (shown,) if after.outcome else (shown, _call(after)))

    def forfeit(self, state: State, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        """End the match: whoever stays has won."""
        return Step(replace(state, outcome=failed(seats, reason)))

    def expire(self, state: State, now: float, away: frozenset[Seat]) -> Step:
        """Take the one who is out of time out of the match."""
        return self.forfeit(state, frozenset((state.mover,)), Reason.TIMEOUT, now)

    def outcome(self, state: State) -> Outcome | None:
        """Return how the match ended, `None` while it lives."""
        return state.outcome

    def view(self, state: State, seat: Seat | None) -> Body:
        """Return the board, the same for everyone, with the players' names on it."""
        return {"board": [None if owner is None else PLAYER[owner] for owner in state.board]}

    def sample(self, state: State, seat: Seat, chance: Random) -> Action:
        """Return a random free square."""
        return Mark(chance.choice([square for square in SQUARES if state.board[square] is None]))


def _decide(board: Board, seat: Seat) -> Outcome | None:
    """Return how the mark that a seat has just put ends the match, if it does."""
    if any(all(board[square] == seat for square in row) for row in ROWS):
        return won_by(seat)
    return drawn() if None not in board else None


def _seconds(options: TicTacToeOptions) -> float:
    return float(options.turn_seconds or TURN_SECONDS)


def _call(state: State) -> Fact:
    return your_turn((state.mover,), state.options.turn_seconds)
