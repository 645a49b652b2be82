"""The log: both styles, the level, and that neither a secret nor a client's control characters get into it."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from lobby import log


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


def started(style: str = "json", level: str = "info") -> io.StringIO:
    stream = io.StringIO()
    log.configure(style, level, stream)
    return stream


def test_a_json_line_holds_event_level_time_and_what_was_bound():
    stream = started()
    structlog.get_logger().bind(session=3, match="m1").info("match began", player="ann")
    line = json.loads(stream.getvalue())
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "match began", "level": "info", "session": 3, "match": "m1", "player": "ann"}


def test_context_variables_are_part_of_every_line():
    stream = started()
    with structlog.contextvars.bound_contextvars(session=3):
        structlog.get_logger().info("a")
    assert json.loads(stream.getvalue())["session"] == 3


def test_a_console_line_shows_the_same_without_colours_where_no_terminal_is():
    stream = started("console")
    structlog.get_logger().warning("match began", player="ann")
    assert "match began" in stream.getvalue()
    assert "player='ann'" in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


@pytest.mark.parametrize(
    ("level", "logged"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"]),
        ("warning", ["warning", "error"]),
        ("error", ["error"]),
    ],
)
def test_what_is_below_the_level_is_not_logged(level: str, logged: list[str]):
    stream = started(level=level)
    logger = structlog.get_logger()
    for name in ("debug", "info", "warning", "error"):
        getattr(logger, name)(name)
    assert [json.loads(line)["event"] for line in stream.getvalue().splitlines()] == logged


def test_a_call_below_the_level_does_not_even_look_at_its_arguments():
    started()
    before = structlog.get_logger().bind()
    assert before.debug.__code__.co_names == ()


@pytest.mark.parametrize("style", ["json", "console"])
def test_values_that_may_hold_a_secret_are_masked_at_any_depth(style: str):
    stream = started(style)
    structlog.get_logger().info(
        "a",
        session_token="HIDDEN",
        params={"x": "HIDDEN"},
        detail={"action": "HIDDEN", "list": [{"nonce": "HIDDEN"}], "kept": "plain"},
    )
    assert "HIDDEN" not in stream.getvalue()
    assert stream.getvalue().count(log.MASKED) == 4
    assert "plain" in stream.getvalue()


@pytest.mark.parametrize("style", ["json", "console"])
def test_a_traceback_shows_no_local_variables(style: str):
    stream = started(style)

    def fail(secret: str) -> None:
        raise LookupError("nothing there")

    try:
        fail("HID" + "DEN")
    except LookupError:
        structlog.get_logger().exception("bug")
    assert "LookupError: nothing there" in stream.getvalue()
    assert "HIDDEN" not in stream.getvalue()


@pytest.mark.parametrize("style", ["json", "console"])
def test_control_characters_of_a_client_do_not_reach_the_terminal(style: str):
    stream = started(style)
    structlog.get_logger().info("hello", client="a\x1b[2Jb\nc\u2028d")
    assert len(stream.getvalue().splitlines()) == 1
    assert "\x1b" not in stream.getvalue()


@pytest.mark.parametrize("style", ["json", "console"])
def test_a_value_of_any_type_can_be_logged(style: str):
    stream = started(style)
    structlog.get_logger().info("a", one=object, two={1: b"\xff"}, three="\udcff", four=float("nan"))
    assert "object" in stream.getvalue()


def test_what_libraries_log_comes_out_the_same_way():
    stream = started()
    logging.getLogger("asyncio").error("accepting failed: %s", "no more files")
    line = json.loads(stream.getvalue())
    assert (line["event"], line["level"], line["logger"]) == ("accepting failed: no more files", "error", "asyncio")


def test_the_chatter_of_libraries_is_left_out():
    stream = started(level="debug")
    logging.getLogger("asyncio").debug("using selector")
    assert stream.getvalue() == ""


def test_a_stream_that_fails_does_not_fail_the_caller():
    class Broken(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    log.configure("json", "info", Broken())
    structlog.get_logger().info("a")


def test_an_event_that_comes_too_often_is_left_out_and_the_next_line_says_how_often():
    now = 0.0
    throttle = log.Throttle(lambda: now)

    def passed(event: str) -> dict[str, object] | None:
        try:
            return dict(throttle(None, "info", {"event": event}))
        except structlog.DropEvent:
            return None

    assert [passed("session began") for _ in range(log.AT_ONCE)] == [{"event": "session began"}] * log.AT_ONCE
    assert [passed("session began") for _ in range(70)] == [None] * 70
    assert passed("match began") == {"event": "match began"}
    now = 1 / log.A_SECOND
    assert passed("session began") == {"event": "session began", "left_out": 70}
    assert passed("session began") is None
