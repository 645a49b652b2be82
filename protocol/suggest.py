"""The nearest of the words that would have been right, for messages to people."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final

_LONGEST: Final = 48  # what is compared, and shown, of a word: no message or comparison grows with what a client sends


def closest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word most like this one; `None` only where none is known."""
    matcher = SequenceMatcher(b=word[:_LONGEST].lower(), autojunk=False)
    best, likeness = None, -1.0
    for candidate in known:
        matcher.set_seq1(candidate)
        # The two quick ratios are upper bounds of the exact one, which is dear.
        if matcher.real_quick_ratio() > likeness and matcher.quick_ratio() > likeness:
            exact = matcher.ratio()
            if exact > likeness:
                best, likeness = candidate, exact
    return best


def shown(word: str) -> str:
    """Return a client's word as a message may show it: one short, printable piece."""
    clean = "".join(mark if mark.isprintable() else "?" for mark in word[:_LONGEST])
    return clean if len(word) <= _LONGEST else f"{clean}..."
