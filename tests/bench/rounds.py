"""What a round of roshambo costs the server, in CPU time, against the least that any line server spends: a ratio.

    python tests/bench/rounds.py [--matches 10 100 1000] [--rounds 40000] [--repeat 3]

Server and load run in processes of their own, on cores of their own where there are two. The figure is the server's own
CPU time (threads included) for a round, at saturation and after a warm-up, so a slow load does not matter. The yardstick,
`limit.py`, is measured in the same run, in turn with the server.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent


def cpu(pid: int) -> float:
    """Return the CPU seconds that a process has used, all threads of it, to the nanosecond where the system tells."""
    tasks = Path(f"/proc/{pid}/task")
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e9


def pin(core: int) -> None:
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {core})


@contextmanager
def running(command: list[str], core: int) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a server; yield it with its port."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=lambda: pin(core)
    )
    try:
        assert process.stdout is not None
        yield process, int(process.stdout.readline().rsplit(":", 1)[1])
    finally:
        process.terminate()
        process.wait()


def cost(command: list[str], kind: str, matches: int, rounds: int, spectators: int = 0) -> float:
    """Return the server's CPU microseconds for a round."""
    each = max(5, rounds // matches)
    with running(command, 0) as (server, port):
        asked = [port, matches, max(3, each // 4), each, kind, spectators]
        load = [sys.executable, str(HERE / "players.py"), *map(str, asked)]
        with subprocess.Popen(
            load, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: pin(1)
        ) as players:
            assert players.stdin is not None
            assert players.stdout is not None
            players.stdout.readline()
            before = cpu(server.pid)
            players.stdin.write("\n")
            players.stdin.flush()
            players.stdout.readline()
            used = cpu(server.pid) - before
            players.communicate("\n")
    return used / (each * matches) * 1e6


def servers(directory: str) -> dict[str, tuple[list[str], str]]:
    serve = [sys.executable, "-m", "lobby", "serve", "--port", "0", "--log-level", "error"]
    serve += ["--set", "request_rate=1000000", "--set", "max_connections=20000"]
    return {
        "limit": ([sys.executable, str(HERE / "limit.py")], "limit"),
        "memory": ([*serve, "--db", ":memory:"], "lobby"),
        "sqlite": ([*serve, "--db", os.path.join(directory, "bench.db")], "lobby"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description="the server's CPU time for a round of roshambo, as a ratio to the least"
    )
    parser.add_argument("--matches", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--rounds", type=int, default=40_000, help="rounds measured, over all matches")
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    print(f"{'matches':>8} {'limit':>9} {'memory':>9} {'sqlite':>9}   {'sqlite/limit':>12} {'sqlite/memory':>13}")
    for matches in asked.matches:
        figures: dict[str, list[float]] = {"limit": [], "memory": [], "sqlite": []}
        for _ in range(asked.repeat):
            for name, measured in figures.items():
                with tempfile.TemporaryDirectory() as directory:
                    command, kind = servers(directory)[name]
                    measured.append(cost(command, kind, matches, asked.rounds))
        limit, memory, sqlite = (median(figures[name]) for name in figures)
        against = median(s / least for s, least in zip(figures["sqlite"], figures["limit"], strict=True))
        journal = median(s / m for s, m in zip(figures["sqlite"], figures["memory"], strict=True))
        print(
            f"{matches:>8} {limit:>6.1f} us {memory:>6.1f} us {sqlite:>6.1f} us   {against:>12.2f} {journal:>13.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
