"""The door at the socket: TLS and its certificates, and what happens when there are no files left for connections."""

from __future__ import annotations

import asyncio
import shutil
import signal
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from conversation import Conversation

from lobby import listener
from lobby.listener import Faults
from tests.processes import ServerProcess, running

CERTIFICATES = Path(__file__).parent / "certificates"
PATIENCE = 20.0
PING = b"REQ 1 session.ping\n"

resource = pytest.importorskip("resource")


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Return the path of a certificate, its key behind it in the same file."""
    return Path(shutil.copy(CERTIFICATES / "first.pem", tmp_path / "certificate.pem"))


def trusting(*names: str) -> ssl.SSLContext:
    """Return what a client needs to trust these certificates."""
    context = ssl.create_default_context()
    for name in names:
        context.load_verify_locations(CERTIFICATES / f"{name}.pem")
    return context


def over_tls(certificate: Path) -> Conversation:
    """Return a server that speaks TLS, and clients that trust both certificates."""
    talk = Conversation(tls_cert=str(certificate), tls_key=str(certificate))
    talk.tls = trusting("first", "second")
    return talk


def replace(certificate: Path, content: str | None) -> None:
    """Put something else in a certificate's place, or nothing."""
    certificate.unlink()
    if content is not None:
        certificate.write_text(content)


async def shown(talk: Conversation, name: str) -> str:
    """Return the name in the certificate that a client was shown."""
    subject = (await talk.client(name)).transport.get_extra_info("peercert")["subject"]
    return str(subject[0][0][1])


async def test_a_match_over_tls(certificate: Path):
    async with over_tls(certificate) as talk:
        await talk.enter("ann", "bob")
        await talk.match("ann", "bob", game="roshambo", options={"rounds": 1})
        talk.forget()
        await talk.holds("""
            ann> REQ 1 m1 game.action {"type": "move", "move": "ROCK"}
            ann< RES 1 OK
            bob> REQ 1 m1 game.action {"type": "move", "move": "PAPER"}
            ann< EVT m1 game.action {"type": "move", "player": "ann", "move": "ROCK"}
            ann< EVT m1 game.action {"type": "move", "player": "bob", "move": "PAPER"}
            ann< EVT m1 game.result {"result": "LOSS", "reason": "normal"}
            bob< RES 1 OK
            bob< EVT m1 game.action {"type": "move", "player": "ann", "move": "ROCK"}
            bob< EVT m1 game.action {"type": "move", "player": "bob", "move": "PAPER"}
            bob< EVT m1 game.result {"result": "WIN", "reason": "normal"}
            bob> REQ 2 session.logout
            bob< RES 2 OK
            bob< EOF
        """)


async def test_at_the_end_of_input_over_tls_all_that_was_read_is_answered(certificate: Path):
    """The client ends its half of the TLS connection, which no library's stream can, and reads on."""
    async with over_tls(certificate) as talk:
        reader, writer = await asyncio.open_connection(*talk.address)
        arriving, leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = trusting("first").wrap_bio(arriving, leaving, server_hostname="localhost")

        async def exchange() -> bool:
            writer.write(leaving.read())
            data = await asyncio.wait_for(reader.read(65_536), PATIENCE)
            arriving.write(data)
            return bool(data)

        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                await exchange()
        tls.write(b"".join(b"REQ %d session.ping\n" % number for number in range(300)) + b"REQ half session.ping")
        with pytest.raises(ssl.SSLWantReadError):
            tls.unwrap()
        answers = b""
        while await exchange():
            with suppress(ssl.SSLWantReadError, ssl.SSLZeroReturnError):
                while piece := tls.read(65_536):
                    answers += piece
        writer.close()
        assert answers == b"".join(b"RES %d OK\n" % number for number in range(300))


async def test_a_new_certificate_is_shown_to_new_connections_and_old_ones_go_on(certificate: Path):
    async with over_tls(certificate) as talk:
        assert await shown(talk, "ann") == "first"
        shutil.copy(CERTIFICATES / "second.pem", certificate)
        talk.server.listener.reload()
        assert await shown(talk, "bob") == "second"
        await talk.holds("""
            ann> REQ 1 session.ping
            ann< RES 1 OK
        """)


