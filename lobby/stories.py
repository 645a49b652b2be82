"""What a player who comes back is told: which matches there are to tell of, and what of each they missed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from games.contract import Seat, only
from lobby import ids
from lobby.clock import Clock
from lobby.matches import Matches
from lobby.record import Record
from lobby.session import Session
from lobby.store import Store
from protocol import wire


class Story(Struct, frozen=True):
    """A match as one player saw it: how much of it there is, and from where they want it."""

    match: int
    game: str
    record: Record
    seat: Seat
    events: int
    live: bool
    received: int = 0

    @property
    def name(self) -> str:
        """Return the match's name on the wire."""
        return f"m{self.match}"

    @property
    def shown(self) -> dict[str, Any]:
        """Return what the answer says of it."""
        return {"game": self.game, "events": self.events, "live": self.live}

    def lines(self) -> Iterator[bytes]:
        """Return what the player has not received."""
        return self.record.read(only(self.seat), self.received, self.events)


class Stories:
    """Finds the stories of a session; `recent` is how long before a lost connection a match may have ended, in seconds."""

    def __init__(self, store: Store, clock: Clock, matches: Matches, *, recent: float) -> None:
        self._store = store
        self._clock = clock
        self._matches = matches
        self._recent = recent

    def of(self, session: Session, received: dict[str, int], *, ended: float | None, room: int) -> list[Story]:
        """Return the live matches, those that were named, and the recent ones, as many as fit in `room` bytes, by number.

        `ended` is the date at which the last connection did, `None` for now.
        """
        stories = []
        for number in self._wanted(session, received, self._clock.wall() if ended is None else ended):
            story = self._story(session, number, received.get(f"m{number}", 0))
            if story is None:
                continue
            room -= len(wire.encode({story.name: story.shown}))
            if room < 0:
                break
            stories.append(story)
        return sorted(stories, key=lambda story: story.match)

    def _wanted(self, session: Session, received: dict[str, int], ended: float) -> dict[int, None]:
        live = [place.match.row.match for place in self._matches.places(session).values()]
        named = [number for name in received if (number := ids.number("m", name)) is not None]
        recent = [row.match for row in self._store.matches_of(session.number, since=ended - self._recent)]
        return dict.fromkeys([*live, *named, *reversed(recent)])

    def _story(self, session: Session, number: int, received: int) -> Story | None:
        row = self._store.match(number)
        if row is None or session.number not in row.sessions:
            return None
        seat = row.sessions.index(session.number)
        match = self._matches.live.get(number)
        record = self._matches.record(row)
        live = match is not None and not match.gone >> seat & 1
        return Story(number, row.game, record, seat, record.count(only(seat)), live, received)
