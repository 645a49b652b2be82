"""Rounds of rps thrown without commitments: throws, refusals, clocks, and what stays hidden."""

from __future__ import annotations

from itertools import product
from typing import Any

import msgspec
import pytest
from rps_play import RPS, WORDS, A, B, Play

from games.contract import Refusal
from games.rps import Commit, Move, Reveal

BEATEN = {
    ("rock", "scissors"), ("paper", "rock"), ("scissors", "paper"),
    ("dynamite", "rock"), ("dynamite", "paper"), ("dynamite", "scissors"),
    ("bubbles", "dynamite"),
    ("rock", "bubbles"), ("paper", "bubbles"), ("scissors", "bubbles"),
}  # fmt: skip


@pytest.mark.parametrize("commit_reveal", [False, True])
@pytest.mark.parametrize(("host", "guest"), list(product(WORDS, WORDS)))
def test_each_of_the_25_pairs_of_throws_has_its_winner(host: str, guest: str, commit_reveal: bool) -> None:
    play = Play(best_of=9, dynamite_count=1, allow_bubbles=True, commit_reveal=commit_reveal)
    play.throw(f"{host} {guest}")
    winner = "host" if (host, guest) in BEATEN else "guest" if (guest, host) in BEATEN else "draw"
    assert play.last == (host, guest, winner)
    assert play.score == (winner == "host", winner == "guest")


def test_the_terms_are_told_to_the_byte_and_by_role() -> None:
    terms = (
        '"best_of": 3, "rounds_to_win": 2, "termination": "first_to_win", "round_delay_seconds": 0, '
        '"commit_reveal": false, "allow_bubbles": false, "dynamite_count": 0}'
    )
    assert Play().lines == [
        f'A game.update {{"type": "ready", "role": "host", {terms}',
        f'B game.update {{"type": "ready", "role": "guest", {terms}',
        f'S game.update {{"type": "ready", "role": "spectator", {terms}',
        "AB game.your_turn",
    ]


def test_fixed_rounds_are_told_with_the_majority_as_rounds_to_win() -> None:
    first = Play(profile="tournament", round_delay_seconds=1).lines[0]
    assert first == (
        'A game.update {"type": "ready", "role": "host", "best_of": 500, "rounds_to_win": 251, '
        '"termination": "fixed_rounds", "round_delay_seconds": 1, "commit_reveal": false, "allow_bubbles": true, '
        '"dynamite_count": 50}'
    )


def test_a_round_is_told_to_the_byte_once_both_have_moved() -> None:
    play = Play()
    assert play.act(A, Move("rock")) == []
    assert play.act(B, Move("paper")) == [
        'ABS game.update {"type": "round_result", "round": 0, "host_choice": "rock", "guest_choice": "paper", '
        '"round_winner": "guest", "host_wins": 0, "guest_wins": 1, "game_over": false, "game_winner": "none"}',
        "AB game.your_turn",
    ]
    play.act(B, Move("rock"))
    assert play.act(A, Move("scissors")) == [
        'ABS game.update {"type": "round_result", "round": 1, "host_choice": "scissors", "guest_choice": "rock", '
        '"round_winner": "guest", "host_wins": 0, "guest_wins": 2, "game_over": true, "game_winner": "guest"}',
    ]
    assert play.ending == ("LOSS", "WIN", "normal")
    assert RPS.turn(play.state) == {}
    assert RPS.due(play.state) is None


@pytest.mark.parametrize(
    ("sent", "words", "spare"),
    [
        ({}, "dynamite", "rock, paper or scissors"),
        ({}, "bubbles", "rock, paper or scissors"),
        ({"allow_bubbles": True}, "dynamite", "rock, paper, scissors or bubbles"),
        ({"dynamite_count": 2}, "bubbles", "rock, paper, scissors or dynamite"),
    ],
)
def test_a_throw_that_the_options_do_not_allow_is_an_invalid_move(sent: dict[str, Any], words: Any, spare: str) -> None:
    refused = Play(**sent).refusal(A, Move(words))
    assert refused.code is Refusal.INVALID_MOVE
    assert refused.message == f"{words} is not allowed in this match; throw {spare}"


def test_dynamite_over_the_count_is_an_invalid_move_and_each_counts_their_own() -> None:
    play = Play(best_of=9, dynamite_count=2)
    play.throw("dynamite dynamite", "dynamite rock")
    refused = play.refusal(A, Move("dynamite"))
    assert (refused.code, refused.message) == (
        Refusal.INVALID_MOVE,
        "your dynamite is spent (2); throw rock, paper or scissors",
    )
    play.throw("rock dynamite")
    assert play.refusal(B, Move("dynamite")).code is Refusal.INVALID_MOVE
    assert play.score == (1, 1)


@pytest.mark.parametrize("guest", ["dynamite", "bubbles", "none", "away"])
def test_a_dynamite_is_spent_however_its_round_ends(guest: str) -> None:
    play = Play(best_of=9, dynamite_count=3, allow_bubbles=True)
    play.throw(f"dynamite {guest}")
    assert play.state.hands[A].dynamite == 2


def test_a_missed_move_costs_no_dynamite() -> None:
    play = Play(best_of=9, dynamite_count=3)
    play.throw("none rock")
    assert play.state.hands[A].dynamite == 3


@pytest.mark.parametrize("wrong", [{}, {"move": "Rock"}, {"move": "none"}, {"move": 1}, {"move": None}])
def test_a_move_without_a_word_of_the_game_is_malformed_as_an_invalid_move(wrong: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"type": "move", **wrong}, Move)
    assert Move.malformed is Refusal.INVALID_MOVE
    assert not Move.malformed_field


# Whose turn it is


