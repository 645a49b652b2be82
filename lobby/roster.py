"""The roster: which sessions there are, by number, name and token, and whose names are held. What befalls them, others say."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import Final

from lobby.session import Session
from protocol import names
from protocol.errors import Code, ProtocolError
from protocol.suggest import LIKE, closest, shown

NEAR: Final = 16
"""Names on either side of an unknown one among which the one that was meant is looked for."""


class Roster:
    """All sessions that have not ended. A name that is not held may be taken by another login."""

    def __init__(self) -> None:
        self._by_number: dict[int, Session] = {}
        self._by_key: dict[str, Session] = {}
        self._by_token: dict[bytes, Session] = {}
        self._held: list[str] = []  # names, sorted

    def __len__(self) -> int:
        return len(self._by_number)

    def __iter__(self) -> Iterator[Session]:
        """Return all sessions, in no order."""
        return iter(self._by_number.values())

    # Who is who

    def numbered(self, number: int) -> Session | None:
        """Return the session of a number."""
        return self._by_number.get(number)

    def bearer(self, number: int, name: str) -> Session:
        """Return a session, or what stands for one that has ended: of a player who left a table, or a tournament."""
        session = self._by_number.get(number)
        if session is None:
            session = Session(number, name, b"", played=True)
            session.ended = True
        return session

    def with_token(self, token: bytes) -> Session | None:
        """Return the session of a token, by its hash."""
        return self._by_token.get(token)

    def named(self, name: str) -> Session | None:
        """Return the session that bears a name, whatever its spelling."""
        return self._by_key.get(names.key(name))

    def present(self, name: str, *, asking: Session) -> Session:
        """Return the session of a player who is connected. Raise `ProtocolError` (`UNKNOWN_PLAYER`) where there is none."""
        session = self.named(name)
        if session is None:
            near = self._nearest(name, asking)
            hint = f"did you mean {near}?" if near else "lobby.players lists those there are"
            raise ProtocolError(Code.UNKNOWN_PLAYER, f"there is no player {shown(name)} here; {hint}")
        if not session.connected:
            raise ProtocolError(Code.UNKNOWN_PLAYER, f"{session.name} is not connected; ask again when they are back")
        return session

    def _nearest(self, name: str, asking: Session) -> str | None:
        """Return the likeliest of the names next to this one by code point: to compare it with all would take too long."""
        place = bisect_left(self._held, name)
        around = map(self._bearing, self._held[max(0, place - NEAR) : place + NEAR])
        likely = [one.name for one in around if one.connected and one is not asking]
        return closest(name, likely, over=LIKE)

    # Whose names are held

    @property
    def held(self) -> int:
        """Return how many names are held."""
        return len(self._held)

    def holders(self, after: str = "") -> Iterator[Session]:
        """Yield the sessions whose names are held and come after one, by name; the cost is that of what is drawn."""
        return (self._bearing(self._held[place]) for place in range(bisect_right(self._held, after), len(self._held)))

    def holds(self, session: Session) -> bool:
        """Whether a session's name is held."""
        place = bisect_left(self._held, session.name)
        return place < len(self._held) and self._held[place] == session.name

    def hold(self, session: Session) -> None:
        """Let nobody else take a session's name."""
        if not self.holds(session):
            insort(self._held, session.name)

    def release(self, session: Session) -> None:
        """Let another login take a session's name."""
        if self.holds(session):
            del self._held[bisect_left(self._held, session.name)]

    def _bearing(self, name: str) -> Session:
        return self._by_key[names.key(name)]

    # Who comes and goes

    def add(self, session: Session, *, held: bool = True) -> None:
        """Take in a session whose name nobody bears."""
        self._by_number[session.number] = session
        self._by_key[session.key] = session
        self._by_token[session.token] = session
        if held:
            self.hold(session)

    def remove(self, session: Session) -> None:
        """Strike a session that has ended, and free its name."""
        self.release(session)
        del self._by_number[session.number], self._by_key[session.key], self._by_token[session.token]
