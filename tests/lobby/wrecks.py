"""Games for tests that declare themselves wrongly, each in one way; `Whole` does not."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct
from rogue import Break, Rogue

from games.contract import Action, GameInfo, OptionRefused, Options


class Whole(Rogue):
    """A game with nothing wrong."""

    info = GameInfo("whole", "Nothing wrong.", version=1)


def with_info(name: str, summary: Any = "A game.", version: Any = 1, *players: Any) -> GameInfo:
    return GameInfo(name, summary, version, *players)


class Mutable(Struct):
    """A state that can change under the match."""


class OtherTag(Struct, frozen=True, tag_field="kind", tag="move"):
    """An action that is none."""


class OtherField(Action, frozen=True, tag_field="kind", tag="move"):
    """An action that is called by another field."""


class Untold(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options with a field that has no default."""

    size: int


class Huge(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options that take more to describe than a line holds."""

    size: Annotated[int, Meta(description="x" * 60_000)] = 1


class Indescribable(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options that no JSON Schema describes."""

    size: complex = 1j


class Unsettled(Rogue):
    """Refuses its own defaults."""

    info = with_info("unsettled")

    def settle(self, sent: Any) -> Any:
        raise OptionRefused("size", "there is no right one")


class Crowd(Rogue):
    """Seats more than it says."""

    info = with_info("crowd")

    def seats(self, options: Any) -> int:
        return 3


def wrecked(name: str, **attributes: Any) -> type[Rogue]:
    return type(name, (Rogue,), {"info": with_info(name)} | attributes)


misnamed = wrecked("misnamed", info=with_info("another"))
Capital = wrecked("Capital")
no_summary = wrecked("no_summary", info=with_info("no_summary", None))
two_lines = wrecked("two_lines", info=with_info("two_lines", "One\nand two."))
no_version = wrecked("no_version", info=with_info("no_version", "A game.", "1.0"))
lonely = wrecked("lonely", info=with_info("lonely", "A game.", 1, 1, 1))
crowded = wrecked("crowded", info=with_info("crowded", "A game.", 1, 2, 16))
reversed_seats = wrecked("reversed_seats", info=with_info("reversed_seats", "A game.", 1, 4, 2))
many_seats = wrecked("many_seats", info=with_info("many_seats", "A game.", 1, "two", "four"))
no_info = wrecked("no_info", info=None)
no_options = wrecked("no_options", options=Mutable)
untold = wrecked("untold", options=Untold)
huge = wrecked("huge", options=Huge)
indescribable = wrecked("indescribable", options=Indescribable)
mutable = wrecked("mutable", state=Mutable)
no_actions = wrecked("no_actions", actions=())
other_actions = wrecked("other_actions", actions=(OtherTag,))
other_field = wrecked("other_field", actions=(OtherField,))
same_actions = wrecked("same_actions", actions=(Break, type("Again", (Break,), {}, frozen=True, tag="break")))
no_view = wrecked("no_view", view=None)
unsettled = Unsettled
crowd = Crowd
no_class = Whole()

NAMES = (
    *("misnamed", "Capital", "no_summary", "two_lines", "no_version", "lonely", "crowded", "reversed_seats"),
    *("many_seats", "no_info", "no_options", "untold", "huge", "indescribable", "mutable", "no_actions"),
    *("other_actions", "other_field", "same_actions", "no_view", "unsettled", "crowd", "no_class", "not_there"),
)
