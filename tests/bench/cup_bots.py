"""Bots for a big cup of roshambo: each throws at random, counts its lines, and now and then drops its connection."""

from __future__ import annotations

import heapq
import json
import selectors
import socket
from collections import Counter
from random import Random
from time import monotonic
from typing import Any, Final

DROPS: Final = 0.03
"""How likely a bot drops when it is its turn; before its move as often as right behind it."""

LONG: Final = 0.02
"""How many of the drops outlast the grace, so that the match is lost, and whatever comes due until the bot is back."""

AWAY: Final = (0.01, 0.5)
"""Seconds for which the others last, at least and at most."""

COUNTED: Final = 500
"""Matches that a bot counts when it reconnects, the newest; more would not fit in a line."""

MOVES: Final = ("ROCK", "PAPER", "SCISSORS")

PATIENCE: Final = 120.0
"""Seconds without a line after which a cup is given up."""


class Bot:
    """One player. What it heard to the end of a match is in `results`, with how often each was told."""

    def __init__(self, name: str, chance: Random | None) -> None:
        """Make a bot; one without `chance` only listens, and never drops."""
        self.name = name
        self.chance = chance
        self.results: dict[str, str] = {}
        self.told: Counter[str] = Counter()
        self.drops = 0
        self.longest = 0
        self.bytes = 0
        self.finished = 0
        self.answers: list[str] = []
        self.unexpected: list[str] = []
        self.socket: socket.socket | None = None
        self._token = ""
        self._counts: dict[str, int] = {}
        self._counted: dict[str, int] = {}  # as it was said when reconnecting
        self._history: dict[str, int] = {}

    def connect(self, address: tuple[str, int]) -> None:
        """Connect, and log in or reconnect."""
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""
        self.ask('h session.hello {"version": 1}')
        if self._token:
            self._counted = {match: self._counts[match] for match in [*self._counts][-COUNTED:]}
            body = {"session_token": self._token, "matches": self._counted}
            self.ask(f"back session.reconnect {json.dumps(body)}")
        else:
            self.ask(f'login session.login {{"player": "{self.name}"}}')

    def ask(self, request: str) -> None:
        """Send a request, its id first, where there is a connection."""
        if self.socket is not None:
            self.socket.sendall(f"REQ {request}\n".encode())

    def hear(self) -> None:
        """Read what has come, and play."""
        assert self.socket is not None
        data = self._rest + self.socket.recv(1 << 18)
        if not data:
            raise SystemExit(f"the server has closed the connection of {self.name}")
        *lines, self._rest = data.split(b"\n")
        self.bytes += len(data) - len(self._rest)
        self.longest = max(self.longest, max(map(len, lines), default=-1) + 1)
        for line in lines:
            if line.startswith(b"EVT tournament.game_over"):
                continue
            if self.socket is None:
                return  # what came behind the drop is lost
            self._take(line.decode())

    def _take(self, line: str) -> None:
        kind, second, third, *rest = line.split(" ", 3)
        if kind == "RES":
            self._answered(second, third, rest[0] if rest else "{}")
        elif "." not in second:
            self._match(second, third, rest[0] if rest else "{}")
        elif second == "tournament.finished":
            self.finished += 1

    def _match(self, match: str, event: str, body: str) -> None:
        count = self._counts[match] = self._counts.get(match, 0) + 1
        if event == "game.result":
            self.told[match] += 1
            self.results[match] = json.loads(body)["result"]
        elif event == "game.your_turn" and count > self._history.get(match, 0):
            self._turn(match)

    def _turn(self, match: str) -> None:
        assert self.chance is not None
        drops = self.chance.random() < DROPS
        if drops and self.chance.random() < 0.5:
            return self.drop()
        self.ask(f'move {match} game.action {{"type": "move", "move": "{self.chance.choice(MOVES)}"}}')
        if drops:
            self.drop()
        return None

    def drop(self) -> None:
        """Close the connection without a word."""
        assert self.socket is not None
        self.drops += 1
        self.socket.close()
        self.socket = None

    def _answered(self, id: str, said: str, body: str) -> None:
        if said != "OK":
            if id == "move" and '"MATCH_OVER"' in body:
                return  # the other's grace had just run out
            self.unexpected.append(f"{self.name}: {id} {said} {body}")
        elif id == "login":
            self._token = json.loads(body)["session_token"]
        elif id == "back":
            self._back(json.loads(body)["matches"])
        elif id == "state":
            state = json.loads(body)
            if self.name in state["turn"]:
                self._turn(self._asked)
        elif id not in ("h", "move"):
            self.answers.append(body)

    def _back(self, matches: dict[str, Any]) -> None:
        """Take what comes up to `events` for history, and go by the state of what is live."""
        for match, told in matches.items():
            self._history[match] = told["events"]
            if match not in self._counted:  # it comes whole
                self._counts[match] = self.told[match] = 0
            if told["live"]:
                self._asked = match
                self.ask(f"state {match} game.state")


class Crowd:
    """All bots, on one selector; who has dropped comes back when its time has come."""

    def __init__(self, address: tuple[str, int], bots: list[Bot], *, grace: float, chance: Random) -> None:
        self.bots = bots
        self._address = address
        self._grace = grace
        self._chance = chance
        self._away: list[tuple[float, int]] = []
        self._selector = selectors.DefaultSelector()
        self._heard = monotonic()
        for number in range(len(bots)):
            self._enter(number)

    def _enter(self, number: int) -> None:
        bot = self.bots[number]
        bot.connect(self._address)
        assert bot.socket is not None
        self._selector.register(bot.socket, selectors.EVENT_READ, number)

    def turn(self) -> None:
        """Let everyone hear what has come, and come back whose time it is."""
        for key, _ in self._selector.select(0.01):
            self._heard = monotonic()
            bot = self.bots[key.data]
            bot.hear()
            if bot.socket is None:
                self._selector.unregister(key.fileobj)
                heapq.heappush(self._away, (monotonic() + self._pause(), key.data))
        while self._away and self._away[0][0] <= monotonic():
            self._enter(heapq.heappop(self._away)[1])
        if monotonic() - self._heard > PATIENCE:
            raise SystemExit(f"nothing was heard for {PATIENCE:.0f} s")

    def _pause(self) -> float:
        return self._grace + 0.2 if self._chance.random() < LONG else self._chance.uniform(*AWAY)

    def ask(self, bot: Bot, request: str) -> Any:
        """Send a request, and return the object of its answer."""
        bot.ask(f"asked {request}")
        while not bot.answers:
            self.turn()
        return json.loads(bot.answers.pop())
