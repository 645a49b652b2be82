"""`lobby.challenge`, `lobby.accept`, `lobby.decline`, `lobby.cancel`: to play a certain player instead of whoever comes."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from lobby.challenges import Challenges
from lobby.router import Method
from lobby.session import Session


class Offer(Struct, frozen=True):
    """Whom to play, and what and how."""

    player: str
    game: str
    options: dict[str, Any] = {}


class Named(Struct, frozen=True):
    """A challenge, by its id."""

    challenge: str


class ChallengeMethods:
    """The methods, over the part that does the work."""

    def __init__(self, challenges: Challenges) -> None:
        self._challenges = challenges

    def table(self) -> list[Method]:
        """Return the rows of these methods."""
        return [
            Method(
                name="lobby.challenge",
                summary='ask a player for a match: {"player": "<name>", "game": "<game>", "options": {...}}',
                call=self.challenge,
                fields=Offer,
            ),
            Method(
                name="lobby.accept",
                summary='play the match that you were asked for: {"challenge": "<challenge>"}',
                call=self.accept,
                fields=Named,
            ),
            Method(
                name="lobby.decline",
                summary='turn a challenge down: {"challenge": "<challenge>"}',
                call=self.decline,
                fields=Named,
            ),
            Method(
                name="lobby.cancel",
                summary='take your challenge back: {"challenge": "<challenge>"}',
                call=self.cancel,
                fields=Named,
            ),
        ]

    def challenge(self, session: Session, fields: Offer) -> dict[str, Any]:
        """Ask a player for a match."""
        challenge = self._challenges.challenge(session, fields.player, fields.game, fields.options)
        return {"challenge": challenge.name}

    def accept(self, session: Session, fields: Named) -> None:
        """Play the match."""
        self._challenges.accept(session, fields.challenge)

    def decline(self, session: Session, fields: Named) -> None:
        """Turn a challenge down."""
        self._challenges.decline(session, fields.challenge)

    def cancel(self, session: Session, fields: Named) -> None:
        """Take a challenge back."""
        self._challenges.cancel(session, fields.challenge)
