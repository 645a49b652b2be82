"""Faults planted for the conformance kit: Purrinha with one thing wrong at a time, and a tiny game that is right.

Imports nothing that a game may not, as the kit looks at that too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from games.check import Property
from games.contract import (
    EVERYONE,
    PLAYER,
    SPECTATORS,
    Action,
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
    only,
    update,
    your_turn,
)
from games.purrinha import PickInitialNumber, Purrinha
from games.purrinha_table import Round, Table


class Throw(Action, frozen=True, tag="throw"):
    """Hide a side of a coin."""

    side: Literal["heads", "tails"]


class Coins(Struct, frozen=True):
    """A match of two coins."""

    thrown: tuple[str | None, ...] = (None, None)
    outcome: Outcome | None = None


class TwoCoins(Rules):
    """A game that is right, of another shape than ours: no options, and one instant reveals all."""

    info = GameInfo(name="two_coins", summary="The first seat wins where the sides are the same.", version=1)
    options: type[Options] = Options
    actions: Sequence[type[Action]] = (Throw,)
    state: type[Struct] = Coins

    def start(self, options: Options, seats: int, seed: int) -> Step:
        return Step(Coins(), (your_turn((0, 1)),))

    def turn(self, state: Coins) -> Mapping[Seat, float]:
        return {} if state.outcome else {seat: 9.0 for seat, side in enumerate(state.thrown) if side is None}

    def admit(self, state: Coins, seat: Seat, action: type[Action], now: float) -> None:
        if seat not in self.turn(state):
            raise Refused(Refusal.NOT_YOUR_TURN, "you have thrown already")

    def apply(self, state: Coins, seat: Seat, action: Throw, now: float) -> Step:
        thrown = tuple(action.side if at == seat else side for at, side in enumerate(state.thrown))
        if None in thrown:
            return Step(Coins(thrown))
        told = [acted({"type": "throw", "player": PLAYER[at], "side": side}) for at, side in enumerate(thrown)]
        results = (Result.WIN, Result.LOSS) if thrown[0] == thrown[1] else (Result.LOSS, Result.WIN)
        return Step(Coins(thrown, Outcome(results, Reason.NORMAL)), tuple(told))

    def forfeit(self, state: Coins, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        lost = Result.VOID if len(seats) == 2 else Result.LOSS
        results = tuple(lost if seat in seats else Result.WIN for seat in (0, 1))
        return Step(replace(state, outcome=Outcome(results, reason)))

    def expire(self, state: Coins, now: float, away: frozenset[Seat]) -> Step:
        return self.forfeit(state, frozenset(self.turn(state)), Reason.TIMEOUT, now)

    def outcome(self, state: Coins) -> Outcome | None:
        return state.outcome

    def view(self, state: Coins, seat: Seat | None) -> dict[str, Any]:
        return {"thrown": sum(side is not None for side in state.thrown)} if state.outcome else {}

    def sample(self, state: Coins, seat: Seat, chance: Random) -> Action:
        return Throw(chance.choice(("heads", "tails")))


@dataclass(frozen=True)
class Plant:
    """A faulty game, the property that convicts it, and the length of the shortest history that shows it."""

    game: type[Purrinha]
    broken: Property
    shortest: int | None


PLANTS: list[Plant] = []


def plant(broken: Property, shortest: int | None) -> Any:
    def planted(game: type[Purrinha]) -> type[Purrinha]:
        PLANTS.append(Plant(game, broken, shortest))
        return game

    return planted


def tell(step: Step, *facts: Fact | Out) -> Step:
    return Step(step.state, (*facts, *step.facts))


def secret(table: Table) -> int:
    return sum((hand.pick or 0) << 2 * seat for seat, hand in enumerate(table.hands))


# -- declarations and options


@plant(Property.DECLARED, None)
class TwoWordsForAName(Purrinha):
    info = replace(Purrinha.info, name="purr inha")


@plant(Property.DECLARED, None)
class TheSameActionTwice(Purrinha):
    actions: Sequence[type[Action]] = (PickInitialNumber, PickInitialNumber)


@plant(Property.SETTLED, None)
class DearerEachTime(Purrinha):
    def settle(self, sent: Any) -> Any:
        return replace(sent, points=min(99, sent.points + 1))


# -- raising and refusing


@plant(Property.RAISES, 1)
class DividesByItsPick(Purrinha):
    def apply(self, state: Table, seat: Seat, action: Any, now: float) -> Step:
        return tell(
            super().apply(state, seat, action, now), update({"type": "share", "of": 1 // action.selected_value})
        )


@plant(Property.RAISES, 1)
class ForfeitsRefused(Purrinha):
    def forfeit(self, state: Table, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        raise Refused(Refusal.INVALID_MOVE, "nobody leaves this table")


@plant(Property.REFUSALS, 1)
class SaysNothing(Purrinha):
    def admit(self, state: Table, seat: Seat, action: type[Action], now: float) -> None:
        if seat not in state.owing or action is not PickInitialNumber:
            raise Refused(Refusal.NOT_YOUR_TURN, "")


@plant(Property.REFUSALS, 1)
class TooSoonForever(Purrinha):
    def admit(self, state: Table, seat: Seat, action: type[Action], now: float) -> None:
        if action is not PickInitialNumber:
            raise Refused(Refusal.TOO_SOON, "wait a little")
        super().admit(state, seat, action, now)


@plant(Property.UNCHANGED, 2)
class CountsWrongGuesses(Purrinha):
    def admit(self, state: Table, seat: Seat, action: type[Action], now: float) -> None:
        if seat not in state.owing:
            force_setattr(state, "sets", state.sets + 1)
        super().admit(state, seat, action, now)


@plant(Property.FROZEN, 1)
class WritesIntoThePast(Purrinha):
    def apply(self, state: Table, seat: Seat, action: Any, now: float) -> Step:
        step = super().apply(state, seat, action, now)
        force_setattr(state, "deadline", now)
        return step


@plant(Property.SAMPLES, 0)
class ProposesFour(Purrinha):
    def sample(self, state: Table, seat: Seat, chance: Random) -> Action:
        return PickInitialNumber(4) if state.round is Round.CHOOSING else super().sample(state, seat, chance)


# -- ends and time


@plant(Property.ENDS, 0)
class BeginsAnew(Purrinha):
    def apply(self, state: Table, seat: Seat, action: Any, now: float) -> Step:
        step = super().apply(state, seat, action, now)
        if step.state.outcome is None:
            return step
        anew = replace(self.start(state.options, len(state.hands), 0).state, playing=state.playing, deadline=now + 60)
        return Step(anew, (*step.facts, your_turn(anew.owing, state.options.turn_seconds)))


@plant(Property.AT_REST, 1)
class OwesBeyondTheEnd(Purrinha):
    def turn(self, state: Table) -> Mapping[Seat, float]:
        return super().turn(state) or {0: state.deadline}


@plant(Property.CLOCK, 2)
class GuessesWithoutAClock(Purrinha):
    def due(self, state: Table) -> float | None:
        return super().due(state) if state.round is Round.CHOOSING else None


@plant(Property.CLOCK, 0)
class StrikesLate(Purrinha):
    def due(self, state: Table) -> float | None:
        due = super().due(state)
        return None if due is None else due + 1


@plant(Property.PROGRESS, 1)
class SleepsThroughTime(Purrinha):
    def expire(self, state: Table, now: float, away: frozenset[Seat]) -> Step:
        return Step(state)


@plant(Property.TURNS, 1)
class WaitsForTheGone(Purrinha):
    def turn(self, state: Table) -> Mapping[Seat, float]:
        if state.round is Round.CHOOSING and state.outcome is None:
            return {seat: state.deadline for seat in state.seats if state.hands[seat].pick is None}
        return super().turn(state)


# -- what is told


@plant(Property.ASKS, 0)
class AsksFirst(Purrinha):
    def start(self, options: Any, seats: int, seed: int) -> Step:
        step = super().start(options, seats, seed)
        return Step(step.state, step.facts[::-1])


@plant(Property.ASKS, 1)
class AsksAtTheEnd(Purrinha):
    def forfeit(self, state: Table, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        step = super().forfeit(state, seats, reason, now)
        return Step(step.state, (*step.facts, your_turn((0,)))) if step.state.outcome else step


@plant(Property.ASKS, 0)
class AsksSpectators(Purrinha):
    def start(self, options: Any, seats: int, seed: int) -> Step:
        step = super().start(options, seats, seed)
        return Step(step.state, (step.facts[0], Fact(EVERYONE, "game.your_turn")))


@plant(Property.ASKS, 0)
class AlwaysShowsTheClock(Purrinha):
    def start(self, options: Any, seats: int, seed: int) -> Step:
        step = super().start(options, seats, seed)
        return Step(step.state, (step.facts[0], your_turn(range(seats), 60)))


@plant(Property.LINES, 1)
class TellsWhatIsNoNumber(Purrinha):
    def apply(self, state: Table, seat: Seat, action: Any, now: float) -> Step:
        return tell(super().apply(state, seat, action, now), update({"type": "odds", "odds": float("nan")}))


@plant(Property.LINES, 0)
class TellsABook(Purrinha):
    def start(self, options: Any, seats: int, seed: int) -> Step:
        return tell(super().start(options, seats, seed), update({"type": "rules", "text": "read on " * 8000}))


@plant(Property.LINES, 0)
class TellsNobody(Purrinha):
    def start(self, options: Any, seats: int, seed: int) -> Step:
        return tell(super().start(options, seats, seed), update({"type": "hello"}, only(9)))


@plant(Property.LINES, 0)
class TellsTheResultItself(Purrinha):
    def start(self, options: Any, seats: int, seed: int) -> Step:
        return tell(super().start(options, seats, seed), Fact(EVERYONE, "game.result", {"result": "WIN"}))


@plant(Property.LINES, 0)
class TellsInCapitals(Purrinha):
    def start(self, options: Any, seats: int, seed: int) -> Step:
        return tell(super().start(options, seats, seed), Fact(EVERYONE, "Hello"))


@plant(Property.VIEWS, 0)
class SeesNoJson(Purrinha):
    def view(self, state: Table, seat: Seat | None) -> Any:
        return {**super().view(state, seat), "hands": {0: "by number"}}


# -- leaving and results


@plant(Property.OUT, 1)
class TalksToTheGone(Purrinha):
    def forfeit(self, state: Table, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        step = super().forfeit(state, seats, reason, now)
        gone = [fact.seat for fact in step.facts if isinstance(fact, Out)]
        return (
            Step(step.state, (*step.facts[:2], update({"type": "bye"}, only(*gone)), *step.facts[2:])) if gone else step
        )


@plant(Property.OUT, 2)
class HearsTheGone(Purrinha):
    def admit(self, state: Table, seat: Seat, action: type[Action], now: float) -> None:
        if seat in state.playing or state.round is not Round.CHOOSING:
            super().admit(state, seat, action, now)


@plant(Property.LEAVING, 1)
class HoldsWhoLeaves(Purrinha):
    def forfeit(self, state: Table, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        step = super().forfeit(state, seats, reason, now)
        return Step(step.state, tuple(fact for fact in step.facts if not isinstance(fact, Out)))


@plant(Property.LEAVING, 1)
class RewardsWhoLeaves(Purrinha):
    def forfeit(self, state: Table, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        step = super().forfeit(state, seats, reason, now)
        if len(state.hands) > 2 or len(seats) > 1:
            return step
        results = tuple(Result.WIN if seat in seats else Result.LOSS for seat in state.seats)
        return Step(replace(step.state, outcome=Outcome(results, reason)), step.facts)


def ending(results: Any) -> Any:
    """Return a game whose matches end with results made from the right ones."""

    class Ending(Purrinha):
        def outcome(self, state: Table) -> Outcome | None:
            right = super().outcome(state)
            return None if right is None else replace(right, results=results(right.results))

    return Ending


plant(Property.RESULTS, 1)(ending(lambda right: right[:1]))
plant(Property.RESULTS, 1)(ending(lambda right: (Result.LOSS,) * len(right)))
plant(Property.RESULTS, 1)(ending(lambda right: (Result.DRAW, *(Result.LOSS,) * (len(right) - 1))))
plant(Property.RESULTS, 1)(ending(lambda right: (Result.WIN, Result.DRAW, *right[2:])))
plant(Property.RESULTS, 1)(ending(lambda right: (Result.VOID,) * len(right)))


# -- replays and encoding


@plant(Property.REPLAY, 0)
class CountsItsMatches(Purrinha):
    matches = 0

    def start(self, options: Any, seats: int, seed: int) -> Step:
        CountsItsMatches.matches += 1
        return tell(super().start(options, seats, seed), update({"type": "match", "number": self.matches}))


class Notebook(Table, frozen=True, kw_only=True):
    notes: Any = ()


@plant(Property.ENCODING, 0)
class NotesInATuple(Purrinha):
    state = Notebook

    def start(self, options: Any, seats: int, seed: int) -> Step:
        step = super().start(options, seats, seed)
        fields = {name: getattr(step.state, name) for name in Table.__struct_fields__}
        return Step(Notebook(**fields, notes=(1, 2)), step.facts)


@plant(Property.ENCODING, 0)
class DeclaresAnotherState(Purrinha):
    state = Outcome


# -- secrets


@plant(Property.KNOWN, 1)
class ShowsPicksToPlayers(Purrinha):
    def view(self, state: Table, seat: Seat | None) -> Any:
        return {**super().view(state, seat), **({} if seat is None else {"total": state.total})}


@plant(Property.KNOWN, 1)
class ShowsPicksToSpectators(Purrinha):
    def view(self, state: Table, seat: Seat | None) -> Any:
        return {**super().view(state, seat), **({"total": state.total} if seat is None else {})}


@plant(Property.KNOWN, 1)
class ShowsPicksByTheClock(Purrinha):
    def turn(self, state: Table) -> Mapping[Seat, float]:
        return {seat: until + secret(state) / 1000 for seat, until in super().turn(state).items()}


@plant(Property.KNOWN, 2)
class ShowsPicksInErrors(Purrinha):
    def admit(self, state: Table, seat: Seat, action: type[Action], now: float) -> None:
        try:
            super().admit(state, seat, action, now)
        except Refused as refused:
            raise Refused(refused.code, f"{refused.message} (the sum so far is {state.total})") from None


@plant(Property.WATCHED, 2)
class ShowsPicksToSpectatorsBeforeTheGuess(Purrinha):
    def apply(self, state: Table, seat: Seat, action: Any, now: float) -> Step:
        step = super().apply(state, seat, action, now)
        if state.round is Round.CHOOSING and step.state.round is Round.GUESSING:
            return tell(step, update({"type": "peek", "total": step.state.total}, SPECTATORS))
        return step


def telling_picks(audience: Any) -> Any:
    """Return a game that tells a pick at once, to an audience made from who picked."""

    class Telling(Purrinha):
        def apply(self, state: Table, seat: Seat, action: Any, now: float) -> Step:
            step = super().apply(state, seat, action, now)
            told = update({"type": "picked", "value": action.selected_value}, audience(seat))
            return tell(step, told) if isinstance(action, PickInitialNumber) else step

    return Telling


plant(Property.HIDDEN, 1)(telling_picks(lambda seat: EVERYONE))
plant(Property.HIDDEN, 1)(telling_picks(lambda seat: SPECTATORS))
plant(Property.HIDDEN, 1)(telling_picks(lambda seat: only(1 - seat) if seat < 2 else only(0)))
