"""One match under observation: takes inputs one by one, and checks every step as it is made."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from random import Random
from typing import Any, Final

import msgspec
from msgspec import Struct

from games.check.history import Act, Case, Input, Leave, Strike
from games.check.host import Host, Refusing
from games.check.lines import asked, check_asks, check_body, check_facts
from games.check.outcomes import check_outcome
from games.check.properties import Broken, Property
from games.contract import Audience, Engine, Fact, Out, Outcome, Refusal, Seat, Step

PATIENCE: Final = 50  # times that time may strike in a row without getting any later
VIEW_EVERY: Final = 32  # steps; a shrinking run looks at every one


class Turn(Struct, frozen=True):
    """One input and what it led to. `image` is the later state, encoded at once; `out` is who is out after it."""

    given: Input | None
    at: float
    before: Any
    after: Any
    image: bytes
    facts: tuple[Fact | Out, ...]
    refusing: Refusing | None
    turn: Mapping[Seat, float]
    due: float | None
    outcome: Outcome | None
    out: frozenset[Seat]

    @property
    def asked(self) -> Audience:
        """The seats that were told `your_turn`."""
        return asked(self.facts)


class Table:
    """A match in play. Raises `Broken` from whatever input shows that a property does not hold."""

    def __init__(self, engine: Engine, case: Case, *, thorough: bool = False) -> None:
        """Seat a match; `thorough` checks at every step what is otherwise checked at some."""
        self.engine, self.case, self.thorough = engine, case, thorough
        self.host = Host(engine, case.options)
        self.given: list[Input] = []
        self.turns: list[Turn] = []
        self._stuck = 0

    def begin(self) -> None:
        """Start the match."""
        case = self.case
        try:
            step = self.engine.start(case.options, case.seats, case.seed)
        except Exception as error:
            raise Broken(Property.RAISES, f"start: {type(error).__name__}: {error}") from error
        self._enter(None, 0.0, None, step)

    @property
    def last(self) -> Turn:
        """The latest turn."""
        return self.turns[-1]

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.last.outcome is not None

    @property
    def playing(self) -> list[Seat]:
        """The seats that are not out."""
        return [seat for seat in range(self.case.seats) if seat not in self.last.out]

    @property
    def played(self) -> Case:
        """The case that this match is so far."""
        return msgspec.structs.replace(self.case, inputs=tuple(self.given))

    def take(self, given: Input) -> Turn:
        """Take one input of a match that lives."""
        if isinstance(given, Leave):
            given = msgspec.structs.replace(given, seats=tuple(seat for seat in given.seats if seat in self.playing))
            if not given.seats:
                return self.last
        self.given.append(given)
        before, at = self.last, self._time_of(given)
        reply = self.host.reply(before.after, given, at)
        if isinstance(reply, Refusing):
            self._refuse(given, at, reply)
        else:
            if isinstance(given, Act) and given.seat in before.out:
                raise Broken(Property.OUT, f"seat {given.seat} is out, and its {given.body} was accepted")
            self._enter(given, at, before.after, reply)
        return self.last

    def probe_samples(self) -> None:
        """Check that every seat in turn is proposed legal actions."""
        for seat in self.last.turn:
            for luck in range(4):
                self.propose(seat, Random(luck))

    def propose(self, seat: Seat, chance: Random) -> Act:
        """Return a sampled action as a client sends it, with a wait where it is too soon; it must be accepted."""
        state, at = self.last.after, self.last.at
        try:
            action = self.engine.sample(state, seat, chance)
            act = Act(seat, msgspec.to_builtins(action))
        except Exception as error:
            raise Broken(Property.SAMPLES, f"sample for seat {seat}: {type(error).__name__}: {error}") from error
        reply = self._try(act, at)
        if isinstance(reply, Refusing) and reply.code == Refusal.TOO_SOON:
            act = Act(seat, act.body, wait=float(reply.extra["retry_after"]))
            if self._time_of(act) < at + act.wait:
                return act
            reply = self._try(act, self._time_of(act))
        if isinstance(reply, Refusing):
            raise Broken(Property.SAMPLES, f"seat {seat} was proposed {act.body}: {reply.code} {reply.message}")
        return act

    def _try(self, act: Act, at: float) -> Step | Refusing:
        """Return what an action would lead to; one that raises what it may not is the last of this history."""
        try:
            return self.host.reply(self.last.after, act, at)
        except Broken:
            self.given.append(act)
            raise

    def _time_of(self, given: Input) -> float:
        due = self.last.due
        assert due is not None
        if isinstance(given, Strike):
            return max(due, self.last.at) + given.late
        return max(min(self.last.at + given.wait, due), self.last.at)

    def _refuse(self, given: Input, at: float, refusing: Refusing) -> None:
        last = self.last
        image = _image(last.after)
        if image != last.image:
            raise Broken(Property.UNCHANGED, f"{given} was refused ({refusing.code}), and yet the state is another")
        self.turns.append(
            msgspec.structs.replace(last, given=given, at=at, before=last.after, facts=(), refusing=refusing)
        )

    def _enter(self, given: Input | None, at: float, before: Any, step: Step) -> None:
        engine, state = self.engine, step.state
        try:
            turn, due, outcome = dict(engine.turn(state)), engine.due(state), engine.outcome(state)
        except Exception as error:
            raise Broken(Property.RAISES, f"{type(error).__name__}: {error}") from error
        was_out = self.last.out if self.turns else frozenset()
        out = check_facts(step.facts, seats=self.case.seats, out=was_out)
        entered = Turn(given, at, before, state, _image(state), tuple(step.facts), None, turn, due, outcome, out)
        check_asks(step.facts, turn, over=outcome is not None, seconds=self._seconds())
        self._check_time(entered)
        check_outcome(given, outcome, seats=self.case.seats, was_out=was_out, out=out)
        self.turns.append(entered)
        if self.thorough or outcome is not None or len(self.turns) % VIEW_EVERY == 1:
            self._check_views()

    def _seconds(self) -> Any:
        options = self.case.options
        if not hasattr(options, "turn_seconds"):
            return ...
        return None if options.turn_seconds is None else {"seconds": options.turn_seconds}

    def _check_time(self, entered: Turn) -> None:
        turn, due = entered.turn, entered.due
        if entered.outcome is not None:
            if turn or due is not None:
                raise Broken(Property.AT_REST, f"the match is over; in turn are {sorted(turn)}, and due is {due}")
            return
        for seat in turn:
            if seat in entered.out or not 0 <= seat < self.case.seats:
                raise Broken(Property.TURNS, f"seat {seat} is in turn and does not play")
        if due is None or not isfinite(due):
            raise Broken(Property.CLOCK, f"the match lives, and due is {due}: it could hang")
        if turn and min(turn.values()) < due:
            raise Broken(Property.CLOCK, f"a turn runs out at {min(turn.values())}, and time is due only at {due}")
        earlier = self.last.due if self.turns else 0.0
        if due < min(entered.at, entered.at if earlier is None else earlier):
            raise Broken(Property.CLOCK, f"it is {entered.at}, and due went back from {earlier} to {due}")
        if isinstance(entered.given, Strike):
            self._check_progress(entered, due)

    def _check_progress(self, entered: Turn, due: float) -> None:
        if entered.image == self.last.image:
            raise Broken(Property.PROGRESS, "expire at due left the state as it was: the match hangs")
        self._stuck = self._stuck + 1 if due == self.last.due else 0
        if self._stuck > PATIENCE:
            raise Broken(Property.PROGRESS, f"time struck {self._stuck} times, and is still due at {due}")

    def _check_views(self) -> None:
        for viewer in (*range(self.case.seats), None):
            try:
                view = self.engine.view(self.last.after, viewer)
            except Exception as error:
                raise Broken(Property.RAISES, f"view of {viewer}: {type(error).__name__}: {error}") from error
            check_body(view, Property.VIEWS, f"the view of {'a spectator' if viewer is None else f'seat {viewer}'}")


def _image(state: Any) -> bytes:
    try:
        return msgspec.msgpack.encode(state)
    except Exception as error:
        raise Broken(Property.ENCODING, f"the state can't be encoded: {error}") from error
