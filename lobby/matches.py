"""The matches that are being played: each the list of its inputs, the state that follows from them, and its record.

An input is tried on the rules first; only when its whole outcome is known, encoded lines included, does anything change. So
a refusal, and a fault in the rules, leave no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct
from structlog import get_logger

from games.contract import (
    SPECTATORS,
    Action,
    Audience,
    Engine,
    Fact,
    Outcome,
    Player,
    Reason,
    Refused,
    Result,
    Seat,
    Step,
    only,
)
from lobby import journal
from lobby.clock import Agenda, Alarm
from lobby.record import Record
from lobby.store import MatchRow, Store
from protocol import wire
from protocol.errors import Code, ProtocolError
from protocol.fields import fault
from protocol.suggest import shown

if TYPE_CHECKING:
    from lobby.sessions import Session

log = get_logger(__name__)

FAULTS: Final = 3
"""Faults of a game's rules in one match, each answered `INTERNAL_ERROR`, after which it is given up."""


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


class Kept(Struct, frozen=True):
    """A live match of an earlier life; `engine` is `None` where its rules are gone or have another version now."""

    row: MatchRow
    engine: Engine | None
    options: Any
    sessions: Sequence[Any]


class Match:
    """One play of a game by sessions. It knows its rules and its listeners; `Matches` decides what happens to it."""

    __slots__ = (
        "_encoder",
        "actions",
        "alarm",
        "due",
        "engine",
        "faults",
        "gone",
        "inputs",
        "last",
        "name",
        "over",
        "record",
        "row",
        "sessions",
        "state",
        "watchers",
    )

    def __init__(self, row: MatchRow, *, engine: Engine | None, sessions: Sequence[Session], store: Store) -> None:
        self.row = row
        self.name = f"m{row.match}"
        if engine is not None:
            self.engine = engine
        self.sessions = tuple(sessions)
        self.record = Record(store, row.match, len(row.players))
        self.state: Any = None
        self.actions: dict[str, type[Action]] = {}
        self.watchers: dict[Session, None] = {}
        self.gone: Audience = 0
        self.inputs = bytearray()
        self.last = 0.0  # the time of the last input
        self.due = 0.0  # when time acts next, by the match's clock
        self.faults = 0
        self.over = False
        self.alarm: Alarm
        self._encoder = wire.Encoder(self._named)

    def _named(self, player: Any) -> str:
        if isinstance(player, Player):
            return self.row.players[player.seat]
        raise TypeError(f"{type(player).__name__} can't be told")

    def encode(self, body: Any) -> bytes:
        """Return what a game tells as JSON, with names in place of seats."""
        return self._encoder.encode(body)

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
        to &= ~self.gone
        self.record.add(to, line)
        for seat, session in enumerate(self.sessions):
            if to >> seat & 1 and session.outbox is not None:
                session.outbox.put(line)
        if to & SPECTATORS and self.watchers:
            for watcher in self.watchers:
                if watcher.outbox is not None:
                    watcher.outbox.put(line)

    def others(self, seat: Seat) -> list[str]:
        """Return the names of the other players, by seat."""
        return [name for other, name in enumerate(self.row.players) if other != seat]

    def consequence(self, step: Step) -> Consequence:
        """Work out all that a step leads to. Whatever the rules get wrong shows here, before anything has changed."""
        told = [self._told(fact) for fact in step.facts]
        outcome = self.engine.outcome(step.state)
        if outcome is not None:
            told += self.results(outcome)
        return Consequence(step.state, told, outcome, None if outcome else self.engine.due(step.state))

    def _told(self, fact: Any) -> Told:
        if isinstance(fact, Fact):
            return Told(fact.to, self.line(fact.name, fact.body))
        line = self.line("game.result", {"result": Result.LOSS, "reason": fact.reason})
        return Told(only(fact.seat), line, out=only(fact.seat))

    def results(self, outcome: Outcome) -> list[Told]:
        """Return the `game.result` line of every seat and of the spectators."""
        lines = [
            Told(only(seat), self.line("game.result", {"result": result, "reason": outcome.reason}))
            for seat, result in enumerate(outcome.results)
        ]
        results = dict(zip(self.row.players, outcome.results, strict=True))
        return [*lines, Told(SPECTATORS, self.line("game.result", {"results": results, "reason": outcome.reason}))]

    def state_for(self, seat: Seat, now: float) -> dict[str, Any]:
        """Return the answer of `game.state`; `now` by the match's clock."""
        turn = {} if self.over or self.state is None else dict(sorted(self.engine.turn(self.state).items()))
        names = self.row.players
        return {
            "game": self.row.game,
            "players": names,
            "you": names[seat],
            "turn": [names[other] for other in turn],
            "events": self.record.count(only(seat)),
            "live": not (self.over or self.gone >> seat & 1),
            "clock": {names[other]: _tenths(max(0.0, due - now)) for other, due in turn.items()},
            "state": self.engine.view(self.state, seat) if self.state is not None else {},
        }


