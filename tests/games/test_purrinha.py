"""Purrinha's rules as inputs and what they lead to, half-sentence by half-sentence of the wire contract."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from random import Random
from typing import Any, cast

import msgspec
import pytest

from games.contract import PLAYER, SPECTATORS, Action, Fact, Out, Player, Reason, Refused, Step, only
from games.purrinha import PickInitialNumber, Purrinha, SumGuessed
from games.purrinha_table import PurrinhaOptions

NAMES = "abcd"
GAME = Purrinha()


class Table:
    """One match, driven by hand; remembers the last step, and what each viewer was told since the last input."""

    def __init__(self, players: int = 2, points: int = 3, turn_seconds: int | None = None) -> None:
        self.options = PurrinhaOptions(players=players, points=points, turn_seconds=turn_seconds)
        self.now = 0.0
        self.out: set[int] = set()
        self._take(GAME.start(self.options, players, seed=1))

    def _take(self, step: Step) -> Table:
        self.step, self.state = step, step.state
        self.lines: dict[int | None, list[str]] = {viewer: [] for viewer in (*range(self.options.players), None)}
        for fact in step.facts:
            if isinstance(fact, Out):
                self.lines[fact.seat].append(f"LOSS {fact.reason}")
                self.out.add(fact.seat)
                continue
            for viewer, lines in self.lines.items():
                audience = SPECTATORS if viewer is None else only(viewer)
                if fact.to & audience and viewer not in self.out:
                    lines.append(line(fact))
        return self

    def pick(self, seat: int, number: int) -> Table:
        return self.act(seat, PickInitialNumber(number))

    def guess(self, seat: int, number: int) -> Table:
        return self.act(seat, SumGuessed(number))

    def act(self, seat: int, action: Action) -> Table:
        GAME.admit(self.state, seat, type(action), self.now)
        return self._take(GAME.apply(self.state, seat, cast(Any, action), self.now))

    def picks(self, *numbers: int) -> Table:
        for seat, number in enumerate(numbers):
            self.pick(seat, number)
        return self

    def leave(self, *seats: int, reason: Reason = Reason.RESIGNED) -> Table:
        return self._take(GAME.forfeit(self.state, frozenset(seats), reason, self.now))

    def strike(self) -> Table:
        due = GAME.due(self.state)
        assert due is not None
        self.now = due
        return self._take(GAME.expire(self.state, due, frozenset()))

    def brief(self, viewer: int | None = 0) -> list[str]:
        return [short(text) for text in self.lines[viewer]]

    @property
    def turn(self) -> list[int]:
        return sorted(GAME.turn(self.state))

    @property
    def results(self) -> tuple[str, str] | None:
        outcome = GAME.outcome(self.state)
        return None if outcome is None else (" ".join(outcome.results), outcome.reason)


def named(value: Any) -> Any:
    if isinstance(value, Player):
        return NAMES[value.seat]
    if isinstance(value, dict):
        return {named(key): named(item) for key, item in value.items()}
    return value


def line(fact: Fact) -> str:
    return fact.name if fact.body is None else f"{fact.name} {json.dumps(named(fact.body))}"


def short(text: str) -> str:
    """Put a line into few words: `choosing ?-`, one mark a seat (`?` picked, `-` not, or the pick shown)."""
    name, _, body = text.partition(" ")
    if name not in ("game.update", "game.action"):
        return text
    data = json.loads(body)
    match data["type"]:
        case "game_state":
            marks = {True: "?", False: "-"}
            hands = [
                marks[q] if isinstance(q := hand["quantity"], bool) else str(q) for hand in data["players"].values()
            ]
            turn = f" player{data['player_turn']}" if data["player_turn"] else ""
            winner = f" {data['winner']}" if data["round"] == "finished" else ""
            return f"{data['round']} {''.join(hands)}{turn}{winner}"
        case "player_left":
            return f"{data['player']} left {data['reason']}"
        case kind:
            return f"{kind} {data['player']} {data['selected_value']}"


# -- the lines


def test_the_first_state_is_the_contracts_line_to_the_byte() -> None:
    assert Table().lines[0] == [
        'game.update {"type": "game_state", "available_to_guess": [0, 1, 2, 3, 4, 5, 6], "error_message": null, '
        '"history": {"a": 0, "b": 0}, "players": {"player1": {"id": 1, "name": "a", "quantity": false, "guess": -1}, '
        '"player2": {"id": 2, "name": "b", "quantity": false, "guess": -1}}, "result": "waiting", "round": "choosing", '
        '"player_turn": null, "winner": "waiting"}',
        "game.your_turn",
    ]


def test_a_finished_state_shows_picks_sum_winner_and_the_set_just_won() -> None:
    table = Table().picks(1, 2).guess(0, 5).guess(1, 3)
    assert table.lines[None][:2] == [
        'game.action {"type": "sum_guessed", "player": "b", "selected_value": 3}',
        'game.update {"type": "game_state", "available_to_guess": [], "error_message": null, '
        '"history": {"a": 0, "b": 1}, "players": {"player1": {"id": 1, "name": "a", "quantity": 1, "guess": 5}, '
        '"player2": {"id": 2, "name": "b", "quantity": 2, "guess": 3}}, "result": 3, "round": "finished", '
        '"player_turn": null, "winner": "b"}',
    ]


def test_a_guess_is_shown_and_leaves_the_rest_to_guess() -> None:
    table = Table().picks(1, 2).guess(0, 5)
    action, state, turn = table.lines[1]
    assert action == 'game.action {"type": "sum_guessed", "player": "a", "selected_value": 5}'
    assert '"available_to_guess": [0, 1, 2, 3, 4, 6]' in state
    assert '"player_turn": 2' in state
    assert turn == "game.your_turn"
    assert table.brief(0) == ["sum_guessed a 5", "guessing ?? player2"]


def test_a_whole_set_of_three_tells_one_state_an_action() -> None:
    table = Table(players=3)
    told = [table.brief(0)]
    told.append(table.pick(2, 0).brief(0))
    told.append(table.pick(0, 3).brief(0))
    told.append(table.pick(1, 1).brief(0))
    told.append(table.guess(0, 9).brief(0))
    told.append(table.guess(1, 4).brief(0))
    told.append(table.guess(2, 0).brief(0))
    assert told == [
        ["choosing ---", "game.your_turn"],
        ["choosing --?"],
        ["choosing ?-?"],
        ["guessing ??? player1", "game.your_turn"],
        ["sum_guessed a 9", "guessing ??? player2"],
        ["sum_guessed b 4", "guessing ??? player3"],
        ["sum_guessed c 0", "finished 310 b", "choosing ---", "game.your_turn"],
    ]


def test_the_turn_that_wins_the_match_is_followed_by_the_result_alone() -> None:
    table = Table(points=1).picks(1, 2).guess(0, 3).guess(1, 6)
    assert table.brief() == ["sum_guessed b 6", "finished 12 a"]
    assert table.results == ("WIN LOSS", "normal")
    assert table.turn == []
    assert GAME.due(table.state) is None


def test_a_spectator_gets_every_state_and_no_turn() -> None:
    table = Table()
    assert table.brief(None) == ["choosing --"]
    assert table.pick(1, 2).brief(None) == ["choosing -?"]


def test_nobody_guessed_the_sum_is_a_tie_without_a_point() -> None:
    table = Table().picks(0, 0).guess(0, 5).guess(1, 6)
    assert table.brief()[1] == "finished 00 tie"
    assert table.state.won == (0, 0)


def test_every_your_turn_shows_seconds_only_where_the_options_set_a_clock() -> None:
    assert Table(turn_seconds=10).lines[0][-1] == 'game.your_turn {"seconds": 10}'
    assert Table().lines[0][-1] == "game.your_turn"


# -- turns and refusals


def test_the_lead_moves_on_by_one_seat_each_set_beginning_with_the_first() -> None:
    table, leads = Table(players=3, points=99), []
    for _ in range(4):
        table.picks(0, 0, 0)
        leads.append(table.turn[0])
        for number in (7, 8, 9):
            table.guess(table.turn[0], number)
    assert leads == [0, 1, 2, 0]


CHOOSING: list[Any] = []
ONE_PICKED = [("pick", 0, 1)]
GUESSING = [("pick", 0, 1), ("pick", 1, 2)]
ONE_GUESSED = [*GUESSING, ("guess", 0, 4)]


@pytest.mark.parametrize(
    ("played", "wrong", "code"),
    [
        (CHOOSING, ("pick", 0, -1), "INVALID_MOVE"),
        (CHOOSING, ("pick", 0, 4), "INVALID_MOVE"),
        (CHOOSING, ("guess", 0, 3), "NOT_YOUR_TURN"),
        (ONE_PICKED, ("pick", 0, 1), "NOT_YOUR_TURN"),
        (ONE_PICKED, ("pick", 0, 99), "NOT_YOUR_TURN"),
        (GUESSING, ("pick", 0, 1), "NOT_YOUR_TURN"),
        (GUESSING, ("guess", 1, 3), "NOT_YOUR_TURN"),
        (GUESSING, ("guess", 1, 99), "NOT_YOUR_TURN"),
        (GUESSING, ("guess", 0, -1), "INVALID_MOVE"),
        (GUESSING, ("guess", 0, 7), "INVALID_MOVE"),
        (ONE_GUESSED, ("guess", 0, 3), "NOT_YOUR_TURN"),
        (ONE_GUESSED, ("guess", 1, 4), "INVALID_MOVE"),
    ],
)
def test_what_the_rules_do_not_allow_is_refused(played: list[Any], wrong: tuple[str, int, int], code: str) -> None:
    table = Table()
    for verb, seat, number in played:
        getattr(table, verb)(seat, number)
    with pytest.raises(Refused) as refused:
        getattr(table, wrong[0])(*wrong[1:])
    assert refused.value.code == code


def test_a_taken_guess_is_free_again_in_the_next_set() -> None:
    table = Table().picks(0, 0).guess(0, 5).guess(1, 6)
    table.picks(0, 0).guess(1, 5).guess(0, 6)
    assert table.state.sets == 2


def test_whoever_has_left_is_refused() -> None:
    table = Table(players=3).leave(2)
    with pytest.raises(Refused, match="you have left"):
        table.pick(2, 1)


@pytest.mark.parametrize(
    "wrong", [{}, {"selected_value": None}, {"selected_value": True}, {"selected_value": "2"}, {"selected_value": 2.5}]
)
@pytest.mark.parametrize("kind", GAME.actions)
def test_a_missing_or_mistyped_value_is_an_invalid_move(kind: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"type": kind.__struct_config__.tag, **wrong}, kind)
    assert kind.malformed == "INVALID_MOVE"


@pytest.mark.parametrize(
    "wrong", [{"players": 1}, {"players": 5}, {"points": 0}, {"points": 100}, {"turn_seconds": 0}, {"teams": 2}]
)
def test_options_out_of_range_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, PurrinhaOptions)


# -- leaving


def test_leaving_a_table_of_two_ends_it_with_nothing_but_the_result() -> None:
    for table in (Table(), Table().pick(0, 1), Table().picks(1, 2), Table().picks(1, 2).guess(0, 3)):
        table.leave(0)
        assert table.step.facts == ()
        assert table.results == ("LOSS WIN", "resigned")


def test_while_choosing_the_leavers_pick_goes_and_the_others_stand() -> None:
    table = Table(players=3).pick(0, 1).pick(2, 3).leave(2)
    assert table.brief(2) == ["c left resigned", "LOSS resigned"]
    for viewer in (0, 1, None):
        assert table.brief(viewer) == ["c left resigned", "choosing ?--"]
    assert table.results is None
    table.pick(1, 0)
    assert table.guess(0, 9).guess(1, 1).brief(0)[:2] == ["sum_guessed b 1", "finished 10- b"]


def test_player_left_is_told_to_the_byte() -> None:
    left = Table(players=3).leave(2).lines[0][0]
    assert left == 'game.update {"type": "player_left", "player": "c", "reason": "resigned"}'


def test_when_the_last_one_to_pick_leaves_the_guessing_begins() -> None:
    table = Table(players=3).pick(1, 1).pick(2, 2).leave(0)
    assert table.brief(1) == ["a left resigned", "guessing -?? player2", "game.your_turn"]
    assert table.brief(2) == ["a left resigned", "guessing -?? player2"]


def test_while_guessing_the_set_is_finished_with_the_leavers_pick_and_without_its_turn() -> None:
    table = Table(players=3).picks(1, 2, 3).leave(0)
    assert table.brief(1) == ["a left resigned", "guessing ??? player2", "game.your_turn"]
    table.guess(1, 6).guess(2, 0)
    assert table.brief(2)[1:] == ["finished 123 b", "choosing ---", "game.your_turn"]


def test_one_who_leaves_before_its_turn_to_guess_gives_nobody_a_new_turn() -> None:
    table = Table(players=3).picks(1, 2, 3).leave(2)
    for viewer in (0, 1):
        assert table.brief(viewer) == ["c left resigned", "guessing ??? player1"]
    assert table.guess(0, 9).guess(1, 6).brief(0)[1] == "finished 123 b"


def test_when_the_last_one_to_guess_leaves_the_set_is_finished() -> None:
    table = Table(players=3).picks(1, 2, 3).guess(0, 6).guess(1, 0).leave(2)
    assert table.brief(0) == ["c left resigned", "finished 123 a", "choosing ---", "game.your_turn"]
    assert table.brief(2) == ["c left resigned", "LOSS resigned"]


def test_leaving_may_finish_the_set_that_wins_the_match() -> None:
    table = Table(players=3, points=1).picks(1, 2, 3).guess(0, 6).guess(1, 0).leave(2)
    assert table.brief(0) == ["c left resigned", "finished 123 a"]
    assert table.results == ("WIN LOSS LOSS", "normal")


def test_a_right_guess_of_one_who_left_scores_for_nobody_and_stays_taken() -> None:
    table = Table(players=3).picks(1, 2, 3).guess(0, 6).leave(0)
    assert '"available_to_guess": [0, 1, 2, 3, 4, 5, 7, 8, 9]' in table.lines[1][1]
    assert table.brief(1) == ["a left resigned", "guessing ??? player2"]
    with pytest.raises(Refused, match="guessed already"):
        table.guess(1, 6)
    assert table.guess(1, 7).guess(2, 8).brief(1)[1] == "finished 123 tie"
    assert table.state.won == (0, 0, 0)


def test_one_who_left_stays_in_players_and_history_and_the_range_of_guesses_stays() -> None:
    table = Table(players=3).picks(1, 2, 3).guess(0, 6).guess(1, 0).guess(2, 1).leave(0)
    state = json.loads(table.lines[1][1].partition(" ")[2])
    assert state["history"] == {"a": 1, "b": 0, "c": 0}
    assert state["players"]["player1"] == {"id": 1, "name": "a", "quantity": False, "guess": -1}
    assert [hand["id"] for hand in state["players"].values()] == [1, 2, 3]
    assert state["available_to_guess"] == list(range(10))


@pytest.mark.parametrize(
    ("before", "leads"),
    [
        ("choosing", [1, 2, 1]),  # the lead goes to b, who guesses first
        ("guessing", [1, 2, 1]),
        ("guessed", [1, 2, 1]),  # a has led this set, b leads the next
    ],
)
def test_the_lead_of_one_who_left_goes_to_the_next_seat_still_playing(before: str, leads: list[int]) -> None:
    table = Table(players=3, points=99)
    if before != "choosing":
        table.picks(0, 0, 0)
    if before == "guessed":
        table.guess(0, 9).leave(0).guess(1, 8).guess(2, 7)
    else:
        table.leave(0)
    found: list[int] = []
    while len(found) < 3:
        if table.state.round == "choosing":
            table.pick(1, 0).pick(2, 0)
        found.append(table.turn[0])
        table.guess(table.turn[0], 9).guess(table.turn[0], 8)
    assert found == leads


def test_the_lead_passes_over_a_seat_that_left_earlier() -> None:
    table = Table(players=4, points=99).leave(1)
    table.pick(0, 0).pick(2, 0).pick(3, 0).guess(0, 9).guess(2, 8).guess(3, 7)
    table.pick(0, 0).pick(2, 0).pick(3, 0)
    assert table.turn == [2]


def test_several_who_leave_at_one_instant_go_in_seat_order_then_comes_one_state() -> None:
    table = Table(players=4).pick(0, 1).leave(3, 1)
    assert table.brief(0) == ["b left resigned", "d left resigned", "choosing ?---"]
    assert table.brief(1) == ["b left resigned", "LOSS resigned"]
    assert table.brief(3) == ["b left resigned", "d left resigned", "LOSS resigned"]


def test_the_last_one_left_wins_with_the_last_leavers_reason() -> None:
    table = Table(players=3).leave(0, reason=Reason.DISCONNECTED).leave(2)
    assert table.brief(1) == table.brief(2) == ["c left resigned"]
    assert table.results == ("LOSS WIN LOSS", "resigned")


def test_of_several_who_leave_one_alone_behind_only_the_last_waits_for_the_result() -> None:
    table = Table(players=3).leave(0, 1)
    assert table.brief(0) == ["a left resigned", "LOSS resigned"]
    assert table.brief(1) == table.brief(2) == ["a left resigned", "b left resigned"]
    assert table.results == ("LOSS LOSS WIN", "resigned")


def test_where_one_instant_leaves_nobody_all_that_it_struck_are_void() -> None:
    table = Table(players=3).leave(0).leave(1, 2, reason=Reason.DISCONNECTED)
    assert table.brief(2) == ["b left disconnected", "c left disconnected"]
    assert table.results == ("LOSS VOID VOID", "disconnected")
    assert Table().leave(0, 1).results == ("VOID VOID", "resigned")


# -- time


def test_who_has_not_picked_in_time_has_lost_and_the_others_play_on() -> None:
    table = Table(players=4).pick(0, 1).pick(2, 1).strike()
    assert table.brief(0) == ["b left timeout", "d left timeout", "guessing ?-?- player1", "game.your_turn"]
    assert table.turn == [0]


def test_who_does_not_guess_in_time_has_lost() -> None:
    table = Table(players=3).picks(1, 1, 1).strike()
    assert table.brief(1) == ["a left timeout", "guessing ??? player2", "game.your_turn"]
    assert Table().picks(1, 1).strike().results == ("LOSS WIN", "timeout")


def test_where_nobody_picks_all_are_void() -> None:
    table = Table(players=3).strike()
    assert table.brief(0) == ["a left timeout", "b left timeout", "c left timeout"]
    assert table.results == ("VOID VOID VOID", "timeout")
    assert Table().strike().results == ("VOID VOID", "timeout")


@pytest.mark.parametrize(("turn_seconds", "seconds"), [(None, 60.0), (10, 10.0)])
def test_each_your_turn_starts_its_own_clock(turn_seconds: int | None, seconds: float) -> None:
    table = Table(players=3, turn_seconds=turn_seconds)
    assert GAME.turn(table.state) == {0: seconds, 1: seconds, 2: seconds}
    table.now = 4.0
    table.pick(0, 0)
    assert GAME.turn(table.state) == {1: seconds, 2: seconds}
    table.leave(0)
    assert GAME.turn(table.state) == {1: seconds, 2: seconds}
    table.pick(1, 0).pick(2, 0)
    assert GAME.turn(table.state) == {1: 4.0 + seconds}
    table.now = 6.0
    assert GAME.turn(table.leave(2).state) == {}


def test_a_late_strike_gives_the_others_their_whole_time() -> None:
    table = Table(players=3).picks(1, 1, 1)
    late = GAME.expire(table.state, 75.0, frozenset({1}))
    assert GAME.turn(late.state) == {1: 135.0}


# -- a hundred sets


def hundred_sets(winners: dict[int, int]) -> Table:
    table = Table(players=3, points=99)
    for number in range(100):
        table.picks(0, 0, 0)
        for _ in range(3):
            seat = table.turn[0]
            table.guess(seat, 0 if winners.get(number) == seat else 7 + seat)
    return table


@pytest.mark.parametrize(
    ("winners", "results"),
    [
        ({0: 1}, "LOSS WIN LOSS"),
        ({0: 1, 99: 2}, "LOSS DRAW DRAW"),
        ({}, "DRAW DRAW DRAW"),
    ],
)
def test_a_hundred_sets_without_a_winner_go_to_the_most_points(winners: dict[int, int], results: str) -> None:
    table = hundred_sets(winners)
    assert table.results == (results, "round_limit")
    assert table.brief()[-1].startswith("finished")


def test_at_the_limit_the_points_of_one_who_left_do_not_count() -> None:
    table = Table(players=3, points=99).picks(0, 0, 0).guess(0, 0).guess(1, 1).guess(2, 2).leave(0)
    while table.results is None:
        table.pick(1, 0).pick(2, 0)
        table.guess(table.turn[0], 9).guess(table.turn[0], 8)
    assert table.results == ("LOSS DRAW DRAW", "round_limit")


# -- what a viewer may know


def test_a_view_shows_the_own_pick_and_nobody_elses() -> None:
    table = Table().pick(0, 2)
    assert named(GAME.view(table.state, 0))["your_pick"] == 2
    assert named(GAME.view(table.state, 1))["your_pick"] is None
    assert "your_pick" not in GAME.view(table.state, None)
    assert json.dumps(named(GAME.view(table.state, None)))[1:] in table.lines[None][0]


def test_two_tables_that_differ_only_in_a_pick_look_the_same_until_the_set_is_finished() -> None:
    def seen(pick: int) -> list[Any]:
        table, record = Table(players=3), []
        moves = [("pick", 1, 1), ("pick", 0, pick), ("pick", 2, 1), ("guess", 0, 9), ("guess", 1, 8)]
        for verb, seat, number in moves:
            getattr(table, verb)(seat, number)
            record += [[table.lines[viewer], repr(GAME.view(table.state, viewer))] for viewer in (1, 2, None)]
        return record

    assert seen(0) == seen(3)


def test_a_view_after_the_end_is_the_finished_set() -> None:
    table = Table(points=1).picks(1, 2).guess(0, 3).guess(1, 6)
    assert GAME.view(table.state, 1)["winner"] == PLAYER[0]


# -- all of a small table


def test_all_pick_and_guess_sequences_of_two_for_one_point_come_to_the_counted_ends() -> None:
    ends: Counter[str] = Counter()
    for picks in product(range(4), repeat=2):
        for first in range(7):
            for second in set(range(7)) - {first}:
                table = Table(points=1).picks(*picks).guess(0, first).guess(1, second)
                ends[table.results[0] if table.results else "next set"] += 1
    assert ends == {"WIN LOSS": 16 * 6, "LOSS WIN": 16 * 6, "next set": 16 * 30}


def test_samples_are_legal_to_the_end() -> None:
    for seed in range(20):
        chance, table = Random(seed), Table(players=2 + seed % 3, points=2)
        while table.results is None:
            seat = chance.choice(table.turn)
            table.act(seat, GAME.sample(table.state, seat, chance))
        assert "WIN" in table.results[0]
