"""What the server needs in memory for a connection that is logged in and idle, and for a live match of Battleship.

    python tests/bench/memory.py [--players 4000] [--matches 1000] [--db :memory:]

The figures are the growth of a real server process (its resident pages) over as many of each as are asked for, connections
of the players of the matches included. What the system needs for a socket is its own, and not in them.
"""

from __future__ import annotations

import argparse
import socket
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.processes import ServerProcess, running

FLEET = ", ".join(
    f'{{"ship": "{ship}", "row": {2 * row}, "col": 0, "orientation": "H"}}'
    for row, ship in enumerate(("Carrier", "Battleship", "Cruiser", "Submarine", "Destroyer"))
)
WATER = range(10, 20)


class Player:
    """One connection."""

    def __init__(self, server: ServerProcess, name: str) -> None:
        self.socket = socket.create_connection(server.address)
        self.ask('session.hello {"version": 1}', f'session.login {{"player": "{name}"}}')

    def ask(self, *requests: str) -> str:
        """Send requests, and return all that comes up to the last answer."""
        self.socket.sendall("".join(f"REQ 1 {request}\n" for request in requests).encode())
        heard = b""
        while heard.count(b"RES 1 ") < len(requests) or not heard.endswith(b"\n"):
            heard += self.socket.recv(65_536)
        assert b"RES 1 ERR" not in heard, heard
        return heard.decode()


def settled(server: ServerProcess) -> int:
    """Return the server's memory, once it changes no more."""
    before = -1
    while (now := server.resident) != before:
        before = now
        time.sleep(1.5)
    return now


def play(ann: Player, bob: Player) -> None:
    """Begin a match and play a part of it: shots into the water, in turn."""
    ann.ask('lobby.subscribe {"game": "battleship"}')
    heard = bob.ask('lobby.subscribe {"game": "battleship"}', "session.ping")
    match = next(line for line in heard.splitlines() if line.startswith("EVT m")).split(" ")[1]
    for player in (ann, bob):
        player.ask(f'{match} game.action {{"type": "place_fleet", "ships": [{FLEET}]}}')
    for square in WATER:
        for player in (ann, bob):
            player.ask(f'{match} game.action {{"type": "move", "move": {square}}}')


def main() -> None:
    parser = argparse.ArgumentParser(description="the memory of an idle player, and of a live match of Battleship")
    parser.add_argument("--players", type=int, default=3_000)
    parser.add_argument("--matches", type=int, default=2_000)
    parser.add_argument("--db", default="", help="the database; by default a file that is gone afterwards")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        limits = {"max_connections": asked.players + 2 * asked.matches + 1_000, "log_level": "error"}
        with running(Path(directory), db=asked.db or f"{directory}/lobby.db", **limits) as server:
            empty = settled(server)
            idle = [Player(server, f"idle{number}") for number in range(asked.players)]
            full = settled(server)
            print(f"a server without anybody        {empty / 2**20:8.1f} MiB")
            print(f"an idle player                  {(full - empty) / asked.players / 1024:8.1f} KiB   must 12, aim 6")
            pairs = [(Player(server, f"ann{n}"), Player(server, f"bob{n}")) for n in range(asked.matches)]
            before = settled(server)
            for ann, bob in pairs:
                play(ann, bob)
            after = settled(server)
            alone = (after - before) / asked.matches / 1024
            with_sessions = alone + 2 * (before - full) / (2 * asked.matches) / 1024
            print(f"a live match of Battleship      {alone:8.1f} KiB")
            print(f"the same with both its players  {with_sessions:8.1f} KiB   must 40, aim 20")
            del idle


if __name__ == "__main__":
    main()
