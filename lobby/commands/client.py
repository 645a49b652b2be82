"""A client of a running server, for commands that speak the protocol like anyone else; and the logins that outlive them.

It asks and reads answers; what events say, it leaves to whoever asks again.
"""

from __future__ import annotations

import os
import secrets
import socket
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from msgspec import DecodeError, json

from lobby.commands import CommandFailed
from lobby.settings import KEYS, default_db
from protocol.errors import Code

if TYPE_CHECKING:
    import ssl

PATIENCE: Final = 30.0
"""Seconds to wait for the server."""

Logins = dict[str, dict[str, str]]
"""Tokens by player, by server (`host:port`)."""


class Refused(CommandFailed):
    """The server refused a request; the message is the server's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Client:
    """A connection that has said hello."""

    def __init__(self, host: str, port: int, *, tls: ssl.SSLContext | None = None) -> None:
        """Connect. Raise `CommandFailed` where nothing answers there."""
        self.server = f"{host}:{port}"
        self._asked = 0
        self._heard = False
        self._tls = tls is not None
        try:
            plain = socket.create_connection((host, port), PATIENCE)
            self._socket = tls.wrap_socket(plain, server_hostname=host) if tls else plain
        except OSError as error:
            raise CommandFailed(f"can't reach a server at {self.server}: {_unreached(error)}") from None
        self._lines = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        self.ask("session.hello", version=1, client="lobby command")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._lines.close()
        self._socket.close()

    def ask(self, method: str, **fields: Any) -> dict[str, Any]:
        """Return the object of an answer. Raise `Refused` for an error, `CommandFailed` where none comes."""
        self._asked += 1
        try:
            self._socket.sendall(b"REQ %d %b %b\n" % (self._asked, method.encode(), json.encode(fields)))
            return self._answer(b"%d" % self._asked)
        except OSError as error:
            raise CommandFailed(f"lost the server at {self.server}: {_why(error)}") from None

    def _answer(self, id: bytes) -> dict[str, Any]:
        for line in self._lines:
            self._heard = True
            kind, said, *rest = line.split(b" ", 3)
            if kind == b"RES" and said in (id, b"-"):
                body = json.decode(rest[1]) if len(rest) > 1 else {}
                if rest[0].strip() != b"OK":
                    raise Refused(body["code"], body["message"])
                return dict(body)
        hint = "" if self._heard or self._tls else "; if it speaks TLS, say --tls"
        raise CommandFailed(f"the server at {self.server} closed the connection{hint}")


def add_server_flags(parser: ArgumentParser) -> None:
    """Add the flags that say which server to talk to."""
    host, port = KEYS["host"].default, KEYS["port"].default
    parser.add_argument("--host", default=host, help=f"where the server is ({host})")
    parser.add_argument("--port", type=int, default=port, help=f"its port ({port})")
    parser.add_argument("--tls", action="store_true", help="the server speaks TLS")
    parser.add_argument("--tls-ca", metavar="FILE", help="trust the certificates in this file, PEM; implies --tls")


def connect(arguments: Namespace) -> Client:
    """Connect to the server that the flags name."""
    return Client(arguments.host, arguments.port, tls=_tls(arguments))


@contextmanager
def visit(arguments: Namespace) -> Iterator[Client]:
    """Have a connection with a login under a passing name, which ends with it."""
    with connect(arguments) as client:
        client.ask("session.login", player=f"visitor-{secrets.token_hex(4)}")
        try:
            yield client
        finally:
            with suppress(CommandFailed):
                client.ask("session.logout")


@contextmanager
def attend(arguments: Namespace, player: str, *, anew: bool) -> Iterator[Client]:
    """Have a connection with the login that is kept for a player, or, if it may be `anew`, one that is kept from now on."""
    with connect(arguments) as client:
        logins = _read()
        if not _take_up(client, logins.get(client.server, {}).get(player)):
            if not anew:
                raise CommandFailed(
                    f"no login of {player} at {client.server} is kept here; use the machine, user, --host and --as NAME "
                    "with which the tournament was created"
                )
            token = client.ask("session.login", player=player)["session_token"]
            _write({**logins, client.server: {**logins.get(client.server, {}), player: token}})
        yield client


def _take_up(client: Client, token: str | None) -> bool:
    if token is None:
        return False
    try:
        client.ask("session.reconnect", session_token=token)
    except Refused as refused:
        if refused.code != Code.INVALID_TOKEN:
            raise
        return False
    return True


def _file() -> Path:
    return Path(default_db()).with_name("logins.json")


def _read() -> Logins:
    try:
        return json.decode(_file().read_bytes(), type=Logins)
    except FileNotFoundError:
        return {}
    except (OSError, DecodeError) as error:
        raise CommandFailed(f"can't read the logins in {_file()}: {error}") from None


def _write(logins: Logins) -> None:
    """Keep the logins where only their owner can read them; all of them or, where that fails, those of before."""
    file = _file()
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as output:
            output.write(json.format(json.encode(logins)) + b"\n")
        draft.replace(file)
    except OSError as error:
        raise CommandFailed(f"can't keep the login in {file}: {_why(error)}") from None


def _tls(arguments: Namespace) -> ssl.SSLContext | None:
    if not (arguments.tls or arguments.tls_ca):
        return None
    import ssl

    try:
        return ssl.create_default_context(cafile=arguments.tls_ca)
    except OSError as error:
        raise CommandFailed(f"can't use the certificates in {arguments.tls_ca}: {_why(error)}") from None


def _unreached(error: OSError) -> str:
    """Return why there is no connection, and what to look at."""
    reason = getattr(error, "reason", None)
    if reason == "CERTIFICATE_VERIFY_FAILED":
        why = getattr(error, "verify_message", "")
        return f"its certificate is not trusted ({why}); name the file of one that you trust with --tls-ca"
    if reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE"):
        return "it speaks no TLS; leave --tls and --tls-ca out"
    return f"{_why(error)}; is it running there?"


def _why(error: OSError) -> str:
    return error.strerror or str(error)
