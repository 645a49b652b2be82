"""From a line to its answer: the table of methods, the checks that come before every one of them, and the one place that
writes errors.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any, Final

from msgspec import Struct
from structlog import get_logger

from lobby.guesses import meant
from lobby.outbox import Outbox
from lobby.scrutiny import FAULT
from lobby.session import Session
from protocol import wire
from protocol.errors import Code, ProtocolError
from protocol.lines import LINE_LIMIT, Overlong
from protocol.requests import BadLine, Request, decode, parse
from protocol.suggest import closest, odd_blank, shown

log = get_logger(__name__)


class Needs(IntEnum):
    """How far a connection must have come before it may ask for something."""

    NOTHING = 0
    NEWCOMER = 1  # a hello, and no session yet
    LOGIN = 2


class Caller:
    """What the requests of one connection have achieved: a hello, a session."""

    __slots__ = ("greeted", "outbox", "session")

    def __init__(self, outbox: Outbox) -> None:
        self.outbox = outbox
        self.greeted = False
        self.session: Session | None = None


class Nothing(Struct, frozen=True):
    """The fields of a request that has none."""


class Method(Struct, frozen=True, kw_only=True):
    """A row of the table.

    `call` is given the caller where less than a login is needed, else the session; then the match id, where the method
    stands behind one; then the fields. It returns the object of the answer, or raises `ProtocolError` before it has changed
    anything. What it sends meanwhile comes after its answer.
    """

    name: str
    summary: str
    call: Callable[..., Any]
    fields: type[Struct] | None = Nothing  # `None`: the object as it was sent
    needs: Needs = Needs.LOGIN
    in_match: bool = False


class Router:
    """Serves lines: each is answered exactly once."""

    def __init__(self, methods: Iterable[Method], *, retry_after: float) -> None:
        self.methods: Final[Mapping[str, Method]] = {method.name: method for method in methods}
        self.closing = False
        """Whether the server ends: then every request is refused."""
        self._retry_after = retry_after

    @property
    def summaries(self) -> dict[str, str]:
        """Return one line for every method, sorted by name."""
        return {name: self.methods[name].summary for name in sorted(self.methods)}

    def serve(self, caller: Caller, line: bytes | Overlong) -> None:
        """Answer a line. The answer's place is kept first, so that what the request causes comes after it."""
        outbox = caller.outbox
        place = outbox.reserve()
        outbox.fill(place, self._answer(caller, line))

    def full(self) -> bytes:
        """Return what a connection is told for which there is no room."""
        message = "the server has as many connections as it takes; try again a little later"
        return wire.failure(wire.NO_ID, ProtocolError(Code.SERVER_FULL, message, retry_after=self._retry_after))

    def late(self) -> bytes:
        """Return what a connection is told that comes while the server ends."""
        return wire.failure(wire.NO_ID, self._shutting_down())

    def _shutting_down(self) -> ProtocolError:
        message = "the server is stopping and does no more; try again a little later"
        return ProtocolError(Code.SHUTTING_DOWN, message, retry_after=self._retry_after)

    def _answer(self, caller: Caller, line: bytes | Overlong) -> bytes:
        if isinstance(line, Overlong):
            message = f"a line has at most {LINE_LIMIT} bytes, its LF included; this one was dropped"
            return wire.failure(line.id, ProtocolError(Code.LINE_TOO_LONG, message))
        try:
            request = parse(line)
        except BadLine as bad:
            return wire.failure(bad.id, self._guessed(bad))
        if self.closing:
            return wire.failure(request.id, self._shutting_down())
        try:
            return wire.answer(request.id, self._call(caller, request))
        except ProtocolError as error:
            return wire.failure(request.id, error)
        except FAULT:
            return wire.failure(request.id, self._our_fault(caller, request))

    def _call(self, caller: Caller, request: Request) -> Any:
        method = self.methods.get(request.method)
        if method is None:
            raise self._unknown(request.method)
        if method.in_match is not (request.match is not None):
            raise _match_id(method)
        session = caller.session
        if session is None or method.needs is Needs.NEWCOMER:
            _check_progress(caller, method.needs)
        fields = request.params if method.fields is None else decode(request.params, method.fields)
        subject = session if method.needs is Needs.LOGIN else caller
        return method.call(subject, request.match, fields) if method.in_match else method.call(subject, fields)

    def _unknown(self, name: str) -> ProtocolError:
        near = meant(name, self.methods) or closest(name, self.methods)
        blank = odd_blank(name)
        hint = f"did you mean {near}?" if near else "session.help lists those there are"
        why = f"; {blank}" if blank else ""
        return ProtocolError(Code.UNKNOWN_METHOD, f"there is no method {shown(name)}{why}; {hint}")

    def _guessed(self, bad: BadLine) -> ProtocolError:
        """Return what is wrong with a line, with the method that its word may stand for."""
        near = None if bad.word is None else meant(bad.word, self.methods)
        if near is None:
            return bad.error
        return ProtocolError(bad.error.code, f"{bad.error.message}; did you mean {near}?", **bad.error.extra)

    @staticmethod
    def _our_fault(caller: Caller, request: Request) -> ProtocolError:
        ref = secrets.token_hex(4)
        player = caller.session.name if caller.session else None
        log.exception(
            "a request failed by a fault of ours", ref=ref, method=request.method, match=request.match, player=player
        )
        return ProtocolError(
            Code.INTERNAL_ERROR, f"that was our fault; nothing has changed, and the log has it as {ref}", ref=ref
        )


def _check_progress(caller: Caller, needs: Needs) -> None:
    if needs and not caller.greeted:
        raise ProtocolError(Code.HELLO_REQUIRED, 'say hello first: REQ 1 session.hello {"version": 1}')
    if needs is Needs.LOGIN:
        raise ProtocolError(
            Code.LOGIN_REQUIRED, 'log in first: REQ 2 session.login {"player": "<name>"}, or session.reconnect'
        )
    if needs and caller.session is not None:
        message = f"this connection plays as {caller.session.name}; open another one for another player"
        raise ProtocolError(Code.ALREADY_LOGGED_IN, message)


def _match_id(method: Method) -> ProtocolError:
    if method.in_match:
        message = f"{method.name} needs the id of a match before it: REQ <id> <match> {method.name}"
    else:
        message = f"{method.name} takes no match id: REQ <id> {method.name}"
    return ProtocolError(Code.BAD_REQUEST, message)
