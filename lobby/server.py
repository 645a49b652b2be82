"""The server process: opens the store, listens, waits for the signal to stop, and goes in good order."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress

from structlog import get_logger

from lobby import garbage
from lobby.catalogue import Catalogue
from lobby.clock import Clock, SystemClock
from lobby.connection import Connection
from lobby.door import Door
from lobby.house import House
from lobby.limits import room_for
from lobby.listener import Faults, Listener
from lobby.rows import ClockRow
from lobby.settings import Settings, default_db
from lobby.store import Store, StoreFailed
from lobby.store.opening import open_store
from protocol import wire

log = get_logger(__name__)

FAREWELL = 5.0
"""Seconds that a stopping server gives its clients to take what is due to them."""


def serve(settings: Settings) -> int:
    """Serve until SIGTERM or SIGINT. Raise `StoreFailed` or `OSError` for what prevents serving.

    The directory of the default database is made where it is missing; one that was named must exist, as it may be mistyped.
    """
    if settings.db == default_db():
        os.makedirs(os.path.dirname(settings.db), mode=0o700, exist_ok=True)
    store = open_store(settings.db, durability=settings.durability)
    clock = SystemClock(reading(store))
    server = Server(settings, store, clock=clock, catalogue=Catalogue.installed())
    asyncio.run(_run(server, clock))
    return 0


def reading(store: Store) -> float:
    """Return the server clock, as an earlier life of the server left it."""
    return max((row.now for row in store.rows(ClockRow)), default=0.0)


async def _run(server: Server, clock: SystemClock) -> None:
    """Serve until told to stop; raise what made the server stop, if it was a fault."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(Faults())
    garbage.hold()
    host, port = await server.open()
    clock.start()
    garbage.spare()
    server.door.capacity = room_for(server.settings.max_connections)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.stop.set)
    keeper = asyncio.create_task(garbage.collect(lambda: len(server.house.matches.live)), name="garbage")
    if server.settings.tls_cert is not None:
        loop.add_signal_handler(signal.SIGHUP, server.listener.reload)
    shown = f"[{host}]" if ":" in host else host
    print(f"listening on {shown}:{port}", flush=True)
    log.info("serving", host=host, port=port, tls=server.settings.tls_cert is not None)
    await server.stop.wait()
    keeper.cancel()
    await server.close()
    if server.failure is not None:
        raise server.failure
    log.info("stopped", live_matches=len(server.house.matches.live))


class Server:
    """A house and the door to it, on a socket. `stop` is set when it is to end, `failure` where its store made it."""

    def __init__(self, settings: Settings, store: Store, *, clock: Clock, catalogue: Catalogue) -> None:
        self.settings = settings
        self.stop = asyncio.Event()
        self.failure: StoreFailed | None = None
        self._store = store
        self._clock = clock
        self._catalogue = catalogue
        self._wake: asyncio.TimerHandle | None = None

    async def open(self) -> tuple[str, int]:
        """Take up what the store holds, and let connections in. Return the address and port to connect to."""
        loop = self._loop = asyncio.get_running_loop()
        house = self.house = House(
            self.settings,
            store=self._store,
            clock=self._clock,
            catalogue=self._catalogue,
            soon=loop.call_soon,
            failed=self._fail,
        )
        self.door = Door(router=house.router, tick=house.tick, agenda=house.agenda, settings=self.settings, loop=loop)
        self.door.closed.append(house.closed)
        house.connections = lambda: len(self.door.open)
        self.listener = Listener(self.settings, lambda: Connection(self.door))
        address = await self.listener.open()
        house.agenda.sooner = self._sleep
        self._sleep()
        return address

    def _sleep(self) -> None:
        """Wake when the agenda next has something to look at."""
        if self._wake is not None:
            self._wake.cancel()
        agenda = self.house.agenda
        self._wake = self._loop.call_later(max(0.0, agenda.next - agenda.clock.now()), self._ring)

    def _ring(self) -> None:
        self._wake = None
        self.ring()
        if self._wake is None:
            self._sleep()

    def ring(self) -> None:
        """Let everything happen that is due by now."""
        self.house.agenda.run(self._clock.now())
        self.house.tick.wake()

    def _fail(self, failure: StoreFailed) -> None:
        """What can't be stored is not answered: tell everyone, once, and stop."""
        if self.failure is not None:
            return
        self.failure = failure
        self.house.router.closing = True
        for connection in list(self.door.open):
            connection.abandon(self._closing())
        self.stop.set()

    def _closing(self) -> bytes:
        return wire.event("server.closing", {"retry_after": self.settings.retry_after})

    async def close(self) -> None:
        """Tell every connection, write out what is due, close, and let the store go. Who comes meanwhile is told, too."""
        self.house.router.closing = True
        if self.failure is None:
            for connection in list(self.door.open):
                connection.dismiss(self._closing())
            try:
                self.house.stop()
            except StoreFailed as failure:
                self._fail(failure)
            self.house.tick.end()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.door.emptied(), FAREWELL)
        self.house.tick.end()  # for those who came last
        self.cut()
        with suppress(StoreFailed):
            self._store.close()

    def cut(self) -> None:
        """Drop every connection where it stands, and wake no more."""
        self.listener.close()
        for connection in list(self.door.open):
            connection.abort()
        if self._wake is not None:
            self._wake.cancel()
