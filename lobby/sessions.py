"""The sessions: how they begin, whether their players are there, for how long names and seats are kept for them, how they end.

A session outlives its connections. What is sent to a player goes to the session, which passes it to the outbox of the
connection that it has at the moment, if any.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable
from itertools import chain, filterfalse, takewhile
from math import ceil
from typing import Final

from structlog import get_logger

from games.contract import Reason
from lobby.clock import Agenda, Alarm
from lobby.match import Match
from lobby.matches import Matches
from lobby.numbers import Numbers
from lobby.outbox import Outbox
from lobby.presence import Presence
from lobby.roster import Roster
from lobby.rows import SessionRow
from lobby.session import Session
from lobby.settings import Settings
from lobby.store import Store
from protocol import names, wire
from protocol.errors import Code, ProtocolError

log = get_logger(__name__)

TOKEN: Final = 43
"""Characters of a token: 32 bytes, URL-safe."""


class Sessions:
    """What becomes of the sessions on the roster.

    The lists of callables are told, in order: `arrived` when a player logs in or comes back, `parted` when the session and
    its connection have, also by a take-over, `departed` when the player is then away, `ended` when a session is over.
    """

    def __init__(
        self, store: Store, agenda: Agenda, settings: Settings, *, roster: Roster, matches: Matches, presence: Presence
    ) -> None:
        self.arrived: list[Callable[[Session], None]] = []
        self.parted: list[Callable[[Session], None]] = []
        self.departed: list[Callable[[Session], None]] = []
        self.ended: list[Callable[[Session], None]] = []
        self._gone: dict[Session, None] = {}  # those whose players are away, the longest gone first
        self._store = store
        self._agenda = agenda
        self._settings = settings
        self._roster = roster
        self._matches = matches
        self._presence = presence
        self._numbers = Numbers(store, "session")

    # Coming

    def login(self, player: str) -> tuple[Session, str]:
        """Begin a session. Return it and its token. Raise `ProtocolError` (`INVALID_NAME`, `NAME_TAKEN`, `SERVER_FULL`)."""
        name = names.canonical(player)
        bearer = self._roster.named(name)
        if bearer is not None and self._roster.holds(bearer):
            raise ProtocolError(Code.NAME_TAKEN, self._taken(bearer))
        if bearer is not None:
            self.end(bearer)
        else:
            self._make_room()
        token = secrets.token_urlsafe(32)
        session = Session(self._numbers.take(), name, _digest(token))
        self._add(session)
        log.info("session began", session=session.number, player=name)
        return session, token

    def _taken(self, bearer: Session) -> str:
        """Return that a name can't be had, why, and until when where that is known."""
        why = "by a player who is connected" if bearer.connected else "by a player who is away"
        if not self._is_bound(bearer):
            left = bearer.away_since + self._settings.name_hold - self._agenda.clock.now()
            why += f", and free in {max(1, ceil(left))} s"
        return f"{bearer.name} is taken {why}; choose another name, or, if it is yours, send session.reconnect with its token"

    def _make_room(self) -> None:
        """End the session that was left the longest ago, where there are as many as may be."""
        if len(self._roster) < self._settings.max_sessions:
            return
        stale = self._stalest()
        if stale is None:
            message = "the server has as many players as it takes; try again a little later"
            raise ProtocolError(Code.SERVER_FULL, message, retry_after=self._settings.retry_after)
        self.end(stale)

    def _stalest(self) -> Session | None:
        """Return who is to make room: first one whose name has lapsed, then one whose name a tournament alone still holds.

        Where there is nobody, that is found without a look at everyone: whoever is refused may ask again and again.
        """
        lapsed = filterfalse(self._roster.holds, self._gone) if self._roster.held < len(self._roster) else iter(())
        idle = filterfalse(self._matches.places, takewhile(self._is_hold_over, self._gone))
        return next(chain(lapsed, idle), None)

    def bearing(self, token: str) -> Session:
        """Return the session of a token. Raise `ProtocolError` (`INVALID_TOKEN`) where there is none."""
        session = self._roster.with_token(_digest(token))
        if session is None or self._expired(session):
            message = "no session has this token; it has ended, or was never begun: log in anew"
            if len(token) != TOKEN:
                message = f"a token has {TOKEN} characters, and this one {len(token)}; check that it is whole"
            raise ProtocolError(Code.INVALID_TOKEN, message)
        return session

    def attach(self, session: Session, outbox: Outbox) -> None:
        """Give a session its connection; one that it still had is told and closed."""
        before, session.outbox = session.outbox, outbox
        if before is not None:
            before.put(wire.event("session.replaced"))
            before.close()
            for call in self.parted:
                call(session)
            return
        self._agenda.cancel(session.alarm)
        self._gone.pop(session, None)
        self._roster.hold(session)
        self._save(session)
        self._presence.back(session)

    def welcome(self, session: Session) -> None:
        """Let the lobby act on a player's coming, once their answer and all that they missed is on its way."""
        for call in self.arrived:
            call(session)

    # Going

    def detach(self, session: Session, outbox: Outbox) -> None:
        """Take note that a connection has ended: if it was still the session's, the player is away."""
        if session.outbox is not outbox or session.ended:
            return
        session.outbox = None
        session.left = self._agenda.clock.wall()
        self._gone[session] = None
        self._away(session)
        self._save(session)
        self._presence.gone(session)
        for call in (*self.parted, *self.departed):
            call(session)

    def end(self, session: Session) -> None:
        """End a session: live matches are resigned, the token ends, the name is free."""
        session.ended = True
        self._agenda.drop(session.alarm)
        for call in self.ended:  # before it resigns, or the end of a match could begin another one
            call(session)
        for place in list(self._matches.places(session).values()):
            self._matches.resign(place)
        session.outbox = None
        self._gone.pop(session, None)
        self._roster.remove(session)
        self._store.drop(SessionRow, session.number)
        log.info("session ended", session=session.number, player=session.name)

    def reconsider(self, session: Session) -> None:
        """Let the name of a player who is away lapse, if nothing holds it any more."""
        if session.ended or self._is_bound(session):
            return
        if self._agenda.clock.now() >= session.away_since + self._settings.name_hold:
            self._lapse(session)

    def _is_bound(self, session: Session) -> bool:
        """Whether a name is held for more than a time: by a connection, a live match or a tournament."""
        return session.connected or bool(self._matches.places(session) or session.cups)

    def _is_hold_over(self, session: Session) -> bool:
        """Whether a player has been away for as long as a name is held."""
        return self._agenda.now >= session.away_since + self._settings.name_hold

    def had_match(self, match: Match) -> None:
        """Take note that sessions have played, and so outlive their holds."""
        for session in match.sessions:
            if not (session.played or session.ended):
                session.played = True
                self._save(session)

    def expire(self) -> None:
        """End the sessions whose token was not used for `session_ttl`."""
        before = self._agenda.clock.wall() - self._settings.session_ttl
        old = takewhile(lambda session: session.left < before, self._gone)
        for session in list(filter(self._expired, old)):
            self.end(session)

    def _expired(self, session: Session) -> bool:
        if session.connected or self._roster.holds(session):
            return False
        return session.left < self._agenda.clock.wall() - self._settings.session_ttl

    def _away(self, session: Session) -> None:
        session.away_since = self._agenda.now  # not the clock's: who goes at one instant is gone as long as the other
        settings = self._settings
        self._agenda.set(session.alarm, session.away_since + min(settings.reconnect_grace, settings.name_hold))

    def _ring(self, session: Session, due: float) -> None:
        grace, hold = session.away_since + self._settings.reconnect_grace, session.away_since + self._settings.name_hold
        if due >= grace:
            self._matches.leave(session, Reason.DISCONNECTED)
        if due < max(grace, hold):
            self._agenda.set(session.alarm, max(grace, hold))
        if due >= hold:
            self._agenda.defer(lambda: self.reconsider(session))

    def _lapse(self, session: Session) -> None:
        if not session.played:
            self.end(session)
        elif self._roster.holds(session):
            self._roster.release(session)
            self._save(session)

    # Keeping

    def restore(self, rows: Iterable[SessionRow], *, down_since: float) -> None:
        """Take up the sessions of an earlier life; all of them are away, and every hold and grace starts anew."""
        for row in rows:
            session = Session(row.session, row.name, row.token, played=row.played)
            self._add(session, held=not row.lapsed)
            self._away(session)
            session.left = down_since if row.left is None else row.left
            if row.left is None:
                self._save(session)
        self._gone = dict.fromkeys(sorted(self._roster, key=lambda session: session.left))

    def _add(self, session: Session, *, held: bool = True) -> None:
        session.alarm = Alarm(lambda due: self._ring(session, due))
        self._roster.add(session, held=held)

    def _save(self, session: Session) -> None:
        self._store.put(
            SessionRow(
                session=session.number,
                name=session.name,
                token=session.token,
                left=None if session.connected else session.left,
                played=session.played,
                lapsed=not self._roster.holds(session),
            )
        )


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
