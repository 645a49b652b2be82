"""`game.*`: what a player does in a match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from lobby.router import Method
from protocol.errors import Code, ProtocolError

if TYPE_CHECKING:
    from lobby.house import House
    from lobby.match import Place
    from lobby.sessions import Session


class GameMethods:
    """The methods, over the matches."""

    def __init__(self, house: House) -> None:
        self._house = house

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
        place = session.places.get(match)
        self._house.matches.act(self._absent(session, match) if place is None else place, params)

    def resign(self, session: Session, match: str, fields: Struct) -> None:
        """Give up."""
        self._house.matches.resign(session.places.get(match) or self._absent(session, match))

    def state(self, session: Session, match: str, fields: Struct) -> Any:
        """Return what the player may know, during the match and after it."""
        place = session.places.get(match)
        if place is not None:
            return place.match.encode(place.match.state_for(place.seat, self._house.matches.time(place.match)))
        number, seat = self._seat(session, match)
        live = self._house.matches.live.get(number)
        if live is not None:
            return live.encode(live.state_for(seat, self._house.matches.time(live)))
        row = self._house.store.match(number)
        return None if row is None else bytes(row.views[seat])

    def _absent(self, session: Session, match: str) -> Place:
        self._seat(session, match)
        raise ProtocolError(Code.MATCH_OVER, f"{match} is over for you; game.state shows how it ended")

    def _seat(self, session: Session, match: str) -> tuple[int, int]:
        """Return the number of a match and the seat that the session had in it."""
        row = self._house.match_row(match)
        if session.number not in row.sessions:
            raise ProtocolError(Code.NOT_IN_MATCH, f"you do not play in {match}; lobby.watch shows it to you")
        return row.match, row.sessions.index(session.number)