@pytest.mark.parametrize("bad", ["missing", "empty", "no key", "the key of another"])
async def test_a_bad_new_certificate_is_logged_and_the_old_one_kept(
    certificate: Path, bad: str, capsys: pytest.CaptureFixture[str]
):
    first, second = ((CERTIFICATES / f"{name}.pem").read_text() for name in ("first", "second"))
    key, _, chain = second.partition("-----BEGIN CERTIFICATE-----")
    content = {
        "empty": "",
        "no key": "-----BEGIN CERTIFICATE-----" + chain,
        "the key of another": first.partition("-----BEGIN CERTIFICATE-----")[0] + second.removeprefix(key),
    }
    async with over_tls(certificate) as talk:
        replace(certificate, content.get(bad))
        talk.server.listener.reload()
        assert await shown(talk, "ann") == "first"
        assert "the certificate stays as it was" in capsys.readouterr().out


async def test_what_is_no_tls_is_closed_and_what_says_nothing_is_too(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(listener, "HANDSHAKE", 0.05)
    async with over_tls(certificate) as talk:
        for said in (PING, b""):
            reader, writer = await asyncio.open_connection(*talk.address)
            writer.write(said)
            await asyncio.wait_for(reader.read(), PATIENCE)
            writer.close()
        await talk.holds("""
            ann> REQ 1 session.ping
            ann< RES 1 OK
        """)


def test_files_that_are_used_up_are_told_in_one_line(capsys: pytest.CaptureFixture[str]):
    faults, loop = Faults(), asyncio.new_event_loop()
    with socket.socket() as listening:
        for _ in range(1000):
            faults(loop, {"message": "m", "exception": OSError(24, "Too many open files"), "socket": listening})
    loop.close()
    (line,) = capsys.readouterr().out.splitlines()
    assert "accepting pauses until there are files left for connections" in line


# In a process, where the limit of files and the signal are


def ask(address: tuple[str, int]) -> bytes:
    """Connect, and return what a ping is answered."""
    with socket.create_connection(address, timeout=PATIENCE) as connection:
        connection.sendall(PING)
        return connection.recv(4096)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server in a process of its own."""
    with running(tmp_path) as process:
        yield process


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limits of another process can't be set here")
def test_a_server_without_files_to_accept_with_goes_on_when_there_are_some(server: ServerProcess):
    with socket.create_connection(server.address, timeout=PATIENCE) as inside:
        inside.sendall(PING)
        assert inside.recv(4096) == b"RES 1 OK\n"
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (server.files, 4096))
        waiting = [socket.create_connection(server.address, timeout=PATIENCE) for _ in range(50)]
        for connection in waiting:
            connection.sendall(PING)
        for _ in range(100):
            inside.sendall(PING)
            assert inside.recv(4096) == b"RES 1 OK\n"
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (4096, 4096))
        for connection in waiting:
            with connection:
                assert connection.recv(4096) == b"RES 1 OK\n"
    assert len(server.logged("accepting pauses")) == 1
    assert not server.logged("Traceback")


def test_where_fewer_files_are_allowed_than_connections_set_the_rest_hear_that_the_server_is_full(tmp_path: Path):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with running(tmp_path, max_connections=hard) as server:
        assert len(server.logged("fewer connections than set")) == 1


def test_a_signal_has_the_certificate_loaded_anew(tmp_path: Path, certificate: Path):
    with running(tmp_path, tls_cert=certificate, tls_key=certificate) as server:
        shutil.copy(CERTIFICATES / "second.pem", certificate)
        server.signal(signal.SIGHUP)
        subject = "first"
        for _ in range(1000):
            with (
                socket.create_connection(server.address, timeout=PATIENCE) as plain,
                trusting("first", "second").wrap_socket(plain, server_hostname="localhost") as connection,
            ):
                shown_to = connection.getpeercert()
            assert shown_to is not None
            subject = str(shown_to["subject"][0][0][1])
            if subject == "second":
                break
        assert subject == "second"
        assert len(server.logged("certificate loaded")) == 1
        assert server.stop() == 0


def test_a_server_that_is_stopped_answers_nobody_any_more(server: ServerProcess):
    assert ask(server.address) == b"RES 1 OK\n"
    assert server.stop() == 0
    with pytest.raises(ConnectionRefusedError):
        ask(server.address)
