"""All benchmarks, one after another, in about five minutes, and then their figures as the table of docs/performance.md.

    python tests/bench/page.py [rounds spectators store_commit memory stalls restart cup]

What each prints goes to standard error as it comes, the table to standard output. Other work on the machine blurs the
figures; those in CPU time and the ratios suffer least.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
NUMBER = r"([\d.]+)"


class Figure(NamedTuple):
    """A row of the table: what it says, where the number stands in what the benchmark printed, and the goals."""

    label: str
    pattern: str
    unit: str = ""
    must: str = ""
    aim: str = ""


class Run(NamedTuple):
    """One benchmark, and what is taken from it."""

    command: str
    figures: list[Figure]


def against(matches: int) -> Figure:
    """Return the figure of a round of so many matches, as a ratio to the least."""
    label = f"CPU for a round of roshambo against the least, {matches:,} matches"
    return Figure(label, rf"(?m)^ *{matches} .* {NUMBER} +[\d.]+$", must="3.0", aim="2.0")


def journal(matches: int) -> Figure:
    """Return what keeping the journal adds to a round of so many matches."""
    label = f"the same with the journal against without, {matches:,} matches"
    return Figure(label, rf"(?m)^ *{matches} .* {NUMBER}$", must="1.5", aim="1.25")


def at(what: str) -> str:
    """Return where the 99.9 % of a row of `stalls.py` stands."""
    return rf"{what} +\d+ +[\d.]+ ms +[\d.]+ ms +{NUMBER} ms"


RUNS = (
    Run(
        "rounds --matches 10 100 1000 --rounds 20000", [*map(against, (10, 100, 1000)), *map(journal, (10, 100, 1000))]
    ),
    Run("rounds --matches 5000 --repeat 1", [against(5000)]),
    Run(
        "spectators --repeat 2",
        [Figure("a spectator's part of an event, of 1,000 spectators", rf"spectators: {NUMBER} us", "µs", "10", "5")],
    ),
    Run(
        "store_commit",
        [
            Figure("a commit of 10 inputs", rf"process +10 inputs a tick: +{NUMBER} us", "µs"),
            Figure("the same, durability `power`", rf"power +10 inputs a tick: +{NUMBER} us", "µs"),
        ],
    ),
    Run(
        "memory",
        [
            Figure("memory of a server without anybody", rf"without anybody +{NUMBER}", "MiB"),
            Figure("memory of an idle player, logged in", rf"idle player +{NUMBER}", "KiB", "12", "6"),
            Figure(
                "memory of a live match of Battleship, both sessions", rf"both its players +{NUMBER}", "KiB", "40", "20"
            ),
        ],
    ),
    Run(
        "stalls",
        [
            Figure(
                "the longest turn of the loop but for 1 in 1,000",
                at("turns of the loop, by the clock"),
                "ms",
                "25",
                "10",
            ),
            Figure("the longest answer to a ping but for 1 in 1,000", at("a ping beside it"), "ms"),
        ],
    ),
    Run("restart", [Figure("start with 10,000 live matches of 50 inputs", rf"listening, {NUMBER} s", "s", "10")]),
    Run(
        "cup",
        [
            Figure("a cup of 200 players: CPU for a game", rf"cup 2: .*?; {NUMBER} us", "µs"),
            Figure("its 19,900 games", rf"cup 2: .* in {NUMBER} s", "s"),
            Figure("its longest line", rf"longest line {NUMBER} bytes", "bytes", "60,000"),
            Figure("memory behind the first cup", rf"memory: [\d.]+, {NUMBER}", "MiB"),
            Figure("memory behind the second", rf"memory: [\d.]+, [\d.]+, {NUMBER}", "MiB"),
        ],
    ),
)


def measure(run: Run) -> list[str]:
    """Run a benchmark, show what it prints, and return its rows of the table."""
    script, *arguments = run.command.split()
    print(f"\n$ python tests/bench/{script}.py {' '.join(arguments)}", file=sys.stderr, flush=True)
    printed = ""
    command = [sys.executable, str(HERE / f"{script}.py"), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", file=sys.stderr, flush=True)
            printed += line
    return [row(figure, printed) for figure in run.figures]


def row(figure: Figure, printed: str) -> str:
    """Return a row of the table; a dash where the benchmark did not get so far."""
    found = re.search(figure.pattern, printed)
    value = f"{found[1]} {figure.unit}".strip() if found else "-"
    return f"| {figure.label} | {value} | {figure.must} | {figure.aim} |"


def main() -> None:
    names = sorted({run.command.split()[0] for run in RUNS})
    parser = argparse.ArgumentParser(description="run the benchmarks, and print a table of their figures")
    parser.add_argument("only", nargs="*", metavar="NAME", help=f"which of them, by default all: {', '.join(names)}")
    wanted = parser.parse_args().only or names
    if not set(wanted) <= set(names):
        parser.error(f"there are only {', '.join(names)}")
    rows = [line for run in RUNS if run.command.split()[0] in wanted for line in measure(run)]
    print("\n| | measured | must | aim |\n| --- | ---: | ---: | ---: |", *rows, sep="\n")


if __name__ == "__main__":
    main()
