"""What the first pages show besides conversations: the bot, the hashes, the lists of games."""

import asyncio
import re
import sys
from hashlib import sha256

import pytest
from conversation import Conversation
from conversation_client import PATIENCE
from played import DOCUMENTS
from tables import ROOT, page

HASHES = [
    found
    for document in DOCUMENTS
    for found in re.findall(
        r"^\$ printf '(.*)' \| sha256sum \| cut -c1-64\n(.*)$", document.read_text(encoding="utf-8"), re.M
    )
]


TEN_LINES, EXAMPLE = re.findall(r"^```python\n(.*?)^```$", page("README.md"), re.M | re.S)


def test_the_bot_in_the_readme_is_the_example():
    assert page("docs/examples/roshambo.py") == EXAMPLE


async def test_ten_lines_play_a_match(talk: Conversation):
    assert len(list(filter(None, TEN_LINES.splitlines()))) == 10
    bot = TEN_LINES.replace("7777", str(talk.address[1]))
    processes = [
        await asyncio.create_subprocess_exec(sys.executable, "-u", "-c", bot, name, stdout=asyncio.subprocess.PIPE)
        for name in ("ann", "bob")
    ]
    try:
        async with asyncio.timeout(PATIENCE):
            for process in processes:
                assert process.stdout is not None
                while b" game.result " not in (line := await process.stdout.readline()):
                    assert line.endswith(b"\n")
                    assert b" ERR " not in line
    finally:
        for process in processes:
            process.kill()
            await process.wait()


@pytest.mark.parametrize(("text", "printed"), HASHES)
def test_a_hash_is_what_the_command_prints(text: str, printed: str):
    assert printed == sha256(text.encode()).hexdigest()
    choice, _, nonce = text.partition(":")
    assert f'"choice": "{choice}", "nonce": "{nonce}"' in page("docs/games/rps.md")


def test_there_are_hashes_to_look_at():
    assert len(HASHES) == 2


def test_the_first_pages_lead_to_all_others():
    pages = {path.name for path in ROOT.glob("docs/*.md")} - {"README.md"}
    for first in ("README.md", "docs/README.md"):
        assert {name for name in pages if f"{name})" not in page(first)} == set()
