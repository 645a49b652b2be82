"""A season: bots that play while their server is killed again and again, and what must hold of it afterwards.

The moment of a kill is a number of lines that the bots hear in this life of the server, so it falls anywhere in what the
server does; every fifth life or so ends before it can be heard at all.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

from counting_bot import COUNTED, Bot, Try, Wish
from moves import Mind
from server_process import PATIENCE, ServerProcess

from lobby import journal
from lobby.store import MatchRow
from lobby.store.reader import SqliteReader

STARTING = 0.4
"""Seconds within which a life ends that is not to be heard of."""

LIVES = 14
"""A life is heard for up to two to this power lines."""


class Season:
    """Bots, their server, and the fuse that kills it."""

    def __init__(self, directory: Path, *, seed: int) -> None:
        self.chance = Random(seed)
        self.server = ServerProcess(directory / "season.db")
        self.bots: list[Bot] = []
        self.kills = 0
        self.lines = 0
        self._fuse = 0  # lines to be heard until it has burnt down
        self._deadly = False
        self._blown = asyncio.Event()

    def add(self, count: int, wish: Wish) -> None:
        """Let bots join, with a wish."""
        for _ in range(count):
            mind = Mind(Random(self.chance.random()))
            self.bots.append(Bot(f"bot{len(self.bots)}", mind=mind, wish=wish, heard=self._heard))

    async def crash(self) -> None:
        """Start the server, let the bots play, and kill it at a moment that chance has chosen."""
        self.kills += 1
        within = self.chance.uniform(0, STARTING) if self.chance.random() < 0.2 else None
        if not await self.server.start(dies_within=within):
            return
        self._light(int(2 ** self.chance.uniform(0, LIVES)), deadly=True)
        await self.connect()
        async with self._patience("went quiet"):
            await self._blown.wait()
            await self.server.kill()
            await self.parted()
        assert not self.unexpected, f"{self.unexpected}; {self}"

    async def end(self) -> None:
        """Start the server once more, and let the bots play to the end of all that they began."""
        await self.server.start()
        await self.connect()
        async with self._patience("did not finish"):
            while not await self._all_is_over():
                pass

    async def _all_is_over(self) -> bool:
        await asyncio.gather(*(bot.answered("session.ping") for bot in self.bots))
        return all(bot.settled and not bot.playing for bot in self.bots) and all(
            [await bot.wish.is_done() for bot in self.bots]
        )

    async def holds(self) -> None:
        """Check, once it has ended and its server was killed: every line is told again, no granted action is missing."""
        await self.server.kill()
        await self.server.start()
        for bot in self.bots:
            differing = [
                match
                for match, lines in (await retold(bot, self.server.port)).items()
                if lines != bot.games[match].lines
            ]
            assert not differing, f"{bot} was told another story of {differing}"
        assert await self.server.stop() == 0
        await self.server.verify()
        rows = stored(self.server.database, {match for bot in self.bots for match in bot.games})
        for bot in self.bots:
            for match, game in bot.games.items():
                row = rows[match]
                assert row.reason == "normal", f"{match} ended {row.reason}"
                actions = accepted(row, row.players.index(bot.player))
                assert explains(game.tries, actions), f"{match} lost an action of {bot}"

    async def hears(self, lines: int) -> None:
        """Let the bots play until they have heard so many lines more."""
        self._light(lines, deadly=False)
        async with self._patience("went quiet"):
            await self._blown.wait()

    async def parted(self) -> None:
        """Wait until no bot has a connection."""
        await asyncio.gather(*(bot.ended.wait() for bot in self.bots))

    async def connect(self) -> None:
        """Let all bots connect; they play from then on."""
        async with asyncio.TaskGroup() as group:
            for bot in self.bots:
                group.create_task(bot.connect(self.server.port))

    @asynccontextmanager
    async def _patience(self, failing: str) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(PATIENCE):
                yield
        except TimeoutError:
            raise AssertionError(f"the bots {failing}; {self.unexpected}; {self}") from None

    def _light(self, lines: int, *, deadly: bool) -> None:
        self._fuse, self._deadly = lines, deadly
        self._blown.clear()

    def _heard(self) -> None:
        self.lines += 1
        if self._fuse:
            self._fuse -= 1
            if not self._fuse:
                if self._deadly:
                    self.server.strike()
                self._blown.set()

    def __str__(self) -> str:
        playing = {bot.name: sorted(bot.playing) for bot in self.bots if bot.playing}
        return f"{self.kills} kills, {self.lines} lines, playing {playing}; the log ends:\n{self.server.tail()}"

    @property
    def unexpected(self) -> dict[str, list[str]]:
        """Return what bots have met that must not happen."""
        return {bot.name: bot.unexpected for bot in self.bots if bot.unexpected}


async def retold(bot: Bot, port: int) -> dict[str, list[str]]:
    """Return the lines of all matches of a bot as a fresh connection gets them that has received nothing."""
    told: dict[str, list[str]] = {match: [] for match in bot.games}
    matches = [*bot.games]
    for first in range(0, len(matches), COUNTED):
        named = dict.fromkeys(matches[first : first + COUNTED], 0)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b'REQ 1 session.hello {"version": 1}\n')
        writer.write(
            f'REQ 2 session.reconnect {{"session_token": "{bot.token}", "matches": {json.dumps(named)}}}\n'.encode()
        )
        writer.write(b"REQ 3 session.ping\n")
        while (line := (await reader.readline()).decode().rstrip("\n")) != "RES 3 OK":
            assert line, "the server hung up"
            if line.startswith("EVT m") and (match := line.split(" ", 2)[1]) in named:
                told[match].append(line)
        writer.close()
    return told


def stored(database: Path, matches: Iterable[str]) -> dict[str, MatchRow]:
    """Return what the file holds of matches. Raise `AssertionError` where one is missing."""
    reader = SqliteReader.open(str(database))
    rows = {match: reader.match(int(match.removeprefix("m"))) for match in matches}
    reader.close()
    found = {match: row for match, row in rows.items() if row is not None}
    assert found.keys() == rows.keys()
    return found


def tournament(database: Path, number: int) -> list[MatchRow]:
    """Return the matches of a tournament that the file holds, by number."""
    reader = SqliteReader.open(str(database))
    rows = [row for row in reader.matches(after=0, limit=1_000_000) if row.tournament == number]
    reader.close()
    return rows


def accepted(row: MatchRow, seat: int) -> list[Any]:
    """Return the actions of a seat that the journal holds."""
    return [
        entry.action for entry in journal.split(row.inputs) if isinstance(entry, journal.Act) and entry.seat == seat
    ]


def explains(tries: list[Try], actions: list[Any]) -> bool:
    """Whether actions are all that were granted, in order, with some of those between them whose answer never came."""
    reached = {0}
    for tried in tries:
        taken = {at + 1 for at in reached if at < len(actions) and actions[at] == tried.action}
        reached = taken if tried.granted else taken | reached
    return len(actions) in reached
