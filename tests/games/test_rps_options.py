"""Options of rps: ranges, profiles, conflicts, and what they come to."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from rps_play import RPS

from games.contract import OptionRefused
from games.rps import Commit, Move, Reveal
from games.rps_options import RpsOptions

DEFAULT = {
    "best_of": 3,
    "rounds_to_win": 2,
    "termination": "first_to_win",
    "round_delay_seconds": 0,
    "min_think_seconds": 0,
    "max_think_seconds": None,
    "commit_reveal": False,
    "dynamite_count": 0,
    "allow_bubbles": False,
}


def settled(sent: dict[str, Any]) -> dict[str, Any]:
    """Return what sent JSON settles to, as JSON again; it must settle to itself."""
    options = RPS.settle(msgspec.json.decode(msgspec.json.encode(sent), type=RpsOptions))
    assert RPS.settle(options) == options
    shown = msgspec.json.encode(options)
    assert msgspec.json.decode(shown, type=RpsOptions) == options
    result: dict[str, Any] = msgspec.json.decode(shown)
    return result


def fixed(best_of: int, **others: Any) -> dict[str, Any]:
    """Return the settled options of a match of fixed rounds: there `rounds_to_win` has no place."""
    plain = {name: value for name, value in DEFAULT.items() if name != "rounds_to_win"}
    return plain | {"best_of": best_of, "termination": "fixed_rounds"} | others


@pytest.mark.parametrize(
    ("sent", "outcome"),
    [
        ({}, DEFAULT),
        ({"profile": "quick"}, DEFAULT | {"best_of": 1, "rounds_to_win": 1}),
        ({"profile": "standard"}, DEFAULT),
        ({"profile": "long"}, DEFAULT | {"best_of": 5, "rounds_to_win": 3}),
        ({"profile": "marathon"}, fixed(5)),
        ({"profile": "paced"}, DEFAULT | {"round_delay_seconds": 2}),
        ({"profile": "tournament"}, fixed(500, dynamite_count=50, allow_bubbles=True)),
        ({"max_moves": 5}, fixed(5)),
        ({"best_of": 5, "termination": "fixed_rounds"}, fixed(5)),
        ({"rounds_to_win": 2}, DEFAULT),
        ({"best_of": 2}, DEFAULT | {"best_of": 2, "rounds_to_win": 2}),
        ({"best_of": 9999}, DEFAULT | {"best_of": 9999, "rounds_to_win": 5000}),
        ({"best_of": 9999, "rounds_to_win": 9999}, DEFAULT | {"best_of": 9999, "rounds_to_win": 9999}),
        ({"best_of": 5, "rounds_to_win": 1}, DEFAULT | {"best_of": 5, "rounds_to_win": 1}),
        # What was sent counts before the profile.
        ({"profile": "tournament", "best_of": 10}, fixed(10, dynamite_count=50, allow_bubbles=True)),
        ({"profile": "tournament", "max_moves": 10}, fixed(10, dynamite_count=50, allow_bubbles=True)),
        ({"profile": "tournament", "dynamite_count": 0, "allow_bubbles": False}, fixed(500)),
        ({"profile": "paced", "max_moves": 7}, fixed(7, round_delay_seconds=2)),
        ({"profile": "paced", "round_delay_seconds": 0}, DEFAULT),
        ({"profile": "long", "rounds_to_win": 5}, DEFAULT | {"best_of": 5, "rounds_to_win": 5}),
        ({"profile": "long", "termination": "fixed_rounds"}, fixed(5)),
        ({"profile": "marathon", "termination": "first_to_win", "rounds_to_win": 4},
         DEFAULT | {"best_of": 5, "rounds_to_win": 4}),
    ],
)  # fmt: skip
def test_options_settle_to_what_was_sent_then_the_profile_then_the_defaults(
    sent: dict[str, Any], outcome: dict[str, Any]
) -> None:
    assert settled(sent) == outcome


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"max_moves": 5, "best_of": 5}, "max_moves"),
        ({"max_moves": 5, "termination": "fixed_rounds"}, "max_moves"),
        ({"max_moves": 5, "termination": "first_to_win"}, "max_moves"),
        ({"max_moves": 5, "best_of": 5, "profile": "quick"}, "max_moves"),
        ({"rounds_to_win": 2, "termination": "fixed_rounds"}, "rounds_to_win"),
        ({"rounds_to_win": 2, "max_moves": 5}, "rounds_to_win"),
        ({"rounds_to_win": 2, "profile": "marathon"}, "rounds_to_win"),
        ({"rounds_to_win": 2, "profile": "tournament"}, "rounds_to_win"),
        ({"rounds_to_win": 4}, "rounds_to_win"),
        ({"rounds_to_win": 6, "best_of": 5}, "rounds_to_win"),
        ({"rounds_to_win": 2, "profile": "quick"}, "rounds_to_win"),
        ({"rounds_to_win": 3, "best_of": 2, "profile": "long"}, "rounds_to_win"),
        ({"min_think_seconds": 5, "max_think_seconds": 5}, "min_think_seconds"),
        ({"min_think_seconds": 60, "max_think_seconds": 1}, "min_think_seconds"),
        ({"min_think_seconds": 6, "max_think_seconds": 5, "profile": "paced"}, "min_think_seconds"),
    ],
)
def test_options_that_do_not_go_together_are_refused_by_name(sent: dict[str, Any], field: str) -> None:
    with pytest.raises(OptionRefused) as refused:
        RPS.settle(RpsOptions(**sent))
    assert refused.value.field == field
    assert field in refused.value.message


RANGES = {
    "best_of": (1, 9999),
    "rounds_to_win": (1, 9999),
    "round_delay_seconds": (0, 300),
    "min_think_seconds": (0, 60),
    "max_think_seconds": (1, 600),
    "dynamite_count": (0, 9999),
    "max_moves": (1, 9999),
}


@pytest.mark.parametrize("field", RANGES)
def test_a_range_ends_at_its_edges(field: str) -> None:
    low, high = RANGES[field]
    company = {"best_of": 9999} if field == "rounds_to_win" else {}
    for edge in (low, high):
        assert settled({field: edge, **company})["best_of" if field == "max_moves" else field] == edge
    for beyond in (low - 1, high + 1):
        with pytest.raises(msgspec.ValidationError, match=field):
            msgspec.convert({field: beyond}, RpsOptions)


@pytest.mark.parametrize(
    "sent",
    [
        *({field: number} for field in RANGES for number in ("3", 3.5, 3.0, True)),
        *({field: None} for field in RpsOptions.__struct_fields__ if field != "max_think_seconds"),
        *({field: flag} for field in ("commit_reveal", "allow_bubbles") for flag in (0, 1, "true")),
        *({field: word} for field in ("termination", "profile") for word in ("", "QUICK", "First_to_win", 1)),
        {"rounds": 3},
        {"turn_seconds": 30},
    ],
)
def test_an_unknown_or_mistyped_option_is_refused(sent: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode(sent), type=RpsOptions)


def test_null_and_a_number_are_different_clocks_and_so_different_queues() -> None:
    assert settled({"max_think_seconds": None}) == DEFAULT
    assert settled({"max_think_seconds": 10}) == DEFAULT | {"max_think_seconds": 10}


def test_the_schema_shows_every_option_with_its_range_and_the_default_it_has() -> None:
    schema = msgspec.json.schema(RpsOptions)["$defs"]["RpsOptions"]
    properties = schema["properties"]
    assert list(properties) == list(RpsOptions.__struct_fields__)
    shown = {name: rule["default"] for name, rule in properties.items() if "default" in rule}
    assert shown == {name: value for name, value in DEFAULT.items() if name != "rounds_to_win"}
    for field, (low, high) in RANGES.items():
        rule = properties[field].get("anyOf", [properties[field]])[0]
        assert (rule["minimum"], rule["maximum"]) == (low, high)
    assert not schema["additionalProperties"]


@pytest.mark.parametrize(("commit_reveal", "actions"), [(False, (Move,)), (True, (Commit, Reveal))])
def test_a_match_has_the_actions_of_its_mode_alone(commit_reveal: bool, actions: tuple[type, ...]) -> None:
    assert RPS.actions_with(RPS.settle(RpsOptions(commit_reveal=commit_reveal))) == actions
    assert RPS.seats(RPS.settle(RpsOptions())) == 2
