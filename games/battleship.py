"""Battleship: two fleets on boards of 10 by 10, placed in secret, then shot at in turn. Only its rules.

Squares are counted 0 to 99, row by row: square = 10 x row + column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from random import Random
from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from games.contract import (
    PLAYER,
    Action,
    Body,
    GameInfo,
    Options,
    Outcome,
    Reason,
    Refusal,
    Refused,
    Rules,
    Seat,
    Step,
    TurnOptions,
    acted,
    only,
    update,
    your_turn,
)
from games.duel import BOTH, failed, won_by

SIZE: Final = 10
SQUARES: Final = SIZE * SIZE
PLACING_SECONDS: Final = 600.0
SHOT_SECONDS: Final = 120.0

ShipName = Literal["Carrier", "Battleship", "Cruiser", "Submarine", "Destroyer"]
SHIPS: Final[Mapping[ShipName, int]] = {"Carrier": 5, "Battleship": 4, "Cruiser": 3, "Submarine": 3, "Destroyer": 2}
"""The length of each ship, in the order in which the game names them."""

Ship = bytes
"""The squares of a placed ship, from its start."""


def _neighbours(square: int) -> bytes:
    rows, cols = ([near for near in (at - 1, at, at + 1) if 0 <= near < SIZE] for at in divmod(square, SIZE))
    return bytes(SIZE * row + col for row, col in product(rows, cols) if SIZE * row + col != square)


NEIGHBOURS: Final[tuple[bytes, ...]] = tuple(map(_neighbours, range(SQUARES)))
"""For each square those next to it, diagonally too."""


class Placement(Struct, frozen=True, gc=False):
    """A ship and where it lies. H: from its start to higher columns; V: to higher rows."""

    ship: ShipName
    row: Annotated[int, Meta(ge=0, le=9, description="Row of the square where the ship starts.")]
    col: Annotated[int, Meta(ge=0, le=9, description="Column of the square where the ship starts.")]
    orientation: Literal["H", "V"]


class PlaceFleet(Action, frozen=True, tag="place_fleet"):
    """Place all five ships, in any order, each once; no two on neighbouring squares, diagonals included."""

    malformed: ClassVar[Refusal] = Refusal.INVALID_PLACEMENT

    ships: Annotated[tuple[Placement, ...], Meta(min_length=5, max_length=5)]


class Move(Action, frozen=True, tag="move"):
    """Shoot at a square of the opponent's board."""

    move: Annotated[int, Meta(ge=0, le=99, description="The square: 10 x row + column.")]


class Waters(Struct, frozen=True, gc=False):
    """One seat's board: its ships in the order of `SHIPS`, none while it is placing; the squares shot at, in order."""

    fleet: tuple[Ship, ...] = ()
    shots: bytes = b""


class State(Struct, frozen=True, gc=False):
    """A match; `deadline` is when the clock of everyone in turn runs out."""

    options: TurnOptions
    waters: tuple[Waters, Waters] = (Waters(), Waters())
    shooter: Seat = 0
    deadline: float = PLACING_SECONDS
    outcome: Outcome | None = None

    @property
    def placing(self) -> bool:
        """Whether someone's fleet is still missing."""
        return not (self.waters[0].fleet and self.waters[1].fleet)


