"""The wish of bots to hold one tournament after another: the first bot creates and starts them, and all take part."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from counting_bot import Bot, Link

from lobby.store import MatchRow

CUP = {"game": "roshambo", "options": {"rounds": 9}, "legs": 2}


class Cups:
    """Looks at the last tournament, and does what comes next: whatever a kill has swallowed is simply done again."""

    open = True

    def __init__(self, bots: Sequence[Bot]) -> None:
        self._bots = bots  # all of them have to register
        self._busy: dict[Bot, Link | None] = {}  # the connection over which a bot is at it
        self._again: set[Bot] = set()

    def pursue(self, bot: Bot) -> None:
        if not bot.settled:
            return
        if self._busy.get(bot) is bot.link:
            self._again.add(bot)  # what it has asked for may be old news by now
            return
        self._busy[bot] = bot.link
        bot.ask('tournament.list {"limit": 1000}', lambda _, answer: self._seen(bot, answer["tournaments"]))

    def hear(self, bot: Bot, line: str) -> None:
        if line.startswith("EVT tournament.finished "):
            self.pursue(bot)

    def _seen(self, bot: Bot, cups: list[dict[str, Any]]) -> None:
        host = self._bots[0]
        cup = cups[-1] if cups else {"status": "finished"}
        if cup["status"] == "finished" and self.open and bot is host:
            self._do(bot, f"tournament.create {json.dumps(CUP)}", news_for=self._bots)
        elif cup["status"] == "open" and bot.player not in cup["players"]:
            self._do(bot, f'tournament.register {{"tournament": "{cup["tournament"]}"}}', news_for=[host])
        elif cup["status"] == "open" and bot is host and len(cup["players"]) == len(self._bots):
            self._do(bot, f'tournament.start {{"tournament": "{cup["tournament"]}"}}', news_for=[])
        else:
            self._rest(bot)

    def _do(self, bot: Bot, request: str, *, news_for: Sequence[Bot]) -> None:
        def done(granted: bool, answer: dict[str, Any]) -> None:
            if not granted:
                bot.unexpected.append(f"refused: {answer}")
            for other in news_for:
                self.pursue(other)
            self._rest(bot)

        bot.ask(request, done)

    def _rest(self, bot: Bot) -> None:
        del self._busy[bot]
        if bot in self._again:
            self._again.discard(bot)
            self.pursue(bot)

    async def is_done(self) -> bool:
        cups = (await self._bots[0].answered('tournament.list {"limit": 1000}'))["tournaments"]
        return all(cup["status"] == "finished" for cup in cups)

    async def tables(self) -> dict[str, dict[str, Any]]:
        """Return the standings and games of every tournament."""
        host = self._bots[0]
        cups = (await host.answered('tournament.list {"limit": 1000}'))["tournaments"]
        return {
            cup["tournament"]: await host.answered(
                f'tournament.standings {{"tournament": "{cup["tournament"]}", "limit": 1000}}'
            )
            for cup in cups
        }


def check(table: dict[str, Any], rows: list[MatchRow]) -> None:
    """Check a finished tournament against its matches in the file: each game is there once, and counted once."""
    assert [row.match for row in rows] == sorted(int(game["match"][1:]) for game in table["games"])
    listed = {game["match"]: game["results"] for game in table["games"]}
    assert listed == {f"m{row.match}": dict(zip(row.players, row.results, strict=True)) for row in rows}
    players = [line["player"] for line in table["standings"]]
    meetings = Counter(row.players for row in rows)
    assert meetings == dict.fromkeys(((one, two) for one in players for two in players if one != two), 1)
    for line in table["standings"]:
        ended = Counter(results[line["player"]] for results in listed.values() if line["player"] in results)
        assert (line["won"], line["drawn"], line["lost"]) == (ended["WIN"], ended["DRAW"], ended["LOSS"])
        assert line["points"] == ended["WIN"] + ended["DRAW"] / 2
