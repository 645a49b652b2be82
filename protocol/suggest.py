"""The nearest of the words that would have been right, for messages to people."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final

_LONGEST: Final = 48  # what is compared, and shown, of a word: no message or comparison grows with what a client sends


LIKE: Final = 0.6
"""How like a word must be that may have been meant: a slip of the finger is, another word is not."""


def closest(word: str, known: Iterable[str], *, over: float = -1.0) -> str | None:
    """Return the known word most like this one; `None` where none is known, or none is `over` so like, from 0 to 1."""
    matcher = SequenceMatcher(b=word[:_LONGEST].lower(), autojunk=False)
    best, likeness = None, over
    for candidate in known:
        matcher.set_seq1(candidate)
        # The two quick ratios are upper bounds of the exact one, which is dear.
        if matcher.real_quick_ratio() > likeness and matcher.quick_ratio() > likeness:
            exact = matcher.ratio()
            if exact > likeness:
                best, likeness = candidate, exact
    return best


def odd_blank(text: str) -> str:
    """Return what there is to say where a text holds a blank that only looks like a space; else nothing."""
    odd = next((mark for mark in text if mark.isspace() and not mark.isascii()), None)
    return "" if odd is None else f"a blank in it is no plain space, but U+{ord(odd):04X}"


def shown(word: str) -> str:
    """Return a client's word as a message may show it: one short, printable piece."""
    clean = "".join(mark if mark.isprintable() else "?" for mark in word[:_LONGEST])
    return clean if len(word) <= _LONGEST else f"{clean}..."
