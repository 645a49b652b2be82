"""Endings of rps: missed rounds, scores, the round limit, leaving; every match ends."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from rps_play import RPS, WORDS, A, B, Play

from games.contract import Reason
from games.rps import Move
from games.rps_options import RpsOptions
from games.rps_rounds import Phase


@pytest.mark.parametrize(
    ("words", "last"),
    [
        ("none rock", ("none", "rock", "guest")),
        ("paper none", ("paper", "none", "host")),
        ("away rock", ("none", "rock", "guest")),
        ("none none", ("none", "none", "draw")),
        ("none away", ("none", "none", "draw")),
    ],
)
def test_out_of_time_forfeits_the_round_and_not_the_match(words: str, last: tuple[str, str, str]) -> None:
    play = Play()
    play.throw(words)
    assert play.last == last
    assert play.ending is None
    assert play.lines[-1] == "AB game.your_turn"


MISSES = [
    (["none rock"] * 3, ("LOSS", "WIN", "timeout"), "guest"),
    (["rock none"] * 3, ("WIN", "LOSS", "timeout"), "host"),
    (["none none"] * 3, ("VOID", "VOID", "timeout"), "none"),
    (["none rock"] * 2, None, "none"),
    (["none rock", "none rock", "rock rock", "none rock", "none rock"], None, "none"),
    (["none rock", "none none", "none rock"], ("LOSS", "WIN", "timeout"), "guest"),
    (["none none", "none none", "rock none"], ("WIN", "LOSS", "timeout"), "host"),
    # Misses of one who is away neither count nor break the row.
    (["away rock"] * 8, None, "none"),
    (["away away"] * 30, None, "none"),
    (["none rock", "away rock", "none rock", "away rock"], None, "none"),
    (["none rock", "away rock", "none rock", "away rock", "none rock"], ("LOSS", "WIN", "timeout"), "guest"),
    (["none none", "none none", "none away"], ("LOSS", "WIN", "timeout"), "guest"),
    (["none none", "none none", "away away", "none none"], ("VOID", "VOID", "timeout"), "none"),
]


@pytest.mark.parametrize("commit_reveal", [False, True])
@pytest.mark.parametrize(("rounds", "ending", "winner"), MISSES)
def test_three_misses_in_a_row_lose_the_match(
    rounds: list[str], ending: tuple[str, str, str] | None, winner: str, commit_reveal: bool
) -> None:
    play = Play(best_of=99, commit_reveal=commit_reveal)
    play.throw(*rounds)
    assert play.ending == ending
    assert play.state.last is not None
    assert (play.state.last.game_over, play.state.last.game_winner) == (ending is not None, winner)
    assert play.lines[-1].startswith("ABS game.update" if ending else "AB game.your_turn")


@pytest.mark.parametrize(
    "sent",
    [{"best_of": 3, "rounds_to_win": 3}, {"max_moves": 3}, {"max_moves": 6}, {"best_of": 6, "rounds_to_win": 3}],
)
def test_a_row_of_misses_counts_before_any_score(sent: dict[str, Any]) -> None:
    play = Play(**sent)
    leads = ["rock scissors"] * (3 if sent == {"max_moves": 6} else 0)
    play.throw(*leads, *["none rock"] * 3)
    assert play.ending == ("LOSS", "WIN", "timeout")


# Endings


@pytest.mark.parametrize(
    ("sent", "rounds", "ending", "winner"),
    [
        ({"profile": "quick"}, ["rock scissors"], ("WIN", "LOSS", "normal"), "host"),
        ({}, ["rock scissors", "rock rock", "scissors rock", "rock paper"], ("LOSS", "WIN", "normal"), "guest"),
        ({"best_of": 3, "rounds_to_win": 1}, ["rock rock", "rock paper"], ("LOSS", "WIN", "normal"), "guest"),
        ({"best_of": 3, "rounds_to_win": 3}, ["rock paper"] * 2, None, "none"),
        ({}, ["rock none"] * 2, ("WIN", "LOSS", "normal"), "host"),
        ({"max_moves": 2}, ["rock scissors", "rock scissors"], ("WIN", "LOSS", "normal"), "host"),
        ({"max_moves": 3}, ["rock scissors", "rock scissors"], None, "none"),
        ({"max_moves": 2}, ["rock scissors", "scissors rock"], ("DRAW", "DRAW", "normal"), "draw"),
        ({"max_moves": 1}, ["rock rock"], ("DRAW", "DRAW", "normal"), "draw"),
        ({"max_moves": 1}, ["none none"], ("DRAW", "DRAW", "normal"), "draw"),
        ({"best_of": 10}, ["rock rock"] * 99, None, "none"),
        ({"best_of": 10}, ["rock rock"] * 100, ("DRAW", "DRAW", "round_limit"), "draw"),
        ({"profile": "quick"}, ["rock rock"] * 100, ("DRAW", "DRAW", "round_limit"), "draw"),
        ({}, ["rock paper"] + ["rock rock"] * 99, ("LOSS", "WIN", "round_limit"), "guest"),
        ({}, ["rock rock"] * 99 + ["rock scissors"], ("WIN", "LOSS", "round_limit"), "host"),
        ({}, ["rock scissors"] + ["rock rock"] * 98 + ["rock scissors"], ("WIN", "LOSS", "normal"), "host"),
        ({"best_of": 11}, ["rock rock"] * 109, None, "none"),
        ({"best_of": 11}, ["rock rock"] * 110, ("DRAW", "DRAW", "round_limit"), "draw"),
        ({"max_moves": 101}, ["rock rock"] * 100, None, "none"),
    ],
)
def test_a_match_ends_when_its_terms_say_so(
    sent: dict[str, Any], rounds: list[str], ending: tuple[str, str, str] | None, winner: str
) -> None:
    play = Play(**sent)
    play.throw(*rounds)
    assert play.ending == ending
    assert play.state.last is not None
    assert (play.state.last.game_over, play.state.last.game_winner) == (ending is not None, winner)


@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("reason", [Reason.RESIGNED, Reason.DISCONNECTED])
@pytest.mark.parametrize(
    ("seats", "results"), [((A,), ("LOSS", "WIN")), ((B,), ("WIN", "LOSS")), ((A, B), ("VOID", "VOID"))]
)
def test_leaving_ends_the_match_at_once_in_every_phase(
    phase: Phase, reason: Reason, seats: tuple[int, ...], results: tuple[str, str]
) -> None:
    play = in_phase(phase)
    if phase is not Phase.OVER:
        assert play.leave(*seats, reason=reason) == []
        assert play.ending == (*results, reason)
    assert RPS.turn(play.state) == {}
    assert RPS.due(play.state) is None


def in_phase(phase: Phase) -> Play:
    """Return a match in this phase, where the host leads and has acted, if it can."""
    play = Play(
        best_of=9, round_delay_seconds=2 if phase is Phase.PAUSE else 0, commit_reveal=phase in ("commit", "reveal")
    )
    play.throw("rock scissors")
    match phase:
        case Phase.MOVE:
            play.act(A, Move("rock"))
        case Phase.COMMIT:
            play.act(A, play.commit(A, "rock"))
        case Phase.REVEAL:
            play.act(A, play.commit(A, "rock"))
            play.act(B, play.commit(B, "rock"))
            play.act(A, play.reveal(A, "rock"))
        case Phase.OVER:
            play.leave(B)
    assert play.state.phase is phase
    return play


@pytest.mark.parametrize("commit_reveal", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_sampled_actions_play_every_match_to_its_end(seed: int, commit_reveal: bool) -> None:
    chance = Random(seed)
    play = Play(max_moves=40, dynamite_count=4, allow_bubbles=True, commit_reveal=commit_reveal)
    thrown: set[str | None] = set()
    while turn := RPS.turn(play.state):
        seat = chance.choice(list(turn))
        play.act(seat, RPS.sample(play.state, seat, chance))
        thrown |= {play.state.last.host_choice} if play.state.last else set()
    assert play.ending is not None
    assert play.ending[2] == "normal"
    assert thrown >= set(WORDS)


def test_the_longest_match_ends_and_keeps_a_small_view() -> None:
    play = Play(best_of=9999, rounds_to_win=9999)
    state = play.state
    rounds = 0
    while RPS.outcome(state) is None:
        for seat in (A, B):
            state = RPS.apply(state, seat, Move("rock"), 0).state
        rounds += 1
        assert rounds <= 99_990
    assert rounds == 99_990
    assert len(msgspec.json.encode(RPS.view(state, A))) < 1000


def test_options_decoded_from_json_begin_the_same_match() -> None:
    options = RPS.settle(RpsOptions(profile="tournament"))
    again = msgspec.json.decode(msgspec.json.encode(options), type=RpsOptions)
    assert RPS.start(again, 2, 1) == RPS.start(options, 2, 1)
