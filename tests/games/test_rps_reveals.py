"""Reveals of rps: what a false one costs and what a withheld one does, and the clocks of both phases."""

from __future__ import annotations

from typing import Any

import pytest
from rps_play import NONCE, RPS, A, B, Play, nonce

from games.contract import Refusal
from games.rps import Reveal


def new(**sent: Any) -> Play:
    """Return a match with commitments."""
    return Play(**{"best_of": 9, "commit_reveal": True, **sent})


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("liar", [A, B])
@pytest.mark.parametrize(
    ("sent", "bound", "shown", "changed"),
    [
        ({}, "rock", "paper", False),
        ({}, "rock", "rock", True),
        ({}, "dynamite", "dynamite", False),
        ({}, "bubbles", "bubbles", False),
        ({"dynamite_count": 1}, "bubbles", "bubbles", False),
        ({"allow_bubbles": True}, "dynamite", "dynamite", False),
        ({"dynamite_count": 1}, "rock", "dynamite", False),
    ],
)  # fmt: skip
def test_a_false_reveal_is_shown_and_ends_the_match(
    *, sent: dict[str, Any], bound: str, shown: Any, changed: bool, liar: int, first: bool
) -> None:
    words = [bound, "rock"] if liar == A else ["rock", bound]
    play = new(**sent).both_commit(*words)
    if not first:
        play.act(1 - liar, play.reveal(1 - liar, "rock"))
    used = NONCE if changed else nonce(liar, 0)
    name = "ab"[liar]
    assert play.act(liar, Reveal(0, shown, used)) == [
        f'ABS game.action {{"type": "reveal", "player": "{name}", "round": 0, "choice": "{shown}", "nonce": "{used}"}}'
    ]
    assert play.ending == (*(("LOSS", "WIN") if liar == A else ("WIN", "LOSS")), "commit_mismatch")
    assert RPS.view(play.state, None)["host_choice" if liar == A else "guest_choice"] == shown
    assert RPS.view(play.state, None)["last_round"] is None
    assert RPS.turn(play.state) == {}
    assert RPS.due(play.state) is None


def test_a_dynamite_over_the_count_is_a_false_reveal_and_the_last_one_is_not() -> None:
    play = new(dynamite_count=2)
    play.throw("dynamite rock", "dynamite rock")
    assert play.state.hands[A].dynamite == 0
    play.act(A, play.commit(A, "dynamite"))
    play.act(B, play.commit(B, "dynamite"))
    play.act(B, play.reveal(B, "dynamite"))
    assert play.ending is None
    play.act(A, play.reveal(A, "dynamite"))
    assert play.ending == ("LOSS", "WIN", "commit_mismatch")


# Clocks


def test_both_phases_have_their_own_clock_and_only_a_commit_has_to_wait() -> None:
    play = Play(commit_reveal=True, min_think_seconds=3)
    assert RPS.turn(play.state) == {A: 13, B: 13}
    assert play.refusal(A, play.commit(A, "rock"), 2).extra == {"retry_after": 1}
    assert play.refusal(A, play.reveal(A, "rock"), 2).code is Refusal.NOT_YOUR_TURN
    play.act(A, play.commit(A, "rock"), 3)
    assert RPS.turn(play.state) == {B: 13}
    play.act(B, play.commit(B, "rock"), 5)
    assert RPS.turn(play.state) == {A: 18, B: 18}
    play.act(A, play.reveal(A, "rock"), 5)
    assert RPS.turn(play.state) == {B: 18}
    play.act(B, play.reveal(B, "rock"), 17)
    assert RPS.turn(play.state) == {A: 30, B: 30}
    assert play.refusal(A, play.commit(A, "rock"), 19).extra == {"retry_after": 1}


@pytest.mark.parametrize(("seat", "winner"), [(A, "host"), (B, "guest")])
def test_a_withheld_commit_gives_the_round_to_the_committer_with_both_choices_none(seat: int, winner: str) -> None:
    play = new(dynamite_count=2)
    play.act(seat, play.commit(seat, "dynamite"))
    assert len(play.strike()) == 2
    assert play.last == ("none", "none", winner)
    assert [hand.dynamite for hand in play.state.hands] == [2, 2]
    assert play.state.hands[seat].missed == 0
    assert play.state.hands[1 - seat].missed == 1


@pytest.mark.parametrize(
    ("revealed", "away", "last", "dynamite"),
    [
        ((A,), (), ("rock", "none", "host"), [2, 1]),
        ((B,), (), ("none", "paper", "guest"), [1, 2]),
        ((), (), ("none", "none", "draw"), [1, 1]),
        ((), (A, B), ("none", "none", "draw"), [1, 1]),
        ((A,), (B,), ("rock", "none", "host"), [2, 1]),
    ],
)
def test_a_withheld_reveal_loses_the_round_and_a_dynamite(
    revealed: tuple[int, ...], away: tuple[int, ...], last: tuple[str, str, str], dynamite: list[int]
) -> None:
    play = new(dynamite_count=2).both_commit()
    for seat in revealed:
        play.act(seat, play.reveal(seat, ("rock", "paper")[seat]))
    play.strike(away)
    assert play.last == last
    assert [hand.dynamite for hand in play.state.hands] == dynamite
    assert [hand.missed for hand in play.state.hands] == [int(s not in revealed and s not in away) for s in (A, B)]
    assert play.state.phase == "commit"


def test_a_withheld_reveal_takes_a_dynamite_only_while_one_is_left() -> None:
    play = new(dynamite_count=1).both_commit()
    play.strike()
    assert [hand.dynamite for hand in play.state.hands] == [0, 0]
    play.both_commit("rock", "rock")
    play.strike()
    assert [hand.dynamite for hand in play.state.hands] == [0, 0]


def test_three_reveals_withheld_in_a_row_lose_the_match() -> None:
    play = new()
    for _ in range(3):
        play.both_commit("rock", "rock")
        play.act(A, play.reveal(A, "rock"))
        told = play.strike()
    assert told == [
        'ABS game.update {"type": "round_result", "round": 2, "host_choice": "rock", "guest_choice": "none", '
        '"round_winner": "host", "host_wins": 3, "guest_wins": 0, "game_over": true, "game_winner": "host"}'
    ]
    assert play.ending == ("WIN", "LOSS", "timeout")


def test_commit_and_reveal_missed_in_turn_make_one_row() -> None:
    play = new()
    play.throw("none rock")
    play.both_commit("rock", "rock")
    play.act(B, play.reveal(B, "rock"))
    play.strike()
    play.throw("none rock")
    assert play.ending == ("LOSS", "WIN", "timeout")
