"""What a game is: the contract between the rules of one game and the server that hosts its matches.

A game is a pure function of frozen states. It does no I/O and knows no clock, task, name or session: it is handed seats,
inputs and times, and answers with the next state and with facts, each addressed to those who may know it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from random import Random
from typing import Annotated, Any, ClassVar, Final, Protocol

from msgspec import Meta, Struct

Seat = int
"""A place in a match, counted from 0 in the order of joining."""

MAX_SEATS: Final = 15

Audience = int
"""Who is told: one bit a seat, and one bit for all spectators together."""

SPECTATORS: Final[Audience] = 1 << MAX_SEATS
PLAYERS: Final[Audience] = SPECTATORS - 1
EVERYONE: Final[Audience] = PLAYERS | SPECTATORS


def only(*seats: Seat) -> Audience:
    """Return the audience of just these seats."""
    mask = 0
    for seat in seats:
        mask |= 1 << seat
    return mask


class Player:
    """Stands in a fact, a view or a key for the name of the player at a seat; the match puts the name in."""

    __slots__ = ("seat",)

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def __repr__(self) -> str:
        return f"Player({self.seat})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Player) and other.seat == self.seat

    def __hash__(self) -> int:
        return hash((Player, self.seat))


PLAYER: Final[tuple[Player, ...]] = tuple(Player(seat) for seat in range(MAX_SEATS))
"""`PLAYER[seat]`: the one placeholder of each seat."""

Body = Mapping[Any, Any]
"""A JSON object in wire order; `Player` may stand as a value or a key at any depth."""


class Fact(Struct, frozen=True, gc=False):
    """What an audience is told, as one `EVT` line of the match."""

    to: Audience
    name: str
    body: Body | None = None


class Constant(Fact, frozen=True, gc=False, eq=False):
    """A fact that a game makes once, with its module, and tells again and again: a match encodes it only once."""


def constant(fact: Fact) -> Constant:
    """Make a constant of a fact."""
    return Constant(fact.to, fact.name, fact.body)


def update(body: Body, to: Audience = EVERYONE) -> Fact:
    """Tell `game.update`: what the game has to say."""
    return Fact(to, "game.update", body)


def acted(body: Body, to: Audience = EVERYONE) -> Fact:
    """Tell `game.action`: what a player did, so far as it is public."""
    return Fact(to, "game.action", body)


def your_turn(seats: Iterable[Seat], seconds: float | None = None) -> Fact:
    """Tell `game.your_turn` to seats; `seconds` only where the options set a clock. Last of the facts of a step."""
    return Fact(only(*seats), "game.your_turn", None if seconds is None else {"seconds": seconds})


class Out(Struct, frozen=True, gc=False):
    """A seat has lost and left while the others play on: it gets its `LOSS` and nothing after it."""

    seat: Seat
    reason: Reason


class Result(StrEnum):
    """How a match ended for one seat."""

    WIN = "WIN"
    LOSS = "LOSS"
    DRAW = "DRAW"
    VOID = "VOID"


class Reason(StrEnum):
    """Why a match ended."""

    NORMAL = "normal"
    RESIGNED = "resigned"
    DISCONNECTED = "disconnected"
    TIMEOUT = "timeout"
    ROUND_LIMIT = "round_limit"
    COMMIT_MISMATCH = "commit_mismatch"
    SERVER_ERROR = "server_error"


class Outcome(Struct, frozen=True, gc=False):
    """The end of a match: a result for every seat, those that left earlier included."""

    results: tuple[Result, ...]
    reason: Reason


class Step(Struct, frozen=True, gc=False):
    """What an input led to. The old state is still good; the facts stand in the order of telling.

    There are at most 256 of them, and each fits in a line of 60,000 bytes with the longest names. The match itself tells
    `game.match_started` before the first step's facts and `game.result` once there is an outcome; a step that ends the
    match holds no `your_turn`.
    """

    state: Any
    facts: tuple[Fact | Out, ...] = ()


class Refusal(StrEnum):
    """The codes with which a game refuses an action."""

    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    TOO_SOON = "TOO_SOON"
    INVALID_MOVE = "INVALID_MOVE"
    INVALID_PLACEMENT = "INVALID_PLACEMENT"
    INVALID_COMMIT = "INVALID_COMMIT"


class Refused(Exception):
    """An action that the rules do not allow. The message is for people: what was wrong and what would be right.

    `extra` holds further fields of the error line (`retry_after` in seconds, with `TOO_SOON`).
    """

    def __init__(self, code: Refusal, message: str, **extra: Any) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.extra = extra


class OptionRefused(Exception):
    """Options that do not go together; `field` names the one to change."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(field, message)
        self.field = field
        self.message = message


