"""The example bots: each plays a match to its end, as a process of its own, against a server that runs."""

import asyncio
import re
import socket
import sys
from itertools import count
from pathlib import Path

import pytest
from conversation import Conversation
from conversation_client import PATIENCE

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
CUP = "cup.py"
"""Is played in tests/crash."""
BOTS = sorted(path.name for path in EXAMPLES.iterdir() if path.is_file() and path.name != CUP)
PAIRS = [
    ("roshambo.py", "roshambo.py"),
    ("battleship.py", "battleship.py"),
    ("rock.sh", "roshambo.py"),
    ("steady.py", "roshambo.py"),
]

names = map("bot{}".format, count(1))


async def run(bot: str, *arguments: str) -> tuple[int | None, str]:
    """Run an example, and return its exit status and what it printed."""
    shell = ["bash"] if bot.endswith(".sh") else [sys.executable]
    process = await asyncio.create_subprocess_exec(
        *shell, str(EXAMPLES / bot), *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    try:
        printed, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
    return process.returncode, printed.decode()


@pytest.mark.parametrize("bots", PAIRS, ids=" and ".join)
async def test_two_bots_play_a_match_to_its_end(talk: Conversation, bots: tuple[str, str]):
    _, port = talk.address
    ended = await asyncio.gather(*(run(bot, next(names), str(port)) for bot in bots))
    assert [status for status, _ in ended] == [0, 0]
    assert all(" game.result " in printed and " ERR " not in printed for _, printed in ended)


async def test_bots_that_have_played_can_play_again_at_once(talk: Conversation):
    _, port = talk.address
    for bots in PAIRS:
        ended = await asyncio.gather(run(bots[0], "ann", str(port)), run(bots[1], "bob", str(port)))
        assert [status for status, _ in ended] == [0, 0]


@pytest.mark.parametrize("bot", BOTS)
async def test_a_bot_ends_where_it_is_refused(talk: Conversation, bot: str):
    _, port = talk.address
    await talk.enter("ann")
    status, printed = await run(bot, "ann", str(port))
    assert status == 1
    assert '"code": "NAME_TAKEN"' in printed.splitlines()[-1]


@pytest.mark.parametrize("bot", BOTS)
async def test_a_bot_says_in_one_line_that_no_server_is_there(bot: str):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    status, printed = await run(bot, "ann", str(port))
    assert status == 1
    assert printed.startswith(f"no server on port {port}")
    assert printed.count("\n") == 1


@pytest.mark.parametrize("bot", [*BOTS, CUP])
async def test_a_bot_that_is_given_no_name_says_how_it_is_called(bot: str):
    status, printed = await run(bot)
    assert status == 1
    assert f"{bot} NAME" in printed


@pytest.mark.parametrize("bot", [*BOTS, CUP])
def test_a_bot_does_not_write_to_the_file_that_it_reads(bot: str):
    """Python's text files forget what they have read ahead when they are written to: lines would be lost."""
    assert not re.search(r'makefile\("(rw|r\+|w\+)', (EXAMPLES / bot).read_text())


def test_every_example_is_played():
    assert {bot for pair in PAIRS for bot in pair} == set(BOTS)


@pytest.mark.parametrize(
    ("page", "bot"),
    [("reconnecting.md", "steady.py"), ("running-a-competition.md", CUP)],
)
def test_a_page_shows_the_bot_that_is_played(page: str, bot: str):
    assert f"```python\n{(EXAMPLES / bot).read_text()}```" in (EXAMPLES.parent / page).read_text()
