"""A soak: match after match among players who drop out, come back, leave, resign and fall silent. At the end nothing is left
live, everyone has got every line of every match once, with one result, and memory is where it was.

The long form, 10,000 matches: `make soak`.
"""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Final

from crowd import Address, Bot, play_matches

from tests.processes import ServerProcess, running

MATCHES: Final = int(os.environ.get("LONG", "150"))
PATIENCE: Final = 60.0
KEPT: Final = 24 << 20
"""Bytes that the second half may add: rows that are kept for good, and what the allocator does not give back."""


async def emptied(address: Address, number: int) -> None:
    """Wait until no match is live, and nobody waits for one."""
    guard = Bot(address, f"guard{number}", None)  # type: ignore[arg-type]  # it leaves nothing to chance
    await guard.enter()
    until = time.monotonic() + PATIENCE
    while True:
        status = await guard.ask("lobby.status")
        if status["matches"] == 0 and status["waiting"] == {}:
            break
        assert time.monotonic() < until, f"this is still there: {status}"
        await asyncio.sleep(0.05)
    guard.hang_up()


async def check(address: Address, bot: Bot) -> int:
    """Hold what a player heard against the whole story as it is told again. Return the number of its matches."""
    heard = bot.heard
    matches = await bot.listen_again()
    assert set(matches) == set(heard)
    for match, lines in heard.items():
        story = bot.heard[match]
        assert lines == story[: len(lines)], f"{bot.name} heard another {match}"
        assert bot.gone or lines == story, f"{bot.name} did not hear all of {match}"
        assert [" game.result " in line for line in story] == [False] * (len(story) - 1) + [True], story[-2:]
        assert matches[match] == {**matches[match], "events": len(story), "live": False}
    bot.hang_up()
    return len(heard)


async def soak(server: ServerProcess) -> None:
    half = MATCHES // 2
    first = await play_matches(server.address, half, seed=1)
    await emptied(server.address, 1)
    before = server.resident
    second = await play_matches(server.address, MATCHES - half, seed=2)
    await emptied(server.address, 2)
    after = server.resident
    seats = 0
    for bot in (*first, *second):
        if bot.heard:
            seats += await check(server.address, bot)
    assert 2 * MATCHES <= seats <= 3 * MATCHES
    print(f"\n{MATCHES} matches, {seats} seats, {len(first) + len(second)} players; {before >> 20} > {after >> 20} MiB")
    assert after < before + KEPT


def test_match_after_match_nothing_is_lost_and_nothing_is_left(tmp_path: Path):
    with running(tmp_path, db=str(tmp_path / "lobby.db"), reconnect_grace=0.5, name_hold=0.5) as server:
        asyncio.run(soak(server))
        assert server.logged("Traceback") == []
        assert server.stop() == 0
