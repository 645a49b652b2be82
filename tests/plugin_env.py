"""A fresh environment with the server and a game from outside, and a server process in it to talk to."""

from __future__ import annotations

import json
import os
import shutil
import signal
import site
import socket
import subprocess
import sys
import sysconfig
import venv
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

import pytest

ROOT: Final = Path(__file__).parents[1]
PATIENCE: Final = 20.0
"""Seconds after which a test gives up; nothing waits for them to pass."""


class Environment:
    """A virtual environment that also sees what is installed where the tests run: the server and what it needs."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, symlinks=True)
        self.python = folder / "bin" / "python"
        self.packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
        seen = [f"import site; site.addsitedir({path!r})" for path in site.getsitepackages()]
        (self.packages / "where_the_tests_run.pth").write_text("\n".join([str(ROOT), *seen]), encoding="utf-8")

    def run(self, *arguments: str, cwd: Path) -> str:
        """Run Python in it, and return what it printed; fail where that fails."""
        command = [str(self.python), *arguments]
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def install(self, source: Path, build: Path) -> None:
        """Build a package from a copy of its source, and install it: with what is there already, or else from an index."""
        shutil.copytree(source, build, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        if find_spec("setuptools"):
            setup = ["-c", "import setuptools; setuptools.setup()", "-q", "install"]
            self.run(*setup, "--single-version-externally-managed", "--record", "record.txt", cwd=build)
            return
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "--disable-pip-version-check", "--quiet"]
        done = subprocess.run([*pip, "install", "--no-deps", str(build)], capture_output=True, text=True, timeout=120)
        if done.returncode != 0 and "Could not find a version that satisfies the requirement setuptools" in done.stderr:
            pytest.skip("there is neither setuptools nor an index to get it from")
        assert done.returncode == 0, done.stdout + done.stderr


class Process:
    """`lobby serve` in an environment, until it is killed."""

    def __init__(self, environment: Environment, db: Path) -> None:
        command = [str(environment.python), "-m", "lobby", "serve", "--port", "0", "--db", str(db)]
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("LOBBY_", "PYTHON"))}
        self.log = db.with_suffix(".log")
        with self.log.open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=db.parent, env=clean
            )
        assert self._process.stdout is not None
        ready = self._process.stdout.readline()
        assert ready.startswith("listening on "), self.log.read_text(encoding="utf-8")
        self._port = int(ready.rsplit(":", 1)[1])

    def kill(self) -> None:
        """End it as a power cut would."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.kill()

    def client(self) -> Client:
        """Connect to it."""
        return Client(self._port)


class Client:
    """A player's socket. `match` collects the lines of matches, as they came."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._lines = self._socket.makefile("rb")
        self.match: list[bytes] = []
        self._looked_at = 0
        self.ask('session.hello {"version": 1}')

    def ask(self, request: str) -> Any:
        """Send a request without its `REQ <id>`, and return the object of its answer. Raise `AssertionError` for `ERR`."""
        self._socket.sendall(f"REQ 1 {request}\n".encode())
        while not (line := self._lines.readline()).startswith(b"RES 1 "):
            self._take(line)
        assert line.startswith(b"RES 1 OK"), line
        return json.loads(line[9:] or b"null")

    def login(self, player: str) -> str:
        """Log in, and return the token."""
        token: str = self.ask(f'session.login {{"player": "{player}"}}')["session_token"]
        return token

    def wait_for(self, words: str) -> bytes:
        """Return the next line of a match that holds these words, behind the one that was last waited for."""
        while True:
            if self._looked_at == len(self.match):
                self._take(self._lines.readline())
                continue
            self._looked_at += 1
            if words.encode() in self.match[self._looked_at - 1]:
                return self.match[self._looked_at - 1]

    def _take(self, line: bytes) -> None:
        assert line, "the server hung up"
        if line.startswith(b"EVT m"):
            self.match.append(line)

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._socket.close()
