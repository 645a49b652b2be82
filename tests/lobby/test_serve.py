"""The server as a process: what it says first, where it keeps what it must, and how it ends."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from conversation_client import PATIENCE


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
