"""The conversations themselves: they play what is written, and fail where something else comes."""

import pytest
from conversation import Conversation


async def test_a_transcript_that_comes_true_passes(talk: Conversation):
    await talk.holds("""
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.login {"player": "ann"}
        ann< RES 1 OK
        ann< RES 2 OK {"session_token": "<token ann>"}
        -- ann hangs up
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>"}
        ann< RES 1 OK
        ann< RES 2 OK {"player": "ann", ...}
        -- the server is killed, and starts again after 100 s
        ann> REQ 1 session.logout
        ann< RES 1 ERR {"code": "HELLO_REQUIRED", ...}
        -- the server stops, and starts again
        ann< EVT server.closing {"retry_after": 5}
        ann< EOF
    """)


@pytest.mark.parametrize(
    ("transcript", "difference"),
    [
        ("ann> REQ 1 session.ping\nann< RES 2 OK", ["-ann< RES 2 OK", "+ann< RES 1 OK"]),
        ("ann> REQ 1 session.ping", ["+ann< RES 1 OK"]),
        ("ann> REQ 1 session.ping\nann< RES 1 OK\nann< RES 1 OK", ["-ann< RES 1 OK"]),
        ("-- ann connects\nann< EOF", ["-ann< EOF"]),
        ("ann> REQ 1 session.ping\nbob> REQ 1 session.ping\nbob< RES 1 OK", ["+ann< RES 1 OK"]),
    ],
)
async def test_a_transcript_that_does_not_fails_with_the_difference(
    talk: Conversation, transcript: str, difference: list[str]
):
    with pytest.raises(AssertionError) as failure:
        await talk.holds(transcript)
    told = str(failure.value).splitlines()[3:]
    assert [line for line in told if line[0] in "+-"] == difference


@pytest.mark.parametrize("line", ["ann REQ 1 session.ping", "-- ann sleeps", "ann"])
async def test_what_is_no_line_of_a_transcript_is_refused(talk: Conversation, line: str):
    with pytest.raises(ValueError, match="no "):
        await talk.holds(line)
