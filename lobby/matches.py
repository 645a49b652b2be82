"""The matches that are being played: each the list of its inputs, the state that follows from them, and its record.

An input is tried on the rules first; only when its whole outcome is known, encoded lines included, does anything change. So
a refusal, and a fault in the rules, leave no trace.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import msgspec
from msgspec import Struct
from structlog import get_logger

from games.contract import Action, Engine, Outcome, Reason, Refused, Seat
from lobby import ids, journal
from lobby.catalogue import plain
from lobby.clock import Agenda, Alarm
from lobby.match import Consequence, Match, Place
from lobby.numbers import Numbers
from lobby.record import Record
from lobby.scrutiny import FAULT, STRIKES, Breach, refusal
from lobby.session import Session
from lobby.store import MatchRow, Store
from protocol import wire
from protocol.errors import Code, ProtocolError
from protocol.fields import fault
from protocol.suggest import shown

log = get_logger(__name__)

FAULTS: Final = 3
"""Faults of a game's rules in one match, each answered `INTERNAL_ERROR`, after which it is given up."""

NOWHERE: Final[Mapping[str, Place]] = MappingProxyType({})


class Kept(Struct, frozen=True):
    """A live match of an earlier life; `engine` is `None` where its rules are gone or have another version now."""

    row: MatchRow
    engine: Engine | None
    options: Any
    sessions: Sequence[Session]


