"""The rules of rps: rock, paper, scissors with dynamite and bubbles, thrown hidden or by commit and reveal.

It owns what a player may send and when, and what that does; rounds and their scoring are in `games.rps_rounds`.
Sources: the XMPP tournament (throws, forfeited moves) and rps-v1 (options, commitments). Seat 0 is the host.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import ceil
from random import Random
from typing import Annotated, Any, ClassVar, Final

from msgspec import Meta
from msgspec.structs import asdict, replace

from games.contract import (
    PLAYER,
    Action,
    Body,
    GameInfo,
    Outcome,
    Reason,
    Refusal,
    Refused,
    Rules,
    Seat,
    Step,
    acted,
)
from games.duel import failed
from games.rps_commits import NOTHING_SEEN, add_seen, commitment, was_seen
from games.rps_options import RpsOptions, Terms, resolve, settle
from games.rps_rounds import (
    ROLES,
    Hand,
    Phase,
    RpsState,
    Throw,
    call,
    close_round,
    open_round,
    over,
    owing,
    ready,
    with_hand,
)

# "$" alone would let a line feed at the end pass.
Hash = Annotated[
    str,
    Meta(
        title="64 lower-case hexadecimal digits",
        description="SHA-256 of choice:nonce, in hexadecimal.",
        pattern=r"^[0-9a-f]{64}$(?!\n)",
    ),
]
Nonce = Annotated[
    str,
    Meta(
        title="16 to 128 lower-case hexadecimal digits",
        description="The secret part of what was committed.",
        pattern=r"^[0-9a-f]{16,128}$(?!\n)",
    ),
]
Round = Annotated[int, Meta(ge=0, description="The round being played, counted from 0.")]


class Move(Action, frozen=True, tag="move"):
    """Throw, in a match without commitments; nobody sees it before the round's result."""

    move: Throw


class Commit(Action, frozen=True, tag="commit"):
    """Bind oneself to a choice without showing it."""

    malformed_field: ClassVar[Mapping[str, Refusal]] = {"hash": Refusal.INVALID_COMMIT}

    round: Round
    hash: Hash


class Reveal(Action, frozen=True, tag="reveal"):
    """Show the choice that one is bound to."""

    round: Round
    choice: Throw
    nonce: Nonce


AWAITED: Final[Mapping[Phase, str]] = {
    Phase.MOVE: "moves are awaited",
    Phase.COMMIT: "commits are awaited; reveals follow once both players have committed",
    Phase.REVEAL: "both players have committed; reveals are awaited",
    Phase.PAUSE: "the next round has not begun; wait for your_turn",
    Phase.OVER: "the match is over",
}


