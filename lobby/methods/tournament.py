"""`tournament.*`: a round robin of any game of two, from its creation to its standings."""

from __future__ import annotations

from typing import Annotated, Any, Final
from unicodedata import normalize

from msgspec import UNSET, Meta, Struct, UnsetType

from lobby.cup import Cup
from lobby.paging import NumberedPage, bad_after, page
from lobby.router import Method
from lobby.session import Session
from lobby.tournaments import Tournaments
from protocol import wire
from protocol.errors import Code, ProtocolError

LONGEST_NAME: Final = 64
AROUND: Final = 200
"""Bytes of an answer around its lists."""


class Create(Struct, frozen=True):
    """What is to be played, and how. Without a name it bears the game's."""

    game: str
    options: dict[str, Any] = {}
    name: Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)] | UnsetType = UNSET
    legs: Annotated[int, Meta(ge=1, le=2)] = 1


class Named(Struct, frozen=True):
    """A tournament, by its id."""

    tournament: str


class Standings(NumberedPage, frozen=True):
    """A tournament, and which page of its games."""

    tournament: str


class TournamentMethods:
    """The methods, over the part that does the work."""

    def __init__(self, tournaments: Tournaments) -> None:
        self._tournaments = tournaments

    def table(self) -> list[Method]:
        """Return the rows of these methods."""
        return [
            Method(
                name="tournament.create",
                summary='open one: {"game": "<game>", "options": {...}, "name": "<name>", "legs": 1}; start it later',
                call=self.create,
                fields=Create,
            ),
            Method(
                name="tournament.list",
                summary="list the tournaments, with their players",
                call=self.list,
                fields=NumberedPage,
            ),
            Method(
                name="tournament.register",
                summary='take part: {"tournament": "<tournament>"}',
                call=self.register,
                fields=Named,
            ),
            Method(
                name="tournament.withdraw",
                summary="take part no longer; in one that runs, all that is left is resigned",
                call=self.withdraw,
                fields=Named,
            ),
            Method(
                name="tournament.start",
                summary="begin to play one that you created",
                call=self.start,
                fields=Named,
            ),
            Method(
                name="tournament.cancel",
                summary="call off one that you created",
                call=self.cancel,
                fields=Named,
            ),
            Method(
                name="tournament.standings",
                summary='see the table and the games: {"tournament": "<tournament>", "limit": 100, "after": "<match>"}',
                call=self.standings,
                fields=Standings,
            ),
        ]

    def create(self, session: Session, fields: Create) -> dict[str, Any]:
        """Open a tournament."""
        name = fields.game if fields.name is UNSET else normalize("NFC", fields.name).strip()
        if not name.isprintable() or not name:
            raise ProtocolError(
                Code.BAD_REQUEST, "`name` must be printable text, with nothing invisible in it", field="$.name"
            )
        cup = self._tournaments.create(session, game=fields.game, sent=fields.options, name=name, legs=fields.legs)
        return {"tournament": cup.name}

    def list(self, session: Session, fields: NumberedPage) -> dict[str, Any]:
        """List the tournaments, by age."""
        cups = self._tournaments.listed(fields.behind("t", "tournament"))
        return page("tournaments", (cup.listing() for cup in cups), fields.limit)

    def register(self, session: Session, fields: Named) -> None:
        """Take part."""
        self._tournaments.register(session, self._cup(fields))

    def withdraw(self, session: Session, fields: Named) -> None:
        """Take part no longer."""
        self._tournaments.withdraw(session, self._cup(fields))

    def start(self, session: Session, fields: Named) -> None:
        """Begin to play."""
        self._tournaments.start(session, self._cup(fields))

    def cancel(self, session: Session, fields: Named) -> None:
        """Call it off."""
        self._tournaments.cancel(session, self._cup(fields))

    def standings(self, session: Session, fields: Standings) -> dict[str, Any]:
        """Return the whole table, and a page of the games."""
        cup = self._cup(fields)
        standings = cup.standings()
        room = wire.OUTPUT_LIMIT - AROUND - len(wire.encode(standings))
        games = cup.games(_first(cup, fields))
        return {"standings": standings, **page("games", games, fields.limit, room=room)}

    def _cup(self, fields: Named | Standings) -> Cup:
        return self._tournaments.named(fields.tournament)


def _first(cup: Cup, fields: Standings) -> int:
    """Return the place of the first game of a page: behind the one with the match id `after`."""
    if fields.after is UNSET:
        return 0
    place = fields.behind("m", "game") - cup.first
    if not 0 <= place < len(cup.fixtures.marks):
        raise bad_after("game")
    return place + 1
