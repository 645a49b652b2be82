"""The round robin: who meets whom, in which order, on which side. Players are indices; it knows no names and no results."""

from __future__ import annotations

from collections.abc import Sequence

Pair = tuple[int, int]
"""The players of a game, by index; the first one has the first seat."""


class Schedule(Sequence[Pair]):
    """Every game of a round robin, round by round, by the circle method.

    Order and sides are those of the Berger tables (FIDE Handbook C.05, Annex 1): the last player stands still, the others
    walk round. So nobody has one side more than once oftener than the other. With an odd number the last one is nobody,
    and who would meet them has a bye. In a second leg everyone meets again, with sides swapped.
    """

    def __init__(self, players: int, legs: int = 1) -> None:
        self._last = players + players % 2 - 1  # who stands still
        self._bye = players % 2
        self._tables = players // 2
        self._leg = self._tables * self._last
        self._length = self._leg * legs if players > 1 else 0

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Pair:  # type: ignore[override]  # no slices: nobody needs them
        if not 0 <= index < self._length:
            raise IndexError(index)
        leg, place = divmod(index, self._leg)
        turn, table = divmod(place, self._tables)
        first, second = self._pair(turn, table + self._bye)
        return (second, first) if leg else (first, second)

    def _pair(self, turn: int, table: int) -> Pair:
        """Return who meets at a table in a round of the first leg; at table 0 sits the one who stands still."""
        pivot = turn * (self._last + 1) // 2 % self._last
        if table:
            return (pivot + table) % self._last, (pivot - table) % self._last
        return (self._last, pivot) if turn % 2 else (pivot, self._last)
