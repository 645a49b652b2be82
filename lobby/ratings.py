"""The ratings: Elo, per game, of those whose matches were rated, and the ranking that they make.

A rating belongs to a session, and outlives it. A name stands in a ranking once: a later session of that name that has
played takes the place of the earlier one. What is stored here goes into the transaction that holds the match's result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec.structs import replace

from games.contract import Outcome, Result
from lobby.clock import Clock
from lobby.match import Match
from lobby.rows import PairRow, RatingRow
from lobby.session import Session
from lobby.store import MatchRow, Store
from protocol import names
from protocol.errors import Code, ProtocolError

K: Final = 24
"""The most that one match moves a rating."""

START: Final = 1500

DAY: Final = 24 * 60 * 60

SCORES: Final[dict[tuple[Result, ...], float]] = {
    (Result.WIN, Result.LOSS): 1.0,
    (Result.DRAW, Result.DRAW): 0.5,
    (Result.LOSS, Result.WIN): 0.0,
}
"""The first player's score by how a match ended; one that ended otherwise is not rated."""


def gain(own: int, other: int, score: float) -> int:
    """Return what a player's rating changes by after a score (1, ½ or 0) against another; the other's by as much, downwards.

    So a match moves points and makes none. A change of a half goes to the even neighbour, as round() does, whoever is first.
    """
    expected = 1 / (1 + 10 ** ((other - own) / 400))
    return round(K * (score - expected))


class Ranking:
    """The rated players of one game, best first; those of equal rating by name."""

    __slots__ = ("_order", "_rows")

    def __init__(self) -> None:
        self._rows: dict[str, RatingRow] = {}  # by the key of the name
        self._order: list[tuple[int, str]] = []  # of each, what it is ranked by

    def bearing(self, name: str) -> RatingRow | None:
        """Return who is ranked under a name, whatever its spelling."""
        return self._rows.get(names.key(name))

    def put(self, row: RatingRow) -> RatingRow | None:
        """Rank a player, and return the row that this one replaced."""
        key = names.key(row.name)
        before = self._rows.get(key)
        if before is not None:
            del self._order[bisect_left(self._order, _rank(before))]
        self._rows[key] = row
        insort(self._order, _rank(row))
        return before

    def behind(self, row: RatingRow | None) -> Iterator[RatingRow]:
        """Yield the players ranked behind one, all for `None`; the cost is that of what is drawn."""
        start = 0 if row is None else bisect_right(self._order, _rank(row))
        for index in range(start, len(self._order)):
            yield self._rows[names.key(self._order[index][1])]


class Pairs:
    """How many matches of each pair were rated on this day (UTC) under the daily `limit`.

    Rows of days gone by are dropped two for each that is added, so no moment has to drop them all.
    """

    def __init__(self, store: Store, clock: Clock, *, limit: int) -> None:
        self._store = store
        self._clock = clock
        self._limit = limit
        self._day = 0
        self._counts: dict[str, int] = {}
        self._stale: list[str] = []

    def restore(self, rows: Iterable[PairRow]) -> None:
        """Take up the counts of an earlier life."""
        self._day = self._today()
        for row in rows:
            if row.day == self._day:
                self._counts[row.key] = row.rated
            else:
                self._stale.append(row.key)

    def take(self, players: Iterable[str]) -> bool:
        """Count one more match of a pair, and return whether the limit allows it; where not, it is not counted."""
        self._turn_over()
        first, second = sorted(map(names.key, players))
        pair = PairRow(players=(first, second), day=self._day)
        rated = self._counts.get(pair.key, 0)
        if rated >= self._limit:
            return False
        self._counts[pair.key] = rated + 1
        self._store.put(replace(pair, rated=rated + 1))
        self._clear_away()
        return True

    def _today(self) -> int:
        return int(self._clock.wall() // DAY)

    def _turn_over(self) -> None:
        if self._day != self._today():
            self._day = self._today()
            self._stale += self._counts
            self._counts = {}

    def _clear_away(self) -> None:
        for _ in range(min(2, len(self._stale))):
            key = self._stale.pop()
            if key not in self._counts:
                self._store.drop(PairRow, key)


class Ratings:
    """Rates matches as they end, and ranks who has played them."""

    def __init__(self, store: Store, clock: Clock, *, rated_per_day: int) -> None:
        self._store = store
        self._pairs = Pairs(store, clock, limit=rated_per_day)
        self._rankings: defaultdict[str, Ranking] = defaultdict(Ranking)

    def restore(self, ratings: Iterable[RatingRow], pairs: Iterable[PairRow]) -> None:
        """Take up the ratings of an earlier life."""
        for row in ratings:
            self._rankings[row.game].put(row)
        self._pairs.restore(pairs)

    def rate(self, match: Match, outcome: Outcome) -> None:
        """Rate a match that has just ended, if it is one that is rated."""
        score = SCORES.get(outcome.results)
        if score is None or not self._is_rated(match.row):
            return
        first, second = (self._of(match.row.game, session) for session in match.sessions)
        points = gain(first.rating, second.rating, score)
        self._keep(_played(first, points, score))
        self._keep(_played(second, -points, 1 - score))

    def ranking(self, game: str, after: str | None) -> Iterator[RatingRow]:
        """Return the ranking of a game behind a player, from the top for `None`. Raise `ProtocolError` for one not in it."""
        ranking = self._rankings[game]
        row = None if after is None else ranking.bearing(after)
        if after is not None and row is None:
            raise ProtocolError(
                Code.UNKNOWN_PLAYER, "`after` is the last player of the page before; nobody of that name is ranked"
            )
        return ranking.behind(row)

    def _is_rated(self, row: MatchRow) -> bool:
        if row.tournament is not None:
            return True
        return row.rated and self._pairs.take(row.players)

    def _of(self, game: str, session: Session) -> RatingRow:
        row = self._rankings[game].bearing(session.name)
        if row is not None and row.session == session.number:
            return row
        return RatingRow(session=session.number, game=game, name=session.name, rating=START)

    def _keep(self, row: RatingRow) -> None:
        """Store and rank a row; one that it replaces under its name is never seen again, and dropped."""
        ranking = self._rankings[row.game]
        bearer = ranking.bearing(row.name)
        if bearer is not None and bearer.session > row.session:
            return  # a match that an ended session still lost, after its name had gone to another
        replaced = ranking.put(row)
        self._store.put(row)
        if replaced is not None and replaced.key != row.key:
            self._store.drop(RatingRow, replaced.key)


def shown(row: RatingRow) -> dict[str, Any]:
    """Return what `lobby.ranking` says of a player."""
    return {
        "player": row.name,
        "rating": row.rating,
        "played": row.won + row.drawn + row.lost,
        "won": row.won,
        "drawn": row.drawn,
        "lost": row.lost,
    }


def _rank(row: RatingRow) -> tuple[int, str]:
    return -row.rating, row.name


def _played(row: RatingRow, points: int, score: float) -> RatingRow:
    return replace(
        row,
        rating=row.rating + points,
        won=row.won + (score == 1),
        drawn=row.drawn + (score == 0.5),
        lost=row.lost + (score == 0),
    )
