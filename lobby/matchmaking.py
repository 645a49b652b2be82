"""Matchmaking: who waits for which game with which options, and who plays whom.

A queue is a game with settled options. Whoever waits keeps the place in it until a match uses it up, connected or not; only
those who are there, and have room for a match, are paired.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter as Counts
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from games.contract import Engine
from lobby.catalogue import Catalogue, plain, settle
from lobby.matches import Matches
from lobby.numbers import Numbers
from lobby.roster import Roster
from lobby.rows import SubscriptionRow
from lobby.session import Session
from lobby.settings import Settings
from lobby.store import Store
from protocol import wire
from protocol.errors import Code, ProtocolError


class QueueKey(Struct, frozen=True):
    """What must be equal for players to meet: the game, and the settled options as JSON."""

    game: str
    options: bytes


class Queue:
    """Those who wait for one game with the same options, oldest first.

    Most of those who wait may be away for weeks, so whoever turns out to be unable to play is left out until
    `reconsider` says otherwise.
    """

    __slots__ = ("_ready", "engine", "key", "options", "rated", "seats", "shown", "waiting")

    def __init__(self, key: QueueKey, engine: Engine, options: Any, *, default: bool) -> None:
        self.key = key
        self.engine = engine
        self.options = options
        self.seats = engine.seats(options)
        self.rated = self.seats == 2 and default
        self.waiting: dict[Session, int] = {}  # the number of each one's subscription, in order
        self.shown: list[Session] = []  # the table, as it was last told to those at it
        self._ready: list[tuple[int, Session]] = []  # who may be able to play, by number

    def add(self, session: Session, number: int) -> None:
        """Let a session wait, by the number of its subscription."""
        self.waiting[session] = number
        insort(self._ready, (number, session))

    def remove(self, session: Session) -> int:
        """Let a session wait no more. Return the number of its subscription."""
        number = self.waiting.pop(session)
        place = bisect_left(self._ready, (number,))
        if self._ready[place : place + 1] == [(number, session)]:
            del self._ready[place]
        return number

    def reconsider(self, session: Session) -> None:
        """Take note that a session may be able to play again."""
        entry = (self.waiting[session], session)
        place = bisect_left(self._ready, entry[:1])
        if self._ready[place : place + 1] != [entry]:
            self._ready.insert(place, entry)

    def table(self, eligible: Callable[[Session], bool]) -> list[Session]:
        """Return those who sit at the next table: the longest waiting of whom can play now."""
        place = 0
        while place < min(self.seats, len(self._ready)):
            if eligible(self._ready[place][1]):
                place += 1
            else:
                del self._ready[place]
        return [session for _, session in self._ready[:place]]


class Matchmaking:
    """All queues. A pairing is made as soon as it can be: at a subscription, a return, or the end of a match."""

    def __init__(self, store: Store, catalogue: Catalogue, settings: Settings, matches: Matches) -> None:
        self._store = store
        self._catalogue = catalogue
        self._settings = settings
        self._matches = matches
        self._queues: dict[QueueKey, Queue] = {}
        self._of: dict[Session, dict[QueueKey, Queue]] = {}
        self._counts: Counts[str] = Counts()  # how many wait for each game
        self._numbers = Numbers(store, "subscription")

    def subscribe(self, session: Session, game: str, sent: dict[str, Any]) -> None:
        """Let a player wait for opponents. Raise `ProtocolError` for a game, options or a subscription that can't be had."""
        engine = self._catalogue.engine(game)
        options = settle(engine, sent)
        key = _key(game, options)
        if key in self._of.get(session, {}):
            raise ProtocolError(
                Code.ALREADY_SUBSCRIBED, f"you already wait for {game} with these options; lobby.unsubscribe ends that"
            )
        self._check_limits(session)
        number = self._numbers.take()
        self._store.put(SubscriptionRow(number=number, session=session.number, game=game, options=key.options))
        queue = self._wait(session, key, engine, options, number)
        self._pair(queue)

    def unsubscribe(self, session: Session, game: str, sent: dict[str, Any] | None) -> None:
        """End a player's wait for a game: in the queue of the `sent` options, or, for `None`, in all of it."""
        engine = self._catalogue.engine(game)
        mine = self._of.get(session, {})
        if sent is None:
            keys = [key for key in mine if key.game == game]
        else:
            keys = [key for key in (_key(game, settle(engine, sent)),) if key in mine]
        if not keys:
            raise ProtocolError(
                Code.NOT_SUBSCRIBED, f"you do not wait for {game}{' with these options' if sent is not None else ''}"
            )
        for key in keys:
            self._pair(self._unwait(session, key))

    def subscriptions(self, session: Session) -> list[dict[str, Any]]:
        """Return what a player waits for, oldest first."""
        return [{"game": key.game, "options": plain(queue.options)} for key, queue in self._of.get(session, {}).items()]

    def games(self, session: Session) -> list[str]:
        """Return the games that a player waits for, sorted."""
        return sorted({key.game for key in self._of.get(session, {})})

    def waiting(self) -> dict[str, int]:
        """Return how many wait for each game, the away ones included."""
        return dict(sorted(self._counts.items()))

    def reconsider(self, session: Session) -> None:
        """Pair again where a player waits: whether they can play has changed."""
        for queue in list(self._of.get(session, {}).values()):
            if session in queue.waiting:  # pairing in one queue may have ended the wait in another
                queue.reconsider(session)
            self._pair(queue)

    def forget(self, session: Session) -> None:
        """Drop all of a session's subscriptions: it has ended."""
        for key in list(self._of.get(session, {})):
            self._pair(self._unwait(session, key))

    def restore(self, rows: Iterator[SubscriptionRow], roster: Roster) -> None:
        """Take up the subscriptions of an earlier life; one to a game or options that are gone is dropped."""
        for row in rows:
            session, found = roster.numbered(row.session), self._catalogue.restored(row.game, row.options)
            if session is None or found is None:
                self._store.drop(SubscriptionRow, row.number)
            else:
                engine, options = found
                self._wait(session, _key(row.game, options), engine, options, row.number)

    def _wait(self, session: Session, key: QueueKey, engine: Engine, options: Any, number: int) -> Queue:
        queue = self._queues.get(key)
        if queue is None:
            default = options == self._catalogue.defaults(key.game)
            queue = self._queues[key] = Queue(key, engine, options, default=default)
        queue.add(session, number)
        self._counts[key.game] += 1
        self._of.setdefault(session, {})[key] = queue
        return queue

    def _unwait(self, session: Session, key: QueueKey) -> Queue:
        queue = self._queues[key]
        self._store.drop(SubscriptionRow, queue.remove(session))
        self._counts[key.game] -= 1
        if not self._counts[key.game]:
            del self._counts[key.game]
        del self._of[session][key]
        if not self._of[session]:
            del self._of[session]
        if not queue.waiting:
            del self._queues[key]
        return queue

    def _pair(self, queue: Queue) -> None:
        while len(table := queue.table(self._eligible)) == queue.seats:
            for session in table:
                self._unwait(session, queue.key)
            queue.shown = []
            self._matches.begin(queue.engine, queue.options, table, rated=queue.rated)
        if queue.seats > 2 and table != queue.shown:
            self._tell(queue, table)

    def _tell(self, queue: Queue, table: list[Session]) -> None:
        queue.shown = table
        line = wire.event(
            "lobby.waiting",
            {
                "game": queue.key.game,
                "awaited_players": queue.seats,
                "connected_players": len(table),
                "players": [session.name for session in table],
                "status": "waiting",
            },
        )
        for session in table:
            session.send(line)

    def _check_limits(self, session: Session) -> None:
        limit = self._settings.max_subscriptions
        if len(self._of.get(session, {})) >= limit:
            message = f"a session may have {limit} subscriptions at a time; lobby.unsubscribe from one first"
            raise ProtocolError(Code.LIMIT_REACHED, message, limit=limit)
        limit = self._settings.max_live_matches
        if not self._has_room(session):
            message = f"a session may have {limit} live matches at a time; finish one first"
            raise ProtocolError(Code.LIMIT_REACHED, message, limit=limit)

    def _eligible(self, session: Session) -> bool:
        return session.connected and self._has_room(session)

    def _has_room(self, session: Session) -> bool:
        return len(self._matches.places(session)) < self._settings.max_live_matches


def _key(game: str, options: Any) -> QueueKey:
    return QueueKey(game, wire.encode(plain(options)))
