"""How a round of rps begins and ends, and how that ends the match: the state, the scoring and what is told of it.

What a player may send, and when, stands in `games.rps`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import asdict, replace

from games.contract import SPECTATORS, Fact, Outcome, Reason, Result, Seat, Step, only, update, your_turn
from games.duel import BOTH, drawn, failed, won_by
from games.rps_commits import Seen
from games.rps_options import Terms

Throw = Literal["rock", "paper", "scissors", "dynamite", "bubbles"]
Role = Literal["host", "guest"]

ROLES: Final[tuple[Role, Role]] = ("host", "guest")
MISSES_THAT_LOSE: Final = 3

BEATS: Final[Mapping[Throw | None, tuple[Throw, ...]]] = {
    "rock": ("scissors", "bubbles"),
    "paper": ("rock", "bubbles"),
    "scissors": ("paper", "bubbles"),
    "dynamite": ("rock", "paper", "scissors"),
    "bubbles": ("dynamite",),
    None: (),  # nothing thrown
}


class Phase(StrEnum):
    """What is awaited: one kind of action, in a pause only time, and nothing once it is over."""

    MOVE = "move"
    COMMIT = "commit"
    REVEAL = "reveal"
    PAUSE = "pause"
    OVER = "over"


class Hand(Struct, frozen=True, gc=False):
    """What a seat has left and has done; `missed` counts a row of rounds, `commit` and `choice` are of this round."""

    dynamite: int
    wins: int = 0
    missed: int = 0
    commit: str | None = None
    choice: Throw | None = None


class RoundResult(Struct, frozen=True, gc=False):
    """How a round ended: the fields of the wire's `round_result`, in its order."""

    round: int
    host_choice: Throw | Literal["none"]
    guest_choice: Throw | Literal["none"]
    round_winner: Role | Literal["draw"]
    host_wins: int
    guest_wins: int
    game_over: bool
    game_winner: Role | Literal["draw", "none"]


class RpsState(Struct, frozen=True):
    """A match between two inputs. `since` is when the phase began; a pause lasts until then."""

    terms: Terms
    hands: tuple[Hand, Hand]
    phase: Phase
    since: float = 0.0
    round: int = 0
    seen: Seen = ()  # hashes; empty where there are no commits
    last: RoundResult | None = None
    outcome: Outcome | None = None


def with_hand(state: RpsState, seat: Seat, **changes: Any) -> RpsState:
    """Return the state with one hand changed."""
    host, guest = state.hands
    hands = (replace(host, **changes), guest) if seat == 0 else (host, replace(guest, **changes))
    return replace(state, hands=hands)


def owing(state: RpsState) -> Sequence[Seat]:
    """Return the seats that have yet to act in this phase."""
    match state.phase:
        case Phase.MOVE | Phase.REVEAL:
            return [seat for seat in BOTH if state.hands[seat].choice is None]
        case Phase.COMMIT:
            return [seat for seat in BOTH if state.hands[seat].commit is None]
    return ()


def call(terms: Terms) -> Fact:
    """Ask both players for their action."""
    return your_turn(BOTH, terms.max_think_seconds)


def ready(terms: Terms) -> tuple[Fact, ...]:
    """Tell everyone the terms, and their role."""
    audiences = (("host", only(0)), ("guest", only(1)), ("spectator", SPECTATORS))
    return tuple(
        update(
            {
                "type": "ready",
                "role": role,
                "best_of": terms.best_of,
                "rounds_to_win": terms.rounds_to_win,
                "termination": terms.termination,
                "round_delay_seconds": terms.round_delay_seconds,
                "commit_reveal": terms.commit_reveal,
                "allow_bubbles": terms.allow_bubbles,
                "dynamite_count": terms.dynamite_count,
            },
            to,
        )
        for role, to in audiences
    )


def open_round(state: RpsState, now: float, told: tuple[Fact, ...] = ()) -> Step:
    """Begin the round that the state stands before."""
    phase = Phase.COMMIT if state.terms.commit_reveal else Phase.MOVE
    return Step(replace(state, phase=phase, since=now), (*told, call(state.terms)))


def close_round(state: RpsState, now: float, *, told: tuple[Fact, ...] = (), away: Collection[Seat] = ()) -> Step:
    """Score the round, as missed by those who still owe an action, and go on to what follows it."""
    missing = owing(state)
    winner = _round_winner(state, missing)
    hands = tuple(_scored(state, seat, won=seat == winner, missed=seat in missing, away=seat in away) for seat in BOTH)
    outcome = _ending(state, hands)
    last = RoundResult(
        round=state.round,
        host_choice=state.hands[0].choice or "none",
        guest_choice=state.hands[1].choice or "none",
        round_winner="draw" if winner is None else ROLES[winner],
        host_wins=hands[0].wins,
        guest_wins=hands[1].wins,
        game_over=outcome is not None,
        game_winner=_game_winner(outcome),
    )
    told = (*told, update({"type": "round_result", **asdict(last)}))
    state = replace(state, hands=hands, last=last)
    return Step(over(state, outcome), told) if outcome else _next_round(state, now, told)


def over(state: RpsState, outcome: Outcome) -> RpsState:
    """Return the state of a match that has ended."""
    return replace(state, phase=Phase.OVER, outcome=outcome)


def _next_round(state: RpsState, now: float, told: tuple[Fact, ...]) -> Step:
    state = replace(state, round=state.round + 1)
    if delay := state.terms.round_delay_seconds:
        return Step(replace(state, phase=Phase.PAUSE, since=now + delay), told)
    return open_round(state, now, told)


def _round_winner(state: RpsState, missing: Sequence[Seat]) -> Seat | None:
    if len(missing) == 1:
        return 1 - missing[0]
    host, guest = (hand.choice for hand in state.hands)
    if guest in BEATS[host]:
        return 0
    return 1 if host in BEATS[guest] else None


def _scored(state: RpsState, seat: Seat, *, won: bool, missed: bool, away: bool) -> Hand:
    """Return a hand after a round. A dynamite goes where it was thrown, and where a due reveal was withheld."""
    hand = state.hands[seat]
    spent = hand.choice == "dynamite" or (missed and state.phase is Phase.REVEAL)
    return Hand(
        dynamite=max(0, hand.dynamite - spent),
        wins=hand.wins + won,
        missed=hand.missed + (not away) if missed else 0,
    )


def _ending(state: RpsState, hands: Sequence[Hand]) -> Outcome | None:
    """Return how the round that gave these hands ends the match; a row of misses counts before any score."""
    terms = state.terms
    gone = [seat for seat in BOTH if hands[seat].missed >= MISSES_THAT_LOSE]
    if gone:
        return failed(gone, Reason.TIMEOUT)
    by_wins = terms.termination == "first_to_win"
    if by_wins and any(hand.wins >= terms.rounds_to_win for hand in hands):
        return _decided(hands, Reason.NORMAL)
    if state.round >= terms.last_round:
        return _decided(hands, Reason.ROUND_LIMIT if by_wins else Reason.NORMAL)
    return None


def _decided(hands: Sequence[Hand], reason: Reason) -> Outcome:
    host, guest = (hand.wins for hand in hands)
    return drawn(reason) if host == guest else won_by(0 if host > guest else 1, reason)


def _game_winner(outcome: Outcome | None) -> Role | Literal["draw", "none"]:
    if outcome is None or Result.VOID in outcome.results:
        return "none"
    return ROLES[outcome.results.index(Result.WIN)] if Result.WIN in outcome.results else "draw"
