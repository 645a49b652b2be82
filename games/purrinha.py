"""The rules of Purrinha: two to four players hide a number each, then guess the sum in turn.

Owns the phases of a set, the score, and who plays on when somebody leaves; it tells no pick before its set is finished.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Annotated, Final, assert_never

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
    acted,
    update,
    your_turn,
)
from games.purrinha_table import MOST_HIDDEN, MOST_PLAYERS, Hand, PurrinhaOptions, Round, Table, shown

DEFAULT_SECONDS: Final = 60.0
LAST_SET: Final = 100


class PickInitialNumber(Action, frozen=True, tag="pick_initial_number"):
    """Hide a number."""

    # The schema only shows the range: the rules check it, as they can say what would be right.
    selected_value: Annotated[int, Meta(extra_json_schema={"minimum": 0, "maximum": MOST_HIDDEN})]


class SumGuessed(Action, frozen=True, tag="sum_guessed"):
    """Guess the sum of what all have hidden: one of `available_to_guess`."""

    selected_value: Annotated[int, Meta(extra_json_schema={"minimum": 0, "maximum": MOST_HIDDEN * MOST_PLAYERS})]


class Purrinha(Rules):
    """Purrinha for two to four, each for themselves."""

    info = GameInfo(
        name="purrinha",
        summary="Hide a number from 0 to 3, then guess the sum of all that is hidden.",
        version=1,
        max_players=MOST_PLAYERS,
    )
    options: type[Options] = PurrinhaOptions
    actions: Sequence[type[Action]] = (PickInitialNumber, SumGuessed)
    state: type[Struct] = Table

    def start(self, options: PurrinhaOptions, seats: int, seed: int) -> Step:
        """Begin with everyone choosing and the first seat in the lead."""
        table = Table(
            options=options,
            playing=tuple(range(seats)),
            hands=(Hand(),) * seats,
            won=(0,) * seats,
            deadline=_seconds(options),
        )
        return Step(table, (_game_state(table), _ask(table)))

    def turn(self, state: Table) -> Mapping[Seat, float]:
        """Return who has yet to pick, or the one to guess."""
        return dict.fromkeys(state.owing, state.deadline)

    def admit(self, state: Table, seat: Seat, action: type[Action], now: float) -> None:
        """Refuse an action of another phase, and one of a seat that does not owe it."""
        expected = PickInitialNumber if state.round is Round.CHOOSING else SumGuessed
        if action is not expected or seat not in state.owing:
            raise Refused(Refusal.NOT_YOUR_TURN, _why_not(state, seat, action))

    def apply(self, state: Table, seat: Seat, action: PickInitialNumber | SumGuessed, now: float) -> Step:
        """Hide a pick, or show a guess to everyone."""
        number = action.selected_value
        match action:
            case PickInitialNumber():
                if not 0 <= number <= MOST_HIDDEN:
                    raise Refused(
                        Refusal.INVALID_MOVE, f"{number} can't be hidden; hide a number from 0 to {MOST_HIDDEN}"
                    )
                return _go_on(state, _with_hand(state, seat, Hand(pick=number)), now)
            case SumGuessed():
                _check_guess(state, number)
                hand = replace(state.hands[seat], guess=number)
                told = acted({"type": "sum_guessed", "player": PLAYER[seat], "selected_value": number})
                return _go_on(state, _with_hand(state, seat, hand), now, (told,))
            case _:
                assert_never(action)

    def forfeit(self, state: Table, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        """Take seats out, in seat order; the others play on while there are two of them."""
        left = tuple(seat for seat in state.playing if seat not in seats)
        facts = tuple(_farewell(state, sorted(seats), reason))
        if len(left) > 1:
            return _go_on(state, _without(state, left), now, facts)
        results = _results(state, wins=left, void=() if left else seats)
        over = replace(state, playing=left, outcome=Outcome(results, reason))
        return Step(over, facts)

    def expire(self, state: Table, now: float, away: frozenset[Seat]) -> Step:
        """Take out all who owe an action: those who owe at one time were asked at one time."""
        return self.forfeit(state, frozenset(state.owing), Reason.TIMEOUT, now)

    def outcome(self, state: Table) -> Outcome | None:
        """Return how the match ended."""
        return state.outcome

    def view(self, state: Table, seat: Seat | None) -> Body:
        """Return the last `game_state`, and to a player the number they hide themselves."""
        seen = shown(state)
        return seen if seat is None else {**seen, "your_pick": state.hands[seat].pick}

    def sample(self, state: Table, seat: Seat, chance: Random) -> Action:
        """Pick anything; guess a sum that the own pick allows while one is left."""
        if state.round is Round.CHOOSING:
            return PickInitialNumber(chance.randint(0, MOST_HIDDEN))
        least = state.hands[seat].pick or 0
        most = least + MOST_HIDDEN * sum(hand.pick is not None for hand in state.hands) - MOST_HIDDEN
        possible = [number for number in state.untaken if least <= number <= most]
        return SumGuessed(chance.choice(possible or state.untaken))


def _seconds(options: PurrinhaOptions) -> float:
    return DEFAULT_SECONDS if options.turn_seconds is None else float(options.turn_seconds)


def _with_hand(state: Table, seat: Seat, hand: Hand) -> Table:
    return replace(state, hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]))


def _why_not(state: Table, seat: Seat, action: type[Action]) -> str:
    if seat not in state.playing:
        return "you have left this match"
    if state.round is Round.CHOOSING:
        if action is SumGuessed:
            return "nobody guesses before everyone has picked; pick with pick_initial_number"
        return "you have picked already; wait for the others"
    if action is PickInitialNumber:
        return "the picks of this set are made; what comes now is sum_guessed, each in turn"
    return "it is not your turn to guess; wait for your_turn"


def _check_guess(state: Table, number: int) -> None:
    if number not in state.sums:
        raise Refused(Refusal.INVALID_MOVE, f"{number} can't be the sum; guess a number from 0 to {state.sums[-1]}")
    if number not in state.untaken:
        raise Refused(Refusal.INVALID_MOVE, f"{number} was guessed already; guess one of {state.untaken}")


def _farewell(state: Table, leavers: Sequence[Seat], reason: Reason) -> Iterable[Fact | Out]:
    """Tell who leaves. Each is out at once, but where the match ends with it: at a table of two, with the last but one,
    and where nobody is left and so nobody has lost."""
    if len(state.seats) == 2:
        return
    remaining = len(state.playing)
    for seat in leavers:
        remaining -= 1
        yield update({"type": "player_left", "player": PLAYER[seat], "reason": reason})
        if remaining > 1 and len(leavers) < len(state.playing):
            yield Out(seat, reason)


def _without(state: Table, playing: tuple[Seat, ...]) -> Table:
    """Take the leavers from the set: their picks go while choosing and stand while guessing, an unused lead goes on."""
    after = replace(state, playing=playing)
    if state.round is Round.CHOOSING:
        after = replace(after, hands=tuple(state.hands[seat] if seat in playing else Hand() for seat in state.seats))
    if state.hands[state.lead].guess is None:
        after = replace(after, lead=after.from_seat(state.lead)[0])
    return after


def _go_on(before: Table, after: Table, now: float, facts: tuple[Fact | Out, ...] = ()) -> Step:
    """Enter the phase that is due, tell the table, and ask those who newly owe an action. Each ask starts its clock."""
    if after.round is Round.CHOOSING and not after.owing:
        after = replace(after, round=Round.GUESSING)
    if not after.owing:
        after = _finished(after)
        facts = (*facts, _game_state(after))
        if after.outcome is not None:
            return Step(after, facts)
        after = _next_set(after)
    if _asks(after) <= _asks(before):
        return Step(after, (*facts, _game_state(after)))
    after = replace(after, deadline=now + _seconds(after.options))
    return Step(after, (*facts, _game_state(after), _ask(after)))


def _asks(state: Table) -> set[tuple[int, Round, Seat]]:
    return {(state.sets, state.round, seat) for seat in state.owing}


def _finished(state: Table) -> Table:
    """Score the set, and end the match where somebody has the points or it was the last set."""
    winner = state.set_winner
    won = tuple(points + (seat == winner) for seat, points in enumerate(state.won))
    done = replace(state, round=Round.FINISHED, sets=state.sets + 1, won=won)
    best = max(won[seat] for seat in done.playing)
    if best < done.options.points and done.sets < LAST_SET:
        return done
    reason = Reason.NORMAL if best == done.options.points else Reason.ROUND_LIMIT
    leaders = [seat for seat in done.playing if won[seat] == best]
    return replace(done, outcome=Outcome(_results(done, wins=leaders), reason))


def _next_set(state: Table) -> Table:
    return replace(
        state,
        round=Round.CHOOSING,
        hands=(Hand(),) * len(state.hands),
        lead=state.from_seat(state.lead + 1)[0],
    )


def _results(state: Table, *, wins: Sequence[Seat], void: Iterable[Seat] = ()) -> tuple[Result, ...]:
    """Return a result a seat: one winner wins, several draw, all others have lost."""
    results = [Result.LOSS] * len(state.seats)
    for seat in wins:
        results[seat] = Result.WIN if len(wins) == 1 else Result.DRAW
    for seat in void:
        results[seat] = Result.VOID
    return tuple(results)


def _ask(state: Table) -> Fact:
    return your_turn(state.owing, state.options.turn_seconds)


def _game_state(state: Table) -> Fact:
    return update({"type": "game_state", **shown(state)})
