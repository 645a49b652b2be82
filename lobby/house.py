"""The composition root: all parts of the lobby, each built from the ones it needs. No socket, task or real clock is here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from structlog import get_logger

from lobby import __version__
from lobby.catalogue import Catalogue
from lobby.challenges import Challenges
from lobby.clock import Agenda, Alarm, Clock
from lobby.matches import Kept, Matches
from lobby.matchmaking import Matchmaking
from lobby.methods.challenges import ChallengeMethods
from lobby.methods.game import GameMethods
from lobby.methods.lobby import LobbyMethods
from lobby.methods.ranking import RankingMethods
from lobby.methods.session import SessionMethods
from lobby.methods.tournament import TournamentMethods
from lobby.methods.watching import WatchingMethods
from lobby.presence import Presence
from lobby.ratings import Ratings
from lobby.referee import Referee
from lobby.roster import Roster
from lobby.router import Caller, Method, Router
from lobby.rows import (
    ChallengeRow,
    ClockRow,
    DeclineRow,
    MarksRow,
    PairRow,
    RatingRow,
    SessionRow,
    SubscriptionRow,
    TournamentRow,
)
from lobby.sessions import Sessions
from lobby.settings import Settings
from lobby.store import Store, StoreFailed
from lobby.stories import Stories
from lobby.tick import Tick
from lobby.tournaments import Tournaments
from lobby.watching import Watching

log = get_logger(__name__)

HEARTBEAT: Final = 1.0
"""Seconds between two readings of the server clock in the store: as much may be lost of it when the process is killed."""

PAUSE: Final = 0.05
"""Seconds between two slices of what is to be forgotten."""

UPKEEP: Final = 10.0
"""Seconds between two looks for what is to be forgotten."""


class House:
    """One lobby. Built, it has taken up what the store holds of an earlier life."""

    def __init__(
        self,
        settings: Settings,
        *,
        store: Store,
        clock: Clock,
        catalogue: Catalogue,
        soon: Callable[[Callable[[], None]], object],
        failed: Callable[[StoreFailed], None],
    ) -> None:
        self.settings = settings
        self.store = store
        self.clock = clock
        self.catalogue = catalogue
        self.tick = Tick(store, soon, failed)
        self._soon = soon
        self.agenda = Agenda(clock)
        self.matches = Matches(store, self.agenda)
        self.roster = Roster()
        presence = Presence(self.matches, grace=settings.reconnect_grace)
        self.sessions = Sessions(
            store, self.agenda, settings, roster=self.roster, matches=self.matches, presence=presence
        )
        self.matchmaking = Matchmaking(store, catalogue, settings, self.matches)
        self.challenges = Challenges(
            store,
            self.agenda,
            settings,
            catalogue=catalogue,
            roster=self.roster,
            matches=self.matches,
        )
        self.referee = Referee(self.agenda, self.matches, grace=settings.reconnect_grace, soon=self._later)
        self.tournaments = Tournaments(
            store,
            self.agenda,
            settings,
            catalogue=catalogue,
            sessions=self.sessions,
            matches=self.matches,
            referee=self.referee,
        )
        self.watching = Watching(self.matches, limit=settings.max_watched)
        self.ratings = Ratings(store, clock, rated_per_day=settings.rated_per_day)
        self.stories = Stories(store, clock, self.matches, recent=settings.recent_matches)
        self.router = Router(self._methods(), retry_after=settings.retry_after)
        self.began = clock.now()
        self.connections: Callable[[], int] = lambda: 0
        self._connect()
        self._restore()
        self._repeat(HEARTBEAT, self._heartbeat)
        self._repeat(UPKEEP, self.sessions.expire)
        self._repeat(UPKEEP, self.tournaments.expire)
        self._retention = Alarm(self._retain)
        self._retain(clock.now())

    def _connect(self) -> None:
        """Let the parts tell each other their news, each in the order in which it is to be heard of."""
        self.matches.began.append(self.sessions.had_match)
        self.matches.ended.append(self.ratings.rate)
        self.matches.ended.append(self.watching.over)
        self.matches.ended.append(self.tournaments.score)
        self.matches.left.append(self.sessions.reconsider)
        self.matches.left.append(self.matchmaking.reconsider)
        self.matches.left.append(lambda _: self.referee.advance())
        self.sessions.arrived.append(self.matchmaking.reconsider)
        self.sessions.arrived.append(self.referee.arrived)
        self.sessions.parted.append(self.watching.forget)
        self.sessions.departed.append(self.matchmaking.reconsider)
        self.sessions.departed.append(self.referee.changed)
        self.sessions.ended.append(self.watching.forget)
        self.sessions.ended.append(self.matchmaking.forget)
        self.sessions.ended.append(self.challenges.forget)
        self.sessions.ended.append(self.tournaments.forget)

    def _methods(self) -> list[Method]:
        """Return the table of methods, each over the parts that it needs."""
        return [
            *SessionMethods(
                self.sessions,
                self.stories,
                matchmaking=self.matchmaking,
                challenges=self.challenges,
                summaries=lambda: self.router.summaries,
            ).table(),
            *LobbyMethods(
                self.store,
                self.catalogue,
                roster=self.roster,
                matches=self.matches,
                matchmaking=self.matchmaking,
                census=self._census,
            ).table(),
            *ChallengeMethods(self.challenges).table(),
            *WatchingMethods(self.watching, self.matches).table(),
            *RankingMethods(self.ratings, self.catalogue).table(),
            *GameMethods(self.matches).table(),
            *TournamentMethods(self.tournaments).table(),
        ]

    def _census(self) -> dict[str, Any]:
        return {
            "version": __version__,
            "uptime": int(self.clock.now() - self.began),
            "connections": self.connections(),
            "sessions": self.roster.held,
            "matches": len(self.matches.live),
            "waiting": self.matchmaking.waiting(),
        }

    # Connections

    def closed(self, caller: Caller) -> None:
        """Take note that a connection has ended."""
        if caller.session is not None:
            self.sessions.detach(caller.session, caller.outbox)

    def stop(self) -> None:
        """Store what only a running server knows: how late it is, and the last lines of every live record."""
        for match in self.matches.live.values():
            match.record.seal()
        self._heartbeat()
        self.store.commit()

    # Start-up, and what is done again and again

    def _restore(self) -> None:
        clock = next(iter(self.store.rows(ClockRow)), None)
        down_since = self.clock.wall() if clock is None else clock.wall
        self.sessions.restore(self.store.rows(SessionRow), down_since=down_since)
        self.matchmaking.restore(self.store.rows(SubscriptionRow), self.roster)
        self.challenges.restore(self.store.rows(ChallengeRow), self.store.rows(DeclineRow))
        self.ratings.restore(self.store.rows(RatingRow), self.store.rows(PairRow))
        self.tournaments.restore(self.store.rows(TournamentRow), self.store.rows(MarksRow), self.roster)
        self.matches.restore(self._live(), self.store.journal())
        self.tournaments.resume()
        self._heartbeat()
        self.store.commit()
        if self.matches.live:
            log.info("matches restored", matches=len(self.matches.live), sessions=len(self.roster))

    def _live(self) -> Iterator[Kept]:
        for row in list(self.store.live_matches()):
            engine, options = self.catalogue.restored(row.game, row.options, version=row.version) or (None, None)
            sessions = [self.roster.bearer(*of) for of in zip(row.sessions, row.players, strict=True)]
            yield Kept(row, engine, options, sessions)

    def _later(self, action: Callable[[], None]) -> None:
        """Do something in the next turn of the loop, which begins and ends as every turn does."""

        def turn() -> None:
            self.agenda.run(self.clock.now())
            action()
            self.tick.wake()

        self._soon(turn)

    def _repeat(self, seconds: float, action: Callable[[], None]) -> None:
        def ring(due: float) -> None:
            self.agenda.set(alarm, max(due, self.clock.now()) + seconds)
            action()

        alarm = Alarm(ring)
        self.agenda.set(alarm, self.clock.now() + seconds)

    def _heartbeat(self) -> None:
        self.store.put(ClockRow(now=self.clock.now(), wall=self.clock.wall()))

    def _retain(self, _: float) -> None:
        more = self.store.retain(ended_before=self.clock.wall() - self.settings.keep_matches)
        self.agenda.set(self._retention, self.clock.now() + (PAUSE if more else UPKEEP))
