"""Nothing is lost when the server is killed, at whatever moment: no line, no granted action, no subscription, no match."""

import json
from pathlib import Path
from typing import Any

import pytest
from counting_bot import Bot, Try
from season import Season, accepted, explains, retold, stored

QUEUES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("battleship", {}),
    ("roshambo", {"rounds": 30}),
    ("roshambo", {"rounds": 20, "pace": 0.02}),
    ("rps", {"max_moves": 30, "dynamite_count": 3}),
    ("rps", {"best_of": 15, "commit_reveal": True}),
    ("purrinha", {"points": 5}),
    ("purrinha", {"players": 4, "points": 3}),
)
ROOM = 6
"""Matches that a bot wants to play at a time; with as many bots as there are, not all can wait in vain."""

KILLS = 20

FIRST, LATER = 6, 8
"""Bots from the first life on, and those who join in later ones, so that some log in while others play."""


class Play:
    """The wish to play any game with anyone, until the last call."""

    open = True

    def pursue(self, bot: Bot) -> None:
        wanted = ROOM - len(bot.playing) - bot.waiting
        if self.open and wanted > 0:
            for game, options in bot.mind.chance.sample(QUEUES, min(len(QUEUES), wanted + bot.waiting)):
                bot.waiting += 1
                bot.ask(
                    f"lobby.subscribe {json.dumps({'game': game, 'options': options})}",
                    lambda granted, answer: self._subscribed(bot, granted, answer),
                )

    def _subscribed(self, bot: Bot, granted: bool, answer: dict[str, object]) -> None:
        if not granted:
            bot.waiting -= 1
            if answer["code"] != "ALREADY_SUBSCRIBED":
                bot.unexpected.append(f"refused: {answer}")

    def hear(self, bot: Bot, line: str) -> None:
        """Nothing to note: who waits, and who is away, is no bot's business."""


async def test_every_line_and_every_granted_action_outlives_kills_at_random_moments(tmp_path: Path, seed: int):
    wish = Play()
    season = Season(tmp_path, seed=seed, wish=wish)
    season.add(FIRST)
    for _ in range(KILLS):
        await season.crash()
        if len(season.bots) < FIRST + LATER:
            season.add(1)
    wish.open = False
    await season.end()
    await season.server.kill()
    await season.server.start()
    for bot in season.bots:
        assert await retold(bot, season.server.port) == {match: game.lines for match, game in bot.games.items()}
    assert await season.server.stop() == 0
    assert all_is_stored(season)


def all_is_stored(season: Season) -> bool:
    """Whether every match came to a normal end, and its journal holds all that was granted to the bots, in order."""
    rows = stored(season.server.database, {match for bot in season.bots for match in bot.games})
    for bot in season.bots:
        for match, game in bot.games.items():
            row = rows[match]
            assert row.reason == "normal", f"{match} ended {row.reason}"
            assert explains(game.tries, accepted(row, row.players.index(bot.player))), (
                f"{match} lost an action of {bot}"
            )
    return True


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
