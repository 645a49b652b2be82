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

_FOREIGN: Final = frozenset({"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED"})
"""What OpenSSL says of a key that is another certificate's: of the same kind, or of another kind."""


class ListenFailed(OSError):
    """What keeps the server from listening; the message is one line that names it and says what to change."""


class Listener:
    """Listens on the address of the settings, and makes a protocol of each connection."""

    def __init__(self, settings: Settings, protocol: Callable[[], asyncio.BaseProtocol]) -> None:
        self._settings = settings
        self._protocol = protocol
        self._tls = _context(settings)

    async def open(self) -> tuple[str, int]:
        """Let connections in. Return the address and port to connect to. Raise `ListenFailed` where that can't be."""
        patience = None if self._tls is None else HANDSHAKE
        host, port = self._settings.host, self._settings.port
        try:
            self._server = await asyncio.get_running_loop().create_server(
                self._protocol,
                host,
                port,
                backlog=ACCEPTS,
                ssl=self._tls,
                ssl_handshake_timeout=patience,
                ssl_shutdown_timeout=patience,
                reuse_address=True,
            )
        except OSError as error:
            raise _refused(host, port, error) from error
        for listening in self._server.sockets:
            with socket.fromfd(listening.fileno(), listening.family, listening.type) as same:
                same.listen(CROWD)  # asyncio takes in as many in a turn as it lets wait
        bound: tuple[str, int] = self._server.sockets[0].getsockname()[:2]
        return bound

    def reload(self) -> None:
        """Take certificate and key anew from their files, for the connections to come; bad ones are not taken."""
        try:
            _context(self._settings)  # first of all on the side: what fails half-way is not taken back
            if self._tls is not None:
                _load(self._tls, self._settings)
        except OSError as error:
            log.error("the certificate stays as it was: the new one is no good", reason=str(error))
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
    """Take certificate and key into a context. Raise `ListenFailed` where they are no good."""
    assert settings.tls_cert is not None, "TLS is set"
    assert settings.tls_key is not None, "both or neither are set"
    _check_pem(settings.tls_cert, "tls_cert", "CERTIFICATE-----")
    _check_pem(settings.tls_key, "tls_key", "PRIVATE KEY-----")
    try:
        context.load_cert_chain(settings.tls_cert, settings.tls_key, password=_no_password)
    except ssl.SSLError as error:
        pair = f"the key in {settings.tls_key} (tls_key) and the certificate in {settings.tls_cert} (tls_cert)"
        if error.reason in _FOREIGN:
            raise ListenFailed(f"{pair} do not belong together; name the two that were made together") from error
        raise ListenFailed(f"{pair} can't be used: {error.reason or error}; make them anew, as PEM") from error
    except OSError as error:
        raise ListenFailed(f"{settings.tls_key} (tls_key) can't be used: {error}") from error


def _check_pem(path: str, key: str, mark: str) -> None:
    """Raise `ListenFailed` for a file that can't be read or does not hold what begins with the mark, naming it."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            text = file.read()
    except OSError as error:
        raise ListenFailed(f"can't read {path}: {error.strerror}; {key} names it") from error
    if mark not in text:
        raise ListenFailed(f"{path} has no {mark.rstrip('-').lower()} in PEM, the form with -----BEGIN; {key} names it")


def _no_password() -> str:
    """Refuse a key that wants a password: nobody is there to type it."""
    raise OSError("the private key is encrypted; store it without a password")


def _refused(host: str, port: int, error: OSError) -> ListenFailed:
    """Return why nobody can be let in at an address, and what would do."""
    if isinstance(error, socket.gaierror):
        return ListenFailed(
            f"there is no host {host!r}; --host takes an address of this machine, such as 0.0.0.0 for all"
        )
    match error.errno:
        case errno.EADDRINUSE:
            why = "is in use; stop what listens there, or choose another port with --port"
        case errno.EADDRNOTAVAIL:
            why = "is no address of this machine; --host 0.0.0.0 listens on all that it has"
        case errno.EACCES:
            why = "is not allowed to this user; choose a port from 1024 on with --port"
        case _:
            why = f"can't be listened on: {error.strerror or error}"
    return ListenFailed(f"{host} port {port} {why}")
