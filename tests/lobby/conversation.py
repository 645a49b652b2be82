"""Conversations with a running server, as transcripts: real sockets on the loopback, in the loop of the test, on a fake clock.

A transcript is played as it stands, and what comes back is compared with it, whole:

    ann> REQ 1 session.hello {"version": 1}
    ann< RES 1 OK
    -- 10 s later

Whoever is named first has just connected. Lines in a row are sent at once. What several clients get in one step may stand in
any order between them, as nothing tells them apart. `<token ann>` stands for the token that ann was given first, `...` in an
expected line for whatever is there, and `ann< EOF` for a connection that the server closed. `DIRECTIONS` lists what else may
happen. That nothing more comes is known by a ping, which no transcript shows.
"""

from __future__ import annotations

import asyncio
import difflib
import json
import re
import shutil
import ssl
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from conversation_client import EOF, PATIENCE, Client
from fake_clock import FakeClock
from transcript import like, speaker, steps

from games.battleship import Battleship
from games.purrinha import Purrinha
from games.roshambo import Roshambo
from games.rps import Rps
from lobby.catalogue import Catalogue
from lobby.server import Server, reading
from lobby.settings import Settings
from lobby.store import Store
from lobby.store.opening import MEMORY, open_store

AT_ONCE: Final = 1_000_000
"""Requests a second: as the clock stands still, a rate that can be reached would hold a client up."""

OURS: Final = (Battleship(), Roshambo(), Rps(), Purrinha())

_GRANTED = re.compile(r'RES \S+ OK {"session_token": "([\w-]{43})"}').fullmatch


