"""When Python looks for garbage: what it would find is little, and to look through a full house stops the loop for long.

Connections, sessions and matches refer to nothing that refers to them once they are over, so they go at once and by
themselves. The collector keeps looking through what is young. It looks through everything when nobody plays.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Final

LOOK: Final = 600.0
"""Seconds between two looks whether anybody plays."""

LATEST: Final = 3600.0
"""Seconds after which everything is looked through, whoever plays."""

NEVER: Final = 1_000_000_000


def hold() -> None:
    """Do not look at all while the house fills from the store: that took a good part of a start."""
    gc.disable()


def spare() -> None:
    """Look again, but leave out what is there for good, and do not look through everything as the house fills further."""
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, NEVER)
    gc.enable()


async def collect(playing: Callable[[], int]) -> None:
    """Look through everything now and then, for as long as the server runs; `playing` is how many matches are live."""
    waited = 0.0
    while True:
        await asyncio.sleep(LOOK)
        waited += LOOK
        if waited >= LATEST or not playing():
            waited = 0.0
            gc.collect()
