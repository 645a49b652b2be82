"""A real server in a process of its own, to be tested from outside: its port, its memory, its log."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class ServerProcess:
    """A server that runs. `log` is the file that its standard error goes to."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        assert process.stdout is not None
        self.log = log
        self.pid = process.pid
        self._process = process
        first = process.stdout.readline()
        assert first.startswith("listening on "), f"the server did not start: {log.read_text()}"
        host, _, port = first.removeprefix("listening on ").strip().rpartition(":")
        self.address = (host, int(port))

    @property
    def resident(self) -> int:
        """Return the bytes of memory that it has."""
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    @property
    def processor(self) -> float:
        """Return the seconds of processor time that it has used, all its threads together."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    @property
    def files(self) -> int:
        """Return how many files, and so connections, it has open."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def logged(self, word: str) -> list[str]:
        """Return the lines of its log that hold a word."""
        return [line for line in self.log.read_text(errors="replace").splitlines() if word in line]

    def signal(self, number: int) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def stop(self) -> int:
        """Let it stop in good order, and return its exit status."""
        self.signal(signal.SIGTERM)
        return self._process.wait(timeout=30)


@contextmanager
def running(
    directory: Path,
    *,
    db: str = ":memory:",
    core: int | None = None,
    program: Sequence[str] = ("-m", "lobby"),
    **settings: Any,
) -> Iterator[ServerProcess]:
    """Run a server with these settings; it is gone behind the block.

    `core` is the only processor core that it may use, `program` what Python is to run in place of the lobby itself.
    """
    command = [sys.executable, *program, "serve", "--port", "0", "--db", db]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    log = directory / "server.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, preexec_fn=None if core is None else pin(core)
        )
    try:
        yield ServerProcess(process, log)
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def pin(core: int) -> Callable[[], None]:
    """Return what binds a process to a processor core, where there are several and the system lets it."""

    def bind() -> None:
        if hasattr(os, "sched_setaffinity") and core in os.sched_getaffinity(0):
            os.sched_setaffinity(0, {core})

    return bind
