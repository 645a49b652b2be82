"""The nearest right word."""

from __future__ import annotations

import pytest

from protocol.suggest import LIKE, closest, odd_blank, shown

METHODS = [
    "session.hello",
    "session.help",
    "lobby.subscribe",
    "lobby.unsubscribe",
    "lobby.games",
    "game.action",
    "game.state",
]


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("lobby.subscibe", "lobby.subscribe"),
        ("lobby.unsubscrbe", "lobby.unsubscribe"),
        ("Session.Hello", "session.hello"),
        ("lobby.game", "lobby.games"),
        ("game.acton", "game.action"),
        ("game.action" + "x" * 20, "game.action"),
    ],
)
def test_the_closest_word_is_named(word: str, nearest: str) -> None:
    assert closest(word, METHODS) == nearest


def test_something_is_named_however_far_off() -> None:
    assert closest("?" * 100, METHODS) in METHODS
    assert closest("", METHODS) in METHODS


@pytest.mark.parametrize(("word", "named"), [("roshambo!", "roshambo"), ("roshabmo", "roshambo"), ("chess", None)])
def test_only_a_word_that_is_like_enough_is_named_where_that_is_asked(word: str, named: str | None) -> None:
    assert closest(word, ["battleship", "roshambo", "rps"], over=LIKE) == named


def test_a_blank_that_only_looks_like_a_space_is_told() -> None:
    assert odd_blank("a b\tc") == ""
    assert odd_blank("a\u00a0b") == "a blank in it is no plain space, but U+00A0"


def test_none_is_named_where_none_is_known() -> None:
    assert closest("x", []) is None


def test_only_the_head_of_a_long_word_is_compared_and_shown() -> None:
    word = "lobby.games" + "x" * 8000
    assert closest(word, METHODS) == closest(word[:48], METHODS)
    assert len(shown(word)) == 51


def test_what_cannot_be_printed_is_not_shown() -> None:
    assert shown("a\x1b[2J\u202eb é") == "a?[2J?b é"
