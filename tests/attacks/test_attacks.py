"""An attacker's hour, in seconds: after each attack the server answers at once, two bystanders have played on as though nothing
were, and what the attack took is given back.

The long form, with its figures: `make attack`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from attackers import ATTACKS, Address, Attacker

from tests.processes import ServerProcess, running

LONG: Final = int(os.environ.get("LONG", "0"))
AMOUNT: Final = LONG or 2
PATIENCE: Final = 300.0
KEPT: Final = 32 << 20
"""Bytes that the server may have more than before; what the allocator keeps of them is no leak."""

QUIET: Final = {"connections": 3, "sessions": 3, "matches": 1, "waiting": {}}
"""What is there while nobody attacks: the bystanders and who looks after them."""


class Bystanders:
    """Two who play on all the while."""

    def __init__(self, port: int) -> None:
        script = Path(__file__).parent / "bystanders.py"
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def figures(self) -> dict[str, Any]:
        """Return how their rounds went since they were last asked; fail where they could not go on."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the bystanders were disturbed"
        return dict(json.loads(line))

    def stop(self) -> int:
        """Let them stop, and return how they ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        return self._process.wait(timeout=PATIENCE)


class Scene:
    """A server, its bystanders, and somebody who looks how it is."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.bystanders = Bystanders(server.address[1])
        self._guard = Attacker(server.address)
        self._guard.login("guard")

    def close(self) -> None:
        self._guard.socket.close()
        assert self.bystanders.stop() == 0

    def ping(self) -> float:
        """Return how many seconds an answer takes now."""
        began = time.perf_counter()
        assert self._guard.ask("session.ping") == ["OK"]
        return time.perf_counter() - began

    def settle(self) -> None:
        """Wait until nothing is left of those who attacked."""
        until = time.monotonic() + PATIENCE
        while (status := self._status()) != QUIET:
            assert time.monotonic() < until, f"this is still there: {status}"
            time.sleep(0.02)

    def _status(self) -> dict[str, Any]:
        (answer,) = self._guard.ask("lobby.status")
        status = json.loads(answer.removeprefix("OK "))
        return {name: status[name] for name in QUIET}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """A server that forgets who has left rather soon, or each attack would be a minute long."""
    directory = tmp_path_factory.mktemp("attack")
    with running(directory, db=str(directory / "lobby.db"), name_hold=0.1, reconnect_grace=0.1) as server:
        scene = Scene(server)
        scene.settle()
        yield scene
        scene.close()
        assert server.logged("Traceback") == []
        assert server.logged("fault") == []
        assert server.log.stat().st_size < 1 << 20
        assert server.stop() == 0


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_the_server_withstands(attack: Callable[[Address, int], None], scene: Scene):
    if LONG:
        attack(scene.server.address, AMOUNT // 10)  # what it takes once and keeps, such as caches, is no matter
        scene.settle()
    before, busy, began = scene.server.resident, scene.server.processor, time.monotonic()
    scene.bystanders.figures()
    attack(scene.server.address, AMOUNT)
    ping, seconds = scene.ping(), time.monotonic() - began
    busy = scene.server.processor - busy
    figures = scene.bystanders.figures()
    during = scene.server.resident
    scene.settle()
    after = scene.server.resident
    print(
        f"\n{attack.__name__:20} {seconds:7.2f} s, server {busy / seconds:4.0%} busy; rounds beside it: {figures}; "
        f"ping right after {1_000 * ping:.1f} ms; memory {before >> 20} > {during >> 20} > {after >> 20} MiB"
    )
    assert figures["rounds"] > 0
    assert after < before + KEPT
