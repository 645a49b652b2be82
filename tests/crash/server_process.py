"""A real server in a process of its own, to be killed without a warning and started again on the same file."""

from __future__ import annotations

import asyncio
import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

PATIENCE = 15.0
"""Seconds of real time after which a test gives up; nothing waits for them to pass."""


class ServerProcess:
    """`python -m lobby serve` on one database. What it logs, over all its lives, gathers in one file beside that."""

    started: ClassVar[list[ServerProcess]] = []
    """Those of the test that runs, so that none outlives it."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.port = 0  # the first life takes a free one, the others the same
        self.log = database.with_suffix(".log")
        self.process: asyncio.subprocess.Process

    async def start(self, *, dies_within: float | None = None, file_limit: int | None = None) -> bool:
        """Start a life; return whether it listens. One that is to die gets no further than so many seconds.

        `file_limit` is the size in bytes at which its disk is full.
        """
        await self._spawn(file_limit)
        try:
            async with asyncio.timeout(PATIENCE if dies_within is None else dies_within):
                line = await self._output.readline()
        except TimeoutError:
            assert dies_within is not None, f"no server within {PATIENCE} s; its log ends:\n{self.tail()}"
            await self.kill()
            return False
        assert line.startswith(b"listening on "), f"the server did not start; its log ends:\n{self.tail()}"
        self.port = int(line.rsplit(b":", 1)[1])
        return True

    async def _spawn(self, file_limit: int | None) -> None:
        def fill_disk() -> None:
            if file_limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

        command = [sys.executable, "-m", "lobby", "serve", "--port", str(self.port), "--db", str(self.database)]
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *command, stdout=asyncio.subprocess.PIPE, stderr=log, preexec_fn=fill_disk
            )
        self.started.append(self)
        assert self.process.stdout is not None
        self._output = self.process.stdout

    def strike(self) -> None:
        """Kill the process where it stands."""
        with suppress(ProcessLookupError):
            self.process.kill()

    async def kill(self) -> None:
        """Kill the process, and wait until it is gone."""
        self.strike()
        await self.process.wait()

    async def refused(self) -> int:
        """Start a life that is to end before it listens. Return its exit status."""
        await self._spawn(None)
        assert await self._output.read() == b""
        return await self.ended()

    async def verify(self) -> None:
        """Hold every match of the file, while nobody serves it, against what its inputs lead to."""
        command = (sys.executable, "-m", "lobby", "verify", "--db", str(self.database))
        verify = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        said, _ = await verify.communicate()
        assert verify.returncode == 0, said.decode()

    async def ended(self) -> int:
        """Wait until the process has ended by itself. Return its exit status."""
        async with asyncio.timeout(PATIENCE):
            return await self.process.wait()

    async def stop(self) -> int:
        """End the process in good order. Return its exit status."""
        self.process.terminate()
        return await self.process.wait()

    def tail(self, lines: int = 30) -> str:
        """Return the last lines of the log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
