"""The store that keeps everything in plain dicts, for `--db :memory:` and for tests. It must never touch a file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Final

from msgspec.structs import replace

from lobby.store import Chunk, MatchRow, Row, RowT, Wall

Facet = tuple[str | None, str | None, bool | None]
"""What a list of matches is filtered by: game, player, live; `None` is any."""

RETAIN_MATCHES: Final = 100


class MemoryStore:
    """A store without a file; `commit` has nothing to do."""

    def __init__(self) -> None:
        self._rows: defaultdict[str, dict[Any, Row]] = defaultdict(dict)
        self._matches: dict[int, MatchRow] = {}
        self._journal: dict[int, list[tuple[int, bytes]]] = {}  # of each live match: the place in the order, the entry
        self._appended = 0
        self._chunks: defaultdict[int, dict[int, Chunk]] = defaultdict(dict)
        self._listed: defaultdict[Facet, list[int]] = defaultdict(list)  # numbers, ascending
        self._ended: list[tuple[Wall, int]] = []  # ascending
        self._ended_of: defaultdict[int, list[tuple[Wall, int]]] = defaultdict(list)  # by session, ascending

    def put(self, row: Row) -> None:
        """Insert a row, or replace the one with its key."""
        self._rows[row.table][row.key] = row

    def drop(self, kind: type[Row], key: int | str) -> None:
        """Remove a row, where it exists."""
        self._rows[kind.table].pop(key, None)

    def rows(self, kind: type[RowT]) -> Iterator[RowT]:
        """Return all rows of a kind, by key."""
        table = self._rows[kind.table]
        for key in sorted(table):
            row = table.get(key)
            if isinstance(row, kind):
                yield row

    def open_match(self, row: MatchRow) -> None:
        """Begin a match."""
        self._matches[row.match] = row
        self._journal[row.match] = []
        for facet in _facets(row):
            insort(self._listed[facet], row.match)

    def append(self, match: int, entry: bytes) -> None:
        """Add an input to the journal of a live match."""
        self._appended += 1
        self._journal[match].append((self._appended, entry))

    def seal(self, match: int, number: int, chunk: Chunk) -> None:
        """Keep a piece of a record."""
        self._chunks[match][number] = chunk

    def close_match(self, row: MatchRow) -> None:
        """Replace the row of a live match by its ended one."""
        self._unlist(self._matches[row.match])
        self._matches[row.match] = row
        for facet in _facets(row):
            insort(self._listed[facet], row.match)
        del self._journal[row.match]
        end = _end(row)
        insort(self._ended, end)
        for session in set(row.sessions):
            insort(self._ended_of[session], end)

    def live_matches(self) -> Iterator[MatchRow]:
        """Return the matches that have not ended, by number."""
        return (self._matches[number] for number in list(self._listed[None, None, True]))

    def journal(self) -> Iterator[tuple[int, bytes]]:
        """Return `(match, entry)` of all live matches, in the order of appending."""
        entries = [(place, match, entry) for match, kept in self._journal.items() for place, entry in kept]
        return ((match, entry) for _, match, entry in sorted(entries))

    def match(self, number: int) -> MatchRow | None:
        """Return a live or ended match that is still kept."""
        return self._matches.get(number)

    def matches(
        self, *, after: int, limit: int, game: str | None = None, player: str | None = None, live: bool | None = None
    ) -> Sequence[MatchRow]:
        """Return up to `limit` matches with numbers above `after`, by number."""
        numbers = self._listed.get((game, player, live), [])
        start = bisect_right(numbers, after)
        return [_bare(self._matches[number]) for number in numbers[start : start + limit]]

    def matches_of(self, session: int, *, since: Wall, limit: int) -> Sequence[MatchRow]:
        """Return the last `limit` matches of a session that ended at `since` or later, by number."""
        ended = self._ended_of.get(session, [])
        first = max(bisect_left(ended, (since, 0)), len(ended) - limit)
        numbers = sorted(number for _, number in ended[first:])
        return [_bare(self._matches[number]) for number in numbers]

    def chunk_counts(self, match: int) -> Sequence[tuple[int, ...]]:
        """Return the counts of the sealed pieces of a record, by number."""
        return [chunk.counts for _, chunk in sorted(self._chunks.get(match, {}).items(), key=lambda item: item[0])]

    def chunk(self, match: int, number: int) -> bytes:
        """Return the body of one sealed piece. Raise `KeyError` where there is none."""
        return self._chunks.get(match, {})[number].body

    def commit(self) -> None:
        """Do nothing: memory is as durable as this store gets."""

    def retain(self, *, ended_before: Wall) -> bool:
        """Remove a bounded slice of the matches that ended earlier, with their records."""
        old = bisect_left(self._ended, (ended_before, 0))
        for _, number in self._ended[: min(old, RETAIN_MATCHES)]:
            self._forget(self._matches[number])
        del self._ended[: min(old, RETAIN_MATCHES)]
        return old > RETAIN_MATCHES

    def close(self) -> None:
        """Do nothing: there is no file."""

    def _forget(self, row: MatchRow) -> None:
        self._unlist(row)
        del self._matches[row.match]
        self._chunks.pop(row.match, None)
        for session in set(row.sessions):
            self._ended_of[session].remove(_end(row))
            if not self._ended_of[session]:
                del self._ended_of[session]

    def _unlist(self, row: MatchRow) -> None:
        for facet in _facets(row):
            numbers = self._listed[facet]
            del numbers[bisect_left(numbers, row.match)]
            if not numbers:
                del self._listed[facet]


def _facets(row: MatchRow) -> set[Facet]:
    """Return every filter that lets this match through."""
    return set(product((None, row.game), (None, *row.players), (None, row.ended is None)))


def _end(row: MatchRow) -> tuple[Wall, int]:
    if row.ended is None:
        raise ValueError(f"match {row.match} has not ended")
    return row.ended, row.match


def _bare(row: MatchRow) -> MatchRow:
    return replace(row, inputs=b"", views=())
