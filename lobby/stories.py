"""What a player who comes back is told: which matches there are to tell of, and what of each they missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from games.contract import Seat, only
from lobby import ids
from lobby.clock import Clock
from lobby.matches import Matches
from lobby.session import Session
from lobby.store import MatchRow, Store
from protocol import wire

SMALLEST: Final = len('"m1": {"game": "a", "events": 9, "live": true}, ')
"""The least bytes that a story takes in the answer."""


class Story(Struct, frozen=True):
    """A match as one player saw it: how much of it there is, and how much of that they have."""

    row: MatchRow
    seat: Seat
    events: int
    live: bool
    received: int

    @property
    def name(self) -> str:
        """Return the match's name on the wire."""
        return f"m{self.row.match}"

    @property
    def shown(self) -> dict[str, Any]:
        """Return what the answer says of it."""
        return {"game": self.row.game, "events": self.events, "live": self.live}


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
        since = (self._clock.wall() if ended is None else ended) - self._recent
        recent = self._store.matches_of(session.number, since=since, limit=room // SMALLEST)
        for row in self._wanted(session, received, recent):
            story = self._story(session, row, received.get(f"m{row.match}", 0))
            room -= len(wire.encode({story.name: story.shown}))
            if room < 0:
                break
            stories.append(story)
        return sorted(stories, key=lambda story: story.row.match)

    def lines(self, story: Story) -> Iterator[bytes]:
        """Return what the player has not received; nothing is read before it is drawn."""
        yield from self._matches.record(story.row).read(only(story.seat), story.received, story.events)

    def _wanted(self, session: Session, received: dict[str, int], recent: Sequence[MatchRow]) -> Iterator[MatchRow]:
        live = [place.match.row for place in self._matches.places(session).values()]
        rows = {row.match: row for row in (*live, *reversed(recent))}
        named = [number for name in received if (number := ids.number("m", name)) is not None]
        for number in dict.fromkeys([*(row.match for row in live), *named, *rows]):
            row = rows.get(number) or self._store.match(number)
            if row is not None and session.number in row.sessions:
                yield row

    def _story(self, session: Session, row: MatchRow, received: int) -> Story:
        seat = row.sessions.index(session.number)
        match = self._matches.live.get(row.match)
        if match is None:
            return Story(row, seat, row.events[seat], False, received)
        return Story(row, seat, match.record.count(only(seat)), not match.gone >> seat & 1, received)