class Battleship(Rules):
    """The rules of Battleship."""

    info = GameInfo(
        "battleship", "Place a fleet in secret, then find and sink the other. A hit shoots again.", version=1
    )
    options: type[Options] = TurnOptions
    actions: Sequence[type[Action]] = (PlaceFleet, Move)
    state: type[Struct] = State

    def start(self, options: TurnOptions, seats: int, seed: int) -> Step:
        """Ask both players for their fleets."""
        ships = [{"ship": name, "length": length} for name, length in SHIPS.items()]
        return Step(State(options), (update({"type": "place_ships", "ships": ships, "size": SIZE}, only(*BOTH)),))

    def turn(self, state: State) -> Mapping[Seat, float]:
        """Return those still placing, then the one to shoot."""
        if state.outcome is not None:
            return {}
        if state.placing:
            return {seat: state.deadline for seat in BOTH if not state.waters[seat].fleet}
        return {state.shooter: state.deadline}

    def admit(self, state: State, seat: Seat, action: type[Action], now: float) -> None:
        """Refuse a second fleet, a shot while anyone is placing, and a shot out of turn."""
        placed = bool(state.waters[seat].fleet)
        if action is PlaceFleet:
            if placed:
                raise Refused(Refusal.INVALID_PLACEMENT, "your fleet is placed already, and stays where it is")
        elif state.placing:
            wait = "wait until your opponent has placed a fleet" if placed else "place your fleet first"
            raise Refused(Refusal.NOT_YOUR_TURN, f"nobody shoots before both fleets are placed; {wait}")
        elif seat != state.shooter:
            raise Refused(Refusal.NOT_YOUR_TURN, "it is your opponent's turn to shoot; wait for game.your_turn")

    def apply(self, state: State, seat: Seat, action: PlaceFleet | Move, now: float) -> Step:
        """Place a fleet, or shoot."""
        match action:
            case PlaceFleet(ships=ships):
                return _place(state, seat, arrange(ships), now)
            case Move(move=square):
                return _shoot(state, seat, square, now)

    def forfeit(self, state: State, seats: frozenset[Seat], reason: Reason, now: float) -> Step:
        """End the match: whoever leaves has lost it."""
        return Step(replace(state, outcome=failed(seats, reason)))

    def expire(self, state: State, now: float, away: frozenset[Seat]) -> Step:
        """Take those out of time out of the match."""
        return self.forfeit(state, frozenset(self.turn(state)), Reason.TIMEOUT, now)

    def outcome(self, state: State) -> Outcome | None:
        """Return how the match ended, `None` while it lives."""
        return state.outcome

    def view(self, state: State, seat: Seat | None) -> Body:
        """Return the phase and everyone's shots; to a player also whose fleet is ready, and the own ships."""
        phase = "over" if state.outcome is not None else "placing" if state.placing else "shooting"
        shots = {PLAYER[shooter]: list(_told(state.waters[1 - shooter])) for shooter in BOTH}
        if seat is None:
            return {"phase": phase, "shots": shots}
        ready = [PLAYER[placer] for placer in BOTH if state.waters[placer].fleet]
        ships = [_laid(name, ship) for name, ship in zip(SHIPS, state.waters[seat].fleet, strict=False)]
        return {"phase": phase, "ready": ready, "ships": ships, "shots": shots}

    def sample(self, state: State, seat: Seat, chance: Random) -> Action:
        """Return a random fleet, or a shot beside a ship that is hit and not sunk; where there is none, anywhere."""
        if state.placing:
            return PlaceFleet(random_fleet(chance))
        target = state.waters[1 - seat]
        afloat = [ship for ship in target.fleet if not is_sunk(ship, target.shots)]
        wounds = {square for square in target.shots if any(square in ship for ship in afloat)}
        near = sorted({beside for square in wounds for beside in NEIGHBOURS[square]}.difference(target.shots))
        return Move(chance.choice(near or [square for square in range(SQUARES) if square not in target.shots]))


def arrange(placements: Sequence[Placement]) -> tuple[Ship, ...]:
    """Return the fleet that placements describe, in the order of `SHIPS`. Raise `Refused` where the rules forbid it."""
    placed = {placement.ship: placement for placement in placements}
    if missing := [name for name in SHIPS if name not in placed]:
        raise _misplaced(f"each ship must be placed exactly once, and there is no {' and no '.join(missing)}")
    ships = {name: lay(placed[name]) for name in SHIPS}
    for one, other in combinations(SHIPS, 2):
        keep_apart(one, other, ships)
    return tuple(ships.values())


def keep_apart(one: ShipName, other: ShipName, ships: Mapping[ShipName, Ship]) -> None:
    """Raise `Refused` where two ships share a square or lie on neighbouring ones."""
    if shared := set(ships[one]).intersection(ships[other]):
        raise _misplaced(f"{one} and {other} both lie on {_named(min(shared))}; leave water between ships")
    for here, there in product(ships[one], ships[other]):
        if there in NEIGHBOURS[here]:
            spots = f"{one} on {_named(here)} touches {other} on {_named(there)}"
            raise _misplaced(f"{spots}; leave water between ships, diagonally too")


