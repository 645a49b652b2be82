"""Lines into requests: the grammar, the ids of broken lines, what JSON may hold, and fields in plain words."""

from __future__ import annotations

import json
from random import Random
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct

from protocol.errors import Code, ProtocolError
from protocol.lines import LineReader, Overlong
from protocol.requests import BadLine, Request, decode, id_of, parse


def nested(depth: int, opening: str = '{"a": ', closing: str = "}") -> str:
    return '{"a": ' + opening * (depth - 1) + "1" + closing * (depth - 1) + "}"


REQUESTS = {
    "method alone": ("REQ 1 session.ping", Request(b"1", None, "session.ping", {})),
    "an object": ('REQ 1 session.hello {"version": 1}', Request(b"1", None, "session.hello", {"version": 1})),
    "a match": ("REQ 1 m1 game.resign", Request(b"1", "m1", "game.resign", {})),
    "all parts": (
        'REQ 4 m1 game.action {"type": "move", "move": 42}',
        Request(b"4", "m1", "game.action", {"type": "move", "move": 42}),
    ),
    "spaces and tabs between parts": (
        'REQ \t 1\t\tm1  game.action \t {"a": 1}',
        Request(b"1", "m1", "game.action", {"a": 1}),
    ),
    "any JSON spacing": ('REQ 1 a.b {\t"a"\r:1 ,"b" : [ ] }', Request(b"1", None, "a.b", {"a": 1, "b": []})),
    "blanks in a string stay": ('REQ 1 a.b {"a": "x  y"}', Request(b"1", None, "a.b", {"a": "x  y"})),
    "every kind of id": ("REQ aZ09_-.: a.b", Request(b"aZ09_-.:", None, "a.b", {})),
    "an id of 64": (f"REQ {'i' * 64} a.b", Request(b"i" * 64, None, "a.b", {})),
    "an id with a dot": ("REQ lobby.games lobby.games", Request(b"lobby.games", None, "lobby.games", {})),
    "an id of dashes": ("REQ -- a.b", Request(b"--", None, "a.b", {})),
    "a match of 32": (f"REQ 1 {'M' * 32} a.b", Request(b"1", "M" * 32, "a.b", {})),
    "a match of every kind": ("REQ 1 aZ09_- a.b", Request(b"1", "aZ09_-", "a.b", {})),
    "words of 32": (f"REQ 1 {'a' * 32}.{'b_' * 16}", Request(b"1", None, f"{'a' * 32}.{'b_' * 16}", {})),
    "a method in other case is a method": ("REQ 1 Session.Hello", Request(b"1", None, "Session.Hello", {})),
    "a method of three words is one": ("REQ 1 a.b.c", Request(b"1", None, "a.b.c", {})),
    "a lone dot is one": ("REQ 1 m1 . {}", Request(b"1", "m1", ".", {})),
    "a method of digits is one": ("REQ 1 a1.b2", Request(b"1", None, "a1.b2", {})),
    "a method over 65 is one": (f"REQ 1 {'a' * 99}.b", Request(b"1", None, f"{'a' * 99}.b", {})),
    "a method beyond ASCII is one": ("REQ 1 é.b", Request(b"1", None, "é.b", {})),
    "the first part with a dot is the method": (
        'REQ 1 m1.x {"a": "b.c"}',
        Request(b"1", None, "m1.x", {"a": "b.c"}),
    ),
    "the last of a repeated key counts": (
        'REQ 1 a.b {"a": 1, "b": 2, "a": 3}',
        Request(b"1", None, "a.b", {"a": 3, "b": 2}),
    ),
    "an empty object": ("REQ 1 a.b {}", Request(b"1", None, "a.b", {})),
    "text beyond ASCII": ('REQ 1 a.b {"é": "😀\\ud83d\\ude00"}', Request(b"1", None, "a.b", {"é": "😀😀"})),
    "the widest integers": (
        'REQ 1 a.b {"a": [-9223372036854775808, 9223372036854775807]}',
        Request(b"1", None, "a.b", {"a": [-(2**63), 2**63 - 1]}),
    ),
    "long fractions and exponents": (
        'REQ 1 a.b {"a": [1.00000000000000000000000, 1e0000000000000000000001, 12345678901234567890e1]}',
        Request(b"1", None, "a.b", {"a": [1.0, 10.0, 12345678901234567890e1]}),
    ),
    "long digits in a string": (
        'REQ 1 a.b {"99999999999999999999": "\\"99999999999999999999"}',
        Request(b"1", None, "a.b", {"9" * 20: '"' + "9" * 20}),
    ),
    "an escaped backslash before u0000": ('REQ 1 a.b {"a": "\\\\u0000"}', Request(b"1", None, "a.b", {"a": "\\u0000"})),
    "brackets in a string": ('REQ 1 a.b {"a": "' + "[{" * 99 + '"}', Request(b"1", None, "a.b", {"a": "[{" * 99})),
    "many objects side by side": (
        'REQ 1 a.b {"a": [' + ", ".join(["{}"] * 99) + "]}",
        Request(b"1", None, "a.b", {"a": [{}] * 99}),
    ),
}  # fmt: skip

