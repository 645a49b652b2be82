"""One match: its state under the rules, its record, and those who listen. It says what an input leads to and lets it happen;
when inputs come, and that they are stored, is the business of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from games.contract import (
    SPECTATORS,
    Action,
    Audience,
    Constant,
    Engine,
    Fact,
    Outcome,
    Player,
    Reason,
    Result,
    Seat,
    Step,
    only,
)
from lobby import journal
from lobby.clock import Alarm
from lobby.record import Record
from lobby.scrutiny import check_due, check_left, check_out, check_outcome, check_step, check_told, check_view
from lobby.session import Session
from lobby.store import MatchRow, Store
from protocol import wire


class Place(Struct, frozen=True):
    """A session's seat in a live match."""

    match: Match
    seat: Seat


class Told(Struct, frozen=True, gc=False):
    """A line with its audience; whoever is `out` gets nothing after it."""

    to: Audience
    line: bytes
    out: Audience = 0


class Consequence(Struct, frozen=True, gc=False):
    """All that a step leads to, worked out and encoded before any of it happens."""

    state: Any
    told: list[Told]
    outcome: Outcome | None
    due: float | None

    @property
    def out(self) -> Audience:
        """The seats that are out by it."""
        seats = 0
        for told in self.told:
            seats |= told.out
        return seats


CONSTANTS: Final = 256
"""Constant facts of which one match keeps the line; a game has few."""