class Rps(Rules):
    """The engine of rps."""

    info = GameInfo("rps", "Rock, paper, scissors, with dynamite, bubbles and commit-reveal on request", version=1)
    options = RpsOptions
    actions = (Move, Commit, Reveal)
    state = RpsState

    def settle(self, sent: RpsOptions) -> RpsOptions:
        """Return the options with the profile, `max_moves` and the defaults filled in."""
        return settle(sent)

    def actions_with(self, options: RpsOptions) -> Sequence[type[Action]]:
        """Return the actions of the mode that is played."""
        return (Commit, Reveal) if options.commit_reveal else (Move,)

    def start(self, options: RpsOptions, seats: int, seed: int) -> Step:
        """Tell everyone the terms and their role, and begin the first round."""
        terms = resolve(options)
        hand = Hand(terms.dynamite_count)
        seen = NOTHING_SEEN if terms.commit_reveal else ()
        return open_round(RpsState(terms, (hand, hand), Phase.PAUSE, seen=seen), 0.0, ready(terms))

    def turn(self, state: RpsState) -> Mapping[Seat, float]:
        """Return who has not yet acted in this phase; both have one clock."""
        return dict.fromkeys(owing(state), state.since + state.terms.clock)

    def due(self, state: RpsState) -> float | None:
        """Return when the clock runs out, or a pause ends."""
        return state.since if state.phase is Phase.PAUSE else super().due(state)

    def admit(self, state: RpsState, seat: Seat, action: type[Action], now: float) -> None:
        """Refuse what belongs to another phase, a second action in a phase, and one before `min_think_seconds`."""
        if action.__struct_config__.tag != state.phase:
            raise Refused(Refusal.NOT_YOUR_TURN, AWAITED[state.phase])
        if seat not in owing(state):
            raise Refused(Refusal.NOT_YOUR_TURN, f"your {state.phase} of this round is in; wait for the other player's")
        early = state.since + state.terms.min_think_seconds - now
        if early > 0 and state.phase is not Phase.REVEAL:
            wait = ceil(early * 1000) / 1000
            raise Refused(Refusal.TOO_SOON, f"too soon after your_turn; try again in {wait:g} s", retry_after=wait)

    def apply(self, state: RpsState, seat: Seat, action: Move | Commit | Reveal, now: float) -> Step:
        """Do an admitted action; the second of a phase ends it."""
        match action:
            case Move():
                return _move(state, seat, action, now)
            case Commit():
                return _commit(state, seat, action, now)
            case Reveal():
                return _reveal(state, seat, action, now)

    def forfeit(self, state: RpsState, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        """End the match: who leaves has lost, and where both do nobody has won."""
        return Step(over(state, failed(seats, reason)))

    def expire(self, state: RpsState, now: float, away: frozenset[Seat]) -> Step:
        """Begin the round that a pause held back, or end the one whose clock has run out."""
        return open_round(state, now) if state.phase is Phase.PAUSE else close_round(state, now, away=away)

    def outcome(self, state: RpsState) -> Outcome | None:
        """Return how the match ended, `None` while it lives."""
        return state.outcome

    def view(self, state: RpsState, seat: Seat | None) -> Body:
        """Return the score, the dynamite left, and what this round has shown to the seat; no sign of a hidden move."""
        body: dict[str, Any] = {
            "role": "spectator" if seat is None else ROLES[seat],
            "phase": state.phase.value,
            "round": state.round,
            **_of_both(state, "wins"),
            **_of_both(state, "dynamite"),
        }
        if state.terms.commit_reveal:
            body |= _of_both(state, "commit") | _of_both(state, "choice")
        elif seat is not None:
            body["move"] = state.hands[seat].choice
        return body | {"last_round": None if state.last is None else asdict(state.last)}

    def sample(self, state: RpsState, seat: Seat, chance: Random) -> Action:
        """Return a random throw or its commit; a reveal finds again what such a commit hid."""
        throws = _throws(state, seat)
        match state.phase:
            case Phase.COMMIT:
                throw = chance.choice(throws)
                hashes = [commitment(throw, nonce) for nonce in _nonces(state, seat)]
                return Commit(
                    state.round, next((fresh for fresh in hashes if not was_seen(state.seen, fresh)), hashes[0])
                )
            case Phase.REVEAL:
                commit, nonces = state.hands[seat].commit, _nonces(state, seat)
                hidden = ((throw, nonce) for nonce in nonces for throw in throws if commitment(throw, nonce) == commit)
                return Reveal(state.round, *next(hidden, (throws[0], nonces[0])))
        return Move(chance.choice(throws))


def _nonces(state: RpsState, seat: Seat) -> list[str]:
    """Return the nonces of sampled commits: more than one, as the other player may have sent the same hash before."""
    return [sha256(f"{seat}/{state.round}/{spare}".encode()).hexdigest() for spare in range(8)]


def _move(state: RpsState, seat: Seat, action: Move, now: float) -> Step:
    throws = _throws(state, seat)
    if action.move not in throws:
        raise Refused(Refusal.INVALID_MOVE, _why_not(action.move, state.terms, throws))
    state = with_hand(state, seat, choice=action.move)
    return Step(state) if owing(state) else close_round(state, now)


def _commit(state: RpsState, seat: Seat, action: Commit, now: float) -> Step:
    _refuse_other_round(state, action.round)
    if was_seen(state.seen, action.hash):
        raise Refused(Refusal.INVALID_COMMIT, "this match has seen that hash; commit with a fresh nonce")
    told = acted({"type": "commit", "player": PLAYER[seat], "round": action.round, "hash": action.hash})
    state = replace(with_hand(state, seat, commit=action.hash), seen=add_seen(state.seen, action.hash))
    if owing(state):
        return Step(state, (told,))
    return Step(replace(state, phase=Phase.REVEAL, since=now), (told, call(state.terms)))


def _reveal(state: RpsState, seat: Seat, action: Reveal, now: float) -> Step:
    """Show a choice. A false one ends the match instead of being refused: to try again would be to choose late."""
    _refuse_other_round(state, action.round)
    told = acted(
        {
            "type": "reveal",
            "player": PLAYER[seat],
            "round": action.round,
            "choice": action.choice,
            "nonce": action.nonce,
        }
    )
    true = commitment(action.choice, action.nonce) == state.hands[seat].commit and action.choice in _throws(state, seat)
    state = with_hand(state, seat, choice=action.choice)
    if not true:
        return Step(over(state, failed({seat}, Reason.COMMIT_MISMATCH)), (told,))
    return Step(state, (told,)) if owing(state) else close_round(state, now, told=(told,))


def _throws(state: RpsState, seat: Seat) -> list[Throw]:
    """Return what a seat may throw now."""
    throws: list[Throw] = ["rock", "paper", "scissors"]
    if state.hands[seat].dynamite:
        throws.append("dynamite")
    if state.terms.allow_bubbles:
        throws.append("bubbles")
    return throws


def _why_not(throw: Throw, terms: Terms, throws: Sequence[Throw]) -> str:
    spent = throw == "dynamite" and terms.dynamite_count
    why = f"your dynamite is spent ({terms.dynamite_count})" if spent else f"{throw} is not allowed in this match"
    return f"{why}; throw {', '.join(throws[:-1])} or {throws[-1]}"


def _refuse_other_round(state: RpsState, number: int) -> None:
    if number != state.round:
        raise Refused(Refusal.INVALID_MOVE, f"round {state.round} is being played, not {number}")


def _of_both(state: RpsState, field: str) -> dict[str, Any]:
    return {f"{role}_{field}": getattr(hand, field) for role, hand in zip(ROLES, state.hands, strict=True)}
