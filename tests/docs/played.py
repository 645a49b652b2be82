"""Documents that are played: what a Markdown page shows of a conversation, a real server says again, on a fake clock.

Two kinds of blocks are played. A page's first one meets a fresh server, the others go on where the one before ended:

- ```` ```transcript ````: what several clients say and hear, in the form of `conversation`; `transcript anew` begins with a
  fresh server.
- ```` ```text ann ````: what stands on the screen of ann's terminal. A line that begins with `REQ` is typed, one with `$` is
  for the shell and not played, the rest is what came.

Run as a script, it rewrites the answers in the named files, or in all documents; what is done in them stays.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from conversation import OURS, Conversation
from conversation_client import EOF
from tictactoe import TicTacToe

from lobby.log import configure

ROOT: Final = Path(__file__).parents[2]
DOCUMENTS: Final = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")})

_BLOCKS: Final = re.compile(r"^```(transcript|transcript anew|text (\w+))\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TOKENS: Final = re.compile(r"(?<=\"session_token\": \")[\w-]{43}(?=\")")

Block = re.Match[str]
"""A block, as `_BLOCKS` finds it: its kind, whose screen it is, its lines."""


async def played(text: str) -> str:
    """Return a page as it should be."""
    pieces, end = [], 0
    engines = [*OURS, TicTacToe()] if '"tictactoe"' in text else OURS  # a server that has the example installed
    for scene in _scenes(_BLOCKS.finditer(text)):
        async with Conversation(engines=engines) as talk:
            for block in scene:
                lines = await (_screen(talk, block[2], block[3]) if block[2] else talk.played(block[3]))
                pieces += [text[end : block.start(3)], *(f"{line}\n" for line in lines)]
                end = block.end(3)
    return "".join([*pieces, text[end:]])


def _scenes(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Yield the blocks that one server plays."""
    scene: list[Block] = []
    for block in blocks:
        if block[1] == "transcript anew" and scene:
            yield scene
            scene = []
        scene.append(block)
    if scene:
        yield scene


async def _screen(talk: Conversation, name: str, block: str) -> list[str]:
    """Return what a terminal shows: what is typed, and what came since its last block, with the token that stood there."""
    shown = [line for line in block.splitlines() if line.startswith("$")]
    shown += await talk.say(name)
    for line in block.splitlines():
        if line.startswith("REQ"):
            shown += [line, *await talk.say(name, line)]
    token = _TOKENS.search(block)
    return [line if token is None else line.replace(f"<token {name}>", token[0]) for line in shown if line != EOF]


def rewrite(documents: Iterable[Path]) -> None:
    """Put what really comes into the documents."""
    for document in documents:
        before = document.read_text(encoding="utf-8")
        after = asyncio.run(played(before))
        if after != before:
            document.write_text(after, encoding="utf-8")
            print(f"rewritten: {document.name}")


if __name__ == "__main__":
    configure("console", "error")
    rewrite(map(Path, sys.argv[1:]) if len(sys.argv) > 1 else DOCUMENTS)
