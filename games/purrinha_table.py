"""A table of Purrinha between two inputs: who plays, what is hidden and guessed, and what everyone may see of it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from games.contract import PLAYER, Outcome, Seat, TurnOptions

MOST_PLAYERS: Final = 4
MOST_HIDDEN: Final = 3


class PurrinhaOptions(TurnOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a table agrees on."""

    players: Annotated[int, Meta(ge=2, le=MOST_PLAYERS, description="How many play.")] = 2
    points: Annotated[int, Meta(ge=1, le=99, description="Sets to win for the match.")] = 3


class Round(StrEnum):
    """The phase of a set, in the wire's words."""

    CHOOSING = "choosing"
    GUESSING = "guessing"
    FINISHED = "finished"


class Hand(Struct, frozen=True):
    """What one seat has done in this set."""

    pick: int | None = None
    guess: int | None = None


class Table(Struct, frozen=True, kw_only=True):
    """A match between two inputs. Tuples are by seat, but `playing`: the seats that have not left."""

    options: PurrinhaOptions
    playing: tuple[Seat, ...]
    hands: tuple[Hand, ...]
    won: tuple[int, ...]
    deadline: float
    lead: Seat = 0
    sets: int = 0  # finished
    round: Round = Round.CHOOSING
    outcome: Outcome | None = None

    @property
    def seats(self) -> range:
        """All seats, those that left included."""
        return range(len(self.hands))

    @property
    def sums(self) -> range:
        """All sums that may be guessed. Leaving does not shrink it."""
        return range(MOST_HIDDEN * len(self.hands) + 1)

    @property
    def untaken(self) -> list[int]:
        """The sums that nobody guessed in this set."""
        taken = {hand.guess for hand in self.hands}
        return [number for number in self.sums if number not in taken]

    @property
    def total(self) -> int:
        """The sum of what is hidden."""
        return sum(hand.pick or 0 for hand in self.hands)

    @property
    def set_winner(self) -> Seat | None:
        """Who, of those still playing, guessed the sum."""
        total = self.total
        return next((seat for seat in self.playing if self.hands[seat].guess == total), None)

    @property
    def owing(self) -> tuple[Seat, ...]:
        """The seats whose action is awaited."""
        if self.outcome is not None or self.round is Round.FINISHED:
            return ()
        if self.round is Round.CHOOSING:
            return tuple([seat for seat in self.playing if self.hands[seat].pick is None])
        return tuple([seat for seat in self.from_seat(self.lead) if self.hands[seat].guess is None][:1])

    def from_seat(self, first: Seat) -> Sequence[Seat]:
        """Return the seats still playing in the order round the table, beginning at a seat."""
        playing = self.playing  # by seat
        return [seat for seat in playing if seat >= first] + [seat for seat in playing if seat < first]


def shown(state: Table) -> dict[str, object]:
    """Return what everyone may know, in wire order."""
    finished, guessing = state.round is Round.FINISHED, state.round is Round.GUESSING
    return {
        "available_to_guess": [] if finished else state.untaken,
        "error_message": None,
        "history": {PLAYER[seat]: state.won[seat] for seat in state.seats},
        "players": {f"player{seat + 1}": _shown_hand(state, seat) for seat in state.seats},
        "result": state.total if finished else "waiting",
        "round": state.round.value,
        "player_turn": next((seat + 1 for seat in state.owing if guessing), None),
        "winner": _shown_winner(state) if finished else "waiting",
    }


def _shown_hand(state: Table, seat: Seat) -> dict[str, object]:
    hand = state.hands[seat]
    picked = hand.pick is not None
    return {
        "id": seat + 1,
        "name": PLAYER[seat],
        "quantity": hand.pick if picked and state.round is Round.FINISHED else picked,
        "guess": -1 if hand.guess is None else hand.guess,
    }


def _shown_winner(state: Table) -> object:
    winner = state.set_winner
    return "tie" if winner is None else PLAYER[winner]
