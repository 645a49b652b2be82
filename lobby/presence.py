"""Presence: what those who play with somebody are told when that player goes, and is back. It changes nothing."""

from __future__ import annotations

from math import inf

from games.contract import Fact, Seat
from lobby.match import Match, tenths
from lobby.matches import Matches
from lobby.scrutiny import FAULT
from lobby.session import Session
from protocol import wire


class Presence:
    """Tells the opponents of a player in all live matches; `grace` is how long the player may then be away."""

    def __init__(self, matches: Matches, *, grace: float) -> None:
        self._matches = matches
        self._grace = grace

    def gone(self, session: Session) -> None:
        """Tell that a player has gone, and after how many seconds that, or time by itself, ends the match for them."""
        for place in self._matches.places(session).values():
            seconds = tenths(min(self._grace, self._end_by_time(place.match, place.seat)))
            _tell(place.match, session, {"connected": False, "seconds": seconds})

    def back(self, session: Session) -> None:
        """Tell that a player is back."""
        for place in self._matches.places(session).values():
            _tell(place.match, session, {"connected": True})

    def _end_by_time(self, match: Match, seat: Seat) -> float:
        """Return in how many seconds time, if nobody acts, ends the match for a seat; infinity where it does not."""
        try:
            step = match.engine.expire(match.state, match.due, match.away())
            ends = match.engine.outcome(step.state) is not None
            ends = ends or any(not isinstance(fact, Fact) and fact.seat == seat for fact in step.facts)
        except FAULT:  # its own alarm meets the same fault, and reports it
            ends = False
        return max(0.0, match.due - self._matches.time(match)) if ends else inf


def _tell(match: Match, session: Session, said: dict[str, bool | float]) -> None:
    line = wire.event("lobby.presence", {"match": match.name, "player": session.name, **said})
    for _, other in match.playing():
        if other is not session:
            other.send(line)