def lay(placement: Placement) -> Ship:
    """Return the squares of a ship. Raise `Refused` where it leaves the board."""
    length, start = SHIPS[placement.ship], SIZE * placement.row + placement.col
    axis, first, step = ("column", placement.col, 1) if placement.orientation == "H" else ("row", placement.row, SIZE)
    if first + length > SIZE:
        ship = f"{placement.ship} ({length} squares, {placement.orientation})"
        room = f"it can start in {axis} 0 to {SIZE - length}"
        raise _misplaced(f"{ship} runs off the board from {_named(start)}; {room}")
    return bytes(range(start, start + step * length, step))


def random_fleet(chance: Random) -> tuple[Placement, ...]:
    """Return a legal fleet. The longest ship comes first, and then there is room for every other, wherever they lie."""
    fleet: list[Placement] = []
    water = set(range(SQUARES))
    for name in SHIPS:
        placement, ship = chance.choice([spot for spot in _spots(name) if water.issuperset(spot[1])])
        fleet.append(placement)
        water.difference_update(ship, *(NEIGHBOURS[square] for square in ship))
    return tuple(fleet)


def is_sunk(ship: Ship, shots: bytes) -> bool:
    """Return whether every square of a ship was shot."""
    return all(square in shots for square in ship)


def verdict(fleet: Sequence[Ship], shots: bytes) -> tuple[Literal["HIT", "MISS"], ShipName | None]:
    """Return what the last of the shots did, and the ship that it sank."""
    for name, ship in zip(SHIPS, fleet, strict=True):
        if shots[-1] in ship:
            return "HIT", name if is_sunk(ship, shots) else None
    return "MISS", None


def _place(state: State, seat: Seat, fleet: tuple[Ship, ...], now: float) -> Step:
    other = state.waters[1 - seat]
    placed = replace(state, waters=_by_seat(seat, Waters(fleet), other))
    if not other.fleet:
        return Step(placed, (update({"type": "opponent_ready"}, only(1 - seat)),))
    return _await_shot(placed, 0, now)


def _shoot(state: State, seat: Seat, square: int, now: float) -> Step:
    target = state.waters[1 - seat]
    if square in target.shots:
        raise Refused(Refusal.INVALID_MOVE, f"{square} was already shot; choose a square that you have not tried yet")
    target = Waters(target.fleet, target.shots + bytes((square,)))
    result, sunk = verdict(target.fleet, target.shots)
    told = acted({"type": "move", "player": PLAYER[seat], "move": square, "result": result, "sunk": sunk})
    shot = replace(state, waters=_by_seat(seat, state.waters[seat], target))
    if sunk and all(is_sunk(ship, target.shots) for ship in target.fleet):
        return Step(replace(shot, outcome=won_by(seat)), (told,))
    step = _await_shot(shot, seat if result == "HIT" else 1 - seat, now)
    return Step(step.state, (told, *step.facts))


def _await_shot(state: State, shooter: Seat, now: float) -> Step:
    seconds = state.options.turn_seconds
    deadline = now + (seconds or SHOT_SECONDS)
    return Step(replace(state, shooter=shooter, deadline=deadline), (your_turn((shooter,), seconds),))


def _by_seat(seat: Seat, own: Waters, other: Waters) -> tuple[Waters, Waters]:
    return (own, other) if seat == 0 else (other, own)


def _told(waters: Waters) -> Iterator[Body]:
    for count, square in enumerate(waters.shots, 1):
        result, sunk = verdict(waters.fleet, waters.shots[:count])
        yield {"move": square, "result": result, "sunk": sunk}


def _laid(name: ShipName, ship: Ship) -> Body:
    row, col = divmod(ship[0], SIZE)
    return {"ship": name, "row": row, "col": col, "orientation": "H" if ship[1] == ship[0] + 1 else "V"}


@cache
def _spots(name: ShipName) -> Sequence[tuple[Placement, Ship]]:
    along, across = range(SIZE - SHIPS[name] + 1), range(SIZE)
    level = [Placement(name, row, col, "H") for row, col in product(across, along)]
    upright = [Placement(name, row, col, "V") for row, col in product(along, across)]
    return [(placement, lay(placement)) for placement in level + upright]


def _named(square: int) -> str:
    return "row {}, column {}".format(*divmod(square, SIZE))


def _misplaced(message: str) -> Refused:
    return Refused(Refusal.INVALID_PLACEMENT, message)
