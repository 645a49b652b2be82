"""What games were worth, and the table that follows from them. It knows neither matches nor sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from games.contract import Outcome, Reason, Result

Mark = int
"""How a game of two ended, in one byte, from 1 on; frozen, as it is stored."""

_RESULTS: Final = (Result.WIN, Result.LOSS, Result.DRAW, Result.VOID)
_FAULT: Final = len(_RESULTS) ** 2
"""Added to the mark of a game that ended by a fault of the server's."""

HALVES: Final = {Result.WIN: 2, Result.LOSS: 0, Result.DRAW: 1, Result.VOID: 0}
"""What a result is worth, in half points; `VOID` by the server's fault is worth one."""


class Standing(Struct, frozen=True):
    """A line of the table."""

    place: int
    player: str
    points: float
    won: int
    drawn: int
    lost: int


def mark(outcome: Outcome) -> Mark:
    """Return the mark of an outcome."""
    first, second = map(_RESULTS.index, outcome.results)
    return 1 + len(_RESULTS) * first + second + _FAULT * (outcome.reason is Reason.SERVER_ERROR)


def results(mark: Mark) -> tuple[Result, Result]:
    """Return the results, by seat, that a mark stands for."""
    first, second = divmod((mark - 1) % _FAULT, len(_RESULTS))
    return _RESULTS[first], _RESULTS[second]


def _halves(mark: Mark) -> tuple[int, int]:
    if mark > _FAULT and results(mark) == (Result.VOID, Result.VOID):
        return 1, 1
    first, second = results(mark)
    return HALVES[first], HALVES[second]


_WORTH: Final[Mapping[Mark, tuple[int, int]]] = {mark: _halves(mark) for mark in range(1, 2 * _FAULT + 1)}
_ENDED: Final[Mapping[Mark, tuple[Result, Result]]] = {mark: results(mark) for mark in _WORTH}


def table(players: Sequence[str], games: Iterable[tuple[int, int, Mark]]) -> list[Standing]:
    """Return the standings after these games, each of two players, by index, with its mark; the best player first.

    Ties are broken by the points among all that are tied, then by Sonneborn-Berger (the points of those one has beaten,
    and half of those one has drawn with), then by wins. Those who are still equal share the place, by name.
    """
    games = list(games)
    count = dict.fromkeys(Result, 0)
    ended = [count.copy() for _ in players]
    halves, among, beaten = [0] * len(players), [0] * len(players), [0] * len(players)
    for one, other, how in games:
        won, lost = _WORTH[how]
        halves[one] += won
        halves[other] += lost
        first, second = _ENDED[how]
        ended[one][first] += 1
        ended[other][second] += 1
    for one, other, how in games:
        won, lost = _WORTH[how]
        beaten[one] += won * halves[other]
        beaten[other] += lost * halves[one]
        if halves[one] == halves[other]:
            among[one] += won
            among[other] += lost
    merits = [(-halves[i], -among[i], -beaten[i], -ended[i][Result.WIN]) for i in range(len(players))]
    order = sorted(range(len(players)), key=lambda i: (merits[i], players[i]))
    places = {merits[i]: place for place, i in reversed(list(enumerate(order, start=1)))}
    return [_line(places[merits[i]], players[i], halves[i], ended[i]) for i in order]


def _line(place: int, player: str, halves: int, ended: Mapping[Result, int]) -> Standing:
    points = halves / 2 if halves % 2 else halves // 2
    return Standing(place, player, points, ended[Result.WIN], ended[Result.DRAW], ended[Result.LOSS])
