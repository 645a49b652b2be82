"""The inputs of a match, as the journal keeps them: one JSON array a line, in the order in which they happened.

From its inputs, options and seed a match follows to the byte. Tags and places are frozen: old files must stay readable.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, json

from games.contract import Reason, Seat


class Act(Struct, frozen=True, array_like=True, tag="act", gc=False):
    """A player's action that the rules accepted. `at` is in seconds since the match began, here and below."""

    at: float
    seat: Seat
    action: Any


class Forfeit(Struct, frozen=True, array_like=True, tag="forfeit", gc=False):
    """Players who left at one instant."""

    at: float
    seats: tuple[Seat, ...]
    reason: Reason


class Expire(Struct, frozen=True, array_like=True, tag="expire", gc=False):
    """Time acted; `away` are the seats that had no connection."""

    at: float
    away: tuple[Seat, ...]


class Annul(Struct, frozen=True, array_like=True, tag="annul", gc=False):
    """The server gave the match up, by a fault of its own."""

    at: float


Input = Act | Forfeit | Expire | Annul

_encoder = json.Encoder()
_decoder = json.Decoder(Input)


def encode(entry: Input) -> bytes:
    """Return the journal's line for an input, its LF included."""
    return _encoder.encode(entry) + b"\n"


def decode(line: bytes) -> Input:
    """Return the input of one line."""
    return _decoder.decode(line)


def split(lines: bytes) -> Iterator[Input]:
    """Return the inputs of joined lines, in order."""
    return map(decode, lines.splitlines())