BROKEN = {
    "no REQ": ("hello", "-"),
    "another word": ("RES 1 OK", "-"),
    "other case": ("req 1 session.ping", "-"),
    "REQ run together": ("REQ1 session.ping", "-"),
    "no id": ("REQ", "-"),
    "an object for the id": ('REQ {"a": 1}', "-"),
    "a lone dash for the id": ("REQ - session.ping", "-"),
    "a lone dash and a tab": ("REQ -\tsession.ping", "-"),
    "a bad id": ("REQ 1/2 session.ping", "-"),
    "an id of 65": (f"REQ {'i' * 65} session.ping", "-"),
    "other white space": ("REQ\x0b1 session.ping", "-"),
    "no method": ("REQ 5", "5"),
    "no method but an object": ('REQ 5 {"a": 1}', "5"),
    "no method but an object with a dot": ('REQ 5 {"a":1.5} x.y', "5"),
    "no method but a match and an object": ('REQ 5 m1 {"a": "x.y"}', "5"),
    "no word with a dot": ("REQ 5 a b c", "5"),
    "two words before the method": ("REQ 5 a b lobby.games", "5"),
    "a bad match": ("REQ 5 m! game.state", "5"),
    "a match of 33": (f"REQ 5 {'m' * 33} game.state", "5"),
    "a match beyond ASCII": ("REQ 5 é game.state", "5"),
    "a list for the object": ("REQ 5 a.b [1]", "5"),
    "a word for the object": ("REQ 5 m.1 game.state", "5"),
    "a string for the object": ('REQ 5 a.b "x"', "5"),
    "null for the object": ("REQ 5 a.b null", "5"),
    "an unended object": ('REQ 5 a.b {"a": 1', "5"),
    "an unended string": ('REQ 5 a.b {"a": "1}', "5"),
    "something behind the object": ('REQ 5 a.b {"a": 1} {}', "5"),
    "a comma too many": ('REQ 5 a.b {"a": 1,}', "5"),
    "single quotes": ("REQ 5 a.b {'a': 1}", "5"),
    "a key that is no string": ("REQ 5 a.b {1: 1}", "5"),
    "a bad escape": ('REQ 5 a.b {"a": "\\x41"}', "5"),
    "a raw control character": ('REQ 5 a.b {"a": "\x1b"}', "5"),
    "a leading zero": ('REQ 5 a.b {"a": 01}', "5"),
    "a leading plus": ('REQ 5 a.b {"a": +1}', "5"),
    "NaN": ('REQ 5 a.b {"a": NaN}', "5"),
    "Infinity": ('REQ 5 a.b {"a": -Infinity}', "5"),
    "1e999": ('REQ 5 a.b {"a": 1e999}', "5"),
    "1e999 in a list": ('REQ 5 a.b {"a": [-1e999]}', "5"),
    "NUL": ('REQ 5 a.b {"a": "\0"}', "5"),
    "NUL in the method": ("REQ 5 a.b\0", "5"),
    "NUL before the method": ("REQ 5 \0 a.b", "5"),
    "NUL between parts": ("REQ 5 a.b \0{}", "5"),
    "an escaped NUL": ('REQ 5 a.b {"a": "x\\u0000"}', "5"),
    "an escaped NUL behind a backslash": ('REQ 5 a.b {"a": "\\\\\\u0000"}', "5"),
    "an escaped NUL in a key": ('REQ 5 a.b {"a": [{"\\u0000": 1}]}', "5"),
    "an escaped NUL that is replaced": ('REQ 5 a.b {"a": "\\u0000", "a": 1}', "5"),
    "a lone high surrogate": ('REQ 5 a.b {"a": "\\ud800"}', "5"),
    "a lone low surrogate": ('REQ 5 a.b {"a": "\\uDC00x"}', "5"),
    "two high surrogates": ('REQ 5 a.b {"a": "\\ud800\\ud800"}', "5"),
    "a surrogate in a key": ('REQ 5 a.b {"\\udfff": 1}', "5"),
    "33 deep": (f"REQ 5 a.b {nested(33)}", "5"),
    "33 deep in lists": (f"REQ 5 a.b {nested(33, '[', ']')}", "5"),
    "deep as a line allows": (f"REQ 5 a.b {nested(4000, '[', ']')}", "5"),
    "deep and unended": (f"REQ 5 a.b {'[' * 8000}", "5"),
    "deep objects, unended": ("REQ 5 a.b " + '{"a":' * 1600, "5"),
    "an integer above 64 bits": ('REQ 5 a.b {"a": 9223372036854775808}', "5"),
    "an integer below 64 bits": ('REQ 5 a.b {"a": -9223372036854775809}', "5"),
    "a huge integer": ('REQ 5 a.b {"a": ' + "9" * 4000 + "}", "5"),
    "a huge integer deep down": ('REQ 5 a.b {"a": [{"b": [1, 18446744073709551616]}]}', "5"),
    "a huge integer that is replaced": ('REQ 5 a.b {"a": 99999999999999999999, "a": 1}', "5"),
    "a byte order mark": ('\ufeffREQ 5 a.b {"a": 1}', "-"),
}  # fmt: skip

