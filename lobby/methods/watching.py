"""`lobby.watch` and `lobby.unwatch`: matches of others while they are played, and of all when they are over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, Struct

from lobby.router import Method

if TYPE_CHECKING:
    from lobby.house import House
    from lobby.sessions import Session


class Watch(Struct, frozen=True):
    """A match, and how many of its events the client has."""

    match: str
    received: Annotated[int, Meta(ge=0)] = 0


class Unwatch(Struct, frozen=True):
    """A match."""

    match: str


class WatchingMethods:
    """The methods, over the watching."""

    def __init__(self, house: House) -> None:
        self._house = house

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
        return self._house.watching.watch(session, self._house.match_row(fields.match), fields.received)

    def unwatch(self, session: Session, fields: Unwatch) -> None:
        """Show a match no longer."""
        self._house.watching.unwatch(session, f"m{self._house.match_row(fields.match).match}")
