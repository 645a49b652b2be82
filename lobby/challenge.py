"""One challenge: who has asked whom to play what, how it is shown and told. What becomes of it, others decide."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from msgspec import Struct

from games.contract import Engine
from lobby.catalogue import plain
from lobby.clock import Alarm
from lobby.rows import ChallengeRow
from lobby.session import Session
from protocol import wire


class Closing(StrEnum):
    """Why a challenge is open no longer."""

    ACCEPTED = "accepted"
    DECLINED = "declined"
    CANCELLED = "cancelled"
    LEFT = "left"
    EXPIRED = "expired"


class Challenge(Struct, frozen=True, eq=False):
    """A session's offer to another one to play a game with settled options."""

    row: ChallengeRow
    engine: Engine
    options: Any
    challenger: Session
    challenged: Session
    alarm: Alarm

    @property
    def name(self) -> str:
        """Return its id on the wire."""
        return f"c{self.row.number}"

    def other(self, session: Session) -> Session:
        """Return the other side."""
        return self.challenged if session is self.challenger else self.challenger

    def seconds(self, now: float) -> float:
        """Return the seconds left, to a tenth."""
        return round(max(0.0, self.row.due - now), 1)

    def listing(self, now: float) -> dict[str, Any]:
        """Return how the answer to a reconnect shows it."""
        return {
            "challenge": self.name,
            "from": self.challenger.name,
            "to": self.challenged.name,
            "game": self.row.game,
            "options": plain(self.options),
            "seconds": self.seconds(now),
        }

    def invitation(self, now: float) -> bytes:
        """Return the line that tells the challenged player."""
        body = {
            "challenge": self.name,
            "player": self.challenger.name,
            "game": self.row.game,
            "options": plain(self.options),
            "seconds": self.seconds(now),
        }
        return wire.event("lobby.challenged", body)
