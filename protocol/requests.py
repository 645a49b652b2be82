"""A line into a request, and its object into a typed struct: the grammar of the wire, and what JSON may hold.

It knows no method: what is asked for, and whether the server has it, is for the router to say.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Any, Final, NoReturn, TypeVar

import msgspec

from protocol.errors import Code, ProtocolError
from protocol.fields import fault
from protocol.malformed import complaint, strings
from protocol.suggest import odd_blank, shown
from protocol.wire import NO_ID

DEPTH_LIMIT: Final = 32
"""How deep an object nests, itself counted."""

T = TypeVar("T")

_ID: Final = rb"[A-Za-z0-9_.:-]{1,64}"
_MATCH: Final = rb"[A-Za-z0-9_-]{1,32}"
_METHOD: Final = rb"[a-z_]{1,32}\.[a-z_]{1,32}"
_BLANK: Final = rb"[ \t]+"

_is_id: Final = re.compile(_ID).fullmatch
_is_match: Final = re.compile(_MATCH).fullmatch
_is_method: Final = re.compile(_METHOD).fullmatch
_asks_for_help: Final = re.compile(rb"[?/-]*+(?:help|hello|hi|commands|usage|man)?[.!?]*", re.IGNORECASE).fullmatch
_words: Final = re.compile(rb"[^ \t]+").finditer
_head: Final = re.compile(rb"[ \t]*REQ%b(%b)[ \t]" % (_BLANK, _ID)).match
_request: Final = re.compile(
    rb"REQ%b(%b)(?:%b(%b))?%b(%b)(?:%b(\{.*))?" % (_BLANK, _ID, _BLANK, _MATCH, _BLANK, _METHOD, _BLANK), re.DOTALL
).fullmatch

_EXAMPLE: Final = 'a line looks like this: REQ 1 session.hello {"version": 1}'

_BACKSLASH: Final = ord("\\")
_LONGEST_INTEGER: Final = 19  # digits in 2**63
_NO_DIGITS: Final = bytes(set(range(256)) - set(b"0123456789"))
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"{[]}"))
_STEP: Final = {ord("{"): 1, ord("["): 1, ord("]"): -1, ord("}"): -1}

_escaped_nul: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000").search
_long_integers: Final = re.compile(rb"(?<![0-9.eE+-])-?[0-9]{19,}(?![0-9.eE])").findall

_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


class Request(msgspec.Struct, frozen=True, gc=False):
    """One request as it was sent. `method` holds a dot, and is not always one that exists, or even could."""

    id: bytes
    match: str | None
    method: str
    params: dict[str, Any]


class BadLine(Exception):
    """A line that is no request. `id` is the one to answer, `-` where none could be read; `word` stands for the method."""

    def __init__(self, id: bytes, error: ProtocolError, word: str | None = None) -> None:
        super().__init__(id, error, word)
        self.id = id
        self.error = error
        self.word = word


def parse(line: bytes) -> Request:
    """Return the request that a line makes. Raise `BadLine` where it makes none.

    The line comes without its end and outer blanks.
    """
    found = _request(line)
    if found is None or found[1] == NO_ID:
        return _dissect(line)
    id, match, word, body = found.groups()
    method = word.decode()
    params = {} if body is None else _object(id, method, body)
    return Request(id, None if match is None else match.decode(), method, params)


def decode(params: dict[str, Any], type: type[T]) -> T:
    """Return the fields of a request as a struct of this type. Raise `BAD_REQUEST` with the `field` that is wrong."""
    try:
        return msgspec.convert(params, type)
    except msgspec.ValidationError as error:
        field, message = fault(error, type, params)
        raise ProtocolError(Code.BAD_REQUEST, message, field=field) from None


def id_of(head: bytes) -> bytes:
    """Return the id that stands whole at the head of a line, `-` where there is none."""
    found = _head(head)
    return NO_ID if found is None else found[1]


def _dissect(line: bytes) -> Request:
    """Name what is wrong with a line off the grammar, or return the method that it asks for all the same."""
    words = _words(line)
    first = next(words, None)
    if first is None or first[0] != b"REQ":
        _refuse(NO_ID, _beginning(b"" if first is None else first[0], line))
    second = next(words, None)
    if second is None:
        _refuse(NO_ID, f"the id is missing; {_EXAMPLE}")
    id = second[0]
    if not _is_id(id) or id == NO_ID:
        _refuse(NO_ID, _wrong_id(id))
    _check_text(id, line)
    between: list[bytes] = []
    for word in words:
        if word[0].startswith(b"{"):
            break
        if b"." in word[0]:
            match, method = _match(id, between), word[0].decode()
            body = line[word.end() :].strip(b" \t")
            return Request(id, match, method, _object(id, method, body) if body else {})
        between.append(word[0])
    if not between and _is_method(id):
        _refuse(id, f"the id is missing, a word of your choice before {id.decode()}; {_EXAMPLE}")
    last = between[-1].decode() if between else None
    _refuse(id, f"the method is missing, two words with a dot between; {_EXAMPLE}", word=last)


def _beginning(word: bytes, line: bytes) -> str:
    """Return what is to be said of a line that begins with another word than `REQ`."""
    if word.upper() == b"REQ":
        return f"REQ is in capitals; {_EXAMPLE}"
    if _is_method(word):
        return f"a request begins with REQ and an id of your choice: REQ 1 {word.decode()}"
    if _asks_for_help(line):
        return f"for help send REQ 1 session.help; {_EXAMPLE}"
    return f"a request begins with REQ; {_EXAMPLE}" + _blank_in(word)


def _wrong_id(word: bytes) -> str:
    if word.startswith(b"{"):
        return f"the id and the method are missing; {_EXAMPLE}"
    right = 'an id is 1 to 64 of the characters A-Z, a-z, 0-9, "_", "-", "." and ":", and not "-" alone'
    return right + _blank_in(word)


def _blank_in(word: bytes) -> str:
    blank = odd_blank(word.decode(errors="replace"))
    return f"; {blank}" if blank else ""


def _check_text(id: bytes, text: bytes) -> None:
    if 0 in text:
        _refuse(id, "a line holds no NUL")
    try:
        text.decode()
    except UnicodeDecodeError as error:
        _refuse(id, f"a line is UTF-8 text; this one holds the byte {text[error.start]:02X}, which is none there")


def _match(id: bytes, between: list[bytes]) -> str | None:
    if not between:
        return None
    if len(between) > 1:
        _refuse(id, f"between the id and the method stands a match id or nothing, not {len(between)} words")
    if not _is_match(between[0]):
        word = shown(between[0].decode())
        _refuse(id, f'"{word}" is no match id: that is 1 to 32 of the characters A-Z, a-z, 0-9, "_" and "-"')
    return between[0].decode()


def _object(id: bytes, method: str, body: bytes) -> dict[str, Any]:
    try:
        params = _decode(body)
    except RecursionError:
        _refuse_depth(id)
    except msgspec.MsgspecError as error:
        _check_text(id, body)
        _refuse(id, complaint(method, body, error))
    # Each of these tells cheaply that there can't be what msgspec lets through.
    if _BACKSLASH in body and _escaped_nul(body):
        _refuse(id, "a string holds no NUL, escaped or not")
    if len(body.translate(None, _NO_DIGITS)) >= _LONGEST_INTEGER:
        _check_integers(id, body)
    if len(body) > 2 * DEPTH_LIMIT and body.count(b"{") + body.count(b"[") > DEPTH_LIMIT:
        _check_depth(id, body)
    return params


def _check_integers(id: bytes, body: bytes) -> None:
    for integer in _long_integers(strings.sub(b'""', body)):
        if len(integer) > _LONGEST_INTEGER + 1 or not -(2**63) <= int(integer) < 2**63:
            _refuse(id, "a whole number lies between -9223372036854775808 and 9223372036854775807")


def _check_depth(id: bytes, body: bytes) -> None:
    brackets = strings.sub(b"", body).translate(None, _NO_BRACKETS)
    if max(accumulate(map(_STEP.__getitem__, brackets))) > DEPTH_LIMIT:
        _refuse_depth(id)


def _refuse_depth(id: bytes) -> NoReturn:
    _refuse(id, f"an object nests at most {DEPTH_LIMIT} deep, itself counted")


def _refuse(id: bytes, message: str, *, word: str | None = None) -> NoReturn:
    raise BadLine(id, ProtocolError(Code.BAD_REQUEST, message), word)
