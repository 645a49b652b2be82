"""The door: those who have to wait for their turn take a small share of the loop's time, and none of them can stop it."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import Mock

import pytest
from fake_clock import FakeClock
from structlog.testing import capture_logs

from lobby.clock import LEAD, Agenda, Alarm
from lobby.connection import Connection
from lobby.door import SHARE, Door
from lobby.router import Caller, Router
from lobby.settings import Settings
from lobby.store.memory import MemoryStore
from lobby.tick import Tick
from protocol.lines import Overlong


class ForgivingClock(FakeClock):
    """A clock that takes back all for which the server was held up."""

    def excuse(self, seconds: float) -> float:
        self.seconds -= seconds
        return seconds


class Visitor:
    """A connection whose every turn takes a millisecond, as long as it does not fail."""

    address = ""

    def __init__(self, door: Door, clock: FakeClock, *, fails: bool = False) -> None:
        self.turns = 0
        self.aborted = False
        self._door, self._clock, self._fails = door, clock, fails

    def go_on(self) -> None:
        if self._fails:
            raise RuntimeError("a planted fault")
        self._door.agenda.run(self._clock.now())
        self._clock.move(self._clock.now() + 0.001)
        self.turns += 1

    def dismiss(self, line: bytes) -> None: ...

    def abandon(self, line: bytes) -> None: ...

    def abort(self) -> None:
        self.aborted = True


class SlowRouter(Router):
    """A router whose every answer takes a millisecond."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__([], retry_after=1)
        self.served = 0
        self._clock = clock

    def serve(self, caller: Caller, line: bytes | Overlong) -> None:
        self._clock.move(self._clock.now() + 0.001)
        self.served += 1


@pytest.fixture
def clock() -> FakeClock:
    return ForgivingClock()


@pytest.fixture
async def door(clock: FakeClock) -> Door:
    loop = asyncio.get_running_loop()
    failed: list[Any] = []
    return Door(
        router=Router([], retry_after=1),
        tick=Tick(MemoryStore(), loop.call_soon, failed.append),
        agenda=Agenda(clock),
        settings=Settings(),
        loop=loop,
    )


async def test_the_share_is_no_longer_after_a_time_for_which_the_server_was_held_up(door: Door, clock: FakeClock):
    visitors = [Visitor(door, clock) for _ in range(100)]
    for visitor in visitors:
        door.queue(visitor)
    door.agenda.set(Alarm(lambda _: None), 1.0)
    clock.move(6.0)
    await asyncio.sleep(0)
    assert clock.now() == pytest.approx(1 - LEAD + SHARE, abs=0.0011)
    assert 1 <= sum(visitor.turns for visitor in visitors) <= 4


async def test_nor_is_that_of_one_connection(door: Door, clock: FakeClock):
    router = door.router = SlowRouter(clock)
    transport = Mock(spec=asyncio.Transport)
    transport.get_extra_info.return_value = None
    connection = Connection(door)
    connection.connection_made(transport)
    door.agenda.set(Alarm(lambda _: None), 1.0)
    clock.move(6.0)
    data = b"REQ 1 session.ping\n" * 4
    door.buffer[: len(data)] = data
    connection.buffer_updated(len(data))
    assert router.served == 1  # the rest waits for its turn


async def test_a_connection_that_fails_in_its_turn_is_lost_and_nobody_behind_it_waits_for_ever(
    door: Door, clock: FakeClock
):
    failing, next_one = Visitor(door, clock, fails=True), Visitor(door, clock)
    with capture_logs() as log:
        door.queue(failing)
        door.queue(next_one)
        await asyncio.sleep(0)
    assert (failing.aborted, next_one.turns) == (True, 1)
    assert [entry["event"] for entry in log] == ["a connection could not go on"]
    door.queue(next_one)
    await asyncio.sleep(0)
    assert next_one.turns == 2
