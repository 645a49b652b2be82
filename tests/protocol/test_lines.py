"""Bytes into lines: every rule whole, byte by byte, and with bytes behind."""

from __future__ import annotations

from random import Random

import pytest

from protocol.lines import LINE_LIMIT, LineReader, Overlong

PING = b"REQ 1 session.ping"
NEXT = b"REQ 2 session.help"
FULL = LINE_LIMIT - 1  # the longest line, without its LF

Rules = dict[str, tuple[bytes, list[bytes | Overlong]]]

LINES: Rules = {
    "a line ends at LF": (PING + b"\n", [PING]),
    "a CR before the LF is dropped": (PING + b"\r\n", [PING]),
    "only one CR is": (PING + b"\r\r\n", [PING + b"\r"]),
    "a CR elsewhere is data": (b"a\rb\n", [b"a\rb"]),
    "blanks around a line are dropped": (b" \t " + PING + b"\t  \r\n", [PING]),
    "blanks within it stay": (b"REQ \t 1  session.ping\n", [b"REQ \t 1  session.ping"]),
    "other white space is no blank": (b"\x0b" + PING + b"\x0c\n", [b"\x0b" + PING + b"\x0c"]),
    "empty lines are ignored": (b"\n\r\n \t \r\n" + PING + b"\n\n", [PING]),
    "many lines in one piece": (PING + b"\n" + NEXT + b"\r\n" + PING + b"\n", [PING, NEXT, PING]),
    "bytes that are no text are passed on": (b"\x80\x00\xc3\n", [b"\x80\x00\xc3"]),
    "nothing": (b"", []),
}

LIMITS: Rules = {
    "8,192 bytes with the LF are a line": (b"a" * FULL + b"\n", [b"a" * FULL]),
    "one more is too long": (b"a" * LINE_LIMIT + b"\n", [Overlong(b"-")]),
    "the CR counts": (b"a" * FULL + b"\r\n", [Overlong(b"-")]),
    "blanks count": (b" " * LINE_LIMIT + b"\n", [Overlong(b"-")]),
    "the id is read": (b"REQ 7 x " + b"a" * 9000 + b"\n", [Overlong(b"7")]),
    "the id is read behind blanks": (b" \tREQ \t  a.b:c-_9\t" + b"a" * 9000 + b"\n", [Overlong(b"a.b:c-_9")]),
    "an id that is cut off is not": (b"REQ " + b"7" * 9000 + b"\n", [Overlong(b"-")]),
    "an id over 64 is not": (b"REQ " + b"7" * 65 + b" x" * 9000 + b"\n", [Overlong(b"-")]),
    "an id beyond the limit is not": (b"REQ " + b" " * 9000 + b"7 x\n", [Overlong(b"-")]),
    "a bad id is not": (b"REQ 7! " + b"a" * 9000 + b"\n", [Overlong(b"-")]),
    "a lone dash is none": (b"REQ - " + b"a" * 9000 + b"\n", [Overlong(b"-")]),
    "the id of something else is not": (b"RES 7 " + b"a" * 9000 + b"\n", [Overlong(b"-")]),
    "the lines around it live": (
        PING + b"\nREQ 7 " + b"a" * 30_000 + b"\n" + NEXT + b"\nREQ 8 " + b"b" * 8192 + b"\n",
        [PING, Overlong(b"7"), NEXT, Overlong(b"8")],
    ),
}

TELNET: Rules = {
    "options are skipped": (b"\xff\xfb\x01\xff\xfc\x02\xff\xfd\x03\xff\xfe\x04" + PING + b"\n", [PING]),
    "an option may be LF": (b"REQ\xff\xfb\n 1 session.ping\n", [PING]),
    "an option may be FF": (b"REQ\xff\xfd\xff 1 session.ping\n", [PING]),
    "a subnegotiation is skipped": (b"RE\xff\xfa\x18\x00xterm\xff\xf0Q 1 session.ping\n", [PING]),
    "LF in it is data": (b"RE\xff\xfa\x18\n\r\n\xff\xf0Q 1 session.ping\n", [PING]),
    "FF FF in it is a byte": (b"RE\xff\xfa\xff\xff\xf0\xff\xff\xff\xf0Q 1 session.ping\n", [PING]),
    "another command in it does not end it": (b"\xff\xfaab\xff\xf1\n\xff\xfbcd\xff\xf0" + PING + b"\n", [PING]),
    "its end alone is skipped": (b"\xff\xf0" + PING + b"\n", [PING]),
    "it stands at the end of a line": (PING + b"\xff\xfa\n\xff\xf0\r\n", [PING]),
    "a line of commands is empty": (b"\xff\xf1\xff\xfa\x01\xff\xf0\xff\xfb\x01\r\n", []),
    "any other FF is data": (b"a\xffb\xff\xebc\n", [b"a\xffb\xff\xebc"]),
    "an FF before LF is data": (b"a\xff\n" + PING + b"\n", [b"a\xff", PING]),
    "FF FF is two bytes of data": (b"a\xff\xff\xf1\n" + PING + b"\n", [b"a\xff\xff\xf1", PING]),
    "commands do not count": (b"a" * 8000 + b"\xff\xf1" * 500 + b"a" * 191 + b"\n", [b"a" * 8191]),
    "a subnegotiation counts": (b"REQ 7 \xff\xfa" + b"\n" * 8100 + b"\xff\xf0" + b"a" * 100 + b"\n", [Overlong(b"7")]),
    "a long one is dropped to its line's LF": (
        b"\xff\xfa" + b"x\n" * 9000 + b"\xff\xf0REQ 7 session.ping\n" + NEXT + b"\n",
        [Overlong(b"-"), NEXT],
    ),
    "it counts as far as the limit": (b"\xff\xfa" + b"\xff\xff" * 8173 + b"\xff\xf0" + PING + b"\n", [PING]),
    "and no further": (b"\xff\xfa" + b"\xff\xff" * 8174 + b"\xff\xf0" + PING + b"\n", [Overlong(b"1")]),
}
TELNET |= {
    f"FF {code:02X} is skipped": (b"RE\xff" + bytes([code]) + b"Q 1 session.ping\n", [PING])
    for code in range(0xEC, 0xFA)
}

