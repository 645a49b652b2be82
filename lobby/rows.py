"""What is stored by key: the rows of the lobby's own tables, each under its first field unless it says otherwise.

Field names and table names are frozen; fields may be added behind those that are there.
"""

from __future__ import annotations

from typing import ClassVar

from lobby.store import Row, Wall


class Counter(Row, frozen=True, kw_only=True):
    """The last number that was given out of a kind (`match`, `session`, `subscription`, `challenge`, `tournament`)."""

    table: ClassVar[str] = "counter"
    name: str
    last: int


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
    left: Wall | None = None  # when its last connection ended
    played: bool = False
    lapsed: bool = False


class SubscriptionRow(Row, frozen=True, kw_only=True):
    """A session's wait for opponents; lower numbers came first."""

    table: ClassVar[str] = "subscription"
    number: int
    session: int
    game: str
    options: bytes  # settled, as JSON


class ChallengeRow(Row, frozen=True, kw_only=True):
    """An open challenge from one session to another."""

    table: ClassVar[str] = "challenge"
    number: int  # "c17" on the wire
    challenger: int
    challenged: int
    game: str
    options: bytes  # settled, as JSON
    due: float  # when it expires, by the server clock


class DeclineRow(Row, frozen=True, kw_only=True):
    """That one player turned another one's challenge down, and may not be challenged by them until then.

    By the keys of their names: to log in anew makes nobody more patient.
    """

    table: ClassVar[str] = "decline"
    challenger: str
    challenged: str
    until: float  # by the server clock

    @staticmethod
    def pair(challenger: str, challenged: str) -> str:
        """Return the key of a decline between two players."""
        return f"{challenger}:{challenged}"

    @property
    def key(self) -> str:
        """Return the pair."""
        return self.pair(self.challenger, self.challenged)


class RatingRow(Row, frozen=True, kw_only=True, gc=False):
    """How a session stands in a game; it stays when the session has ended. The counts are of rated matches."""

    table: ClassVar[str] = "rating"
    session: int
    game: str
    name: str
    rating: int
    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def key(self) -> str:
        """Return the session and the game."""
        return f"{self.session}:{self.game}"


class PairRow(Row, frozen=True, kw_only=True, gc=False):
    """How many matches between two players were rated on a day, counted in UTC since 1970.

    By the keys of their names, sorted: to log in anew makes no pair a new one.
    """

    table: ClassVar[str] = "rated_pair"
    players: tuple[str, str]
    day: int
    rated: int = 0

    @property
    def key(self) -> str:
        """Return the two."""
        return "{}:{}".format(*self.players)


class TournamentRow(Row, frozen=True, kw_only=True):
    """A tournament; what its games ended with stands in rows of their own."""

    table: ClassVar[str] = "tournament"
    tournament: int  # "t1" on the wire
    name: str
    game: str
    options: bytes  # settled, as JSON
    legs: int
    creator: int  # a session, as are those of the players
    created: float  # by the server clock
    status: str
    players: tuple[str, ...] = ()  # in the order of registering
    sessions: tuple[int, ...] = ()
    withdrawn: tuple[int, ...] = ()  # places in `players`, in the order of leaving
    first: int = 0  # the match of its first game; the others follow
    ended: Wall | None = None


class MarksRow(Row, frozen=True, kw_only=True, gc=False):
    """How some games of a tournament ended that stand together in its list, a byte each; 0 for one that is not over."""

    table: ClassVar[str] = "tournament_marks"
    first: int  # the match of the first of them
    marks: bytes
