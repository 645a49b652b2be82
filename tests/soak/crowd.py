"""A crowd that plays match after match, and does all that people do: play on, drop out and come back, leave for good, resign,
fall silent. Each one keeps count of what it hears of every match, as a good client does.
"""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any, Final

Address = tuple[str, int]

PATIENCE: Final = 60.0
FLEET: Final = [
    {"ship": ship, "row": 2 * row, "col": 0, "orientation": "H"}
    for row, ship in enumerate(("Carrier", "Battleship", "Cruiser", "Submarine", "Destroyer"))
]

GAMES: Final[list[tuple[int, dict[str, Any]]]] = [
    (2, {"game": "roshambo", "options": {"rounds": 2, "turn_seconds": 1}}),
    (2, {"game": "rps", "options": {"best_of": 1, "max_think_seconds": 1}}),
    (2, {"game": "purrinha", "options": {"points": 1, "turn_seconds": 1}}),
    (3, {"game": "purrinha", "options": {"points": 1, "turn_seconds": 1, "players": 3}}),
    (2, {"game": "battleship", "options": {"turn_seconds": 1}}),
]
"""For how many each is, and what to subscribe to."""

FATES: Final = {"play": 79, "drop": 10, "resign": 5, "silent": 3, "leave": 3}
"""What becomes of a player in a match, in per cent."""


