"""The error codes, and the one exception that carries them from a broken rule to the line that says so.

A code never changes and never goes; what a person reads is the message.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any


class Code(StrEnum):
    """What went wrong, for programs."""

    BAD_REQUEST = "BAD_REQUEST"
    LINE_TOO_LONG = "LINE_TOO_LONG"
    UNKNOWN_METHOD = "UNKNOWN_METHOD"
    UNSUPPORTED_VERSION = "UNSUPPORTED_VERSION"
    HELLO_REQUIRED = "HELLO_REQUIRED"
    LOGIN_REQUIRED = "LOGIN_REQUIRED"
    ALREADY_LOGGED_IN = "ALREADY_LOGGED_IN"
    INVALID_NAME = "INVALID_NAME"
    NAME_TAKEN = "NAME_TAKEN"
    INVALID_TOKEN = "INVALID_TOKEN"
    SERVER_FULL = "SERVER_FULL"
    SHUTTING_DOWN = "SHUTTING_DOWN"
    UNKNOWN_GAME = "UNKNOWN_GAME"
    INVALID_OPTIONS = "INVALID_OPTIONS"
    ALREADY_SUBSCRIBED = "ALREADY_SUBSCRIBED"
    NOT_SUBSCRIBED = "NOT_SUBSCRIBED"
    UNKNOWN_PLAYER = "UNKNOWN_PLAYER"
    UNKNOWN_CHALLENGE = "UNKNOWN_CHALLENGE"
    UNKNOWN_TOURNAMENT = "UNKNOWN_TOURNAMENT"
    NOT_ALLOWED = "NOT_ALLOWED"
    LIMIT_REACHED = "LIMIT_REACHED"
    UNKNOWN_MATCH = "UNKNOWN_MATCH"
    NOT_IN_MATCH = "NOT_IN_MATCH"
    MATCH_OVER = "MATCH_OVER"
    UNKNOWN_ACTION = "UNKNOWN_ACTION"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    TOO_SOON = "TOO_SOON"
    INVALID_MOVE = "INVALID_MOVE"
    INVALID_PLACEMENT = "INVALID_PLACEMENT"
    INVALID_COMMIT = "INVALID_COMMIT"
    INTERNAL_ERROR = "INTERNAL_ERROR"


class ProtocolError(Exception):
    """A rule was broken. `message` is for people: what was wrong and what would be right, and nothing that is secret.

    `extra` holds the further fields of the error line, in their order there.
    """

    def __init__(self, code: Code, message: str, **extra: Any) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.extra = extra
