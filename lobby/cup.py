"""One tournament: who plays what in it, how far it has come, how it is shown and told. What happens to it, others decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

from msgspec.structs import replace

from games.contract import Engine
from lobby.catalogue import Catalogue, plain
from lobby.clock import Alarm
from lobby.fixtures import Fixtures, Stage
from lobby.paging import Parts
from lobby.roster import Roster
from lobby.rows import TournamentRow
from lobby.schedule import Schedule
from lobby.session import Session
from lobby.standings import Standing, results, table
from protocol import wire


class Status(StrEnum):
    """How far a tournament has come."""

    OPEN = "open"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Cup:
    """A tournament. Its players have an index each, in the order of registering; its games a place in the schedule.

    Match ids are given out for all games at the start, in the order of the list.
    """

    def __init__(
        self, row: TournamentRow, *, engine: Engine | None, options: Any, creator: Session, players: list[Session]
    ) -> None:
        self._row = row
        self.number = row.tournament
        self.name = f"t{row.tournament}"
        self.game = row.game
        self.engine = engine  # `None` where its rules are gone
        self.options = options
        self.creator = creator
        self.created = row.created
        self.players = players
        self.withdrawn = [players[index] for index in row.withdrawn]  # in the order of leaving
        self.status = Status(row.status)
        self.first = row.first
        self.ended = row.ended
        self.fixtures = Fixtures(Schedule(0))
        self.alarm: Alarm
        self._table: tuple[int, list[Standing]] | None = None  # after the game with which so many were left

    @property
    def over(self) -> bool:
        """Whether it has come to its end."""
        return self.status in (Status.FINISHED, Status.CANCELLED)

    def row(self) -> TournamentRow:
        """Return it as it is stored."""
        return replace(
            self._row,
            status=self.status,
            players=tuple(self.names()),
            sessions=tuple(session.number for session in self.players),
            withdrawn=tuple(map(self.players.index, self.withdrawn)),
            first=self.first,
            ended=self.ended,
        )

    # Players

    def names(self) -> list[str]:
        """Return the names of the players."""
        return [session.name for session in self.players]

    def has(self, session: Session) -> bool:
        """Whether a player is registered and has not withdrawn."""
        return session in self.players and session not in self.withdrawn

    def concerned(self) -> Iterable[Session]:
        """Return those who are told of it: its creator and its players, but those who have withdrawn."""
        gone = set(self.withdrawn)
        return dict.fromkeys([*(session for session in self.players if session not in gone), self.creator])

    # Games

    def draw(self) -> None:
        """Set up the games between those who are registered."""
        self.fixtures = Fixtures(Schedule(len(self.players), self._row.legs))

    def pair(self, game: int) -> tuple[Session, Session]:
        """Return the players of a game, by seat."""
        one, other = self.fixtures.schedule[game]
        return self.players[one], self.players[other]

    # What is told

    def tell(self, event: str, body: dict[str, Any]) -> None:
        """Tell all concerned."""
        line = wire.event(event, {"tournament": self.name, **body})
        for session in self.concerned():
            session.send(line)

    def tell_start(self) -> None:
        """Tell all concerned which games there are, in parts where they are many."""
        longest = max(len(wire.encode(name)) for name in self.names())
        event = Parts(
            "tournament.started",
            {"tournament": self.name, "game": self.game, "options": plain(self.options)},
            name="games",
            count=len(self.fixtures.marks),
            size=2 * longest + len('{"match": "m123456789012345678", "player1": , "player2": }'),
            items=self.scheduled,
        )
        for session in self.concerned():
            if event.count == 1:
                session.send(next(event.lines()))
            else:
                session.send_long(event.lines())

    # How it is shown

    def listing(self) -> dict[str, Any]:
        """Return what `tournament.list` says of it."""
        return {
            "tournament": self.name,
            "name": self._row.name,
            "game": self.game,
            "status": self.status,
            "players": self.names(),
        }

    def standings(self) -> list[Standing]:
        """Return the table, the best player first."""
        if self.status is Status.OPEN:  # it has no games yet, as if it were over: nothing of that may be kept
            return table(self.names(), ())
        left = self.fixtures.left
        if self._table is None or self._table[0] != left:
            self._table = left, table(self.names(), self.fixtures.over())
        return self._table[1]

    def scheduled(self, start: int, stop: int) -> list[dict[str, Any]]:
        """Return games as the start announces them."""
        names = self.names()
        games = range(start, min(stop, len(self.fixtures.schedule)))
        return [self._scheduled(game, names) for game in games]

    def games(self, start: int) -> Iterator[dict[str, Any]]:
        """Return the games from one on, each with how far it has come, and its results once it is over."""
        names = self.names()
        for game in range(start, len(self.fixtures.schedule)):
            shown = self._scheduled(game, names)
            stage = self.fixtures.stage(game)
            ended = results(self.fixtures.marks[game]) if stage is Stage.OVER else None
            players = shown["player1"], shown["player2"]
            yield {
                **shown,
                "status": stage,
                "results": None if ended is None else dict(zip(players, ended, strict=True)),
            }

    def _scheduled(self, game: int, names: list[str]) -> dict[str, Any]:
        one, other = self.fixtures.schedule[game]
        return {"match": f"m{self.first + game}", "player1": names[one], "player2": names[other]}


def revive(row: TournamentRow, roster: Roster, catalogue: Catalogue) -> Cup:
    """Return a tournament of an earlier life, without its games."""
    engine, options = catalogue.restored(row.game, row.options) or (None, None)
    players = [roster.bearer(*player) for player in zip(row.sessions, row.players, strict=True)]
    return Cup(row, engine=engine, options=options, creator=roster.bearer(row.creator, ""), players=players)