class Bot(asyncio.Protocol):
    """One player over all its connections. `heard` holds the lines of each match, to be counted."""

    def __init__(self, address: Address, name: str, chance: random.Random) -> None:
        self.name = name
        self.token = ""
        self.heard: dict[str, list[str]] = {}
        self.gone = False
        self._address = address
        self._chance = chance
        self._rest = b""
        self._answers: asyncio.Queue[str] = asyncio.Queue()
        self._match = ""
        self._fate = ""
        self._turns_left = 0
        self._shots = 0
        self._free = asyncio.Event()

    # The connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in map(bytes.decode, lines):
            if line.startswith("RES"):
                if not line.startswith("RES act"):
                    self._answers.put_nowait(line.split(" ", 2)[2])
            elif line.startswith("EVT m"):
                self._hear(line)

    async def _connect(self) -> None:
        await asyncio.get_running_loop().create_connection(lambda: self, *self._address)
        await self.ask('session.hello {"version": 1}')

    async def ask(self, request: str) -> Any:
        """Send a request, and return the object of its answer."""
        self._transport.write(f"REQ ask {request}\n".encode())
        answer = await asyncio.wait_for(self._answers.get(), PATIENCE)
        assert answer.startswith("OK"), f"{self.name} asked {request} and was answered {answer}"
        return json.loads(answer[3:] or "{}")

    async def enter(self) -> None:
        """Connect and log in."""
        await self._connect()
        self.token = (await self.ask(f'session.login {{"player": "{self.name}"}}'))["session_token"]

    async def come_back(self) -> dict[str, Any]:
        """Connect and take the session up where it was. Return the matches of the answer."""
        await self._connect()
        counts = {match: len(lines) for match, lines in self.heard.items()}
        answer = await self.ask("session.reconnect " + json.dumps({"session_token": self.token, "matches": counts}))
        await self.ask("session.ping")  # answered behind the replay
        return dict(answer["matches"])

    async def listen_again(self) -> dict[str, Any]:
        """Come back only to hear all matches from their first lines on. Return the matches of the answer."""
        self.heard = {match: [] for match in self.heard}
        self._fate = "listen"
        return await self.come_back()

    def hang_up(self) -> None:
        """Drop the connection without a word."""
        self._transport.abort()

    # The match

    async def play(self, subscription: dict[str, Any]) -> None:
        """Play one match to its end, or as far as fate allows."""
        self._fate = self._chance.choices(list(FATES), list(FATES.values()))[0]
        self._turns_left = self._chance.randrange(4)
        self._shots = 0
        self._free.clear()
        await self.ask("lobby.subscribe " + json.dumps(subscription))
        await asyncio.wait_for(self._free.wait(), PATIENCE)
        if self._fate == "drop" and self._transport.is_closing():
            self._fate = "play"
            self._free.clear()
            await asyncio.sleep(self._chance.choice((0, 0, 0.1, 1.5)))  # beyond the grace, too
            matches = await self.come_back()
            if matches[self._match]["live"]:
                self._act(await self.ask(f"{self._match} game.state"))
                await asyncio.wait_for(self._free.wait(), PATIENCE)

    def _hear(self, line: str) -> None:
        _, match, name, *rest = line.split(" ", 3)
        self.heard.setdefault(match, []).append(line)
        if name == "game.match_started":
            self._match = match
        if match != self._match:
            return
        body = json.loads(rest[0]) if rest else {}
        if name == "game.result":
            self._free.set()
        elif name == "game.your_turn" or body.get("type") == "place_ships":
            self._turn(body)
        elif body.get("type") == "game_state":
            self._table = body

    def _turn(self, body: dict[str, Any]) -> None:
        if self._fate == "listen":
            return
        if body.get("type") != "place_ships" and self._fate != "play":
            self._turns_left -= 1
            if self._turns_left < 0:
                self._meet_fate()
                return
        self._send_action()

    def _meet_fate(self) -> None:
        if self._fate == "resign":
            self._transport.write(f"REQ act {self._match} game.resign\n".encode())
        elif self._fate in ("drop", "leave"):
            self.gone = self._fate == "leave"
            self.hang_up()
            self._free.set()

    def _act(self, state: dict[str, Any]) -> None:
        """Go on from a state: do what is due, if anything is."""
        if self.name in state["turn"]:
            self._send_action()

    def _send_action(self) -> None:
        for action in self._actions():
            self._transport.write(f"REQ act {self._match} game.action {json.dumps(action)}\n".encode())

    def _actions(self) -> list[dict[str, Any]]:
        """Return what may be right to do: who does not keep score tries all, and is refused what is not."""
        started = "".join(self.heard[self._match][:3])
        if "place_ships" in started:
            self._shots += 1
            placed = any('"type": "ready"' in line or "your_turn" in line for line in self.heard[self._match])
            shot = {"type": "move", "move": (self._shots - 1) % 100}
            return [shot] if placed else [{"type": "place_fleet", "ships": FLEET}, shot]
        if '"best_of"' in started:
            return [{"type": "move", "move": self._chance.choice(("rock", "paper", "scissors"))}]
        if '"rounds"' in started:
            return [{"type": "move", "move": self._chance.choice(("ROCK", "PAPER", "SCISSORS"))}]
        if self._table["round"] == "choosing":
            return [{"type": "pick_initial_number", "selected_value": self._chance.randrange(4)}]
        return [{"type": "sum_guessed", "selected_value": self._chance.choice(self._table["available_to_guess"])}]


async def play_matches(address: Address, count: int, *, bots: int = 40, seed: int = 7) -> list[Bot]:
    """Let a crowd play so many matches, one after another. Return all who ever played, their connections closed."""
    chance = random.Random(seed)
    everyone: list[Bot] = []
    free: asyncio.Queue[Bot] = asyncio.Queue()

    async def newcomer() -> None:
        bot = Bot(address, f"bot{seed}-{len(everyone)}", random.Random(chance.random()))
        everyone.append(bot)
        await bot.enter()
        free.put_nowait(bot)

    async def play(bot: Bot, subscription: dict[str, Any]) -> None:
        await bot.play(subscription)
        if bot.gone:
            await newcomer()
        else:
            free.put_nowait(bot)

    for _ in range(bots):
        await newcomer()
    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            seats, subscription = chance.choice(GAMES)
            for _ in range(seats):
                group.create_task(play(await free.get(), subscription))
    for bot in everyone:
        bot.hang_up()
    return everyone
