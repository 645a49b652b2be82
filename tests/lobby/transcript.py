"""Transcripts of conversations: how they are written, and when a line that came is the one that was expected."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

_SPOKEN = re.compile(r"(\w+)([<>]) ?(.*)").fullmatch


def steps(transcript: str) -> Iterable[tuple[list[str], list[str]]]:
    """Cut a transcript into steps: what is done, then what is heard of it."""
    actions: list[str] = []
    heard: list[str] = []
    for line in filter(None, map(str.strip, transcript.splitlines())):
        spoken = _SPOKEN(line)
        if spoken is None and not line.startswith("-- "):
            raise ValueError(f"no line of a transcript: {line}")
        if spoken is not None and spoken[2] == "<":
            heard.append(line)
            continue
        if heard:
            yield actions, heard
            actions, heard = [], []
        actions.append(line)
    yield actions, heard


def speaker(line: str) -> str:
    """Return whose line it is, `--` for a stage direction."""
    return "--" if line.startswith("--") else re.split("[<>]", line, maxsplit=1)[0]


def like(said: list[str], due: list[str]) -> list[str]:
    """Return what was said, with the line that its speaker was to say there in place of one that fits it."""
    wanted = {speaker: iter(list(lines)) for speaker, lines in groupby(due, key=speaker)}
    pairs = [(line, next(wanted.get(speaker(line), iter(())), "")) for line in said]
    return [like if _fits(line, like) else line for line, like in pairs]


def _fits(line: str, wanted: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, wanted.split("..."))), line) is not None
