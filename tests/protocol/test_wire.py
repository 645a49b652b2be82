"""What the server writes, to the byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import Struct

from protocol.errors import Code, ProtocolError
from protocol.wire import Encoder, answer, encode, event, failure

VALUES = [
    ({"version": 1}, '{"version": 1}'),
    ({"b": 1, "a": [1, 2, {"c": None, "d": True}]}, '{"b": 1, "a": [1, 2, {"c": null, "d": true}]}'),
    ({"a": {}, "b": []}, '{"a": {}, "b": []}'),
    ({"a": "x,y: {z}", "b": 'q"\\\n'}, '{"a": "x,y: {z}", "b": "q\\"\\\\\\n"}'),
    ({"a": "é😀"}, '{"a": "é😀"}'),
    ({"a": "1\x852\u20283\u20294\n5\x0b6\x1c7"}, '{"a": "1\\u00852\\u20283\\u20294\\n5\\u000b6\\u001c7"}'),
    ({"a\u2028": "\u2027\u202a"}, '{"a\\u2028": "\u2027\u202a"}'),
    ({"a": 2.0, "b": [-3.0, 0.0, -0.0, 10.0, 1500.0]}, '{"a": 2, "b": [-3, 0, 0, 10, 1500]}'),
    ({"a": 2.5, "b": 0.05, "c": 100.01, "d": 8.2}, '{"a": 2.5, "b": 0.05, "c": 100.01, "d": 8.2}'),
    ({"a": 1e15}, '{"a": 1000000000000000}'),
    ({"a": "2.0", "b": 'v"1.0\\', "3.0": 4.0}, '{"a": "2.0", "b": "v\\"1.0\\\\", "3.0": 4}'),
    ({"a": 2**63 - 1, "b": -(2**63)}, '{"a": 9223372036854775807, "b": -9223372036854775808}'),
]


@pytest.mark.parametrize(("value", "text"), VALUES)
def test_json_is_written_as_the_contract_shows_it(value: Any, text: str) -> None:
    assert encode(value) == text.encode()
    assert json.loads(text) == value


@pytest.mark.parametrize(("value", "text"), VALUES)
def test_no_line_splitter_is_fooled(value: Any, text: str) -> None:
    assert len(event("game.update", value).decode().splitlines()) == 1


class Token(Struct):
    session_token: str


LINES = [
    (answer(b"1"), "RES 1 OK\n"),
    (answer(b"1", {}), "RES 1 OK\n"),
    (answer(b"a.b:c", {"session_token": "t"}), 'RES a.b:c OK {"session_token": "t"}\n'),
    (answer(b"2", Token("t")), 'RES 2 OK {"session_token": "t"}\n'),
    (answer(b"2", encode({"a": 1})), 'RES 2 OK {"a": 1}\n'),
    (answer(b"2", encode({})), "RES 2 OK\n"),
    (event("server.closing", {"retry_after": 5}), 'EVT server.closing {"retry_after": 5}\n'),
    (event("session.replaced"), "EVT session.replaced\n"),
    (event("game.your_turn", match="m1"), "EVT m1 game.your_turn\n"),
    (event("game.match_started", {"opponent": "bó"}, "m1"), 'EVT m1 game.match_started {"opponent": "bó"}\n'),
    (event("game.update", b'{"type": "opponent_ready"}', "m1"), 'EVT m1 game.update {"type": "opponent_ready"}\n'),
    (
        failure(b"7", ProtocolError(Code.INVALID_MOVE, "42 was already shot")),
        'RES 7 ERR {"code": "INVALID_MOVE", "message": "42 was already shot"}\n',
    ),
    (
        failure(b"-", ProtocolError(Code.TOO_SOON, "wait", retry_after=2.0, limit=3)),
        'RES - ERR {"code": "TOO_SOON", "message": "wait", "retry_after": 2, "limit": 3}\n',
    ),
]


@pytest.mark.parametrize(("line", "text"), LINES, ids=[text for _, text in LINES])
def test_lines_are_written_to_the_byte(line: bytes, text: str) -> None:
    assert line == text.encode()


class Seat:
    def __hash__(self) -> int:
        return 0


def test_placeholders_become_names_as_values_and_as_keys() -> None:
    encoder = Encoder(enc_hook=lambda _: "bo\u2028")
    assert encoder.encode({"player": Seat(), "results": {Seat(): 1.0}}) == (
        b'{"player": "bo\\u2028", "results": {"bo\\u2028": 1}}'
    )
