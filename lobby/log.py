"""The log: how lines look, where they go, and what never gets into them.

`configure` is called once, by the command that serves; everyone else takes `structlog.get_logger()` and binds
`session`, `match` and `player`. Tokens and what players hide must not be handed to a log in the first place; `mask` is
the second line of defence. Nothing here may fail the caller: a log that can't be written is no reason to stop serving.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from typing import Any, Final, TextIO

import structlog
from structlog.dev import ConsoleRenderer, plain_traceback
from structlog.processors import JSONRenderer, TimeStamper, add_log_level, format_exc_info
from structlog.typing import EventDict, Processor, WrappedLogger

SECRET: Final = frozenset(
    {
        *("token", "session_token", "params", "line", "body", "raw"),
        *("action", "move", "choice", "nonce", "selected_value", "ships", "state", "seed"),
    }
)
"""The keys whose values are never shown: a session's token, and whatever may hold a player's secret."""

MASKED: Final = "***"

AT_ONCE: Final = 200
A_SECOND: Final = 10
"""Lines of one event that may come at once, and go on coming: clients cause most of them, and a disk is soon full."""


def configure(style: str, level: str, stream: TextIO | None = None) -> None:
    """Send log lines of at least `level` to `stream` (standard error), as `style`: `console` or `json`.

    Calls below the level are functions that return at once. What libraries say through `logging` comes the same way.
    """
    stream = stream or sys.stderr
    least = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[Throttle(), *_COMMON, *(_json() if style == "json" else _console(stream))],
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=lambda *_: _Lines(stream),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(handlers=[_Forward()], level=max(least, logging.INFO), force=True)


class Throttle:
    """Leaves out lines of an event that comes too often; the next one that is let through says how many."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._of: dict[str, _Flow] = {}

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        """Let a line pass, or drop it; as structlog wants it."""
        now, name = self._clock(), str(event.get("event"))
        flow = self._of.get(name)
        if flow is None:
            if len(self._of) >= 1_000:  # our own events are few; what libraries say may be anything
                self._of.clear()
            flow = self._of[name] = _Flow(now)
        flow.allowed = min(AT_ONCE, flow.allowed + (now - flow.since) * A_SECOND)
        flow.since = now
        if flow.allowed < 1:
            flow.left_out += 1
            raise structlog.DropEvent
        flow.allowed -= 1
        if flow.left_out:
            event["left_out"], flow.left_out = flow.left_out, 0
        return event


class _Flow:
    """How much of one event may come."""

    __slots__ = ("allowed", "left_out", "since")

    def __init__(self, since: float) -> None:
        self.allowed = float(AT_ONCE)
        self.left_out = 0
        self.since = since


def mask(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Hide the values of `SECRET` keys, at any depth."""
    return {name: _masked(name, value) for name, value in event.items()}


def _masked(name: object, value: Any) -> Any:
    if name in SECRET:
        return MASKED
    if isinstance(value, dict):
        return {inner: _masked(inner, held) for inner, held in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(None, held) for held in value]
    return value


_COMMON: Final[list[Processor]] = [
    structlog.contextvars.merge_contextvars,
    mask,
    add_log_level,
    TimeStamper(fmt="iso", utc=True),
]


def _json() -> list[Processor]:
    # format_exc_info prints frames without their local variables, which may hold tokens
    return [format_exc_info, JSONRenderer()]


def _console(stream: TextIO) -> list[Processor]:
    # repr_native_str keeps a client's control characters from the operator's terminal; plain_traceback shows no locals
    return [ConsoleRenderer(colors=stream.isatty(), repr_native_str=True, exception_formatter=plain_traceback)]


class _Lines:
    """Writes finished lines to a stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def msg(self, line: str) -> None:
        try:
            self._stream.write(line + "\n")
            self._stream.flush()
        except (OSError, ValueError):  # a full disk, a reader that has gone, a closed stream
            pass

    debug = info = warning = error = critical = exception = msg


class _Forward(logging.Handler):
    """Hands what is said through `logging`, by asyncio above all, to structlog."""

    def emit(self, record: logging.LogRecord) -> None:
        log = structlog.get_logger().bind(logger=record.name)
        log.log(record.levelno, record.getMessage(), exc_info=record.exc_info)