NOT_UTF8 = {
    "in the id": (b"REQ \xff session.ping", b"-"),
    "in the match": (b"REQ 5 \xff session.ping", b"5"),
    "in the method": (b"REQ 5 session.\xff", b"5"),
    "in a string": (b'REQ 5 a.b {"a": "\xff"}', b"5"),
    "in a key": (b'REQ 5 a.b {"\xc3": 1}', b"5"),
    "a surrogate": (b'REQ 5 a.b {"a": "\xed\xa0\x80"}', b"5"),
    "an overlong form": (b'REQ 5 a.b {"a": "\xc0\x80"}', b"5"),
    "beyond Unicode": (b'REQ 5 a.b {"a": "\xf4\x90\x80\x80"}', b"5"),
    "behind the object": (b"REQ 5 a.b {} \xff", b"5"),
    "behind an unknown method": (b"REQ 5 A.B {} \xff", b"5"),
}


@pytest.mark.parametrize(("line", "request_"), REQUESTS.values(), ids=REQUESTS.keys())
def test_a_line_of_the_grammar_is_a_request(line: str, request_: Request) -> None:
    assert parse(line.encode()) == request_


@pytest.mark.parametrize(("line", "id"), BROKEN.values(), ids=BROKEN.keys())
def test_any_other_line_is_a_bad_request_with_its_id(line: str, id: str) -> None:
    with pytest.raises(BadLine) as caught:
        parse(line.encode())
    assert (caught.value.id, caught.value.error.code) == (id.encode(), Code.BAD_REQUEST)
    assert 0 < len(caught.value.error.message) < 300


