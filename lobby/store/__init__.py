"""What the server keeps: the contract of a store, and the rows it holds.

Writes gather in memory until `commit`, which makes all of them durable at once or raises `StoreFailed`; reads see what
was written before them, committed or not, and may raise `StoreFailed` too. A store knows nothing of games, sessions or
the wire. It is used from one thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Protocol, TypeVar

from msgspec import Struct

Wall = float
"""A date: seconds since 1970, UTC."""


class StoreFailed(Exception):
    """The store can't be opened, read or written; the message is one line for the operator."""


class Row(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of what is stored by key: one table a kind, MessagePack by field name, so that fields can be added.

    `table` is the frozen name of the kind: lower-case words joined by "_"; renaming the class never breaks a file. The
    keys of one table are all numbers or all strings, compared exactly.
    """

    table: ClassVar[str]

    @property
    def key(self) -> int | str:
        """Return what tells this row from the others of its table: the first field, unless a kind says otherwise."""
        key: int | str = getattr(self, self.__struct_fields__[0])
        return key


RowT = TypeVar("RowT", bound=Row)


class MatchRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match as it was begun and, once `ended` is set, as it ended."""

    match: int  # "m17" on the wire
    game: str
    version: int  # of the rules
    options: bytes  # settled, as JSON
    seed: int  # of 64 bits at most
    players: tuple[str, ...]  # names, by seat
    sessions: tuple[int, ...]  # by seat
    began: Wall
    origin: float  # the server clock at time 0 of the match
    rated: bool = False
    tournament: int | None = None
    ended: Wall | None = None
    results: tuple[str, ...] = ()  # by seat
    reason: str | None = None
    views: tuple[bytes, ...] = ()  # the answers of game.state after the end, by seat, as JSON
    inputs: bytes = b""  # the match's inputs, folded out of the journal: as given to `append`, joined
    events: tuple[int, ...] = ()  # the length of the record: for each seat, then for spectators


class Chunk(Struct, frozen=True):
    """A sealed piece of a record: how many lines it holds for each seat and, last, for spectators; and the lines."""

    counts: tuple[int, ...]
    body: bytes


class Store(Protocol):
    """Where the server's state outlives it.

    A match is `open_match`, any number of `append` and `seal`, then `close_match`. While it lives its inputs stand in
    the journal, in the order in which they were appended over all matches; closing folds them into its row.
    """

    def put(self, row: Row) -> None:
        """Insert a row, or replace the one with its key."""

    def drop(self, kind: type[Row], key: int | str) -> None:
        """Remove a row, where it exists."""

    def rows(self, kind: type[RowT]) -> Iterator[RowT]:
        """Return all rows of a kind, by key. Writing meanwhile is fine; what is dropped by then does not come."""

    def open_match(self, row: MatchRow) -> None:
        """Begin a match; its number was never used before. Numbers may be opened in any order."""

    def append(self, match: int, entry: bytes) -> None:
        """Add an input to the journal of a live match. The hot path."""

    def seal(self, match: int, number: int, chunk: Chunk) -> None:
        """Keep a piece of a record; `number` counts from 0. Sealing a number again replaces the piece."""

    def close_match(self, row: MatchRow) -> None:
        """Replace the row of a live match by its ended one, which holds its inputs."""

    def live_matches(self) -> Iterator[MatchRow]:
        """Return the matches that have not ended, by number."""

    def journal(self) -> Iterator[tuple[int, bytes]]:
        """Return `(match, entry)` of all live matches, in the order of appending. Not kept in memory: for start-up."""

    def match(self, number: int) -> MatchRow | None:
        """Return a live or ended match that is still kept."""

    def matches(
        self, *, after: int, limit: int, game: str | None = None, player: str | None = None, live: bool | None = None
    ) -> Sequence[MatchRow]:
        """Return up to `limit` matches with numbers above `after`, by number, without their `inputs` and `views`.

        The cost does not grow with what is left out.
        """

    def matches_of(self, session: int, *, since: Wall, limit: int) -> Sequence[MatchRow]:
        """Return the last `limit` matches of a session that ended at `since` or later, by number.

        They come without their `inputs` and `views`.
        """

    def chunk_counts(self, match: int) -> Sequence[tuple[int, ...]]:
        """Return the counts of the sealed pieces of a record, by number."""

    def chunk(self, match: int, number: int) -> bytes:
        """Return the body of one sealed piece. Raise `KeyError` where there is none."""

    def commit(self) -> None:
        """Make everything written since the last commit durable, in one transaction.

        Raise `StoreFailed` where it can't: then, and at every commit after it, for the store is now closed to writing.
        What was committed before is intact.
        """

    def retain(self, *, ended_before: Wall) -> bool:
        """Remove a bounded slice of what is no longer needed, and return whether there is more to remove now.

        That is: matches that ended earlier, with their records, and journal entries of ended matches. A write like any
        other: durable with the next commit.
        """

    def close(self) -> None:
        """Commit, and let the file go; after a failure only the latter."""