class Action(Struct, frozen=True, tag_field="type"):
    """Base of a game's actions; each gives its `tag`, the wire's `type`.

    `malformed` is the code for a missing or mistyped field; `malformed_field` names the fields that have another.
    """

    malformed: ClassVar[Refusal] = Refusal.INVALID_MOVE
    malformed_field: ClassVar[Mapping[str, Refusal]] = {}


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of a game's options. Every field has a default; ranges are in the annotations, so that the schema shows them."""


TurnSeconds = Annotated[
    Annotated[int, Meta(ge=1, le=3600)] | None,
    Meta(description="Seconds for one turn; null: the game's own default, which your_turn does not show."),
]


class TurnOptions(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of a game without a clock of its own."""

    turn_seconds: TurnSeconds = None


class GameInfo(Struct, frozen=True):
    """What a game says of itself. `version` counts changes of the rules: a match begun under another one is void."""

    name: str
    summary: str
    version: int
    min_players: int = 2
    max_players: int = 2


class Engine(Protocol):
    """One game's rules. It holds no match, so that one instance serves all of them.

    Same seats, options, seed and inputs: same states and facts, to the byte. Times are floats, seconds since the match
    began, and never run backwards. What goes wrong in here costs an action or the match, never another one.
    """

    info: GameInfo
    options: type[Options]
    actions: Sequence[type[Action]]
    state: type[Struct]

    def settle(self, sent: Any) -> Any:
        """Fill in the defaults that depend on other options. Raise `OptionRefused` where options do not go together.

        What it returns is shown to players, stored, and compared by the queues; sent again, it settles to itself.
        """

    def seats(self, options: Any) -> int:
        """Return how many play a match with these settled options."""

    def actions_with(self, options: Any) -> Sequence[type[Action]]:
        """Return the actions that a match with these settled options has."""

    def start(self, options: Any, seats: int, seed: int) -> Step:
        """Begin a match, at time 0."""

    def turn(self, state: Any) -> Mapping[Seat, float]:
        """Return who owes an action, and when the clock of each runs out. Empty while only time can go on, or it is over."""

    def due(self, state: Any) -> float | None:
        """Return when `expire` is to be called: a finite time, and `None` only where the match is over."""

    def admit(self, state: Any, seat: Seat, action: type[Action], now: float) -> None:
        """Raise `Refused` (`NOT_YOUR_TURN`, `TOO_SOON`, ...) where this seat may not do that now, whatever the action holds.

        Called before the action's fields are looked at.
        """

    def apply(self, state: Any, seat: Seat, action: Any, now: float) -> Step:
        """Do an admitted action. Raise `Refused` for what it holds."""

    def forfeit(self, state: Any, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        """Take seats, all of them still playing, out of the match, at one instant: it is over, or each is told `Out`."""

    def expire(self, state: Any, now: float, away: frozenset[Seat]) -> Step:
        """Do what time does at `now`, which is `due` or later. `away` are the seats without a connection.

        It moves the match on, and acts a hundred times within a second at most. It is also called to look ahead.
        """

    def outcome(self, state: Any) -> Outcome | None:
        """Return how the match ended, `None` while it lives."""

    def view(self, state: Any, seat: Seat | None) -> Body:
        """Return what a seat may know, its own hidden choice included; `None` is a spectator."""

    def sample(self, state: Any, seat: Seat, chance: Random) -> Action:
        """Return a plausible legal action of a seat that is in `turn`."""


class Rules(ABC):
    """The parts of `Engine` that most games share: a base to inherit from, never a must."""

    info: GameInfo
    actions: Sequence[type[Action]]

    def settle(self, sent: Any) -> Any:
        """Return the options as they were sent."""
        return sent

    def seats(self, options: Any) -> int:
        """Return `options.players`, or the one number of seats that this game has."""
        return getattr(options, "players", self.info.min_players)

    def actions_with(self, options: Any) -> Sequence[type[Action]]:
        """Return all of the game's actions."""
        return self.actions

    @abstractmethod
    def turn(self, state: Any) -> Mapping[Seat, float]:
        """Return who owes an action, and when the clock of each runs out."""

    def due(self, state: Any) -> float | None:
        """Return the first time at which a clock runs out."""
        return min(self.turn(state).values(), default=None)
