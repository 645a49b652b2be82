"""The patience of the lobby with those who challenge: nobody is flooded with challenges that are taken back at once."""

from __future__ import annotations

from math import ceil
from typing import Final

from lobby.clock import Agenda
from lobby.session import Session
from protocol.errors import Code, ProtocolError

MINUTE: Final = 60.0


class Patience:
    """How many challenges each player may make now: those of a minute at once, and then as time brings them back."""

    def __init__(self, agenda: Agenda, *, a_minute: int) -> None:
        self._agenda = agenda
        self._most = a_minute
        self._left: dict[Session, tuple[float, float]] = {}  # how many, and when

    def check(self, session: Session) -> None:
        """Raise `ProtocolError` (`TOO_SOON`) where a player has made as many as may be."""
        missing = 1 - self._now(session)
        if missing > 0:
            wait = ceil(missing * MINUTE / self._most * 1000) / 1000
            message = f"you made {self._most} challenges within a minute; ask again in {wait:g} s"
            raise ProtocolError(Code.TOO_SOON, message, retry_after=wait)

    def spend(self, session: Session) -> None:
        """Take note of a challenge."""
        self._left[session] = (self._now(session) - 1, self._agenda.now)

    def forget(self, session: Session) -> None:
        """Take note that a session has ended."""
        self._left.pop(session, None)

    def _now(self, session: Session) -> float:
        left, since = self._left.get(session, (float(self._most), self._agenda.now))
        return min(self._most, left + (self._agenda.now - since) * self._most / MINUTE)
