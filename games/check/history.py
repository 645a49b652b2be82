"""Histories: the inputs of one match, as values that can be dropped, simplified and printed."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from games.contract import Reason, Seat


class Act(Struct, frozen=True):
    """A seat sends an action, legal or not, after a wait in seconds (but never later than time is due)."""

    seat: Seat
    body: dict[str, Any]
    wait: float = 0.0


class Leave(Struct, frozen=True):
    """Seats leave at one instant; those that are out already are passed over."""

    seats: tuple[Seat, ...]
    reason: Reason
    wait: float = 0.0


class Strike(Struct, frozen=True):
    """Time does what is due, some seconds late, while some seats are away."""

    away: tuple[Seat, ...] = ()
    late: float = 0.0


Input = Act | Leave | Strike


class Case(Struct, frozen=True):
    """A match to be played: settled options, seats, seed, and what happens."""

    options: Any
    seats: int
    seed: int
    inputs: tuple[Input, ...] = ()
