"""The referee of all running tournaments: starts the games that are due, and sees to those whose players do not come.

A player has one tournament match at a time, over all tournaments. Next is the first listed game whose players are both free.
If one of them is away it waits, and holds up nobody: the other may play on meanwhile. A player who has withdrawn, or whose
grace is over, loses each game that is left as its turn comes: it begins and ends at once, whether or not the other is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from itertools import count
from math import inf
from typing import Final

from games.contract import Reason, Seat
from lobby.absences import Absences
from lobby.clock import Agenda
from lobby.cup import Cup
from lobby.fixtures import Calendar
from lobby.matches import Matches
from lobby.session import Session

SLICE: Final = 8
"""Games that one turn of the loop begins, whatever happens in it; the next turn goes on."""


class Referee:
    """Decides for every player who may be free what comes next.

    It looks again only at those for whom something has changed, and only at their own games.
    """

    def __init__(
        self,
        agenda: Agenda,
        matches: Matches,
        *,
        grace: float,
        soon: Callable[[Callable[[], None]], object],
    ) -> None:
        """Build it; `soon` calls back in the next turn of the loop."""
        self._agenda = agenda
        self._matches = matches
        self._soon = soon
        self._absences = Absences(agenda, grace=grace, missed=self._missed)
        self._calendars: dict[Cup, Calendar] = {}
        self._of: dict[Session, dict[Cup, int]] = {}  # the running tournaments of each player, and the index there
        self._busy: set[Session] = set()
        self._pending: dict[Session, None] = {}  # those for whom something may have changed
        self._resting = False  # whether this turn has begun what it may

    # Tournaments

    def enter(self, cup: Cup) -> None:
        """Take on a tournament that runs from now on."""
        self._calendars[cup] = Calendar(cup.fixtures, len(cup.players))
        for index, session in enumerate(cup.players):
            self._of.setdefault(session, {})[cup] = index
            self._pending[session] = None

    def leave(self, cup: Cup) -> None:
        """Let a tournament go that is over, if it was taken on; matches of it that are still live go on."""
        if self._calendars.pop(cup, None) is None:
            return
        for session in cup.players:
            del self._of[session][cup]
            if not self._of[session]:
                del self._of[session]
                self._pending.pop(session, None)
                self._absences.forget(session)

    # Players

    def occupy(self, sessions: Iterable[Session]) -> None:
        """Take note that players are in a tournament match."""
        self._busy.update(sessions)

    def release(self, sessions: Iterable[Session]) -> None:
        """Take note that their match has ended; `advance` then looks for the next."""
        for session in sessions:
            self._busy.discard(session)
            self._reconsider(session)

    def arrived(self, session: Session) -> None:
        """Let a player who has come take part again."""
        self._absences.forget(session)
        self.changed(session)

    def changed(self, session: Session) -> None:
        """Look again at the games of a player who has left, or withdrawn."""
        self._reconsider(session)
        self.advance()

    def _reconsider(self, session: Session) -> None:
        if session in self._of:
            self._pending[session] = None

    def _missed(self, session: Session) -> None:
        self._reconsider(session)
        self._agenda.defer(self.advance)  # once all whose grace is over at this instant are known

    # Games

    def advance(self) -> None:
        """Begin what can be begun, the first listed game first: a slice of it now, and of the rest one in every turn."""
        if self._resting or not self._pending:
            return
        self._resting = True
        self._soon(self._go_on)
        serial = count()  # sessions have no order, and of two with the same game next either will do
        candidates = [(self._first(session), next(serial), session) for session in self._pending]
        heapify(candidates)
        begun = 0
        while candidates and begun < SLICE:
            place, _, session = heappop(candidates)
            found = self._next_of(session)
            if found is None:
                self._pending.pop(session, None)
            elif self._place(found) > place:  # something was begun meanwhile that its first game had to wait for
                heappush(candidates, (self._place(found), next(serial), session))
            else:
                begun += 1
                for player in self._begin(*found):  # who may be free again: some games end as they begin
                    heappush(candidates, (place, next(serial), player))

    def _go_on(self) -> None:
        self._resting = False
        self.advance()

    def _first(self, session: Session) -> float:
        """Return the place of the game that comes next for a player, behind all others where there is none."""
        found = self._next_of(session)
        return inf if found is None else self._place(found)

    @staticmethod
    def _place(found: tuple[Cup, int]) -> int:
        """Return where a game stands among all that were ever listed: by the number of its match."""
        return found[0].first + found[1]

    def _next_of(self, session: Session) -> tuple[Cup, int] | None:
        """Return the first game of a player that can begin; call those who are away to the ones before it."""
        if session in self._busy:
            return None
        for cup, index in self._of.get(session, {}).items():
            for game, other in self._calendars[cup].due(index):
                opponent = cup.players[other]
                if opponent in self._busy:
                    continue
                if self._ready(cup, session, opponent):
                    return cup, game
                for player in (session, opponent):
                    if not player.connected:
                        self._absences.call(player)
        return None

    def _ready(self, cup: Cup, one: Session, other: Session) -> bool:
        return (one.connected and other.connected) or self._fails(cup, one) or self._fails(cup, other)

    def _fails(self, cup: Cup, session: Session) -> bool:
        return self._absences.failed(session) or session in cup.withdrawn

    def _begin(self, cup: Cup, game: int) -> tuple[Session, Session]:
        pair = cup.pair(game)
        self.occupy(pair)
        cup.fixtures.begin(game)
        assert cup.engine is not None, "a tournament whose rules are gone is called off"
        match = self._matches.begin(
            cup.engine, cup.options, pair, rated=True, tournament=cup.number, number=cup.first + game
        )
        losers = self._losers(cup, pair)
        if losers:
            self._matches.forfeit(match, losers)
        return pair

    def _losers(self, cup: Cup, pair: tuple[Session, Session]) -> dict[Seat, Reason]:
        """Return who loses at once: of two who fail the earlier, and whoever has withdrawn did so before any game is due."""
        withdrawn = [session for session in cup.withdrawn if session in pair]
        if withdrawn:
            return {pair.index(withdrawn[0]): Reason.RESIGNED}
        return {seat: Reason.DISCONNECTED for seat, session in enumerate(pair) if self._absences.failed(session)}
