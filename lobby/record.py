"""The record of a match: everything that anyone was told about it, once, each line with its audience.

What one player or the spectators saw is a selection of it. The last lines are in memory, the ones before in sealed pieces
in the store, so that a long match holds no more than a short one.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Final

from games.contract import SPECTATORS, Audience
from lobby.store import Chunk, Store

PIECE: Final = 32
"""Lines in a sealed piece."""


class Record:
    """The lines of one match. A viewer is an audience of one: a seat's bit, or that of the spectators."""

    __slots__ = ("_lines", "_masks", "_match", "_sealed", "_store", "_viewers")

    def __init__(self, store: Store, match: int, seats: int, sealed: list[tuple[int, ...]] | None = None) -> None:
        self._store = store
        self._match = match
        self._viewers = (*(1 << seat for seat in range(seats)), SPECTATORS)
        self._sealed = [] if sealed is None else sealed
        self._masks: list[Audience] = []
        self._lines: list[bytes] = []

    @classmethod
    def kept(cls, store: Store, match: int, seats: int) -> Record:
        """Return the record of a match that has ended, all of it in the store."""
        return cls(store, match, seats, list(store.chunk_counts(match)))

    def add(self, to: Audience, line: bytes) -> None:
        """Add a line, its LF included."""
        self._masks.append(to)
        self._lines.append(line)
        if len(self._lines) == PIECE:
            self.seal()

    def seal(self) -> None:
        """Give the lines in memory to the store, as the next piece."""
        if self._lines:
            counts = tuple(sum(1 for mask in self._masks if mask & viewer) for viewer in self._viewers)
            size = len(self._lines)
            body = struct.pack(f"<{size + 1}H", size, *self._masks) + b"".join(self._lines)
            self._store.seal(self._match, len(self._sealed), Chunk(counts, zlib.compress(body, 1)))
            self._sealed.append(counts)
            self._masks, self._lines = [], []

    def count(self, viewer: Audience) -> int:
        """Return how many lines there are for a viewer so far."""
        index = self._viewers.index(viewer)
        return sum(counts[index] for counts in self._sealed) + sum(1 for mask in self._masks if mask & viewer)

    def counts(self) -> tuple[int, ...]:
        """Return the count of every seat and, last, of the spectators."""
        return tuple(map(self.count, self._viewers))

    def read(self, viewer: Audience, start: int, stop: int) -> Iterator[bytes]:
        """Yield a viewer's lines from the `start`-th (from 0) up to but not the `stop`-th, joined piece by piece.

        It may be drawn on at any later time, after further lines, too. What the store has removed by then does not come.
        """
        index = self._viewers.index(viewer)
        number = passed = 0
        while passed < stop and number <= len(self._sealed):
            if number < len(self._sealed):
                count = self._sealed[number][index]
                lines = self._piece(number, viewer) if passed + count > start else ()
            else:
                lines = self._select(self._masks, self._lines, viewer)
                count = len(lines)
            wanted = lines[max(0, start - passed) : stop - passed]
            if wanted:
                yield b"".join(wanted)
            passed += count
            number += 1

    def _piece(self, number: int, viewer: Audience) -> tuple[bytes, ...]:
        try:
            body = zlib.decompress(self._store.chunk(self._match, number))
        except KeyError:
            return ()
        (size,) = struct.unpack_from("<H", body)
        masks = struct.unpack_from(f"<{size}H", body, 2)
        lines = [line + b"\n" for line in body[2 + 2 * size :].split(b"\n")[:size]]
        return self._select(masks, lines, viewer)

    @staticmethod
    def _select(masks: Sequence[Audience], lines: Sequence[bytes], viewer: Audience) -> tuple[bytes, ...]:
        return tuple(compress(lines, (mask & viewer for mask in masks)))