class Conversation:
    """A server and its clients. What it keeps is in memory, in the file `db`, or in `store`; `settings` are its own."""

    def __init__(
        self, *, db: Path | None = None, store: Store | None = None, engines: Iterable[Any] = OURS, **settings: Any
    ) -> None:
        settings.setdefault("request_rate", AT_ONCE)
        self.settings = Settings(port=0, db=":memory:", **settings)
        self.catalogue = Catalogue(engines)
        self.clients: dict[str, Client] = {}
        self.tokens: dict[str, str] = {}  # placeholder to token
        self.tls: ssl.SSLContext | None = None  # what the clients trust, where the server speaks TLS
        self._db = db
        self._store = store or self._opened()
        self.clock = FakeClock()

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        for client in self.clients.values():
            client.transport.abort()
        self.server.cut()
        await self.server.door.emptied()
        self._store.close()

    def _opened(self) -> Store:
        return open_store(MEMORY if self._db is None else str(self._db), durability="process")

    async def _open(self) -> None:
        self.server = Server(self.settings, self._store, clock=self.clock, catalogue=self.catalogue)
        self._left = asyncio.Event()
        self.address = await self.server.open()
        self.server.door.closed.append(lambda _: self._left.set())

    @property
    def store(self) -> Store:
        """The store of the server, to be looked at, or to be put in the way of before it opens again."""
        return self._store

    # Transcripts

    async def holds(self, transcript: str) -> None:
        """Play a transcript, and fail with the difference where another one comes of it."""
        expected: list[str] = []
        actual: list[str] = []
        for actions, lines in steps(transcript):
            said = await self._play(actions)
            due = sorted(lines, key=speaker)
            expected += [*actions, *due]
            actual += [*actions, *like(sorted(said, key=speaker), due)]
        if actual != expected:
            difference = difflib.unified_diff(expected, actual, "as written", "as it was", lineterm="", n=1000)
            raise AssertionError("the conversation was another one:\n" + "\n".join(difference))

    async def played(self, transcript: str) -> list[str]:
        """Play what is done in a transcript, and return its lines as they come true: who has acted hears first."""
        lines: list[str] = []
        for actions, _ in steps(transcript):
            actor = speaker(actions[-1])
            lines += [*actions, *sorted(await self._play(actions), key=lambda line: speaker(line) != actor)]
        return lines

    async def _play(self, actions: list[str]) -> list[str]:
        for name, lines in groupby(actions, key=speaker):
            if name == "--":
                for line in lines:
                    await self._direct(line.removeprefix("-- "))
                    await self.settle()
            else:
                client = await self.client(name)
                client.write("".join(self._filled(line.partition("> ")[2]) + "\n" for line in lines))
                await client.settle()
                await self.settle()
        return [f"{name}< {self._masked(line)}" for name, client in self.clients.items() for line in client.taken()]

    async def _direct(self, direction: str) -> None:
        for pattern, method in DIRECTIONS:
            if match := re.fullmatch(pattern, direction):
                await method(self, *match.groups())
                return
        raise ValueError(f"no stage direction: {direction}")

    def _filled(self, line: str) -> str:
        return re.sub(r"<token \w+>", lambda found: self.tokens[found[0]], line)

    def _masked(self, line: str) -> str:
        for placeholder, token in self.tokens.items():
            line = line.replace(token, placeholder)
        return line

    # Clients

    async def client(self, name: str) -> Client:
        """Return the client of a name, connected anew where it is not."""
        if name not in self.clients or self.clients[name].ended:
            self.clients[name] = await Client.connect(self.address, self.tls)
        return self.clients[name]

    async def settle(self) -> None:
        """Let every client hear all that is said for now."""
        for name, client in self.clients.items():
            await client.settle()
            for line in client.heard:
                if token := _GRANTED(line):
                    self._learn(name, token[1])

    def _learn(self, name: str, token: str) -> None:
        if token not in self.tokens.values():
            count = sum(placeholder.startswith(f"<token {name}") for placeholder in self.tokens)
            self.tokens[f"<token {name}{count + 1 if count else ''}>"] = token

    async def say(self, name: str, *lines: str) -> list[str]:
        """Send lines, let everyone hear what follows, and return what this client heard."""
        client = await self.client(name)
        client.write("".join(self._filled(line) + "\n" for line in lines))
        await client.settle()
        await self.settle()
        return [self._masked(line) for line in client.taken()]

    async def heard_by_now(self, name: str) -> list[str]:
        """Return what a client has heard that is `unasked`: the pings of a bystander mark the time."""
        bystander = await Client.connect(self.address)
        for _ in range(4):
            await bystander.settle()
        bystander.transport.abort()
        return [self._masked(line) for line in self.clients[name].taken()]

    async def ask(self, name: str, request: str) -> Any:
        """Send a request without its `REQ <id>`, and return the object of its answer, `None` where it has none.

        Raise `AssertionError` where it is refused. Events that come meanwhile wait to be heard.
        """
        client = await self.client(name)
        client.write(self._filled(f"REQ ask {request}\n"))
        await client.settle()
        await self.settle()
        answer = next(line for line in client.heard if line.startswith("RES ask "))
        client.heard.remove(answer)
        assert answer.startswith("RES ask OK"), f"{name}> REQ ask {request}\n{name}< {answer}"
        return json.loads(answer[10:]) if answer[10:] else None

    async def enter(self, *names: str) -> None:
        """Let players say hello and log in, each from a connection of the same name."""
        for name in names:
            await self.ask(name, 'session.hello {"version": 1}')
            await self.ask(name, f'session.login {{"player": "{name}"}}')

    async def match(self, *names: str, game: str, options: dict[str, Any] | None = None) -> str:
        """Let players who are logged in meet at a game, the first one first. Return the id of the match."""
        for name in names:
            await self.ask(name, "lobby.subscribe " + json.dumps({"game": game, "options": options or {}}))
        started = next(line for line in reversed(self.clients[names[0]].heard) if " game.match_started " in line)
        return started.split(" ")[1]

    def forget(self) -> None:
        """Drop what was heard and not looked at, so that a transcript can begin in the middle of things."""
        for client in self.clients.values():
            client.taken()

    # Stage directions

    async def advance(self, seconds: float | str) -> None:
        """Let time pass, and all that it does happen when it is due."""
        until = self.clock.now() + float(seconds)
        while (due := self.server.house.agenda.next) <= until:
            self.clock.move(max(due, self.clock.now()))
            await self._ring()
        self.clock.move(until)
        await self._ring()
        await self.settle()

    async def _ring(self) -> None:
        self.server.ring()
        await asyncio.sleep(0)  # the end of the turn

    async def connect(self, name: str) -> None:
        """Connect, and say nothing."""
        await (await self.client(name)).settle()

    async def hang_up(self, *names: str) -> None:
        """Close clients' connections, and wait until the server has taken note."""
        door = self.server.door
        for name in names:
            client = self.clients.pop(name)
            left = len(door.open) - (not client.ended)
            client.transport.abort()
            async with asyncio.timeout(PATIENCE):
                while len(door.open) > left:
                    self._left.clear()
                    await self._left.wait()

    async def end_input(self, name: str) -> None:
        """Close the sending half of a client's connection."""
        client = self.clients[name]
        client.silent = True
        client.transport.write_eof()

    async def kill(self, down: float | str = 0.0) -> None:
        """End the server with no warning, and start it again on what its store holds, after so many seconds."""
        self.server.door.closed.clear()  # a dead process takes note of nothing
        self.server.cut()
        if self._db is not None:
            self._db = _copied(self._db)  # as it is now: what was not committed is lost
        await self._restart(float(down))
        for client in self.clients.values():
            client.heard = [line for line in client.heard if line != EOF]

    async def stop(self) -> None:
        """End the server in good order."""
        await self.server.close()

    async def restart(self, down: float | str = 0.0) -> None:
        """End the server in good order, and start it again after so many seconds."""
        await self.stop()
        await self._restart(float(down))

    async def _restart(self, down: float) -> None:
        for client in self.clients.values():
            await client.closed()
        if self._db is not None:
            self._store.close()
            self._store = self._opened()
        self.clock = FakeClock(reading(self._store), self.clock.wall() + down)
        await self._open()


def _copied(db: Path) -> Path:
    """Copy a database that is in use, as a crash would leave it."""
    copy = db.with_name(f"{db.stem}-{db.suffix}")
    for ending in ("", "-wal"):
        source = db.with_name(db.name + ending)
        if source.exists():
            shutil.copy(source, copy.with_name(copy.name + ending))
    return copy


DIRECTIONS: Final[list[tuple[str, Callable[..., Any]]]] = [
    (r"([\d.]+) s later", Conversation.advance),
    (r"(\w+) connects", Conversation.connect),
    (r"(\w+) hangs up", Conversation.hang_up),
    (r"(\w+) ends its input", Conversation.end_input),
    (r"the server is killed, and starts again", Conversation.kill),
    (r"the server is killed, and starts again after ([\d.]+) s", Conversation.kill),
    (r"the server stops", Conversation.stop),
    (r"the server stops, and starts again", Conversation.restart),
    (r"the server stops, and starts again after ([\d.]+) s", Conversation.restart),
]
