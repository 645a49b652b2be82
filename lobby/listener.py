"""The socket that takes connections in: how many at a time, over TLS or not, and what when there are no files left for more.

It hands each connection to a protocol, and knows nothing of what is said on it.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from collections.abc import Callable
from typing import Any, Final

from structlog import get_logger

from lobby.settings import Settings

log = get_logger(__name__)

ACCEPTS: Final = 16
"""Connections that are taken in in one turn of the loop, so that a crowd at the door holds nobody up who is inside."""

CROWD: Final = 1024
"""Connections that the system lets wait at the door."""

HANDSHAKE: Final = 10.0
"""Seconds for a TLS handshake, and for a TLS farewell."""

SILENCE: Final = 60.0
"""Seconds after which it is said again that no files are left."""

_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Listener:
    """Listens on the address of the settings, and makes a protocol of each connection."""

    def __init__(self, settings: Settings, protocol: Callable[[], asyncio.BaseProtocol]) -> None:
        self._settings = settings
        self._protocol = protocol
        self._tls = _context(settings)

    async def open(self) -> tuple[str, int]:
        """Let connections in. Return the address and port to connect to."""
        patience = None if self._tls is None else HANDSHAKE
        self._server = await asyncio.get_running_loop().create_server(
            self._protocol,
            self._settings.host,
            self._settings.port,
            backlog=ACCEPTS,
            ssl=self._tls,
            ssl_handshake_timeout=patience,
            ssl_shutdown_timeout=patience,
            reuse_address=True,
        )
        for listening in self._server.sockets:
            with socket.fromfd(listening.fileno(), listening.family, listening.type) as same:
                same.listen(CROWD)  # asyncio takes in as many in a turn as it lets wait
        host, port = self._server.sockets[0].getsockname()[:2]
        return host, port

    def reload(self) -> None:
        """Take certificate and key anew from their files, for the connections to come; bad ones are not taken."""
        try:
            _context(self._settings)  # first of all on the side: what fails half-way is not taken back
            if self._tls is not None:
                _load(self._tls, self._settings)
        except OSError as error:
            log.error("the certificate stays as it was: the new one is no good", reason=_said(error))
        else:
            log.info("certificate loaded")

    def close(self) -> None:
        """Let nobody in any more."""
        self._server.close()


class Faults:
    """Logs what the event loop has to say. That no files are left to accept with is one line, now and then."""

    def __init__(self) -> None:
        self._silent_until = 0.0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Take note of a fault; as `loop.set_exception_handler` wants it."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in _EXHAUSTED and "socket" in context:
            self._exhausted(loop.time(), error)
        else:
            log.error(context.get("message", "a fault in the event loop"), exc_info=error)

    def _exhausted(self, now: float, error: OSError) -> None:
        if now >= self._silent_until:
            self._silent_until = now + SILENCE
            log.warning("accepting pauses until there are files left for connections", reason=error.strerror)


def _context(settings: Settings) -> ssl.SSLContext | None:
    if settings.tls_cert is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    _load(context, settings)
    return context


def _load(context: ssl.SSLContext, settings: Settings) -> None:
    assert settings.tls_cert is not None, "TLS is set"
    context.load_cert_chain(settings.tls_cert, settings.tls_key, password=_no_password)


def _no_password() -> str:
    """Refuse a key that wants a password: nobody is there to type it."""
    raise OSError("the private key is encrypted; store it without a password")


def _said(error: OSError) -> str:
    return getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error)
