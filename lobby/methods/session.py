"""`session.*`: hello, login, reconnect, logout, ping, help."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import Meta, Struct
from structlog import get_logger

from games.contract import only
from lobby.paging import ROOM
from lobby.record import Record
from lobby.router import Caller, Method, Needs
from protocol import wire
from protocol.errors import Code, ProtocolError

if TYPE_CHECKING:
    from lobby.house import House
    from lobby.sessions import Session

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


class Story(Struct, frozen=True):
    """A match as one player saw it: how much of it there is, and from where they want it."""

    match: int
    game: str
    record: Record
    seat: int
    events: int
    live: bool
    received: int = 0

    def lines(self) -> Iterator[bytes]:
        """Return what the player has not received."""
        return self.record.read(only(self.seat), self.received, self.events)


class SessionMethods:
    """The methods, over the parts that do the work."""

    def __init__(self, house: House, summaries: Callable[[], dict[str, str]]) -> None:
        self._house = house
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
        caller.greeted = True
        if fields.client:
            log.info("hello", client=fields.client[:200])

    def login(self, caller: Caller, fields: Login) -> dict[str, Any]:
        """Begin a session."""
        session, token = self._house.sessions.login(fields.player)
        self._enter(caller, session)
        self._house.sessions.settled(session)
        return {"session_token": token}

    def reconnect(self, caller: Caller, fields: Reconnect) -> dict[str, Any]:
        """Take a session up again, and send what was missed: match by match, before any other event."""
        session = self._house.sessions.bearing(fields.session_token)
        ended = self._house.clock.wall() if session.connected else session.left
        self._enter(caller, session)
        subscriptions = self._house.matchmaking.subscriptions(session)
        challenges, more = self._house.challenges.listed(session, CHALLENGES)
        stories = self._stories(
            session,
            fields.matches,
            since=ended - self._house.settings.recent_matches,
            room=ROOM - len(wire.encode([subscriptions, challenges])),
        )
        for story in stories:
            if story.received < story.events:
                caller.outbox.replay(story.lines())
        if more:
            caller.outbox.replay(self._house.challenges.invitations(more))
        self._house.sessions.settled(session)
        return {
            "player": session.name,
            "matches": {f"m{s.match}": {"game": s.game, "events": s.events, "live": s.live} for s in stories},
            "subscriptions": subscriptions,
            "challenges": challenges,
        }

    def logout(self, session: Session, fields: Struct) -> None:
        """End the session; the connection closes behind the answer."""
        outbox = session.outbox
        self._house.sessions.end(session)
        if outbox is not None:
            outbox.close()

    def ping(self, caller: Caller, fields: Struct) -> None:
        """Answer."""

    def help(self, caller: Caller, fields: Struct) -> dict[str, Any]:
        """List the methods."""
        return {"methods": self._summaries()}

    def _enter(self, caller: Caller, session: Session) -> None:
        self._house.sessions.attach(session, caller.outbox)
        caller.session = session

    def _stories(self, session: Session, received: dict[str, int], *, since: float, room: int) -> list[Story]:
        """Return the live matches, those named, and those that ended since then, as many as fit in `room` bytes, by number."""
        recent = [row.match for row in self._house.store.matches_of(session.number, since=since)]
        named = [number for name in received if (number := self._house.number(name)) is not None]
        wanted = dict.fromkeys(
            [*(place.match.row.match for place in session.places.values()), *named, *reversed(recent)]
        )
        stories = []
        for number in wanted:
            story = self._story(session, number, received.get(f"m{number}", 0))
            if story is None:
                continue
            room -= len(wire.encode({f"m{number}": {"game": story.game, "events": story.events, "live": story.live}}))
            if room < 0:
                break
            stories.append(story)
        return sorted(stories, key=lambda story: story.match)

    def _story(self, session: Session, number: int, received: int) -> Story | None:
        row = self._house.store.match(number)
        if row is None or session.number not in row.sessions:
            return None
        seat = row.sessions.index(session.number)
        match = self._house.matches.live.get(number)
        record = self._house.matches.record(row)
        live = match is not None and not match.gone >> seat & 1
        return Story(number, row.game, record, seat, record.count(only(seat)), live, received)
