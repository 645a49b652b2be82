"""Tic-tac-toe: inputs and what comes of them, no server in sight."""

from collections import Counter
from collections.abc import Iterable

import pytest
from tictactoe import Mark, State, TicTacToe, TicTacToeOptions

from games.check import check_game
from games.contract import PLAYER, Fact, Outcome, Reason, Refused, Result, acted, update, your_turn

GAME = TicTacToe()


def begun(**options: object) -> State:
    return GAME.start(TicTacToeOptions(**options), 2, seed=0).state


def played(squares: Iterable[int], state: State | None = None) -> tuple[State, tuple[Fact, ...]]:
    """Mark squares in turn, a second each; return the state and the facts of the last."""
    state, facts = state or begun(), ()
    for second, square in enumerate(squares, start=1):
        seat = state.mover
        GAME.admit(state, seat, Mark, second)
        step = GAME.apply(state, seat, Mark(square), second)
        state, facts = step.state, step.facts
    return state, facts


def test_a_match_begins_with_the_marks_and_the_first_turn():
    step = GAME.start(TicTacToeOptions(), 2, seed=0)
    assert step.facts == (update({"type": "start", "marks": {PLAYER[0]: "X", PLAYER[1]: "O"}}), your_turn((0,)))
    assert GAME.turn(step.state) == {0: 60.0}


def test_a_mark_is_shown_to_everyone_and_the_turn_passes():
    state, facts = played([4])
    assert facts == (acted({"type": "mark", "player": PLAYER[0], "square": 4}), your_turn((1,)))
    assert GAME.turn(state) == {1: 61.0}
    assert GAME.view(state, 1) == {"board": [None] * 4 + [PLAYER[0]] + [None] * 4}


@pytest.mark.parametrize(
    ("squares", "results"),
    [
        ((0, 3, 1, 4, 2), (Result.WIN, Result.LOSS)),
        ((0, 2, 1, 4, 8, 6), (Result.LOSS, Result.WIN)),
        ((0, 1, 2, 4, 3, 5, 7, 6, 8), (Result.DRAW, Result.DRAW)),
        ((0, 1, 2, 3, 4, 5, 7, 6, 8), (Result.WIN, Result.LOSS)),  # the last free square still wins
    ],
)
def test_three_in_a_row_win_and_a_full_board_is_a_draw(squares: tuple[int, ...], results: tuple[Result, ...]):
    state, facts = played(squares)
    assert state.outcome == Outcome(results, Reason.NORMAL)
    assert (len(facts), GAME.turn(state), GAME.due(state)) == (1, {}, None)


def test_nobody_moves_out_of_turn():
    with pytest.raises(Refused, match=r"wait for game\.your_turn"):
        GAME.admit(begun(), 1, Mark, 1.0)


def test_a_square_is_marked_once():
    with pytest.raises(Refused, match="square 4 is taken; free are 0, 1, 2, 3, 5, 6, 7, 8"):
        played([4, 4])


@pytest.mark.parametrize(("seconds", "due"), [(None, 60.0), (5, 5.0)])
def test_whoever_runs_out_of_time_has_lost(seconds: int | None, due: float):
    state = begun(turn_seconds=seconds)
    assert GAME.due(state) == due
    over = GAME.expire(state, due, frozenset()).state
    assert over.outcome == Outcome((Result.LOSS, Result.WIN), Reason.TIMEOUT)


def test_a_clock_that_was_asked_for_is_told():
    assert GAME.start(TicTacToeOptions(turn_seconds=5), 2, seed=0).facts[-1] == your_turn((0,), 5)


def test_by_lot_either_begins_and_the_seed_says_who():
    options = TicTacToeOptions(first="drawn")
    movers = [GAME.start(options, 2, seed).state.mover for seed in range(40)]
    assert set(movers) == {0, 1}
    assert movers == [GAME.start(options, 2, seed).state.mover for seed in range(40)]


def test_every_position_is_reached_and_every_end_counted():
    seen = {begun().board: begun()}
    waiting = list(seen.values())
    while waiting:
        state = waiting.pop()
        for square in range(9) if state.outcome is None else ():
            if state.board[square] is None:
                after = GAME.apply(state, state.mover, Mark(square), 0.0).state
                if after.board not in seen:
                    seen[after.board] = after
                    waiting.append(after)
    ends = Counter(state.outcome.results[0] for state in seen.values() if state.outcome)
    assert len(seen) == 5478
    assert ends == {Result.WIN: 626, Result.LOSS: 316, Result.DRAW: 16}


def test_the_game_meets_the_contract():
    assert check_game("tictactoe", TicTacToe, matches=200).report == ""
