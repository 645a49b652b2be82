"""Bytes into lines: the limit, the line ends, the blanks, and the telnet commands that are skipped.

It knows nothing of what a line says but where an id stands in one that is too long, and holds nothing between lines.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from protocol.requests import id_of

LINE_LIMIT: Final = 8192
"""The most bytes of a client's line, its LF included."""

_BLANKS: Final = b" \t"
_IAC: Final = 0xFF

# FF FF is one pair of data, so that its second half begins no command.
_OUTSIDE: Final = re.compile(
    rb"(?P<text>(?:[^\xff]+|\xff[^\xfa-\xfe]|\xff[\xfb-\xfe].)+)|(?P<opening>\xff\xfa)", re.DOTALL
)
_INSIDE: Final = re.compile(rb"(?P<data>(?:[^\xff]+|\xff[^\xf0])+)|(?P<closing>\xff\xf0)")
_kept: Final = re.compile(rb"((?:[^\xff]+|\xff[\x00-\xeb\xff])+)|\xff(?:[\xec-\xf9]|[\xfb-\xfe].)", re.DOTALL).findall


class Overlong(Struct, frozen=True, gc=False):
    """Stands in the place of a line over the limit; `id` is its id, `-` where none could be read."""

    id: bytes


class LineReader:
    """Cuts what one connection sends into lines. It never holds more than the limit, and between lines nothing."""

    __slots__ = ("_command", "_head", "_inside", "_length", "_limit")

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._head = b""  # the line so far; once that is over the limit, the id alone
        self._length = 0  # of the line so far, its subnegotiations included; over the limit it grows no more
        self._command = b""  # the beginning of a telnet command
        self._inside = False  # a subnegotiation

    @property
    def held(self) -> int:
        """Return how many bytes are held until the next LF."""
        return len(self._head) + len(self._command)

    def feed(self, data: memoryview | bytes) -> list[bytes | Overlong]:
        """Return the lines that end in this data, without line ends and outer blanks; empty ones are left out.

        The data is copied: its buffer may be used again.
        """
        chunk = bytes(data)
        lines: list[bytes | Overlong] = []
        if _IAC in chunk or self._command or self._inside:
            self._skip_commands(self._command + chunk, lines)
        else:
            self._cut(chunk, lines)
        return lines

    def _cut(self, text: bytes, lines: list[bytes | Overlong]) -> None:
        pieces = text.split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            if self._length or len(piece) >= self._limit:
                self._grow(piece, len(piece))
                line = self._end()
            else:
                line = piece.removesuffix(b"\r").strip(_BLANKS)
            if line:
                lines.append(line)
        if rest:
            self._grow(rest, len(rest))

    def _grow(self, text: bytes, length: int) -> None:
        room = self._limit - self._length
        if room > 0:
            self._head += text[:room]
            self._length += length
            if length >= room:
                self._head = id_of(self._head)

    def _end(self) -> bytes | Overlong:
        head, length = self._head, self._length
        self._head, self._length = b"", 0
        if length >= self._limit:
            return Overlong(head)
        return head.removesuffix(b"\r").strip(_BLANKS)

    def _skip_commands(self, chunk: bytes, lines: list[bytes | Overlong]) -> None:
        position = 0
        while found := (_INSIDE if self._inside else _OUTSIDE).match(chunk, position):
            position = found.end()
            match found.lastgroup:
                case "text":
                    self._cut(b"".join(_kept(found.group())), lines)
                case "data":
                    data = found.group()
                    self._grow(b"", len(data) - data.count(b"\xff\xff"))
                case "opening":
                    self._inside = True
                case "closing":
                    self._inside = False
        self._command = chunk[position:]
