"""What players of rps agree on before a match: the options, their profiles, and the terms that both come to.

Nothing here knows how a round is played.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import asdict

from games.contract import OptionRefused, Options

MOST_ROUNDS: Final = 9999

Rounds = Annotated[int, Meta(ge=1, le=MOST_ROUNDS)]
Termination = Literal["first_to_win", "fixed_rounds"]
Profile = Literal["quick", "standard", "long", "marathon", "paced", "tournament"]

DEFAULTS: Final[Mapping[str, Any]] = {
    "best_of": 3,
    "termination": "first_to_win",
    "round_delay_seconds": 0,
    "min_think_seconds": 0,
    "max_think_seconds": None,
    "commit_reveal": False,
    "dynamite_count": 0,
    "allow_bubbles": False,
}

PROFILES: Final[Mapping[Profile, Mapping[str, Any]]] = {
    "quick": {"best_of": 1, "termination": "first_to_win", "round_delay_seconds": 0},
    "standard": {"best_of": 3, "termination": "first_to_win", "round_delay_seconds": 0},
    "long": {"best_of": 5, "termination": "first_to_win", "round_delay_seconds": 0},
    "marathon": {"best_of": 5, "termination": "fixed_rounds", "round_delay_seconds": 0},
    "paced": {"best_of": 3, "termination": "first_to_win", "round_delay_seconds": 2},
    "tournament": {"best_of": 500, "termination": "fixed_rounds", "dynamite_count": 50, "allow_bubbles": True},
}


class RpsOptions(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of rps. What was sent counts first, then the profile, then the defaults."""

    best_of: Annotated[
        Rounds | UnsetType,
        Meta(description="Rounds: all of them are played with fixed_rounds.", extra_json_schema={"default": 3}),
    ] = UNSET
    rounds_to_win: Annotated[
        Rounds | UnsetType,
        Meta(description="Rounds that win the match; best_of // 2 + 1 by default. Not with fixed_rounds."),
    ] = UNSET
    termination: Annotated[
        Termination | UnsetType,
        Meta(
            description="first_to_win: until a player has won rounds_to_win rounds. fixed_rounds: best_of rounds.",
            extra_json_schema={"default": "first_to_win"},
        ),
    ] = UNSET
    round_delay_seconds: Annotated[
        Annotated[int, Meta(ge=0, le=300)] | UnsetType,
        Meta(description="Seconds from the end of a round to the next your_turn.", extra_json_schema={"default": 0}),
    ] = UNSET
    min_think_seconds: Annotated[
        Annotated[int, Meta(ge=0, le=60)] | UnsetType,
        Meta(description="A move or commit sooner after your_turn is TOO_SOON.", extra_json_schema={"default": 0}),
    ] = UNSET
    max_think_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=600)] | UnsetType | None,
        Meta(
            description="Seconds for each action, over min_think_seconds; null: 10, or that + 10, and not shown.",
            extra_json_schema={"default": None},
        ),
    ] = UNSET
    commit_reveal: Annotated[
        bool | UnsetType,
        Meta(description="Commit to a hash of the choice first, then reveal it.", extra_json_schema={"default": False}),
    ] = UNSET
    dynamite_count: Annotated[
        Annotated[int, Meta(ge=0, le=MOST_ROUNDS)] | UnsetType,
        Meta(description="Dynamite each player has for the match; 0: not allowed.", extra_json_schema={"default": 0}),
    ] = UNSET
    allow_bubbles: Annotated[
        bool | UnsetType, Meta(description="Whether bubbles may be thrown.", extra_json_schema={"default": False})
    ] = UNSET
    max_moves: Annotated[
        Rounds | UnsetType,
        Meta(description="N is best_of N with fixed_rounds; not beside best_of, termination or rounds_to_win."),
    ] = UNSET
    profile: Annotated[
        Profile | UnsetType, Meta(description="A named set of options; what is sent beside it counts first.")
    ] = UNSET


class Terms(Struct, frozen=True, kw_only=True, gc=False):
    """The options of one match with nothing left open; durations in seconds."""

    best_of: int
    rounds_to_win: int
    termination: Termination
    round_delay_seconds: int
    min_think_seconds: int
    max_think_seconds: int | None
    commit_reveal: bool
    dynamite_count: int
    allow_bubbles: bool

    @property
    def clock(self) -> int:
        """Return the seconds in which an action is due."""
        return self.max_think_seconds or max(10, self.min_think_seconds + 10)

    @property
    def last_round(self) -> int:
        """Return the number of the round, from 0, after which wins so far decide."""
        return (self.best_of if self.termination == "fixed_rounds" else max(100, 10 * self.best_of)) - 1


def resolve(sent: RpsOptions) -> Terms:
    """Return what options come to. Raise `OptionRefused` where they do not go together."""
    own = {name: value for name, value in asdict(sent).items() if value is not UNSET}
    _refuse_rivals_of_max_moves(own)
    if (moves := own.pop("max_moves", None)) is not None:
        own |= {"best_of": moves, "termination": "fixed_rounds"}
    profile = PROFILES[own.pop("profile")] if "profile" in own else {}
    chosen = {**DEFAULTS, **profile, **own}
    _refuse_conflicts(chosen)
    return Terms(**{"rounds_to_win": chosen["best_of"] // 2 + 1, **chosen})


def settle(sent: RpsOptions) -> RpsOptions:
    """Return options that say everything they come to and, sent again, settle to themselves."""
    settled = asdict(resolve(sent))
    if settled["termination"] == "fixed_rounds":
        del settled["rounds_to_win"]
    return RpsOptions(**settled)


def _refuse_rivals_of_max_moves(own: Mapping[str, Any]) -> None:
    if "max_moves" not in own:
        return
    for rival in ("best_of", "termination"):
        if rival in own:
            raise OptionRefused("max_moves", f"max_moves is best_of with fixed_rounds: leave out {rival}, or max_moves")


def _refuse_conflicts(chosen: Mapping[str, Any]) -> None:
    wins, best_of = chosen.get("rounds_to_win"), chosen["best_of"]
    if wins is not None and chosen["termination"] == "fixed_rounds":
        raise OptionRefused("rounds_to_win", "fixed_rounds plays every round: leave out rounds_to_win")
    if wins is not None and wins > best_of:
        raise OptionRefused("rounds_to_win", f"rounds_to_win is {wins}, but best_of {best_of}: send {best_of} or fewer")
    least, most = chosen["min_think_seconds"], chosen["max_think_seconds"]
    if most is not None and least >= most:
        raise OptionRefused("min_think_seconds", f"min_think_seconds must be under max_think_seconds, which is {most}")
