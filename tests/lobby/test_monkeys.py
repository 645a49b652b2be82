"""Players who do anything at any time: whatever they send, each gets what the contract promises of answers and records."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import pytest
from conversation import Conversation

NAMES = ("ann", "bob", "cid", "dan")
QUEUES: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("battleship", {}),
    ("roshambo", {"rounds": 2, "turn_seconds": 20}),
    ("rps", {}),
    ("rps", {"commit_reveal": True}),
    ("purrinha", {"players": 3, "points": 1}),
)


def told(heard: list[str]) -> dict[str, list[str]]:
    """Return the lines of each match, of all that a client heard."""
    records: dict[str, list[str]] = defaultdict(list)
    for line in heard:
        if match := re.match(r"EVT (m\d+) ", line):
            records[match[1]].append(line)
    return records


class Monkeys:
    """Players who act at random, and count the lines of each match that they receive."""

    def __init__(self, talk: Conversation, seed: int) -> None:
        self.talk = talk
        self.chance = Random(seed)
        self.records: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in NAMES}
        self.tokens: dict[str, str] = {}
        self.requests = 0

    async def act(self) -> None:
        """Let something happen."""
        talk, chance = self.talk, self.chance
        what = chance.random()
        name = chance.choice(NAMES)
        if what < 0.02:
            await self.crash()
        elif what < 0.03:
            await talk.restart()
        elif what < 0.06 and name in talk.clients:
            await talk.hang_up(name)
        elif what < 0.12:
            await talk.advance(chance.choice((0.5, 5, 25, 70)))
        elif name not in talk.clients or talk.clients[name].ended:
            await self.come(name)
        else:
            await self.send(name, [self.request(name) for _ in range(chance.choice((1, 1, 1, 5)))])
        self.collect()

    async def crash(self) -> None:
        """Kill the server while it is busy; on a file, all that is not committed is lost."""
        for name, client in self.talk.clients.items():
            if not client.ended:
                client.write("".join(f"REQ crash {self.request(name)}\n" for _ in range(9)))
        for _ in range(self.chance.randint(0, 4)):
            await asyncio.sleep(0)
        await self.talk.kill(self.chance.choice((0, 1000)))

    def collect(self) -> None:
        """Take note of what everyone has heard of matches."""
        for name, client in self.talk.clients.items():
            for match, lines in told(client.taken()).items():
                self.records[name][match] += lines

    async def come(self, name: str) -> None:
        """Log in, or reconnect with the counts of what was received, and see that the answer fits them."""
        talk = self.talk
        await talk.ask(name, 'session.hello {"version": 1}')
        if name not in self.tokens:
            answer = await talk.ask(name, f'session.login {{"player": "{name}"}}')
            self.tokens[name] = answer["session_token"]
            return
        counts = {match: len(lines) for match, lines in self.records[name].items()}
        fields = json.dumps({"session_token": self.tokens[name], "matches": counts})
        answer = await talk.ask(name, f"session.reconnect {fields}")
        self.collect()
        for match, story in answer["matches"].items():
            assert len(self.records[name][match]) >= story["events"]

    async def send(self, name: str, requests: list[str]) -> None:
        """Send requests at once, and see that each is answered, in order."""
        ids = []
        lines = []
        for request in requests:
            self.requests += 1
            ids.append(f"r{self.requests}")
            lines.append(f"REQ r{self.requests} {request}\n")
        client = self.talk.clients[name]
        client.write("".join(lines))
        await client.settle()
        await self.talk.settle()
        answers = [line.split(" ", 2) for line in client.heard if line.startswith("RES ")]
        assert [id for _, id, _ in answers] == ids
        assert not any("INTERNAL_ERROR" in outcome for *_, outcome in answers)

    def request(self, name: str) -> str:
        """Return something to ask for, most often an action that makes sense."""
        chance = self.chance
        house = self.talk.server.house
        session = house.roster.named(name)
        places = list(house.matches.places(session).values()) if session else []
        turns = [place for place in places if place.seat in place.match.engine.turn(place.match.state)]
        what = chance.random()
        if what < 0.6 and turns:
            place = chance.choice(turns)
            action = place.match.engine.sample(place.match.state, place.seat, chance)
            return f"{place.match.name} game.action {msgspec.json.encode(action).decode()}"
        if what < 0.85:
            game, options = chance.choice(QUEUES)
            verb = chance.choice(("subscribe", "subscribe", "subscribe", "unsubscribe"))
            return f"lobby.{verb} {json.dumps({'game': game, 'options': options})}"
        match = chance.choice(places).match.name if places and what < 0.95 else f"m{chance.randint(1, 30)}"
        return chance.choice(
            (
                f"{match} game.state",
                f"{match} game.state",
                f"{match} game.resign",
                f'{match} game.action {{"type": "move", "move": {chance.randint(-1, 100)}}}',
                "lobby.players",
                'lobby.matches {"live": true}',
                "lobby.status",
                "session.ping",
            )
        )

    async def end(self) -> None:
        """Let everyone come back, and see that the whole story of each match is what they have received of it."""
        talk = self.talk
        for name in NAMES:
            if name in talk.clients and not talk.clients[name].ended:
                await talk.hang_up(name)
        for name in self.tokens:
            await self.come(name)
            await talk.hang_up(name)
            self.collect()
        for name, token in self.tokens.items():
            await talk.ask(name, 'session.hello {"version": 1}')
            fields = json.dumps({"session_token": token, "matches": dict.fromkeys(self.records[name], 0)})
            answer = await talk.ask(name, f"session.reconnect {fields}")
            again = told(talk.clients[name].taken())
            for match, story in answer["matches"].items():
                assert again[match][: story["events"]] == self.records[name][match]
                results = [number for number, line in enumerate(again[match]) if " game.result " in line]
                assert results == ([] if story["live"] else [story["events"] - 1])


@pytest.mark.parametrize("seed", range(12))
async def test_whatever_they_do_every_request_is_answered_and_every_line_comes_once(seed: int, tmp_path: Path) -> None:
    db = tmp_path / "lobby.db" if seed % 2 else None
    async with Conversation(db=db, name_hold=1e6) as talk:
        monkeys = Monkeys(talk, seed)
        for _ in range(300):
            await monkeys.act()
        await monkeys.end()
        assert sum(len(matches) for matches in monkeys.records.values()) > 20