class Matches:
    """Runs the live matches: starts them, hands them inputs, keeps their clocks, ends them.

    `ended` are called, in order, for every match that ends, in the turn of the loop and the transaction in which it does;
    `left` for every player who has no more part in one.
    """

    def __init__(self, store: Store, agenda: Agenda) -> None:
        self.live: dict[int, Match] = {}
        self.ended: list[Callable[[Match, Outcome], None]] = []
        self.left: list[Callable[[Session], None]] = []
        self._store = store
        self._agenda = agenda
        self._leaving: dict[Match, dict[Seat, Reason]] = {}

    def record(self, row: MatchRow) -> Record:
        """Return the record of a match, live or ended."""
        match = self.live.get(row.match)
        return Record.kept(self._store, row.match, len(row.players)) if match is None else match.record

    def time(self, match: Match) -> float:
        """Return the match's clock: seconds since it began, not counting those that the server was down."""
        return max(match.last, round(self._agenda.clock.now() - match.row.origin, 6))

    def begin(self, row: MatchRow, engine: Engine, options: Any, sessions: Sequence[Session]) -> Match:
        """Start a match between sessions, by seat."""
        match = self._seat(row, engine, options, sessions)
        self._store.open_match(row)
        self._open(match, options)
        return match

    def _seat(self, row: MatchRow, engine: Engine | None, options: Any, sessions: Sequence[Session]) -> Match:
        match = Match(row, engine=engine, sessions=sessions, store=self._store)
        match.alarm = Alarm(lambda _: self._expire(match))
        if engine is not None:
            match.actions = {str(kind.__struct_config__.tag): kind for kind in engine.actions_with(options)}
        self.live[row.match] = match
        for seat, session in enumerate(sessions):
            session.places[match.name] = Place(match, seat)
        return match

    def _open(self, match: Match, options: Any) -> None:
        self._announce(match)
        try:
            consequence = match.consequence(match.engine.start(options, len(match.sessions), match.row.seed))
        except Exception:
            self._give_up(match, "the match could not be started")
        else:
            self._follow(match, consequence)

    def _announce(self, match: Match) -> None:
        several = len(match.sessions) > 2
        for seat, _ in enumerate(match.sessions):
            others = match.others(seat)
            match.tell(
                only(seat),
                match.line("game.match_started", {"opponents": others} if several else {"opponent": others[0]}),
            )
        match.tell(SPECTATORS, match.line("game.match_started", {"players": match.row.players}))

    # Inputs

    def act(self, place: Place, params: dict[str, Any]) -> None:
        """Do a player's action. Raise `ProtocolError` where the rules refuse it."""
        match, seat = place.match, place.seat
        tag = params.get("type")
        kind = match.actions.get(tag) if isinstance(tag, str) else None
        if kind is None:
            raise self._unknown_action(match, tag)
        now = self.time(match)
        try:
            match.engine.admit(match.state, seat, kind, now)
            action = _typed(params, kind)
            consequence = match.consequence(match.engine.apply(match.state, seat, action, now))
        except Refused as refused:
            raise ProtocolError(Code(refused.code), refused.message, **refused.extra) from None
        except Exception:
            self._fault(match)
            raise
        self._happen(match, journal.Act(now, seat, action), consequence)

    def resign(self, place: Place) -> None:
        """Let a player give up."""
        self._forfeit(place.match, {place.seat: Reason.RESIGNED}, self.time(place.match))

    def leave(self, session: Session, reason: Reason) -> None:
        """Let a player lose all live matches, together with all others who leave at this instant."""
        for place in session.places.values():
            if not self._leaving:
                self._agenda.defer(self._leave)
            self._leaving.setdefault(place.match, {})[place.seat] = reason

    def _leave(self) -> None:
        leaving, self._leaving = self._leaving, {}
        for match, seats in leaving.items():
            self._forfeit(match, seats, self.time(match))

    def _forfeit(self, match: Match, seats: dict[Seat, Reason], now: float) -> None:
        still = {seat for seat in seats if not match.gone >> seat & 1}
        if match.over or not still:
            return
        reason = seats[min(still)]
        try:
            consequence = match.consequence(match.engine.forfeit(match.state, frozenset(still), reason, now))
        except Exception:
            self._give_up(match, "a player could not leave")
        else:
            self._happen(match, journal.Forfeit(now, tuple(sorted(still)), reason), consequence)

    def _expire(self, match: Match) -> None:
        now, away = max(match.due, match.last), match.away()
        try:
            consequence = match.consequence(match.engine.expire(match.state, now, away))
        except Exception:
            self._give_up(match, "time could not go on")
        else:
            self._happen(match, journal.Expire(now, tuple(sorted(away))), consequence)

    def _fault(self, match: Match) -> None:
        match.faults += 1
        if match.faults >= FAULTS:
            self._give_up(match, "the rules failed again and again")

    def _give_up(self, match: Match, why: str) -> None:
        log.exception("match given up", match=match.name, game=match.row.game, why=why)
        self.annul(match)

    def annul(self, match: Match) -> None:
        """End a match that can't go on by a fault of ours: `VOID` for all who still play."""
        results = tuple(Result.LOSS if match.gone >> seat & 1 else Result.VOID for seat in range(len(match.sessions)))
        outcome = Outcome(results, Reason.SERVER_ERROR)
        consequence = Consequence(match.state, match.results(outcome), outcome, None)
        self._happen(match, journal.Annul(self.time(match)), consequence)

    # What follows

    def _happen(self, match: Match, entry: journal.Input, consequence: Consequence) -> None:
        line = journal.encode(entry)
        match.inputs += line
        match.last = entry.at
        self._store.append(match.row.match, line)
        self._follow(match, consequence)

    def _follow(self, match: Match, consequence: Consequence) -> None:
        match.state = consequence.state
        released = []
        for told in consequence.told:
            match.tell(told.to, told.line)
            if told.out:
                match.gone |= told.out
                released.append(match.sessions[told.out.bit_length() - 1])
        if consequence.outcome is not None:
            self._end(match, consequence.outcome)
        elif consequence.due is not None:
            match.due = consequence.due
            self._agenda.set(match.alarm, match.row.origin + consequence.due)
        for session in released:
            self._release(match, session)

    def _end(self, match: Match, outcome: Outcome) -> None:
        match.over = True
        self._agenda.cancel(match.alarm)
        del self.live[match.row.match]
        match.record.seal()
        self._store.close_match(
            msgspec.structs.replace(
                match.row,
                ended=self._agenda.clock.wall(),
                results=tuple(outcome.results),
                reason=outcome.reason,
                views=tuple(self._view(match, seat) for seat in range(len(match.sessions))),
                inputs=bytes(match.inputs),
                events=match.record.counts(),
            )
        )
        log.info("match ended", match=match.name, game=match.row.game, reason=str(outcome.reason))
        for call in self.ended:
            call(match, outcome)
        for _, session in match.playing():
            self._release(match, session)
        for watcher in match.watchers:
            watcher.watching.pop(match.name, None)
        match.watchers.clear()

    def _release(self, match: Match, session: Session) -> None:
        if session.places.pop(match.name, None) is not None:
            for call in self.left:
                call(session)

    def _view(self, match: Match, seat: Seat) -> bytes:
        try:
            return match.encode(match.state_for(seat, match.last))
        except Exception:
            log.exception("no view of the end", match=match.name, game=match.row.game)
            return wire.encode({"game": match.row.game, "players": match.row.players, "live": False, "state": {}})

    # Start-up

    def restore(self, rows: Iterable[Kept], inputs: Iterable[tuple[int, bytes]]) -> None:
        """Rebuild live matches from the journal: the same inputs give the same states and records, to the byte.

        One whose rules are gone, or have another version now, ends `VOID`, behind what is stored of its record.
        """
        for kept in rows:
            match = self._seat(kept.row, kept.engine, kept.options, kept.sessions)
            if kept.engine is None:
                self._retire(match)
            else:
                self._open(match, kept.options)
        for number, line in inputs:
            match_or_none = self.live.get(number)
            if match_or_none is not None:
                self._repeat(match_or_none, line)

    def _retire(self, match: Match) -> None:
        log.warning("match void: its rules are gone or have changed", match=match.name, game=match.row.game)
        match.record = Record.kept(self._store, match.row.match, len(match.sessions))
        if not any(match.record.counts()):
            self._announce(match)
        self.annul(match)

    def _repeat(self, match: Match, line: bytes) -> None:
        try:
            entry = journal.decode(line)
            consequence = match.consequence(self.step(match, entry))
        except Exception:
            self._give_up(match, "its journal does not fit the rules")
            return
        match.inputs += line
        match.last = entry.at
        self._follow(match, consequence)

    @staticmethod
    def step(match: Match, entry: journal.Input) -> Step:
        """Return what the rules make of an input."""
        engine = match.engine
        match entry:
            case journal.Act(at, seat, action):
                return engine.apply(match.state, seat, msgspec.convert(action, match.actions[action["type"]]), at)
            case journal.Forfeit(at, seats, reason):
                return engine.forfeit(match.state, frozenset(seats), reason, at)
            case journal.Expire(at, away):
                return engine.expire(match.state, at, frozenset(away))
        raise ValueError("a match that was given up is not played again")

    # Presence

    def presence(self, session: Session, *, connected: bool, grace: float) -> None:
        """Tell the opponents of a session in its live matches that it has gone or is back."""
        for place in session.places.values():
            match = place.match
            body: dict[str, Any] = {"match": match.name, "player": session.name, "connected": connected}
            if not connected:
                body["seconds"] = _tenths(min(grace, self._end_by_time(match, place.seat)))
            line = wire.event("lobby.presence", body)
            for _, other in match.playing():
                if other is not session and other.outbox is not None:
                    other.outbox.put(line)

    def _end_by_time(self, match: Match, seat: Seat) -> float:
        """Return in how many seconds time, if nobody acts, ends the match for a seat; infinity where it does not."""
        try:
            step = match.engine.expire(match.state, match.due, match.away())
            ends = match.engine.outcome(step.state) is not None
            ends = ends or any(not isinstance(fact, Fact) and fact.seat == seat for fact in step.facts)
        except Exception:  # its own alarm meets the same fault, and reports it
            ends = False
        return max(0.0, match.due - self.time(match)) if ends else float("inf")

    @staticmethod
    def _unknown_action(match: Match, tag: Any) -> ProtocolError:
        actions = list(match.actions)
        has = ", ".join(actions)
        said = f"this match has no action {shown(tag)}" if isinstance(tag, str) else "an action needs a type"
        return ProtocolError(Code.UNKNOWN_ACTION, f"{said}; it has: {has}", actions=actions)


def _tenths(seconds: float) -> float:
    """Return seconds as they are shown: to a tenth, rounded."""
    return round(seconds, 1)


def _typed(params: dict[str, Any], kind: type[Action]) -> Action:
    """Decode an action once, into its struct. Raise `Refused` with the game's own code where it does not fit."""
    try:
        return msgspec.convert(params, kind)
    except msgspec.ValidationError as error:
        path, message = fault(error, kind)
        field = path.removeprefix("$.").partition(".")[0].partition("[")[0]
        raise Refused(kind.malformed_field.get(field, kind.malformed), message) from None
