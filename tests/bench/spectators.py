"""What a spectator adds to the cost of an event, when very many watch one match of roshambo.

    python tests/bench/spectators.py [--spectators 1000] [--rounds 200] [--repeat 3]

The figure is the server's CPU time for a round with the spectators less that without, for one of the two lines that a
round tells a spectator, and for one spectator.
"""

from __future__ import annotations

import argparse
import tempfile
from statistics import median

from rounds import cost, servers

LINES = 2
"""Lines that a round tells a spectator: both players' `game.action`."""


def main() -> None:
    parser = argparse.ArgumentParser(description="the server's CPU time for an event and a spectator")
    parser.add_argument("--spectators", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    extra = []
    for _ in range(asked.repeat):
        with tempfile.TemporaryDirectory() as alone, tempfile.TemporaryDirectory() as watched:
            without = cost(*servers(alone)["sqlite"], 1, asked.rounds)
            with_all = cost(*servers(watched)["sqlite"], 1, asked.rounds, asked.spectators)
        extra.append((with_all - without) / LINES / asked.spectators)
    print(f"{asked.spectators} spectators: {median(extra):.2f} us of the server's CPU time for each and an event")


if __name__ == "__main__":
    main()
