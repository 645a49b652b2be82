"""What the store costs: a tick of 1, 10 and 100 inputs with its commit, and the read of a long journal at start-up.

Run `python tests/bench/store_commit.py [DIRECTORY]`; the database goes to that directory, else to a temporary one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from msgspec.structs import replace

from lobby.store import MatchRow, Store
from lobby.store.opening import MEMORY, open_store

MATCHES = 10_000
JOURNAL = 500_000
TICKS = 2_000
ENTRY = b"\x94\x00\x01\xcb?\xf0\x00\x00\x00\x00\x00\x00" + b"x" * 28


def measure(label: str, path: str, durability: str) -> None:
    """Print every figure of one store."""
    store = open_store(path, durability=durability)
    open_matches(store)
    for size in (1, 10, 100):
        print(f"{label}  {size:3} inputs a tick: {tick_cost(store, size)}")
    fill(store)
    print(f"{label}  {start_cost(store)}")
    print(f"{label}  {sweep_cost(store)}")
    store.close()


def open_matches(store: Store) -> None:
    """Begin `MATCHES` matches of two."""
    for number in range(1, MATCHES + 1):
        players = (f"player{number}", f"player{number + 1}")
        store.open_match(
            MatchRow(
                match=number,
                game="roshambo",
                version=1,
                options=b'{"rounds": 3}',
                seed=number,
                players=players,
                sessions=(number, number + 1),
                began=1.7e9,
                origin=0.0,
            )
        )
    store.commit()


def tick_cost(store: Store, size: int) -> str:
    """Return what a tick costs, on average and at worst."""
    worst = 0.0
    began, cpu = perf_counter(), process_time()
    for tick in range(TICKS):
        start = perf_counter()
        for number in range(size):
            store.append((tick * 7919 + number) % MATCHES + 1, ENTRY)
        store.commit()
        worst = max(worst, perf_counter() - start)
    wall, cpu = (perf_counter() - began) / TICKS, (process_time() - cpu) / TICKS
    return f"{wall * 1e6:7.1f} us ({cpu * 1e6:7.1f} us CPU), worst {worst * 1e3:.2f} ms"


def fill(store: Store) -> None:
    """Bring the journal to `JOURNAL` entries."""
    for number in range(JOURNAL - TICKS * 111):
        store.append(number % MATCHES + 1, ENTRY)
    store.commit()


def start_cost(store: Store) -> str:
    """Return what reading the whole journal costs."""
    began = perf_counter()
    count = sum(1 for _ in store.journal())
    return f"{count} entries and {sum(1 for _ in store.live_matches())} matches read in {perf_counter() - began:.2f} s"


def sweep_cost(store: Store) -> str:
    """Return what a slice of retention costs while every second match has ended."""
    for row in [*store.live_matches()][::2]:
        inputs = ENTRY * (JOURNAL // MATCHES)
        store.close_match(ended(row, inputs))
    store.commit()
    slices, worst, began = 0, 0.0, perf_counter()
    more = True
    while more:
        start = perf_counter()
        more = store.retain(ended_before=0.0)
        store.commit()
        slices, worst = slices + 1, max(worst, perf_counter() - start)
    each = (perf_counter() - began) / slices
    return f"{slices} slices of retention, {each * 1e3:.2f} ms each, worst {worst * 1e3:.2f} ms"


def ended(row: MatchRow, inputs: bytes) -> MatchRow:
    """Return a match as it is once it has ended."""
    return replace(row, ended=row.began + row.match, results=("WIN", "LOSS"), reason="normal", inputs=inputs)


def main() -> None:
    """Measure all stores."""
    measure("memory ", MEMORY, "process")
    with TemporaryDirectory(dir=sys.argv[1] if sys.argv[1:] else None) as directory:
        measure("process", str(Path(directory, "process.db")), "process")
        measure("power  ", str(Path(directory, "power.db")), "power")


if __name__ == "__main__":
    main()
