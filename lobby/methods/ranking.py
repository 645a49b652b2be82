"""`lobby.ranking`: who plays a game how well."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from lobby.catalogue import Catalogue
from lobby.paging import Limit, page
from lobby.ratings import Ratings, shown
from lobby.router import Method
from lobby.session import Session


class RankingPage(Struct, frozen=True, kw_only=True):
    """A game, and which page of its ranking: so many players, those behind this one."""

    game: str
    limit: Limit = 100
    after: str | UnsetType = UNSET


class RankingMethods:
    """The method, over the ratings."""

    def __init__(self, ratings: Ratings, catalogue: Catalogue) -> None:
        self._ratings = ratings
        self._catalogue = catalogue

    def table(self) -> list[Method]:
        """Return the row of this method."""
        return [
            Method(
                name="lobby.ranking",
                summary='list the rated players of a game, best first: {"game": "<game>"}',
                call=self.ranking,
                fields=RankingPage,
            )
        ]

    def ranking(self, session: Session, fields: RankingPage) -> dict[str, Any]:
        """List the rated players of a game, by rating and name."""
        self._catalogue.engine(fields.game)
        rows = self._ratings.ranking(fields.game, None if fields.after is UNSET else fields.after)
        return page("ranking", map(shown, rows), fields.limit)
