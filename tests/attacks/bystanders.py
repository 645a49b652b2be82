"""Two players who play roshambo without end and mind their own business, in a process of their own.

    python bystanders.py PORT

A line on standard input asks how they are: one JSON object answers, with the rounds played since the last one and how long
they took. At the end of input they stop. Whatever they hear that is not the next line of their match ends them with status 1.
"""

from __future__ import annotations

import json
import select
import socket
import sys
import time
from typing import Any

PAUSE = 0.002
"""Seconds between two rounds, so that they load nothing themselves."""

PATIENCE = 60.0
ROUNDS = 9_999


class Player:
    """One of them."""

    def __init__(self, port: int, name: str, move: str) -> None:
        self.name = name
        self.move = move
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines = self._socket.makefile("r", encoding="utf-8", newline="\n")
        self.send('REQ 1 session.hello {"version": 1}')
        self.send(f'REQ 2 session.login {{"player": "{name}"}}')
        self.hear("RES 1 OK")
        self.hear("RES 2 OK ")

    def send(self, line: str) -> None:
        """Send a line."""
        self._socket.sendall(line.encode() + b"\n")

    def hear(self, beginning: str) -> str:
        """Return the next line, which must begin like this; what people say who challenge them is let pass."""
        while (line := self._lines.readline()).startswith("EVT lobby.challenge"):
            pass
        if not line.startswith(beginning):
            sys.exit(f"{self.name} heard {line!r} in place of {beginning!r}")
        return line


class Pair:
    """Both of them, and how long their rounds took."""

    def __init__(self, port: int) -> None:
        self._players = (Player(port, "by-ann", "ROCK"), Player(port, "by-bob", "PAPER"))
        self._left = 0
        self.took: list[float] = []

    def play(self) -> None:
        """Play a round, the first one of a match where none is on, and hear every line of it."""
        if not self._left:
            self._begin()
        began = time.perf_counter()
        for player in self._players:
            player.send(f'REQ m {self._match} game.action {{"type": "move", "move": "{player.move}"}}')
        self._left -= 1
        for player in self._players:
            player.hear("RES m OK")
            for mover in self._players:
                player.hear(
                    f'EVT {self._match} game.action {{"type": "move", "player": "{mover.name}", "move": "{mover.move}"}}'
                )
            player.hear(f"EVT {self._match} " + ("game.your_turn" if self._left else "game.result "))
        self.took.append(time.perf_counter() - began)

    def _begin(self) -> None:
        for player in self._players:
            player.send(f'REQ s lobby.subscribe {{"game": "roshambo", "options": {{"rounds": {ROUNDS}}}}}')
            player.hear("RES s OK")
        for player in self._players:
            self._match = player.hear("EVT m").split(" ")[1]
            player.hear(f'EVT {self._match} game.update {{"type": "start", ')
            player.hear(f"EVT {self._match} game.your_turn")
        self._left = ROUNDS

    def taken(self) -> dict[str, Any]:
        """Return the figures since they were last asked for, times in milliseconds."""
        took, self.took = sorted(self.took), []
        at = {name: took[min(len(took) - 1, int(len(took) * share))] for name, share in SHARES.items()} if took else {}
        return {"rounds": len(took), **{name: round(1_000 * seconds, 2) for name, seconds in at.items()}}


SHARES = {"p50": 0.5, "p99": 0.99, "max": 1.0}


def main() -> None:
    pair = Pair(int(sys.argv[1]))
    while True:
        pair.play()
        if select.select([sys.stdin], [], [], PAUSE)[0]:
            if not sys.stdin.readline():
                return
            print(json.dumps(pair.taken()), flush=True)


if __name__ == "__main__":
    main()
