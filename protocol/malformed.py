"""What is wrong with an object that is no JSON, in plain words: above all the slips of those who type it by hand.

It explains what msgspec refused, and decodes nothing itself.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from protocol.suggest import odd_blank, shown

# An unclosed string runs to the end: else each quote in it were tried anew.
strings: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)

_RIGHT: Final = 'behind the method stands one JSON object or nothing, such as {"version": 1}'
_JSON: Final = 'it looks like this: {"player": "ann", "rounds": 3}'

_match: Final = re.compile(rb"(m[0-9]{1,18})(?:[ \t]+\{.*)?", re.DOTALL).fullmatch
_no_number: Final = re.compile(r"\b(?:NaN|Infinity)\b").search
_escaped_surrogate: Final = re.compile(rb"\\u[dD][89a-fA-F]").search
_typographic: Final = re.compile("[\u2018-\u201f\u00ab\u00bb\u2032\u2033]").search
_loose_comma: Final = re.compile(r",\s*[}\]]").search
_word: Final = re.compile(r"(?<![\w.])(?!(?:true|false|null)\b)[^\W\d]\w*").search
_PYTHON: Final = {"True": "true", "False": "false", "None": "null"}


def complaint(method: str, body: bytes, error: msgspec.MsgspecError) -> str:
    """Return what is wrong with the text behind a method, which is UTF-8, and what would be right."""
    if not body.startswith(b"{"):
        found = _match(body)
        return (
            f"the match id stands before the method: REQ <id> {found[1].decode()} {shown(method)}" if found else _RIGHT
        )
    if isinstance(error, msgspec.ValidationError):
        return "a number in the object is out of range"
    outside = strings.sub(b'""', body).decode()
    if _no_number(outside):
        return f"NaN and Infinity are no JSON; {_RIGHT}"
    slip = _slip(outside)
    if slip:
        return f"the object is no JSON: {slip}; {_JSON}"
    if _escaped_surrogate(body):
        return f"the object is no JSON, or holds half a surrogate pair; {_RIGHT}"
    detail = str(error).removeprefix("JSON is malformed: ").replace("Input data was truncated", "it ends too early")
    return f"the object is no JSON: {detail}; {_RIGHT}"


def _slip(outside: str) -> str:
    """Return the slip that shows outside the strings of an object, if any."""
    if quote := _typographic(outside):
        return f"names and text stand in plain double quotes, not in {quote[0]} (U+{ord(quote[0]):04X})"
    if "'" in outside:
        return "names and text stand in double quotes, not in single ones"
    if blank := odd_blank(outside):
        return blank
    if _loose_comma(outside):
        return "a comma stands before a closing bracket, with nothing behind it"
    if word := _word(outside):
        if word[0] in _PYTHON:
            return f"{word[0]} is written {_PYTHON[word[0]]}"
        return f"names and text stand in double quotes, and {shown(word[0])} stands without"
    return ""
