"""The tournaments: who creates them, registers, starts and cancels them; what each game was worth; how they end.

Which game comes next is the referee's business. All that must survive is stored in the turn in which it happens, so that
after a kill every game is due, live or over exactly as the matches are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final

from structlog import get_logger

from games.contract import Outcome
from lobby import ids
from lobby.catalogue import Catalogue, plain, settle
from lobby.clock import Agenda, Alarm
from lobby.cup import Cup, Status, revive
from lobby.match import Match
from lobby.matches import Matches
from lobby.numbers import Numbers
from lobby.referee import Referee
from lobby.roster import Roster
from lobby.rows import MarksRow, TournamentRow
from lobby.session import Session
from lobby.sessions import Sessions
from lobby.settings import Settings
from lobby.standings import mark
from lobby.store import Store
from protocol import wire
from protocol.errors import Code, ProtocolError
from protocol.suggest import shown

log = get_logger(__name__)

KEPT: Final = 1_000
"""Tournaments that are over and still listed, at most."""


class Tournaments:
    """All tournaments, those that are over included, as long as they are kept."""

    def __init__(
        self,
        store: Store,
        agenda: Agenda,
        settings: Settings,
        *,
        catalogue: Catalogue,
        sessions: Sessions,
        matches: Matches,
        referee: Referee,
    ) -> None:
        self._store = store
        self._agenda = agenda
        self._settings = settings
        self._catalogue = catalogue
        self._sessions = sessions
        self._matches = matches
        self._referee = referee
        self._cups: dict[int, Cup] = {}  # by number, ascending
        self._over: dict[int, deque[Cup]] = {}  # those that are over, by their creators and in the order of their ends
        self._numbers = Numbers(store, "tournament")

    # Looking

    def named(self, name: str) -> Cup:
        """Return the tournament of an id. Raise `ProtocolError` (`UNKNOWN_TOURNAMENT`) where there is none."""
        cup = self._cups.get(ids.number("t", name) or 0)
        if cup is None:
            raise ProtocolError(
                Code.UNKNOWN_TOURNAMENT,
                f"there is no tournament {shown(name)}; tournament.list has those there are",
            )
        return cup

    def listed(self, after: int) -> Iterator[Cup]:
        """Return the tournaments with numbers above `after`, by age."""
        return (cup for number, cup in self._cups.items() if number > after)

    # Until the start

    def create(self, session: Session, *, game: str, sent: dict[str, Any], name: str, legs: int) -> Cup:
        """Open a tournament. Raise `ProtocolError` for a game or options that can't be had, or one too many."""
        engine = self._catalogue.engine(game)
        options = settle(engine, sent)
        if engine.seats(options) != 2:
            message = f"a tournament is played by two at a table; these options seat {engine.seats(options)}"
            raise ProtocolError(Code.INVALID_OPTIONS, message, field="players")
        limit = self._settings.max_open_tournaments
        if sum(self._cups[number].creator is session for number in session.cups) >= limit:
            message = f"a session may have created {limit} tournaments that are not over; finish or cancel one first"
            raise ProtocolError(Code.LIMIT_REACHED, message, limit=limit)
        row = TournamentRow(
            tournament=self._numbers.take(),
            name=name,
            game=game,
            options=wire.encode(plain(options)),
            legs=legs,
            creator=session.number,
            created=self._agenda.now,
            status=Status.OPEN,
        )
        cup = Cup(row, engine=engine, options=options, creator=session, players=[])
        self._take_up(cup)
        self._save(cup)
        log.info("tournament created", tournament=cup.name, game=game, player=session.name)
        return cup

    def register(self, session: Session, cup: Cup) -> None:
        """Let a player take part. Raise `ProtocolError` where it is too late, they do already, or it is full."""
        if cup.status is not Status.OPEN:
            raise _not_allowed(f"{cup.name} is {cup.status}; players register while it is open")
        if cup.has(session):
            raise _not_allowed(f"you are registered for {cup.name} already; tournament.withdraw ends that")
        limit = self._settings.max_tournament_players
        if len(cup.players) >= limit:
            raise ProtocolError(Code.LIMIT_REACHED, f"{cup.name} is full: {limit} players have registered", limit=limit)
        cup.players.append(session)
        session.cups.add(cup.number)
        self._save(cup)

    def withdraw(self, session: Session, cup: Cup) -> None:
        """Let a player take part no longer; in one that runs, all that is left is resigned."""
        if cup.over:
            raise _not_allowed(f"{cup.name} is {cup.status}; there is nothing left to withdraw from")
        if not cup.has(session):
            raise _not_allowed(f"you are not registered for {cup.name}")
        self._part(session, cup)
        for place in list(self._matches.places(session).values()):
            if place.match.row.tournament == cup.number:
                self._matches.resign(place)
        self._referee.changed(session)

    def start(self, session: Session, cup: Cup) -> None:
        """Close the list, give every game its match id, and begin to play. Raise `ProtocolError` (`NOT_ALLOWED`)."""
        self._check_creator(session, cup, "start")
        if cup.status is not Status.OPEN:
            raise _not_allowed(f"{cup.name} is {cup.status}; only one that is open can be started")
        if len(cup.players) < 2:
            raise _not_allowed(f"{cup.name} needs at least 2 players, and has {len(cup.players)}")
        self._agenda.cancel(cup.alarm)
        cup.status = Status.RUNNING
        cup.draw()
        cup.first = self._matches.reserve(len(cup.fixtures.marks))
        self._save(cup)
        log.info("tournament started", tournament=cup.name, players=len(cup.players), games=cup.fixtures.left)
        cup.tell_start()
        self._referee.enter(cup)
        self._referee.advance()

    def cancel(self, session: Session, cup: Cup) -> None:
        """Call a tournament off; games that are live are played to their end. Raise `ProtocolError` (`NOT_ALLOWED`)."""
        self._check_creator(session, cup, "cancel")
        if cup.over:
            raise _not_allowed(f"{cup.name} is {cup.status} already")
        self._cancel(cup, "cancelled")

    def forget(self, session: Session) -> None:
        """Withdraw a session that has ended from all it takes part in; what it created and has not started is called off."""
        for number in sorted(session.cups):
            cup = self._cups[number]
            if cup.creator is session and cup.status is Status.OPEN:
                self._cancel(cup, "left")
            elif cup.has(session):
                self._part(session, cup)
        session.cups.clear()
        self._referee.changed(session)

    @staticmethod
    def _check_creator(session: Session, cup: Cup, verb: str) -> None:
        if cup.creator is not session:
            raise _not_allowed(f"only the player who created {cup.name} can {verb} it")

    def _part(self, session: Session, cup: Cup) -> None:
        if cup.status is Status.OPEN:
            cup.players.remove(session)
        else:
            cup.withdrawn.append(session)
        self._save(cup)
        self._let_go(session, cup)

    # While it runs, and its end

    def score(self, match: Match, outcome: Outcome) -> None:
        """Take down how a match has ended, if it is a game of a tournament; after the last one that is finished."""
        if match.row.tournament is None:
            return
        self._referee.release(match.sessions)
        cup = self._cups.get(match.row.tournament)
        if cup is None:
            return
        game = match.row.match - cup.first
        cup.fixtures.end(game, mark(outcome))
        start, marks = cup.fixtures.block(game)
        self._store.put(MarksRow(first=cup.first + start, marks=marks))
        results = dict(zip(match.row.players, outcome.results, strict=True))
        cup.tell("tournament.game_over", {"match": match.name, "results": results})
        if not cup.fixtures.left and not cup.over:
            cup.tell("tournament.finished", {"standings": cup.standings()})
            self._close(cup, Status.FINISHED)

    def _cancel(self, cup: Cup, reason: str) -> None:
        cup.tell("tournament.cancelled", {"reason": reason})
        self._close(cup, Status.CANCELLED)

    def _close(self, cup: Cup, status: Status) -> None:
        if cup.status is Status.RUNNING:
            self._referee.leave(cup)
        self._agenda.cancel(cup.alarm)
        cup.status = status
        cup.ended = self._agenda.clock.wall()
        self._save(cup)
        log.info("tournament over", tournament=cup.name, status=str(status))
        for session in cup.concerned():
            self._let_go(session, cup)
        self._keep(cup)

    def _let_go(self, session: Session, cup: Cup) -> None:
        """Let a tournament hold a player's name no longer, unless the player still has a part in it."""
        if cup.over or not (cup.has(session) or cup.creator is session):
            session.cups.discard(cup.number)
            self._sessions.reconsider(session)

    # Keeping

    def expire(self) -> None:
        """Forget the tournaments that ended longer ago than finished matches are kept."""
        before = self._agenda.clock.wall() - self._settings.keep_matches
        for over in list(self._over.values()):
            while over and (over[0].ended or 0.0) < before:
                self._forget(over)

    def _keep(self, cup: Cup) -> None:
        """Keep a tournament that is over; of too many, whoever made the most loses their oldest, and nobody else's."""
        self._over.setdefault(cup.creator.number, deque()).append(cup)
        if sum(map(len, self._over.values())) > KEPT:
            self._forget(max(self._over.values(), key=len))

    def _forget(self, over: deque[Cup]) -> None:
        """Forget the oldest of a creator's tournaments."""
        cup = over.popleft()
        if not over:
            del self._over[cup.creator.number]
        del self._cups[cup.number]
        self._store.drop(TournamentRow, cup.number)
        for game in cup.fixtures.blocks():
            self._store.drop(MarksRow, cup.first + game)

    def restore(self, rows: Iterable[TournamentRow], marks: Iterable[MarksRow], roster: Roster) -> None:
        """Take up the tournaments of an earlier life; their live matches are to come back before `resume`."""
        kept = {row.first: row.marks for row in marks}
        for row in rows:
            cup = revive(row, roster, self._catalogue)
            if cup.first:
                cup.draw()
                for game in cup.fixtures.blocks():
                    cup.fixtures.restore(game, kept.get(cup.first + game, b""))
            self._take_up(cup)
        for cup in sorted(filter(lambda cup: cup.over, self._cups.values()), key=lambda cup: cup.ended or 0.0):
            self._keep(cup)

    def resume(self) -> None:
        """Go on where the earlier life ended; a tournament whose rules are gone is called off."""
        for match in self._matches.live.values():
            if match.row.tournament is not None:
                self._referee.occupy(match.sessions)
                if cup := self._cups.get(match.row.tournament):
                    cup.fixtures.begin(match.row.match - cup.first)
        for cup in sorted(self._cups.values(), key=lambda cup: cup.first):
            if cup.status is Status.RUNNING:
                self._referee.enter(cup)
            if cup.engine is None and not cup.over:
                log.warning("tournament called off: its rules are gone", tournament=cup.name, game=cup.game)
                self._cancel(cup, "server_error")
        self._referee.advance()

    def _take_up(self, cup: Cup) -> None:
        self._cups[cup.number] = cup
        cup.alarm = Alarm(lambda _: self._cancel(cup, "lapsed"))
        if cup.status is Status.OPEN:
            self._agenda.set(cup.alarm, cup.created + self._settings.tournament_lapse)
        if not cup.over:
            for session in cup.concerned():
                session.cups.add(cup.number)

    def _save(self, cup: Cup) -> None:
        self._store.put(cup.row())


def _not_allowed(message: str) -> ProtocolError:
    return ProtocolError(Code.NOT_ALLOWED, message)
