"""The server process: opens the store, listens, waits for the signal to stop, and goes in good order."""

from __future__ import annotations

import asyncio
import signal
import ssl
from contextlib import suppress
from typing import Any

from structlog import get_logger

from lobby.catalogue import Catalogue
from lobby.clock import SystemClock
from lobby.connection import Connection, Door
from lobby.house import House
from lobby.limits import raise_file_limit
from lobby.rows import ClockRow
from lobby.settings import Settings
from lobby.store import Store, StoreFailed
from lobby.store.opening import open_store
from protocol import wire

log = get_logger(__name__)

FAREWELL = 5.0
"""Seconds that a stopping server gives its clients to take what is due to them."""


def serve(settings: Settings) -> int:
    """Serve until SIGTERM or SIGINT. Raise `StoreFailed` or `OSError` for what prevents serving."""
    store = open_store(settings.db, durability=settings.durability)
    asyncio.run(_Server(settings, store).run())
    return 0


class _Server:
    """One run of the server."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._store = store
        self._stop = asyncio.Event()
        self._failure: StoreFailed | None = None
        self._wake: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Listen and serve; close in good order; raise what made it stop, if it was a fault."""
        loop = self._loop = asyncio.get_running_loop()
        loop.set_exception_handler(_report)
        origin = max((row.now for row in self._store.rows(ClockRow)), default=0.0)
        clock = SystemClock(origin)
        self._house = House(
            self._settings,
            store=self._store,
            clock=clock,
            catalogue=Catalogue.installed(),
            soon=loop.call_soon,
            failed=self._fail,
        )
        house = self._house
        self._door = Door(router=house.router, tick=house.tick, agenda=house.agenda, settings=self._settings, loop=loop)
        self._door.closed.append(house.closed)
        house.connections = lambda: len(self._door.open)
        raise_file_limit(self._settings.max_connections)
        server = await self._listen()
        house.agenda.sooner = self._sleep
        self._sleep()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        host, port = server.sockets[0].getsockname()[:2]
        print(f"listening on {host}:{port}", flush=True)
        log.info("serving", host=host, port=port)
        await self._stop.wait()
        server.close()
        await self._close()
        if self._failure is not None:
            raise self._failure

    async def _listen(self) -> asyncio.Server:
        settings = self._settings
        return await self._loop.create_server(
            lambda: Connection(self._door),
            settings.host,
            settings.port,
            backlog=1024,
            ssl=_tls(settings),
            reuse_address=True,
        )

    def _sleep(self) -> None:
        """Wake when the agenda next has something to look at."""
        if self._wake is not None:
            self._wake.cancel()
        agenda = self._house.agenda
        self._wake = self._loop.call_later(max(0.0, agenda.next - agenda.clock.now()), self._ring)

    def _ring(self) -> None:
        self._wake = None
        house = self._house
        house.agenda.run(house.clock.now())
        house.tick.wake()
        if self._wake is None:
            self._sleep()

    def _fail(self, failure: StoreFailed) -> None:
        """What can't be stored is not answered: tell everyone, and stop."""
        self._failure = failure
        for connection in list(self._door.open):
            connection.abandon(self._closing())
        self._stop.set()

    def _closing(self) -> bytes:
        return wire.event("server.closing", {"retry_after": self._settings.retry_after})

    async def _close(self) -> None:
        """Tell every connection, write out what is due, close, and let the store go."""
        if self._failure is None:
            for connection in list(self._door.open):
                connection.close(self._closing())
            self._house.stop()
            self._house.tick.end()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._door.emptied(), FAREWELL)
        for connection in list(self._door.open):
            connection.abort()
        if self._wake is not None:
            self._wake.cancel()
        with suppress(StoreFailed):
            self._store.close()


def _tls(settings: Settings) -> ssl.SSLContext | None:
    if settings.tls_cert is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(settings.tls_cert, settings.tls_key)
    return context


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what asyncio has to say, such as that there are no file descriptors left to accept with."""
    error = context.get("exception")
    log.error(context.get("message", "a fault in the event loop"), exc_info=error)
