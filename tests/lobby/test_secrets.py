"""No secret gets out: two matches that differ only in what a player hides look the same from outside until the rules show it.

Outside are the other players and a spectator. What they see is what they are told and when, and what they are answered who
ask all that they may.
"""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import pytest
from conversation import Conversation

NONCE = "0123456789abcdef"
QUESTIONS = (
    "m1 game.state",
    "lobby.matches",
    "lobby.players",
    "lobby.status",
    'lobby.watch {"match": "m1"}',
    'lobby.ranking {"game": "rps"}',
    'm1 game.action {"type": "rubbish"}',
)
"""What everyone outside asks after each step."""

Seen = list[tuple[float, str, str]]
"""When, who, and the line."""


@dataclass(frozen=True)
class Case:
    """A match of ann and others up to where ann's secret shows; `SECRET` stands for it in the steps, a player and a request.

    `shows` is the step that shows it; where it is `None` nothing ever does.
    """

    name: str
    game: str
    secrets: tuple[str, str]
    steps: tuple[tuple[str, str], ...]
    shows: tuple[str, str] | None
    options: dict[str, Any] = field(default_factory=dict)
    players: tuple[str, ...] = ("ann", "bob")
    seconds: int = 120  # until time itself shows it


def fleet(col: int) -> str:
    """Return the action that lays the ships on every other row, each from this column."""
    names = ("Carrier", "Battleship", "Cruiser", "Submarine", "Destroyer")
    ships = [{"ship": name, "row": 2 * index, "col": col, "orientation": "H"} for index, name in enumerate(names)]
    return json.dumps({"type": "place_fleet", "ships": ships})


def action(type: str, field: str, value: object) -> str:
    return f'm1 game.action {{"type": "{type}", "{field}": {value}}}'


def commit(choice: str) -> str:
    hash = sha256(f"{choice}:{NONCE}".encode()).hexdigest()
    return f'm1 game.action {{"type": "commit", "round": 0, "hash": "{hash}"}}'


def reveal(choice: str) -> str:
    return f'm1 game.action {{"type": "reveal", "round": 0, "choice": "{choice}", "nonce": "{NONCE}"}}'


HIDDEN = "m1 game.action SECRET"
PICK = ("ann", action("pick_initial_number", "selected_value", "SECRET"))

CASES = (
    Case(
        "a fleet",
        "battleship",
        (fleet(0), fleet(5)),
        (
            ("ann", HIDDEN),
            ("bob", f"m1 game.action {fleet(0)}"),
            ("ann", action("move", "move", 99)),
            ("bob", action("move", "move", 19)),
            ("ann", action("move", "move", 98)),
        ),
        ("bob", action("move", "move", 0)),
    ),
    Case(
        "a fleet whose owner gives up",
        "battleship",
        (fleet(0), fleet(5)),
        (("ann", HIDDEN), ("ann", "m1 game.resign")),
        None,
    ),
    Case(
        "a move of roshambo",
        "roshambo",
        ("ROCK", "PAPER"),
        (("ann", action("move", "move", '"SECRET"')),),
        ("bob", action("move", "move", '"ROCK"')),
    ),
    Case(
        "a move of roshambo whose player gives up",
        "roshambo",
        ("ROCK", "PAPER"),
        (("ann", action("move", "move", '"SECRET"')), ("ann", "m1 game.resign")),
        None,
    ),
    Case(
        "a move of rps",
        "rps",
        ("scissors", "dynamite"),
        (("ann", action("move", "move", '"SECRET"')),),
        ("bob", action("move", "move", '"bubbles"')),
        options={"dynamite_count": 2, "allow_bubbles": True},
        seconds=9,
    ),
    Case(
        "what is committed to",
        "rps",
        (commit("rock"), commit("paper")),
        (("ann", "SECRET"), ("bob", commit("scissors")), ("bob", reveal("scissors"))),
        ("ann", "REVEAL"),
        options={"commit_reveal": True},
    ),
    Case(
        "a pick",
        "purrinha",
        ("0", "3"),
        (
            PICK,
            ("bob", action("pick_initial_number", "selected_value", 2)),
            ("ann", action("sum_guessed", "selected_value", 4)),
        ),
        ("bob", action("sum_guessed", "selected_value", 1)),
    ),
    Case(
        "a pick at a table of three, one of whom leaves",
        "purrinha",
        ("0", "3"),
        (
            PICK,
            ("cid", action("pick_initial_number", "selected_value", 1)),
            ("cid", "m1 game.resign"),
            ("bob", action("pick_initial_number", "selected_value", 1)),
            ("ann", action("sum_guessed", "selected_value", 5)),
        ),
        ("bob", action("sum_guessed", "selected_value", 1)),
        options={"players": 3},
        players=("ann", "bob", "cid"),
    ),
    Case(
        "a pick whose player leaves before the guessing",
        "purrinha",
        ("0", "3"),
        (
            PICK,
            ("ann", "m1 game.resign"),
            ("bob", action("pick_initial_number", "selected_value", 1)),
            ("cid", action("pick_initial_number", "selected_value", 1)),
            ("bob", action("sum_guessed", "selected_value", 1)),
            ("cid", action("sum_guessed", "selected_value", 2)),
        ),
        None,
        options={"players": 3},
        players=("ann", "bob", "cid"),
    ),
)


