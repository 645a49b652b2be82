"""Nothing is lost when the server is killed, at whatever moment: no line, no granted action, no subscription, no match."""

from pathlib import Path

import pytest
from counting_bot import Try
from cups import Cups, check
from play import Play
from season import Season, explains, tournament

KILLS = 20

ENTRANTS = 5

FIRST, LATER = 6, 8
"""Bots from the first life on, and those who join in later ones, so that some log in while others play."""


async def test_every_line_and_every_granted_action_outlives_kills_at_random_moments(tmp_path: Path, seed: int):
    wish = Play()
    season = Season(tmp_path, seed=seed)
    season.add(FIRST, wish)
    for _ in range(KILLS):
        await season.crash()
        if len(season.bots) < FIRST + LATER:
            season.add(1, wish)
    wish.open = False
    await season.end()
    await season.holds()


async def test_no_game_of_a_tournament_is_lost_or_started_twice_or_counted_twice(tmp_path: Path, seed: int):
    season = Season(tmp_path, seed=seed)
    wish = Cups(season.bots)
    season.add(ENTRANTS, wish)
    for _ in range(KILLS):
        await season.crash()
    wish.open = False
    await season.end()
    tables = await wish.tables()
    await season.holds()
    for cup, table in tables.items():
        check(table, tournament(season.server.database, int(cup.removeprefix("t"))))


@pytest.mark.parametrize(
    ("sent", "kept", "explained"),
    [
        ("abc", "abc", True),
        ("abc", "ac", False),
        ("ab?c", "ac", True),
        ("ab?c", "abc", True),
        ("a?a", "a", True),
        ("ab", "abb", False),
        ("ab", "ba", False),
        ("", "a", False),
    ],
)
def test_an_action_is_missed_unless_its_answer_never_came(sent: str, kept: str, explained: bool):
    tries = [
        Try({"type": letter}, granted=sent[at + 1 : at + 2] != "?") for at, letter in enumerate(sent) if letter != "?"
    ]
    assert explains(tries, [{"type": letter} for letter in kept]) is explained
