"""`game.*`: what a player does in a match."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from games.contract import Seat
from lobby.match import Place
from lobby.matches import Matches
from lobby.router import Method
from lobby.session import Session
from lobby.store import MatchRow
from protocol.errors import Code, ProtocolError


class GameMethods:
    """The methods, over the matches."""

    def __init__(self, matches: Matches) -> None:
        self._matches = matches

    def table(self) -> list[Method]:
        """Return the rows of these methods."""
        return [
            Method(
                name="game.action",
                summary='do something in a match: {"type": "<action>", ...}; lobby.games has every game\'s actions',
                call=self.action,
                fields=None,
                in_match=True,
            ),
            Method(name="game.resign", summary="give a match up", call=self.resign, in_match=True),
            Method(name="game.state", summary="see all that you may know of a match", call=self.state, in_match=True),
        ]

    def action(self, session: Session, match: str, params: dict[str, Any]) -> None:
        """Do an action."""
        self._matches.act(self._place(session, match), params)

    def resign(self, session: Session, match: str, fields: Struct) -> None:
        """Give up."""
        self._matches.resign(self._place(session, match))

    def state(self, session: Session, match: str, fields: Struct) -> bytes:
        """Return what the player may know, during the match and after it."""
        place = self._matches.places(session).get(match)
        if place is not None:
            return self._matches.state(place.match, place.seat)
        row, seat = self._seat(session, match)
        live = self._matches.live.get(row.match)  # still, for others
        return row.views[seat] if live is None else self._matches.state(live, seat)

    def _place(self, session: Session, match: str) -> Place:
        place = self._matches.places(session).get(match)
        if place is None:
            self._seat(session, match)
            raise ProtocolError(Code.MATCH_OVER, f"{match} is over for you; game.state shows how it ended")
        return place

    def _seat(self, session: Session, match: str) -> tuple[MatchRow, Seat]:
        """Return a match that the session played in, and its seat."""
        row = self._matches.row(match)
        if session.number not in row.sessions:
            raise ProtocolError(Code.NOT_IN_MATCH, f"you do not play in {match}; lobby.watch shows it to you")
        return row, row.sessions.index(session.number)