class Outside:
    """All that those outside see of one match."""

    def __init__(self, talk: Conversation, case: Case, secret: str) -> None:
        self.talk = talk
        self.case = case
        self.secret = secret
        self.seen: Seen = []
        self.others = [*case.players[1:], "eve"]

    async def begin(self) -> None:
        """Bring the players together, and let eve watch."""
        await self.talk.enter(*self.case.players, "eve")
        await self.talk.match(*self.case.players, game=self.case.game, options=self.case.options)
        await self.talk.ask("eve", 'lobby.watch {"match": "m1"}')
        self.listen()

    async def step(self, name: str, request: str) -> None:
        """Do one thing, which must be granted, then look at everything."""
        revealed = reveal("rock" if self.secret == commit("rock") else "paper")
        await self.talk.ask(name, request.replace("SECRET", self.secret).replace("REVEAL", revealed))
        self.listen()
        await self.question()

    async def question(self) -> None:
        """Let everyone outside ask what they may."""
        for name in self.others:
            for answer in await self.talk.say(name, *(f"REQ q {question}" for question in QUESTIONS)):
                self.note(name, answer)

    async def wait(self) -> None:
        """Let ann lose her connection, and time pass."""
        if "ann" in self.talk.clients:
            await self.talk.hang_up("ann")
            self.listen()
        for _ in range(self.case.seconds):
            await self.talk.advance(1)
            self.listen()
        await self.question()

    def listen(self) -> None:
        """Take note of what everyone outside has been told."""
        for name in self.others:
            for line in self.talk.clients[name].taken():
                self.note(name, line)

    def note(self, name: str, line: str) -> None:
        """Take note of a line; a commitment differs, and says nothing of what is committed to."""
        if self.case.options.get("commit_reveal"):
            hash = self.secret.partition('"hash": "')[2][:64]
            line = line.replace(hash, "<hash>")
        self.seen.append((self.talk.server.house.clock.now(), name, line))


async def outside(case: Case, secret: str, *, steps: int, shows: bool = False, wait: bool = False) -> Seen:
    """Play a match with a secret so far, and return what is seen of it."""
    async with Conversation() as talk:
        view = Outside(talk, case, secret)
        await view.begin()
        for name, request in case.steps[:steps]:
            await view.step(name, request)
        if shows and case.shows is not None:
            await view.step(*case.shows)
        if wait:
            await view.wait()
        return view.seen


@pytest.fixture(autouse=True)
def _same_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobby.matches.secrets.randbits", lambda bits: 7)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_secret_does_not_show_before_the_rules_show_it(case: Case):
    one, other = [await outside(case, secret, steps=len(case.steps)) for secret in case.secrets]
    assert one == other


@pytest.mark.parametrize("case", [case for case in CASES if case.shows], ids=lambda case: case.name)
async def test_then_it_shows(case: Case):
    one, other = [await outside(case, secret, steps=len(case.steps), shows=True) for secret in case.secrets]
    assert one != other


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_secret_does_not_show_in_how_time_and_absence_go_on(case: Case):
    one, other = [await outside(case, secret, steps=1, wait=True) for secret in case.secrets]
    assert one == other
