"""How long the event loop is kept by anything, under load: the turns of the loop, and what a player beside it sees.

    python tests/bench/stalls.py [--idle 2000] [--matches 200] [--rate 3000] [--seconds 20]

A server with a database holds so many idle players and plays so many matches of roshambo, at so many rounds a second in all;
meanwhile others log in and out, and ask for the dearest lists. The server has a processor core of its own where there are
two. Its turns are timed from inside (`watched.py`), by the clock and by the processor, and a ping is timed from outside.
"""

from __future__ import annotations

import argparse
import heapq
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.processes import ServerProcess, pin, running

HERE = Path(__file__).parent
SHARES = (0.5, 0.99, 0.999, 1.0)
DEAR = ("lobby.games", "lobby.players", "lobby.matches", 'lobby.ranking {"game": "roshambo"}', "lobby.ststus")


class Player:
    """One connection."""

    def __init__(self, address: tuple[str, int], name: str) -> None:
        self.socket = socket.create_connection(address, timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.ask('session.hello {"version": 1}', f'session.login {{"player": "{name}"}}')

    def ask(self, *requests: str) -> bytes:
        """Send requests, and return all that comes up to the last answer."""
        self.socket.sendall("".join(f"REQ 1 {request}\n" for request in requests).encode())
        return self.until(b"RES 1 ", len(requests))

    def until(self, word: bytes, count: int = 1) -> bytes:
        """Read until a word has come so often."""
        heard = b""
        while heard.count(word) < count or not heard.endswith(b"\n"):
            heard += self.socket.recv(65_536)
        return heard


def play(address: tuple[str, int], matches: int, rate: float) -> None:
    """Play rounds at a steady pace until this process is stopped."""
    pairs = []
    for number in range(matches):
        ann, bob = (Player(address, f"{side}{number}") for side in ("ann", "bob"))
        for player in (ann, bob):
            heard = player.ask('lobby.subscribe {"game": "roshambo", "options": {"rounds": 9999}}', "session.ping")
        match = next(line for line in heard.decode().splitlines() if line.startswith("EVT m")).split(" ")[1]
        pairs.append((ann, bob, f'REQ 1 {match} game.action {{"type": "move", "move": "ROCK"}}\n'.encode()))
    print("playing", flush=True)
    began = time.perf_counter()
    due = [(began + number / rate, number) for number in range(matches)]
    while True:
        when, number = due[0]
        time.sleep(max(0.0, when - time.perf_counter()))
        ann, bob, line = pairs[number]
        for player in (ann, bob):
            player.socket.sendall(line)
        heapq.heapreplace(due, (when + matches / rate, number))
        for player in (ann, bob):  # what came of the rounds before, so that nothing is left unread
            player.socket.setblocking(False)
            with suppress(BlockingIOError):
                player.socket.recv(65_536)
            player.socket.settimeout(60)


def bustle(address: tuple[str, int], matches: int, rate: float) -> None:
    """Log in, ask for what is dear, and log out, again and again, until this process is stopped."""
    print("bustling", flush=True)
    number = 0
    while True:
        number += 1
        player = Player(address, f"passer-by{number}")
        player.ask(*DEAR)
        player.ask("session.logout")
        player.socket.close()
        time.sleep(0.01)


LOADS = {"play": play, "bustle": bustle}
"""What a process of its own does beside the measurement; its first line says that it has begun."""


def probe(player: Player, seconds: float) -> list[float]:
    """Ping all the while, and return how many seconds each answer took."""
    took, end = [], time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        player.ask("session.ping")
        took.append(time.perf_counter() - began)
        time.sleep(0.001)
    return took


def show(what: str, seconds: list[float]) -> None:
    seconds.sort()
    at = "".join(f"{1e3 * seconds[min(len(seconds) - 1, int(len(seconds) * share))]:9.2f} ms" for share in SHARES)
    print(f"{what:36} {len(seconds):8} {at}")


def measure(server: ServerProcess, figures: Path, asked: argparse.Namespace) -> list[float]:
    """Load the server, and return the pings; the turns are in the figures then."""
    idle = [Player(server.address, f"idle{number}") for number in range(asked.idle)]
    script = [sys.executable, __file__, "--port", str(server.address[1]), "--matches", str(asked.matches)]
    script += ["--rate", str(asked.rate)]
    loads = [
        subprocess.Popen([*script, "--load", load], stdout=subprocess.PIPE, text=True, preexec_fn=pin(1))
        for load in LOADS
    ]
    try:
        for load in loads:
            assert load.stdout is not None
            load.stdout.readline()
        prober = Player(server.address, "prober")
        probe(prober, 2)
        server.signal(signal.SIGUSR1)
        pings = probe(prober, asked.seconds)
        server.signal(signal.SIGUSR1)
        while not figures.exists():
            prober.ask("session.ping")
        print(
            f"server's share of its core: {server.processor:.1f} s of processor time in all, {len(idle)} idle players"
        )
        return pings
    finally:
        for load in loads:
            load.kill()
            load.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="how long the event loop is kept, under load")
    parser.add_argument("--idle", type=int, default=2_000)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--rate", type=float, default=3_000, help="rounds a second, over all matches")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--load", choices=LOADS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.load is not None:
        LOADS[asked.load](("127.0.0.1", asked.port), asked.matches, asked.rate)
    with tempfile.TemporaryDirectory() as directory:
        figures = Path(directory) / "figures"
        program = (str(HERE / "watched.py"), str(figures))
        with running(
            Path(directory),
            db=f"{directory}/lobby.db",
            core=0,
            program=program,
            log_level="error",
            max_connections=15_000,
        ) as server:
            pings = measure(server, figures, asked)
            turns = [line.split() for line in figures.read_text().splitlines()]
    print(f"{'':36} {'count':>8} {'':3}" + "".join(f"{share:9.1%}   " for share in SHARES))
    show("turns of the loop, by the clock", [float(clock) / 1e6 for clock, _ in turns])
    show("turns of the loop, by the processor", [float(processor) / 1e6 for _, processor in turns])
    show("a ping beside it", pings)


if __name__ == "__main__":
    main()
