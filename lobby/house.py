"""The composition root: all parts of the lobby, each built from the ones it needs. No socket, task or real clock is here."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from msgspec import json
from structlog import get_logger

from games.contract import Engine
from lobby import ids
from lobby.catalogue import Catalogue, plain, settle
from lobby.challenges import Challenges
from lobby.clock import Agenda, Alarm, Clock
from lobby.declines import Declines
from lobby.match import Match
from lobby.matches import Kept, Matches
from lobby.matchmaking import Matchmaking
from lobby.methods.challenges import ChallengeMethods
from lobby.methods.game import GameMethods
from lobby.methods.lobby import LobbyMethods
from lobby.methods.ranking import RankingMethods
from lobby.methods.session import SessionMethods
from lobby.methods.watching import WatchingMethods
from lobby.ratings import Ratings
from lobby.router import Caller, Router
from lobby.rows import (
    ChallengeRow,
    ClockRow,
    Counter,
    DeclineRow,
    PairRow,
    RatingRow,
    SessionRow,
    SubscriptionRow,
)
from lobby.sessions import Session, Sessions
from lobby.settings import Settings
from lobby.store import MatchRow, Store, StoreFailed
from lobby.tick import Tick
from lobby.watching import Watching
from protocol import wire
from protocol.errors import Code, ProtocolError

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
        self.agenda = Agenda(clock)
        self.matches = Matches(store, self.agenda)
        self.sessions = Sessions(store, self.agenda, settings, self.matches)
        self.matchmaking = Matchmaking(store, catalogue, settings, self._pair)
        self.declines = Declines(store, self.agenda, cooldown=settings.decline_cooldown)
        self.challenges = Challenges(
            store,
            self.agenda,
            settings,
            catalogue=catalogue,
            sessions=self.sessions,
            declines=self.declines,
            begin=self.begin,
        )
        self.watching = Watching(self.matches, settings)
        self.ratings = Ratings(store, clock, settings)
        methods = [
            *SessionMethods(self, lambda: self.router.summaries).table(),
            *LobbyMethods(self).table(),
            *ChallengeMethods(self).table(),
            *WatchingMethods(self).table(),
            *RankingMethods(self).table(),
            *GameMethods(self).table(),
        ]
        self.router = Router(methods, retry_after=settings.retry_after)
        self.began = clock.now()
        self.connections: Callable[[], int] = lambda: 0
        self.closing = False
        self._last_match = 0
        self._connect()
        self._restore()
        self._repeat(HEARTBEAT, self._heartbeat)
        self._repeat(UPKEEP, self.sessions.expire)
        self._retention = Alarm(self._retain)
        self._retain(clock.now())

    def _connect(self) -> None:
        """Tell the parts of each other's news."""
        self.matches.ended.append(self.ratings.rate)
        self.matches.left.append(self.matchmaking.reconsider)
        self.sessions.arrived.append(self.matchmaking.reconsider)
        self.sessions.parted.append(self.watching.forget)
        self.sessions.departed.append(self.matchmaking.reconsider)
        self.sessions.ended.append(self.watching.forget)
        self.sessions.ended.append(self.matchmaking.forget)
        self.sessions.ended.append(self.challenges.forget)

    # Matches

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
        """Start a match between sessions, by seat; `number` where it was given out before."""
        row = MatchRow(
            match=self.next_match() if number is None else number,
            game=engine.info.name,
            version=engine.info.version,
            options=wire.encode(plain(options)),
            seed=secrets.randbits(32),
            players=tuple(session.name for session in sessions),
            sessions=tuple(session.number for session in sessions),
            began=self.clock.wall(),
            origin=self.agenda.now,
            rated=rated,
            tournament=tournament,
        )
        for session in sessions:
            self.sessions.had_match(session)
        log.info("match began", match=f"m{row.match}", game=row.game, players=row.players)
        return self.matches.begin(row, engine, options, sessions)

    def next_match(self) -> int:
        """Give out a match number."""
        self._last_match += 1
        self.store.put(Counter(name="match", last=self._last_match))
        return self._last_match

    def number(self, match: str) -> int | None:
        """Return the number in a match id; `None` where it is none of ours."""
        return ids.number("m", match)

    def match_row(self, match: str) -> MatchRow:
        """Return a match, live or ended. Raise `ProtocolError` (`UNKNOWN_MATCH`) where it is not known, or kept no longer."""
        number = self.number(match)
        row = None if number is None else self.store.match(number)
        if row is None:
            raise ProtocolError(Code.UNKNOWN_MATCH, f"there is no match {match}; lobby.matches lists those there are")
        return row

    def _pair(self, engine: Engine, options: Any, sessions: Sequence[Session]) -> None:
        self.begin(engine, options, sessions, rated=len(sessions) == 2 and options == settle(engine, {}))

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
        last = {row.name: row.last for row in self.store.rows(Counter)}
        clock = next(iter(self.store.rows(ClockRow)), None)
        down_since = self.clock.wall() if clock is None else clock.wall
        self._last_match = last.get("match", 0)
        self.sessions.restore(self.store.rows(SessionRow), last=last.get("session", 0), down_since=down_since)
        self.matchmaking.restore(
            self.store.rows(SubscriptionRow), self.sessions.by_number, last=last.get("subscription", 0)
        )
        self.declines.restore(self.store.rows(DeclineRow))
        self.challenges.restore(self.store.rows(ChallengeRow), last=last.get("challenge", 0))
        self.ratings.restore(self.store.rows(RatingRow), self.store.rows(PairRow))
        self.matches.restore(self._live(), self.store.journal())
        self._heartbeat()
        self.store.commit()
        if self.matches.live:
            log.info("matches restored", matches=len(self.matches.live), sessions=len(self.sessions.by_number))

    def _live(self) -> Iterator[Kept]:
        for row in list(self.store.live_matches()):
            engine = self.catalogue.get(row.game)
            options = None
            if engine is not None and engine.info.version == row.version:
                options = settle(engine, json.decode(row.options))
            sessions = [self.sessions.by_number[number] for number in row.sessions]
            yield Kept(row, None if options is None else engine, options, sessions)

    def _repeat(self, seconds: float, action: Callable[[], None]) -> None:
        def ring(due: float) -> None:
            action()
            self.agenda.set(alarm, max(due, self.clock.now()) + seconds)

        alarm = Alarm(ring)
        self.agenda.set(alarm, self.clock.now() + seconds)

    def _heartbeat(self) -> None:
        self.store.put(ClockRow(now=self.clock.now(), wall=self.clock.wall()))

    def _retain(self, _: float) -> None:
        more = self.store.retain(ended_before=self.clock.wall() - self.settings.keep_matches)
        self.agenda.set(self._retention, self.clock.now() + (PAUSE if more else UPKEEP))
