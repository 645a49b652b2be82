"""How long a start takes with many live matches: the journal is read, and every match is played again from its inputs.

    python tests/bench/restart.py [--matches 10000] [--inputs 50] [--profile]

The database is filled through the lobby's own parts, on a clock that stands still, with all installed games in turn; then
a real server process is started on it, and asked for its status.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import resource
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import msgspec

from games.contract import Engine
from lobby import log
from lobby.catalogue import Catalogue, settle
from lobby.clock import SystemClock
from lobby.house import House
from lobby.match import Match
from lobby.server import reading
from lobby.session import Session
from lobby.settings import Settings
from lobby.store import StoreFailed
from lobby.store.opening import open_store

LONG = {
    "battleship": {},
    "roshambo": {"rounds": 9999},
    "rps": {"max_moves": 9999},
    "purrinha": {"points": 99},
}
"""Options with which a match has enough inputs in it."""

EACH = 16
"""Live matches of one session."""


class Still:
    """A clock that stands still."""

    def now(self) -> float:
        return 0.0

    def wall(self) -> float:
        return 1.8e9


def at_once(action: Callable[[], None]) -> None:
    """Leave the end of the turn to whoever fills the house."""


def failed(failure: StoreFailed) -> None:
    raise failure


def house_on(path: str, clock: Any) -> House:
    return House(
        Settings(db=path, max_live_matches=2 * EACH),
        store=open_store(path, durability="process"),
        clock=clock,
        catalogue=Catalogue.installed(),
        soon=at_once,
        failed=failed,
    )


def fill(path: str, matches: int, inputs: int) -> None:
    """Begin matches, and play each of them up to a number of inputs."""
    house = house_on(path, Still())
    games = [house.catalogue.engine(game) for game in house.catalogue]
    chance = Random(1)
    sessions: list[Session] = []
    for number in range(matches):
        if number % EACH == 0:
            sessions = [house.sessions.login(f"{side}{number}")[0] for side in "ab"]
        engine = games[number % len(games)]
        match = house.matches.begin(engine, settle(engine, LONG.get(engine.info.name, {})), sessions)
        play(house, match, engine, inputs, chance)
        house.tick.end()
    house.store.close()


def play(house: House, match: Match, engine: Engine, inputs: int, chance: Random) -> None:
    for _ in range(inputs):
        seat = min(engine.turn(match.state))
        action: dict[str, Any] = msgspec.to_builtins(engine.sample(match.state, seat, chance))
        house.matches.act(house.matches.places(match.sessions[seat])[match.name], action)


def start(path: str) -> tuple[float, float, int, str]:
    """Start a server. Return the seconds until it listens, its CPU seconds, its live matches, and what it logged of them."""
    began = perf_counter()
    command = [sys.executable, "-m", "lobby", "serve", "--port", "0", "--db", path, "--log-format", "json"]
    log_path = Path(f"{path}.log")
    with (
        log_path.open("w") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as server,
    ):
        assert server.stdout is not None
        port = int(server.stdout.readline().rsplit(":", 1)[1])
        took = perf_counter() - began
        with socket.create_connection(("127.0.0.1", port)) as wire, wire.makefile("rw") as lines:
            lines.write('REQ 1 session.hello {"version": 1}\nREQ 2 session.login {"player": "observer"}\n')
            lines.write("REQ 3 lobby.status\n")
            lines.flush()
            status = json.loads([lines.readline() for _ in range(3)][2].removeprefix("RES 3 OK "))
        server.kill()
    logged = [line for line in log_path.read_text().splitlines() if "matches restored" in line]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, used.ru_utime + used.ru_stime, status["matches"], logged[0] if logged else "nothing"


def profile(path: str) -> None:
    """Print where a start spends its time."""
    store = open_store(path, durability="process")
    clock = SystemClock(reading(store))
    store.close()
    with cProfile.Profile() as measured:
        house = house_on(path, clock)
    house.store.close()
    pstats.Stats(measured).sort_stats("tottime").print_stats(25)


def main() -> None:
    parser = argparse.ArgumentParser(description="how long a start takes with many live matches")
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--inputs", type=int, default=50, help="inputs of each match")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    asked = parser.parse_args()
    log.configure("console", "error")  # or every match that begins would say so
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory, "restart.db"))
        began = perf_counter()
        fill(path, asked.matches, asked.inputs)
        print(f"{asked.matches} matches of {asked.inputs} inputs written in {perf_counter() - began:.1f} s")
        took, used, live, logged = start(path)
        print(f"{live} matches live, and listening, {took:.2f} s after the start ({used:.2f} s of CPU)")
        print(f"the server says: {logged}")
        if asked.profile:
            profile(path)


if __name__ == "__main__":
    main()
