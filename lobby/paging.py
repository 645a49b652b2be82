"""Lists cut into pages: at most `limit` items, and never more than fits in one line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from protocol import wire

ROOM: Final = wire.OUTPUT_LIMIT - 2_000
"""Bytes of items in one answer; the rest of the line is for what stands around them."""

Limit = Annotated[int, Meta(ge=1, le=1000)]


class Page(Struct, frozen=True):
    """The fields by which every list is paged: so many items, those behind the one with this key."""

    limit: Limit = 100
    after: str = ""


def page(name: str, items: Iterable[Any], limit: int) -> dict[str, Any]:
    """Return `{name: [...]}` with the first items that fit, and `"more": true` where there are more.

    At most one item beyond the page is drawn.
    """
    taken: list[Any] = []
    size = 0
    for item in items:
        size += len(wire.encode(item)) + 2
        if len(taken) == limit or (taken and size > ROOM):
            return {name: taken, "more": True}
        taken.append(item)
    return {name: taken}