RULES = LINES | LIMITS | TELNET


def every(rules: Rules) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("sent", "lines"), rules.values(), ids=rules.keys())


def read(*pieces: bytes) -> list[bytes | Overlong]:
    reader = LineReader()
    return [line for piece in pieces for line in reader.feed(piece)]


@every(RULES)
def test_each_rule_holds_for_what_comes_whole(sent: bytes, lines: list[bytes | Overlong]) -> None:
    assert read(sent) == lines


@every(RULES)
def test_each_rule_holds_byte_by_byte(sent: bytes, lines: list[bytes | Overlong]) -> None:
    assert read(*(sent[at : at + 1] for at in range(len(sent)))) == lines


@every(RULES)
def test_each_rule_holds_with_bytes_behind(sent: bytes, lines: list[bytes | Overlong]) -> None:
    assert read(sent + b"REQ 9 x") == lines
    assert read(sent + b"REQ 9 x", b".y\n") == [*lines, b"REQ 9 x.y"]


@every(RULES)
def test_nothing_is_held_between_lines(sent: bytes, lines: list[bytes | Overlong]) -> None:
    reader = LineReader()
    reader.feed(sent)
    assert reader.held == 0


@every(LINES | TELNET)
def test_each_rule_holds_split_anywhere(sent: bytes, lines: list[bytes | Overlong]) -> None:
    places = range(len(sent)) if len(sent) < 200 else [1, 2, 3, 4095, 8000, 8001, 8192, len(sent) - 2]
    for at in places:
        assert read(sent[:at], sent[at:]) == lines, at


def test_an_unended_line_is_no_line() -> None:
    reader = LineReader()
    assert reader.feed(PING) == []
    assert reader.held == len(PING)


def test_an_overlong_line_is_reported_at_its_LF_and_holds_only_its_id() -> None:
    reader = LineReader()
    assert reader.feed(b"REQ 7 " + b"a" * 20_000) == []
    assert reader.held == 1
    assert reader.feed(b"more\n") == [Overlong(b"7")]


def test_a_subnegotiation_that_never_ends_holds_nothing() -> None:
    reader = LineReader()
    reader.feed(b"\xff\xfa")
    for _ in range(50):
        assert reader.feed(b"x\n" * 5000) == []
        assert reader.held <= 1
    assert reader.feed(b"\xff\xf0\n" + PING + b"\n") == [Overlong(b"-"), PING]


def test_the_buffer_may_be_used_again() -> None:
    reader, buffer = LineReader(), bytearray(PING + b"\nREQ 2 ")
    lines = reader.feed(memoryview(buffer))
    buffer[:] = bytes(len(buffer))
    assert lines == [PING]
    assert reader.feed(memoryview(b"session.help\n")) == [NEXT]


def test_another_limit_holds_as_well() -> None:
    reader = LineReader(limit=10)
    assert reader.feed(b"123456789\n1234567890\n") == [b"123456789", Overlong(b"-")]


@pytest.mark.parametrize("seed", range(40))
def test_however_bytes_are_split_the_lines_are_the_same_and_memory_is_bounded(seed: int) -> None:
    chance, limit = Random(seed), 64
    marks = [
        b"\xff",
        b"\xff",
        b"\xfa",
        b"\xf0",
        b"\xfb",
        b"\xf1",
        b"\n",
        b"\r",
        b" ",
        b"REQ 1 ",
        b"a.b",
        b"x" * 30,
        b"\x00",
    ]
    sent = b"".join(chance.choice(marks) for _ in range(800))
    reader, lines, at = LineReader(limit), [], 0
    while at < len(sent):
        size = chance.choice([1, 2, 3, 7, 100])
        lines += reader.feed(sent[at : at + size])
        assert reader.held <= limit + 2
        at += size
    assert lines == LineReader(limit).feed(sent)
    assert all(isinstance(line, Overlong) or 0 < len(line) < limit for line in lines)
