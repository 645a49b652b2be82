"""`lobby.watch` and `lobby.unwatch`: matches of others while they are played, and of all when they are over."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from lobby.matches import Matches
from lobby.router import Method
from lobby.session import Session
from lobby.watching import Watching


class Watch(Struct, frozen=True):
    """A match, and how many of its events the client has."""

    match: str
    received: Annotated[int, Meta(ge=0)] = 0


class Unwatch(Struct, frozen=True):
    """A match."""

    match: str


class WatchingMethods:
    """The methods, over the watching and the matches."""

    def __init__(self, watching: Watching, matches: Matches) -> None:
        self._watching = watching
        self._matches = matches

    def table(self) -> list[Method]:
        """Return the rows of these methods."""
        return [
            Method(
                name="lobby.watch",
                summary='see a match as a spectator, from its first line on: {"match": "<match>"}',
                call=self.watch,
                fields=Watch,
            ),
            Method(
                name="lobby.unwatch",
                summary='see a match no longer: {"match": "<match>"}',
                call=self.unwatch,
                fields=Unwatch,
            ),
        ]

    def watch(self, session: Session, fields: Watch) -> dict[str, Any]:
        """Show a match; its record comes behind the answer."""
        return self._watching.watch(session, self._matches.row(fields.match), fields.received)

    def unwatch(self, session: Session, fields: Unwatch) -> None:
        """Show a match no longer."""
        self._matches.row(fields.match)  # or it is unknown
        self._watching.unwatch(session, fields.match)
