"""A player who loses nothing: keeps every line of every match, counts them when it reconnects, and plays by `game.state`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from moves import Mind

COUNTED = 400
"""Matches that a bot counts when it reconnects, the newest; more would not fit in a line."""

Heard = Callable[[], None]
"""Called for every line that a bot hears."""

Answered = Callable[[bool, dict[str, Any]], None]
"""Called with whether a request was granted, and with the object of its answer."""


class Wish(Protocol):
    """What a bot is there for: asked again whenever it is settled, and whenever one of its matches is over."""

    def pursue(self, bot: Bot) -> None:
        """Let the bot ask for what it wants now."""

    def hear(self, bot: Bot, line: str) -> None:
        """Take note of an event that belongs to no match's record."""

    async def is_done(self) -> bool:
        """Whether nothing more is to come, once no bot is in a match."""


@dataclass
class Try:
    """An action that was sent; whether it was granted is not known where the server died over it."""

    action: dict[str, Any]
    granted: bool = False


@dataclass
class Game:
    """One match, as a bot has it."""

    lines: list[str] = field(default_factory=list)
    tries: list[Try] = field(default_factory=list)
    history: int = 0  # so many lines are no news
    busy: bool = False  # whether it has asked for the state, or acted, and has no answer yet

    over: bool = False


class Bot:
    """One player. `unexpected` gathers what must not happen: refusals above all."""

    def __init__(self, name: str, *, mind: Mind, wish: Wish, heard: Heard) -> None:
        self.name = name
        self.games: dict[str, Game] = {}
        self.playing: set[str] = set()  # matches that are not over
        self.waiting = 0  # subscriptions that are not used up, asked for or had
        self.settled = False
        self.ended = asyncio.Event()  # set while there is no connection
        self.ended.set()
        self.token: str | None = None
        self.player = ""  # the name that came with the token
        self.unexpected: list[str] = []
        self.mind = mind
        self.wish = wish
        self._heard = heard
        self.link: Link | None = None
        self._logins = 0
        self._counted: dict[str, int] = {}

    def __str__(self) -> str:
        return self.name

    # Coming

    async def connect(self, port: int) -> None:
        """Connect, and log in or reconnect; where the server dies meanwhile, that was all."""
        try:
            await asyncio.get_running_loop().create_connection(lambda: Link(self), "127.0.0.1", port)
        except OSError:
            return

    def linked(self, link: Link) -> None:
        """Begin a connection."""
        self.link = link
        self.ended.clear()
        self.ask('session.hello {"version": 1}', self._expect)
        if self.token is None:
            self._login()
        else:
            self._counted = {match: len(self.games[match].lines) for match in [*self.games][-COUNTED:]}
            counts = json.dumps(self._counted)
            self.ask(f'session.reconnect {{"session_token": "{self.token}", "matches": {counts}}}', self._back)

    def _login(self) -> None:
        """Log in, under another name each time: where no answer came, the last one may be taken by a lost session."""
        self._logins += 1
        self.player = f"{self.name}.{self._logins}"
        self.ask(f'session.login {{"player": "{self.player}"}}', self._logged_in)

    def _logged_in(self, granted: bool, answer: dict[str, Any]) -> None:
        self._expect(granted, answer)
        self.token = answer.get("session_token")
        self._settle()

    def _back(self, granted: bool, answer: dict[str, Any]) -> None:
        self._expect(granted, answer)
        self.waiting = len(answer.get("subscriptions", ()))
        for match, said in answer.get("matches", {}).items():
            game = self.games.setdefault(match, Game())
            if match not in self._counted:
                game.lines, game.over = [], False  # it comes whole, and is to be counted from now on
                self.games[match] = self.games.pop(match)
            if game.over and len(game.lines) != said["events"]:
                self.unexpected.append(
                    f"{match} has {said['events']} lines, and {len(game.lines)} were heard to its end"
                )
            game.history, game.busy = said["events"], False
            if said["live"]:
                self._look(match)
        for match in self.playing - set(answer.get("matches", {})):
            self.unexpected.append(f"{match} is gone")
        self._settle()

    def _settle(self) -> None:
        self.settled = True
        self.wish.pursue(self)

    def gone(self, link: Link) -> None:
        """Take note that a connection has ended."""
        if self.link is link:
            self.link, self.settled = None, False
            self.ended.set()

    # Talking

    def ask(self, request: str, answered: Answered) -> None:
        """Send a request without its `REQ <id>`; nothing happens where there is no connection."""
        if self.link is not None:
            self.link.ask(request, answered)

    async def answered(self, request: str) -> dict[str, Any]:
        """Send a request that must be granted, and return its answer."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

        def settle(granted: bool, body: dict[str, Any]) -> None:
            self._expect(granted, body)
            answer.set_result(body)

        self.ask(request, settle)
        return await answer

    def _expect(self, granted: bool, answer: dict[str, Any]) -> None:
        if not granted:
            self.unexpected.append(f"refused: {answer}")

    def hear(self, line: str) -> None:
        """Take in an event."""
        second = line.split(" ", 2)[1]
        if "." in second:
            self.wish.hear(self, line)
            return
        game = self.games.setdefault(second, Game())
        if game.over:
            self.unexpected.append(f"behind the end: {line}")
        game.lines.append(line)
        if " game.result " in line:
            game.over = True
            self.playing.discard(second)
        elif not game.lines[1:]:
            self.playing.add(second)
        if len(game.lines) > game.history:
            self._news(second, game, line)

    def heard(self) -> None:
        """Tell whoever counts that a line was heard."""
        self._heard()

    # Playing

    def _news(self, match: str, game: Game, line: str) -> None:
        if game.over:
            self.wish.pursue(self)
        elif " game.match_started " in line:
            self.waiting -= 1
            self._look(match)
        elif " game.your_turn" in line:
            self._look(match)

    def _look(self, match: str) -> None:
        """Ask for the state, and act on it; what is told while an answer is due, that answer knows."""
        game = self.games[match]
        if not game.busy:
            game.busy = True
            self.ask(f"{match} game.state", lambda granted, answer: self._act(match, granted, answer))

    def _act(self, match: str, granted: bool, answer: dict[str, Any]) -> None:
        game = self.games[match]
        game.busy = False
        self._expect(granted, answer)
        if granted and answer["live"] and answer["you"] in answer["turn"]:
            game.busy = True
            tried = Try(self.mind.choose(answer))
            game.tries.append(tried)
            self.ask(f"{match} game.action {json.dumps(tried.action)}", lambda *said: self._acted(game, tried, *said))

    def _acted(self, game: Game, tried: Try, granted: bool, answer: dict[str, Any]) -> None:
        game.busy, tried.granted = False, granted
        self._expect(granted, answer)


class Link(asyncio.Protocol):
    """One connection of a bot: answers find their request, events the bot."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._rest = b""
        self._due: dict[str, Answered] = {}
        self._last = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._bot.linked(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._bot.gone(self)

    def ask(self, request: str, answered: Answered) -> None:
        self._last += 1
        self._due[str(self._last)] = answered
        self.transport.write(f"REQ {self._last} {request}\n".encode())

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line.decode())
            self._bot.heard()

    def _take(self, line: str) -> None:
        if line.startswith("EVT "):
            self._bot.hear(line)
        else:
            _, id, said, *body = line.split(" ", 3)
            self._due.pop(id)(said == "OK", json.loads(body[0]) if body else {})
