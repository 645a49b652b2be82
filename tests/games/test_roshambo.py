"""Roshambo as tables of what is sent and what everyone is told, from reference/roshambo.txt."""

from __future__ import annotations

from itertools import product
from random import Random

import msgspec
import pytest
from table import SPECTATOR, Table

from games.contract import Engine, Reason
from games.roshambo import Roshambo, RoshamboOptions

ROCK, PAPER, SCISSORS = (f'{{"type": "move", "move": "{throw}"}}' for throw in ("ROCK", "PAPER", "SCISSORS"))
RETIRE = '{"type": "retire"}'
VIEWERS = ("a", "b", SPECTATOR)


def seated(*names: str, **options: object) -> Table:
    return Table(Roshambo(), msgspec.convert(options, RoshamboOptions), names or ("a", "b"))


def begun(**options: object) -> Table:
    """Return a table whose opening lines have been read."""
    table = seated(**options)
    for viewer in VIEWERS:
        table.told(viewer)
    return table


def shown(player: str, move: str) -> str:
    return f'< game.action {{"type": "move", "player": "{player}", "move": "{move}"}}'


def transcript(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


REFERENCE = {
    "Player0": """
        < game.update {"type": "start", "player": "Player0", "opponent": "Player1", "rounds": 3}
        < game.your_turn
        > {"type": "move", "move": "ROCK"}
        < game.action {"type": "move", "player": "Player0", "move": "ROCK"}
        < game.action {"type": "move", "player": "Player1", "move": "PAPER"}
        < game.your_turn
        > {"type": "move", "move": "PAPER"}
        < game.action {"type": "move", "player": "Player0", "move": "PAPER"}
        < game.action {"type": "move", "player": "Player1", "move": "PAPER"}
        < game.your_turn
        > {"type": "move", "move": "ROCK"}
        < game.action {"type": "move", "player": "Player0", "move": "ROCK"}
        < game.action {"type": "move", "player": "Player1", "move": "SCISSORS"}
    """,
    "Player1": """
        < game.update {"type": "start", "player": "Player1", "opponent": "Player0", "rounds": 3}
        < game.your_turn
        > {"type": "move", "move": "PAPER"}
        < game.action {"type": "move", "player": "Player0", "move": "ROCK"}
        < game.action {"type": "move", "player": "Player1", "move": "PAPER"}
        < game.your_turn
        > {"type": "move", "move": "PAPER"}
        < game.action {"type": "move", "player": "Player0", "move": "PAPER"}
        < game.action {"type": "move", "player": "Player1", "move": "PAPER"}
        < game.your_turn
        > {"type": "move", "move": "SCISSORS"}
        < game.action {"type": "move", "player": "Player0", "move": "ROCK"}
        < game.action {"type": "move", "player": "Player1", "move": "SCISSORS"}
    """,
    SPECTATOR: """
        < game.update {"type": "start", "players": ["Player0", "Player1"], "rounds": 3}
        < game.action {"type": "move", "player": "Player0", "move": "ROCK"}
        < game.action {"type": "move", "player": "Player1", "move": "PAPER"}
        < game.action {"type": "move", "player": "Player0", "move": "PAPER"}
        < game.action {"type": "move", "player": "Player1", "move": "PAPER"}
        < game.action {"type": "move", "player": "Player0", "move": "ROCK"}
        < game.action {"type": "move", "player": "Player1", "move": "SCISSORS"}
    """,
}


@pytest.mark.parametrize("first", ["Player0", "Player1"])
def test_the_complete_game_of_the_reference_whoever_throws_first(first: str) -> None:
    table = seated("Player0", "Player1")
    for throws in (
        {"Player0": ROCK, "Player1": PAPER},
        dict.fromkeys(table.names, PAPER),
        {"Player0": ROCK, "Player1": SCISSORS},
    ):
        for name in sorted(table.names, key=lambda name: name != first):
            table.act(name, throws[name])
    assert {viewer: table.told(viewer) for viewer in table.lines} == {
        viewer: transcript(text) for viewer, text in REFERENCE.items()
    }
    assert table.end() == "DRAW DRAW normal"


@pytest.mark.parametrize(
    ("first", "second", "end"),
    [
        (ROCK, ROCK, "DRAW DRAW normal"),
        (ROCK, PAPER, "LOSS WIN normal"),
        (ROCK, SCISSORS, "WIN LOSS normal"),
        (PAPER, ROCK, "WIN LOSS normal"),
        (PAPER, PAPER, "DRAW DRAW normal"),
        (PAPER, SCISSORS, "LOSS WIN normal"),
        (SCISSORS, ROCK, "LOSS WIN normal"),
        (SCISSORS, PAPER, "WIN LOSS normal"),
        (SCISSORS, SCISSORS, "DRAW DRAW normal"),
    ],
)
def test_each_pair_of_throws_has_its_winner(first: str, second: str, end: str) -> None:
    table = begun(rounds=1)
    table.act("a", first)
    table.act("b", second)
    assert table.end() == end


def test_all_matches_of_three_rounds_end_as_often_as_counted() -> None:
    ends: dict[str, int] = {}
    for throws in product(product((ROCK, PAPER, SCISSORS), repeat=2), repeat=3):
        table = seated()
        for first, second in throws:
            table.act("a", first)
            table.act("b", second)
        ends[table.end()] = ends.get(table.end(), 0) + 1
    assert ends == {"WIN LOSS normal": 270, "LOSS WIN normal": 270, "DRAW DRAW normal": 189}


def test_a_throw_stays_hidden_until_the_other_has_thrown() -> None:
    table = begun()
    table.act("b", PAPER)
    assert (table.told("a"), table.told(SPECTATOR)) == ([], [])
    assert table.view("a") == {"rounds": 3, "played": 0, "points": {"a": 0, "b": 0}, "last": None, "move": None}
    assert table.view("b")["move"] == "PAPER"
    assert "move" not in table.view(SPECTATOR)


def test_the_view_shows_the_score_and_the_last_round() -> None:
    table = begun()
    table.act("a", PAPER)
    table.act("b", ROCK)
    score = {"rounds": 3, "played": 1, "points": {"a": 1, "b": 0}, "last": {"a": "PAPER", "b": "ROCK"}}
    assert table.view(SPECTATOR) == score
    assert table.view("a") == {**score, "move": None}


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_second_throw_in_a_round_is_not_your_turn(name: str) -> None:
    table = begun()
    table.act(name, ROCK)
    assert table.refusal(name, PAPER) == "NOT_YOUR_TURN: you have moved in this round; wait for game.your_turn"
    assert table.refusal(name, '{"type": "move"}').startswith("NOT_YOUR_TURN")


@pytest.mark.parametrize("move", ['"rock"', '"Rock"', '"RETIRE"', '"LIZARD"', '""', "1", "true", "null", "[]"])
def test_anything_but_the_three_throws_is_an_invalid_move(move: str) -> None:
    assert begun().refusal("a", f'{{"type": "move", "move": {move}}}').startswith("INVALID_MOVE")


def test_a_move_without_a_throw_is_an_invalid_move() -> None:
    assert begun().refusal("a", '{"type": "move"}').startswith("INVALID_MOVE")


@pytest.mark.parametrize(("gone", "end"), [("a", "LOSS WIN resigned"), ("b", "WIN LOSS resigned")])
@pytest.mark.parametrize("thrown", ["", "a", "b"])
def test_retiring_is_shown_to_everyone_and_loses_at_any_time(gone: str, end: str, thrown: str) -> None:
    table = begun(pace=5)
    if thrown:
        table.act(thrown, ROCK)
    for viewer in VIEWERS:
        table.told(viewer)
    table.act(gone, RETIRE)
    assert [table.told(viewer)[-1:] for viewer in VIEWERS] == [[shown(gone, "RETIRE")]] * 3
    assert (table.end(), table.turn(), table.engine.due(table.state)) == (end, {}, None)


@pytest.mark.parametrize("reason", [Reason.RESIGNED, Reason.DISCONNECTED, Reason.TIMEOUT])
def test_two_who_are_gone_at_one_instant_are_both_shown_and_nobody_wins(reason: Reason) -> None:
    table = begun()
    table.forfeit("b", "a", reason=reason)
    assert [table.told(viewer) for viewer in VIEWERS] == [[shown("a", "RETIRE"), shown("b", "RETIRE")]] * 3
    assert table.end() == f"VOID VOID {reason}"


def test_retiring_while_the_next_round_is_held_back() -> None:
    table = begun(pace=5)
    table.act("a", ROCK, at=1)
    table.act("b", ROCK, at=1)
    table.act("b", RETIRE, at=2)
    assert table.told(SPECTATOR)[-1] == shown("b", "RETIRE")
    assert (table.end(), table.engine.due(table.state)) == ("WIN LOSS resigned", None)


def test_whoever_has_not_thrown_when_the_clock_runs_out_loses() -> None:
    table = begun()
    assert table.turn() == {"a": 30, "b": 30}
    table.act("a", ROCK, at=29)
    assert table.turn() == {"b": 30}
    table.told("a")
    table.expire(30)
    assert table.told("a") == [shown("b", "RETIRE")]
    assert table.end() == "WIN LOSS timeout"


def test_nobody_wins_where_neither_has_thrown_in_time() -> None:
    table = begun()
    table.expire(30)
    assert table.told(SPECTATOR) == [shown("a", "RETIRE"), shown("b", "RETIRE")]
    assert table.end() == "VOID VOID timeout"


def test_each_round_starts_both_clocks_anew() -> None:
    table = begun()
    table.act("a", ROCK, at=10)
    table.act("b", ROCK, at=25)
    assert table.turn() == {"a": 55, "b": 55}


def test_your_turn_carries_seconds_where_the_options_set_a_clock() -> None:
    table = seated(turn_seconds=10)
    assert table.told("b")[-1] == '< game.your_turn {"seconds": 10}'
    table.act("a", ROCK, at=4)
    table.act("b", ROCK, at=5)
    assert table.told("a")[-1] == '< game.your_turn {"seconds": 10}'
    assert table.turn() == {"a": 15, "b": 15}


def test_pace_holds_the_next_round_back_until_so_long_after_the_start_of_the_last() -> None:
    table = begun(pace=2.5)
    table.act("a", ROCK, at=1)
    table.act("b", PAPER, at=1)
    assert table.told("b") == [f"> {PAPER}", shown("a", "ROCK"), shown("b", "PAPER")]
    assert (table.turn(), table.engine.due(table.state)) == ({}, 2.5)
    assert table.refusal("a", ROCK, at=2).startswith("NOT_YOUR_TURN: the next round is not open yet")
    table.expire(3)
    assert (table.told("b"), table.told(SPECTATOR)[2:]) == (["< game.your_turn"], [])
    assert table.turn() == {"a": 33, "b": 33}
    table.act("a", ROCK, at=4)
    table.act("b", ROCK, at=4)
    assert table.engine.due(table.state) == 5.5


@pytest.mark.parametrize("moved", [2.0, 7.5])
def test_a_round_that_took_as_long_as_the_pace_is_followed_by_the_next_at_once(moved: float) -> None:
    table = begun(pace=2)
    table.act("a", ROCK, at=1)
    table.act("b", ROCK, at=moved)
    assert table.told("a")[-1] == "< game.your_turn"
    assert table.turn() == {"a": moved + 30, "b": moved + 30}


def test_the_last_round_is_followed_by_no_your_turn_whatever_the_pace() -> None:
    table = begun(rounds=1, pace=60)
    table.act("a", ROCK)
    table.act("b", PAPER)
    assert table.told("a")[-1] == shown("b", "PAPER")
    assert (table.end(), table.turn(), table.engine.due(table.state)) == ("LOSS WIN normal", {}, None)


@pytest.mark.parametrize(
    "options",
    [
        *({"rounds": rounds} for rounds in (0, 10_000, True, 3.0, "3", None)),
        *({"pace": pace} for pace in (-0.1, 60.5, "1", True, None)),
        *({"turn_seconds": seconds} for seconds in (0, 3601, 1.5, "10", True)),
        {"pase": 1},
    ],
    ids=str,
)
def test_options_out_of_range_mistyped_or_unknown_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(options, RoshamboOptions)


@pytest.mark.parametrize("rounds", [1, 9999])
def test_random_play_ends_after_the_last_round_with_a_small_view(rounds: int) -> None:
    engine: Engine = Roshambo()
    chance = Random(4)
    state = engine.start(RoshamboOptions(rounds=rounds), 2, 0).state
    for throw in range(2 * rounds):
        assert engine.outcome(state) is None
        seat = throw % 2
        state = engine.apply(state, seat, engine.sample(state, seat, chance), throw).state
    assert engine.outcome(state) is not None
    assert len(str(engine.view(state, 0))) < 1000