class Matches:
    """Runs the live matches: starts them, hands them inputs, keeps their clocks, ends them.

    The lists of callables are told, in order: `began` of every match that is to begin, `ended` of every one that has, in
    the same turn of the loop and the same transaction, `left` of every player who has no more part in one.
    """

    def __init__(self, store: Store, agenda: Agenda) -> None:
        self.live: dict[int, Match] = {}
        self.began: list[Callable[[Match], None]] = []
        self.ended: list[Callable[[Match, Outcome], None]] = []
        self.left: list[Callable[[Session], None]] = []
        self._store = store
        self._agenda = agenda
        self._leaving: dict[Match, dict[Seat, Reason]] = {}
        self._places: dict[Session, dict[str, Place]] = {}
        self._numbers = Numbers(store, "match")

    def places(self, session: Session) -> Mapping[str, Place]:
        """Return where a session plays: its seats in live matches, by their names on the wire."""
        return self._places.get(session, NOWHERE)

    def row(self, name: str) -> MatchRow:
        """Return a match, live or ended. Raise `ProtocolError` (`UNKNOWN_MATCH`) where it is not known, or kept no longer."""
        number = ids.number("m", name)
        row = None if number is None else self._store.match(number)
        if row is None:
            raise ProtocolError(
                Code.UNKNOWN_MATCH, f"there is no match {shown(name)}; lobby.matches lists those there are"
            )
        return row

    def record(self, row: MatchRow) -> Record:
        """Return the record of a match, live or ended."""
        match = self.live.get(row.match)
        return Record.kept(self._store, row.match, len(row.players)) if match is None else match.record

    def time(self, match: Match) -> float:
        """Return the match's clock: seconds since it began, not counting those that the server was down; in whole µs."""
        now = int((self._agenda.now - match.row.origin) * 1e6 + 0.5) / 1e6  # a fifth of what round() takes
        return now if now > match.last else match.last

    def begin(
        self,
        engine: Engine,
        options: Any,
        sessions: Sequence[Session],
        *,
        rated: bool = False,
        tournament: int | None = None,
        number: int | None = None,
    ) -> Match:
        """Start a match with settled options between sessions, by seat; `number` where it was reserved."""
        row = MatchRow(
            match=self._numbers.take() if number is None else number,
            game=engine.info.name,
            version=engine.info.version,
            options=wire.encode(plain(options)),
            seed=secrets.randbits(32),
            players=tuple(session.name for session in sessions),
            sessions=tuple(session.number for session in sessions),
            began=self._agenda.clock.wall(),
            origin=self._agenda.now,
            rated=rated,
            tournament=tournament,
        )
        match = self._seat(row, engine, options, sessions)
        self._store.open_match(row)
        log.info("match began", match=match.name, game=row.game, players=row.players)
        for call in self.began:
            call(match)
        self._open(match)
        return match

    def reserve(self, count: int) -> int:
        """Keep so many match numbers in a row for matches to come, and return the first."""
        return self._numbers.take(count)

    def _seat(self, row: MatchRow, engine: Engine | None, options: Any, sessions: Sequence[Session]) -> Match:
        match = Match(row, engine=engine, options=options, sessions=sessions, store=self._store)
        match.alarm = Alarm(lambda _: self._expire(match))
        self.live[row.match] = match
        for seat, session in enumerate(sessions):
            self._places.setdefault(session, {})[match.name] = Place(match, seat)
        return match

    def _open(self, match: Match) -> None:
        match.announce()
        try:
            consequence = match.opening()
        except FAULT as error:
            self._give_up(match, "the match could not be started", error)
        else:
            self._follow(match, consequence)

    def state(self, match: Match, seat: Seat) -> bytes:
        """Return the answer of `game.state`, as JSON."""
        return match.shown(seat, self.time(match))

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
            raise self._refusal(match, refused) from None
        except FAULT as error:
            self._fault(match, error)
            raise
        self._happen(match, journal.Act(now, seat, action), consequence)

    def resign(self, place: Place) -> None:
        """Let a player give up."""
        self.forfeit(place.match, {place.seat: Reason.RESIGNED})

    def leave(self, session: Session, reason: Reason) -> None:
        """Let a player lose all live matches, together with all others who leave at this instant."""
        for place in self.places(session).values():
            if not self._leaving:
                self._agenda.defer(self._leave)
            self._leaving.setdefault(place.match, {})[place.seat] = reason

    def _leave(self) -> None:
        leaving, self._leaving = self._leaving, {}
        for match, seats in leaving.items():
            self.forfeit(match, seats)

    def forfeit(self, match: Match, seats: dict[Seat, Reason]) -> None:
        """Take players out of a match, all at one instant; whoever has left it already is left out."""
        still = {seat for seat in seats if not match.gone >> seat & 1}
        if match.over or not still:
            return
        entry = journal.Forfeit(self.time(match), tuple(sorted(still)), seats[min(still)])
        self._enter(match, entry, failing="a player could not leave")

    def _expire(self, match: Match) -> None:
        now = max(match.due, match.last)
        if now - match.struck >= 1:
            match.struck, match.strikes = now, 0
        match.strikes += 1
        if match.strikes > STRIKES:
            self._give_up(match, "time stands still", Breach(f"time acted more than {STRIKES} times within a second"))
        else:
            self._enter(match, journal.Expire(now, tuple(sorted(match.away()))), failing="time could not go on")

    def _enter(self, match: Match, entry: journal.Input, *, failing: str) -> None:
        try:
            consequence = match.following(entry)
        except FAULT as error:
            self._give_up(match, failing, error)
        else:
            self._happen(match, entry, consequence)

    def _refusal(self, match: Match, refused: Refused) -> ProtocolError:
        try:
            return refusal(refused)
        except FAULT as error:
            self._fault(match, error)
            raise

    def _fault(self, match: Match, error: BaseException) -> None:
        match.faults += 1
        if match.faults >= FAULTS:
            self._give_up(match, "the rules failed again and again", error)

    def _give_up(self, match: Match, why: str, error: BaseException) -> None:
        log.error("match given up", match=match.name, game=match.row.game, why=why, exc_info=error)
        self.annul(match)

    def annul(self, match: Match) -> None:
        """End a match that can't go on by a fault of ours: `VOID` for all who still play."""
        entry = journal.Annul(self.time(match))
        self._happen(match, entry, match.following(entry))

    # What follows

    def _happen(self, match: Match, entry: journal.Input, consequence: Consequence) -> None:
        line = journal.encode(entry)
        match.inputs += line
        match.last = entry.at
        self._store.append(match.row.match, line)
        self._follow(match, consequence)

    def _follow(self, match: Match, consequence: Consequence) -> None:
        out = match.take(consequence)
        if consequence.outcome is not None:
            self._end(match, consequence.outcome)
        elif consequence.due is not None:
            match.due = consequence.due
            self._agenda.set(match.alarm, match.row.origin + consequence.due)
        for seat in out:
            self._release(match, match.sessions[seat])
        if out and not match.over and not any(match.playing()):
            self._give_up(match, "it is not over, and everyone is out", Breach("a match that lives has players"))

    def _end(self, match: Match, outcome: Outcome) -> None:
        match.over = True
        self._agenda.drop(match.alarm)  # or it would keep the match in memory until its turn comes
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

    def _release(self, match: Match, session: Session) -> None:
        places = self._places.get(session, {})
        if places.pop(match.name, None) is not None:
            if not places:
                del self._places[session]
            for call in self.left:
                call(session)

    def _view(self, match: Match, seat: Seat) -> bytes:
        try:
            return match.shown(seat, match.last)
        except FAULT:
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
                self._open(match)
        for number, line in inputs:
            match_or_none = self.live.get(number)
            if match_or_none is not None:
                self._repeat(match_or_none, line)

    def _retire(self, match: Match) -> None:
        log.warning("match void: its rules are gone or have changed", match=match.name, game=match.row.game)
        match.record = Record.kept(self._store, match.row.match, len(match.sessions))
        if not any(match.record.counts()):
            match.announce()
        self.annul(match)

    def _repeat(self, match: Match, line: bytes) -> None:
        try:
            entry = journal.decode(line)
            consequence = match.following(entry)
        except FAULT as error:
            self._give_up(match, "its journal does not fit the rules", error)
            return
        match.inputs += line
        match.last = entry.at
        self._follow(match, consequence)

    @staticmethod
    def _unknown_action(match: Match, tag: Any) -> ProtocolError:
        actions = list(match.actions)
        wrong = f"there is no action {shown(tag)}" if isinstance(tag, str) else "an action needs a type"
        message = f"{wrong}; this match has: {', '.join(actions)}"
        return ProtocolError(Code.UNKNOWN_ACTION, message, actions=actions)


def _typed(params: dict[str, Any], kind: type[Action]) -> Action:
    """Decode an action once, into its struct. Raise `Refused` with the game's own code where it does not fit."""
    try:
        return msgspec.convert(params, kind)
    except msgspec.ValidationError as error:
        path, message = fault(error, kind, params)
        field = path.removeprefix("$.").partition(".")[0].partition("[")[0]
        raise Refused(kind.malformed_field.get(field, kind.malformed), message) from None
