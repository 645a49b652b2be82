"""When the disk fails, or refuses from the start: one line says so, nothing that was answered is lost, and repair is enough."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from counting_bot import Bot
from play import Play
from season import Season
from server_process import ServerProcess

SMALL = 600_000
"""Bytes of a file at which the disk is full, early in the matches of a season."""


class Listening(Play):
    """The wish to play, and to hear that the server closes."""

    def __init__(self) -> None:
        self.told: set[str] = set()

    def hear(self, bot: Bot, line: str) -> None:
        if line == 'EVT server.closing {"retry_after": 5}':
            self.told.add(bot.name)


def complaints(server: ServerProcess) -> list[str]:
    """Return what a server said to the person at the terminal, its log aside."""
    return [line for line in server.log.read_text().splitlines() if not line.startswith("20")]


async def test_a_full_disk_stops_the_server_and_a_start_with_room_goes_on_from_the_last_answer(tmp_path: Path):
    wish = Listening()
    season = Season(tmp_path, seed=1)
    season.add(6, wish)
    await season.server.start(file_limit=SMALL)
    await season.connect()
    assert await season.server.ended() == 1
    path = season.server.database
    assert complaints(season.server) == [f"lobby: {path} cannot be written: disk I/O error"]
    await season.parted()
    assert wish.told == {bot.name for bot in season.bots}
    wish.open = False
    await season.end()
    await season.holds()


def newer(path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA user_version = 1000")
    file.close()


def foreign(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)


def read_only(path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    path.chmod(0o400)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (newer, "is from a newer lobby: it has version 1000, this lobby knows "),
        (foreign, "is not a database of lobby's"),
        (read_only, "attempt to write a readonly database"),
    ],
)
async def test_a_file_that_can_not_be_served_is_refused_in_one_line(
    tmp_path: Path, spoil: Callable[[Path], None], said: str
):
    server = ServerProcess(tmp_path / "lobby.db")
    await server.start()
    await server.stop()
    spoil(server.database)
    before = server.database.read_bytes()
    assert await server.refused() == 1
    (line,) = complaints(server)
    assert line.startswith("lobby: ")
    assert f"{server.database} " in line
    assert said in line
    assert server.database.read_bytes() == before


async def test_a_second_server_on_a_file_is_refused_in_one_line_and_the_first_serves_on(tmp_path: Path):
    first, second = ServerProcess(tmp_path / "lobby.db"), ServerProcess(tmp_path / "lobby.db")
    await first.start()
    assert await second.refused() == 1
    assert complaints(second) == [
        f"lobby: {first.database} is in use by another server; stop that one, or choose another file with --db"
    ]
    assert await first.stop() == 0
