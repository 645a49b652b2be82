"""What is stored by key: the rows of the lobby's own tables. Field names and table names are frozen; fields may be added."""

from __future__ import annotations

from typing import ClassVar

from lobby.store import Row, Wall


class Counter(Row, frozen=True, kw_only=True):
    """The last number that was given out of a kind (`match`, `session`, `challenge`, `tournament`)."""

    table: ClassVar[str] = "counter"
    name: str
    last: int

    @property
    def key(self) -> str:
        """Return the kind."""
        return self.name


class ClockRow(Row, frozen=True, kw_only=True):
    """The server clock, as it stood at the last commit that had something to say of it."""

    table: ClassVar[str] = "clock"
    now: float
    wall: Wall

    @property
    def key(self) -> str:
        """Return the one key: there is one clock."""
        return "server"


class SessionRow(Row, frozen=True, kw_only=True):
    """A session that has not ended. `token` is the SHA-256 of its token; `lapsed`: another login may take its name."""

    table: ClassVar[str] = "session"
    session: int
    name: str
    token: bytes
    seen: Wall
    left: Wall | None = None  # when its last connection ended
    played: bool = False
    lapsed: bool = False

    @property
    def key(self) -> int:
        """Return its number."""
        return self.session


class SubscriptionRow(Row, frozen=True, kw_only=True):
    """A session's wait for opponents; lower numbers came first."""

    table: ClassVar[str] = "subscription"
    number: int
    session: int
    game: str
    options: bytes  # settled, as JSON

    @property
    def key(self) -> int:
        """Return its number."""
        return self.number
