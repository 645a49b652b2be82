"""The server as a process: what it says first, where it keeps what it must, and how it ends."""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import pytest
from conversation_client import PATIENCE

from lobby.listener import Listener, ListenFailed
from lobby.settings import Settings


async def served(state: Path, *flags: str) -> tuple[int | None, str, str]:
    """Run `lobby serve`, stop it once it listens, and return its exit status, its first line, and its log."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lobby", "serve", "--port", "0", *flags),
        env={**os.environ, "XDG_STATE_HOME": str(state)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE):
            first = (await process.stdout.readline()).decode()
            if first:
                process.send_signal(signal.SIGTERM)
            _, log = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    return process.returncode, first, log.decode()


async def test_the_first_start_on_a_machine_makes_the_directory_of_the_default_database(tmp_path: Path):
    status, first, _ = await served(tmp_path / "no" / "such" / "state")
    assert (status, first[:23]) == (0, "listening on 127.0.0.1:")
    folder = tmp_path / "no" / "such" / "state" / "lobby"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "lobby.db").exists()


async def test_the_directory_of_a_database_that_is_named_must_exist(tmp_path: Path):
    status, first, log = await served(tmp_path, "--db", str(tmp_path / "absent" / "lobby.db"))
    assert (status, first) == (1, "")
    assert log.endswith("there is no such directory\n")
    assert not (tmp_path / "absent").exists()


async def test_the_log_says_that_it_serves_and_at_last_that_it_has_stopped(tmp_path: Path):
    _, _, log = await served(tmp_path)
    first, *_, last = log.splitlines()
    assert " serving " in first
    assert "tls=False" in first
    assert " stopped " in last
    assert "live_matches=0" in last


CERTIFICATES = Path(__file__).parent / "certificates"
FIRST, SECOND = (str(CERTIFICATES / name) for name in ("first.pem", "second.pem"))

LOCKED = """\
-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhtHLgI0/1pDgICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEDf6UO31+hytPfEOzhWgvrQEQAo4
UTnXqGa032XyykSB/bjZq/Em8mHojHjO24xnerLob1c+P2wbcL4IWeluhjbOliGr
XCfKMZrW5sDsxdm2nUI=
-----END ENCRYPTED PRIVATE KEY-----
"""


def tls(certificate: str, key: str) -> list[str]:
    return ["--set", f"tls_cert={certificate}", "--set", f"tls_key={key}"]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--host", "no.such.host.invalid"], "there is no host 'no.such.host.invalid'; --host takes an address"),
        (["--host", "192.0.2.1"], "192.0.2.1 port 0 is no address of this machine; --host 0.0.0.0 listens"),
        (["--db", "."], " is a directory; name a file in it, such as "),
        (tls("absent.pem", FIRST), "can't read absent.pem: No such file or directory; tls_cert names it"),
        (tls(FIRST, "absent.pem"), "can't read absent.pem: No such file or directory; tls_key names it"),
        (tls(__file__, FIRST), f"{__file__} has no certificate in PEM, the form with -----BEGIN; tls_cert names it"),
        (tls(FIRST, SECOND), "do not belong together; name the two that were made together"),
    ],
)
async def test_what_prevents_serving_is_one_line_that_names_it(tmp_path: Path, flags: list[str], said: str):
    status, first, log = await served(tmp_path, *flags)
    assert (status, first) == (1, "")
    assert said in log
    assert log.startswith("lobby: ")
    assert log.count("\n") == 1


async def test_a_port_in_use_is_told_with_what_would_do(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, _, log = await served(tmp_path, "--port", str(port))
    assert (status, log) == (
        1,
        f"lobby: can't serve: 127.0.0.1 port {port} is in use; stop what listens there, or choose another port with --port\n",
    )


def test_a_key_that_wants_a_password_is_refused(tmp_path: Path):
    locked = tmp_path / "key.pem"
    locked.write_text(LOCKED)
    with pytest.raises(ListenFailed, match=r"key.pem \(tls_key\) can't be used: the private key is encrypted"):
        Listener(Settings(tls_cert=FIRST, tls_key=str(locked)), asyncio.Protocol)
