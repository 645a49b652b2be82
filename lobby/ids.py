"""The ids of the wire: a letter for what is meant, and the number that it was given."""

from __future__ import annotations

import re
from typing import Final

_ID: Final = re.compile(r"([a-z])([1-9][0-9]{0,17})").fullmatch


def number(kind: str, id: str) -> int | None:
    """Return the number in an id of a kind (`m` for matches), `None` where it is no such id."""
    found = _ID(id)
    return int(found[2]) if found is not None and found[1] == kind else None
