"""Who keeps a due game waiting: players who are away are given a grace, and whoever misses it gets none until back."""

from __future__ import annotations

from collections.abc import Callable

from lobby.clock import Agenda, Alarm
from lobby.session import Session


class Absences:
    """The players who were called to a game while they were away. `missed` is called with each whose grace ran out."""

    def __init__(self, agenda: Agenda, *, grace: float, missed: Callable[[Session], None]) -> None:
        self._agenda = agenda
        self._grace = grace
        self._missed = missed
        self._called: dict[Session, Alarm] = {}
        self._no_shows: set[Session] = set()

    def call(self, session: Session) -> None:
        """Give a player who is away the grace to come to a game that is due, unless that has happened."""
        if session not in self._called:
            alarm = self._called[session] = Alarm(lambda _: self._ring(session))
            self._agenda.set(alarm, self._agenda.now + self._grace)

    def failed(self, session: Session) -> bool:
        """Whether a player did not come in time, and has not been back."""
        return session in self._no_shows

    def forget(self, session: Session) -> None:
        """Take note that a player is back, or has nothing more to play."""
        self._no_shows.discard(session)
        alarm = self._called.pop(session, None)
        if alarm is not None:
            self._agenda.cancel(alarm)

    def _ring(self, session: Session) -> None:
        self._no_shows.add(session)
        self._missed(session)
