"""The command line of the conformance kit: a line for every game that holds, a report for the one that does not."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from games.check import check_game
from games.check.finding import NotFound, find_games


def main(arguments: Sequence[str] | None = None) -> int:
    """Check games; return 0 where all properties hold, 1 where one broke, 2 for a game that is not there."""
    asked = _parser().parse_args(arguments)
    try:
        games = find_games(asked.games)
    except NotFound as missing:
        print(missing, file=sys.stderr)
        return 2
    broken = False
    for name, game in games.items():
        verdict = check_game(name, game, matches=asked.matches, seed=asked.seed)
        broken = broken or verdict.broken is not None
        print(verdict.report or f"{name}: {verdict.matches} matches, {verdict.inputs:,} inputs, all properties hold")
        if verdict.broken is None and ":" not in name and game().info.name != name:
            print(_misnamed(name, game().info.name), file=sys.stderr)
    return int(broken)


def _misnamed(entry: str, called: str) -> str:
    return f"warning: the entry point says {entry}, the GameInfo {called}; no server takes it until they say the same"


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m games.check", description="Check that games meet the contract.")
    parser.add_argument("games", nargs="*", metavar="NAME", help="an installed game, or module:Class; default: all")
    parser.add_argument("--matches", type=int, default=2000, help="random matches a game (default: 2000)")
    parser.add_argument("--seed", type=int, default=0, help="another seed plays other matches (default: 0)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