@pytest.mark.parametrize(("line", "id"), NOT_UTF8.values(), ids=NOT_UTF8.keys())
def test_invalid_utf8_is_a_bad_request_wherever_it_stands(line: bytes, id: bytes) -> None:
    with pytest.raises(BadLine) as caught:
        parse(line)
    assert (caught.value.id, caught.value.error.code) == (id, Code.BAD_REQUEST)


def test_32_deep_is_deep_enough() -> None:
    for line in (nested(32), nested(32, "[", "]")):
        assert parse(f"REQ 1 a.b {line}".encode()).params == json.loads(line)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("ping", "REQ 1 session.hello"),
        ("req 1 session.ping", "REQ is in capitals"),
        ("session.hello {}", "an id of your choice: REQ 1 session.hello"),
        ("\u00a0REQ 1 session.ping", "no plain space, but U+00A0"),
        ("help", "for help send REQ 1 session.help"),
        ("HELP!", "for help send REQ 1 session.help"),
        ("?", "for help send REQ 1 session.help"),
        ("hello?", "for help send REQ 1 session.help"),
        ("REQ", "the id is missing"),
        ('REQ {"version": 1}', "the id and the method are missing"),
        ('REQ session.hello {"version": 1}', "the id is missing, a word of your choice before session.hello"),
        ("REQ session.hello", "the id is missing, a word of your choice before session.hello"),
        ("REQ 1\u00a0session.hello", "no plain space, but U+00A0"),
        ("REQ 1 hello", "the method is missing"),
        ('REQ 4 game.action m3 {"type": "move"}', "the match id stands before the method: REQ <id> m3 game.action"),
        ("REQ 4 game.state m3", "the match id stands before the method: REQ <id> m3 game.state"),
        ("REQ 4 lobby.subscribe roshambo", "one JSON object or nothing"),
        ("REQ 5 a.b {'a': 1}", "not in single ones"),
        ("REQ 5 a.b {\"a\": 'it'}", "not in single ones"),
        ("REQ 5 a.b {\u201ca\u201d: 1}", "not in \u201c (U+201C)"),
        ('REQ 5 a.b {"a":\u00a01}', "no plain space, but U+00A0"),
        ('REQ 5 a.b {"a": 1,}', "a comma stands before a closing bracket"),
        ('REQ 5 a.b {"a": [1, ]}', "a comma stands before a closing bracket"),
        ("REQ 5 a.b {a: 1}", "and a stands without"),
        ('REQ 5 a.b {"a": true, "b": ann}', "and ann stands without"),
        ('REQ 5 a.b {"a": True}', "True is written true"),
        ('REQ 5 a.b {"a": None}', "None is written null"),
        ('REQ 5 a.b {"a": "it\'s, ]", "b": }', "invalid character"),
        ("REQ 5 a b lobby.games", "not 2 words"),
        ("REQ 5 m! game.state", '"m!"'),
        ('REQ 5 a.b {"a": NaN}', "NaN"),
        ('REQ 5 a.b {"a": "\\ud800"}', "surrogate"),
        ('REQ 5 a.b {"a": 1', "it ends too early"),
        ('REQ 5 a.b {"a": "NaN', "it ends too early"),
        ("REQ 5 a.b " + "[" * 8000, "JSON object"),
        ("REQ 5 a.b " + nested(33), "32 deep"),
        ('REQ 5 a.b {"a": 99999999999999999999}', "9223372036854775807"),
    ],
)
def test_the_message_says_what_would_be_right(line: str, part: str) -> None:
    with pytest.raises(BadLine) as caught:
        parse(line.encode())
    assert part in caught.value.error.message


def test_the_id_of_a_head_is_read_only_where_it_stands_whole() -> None:
    assert id_of(b"REQ 12 ") == b"12"
    assert id_of(b"REQ 12") == b"-"