class Match:
    """One play of a game by sessions. Played again for its record alone, it has no sessions.

    `engine` is `None` where its rules are gone: then it can only be annulled.
    """

    __slots__ = (
        "_constants",
        "_encoder",
        "_listeners",
        "actions",
        "alarm",
        "due",
        "engine",
        "faults",
        "gone",
        "inputs",
        "last",
        "name",
        "options",
        "over",
        "record",
        "row",
        "sessions",
        "state",
        "strikes",
        "struck",
        "watchers",
    )

    def __init__(
        self, row: MatchRow, *, engine: Engine | None, options: Any, sessions: Sequence[Session], store: Store
    ) -> None:
        self.row = row
        self.name = f"m{row.match}"
        self.options = options
        self.sessions = tuple(sessions)
        self.record = Record(store, row.match, len(row.players))
        self.state: Any = None
        self.actions: dict[str, type[Action]] = {}
        if engine is not None:
            self.engine = engine
        self.watchers: dict[Session, None] = {}
        self.gone: Audience = 0
        self.inputs = bytearray()
        self.last = 0.0  # the time of the last input
        self.due = 0.0  # when time acts next, by the match's clock
        self.faults = 0
        self.struck = 0.0  # when time acted first, of the last `strikes` times
        self.strikes = 0
        self.over = False
        self.alarm: Alarm
        self._encoder = wire.Encoder(_named(row.players))
        self._listeners = [(only(seat), session) for seat, session in enumerate(sessions)]
        self._constants: dict[Constant, Told] = {}

    def line(self, name: str, body: Any = None) -> bytes:
        """Return an `EVT` line of this match."""
        return wire.event(name, None if body is None else self._encoder.encode(body), match=self.name)

    def playing(self) -> Iterable[tuple[Seat, Session]]:
        """Return the seats that are still in the match."""
        return ((seat, session) for seat, session in enumerate(self.sessions) if not self.gone >> seat & 1)

    def away(self) -> frozenset[Seat]:
        """Return the seats whose players have no connection."""
        return frozenset(seat for seat, session in self.playing() if session.outbox is None)

    def tell(self, to: Audience, line: bytes) -> None:
        """Add a line to the record, and send it to those of its audience who are there."""
        if self.gone:
            to &= ~self.gone
        self.record.add(to, line)
        for bit, session in self._listeners:
            if to & bit and (outbox := session.outbox) is not None:
                outbox.put(line)
        if to & SPECTATORS and self.watchers:
            for watcher in self.watchers:
                if watcher.outbox is not None:
                    watcher.outbox.put(line)

    def others(self, seat: Seat) -> list[str]:
        """Return the names of the other players, by seat."""
        return [name for other, name in enumerate(self.row.players) if other != seat]

    def announce(self) -> None:
        """Tell everyone that the match begins, and against whom."""
        several = len(self.row.players) > 2
        for seat, _ in enumerate(self.row.players):
            others = self.others(seat)
            body = {"opponents": others} if several else {"opponent": others[0]}
            self.tell(only(seat), self.line("game.match_started", body))
        self.tell(SPECTATORS, self.line("game.match_started", {"players": self.row.players}))

    def opening(self) -> Consequence:
        """Work out what the match begins with."""
        self.actions = {str(kind.__struct_config__.tag): kind for kind in self.engine.actions_with(self.options)}
        return self.consequence(self.engine.start(self.options, len(self.row.players), self.row.seed))

    def following(self, entry: journal.Input) -> Consequence:
        """Work out all that an input leads to."""
        match entry:
            case journal.Act(at, seat, sent):
                action = msgspec.convert(sent, self.actions[sent["type"]])
                return self.consequence(self.engine.apply(self.state, seat, action, at))
            case journal.Forfeit(at, seats, reason):
                consequence = self.consequence(self.engine.forfeit(self.state, frozenset(seats), reason, at))
                check_left(only(*seats) & ~consequence.out, consequence.outcome)
                return consequence
            case journal.Expire(at, away):
                return self.consequence(self.engine.expire(self.state, at, frozenset(away)))
            case journal.Annul():
                return self._annulment()

    def _annulment(self) -> Consequence:
        results = tuple(
            Result.LOSS if self.gone >> seat & 1 else Result.VOID for seat, _ in enumerate(self.row.players)
        )
        outcome = Outcome(results, Reason.SERVER_ERROR)
        return Consequence(self.state, self.results(outcome), outcome, None)

    def take(self, consequence: Consequence) -> list[Seat]:
        """Let happen what was worked out, and return the seats that are out while the others play on."""
        self.state = consequence.state
        out = []
        for told in consequence.told:
            self.tell(told.to, told.line)
            if told.out:
                self.gone |= told.out
                out.append(told.out.bit_length() - 1)
        return out

    def consequence(self, step: Step) -> Consequence:
        """Work out all that a step leads to. Whatever the rules get wrong shows here, before anything has changed."""
        check_step(step)
        told = [self._told(fact) for fact in step.facts]
        outcome = self.engine.outcome(step.state)
        if outcome is not None:
            check_outcome(outcome, len(self.row.players))
            return Consequence(step.state, told + self.results(outcome), outcome, None)
        due = self.engine.due(step.state)
        check_due(due)
        return Consequence(step.state, told, None, due)

    def _told(self, fact: Any) -> Told:
        if isinstance(fact, Constant):
            told = self._constants.get(fact)
            if told is None:
                told = self._telling(fact)
                if len(self._constants) < CONSTANTS:
                    self._constants[fact] = told
            return told
        if isinstance(fact, Fact):
            return self._telling(fact)
        check_out(fact, len(self.row.players))
        line = self.line("game.result", {"result": Result.LOSS, "reason": fact.reason})
        return Told(only(fact.seat), line, out=only(fact.seat))

    def _telling(self, fact: Fact) -> Told:
        line = self.line(fact.name, fact.body)
        check_told(fact.to, fact.name, fact.body, line)
        return Told(fact.to, line)

    def results(self, outcome: Outcome) -> list[Told]:
        """Return the `game.result` line of every seat and of the spectators."""
        lines = [
            Told(only(seat), self.line("game.result", {"result": result, "reason": outcome.reason}))
            for seat, result in enumerate(outcome.results)
        ]
        results = dict(zip(self.row.players, outcome.results, strict=True))
        return [*lines, Told(SPECTATORS, self.line("game.result", {"results": results, "reason": outcome.reason}))]

    def shown(self, seat: Seat, now: float) -> bytes:
        """Return the answer of `game.state`, as JSON; `now` by the match's clock."""
        state = self._state_for(seat, now)
        shown = self._encoder.encode(state)
        check_view(state["state"], shown)
        return shown

    def _state_for(self, seat: Seat, now: float) -> dict[str, Any]:
        turn = {} if self.over or self.state is None else dict(sorted(self.engine.turn(self.state).items()))
        names = self.row.players
        return {
            "game": self.row.game,
            "players": names,
            "you": names[seat],
            "turn": [names[other] for other in turn],
            "events": self.record.count(only(seat)),
            "live": not (self.over or self.gone >> seat & 1),
            "clock": {names[other]: tenths(max(0.0, due - now)) for other, due in turn.items()},
            "state": self.engine.view(self.state, seat) if self.state is not None else {},
        }


def tenths(seconds: float) -> float:
    """Return seconds as they are shown: to a tenth, rounded."""
    return round(seconds, 1)


def _named(players: Sequence[str]) -> Callable[[Any], str]:
    """Return what puts the names of these players in; it does not refer to the match, which refers to it."""

    def name(player: Any) -> str:
        if isinstance(player, Player):
            return players[player.seat]
        raise TypeError(f"{type(player).__name__} can't be told")

    return name
