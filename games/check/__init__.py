"""The conformance kit: plays thousands of random matches of a game, and convicts it where a property does not hold.

It knows no game: `properties` lists what holds of every one, `table` watches each step, `replay` and `twins` compare
whole histories, `shrink` finds the shortest that breaks. Run it as `python -m games.check [NAME ...]`.
"""

from __future__ import annotations

from random import Random

from msgspec import Struct

from games.check.declared import check_declared
from games.check.history import Case
from games.check.host import Game
from games.check.options import draw_options
from games.check.play import play_match
from games.check.properties import Broken, Property
from games.check.replay import check_replay
from games.check.report import tell
from games.check.shrink import shortest
from games.check.table import Table
from games.check.twins import check_twins

__all__ = ["Broken", "Property", "Verdict", "check_game"]


class Verdict(Struct, frozen=True):
    """What came of checking one game: how much was played, and what broke, if anything did."""

    matches: int
    inputs: int
    broken: Broken | None = None
    case: Case | None = None
    report: str = ""


def check_game(name: str, game: Game, *, matches: int = 2000, seed: int = 0) -> Verdict:
    """Check a game by its declarations and by random matches, up to the first that breaks a property."""
    try:
        check_declared(game())
    except Broken as broken:
        return Verdict(0, 0, broken, None, tell(name, broken, None, game))
    inputs = 0
    for number in range(matches):
        chance = Random(f"{seed}:{number}")
        try:
            options = draw_options(game(), chance)
        except Broken as broken:
            return Verdict(number, inputs, broken, None, tell(name, broken, None, game))
        table = Table(game(), Case(options, game().seats(options), chance.getrandbits(32)))
        try:
            _watch(table, chance)
        except Broken as broken:
            case, least = shortest(game, table.played, broken)
            return Verdict(number, inputs, least, case, tell(name, least, case, game))
        inputs += len(table.given)
    return Verdict(matches, inputs)


def _watch(table: Table, chance: Random) -> None:
    table.begin()
    play_match(table, chance)
    check_replay(table)
    check_twins(table, chance)