class Inner(Struct):
    row: int
    ship: str


class Fields(Struct):
    game: str
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    pace: Annotated[float, Meta(ge=0, lt=60)] = 0
    live: bool = True
    side: Literal["host", "guest"] = "host"
    ships: list[Inner] = []
    options: dict[str, Any] = {}
    seconds: Annotated[int, Meta(ge=1)] | None = None
    word: Annotated[str, Meta(min_length=1, max_length=3)] = "x"
    digits: Annotated[str, Meta(pattern="^[0-9]+$")] = "1"
    pair: Annotated[list[int], Meta(min_length=2, max_length=2)] | None = None
    nonce: Annotated[str, Meta(pattern="^[0-9a-f]{4}$", title="4 hexadecimal digits")] = "0123"


WRONG = {
    "missing": ({}, "$.game", "`game` is missing; it is a string"),
    "missing, and another sent": (
        {"gmae": "rps", "limit": 1, "x\n": 2},
        "$.game",
        "`game` is missing; it is a string; `gmae`, `x?` are unknown here",
    ),
    "mistyped": ({"game": 1}, "$.game", "`game` must be a string, not a whole number"),
    "null": ({"game": None}, "$.game", "`game` must be a string, not null"),
    "null for an optional field": ({"limit": None}, "$.limit", "whole number from 1 to 1000, not null"),
    "42.0 is no integer": ({"limit": 42.0}, "$.limit", "whole number from 1 to 1000, not a number with"),
    "true is no integer": ({"limit": True}, "$.limit", "must be a whole number from 1 to 1000, not true or false"),
    "a string is no integer": ({"limit": "42"}, "$.limit", "must be a whole number from 1 to 1000, not a string"),
    "out of range": ({"limit": 0}, "$.limit", "`limit` must be a whole number from 1 to 1000"),
    "a fraction out of range": ({"pace": 60}, "$.pace", "`pace` must be a number of at least 0 and under 60"),
    "1 is not true": ({"live": 1}, "$.live", "`live` must be true or false, not a whole number"),
    "none of a choice": ({"side": "x"}, "$.side", '`side` must be one of "guest", "host"'),
    "a list for an object": ({"options": []}, "$.options", "`options` must be an object, not a list"),
    "missing deeper down": ({"ships": [{"row": 1}]}, "$.ships[0].ship", "`ships[0].ship` is missing; it is a string"),
    "mistyped deeper down": (
        {"ships": [{"row": 1, "ship": "x"}, {"row": "1"}]},
        "$.ships[1].row",
        "`ships[1].row` must be a whole number, not a string",
    ),
    "or null": ({"seconds": "x"}, "$.seconds", "`seconds` must be a whole number of at least 1 or null, not a string"),
    "too long": ({"word": "four"}, "$.word", "`word` must be a string with a length of at least 1 and at most 3"),
    "of a length": ({"pair": [1]}, "$.pair", "`pair` must be a list of 2 or null"),
    "of another pattern": ({"digits": "x"}, "$.digits", "`digits` must be a string like ^[0-9]+$"),
    "of a pattern that has a title": ({"nonce": "012"}, "$.nonce", "`nonce` must be 4 hexadecimal digits"),
}  # fmt: skip


