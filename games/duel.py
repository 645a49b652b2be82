"""How a match of two can end: the outcomes that all games for two players share. It knows nothing of any one game."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from games.contract import Outcome, Reason, Result, Seat

BOTH: Final[tuple[Seat, Seat]] = (0, 1)


def won_by(winner: Seat, reason: Reason = Reason.NORMAL) -> Outcome:
    """Return the end in which one seat has won and the other lost."""
    results = (Result.WIN, Result.LOSS) if winner == 0 else (Result.LOSS, Result.WIN)
    return Outcome(results, reason)


def drawn(reason: Reason = Reason.NORMAL) -> Outcome:
    """Return the end in which neither seat was better."""
    return Outcome((Result.DRAW, Result.DRAW), reason)


def failed(seats: Collection[Seat], reason: Reason) -> Outcome:
    """Return the end after seats have failed at one instant: the other wins, and where both did, nobody."""
    if len(seats) == 2:
        return Outcome((Result.VOID, Result.VOID), reason)
    (loser,) = seats
    return won_by(1 - loser, reason)
