"""`lobby.*`: games, queues, and who and what is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from lobby.catalogue import Catalogue
from lobby.matches import Matches
from lobby.matchmaking import Matchmaking
from lobby.paging import NumberedPage, Page, page
from lobby.roster import Roster
from lobby.router import Method
from lobby.session import Session
from lobby.store import Store
from protocol import names


class Subscribe(Struct, frozen=True):
    """A game, and how to play it."""

    game: str
    options: dict[str, Any] = {}


class Unsubscribe(Struct, frozen=True):
    """A game; without options, all queues of it."""

    game: str
    options: dict[str, Any] | UnsetType = UNSET


class MatchFilter(NumberedPage, frozen=True):
    """Which matches to list."""

    game: str | UnsetType = UNSET
    player: str | UnsetType = UNSET
    live: bool | UnsetType = UNSET


class LobbyMethods:
    """The methods, over the parts that do the work."""

    def __init__(
        self,
        store: Store,
        catalogue: Catalogue,
        *,
        roster: Roster,
        matches: Matches,
        matchmaking: Matchmaking,
        census: Callable[[], dict[str, Any]],
    ) -> None:
        self._store = store
        self._catalogue = catalogue
        self._roster = roster
        self._matches = matches
        self._matchmaking = matchmaking
        self._census = census

    def table(self) -> list[Method]:
        """Return the rows of these methods."""
        return [
            Method(
                name="lobby.games",
                summary="list the games, with JSON Schemas of their options and actions",
                call=self.games,
                fields=Page,
            ),
            Method(
                name="lobby.subscribe",
                summary='wait for others who want the same: {"game": "<game>", "options": {...}}',
                call=self.subscribe,
                fields=Subscribe,
            ),
            Method(
                name="lobby.unsubscribe",
                summary='wait no longer: {"game": "<game>"}, with options for one queue of it',
                call=self.unsubscribe,
                fields=Unsubscribe,
            ),
            Method(
                name="lobby.players",
                summary="list who is here, what they play and wait for",
                call=self.players,
                fields=Page,
            ),
            Method(
                name="lobby.matches",
                summary='list matches; may filter: {"game": "<game>", "player": "<name>", "live": true}',
                call=self.matches,
                fields=MatchFilter,
            ),
            Method(name="lobby.status", summary="see how the server is", call=self.status),
        ]

    def games(self, session: Session, fields: Page) -> dict[str, Any]:
        """List the games, by name."""
        catalogue = self._catalogue
        listings = (catalogue.listing(game) for game in catalogue if game > fields.after)
        return page("games", listings, fields.limit)

    def subscribe(self, session: Session, fields: Subscribe) -> None:
        """Wait for opponents."""
        self._matchmaking.subscribe(session, fields.game, fields.options)

    def unsubscribe(self, session: Session, fields: Unsubscribe) -> None:
        """Wait no longer."""
        self._matchmaking.unsubscribe(session, fields.game, None if fields.options is UNSET else fields.options)

    def players(self, session: Session, fields: Page) -> dict[str, Any]:
        """List the players whose names are held, by name."""
        return page("players", map(self._player, self._roster.holders(fields.after)), fields.limit)

    def _player(self, session: Session) -> dict[str, Any]:
        return {
            "player": session.name,
            "connected": session.connected,
            "playing": list(self._matches.places(session)),
            "waiting": self._matchmaking.games(session),
        }

    def matches(self, session: Session, fields: MatchFilter) -> dict[str, Any]:
        """List matches, live and ended, by age."""
        if fields.game is not UNSET:
            self._catalogue.engine(fields.game)
        rows = self._store.matches(
            after=fields.behind("m", "match"),
            limit=fields.limit + 1,
            game=None if fields.game is UNSET else fields.game,
            player=None if fields.player is UNSET else self._spelled(fields.player),
            live=None if fields.live is UNSET else fields.live,
        )
        listed = (
            {"match": f"m{row.match}", "game": row.game, "players": row.players, "live": row.ended is None}
            for row in rows
        )
        return page("matches", listed, fields.limit)

    def _spelled(self, player: str) -> str:
        """Return a name as whoever bears it spells it."""
        session = self._roster.named(player)
        return names.composed(player) if session is None else session.name

    def status(self, session: Session, fields: Struct) -> dict[str, Any]:
        """Count what there is."""
        return self._census()
