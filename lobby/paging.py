"""Lists cut into pages, and long events into parts: never more than fits in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from lobby import ids
from protocol import wire
from protocol.errors import Code, ProtocolError

ROOM: Final = wire.OUTPUT_LIMIT - 2_000
"""Bytes of items in one answer; the rest of the line is for what stands around them."""

Limit = Annotated[int, Meta(ge=1, le=1000)]


class Page(Struct, frozen=True, kw_only=True):
    """The fields by which a list is paged that is sorted by name: so many items, those behind this one."""

    limit: Limit = 100
    after: str = ""


class NumberedPage(Struct, frozen=True, kw_only=True):
    """The same for a list whose items have ids and are sorted by age."""

    limit: Limit = 100
    after: str | UnsetType = UNSET

    def behind(self, kind: str, what: str) -> int:
        """Return the number of the item `after`, 0 for none. Raise `ProtocolError` where it is no id of the kind."""
        number = 0 if self.after is UNSET else ids.number(kind, self.after)
        if number is None:
            raise bad_after(what)
        return number


def bad_after(what: str) -> ProtocolError:
    """Return the error for an `after` that is no item of the list."""
    return ProtocolError(Code.BAD_REQUEST, f"`after` is the id of the last {what} of the page before", field="$.after")


def page(name: str, items: Iterable[Any], limit: int, *, room: int = ROOM) -> dict[str, Any]:
    """Return `{name: [...]}` with the first items that fit in `room` bytes, and `"more": true` where there are more.

    At most one item beyond the page is drawn.
    """
    taken: list[Raw] = []
    size = 0
    for item in items:
        text = wire.encode(item)
        size += len(text) + 2
        if len(taken) == limit or (taken and size > room):
            return {name: taken, "more": True}
        taken.append(Raw(text))
    return {name: taken}


class Parts:
    """An event with a list that may be too long for one line: then it is repeated, with `part` and `parts`.

    A line is made when it is first drawn, and only once however many are sent it.
    """

    def __init__(
        self, event: str, body: Mapping[str, Any], *, name: str, count: int, size: int, items: Callable[[int, int], Any]
    ) -> None:
        """Prepare the event; `items(start, stop)` is a piece of the list of that `name`, at most `size` bytes an item."""
        self._event = event
        self._body = body
        self._name = name
        self._items = items
        self._each = max(1, (ROOM - len(wire.encode(body))) // (size + 2))
        self.count = max(1, -(-count // self._each))
        self._lines: dict[int, bytes] = {}

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the event, in order."""
        return (self._lines.get(part) or self._line(part) for part in range(self.count))

    def _line(self, part: int) -> bytes:
        start = part * self._each
        numbers = {"part": part + 1, "parts": self.count} if self.count > 1 else {}
        body = {**self._body, self._name: self._items(start, start + self._each), **numbers}
        line = self._lines[part] = wire.event(self._event, body)
        return line
