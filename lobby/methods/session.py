"""`session.*`: hello, login, reconnect, logout, ping, help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final

from msgspec import Meta, Struct
from structlog import get_logger

from lobby.challenges import Challenges
from lobby.matchmaking import Matchmaking
from lobby.paging import ROOM
from lobby.router import Caller, Method, Needs
from lobby.session import Session
from lobby.sessions import Sessions
from lobby.stories import Stories
from protocol import wire
from protocol.errors import Code, ProtocolError

log = get_logger(__name__)

VERSIONS: Final = (1,)

CHALLENGES: Final = ROOM // 3
"""Bytes of challenges in the answer to a reconnect: as anyone may challenge a player, they must not crowd out matches."""


class Hello(Struct, frozen=True):
    """What a client says of itself."""

    version: int
    client: str = ""


class Login(Struct, frozen=True):
    """The name to play under."""

    player: str


class Reconnect(Struct, frozen=True):
    """The token, and how many events of each match the client has."""

    session_token: str
    matches: dict[str, Annotated[int, Meta(ge=0)]] = {}


class SessionMethods:
    """The methods, over the parts that do the work."""

    def __init__(
        self,
        sessions: Sessions,
        stories: Stories,
        *,
        matchmaking: Matchmaking,
        challenges: Challenges,
        summaries: Callable[[], dict[str, str]],
    ) -> None:
        self._sessions = sessions
        self._stories = stories
        self._matchmaking = matchmaking
        self._challenges = challenges
        self._summaries = summaries

    def table(self) -> list[Method]:
        """Return the rows of these methods."""
        return [
            Method(
                name="session.hello",
                summary='begin: {"version": 1}; first on every connection',
                call=self.hello,
                fields=Hello,
                needs=Needs.NOTHING,
            ),
            Method(
                name="session.login",
                summary='play under a name: {"player": "<name>"}; the answer has the token to reconnect with',
                call=self.login,
                fields=Login,
                needs=Needs.NEWCOMER,
            ),
            Method(
                name="session.reconnect",
                summary='go on where you were: {"session_token": "<token>", "matches": {"m1": <events received>}}',
                call=self.reconnect,
                fields=Reconnect,
                needs=Needs.NEWCOMER,
            ),
            Method(
                name="session.logout",
                summary="resign live matches, end the session and the connection",
                call=self.logout,
            ),
            Method(name="session.ping", summary="be answered OK", call=self.ping, needs=Needs.NOTHING),
            Method(name="session.help", summary="list the methods", call=self.help, needs=Needs.NOTHING),
        ]

    def hello(self, caller: Caller, fields: Hello) -> None:
        """Agree on the version of the protocol."""
        if fields.version not in VERSIONS:
            supported = list(VERSIONS)
            raise ProtocolError(
                Code.UNSUPPORTED_VERSION, f"this server speaks version {supported[-1]}", supported=supported
            )
        if fields.client and not caller.greeted:
            log.info("hello", client=fields.client[:200])
        caller.greeted = True

    def login(self, caller: Caller, fields: Login) -> dict[str, Any]:
        """Begin a session."""
        session, token = self._sessions.login(fields.player)
        self._enter(caller, session)
        self._sessions.welcome(session)
        return {"session_token": token}

    def reconnect(self, caller: Caller, fields: Reconnect) -> dict[str, Any]:
        """Take a session up again, and send what was missed: match by match, before any other event."""
        session = self._sessions.bearing(fields.session_token)
        ended = None if session.connected else session.left
        self._enter(caller, session)
        subscriptions = self._matchmaking.subscriptions(session)
        challenges, more = self._challenges.listed(session, CHALLENGES)
        room = ROOM - len(wire.encode([subscriptions, challenges]))
        stories = self._stories.of(session, fields.matches, ended=ended, room=room)
        for story in stories:
            if story.received < story.events:
                caller.outbox.replay(self._stories.lines(story))
        if more:
            caller.outbox.replay(self._challenges.invitations(more))
        self._sessions.welcome(session)
        return {
            "player": session.name,
            "matches": {story.name: story.shown for story in stories},
            "subscriptions": subscriptions,
            "challenges": challenges,
        }

    def logout(self, session: Session, fields: Struct) -> None:
        """End the session; the connection closes behind the answer."""
        outbox = session.outbox
        self._sessions.end(session)
        if outbox is not None:
            outbox.close()

    def ping(self, caller: Caller, fields: Struct) -> None:
        """Answer."""

    def help(self, caller: Caller, fields: Struct) -> dict[str, Any]:
        """List the methods."""
        return {"methods": self._summaries()}

    def _enter(self, caller: Caller, session: Session) -> None:
        self._sessions.attach(session, caller.outbox)
        caller.session = session