def test_a_second_move_in_a_round_is_refused_to_either_player() -> None:
    for seat in (A, B):
        play = Play()
        play.act(seat, Move("rock"))
        assert play.refusal(seat, Move("paper")).code is Refusal.NOT_YOUR_TURN
        assert list(RPS.turn(play.state)) == [1 - seat]


@pytest.mark.parametrize("action", [Move("rock"), Commit(0, "0" * 64), Reveal(0, "rock", "0" * 16)])
@pytest.mark.parametrize("seat", [A, B])
def test_nobody_acts_in_a_pause_or_after_the_end(seat: int, action: Any) -> None:
    play = Play(round_delay_seconds=2)
    play.throw("rock rock")
    assert play.refusal(seat, action).code is Refusal.NOT_YOUR_TURN
    play.leave(A)
    assert play.refusal(seat, action).code is Refusal.NOT_YOUR_TURN


# Clocks


@pytest.mark.parametrize(
    ("sent", "seconds", "turn"),
    [
        ({}, 10, "AB game.your_turn"),
        ({"min_think_seconds": 1}, 11, "AB game.your_turn"),
        ({"min_think_seconds": 60}, 70, "AB game.your_turn"),
        ({"max_think_seconds": 1}, 1, 'AB game.your_turn {"seconds": 1}'),
        ({"max_think_seconds": 600, "min_think_seconds": 60}, 600, 'AB game.your_turn {"seconds": 600}'),
    ],
)
def test_each_your_turn_starts_the_clock_that_the_options_set(sent: dict[str, Any], seconds: int, turn: str) -> None:
    play = Play(best_of=9, **sent)
    assert play.lines[-1] == turn
    assert RPS.turn(play.state) == {A: seconds, B: seconds}
    assert RPS.due(play.state) == seconds
    moved = play.state.terms.min_think_seconds + 0.5
    play.act(A, Move("rock"), moved)
    assert RPS.turn(play.state) == {B: seconds}
    assert play.act(B, Move("rock"), moved)[-1] == turn
    assert RPS.due(play.state) == moved + seconds


@pytest.mark.parametrize(("at", "wait"), [(0, 3), (0.5, 2.5), (2.9999, 0.001)])
def test_a_move_before_min_think_seconds_is_too_soon(at: float, wait: float) -> None:
    play = Play(min_think_seconds=3)
    refused = play.refusal(A, Move("bubbles"), at)
    assert refused.code is Refusal.TOO_SOON
    assert refused.extra == {"retry_after": wait}
    play.act(A, Move("rock"), at + wait)


def test_the_turn_is_looked_at_before_the_time() -> None:
    play = Play(min_think_seconds=3)
    play.act(A, Move("rock"), 3)
    play.act(B, Move("rock"), 3)
    assert play.refusal(A, Move("rock"), 5).extra == {"retry_after": 1}
    play.act(A, Move("rock"), 6)
    assert play.refusal(A, Move("rock"), 6).code is Refusal.NOT_YOUR_TURN


def test_a_round_delay_holds_back_your_turn_from_the_end_of_the_round() -> None:
    play = Play(round_delay_seconds=5, min_think_seconds=1)
    play.act(A, Move("rock"), 2)
    told = play.act(B, Move("rock"), 4)
    assert len(told) == 1
    assert RPS.turn(play.state) == {}
    assert RPS.due(play.state) == 9
    assert play.state.round == 1
    assert play.strike() == ["AB game.your_turn"]
    assert RPS.turn(play.state) == {A: 20, B: 20}
    assert play.refusal(A, Move("rock"), 9.5).extra == {"retry_after": 0.5}


def test_a_round_that_time_ended_is_followed_by_the_same_delay() -> None:
    play = Play(round_delay_seconds=5)
    assert len(play.strike()) == 1
    assert RPS.due(play.state) == 15


# What may be known


def test_a_hidden_move_changes_nothing_for_anyone_else() -> None:
    play = Play(dynamite_count=2, allow_bubbles=True)
    before = [RPS.view(play.state, who) for who in (A, B, None)]
    for word in ("rock", "dynamite"):
        fresh = Play(dynamite_count=2, allow_bubbles=True)
        assert fresh.act(A, Move(word)) == []
        after = [RPS.view(fresh.state, who) for who in (A, B, None)]
        assert after[1:] == before[1:]
        assert after[0] == {**before[0], "move": word}


def test_a_hidden_move_stays_hidden_when_the_match_is_broken_off() -> None:
    views = []
    for word in ("rock", "dynamite"):
        play = Play(dynamite_count=2)
        play.act(A, Move(word))
        assert play.leave(B) == []
        views.append([RPS.view(play.state, who) for who in (B, None)])
        assert RPS.view(play.state, A)["move"] == word
    assert views[0] == views[1]


def test_a_view_shows_the_score_the_dynamite_left_and_the_last_round() -> None:
    play = Play(best_of=9, dynamite_count=2)
    play.throw("dynamite rock")
    play.act(B, Move("dynamite"))
    shown = {
        "role": "guest",
        "phase": "move",
        "round": 1,
        "host_wins": 1,
        "guest_wins": 0,
        "host_dynamite": 1,
        "guest_dynamite": 2,
        "move": "dynamite",
        "last_round": {
            "round": 0,
            "host_choice": "dynamite",
            "guest_choice": "rock",
            "round_winner": "host",
            "host_wins": 1,
            "guest_wins": 0,
            "game_over": False,
            "game_winner": "none",
        },
    }
    assert RPS.view(play.state, B) == shown
    assert RPS.view(play.state, A) == shown | {"role": "host", "move": None}
    del shown["move"]
    assert RPS.view(play.state, None) == shown | {"role": "spectator"}
