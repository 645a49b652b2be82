"""Watching: who sees which match as its spectators do, and from where they are shown it.

A spectator is a session that listens to a match. All of them have the one record that the match keeps for spectators, and
the lines of it that it encodes once; nothing here is stored, for watching ends with the connection.
"""

from __future__ import annotations

from typing import Any

from games.contract import SPECTATORS, Outcome, only
from lobby.match import Match
from lobby.matches import Matches
from lobby.session import Session
from lobby.store import MatchRow
from protocol.errors import Code, ProtocolError


class Watching:
    """All watching of live matches, and the replays of those that are over. A session may watch so many at a time: `limit`."""

    def __init__(self, matches: Matches, *, limit: int) -> None:
        self._matches = matches
        self._limit = limit
        self._of: dict[Session, dict[str, Match]] = {}  # what each session watches, by its name on the wire

    def watch(self, session: Session, row: MatchRow, received: int) -> dict[str, Any]:
        """Show a match, from the line behind the `received` ones on, and keep showing it while it lives.

        Whoever asks again for what they watch is shown it again; what follows still comes once. Raise `ProtocolError` for
        one's own live match, and for more matches than one may watch at a time.
        """
        match = self._matches.live.get(row.match)
        own = session.number in row.sessions
        if match is not None:
            self._listen(session, match, own=own)
        viewer = only(row.sessions.index(session.number)) if own else SPECTATORS
        record = self._matches.record(row)
        events = record.count(viewer)
        if session.outbox is not None and received < events:
            session.outbox.replay(record.read(viewer, received, events))
        return {"game": row.game, "players": row.players, "events": events, "live": match is not None}

    def unwatch(self, session: Session, match: str) -> None:
        """Show a match no longer. Raise `ProtocolError` (`NOT_SUBSCRIBED`) where it is not watched."""
        watched = self._watched(session).pop(match, None)
        if watched is None:
            raise ProtocolError(
                Code.NOT_SUBSCRIBED, f"you do not watch {match}; a match that is over is watched no longer"
            )
        del watched.watchers[session]

    def forget(self, session: Session) -> None:
        """End all of a session's watching: its connection is gone."""
        for match in self._of.pop(session, {}).values():
            del match.watchers[session]

    def over(self, match: Match, outcome: Outcome) -> None:
        """End all watching of a match: it has ended."""
        for session in match.watchers:
            del self._of[session][match.name]
        match.watchers.clear()

    def _watched(self, session: Session) -> dict[str, Match]:
        return self._of.setdefault(session, {})

    def _listen(self, session: Session, match: Match, *, own: bool) -> None:
        if own:
            raise ProtocolError(
                Code.NOT_ALLOWED, f"{match.name} is your own match; it can be watched when it is over for all"
            )
        watched = self._watched(session)
        if match.name not in watched and len(watched) >= self._limit:
            message = f"a session may watch {self._limit} live matches at a time; lobby.unwatch one first"
            raise ProtocolError(Code.LIMIT_REACHED, message, limit=self._limit)
        match.watchers[session] = None
        watched[match.name] = match
