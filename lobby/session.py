"""One session: a name, a token, and the way to whoever plays under them. It knows no other session, and no match."""

from __future__ import annotations

from collections.abc import Iterator

from lobby.clock import Alarm
from lobby.outbox import Outbox
from protocol import names


class Session:
    """One login: a name, a token, and what belongs to them. `outbox` is `None` while the player is away."""

    __slots__ = (
        "alarm",
        "away_since",
        "cups",
        "ended",
        "key",
        "left",
        "name",
        "number",
        "outbox",
        "played",
        "token",
    )

    def __init__(self, number: int, name: str, token: bytes, *, played: bool = False) -> None:
        self.number = number
        self.name = name
        self.key = names.key(name)
        self.token = token  # its hash
        self.played = played  # whether it ever had a match
        self.outbox: Outbox | None = None
        self.away_since = 0.0  # by the server clock
        self.left = 0.0  # the date at which its last connection ended
        self.cups: set[int] = set()  # tournaments that it created or is registered in, and that are not over
        self.ended = False
        self.alarm: Alarm

    @property
    def connected(self) -> bool:
        """Whether the player is there."""
        return self.outbox is not None

    def send(self, line: bytes) -> None:
        """Send a line, its LF included, if the player is there; what is missed is in the records."""
        if self.outbox is not None:
            self.outbox.put(line)

    def send_long(self, lines: Iterator[bytes]) -> None:
        """Send many lines at the pace at which the client reads, if the player is there."""
        if self.outbox is not None:
            self.outbox.replay(lines)
