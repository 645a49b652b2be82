"""What the server writes: JSON as the contract shows it, and whole lines of the three kinds, each with its LF.

Every line it sends is made here. It neither sends nor counts them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from protocol.errors import ProtocolError

OUTPUT_LIMIT: Final = 60_000
"""The most bytes of a line of the server's, its LF included."""

NO_ID: Final = b"-"
"""Stands for the id in an answer to what had none."""

Body = Mapping[Any, Any] | msgspec.Struct | bytes | None
"""The object of a line: its value, or the JSON that an `Encoder` made of it. `None` and `{}` are left out."""

_SPLITTERS: Final = (
    (b"\xc2\x85", b"\\u0085"),
    (b"\xe2\x80\xa8", b"\\u2028"),
    (b"\xe2\x80\xa9", b"\\u2029"),
)
_WHOLE_FLOATS: Final = re.compile(
    rb'("[^"\\]*(?:\\.[^"\\]*)*")|-?(0)\.0(?![0-9eE])|(-?[0-9]+)\.0(?![0-9eE])', re.DOTALL
)


class Encoder:
    """Writes JSON on one line: a space after `:` and `,`, keys in their order, whole numbers without a fraction.

    `enc_hook` turns what JSON does not know, as a value or a key, into something that it does.
    """

    __slots__ = ("_compact",)

    def __init__(self, enc_hook: Callable[[Any], Any] | None = None) -> None:
        self._compact = msgspec.json.Encoder(enc_hook=enc_hook).encode

    def encode(self, value: Any) -> bytes:
        """Return the JSON of a value."""
        text = msgspec.json.format(self._compact(value), indent=0)
        if not text.isascii():
            for mark, escape in _SPLITTERS:
                text = text.replace(mark, escape)
        if text.find(b".0") >= 0:
            text = _WHOLE_FLOATS.sub(rb"\1\2\3", text)
        return text


encode: Final = Encoder().encode
"""The JSON of a value without placeholders."""


def answer(id: bytes, body: Body = None) -> bytes:
    """Return the line that grants a request."""
    return b"RES %b OK%b\n" % (id, _object(body))


def failure(id: bytes, error: ProtocolError) -> bytes:
    """Return the line that refuses a request."""
    return b"RES %b ERR%b\n" % (id, _object({"code": error.code, "message": error.message, **error.extra}))


def event(name: str, body: Body = None, match: str | None = None) -> bytes:
    """Return the line that tells what happened, in a match where one is named."""
    if match is None:
        return b"EVT %b%b\n" % (name.encode(), _object(body))
    return b"EVT %b %b%b\n" % (match.encode(), name.encode(), _object(body))


def _object(body: Body) -> bytes:
    if body is None:
        return b""
    text = body if isinstance(body, bytes) else encode(body)
    return b"" if text == b"{}" else b" " + text
