"""A cup of very many players, run to its end by bots that drop and come back: does it add up, and what does it cost?

    python tests/bench/cup.py [--players 200] [--cups 2] [--seed 1]

One server runs several cups of one-round roshambo in a row, of the same players. Each is checked by what the bots were
told themselves: everyone heard the result of each of their games exactly once, the table counts the same, no line is over
the limit. Behind the last the server's memory is what it was behind the first. Exits 1 where that does not hold.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from cup_bots import Bot, Crowd

from tests.processes import ServerProcess, pin, running

LIMIT = 60_000
GRACE = 2.0
FLAT = 1.1
"""How many times as much memory the server may have behind the last cup as it had behind the first."""

WORTH = {"WIN": 1.0, "DRAW": 0.5, "LOSS": 0.0, "VOID": 0.0}


class Failed(Exception):
    """Something does not add up."""


def play(crowd: Crowd, organiser: Bot, number: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Run one cup to its end; return its table and its games."""
    cup = crowd.ask(organiser, 'tournament.create {"game": "roshambo", "options": {"rounds": 1}}')["tournament"]
    for bot in crowd.bots:
        if bot is not organiser:
            crowd.ask(bot, f'tournament.register {{"tournament": "{cup}"}}')
    organiser.ask(f'asked tournament.start {{"tournament": "{cup}"}}')
    while organiser.finished < number or any(bot.socket is None for bot in crowd.bots):
        crowd.turn()
    organiser.answers.clear()
    for bot in crowd.bots:
        crowd.ask(bot, "session.ping")  # whose answer comes behind all that was to be told before
    games: list[dict[str, Any]] = []
    while True:
        after = f', "after": "{games[-1]["match"]}"' if games else ""
        page = crowd.ask(organiser, f'tournament.standings {{"tournament": "{cup}", "limit": 1000{after}}}')
        games += page["games"]
        if not page.get("more"):
            return page["standings"], games


def check(table: list[dict[str, Any]], games: list[dict[str, Any]], bots: list[Bot]) -> None:
    """Compare a table with its games, and both with what every bot was told. Raise `Failed`."""
    demand(len(games) == len(bots) * (len(bots) - 1) // 2, f"there are {len(games)} games")
    demand(len({game["match"] for game in games}) == len(games), "a game is listed twice")
    demand(all(game["status"] == "over" for game in games), "a game is not over")
    results = {bot.name: dict[str, str]() for bot in bots}
    for game in games:
        for player, result in game["results"].items():
            results[player][game["match"]] = result
    for bot in bots:
        told = {match: bot.results.get(match) for match in results[bot.name]}
        demand(told == results[bot.name], f"{bot.name} was told other results than the table's")
        demand(max(bot.told.values()) == 1, f"{bot.name} was told a result twice")
        demand(not bot.unexpected, f"refused: {bot.unexpected[:3]}")
    for line in table:
        count = Counter(results[line["player"]].values())
        points = sum(WORTH[result] * times for result, times in count.items())
        stands = [line["points"], line["won"], line["drawn"], line["lost"]]
        demand(stands == [points, count["WIN"], count["DRAW"], count["LOSS"]], f"the table has {line}, not {count}")
    order = [(line["place"], -line["points"]) for line in table]
    demand(order == sorted(order) and len(table) == len(bots), "the table is not in order")


def demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Failed(otherwise)


def run(players: int, cups: int, seed: int) -> None:
    """Run cups, check them and print their figures. Raise `Failed`."""
    with (
        tempfile.TemporaryDirectory() as directory,
        running(Path(directory), db=f"{directory}/cup.db", core=0, reconnect_grace=GRACE) as server,
    ):
        organiser = Bot("organiser", None)
        bots = [Bot(f"player{number}", Random(f"{seed} {number}")) for number in range(players)]
        crowd = Crowd(server.address, [organiser, *bots], grace=GRACE, chance=Random(seed))
        memory = [server.resident]
        for number in range(1, cups + 1):
            figures(crowd, organiser, number, server)
            memory.append(server.resident)
        print(f"memory: {', '.join(f'{size / 2**20:.1f}' for size in memory)} MiB before the first cup and behind each")
        growth = memory[-1] / memory[1]
        demand(growth <= FLAT, f"memory has grown to {growth:.2f} times what it was behind the first cup")
        demand(crowd.ask(organiser, "lobby.status")["matches"] == 0, "a match is still live")


def figures(crowd: Crowd, organiser: Bot, number: int, server: ServerProcess) -> None:
    """Run one cup, check it and print its figures. Raise `Failed`."""
    bots = [bot for bot in crowd.bots if bot is not organiser]
    drops, heard = sum(bot.drops for bot in bots), sum(bot.bytes for bot in crowd.bots)
    began, used = monotonic(), server.processor
    table, games = play(crowd, organiser, number)
    took, used = monotonic() - began, server.processor - used
    check(table, games, bots)
    longest = max(bot.longest for bot in crowd.bots)
    demand(longest <= LIMIT, f"a line of {longest} bytes was sent; the limit is {LIMIT}")
    ends = Counter(result for game in games for result in game["results"].values())
    print(
        f"cup {number}: {len(bots)} players, {len(games)} games in {took:.1f} s;"
        f" {used / len(games) * 1e6:.0f} us of the server's CPU time for a game;"
        f" {sum(bot.drops for bot in bots) - drops} drops; longest line {longest} bytes;"
        f" {(sum(bot.bytes for bot in crowd.bots) - heard) / 1e6:.0f} MB heard;"
        f" {ends['WIN']} won, {ends['DRAW'] // 2} drawn, {ends['VOID'] // 2} void",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="a big cup, run to its end by bots that drop and come back")
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--cups", type=int, default=2, help="how many, one after another in one server")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    pin(1)()
    try:
        run(asked.players, asked.cups, asked.seed)
    except Failed as failed:
        raise SystemExit(f"it does not hold: {failed}") from None


if __name__ == "__main__":
    main()
