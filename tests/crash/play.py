"""The wish of a bot to play: whatever game there is, with whoever is there."""

from __future__ import annotations

import json
from typing import Any

from counting_bot import Bot

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

    async def is_done(self) -> bool:
        """Whoever still waits has nobody to play with."""
        return True
