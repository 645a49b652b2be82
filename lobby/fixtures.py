"""The games of one tournament: which are due, live and over, and what each player has yet to play. Players are indices."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from lobby.schedule import Pair, Schedule
from lobby.standings import Mark

BLOCK: Final = 64
"""Games whose marks are stored together, one byte each, so that the end of a game costs one small row."""


class Stage(StrEnum):
    """How far a game has come."""

    DUE = "due"
    LIVE = "live"
    OVER = "over"


class Fixtures:
    """All games of a round robin, by their place in the schedule. `marks` holds 0 for one that is not over."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.live: set[int] = set()
        self.marks = bytearray(len(schedule))
        self.left = len(schedule)  # how many are not over

    def stage(self, game: int) -> Stage:
        """Return how far a game has come."""
        if self.marks[game]:
            return Stage.OVER
        return Stage.LIVE if game in self.live else Stage.DUE

    def begin(self, game: int) -> None:
        """Take note that a game is being played."""
        self.live.add(game)

    def end(self, game: int, mark: Mark) -> None:
        """Take note of how a game ended."""
        self.live.discard(game)
        self.marks[game] = mark
        self.left -= 1

    def over(self) -> Iterator[tuple[int, int, Mark]]:
        """Return the games that are over: their players, and how they ended."""
        return ((*pair, mark) for pair, mark in zip(self.schedule, self.marks, strict=True) if mark)

    # Keeping

    def blocks(self) -> Iterator[int]:
        """Return the first game of every block."""
        return iter(range(0, len(self.marks), BLOCK))

    def block(self, game: int) -> tuple[int, bytes]:
        """Return the block that holds a game: its first game, and its marks."""
        start = game - game % BLOCK
        return start, bytes(self.marks[start : start + BLOCK])

    def restore(self, start: int, marks: bytes) -> None:
        """Take up a block of an earlier life, or nothing where no game of it was over."""
        self.marks[start : start + len(marks)] = marks
        self.left -= len(marks) - marks.count(0)


class Calendar:
    """What each player of a running tournament has yet to play, in the order of the list."""

    def __init__(self, fixtures: Fixtures, players: int) -> None:
        self._fixtures = fixtures
        self._pairs: list[Pair] = list(fixtures.schedule)
        self._of: list[list[int]] = [[] for _ in range(players)]
        self._done = [0] * players  # how many at the head of each list are over
        for game, (one, other) in enumerate(self._pairs):
            self._of[one].append(game)
            self._of[other].append(game)

    def due(self, player: int) -> Iterator[tuple[int, int]]:
        """Return a player's games that have not begun, each with the opponent."""
        marks, live, pairs, games = self._fixtures.marks, self._fixtures.live, self._pairs, self._of[player]
        done = self._done[player]
        while done < len(games) and marks[games[done]]:
            done += 1
        self._done[player] = done
        for index in range(done, len(games)):
            game = games[index]
            if not marks[game] and game not in live:
                one, other = pairs[game]
                yield game, other if one == player else one