@pytest.mark.parametrize(("params", "field", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_field_is_named_in_plain_words(params: dict[str, Any], field: str, message: str) -> None:
    sent = params if "game" in params or field == "$.game" else {"game": "rps", **params}
    with pytest.raises(ProtocolError) as caught:
        decode(sent, Fields)
    assert caught.value.code is Code.BAD_REQUEST
    assert caught.value.extra == {"field": field}
    assert message in caught.value.message


def test_fields_that_nobody_knows_are_ignored() -> None:
    assert decode({"game": "rps", "colour": "red"}, Fields) == Fields(game="rps")


class Strict(Struct, forbid_unknown_fields=True):
    rounds: int = 3


def test_an_unknown_field_is_named_where_it_is_forbidden() -> None:
    with pytest.raises(ProtocolError) as caught:
        decode({"round": 3}, Strict)
    assert caught.value.extra == {"field": "$.round"}
    assert caught.value.message == "`round` is unknown; known are rounds"


MARKS = [
    b"REQ",
    b" ",
    b" ",
    b"\t",
    b"1",
    b"m1",
    b"game.action",
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b'"a": ',
    b",",
    b"-",
    b".",
]
MARKS += [
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"99999999999999999999",
    b"1e999",
    b"NaN",
    b"null",
    b"\xff",
    b"\xc3\xa9",
    b"\0",
]


def outcome(line: bytes) -> Request | BadLine:
    try:
        return parse(line)
    except BadLine as bad:
        return bad


@pytest.mark.parametrize("seed", range(20))
def test_any_bytes_give_requests_or_bad_lines_and_never_anything_else(seed: int) -> None:
    chance, reader = Random(seed), LineReader()
    for _ in range(300):
        sent = chance.randbytes(40) if chance.random() < 0.3 else b"".join(chance.choices(MARKS, k=30))
        head = chance.choice([b"", b"REQ 1 ", b"REQ 1 a.b ", b'REQ 1 a.b {"a": '])
        for line in reader.feed(head + sent + b"\n"):
            if not isinstance(line, Overlong):
                assert outcome(line).id == b"-" or line.startswith(b"REQ")
        assert reader.held <= 8192


def tree(chance: Random, depth: int = 0) -> Any:
    kind = chance.randrange(8 if depth < 4 else 6)
    if kind == 6:
        return [tree(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind == 7:
        return {chance.choice("abcé😀"): tree(chance, depth + 1) for _ in range(chance.randrange(4))}
    return [
        None,
        True,
        chance.randrange(-(2**63), 2**63),
        chance.uniform(-1e6, 1e6),
        'x\\u0000"\n😀'[: chance.randrange(10)],
        7,
    ][kind]


@pytest.mark.parametrize("seed", range(20))
def test_what_another_encoder_writes_is_read_alike(seed: int) -> None:
    chance = Random(seed)
    for _ in range(50):
        params = {"a": tree(chance), "b": tree(chance)}
        text = json.dumps(params, ensure_ascii=chance.random() < 0.5, separators=chance.choice([None, (",", ":")]))
        assert parse(f"REQ 1 a.b {text}".encode()).params == params


def strict(text: bytes) -> Any:
    """The contract's JSON by the standard library, in as many words."""

    def integer(digits: str) -> int:
        if len(digits) > 20 or not -(2**63) <= int(digits) < 2**63:
            raise ValueError("integer")
        return int(digits)

    def number(digits: str) -> float:
        if float(digits) in (float("inf"), float("-inf")):
            raise ValueError("number")
        return float(digits)

    def constant(_: str) -> None:
        raise ValueError("constant")

    decoded = json.loads(text.decode(), parse_int=integer, parse_float=number, parse_constant=constant)
    json.dumps(decoded, ensure_ascii=False).encode()  # raises where a surrogate is alone
    if not isinstance(decoded, dict) or "\\u0000" in json.dumps(decoded).replace("\\\\", ""):
        raise ValueError("object")
    return decoded


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_object_is_judged_as_the_standard_library_judges_it(seed: int) -> None:
    chance = Random(seed)
    for _ in range(200):
        text = bytearray(
            json.dumps({"a": tree(chance), "b": tree(chance)}, ensure_ascii=chance.random() < 0.5).encode()
        )
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(1, len(text))
            text[at : at + chance.randrange(2)] = chance.choice(MARKS)
        if text.rstrip(b" \t") != text or b"\0" in text:
            continue
        try:
            right = strict(bytes(text))
        except ValueError:
            right = None
        found = outcome(b"REQ 1 a.b " + bytes(text))
        assert (found.params if isinstance(found, Request) else None) == right, bytes(text)
