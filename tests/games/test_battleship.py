"""Battleship as tables of what is sent and what everyone is told, from reference/battleship.txt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations, product
from random import Random
from typing import Any, Literal

import pytest
from table import SPECTATOR, Table

from games.battleship import (
    SHIPS,
    Battleship,
    Move,
    PlaceFleet,
    Placement,
    Ship,
    ShipName,
    arrange,
    keep_apart,
    lay,
    random_fleet,
)
from games.contract import Engine, Reason, Refused, TurnOptions

VIEWERS = ("a", "b", SPECTATOR)

# Carrier on 0 to 4, Battleship 20 to 23, Cruiser 40 to 42, Submarine 60 to 62, Destroyer 80 and 81.
ROWS = [
    {"ship": ship, "row": row, "col": 0, "orientation": "H"} for ship, row in zip(SHIPS, (0, 2, 4, 6, 8), strict=True)
]
FLEET_SQUARES = [0, 1, 2, 3, 4, 20, 21, 22, 23, 40, 41, 42, 60, 61, 62, 80, 81]


def fleet(ships: Any = ROWS) -> str:
    return json.dumps({"type": "place_fleet", "ships": ships})


def changed(name: ShipName, /, **fields: object) -> list[dict[str, object]]:
    """Return the placements of `ROWS`, those of one ship changed."""
    return [{**placement, **fields} if placement["ship"] == name else dict(placement) for placement in ROWS]


def move(square: object) -> str:
    return f'{{"type": "move", "move": {json.dumps(square)}}}'


def placing(turn_seconds: int | None = None) -> Table:
    return Table(Battleship(), TurnOptions(turn_seconds=turn_seconds))


def shooting(turn_seconds: int | None = None) -> Table:
    """Return a table where both have placed `ROWS` at 100 s, with the lines until then read."""
    table = placing(turn_seconds)
    table.act("a", fleet(), at=50)
    table.act("b", fleet(), at=100)
    for viewer in VIEWERS:
        table.told(viewer)
    return table


def shown(player: str, square: int, result: str, sunk: str | None = None) -> str:
    told = {"type": "move", "player": player, "move": square, "result": result, "sunk": sunk}
    return f"< game.action {json.dumps(told)}"


def complaint(one: ShipName, other: ShipName, places: tuple[Ship, Ship]) -> str:
    """Return what is wrong with two ships in these places, nothing where they may lie so."""
    try:
        keep_apart(one, other, dict(zip((one, other), places, strict=True)))
    except Refused as refused:
        return refused.message
    return ""


def berths(ship: ShipName) -> Iterator[Ship]:
    """Find by trying everything where a ship can lie."""
    ways: tuple[Literal["H", "V"], ...] = ("H", "V")
    for row, col, orientation in product(range(10), range(10), ways):
        with suppress(Refused):
            yield lay(Placement(ship, row, col, orientation))


# Beginning and placing


def test_both_players_are_asked_for_the_ships_in_the_order_of_the_rules() -> None:
    table = placing()
    ships = (
        '[{"ship": "Carrier", "length": 5}, {"ship": "Battleship", "length": 4}, {"ship": "Cruiser", "length": 3}, '
        '{"ship": "Submarine", "length": 3}, {"ship": "Destroyer", "length": 2}]'
    )
    asked = [f'< game.update {{"type": "place_ships", "ships": {ships}, "size": 10}}']
    assert [table.told(viewer) for viewer in VIEWERS] == [asked, asked, []]


@pytest.mark.parametrize(("first", "second"), [("a", "b"), ("b", "a")])
def test_who_is_still_placing_hears_of_the_other_and_then_the_first_player_shoots(first: str, second: str) -> None:
    table = placing()
    for viewer in VIEWERS:
        table.told(viewer)
    assert table.turn() == {"a": 600, "b": 600}
    table.act(first, fleet(), at=10)
    assert table.turn() == {second: 600}
    assert table.told(first) == [f"> {fleet()}"]
    assert table.told(second) == ['< game.update {"type": "opponent_ready"}']
    table.act(second, fleet(), at=20)
    your_turn = {"a": ["< game.your_turn"], "b": []}
    assert table.told(first) == your_turn[first]
    assert table.told(second) == [f"> {fleet()}", *your_turn[second]]
    assert table.told(SPECTATOR) == []
    assert table.turn() == {"a": 140}


def test_ships_may_be_sent_in_any_order() -> None:
    table = placing()
    table.act("a", fleet(ROWS[::-1]))
    table.act("b", fleet(ROWS))
    assert table.view("a")["ships"] == table.view("b")["ships"] == ROWS


@pytest.mark.parametrize(("ship", "spots"), [*zip(SHIPS, (120, 140, 160, 160, 180), strict=True)])
def test_a_ship_can_lie_in_as_many_places_as_counted(ship: ShipName, spots: int) -> None:
    found = list(berths(ship))
    assert len(found) == len(set(found)) == spots
    assert all(len(squares) == SHIPS[ship] for squares in found)


@pytest.mark.parametrize(
    ("placement", "squares"),
    [
        (Placement("Carrier", 0, 0, "H"), [0, 1, 2, 3, 4]),
        (Placement("Carrier", 9, 5, "H"), [95, 96, 97, 98, 99]),
        (Placement("Carrier", 5, 9, "V"), [59, 69, 79, 89, 99]),
        (Placement("Battleship", 6, 0, "V"), [60, 70, 80, 90]),
        (Placement("Destroyer", 0, 8, "H"), [8, 9]),
        (Placement("Destroyer", 8, 0, "V"), [80, 90]),
    ],
)
def test_h_runs_along_the_row_and_v_along_the_column_up_to_the_edge(placement: Placement, squares: list[int]) -> None:
    assert list(lay(placement)) == squares


@pytest.mark.parametrize("ship", SHIPS)
def test_a_ship_leaves_the_board_at_every_start_from_which_it_is_too_long(ship: ShipName) -> None:
    for at, across in product(range(11 - SHIPS[ship], 10), range(10)):
        with pytest.raises(Refused, match=f"{ship} .* row {across}, column {at}; it can start in column 0 to"):
            lay(Placement(ship, across, at, "H"))
        with pytest.raises(Refused, match=f"{ship} .* row {at}, column {across}; it can start in row 0 to"):
            lay(Placement(ship, at, across, "V"))


def gap(one: Ship, other: Ship) -> int:
    """Return by how many squares the rectangles of two ships are apart, diagonals counting one."""
    (top, left), (bottom, right) = divmod(one[0], 10), divmod(one[-1], 10)
    (upper, west), (lower, east) = divmod(other[0], 10), divmod(other[-1], 10)
    return max(upper - bottom, top - lower, west - right, left - east, 0)


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("Carrier", "Battleship", 11360),
        ("Carrier", "Cruiser", 13808),
        ("Carrier", "Submarine", 13808),
        ("Carrier", "Destroyer", 16528),
        ("Battleship", "Cruiser", 16896),
        ("Battleship", "Submarine", 16896),
        ("Battleship", "Destroyer", 20072),
        ("Cruiser", "Submarine", 20248),
        ("Cruiser", "Destroyer", 23864),
        ("Submarine", "Destroyer", 23864),
    ],
)
def test_every_two_ships_in_every_two_places_are_allowed_only_with_water_between(
    one: ShipName, other: ShipName, apart: int
) -> None:
    allowed = 0
    for places in product(berths(one), list(berths(other))):
        distance = gap(*places)
        wrong = complaint(one, other, places)
        assert {0: "both lie on", 1: "touches"}.get(distance, "") in wrong
        assert (wrong == "") == (distance >= 2)
        allowed += distance >= 2
    assert allowed == apart


@pytest.mark.parametrize("pair", list(combinations(SHIPS, 2)), ids="-".join)
def test_each_pair_of_a_fleet_is_looked_at(pair: tuple[ShipName, ShipName]) -> None:
    one, other = pair
    row = next(placement["row"] for placement in ROWS if placement["ship"] == one)
    col = SHIPS[one]  # the square behind its last one
    crossing = fleet(changed(other, row=row, col=0))
    touching = fleet(changed(other, row=row, col=col))
    assert placing().refusal("a", crossing) == (
        f"INVALID_PLACEMENT: {one} and {other} both lie on row {row}, column 0; leave water between ships"
    )
    assert placing().refusal("a", touching) == (
        f"INVALID_PLACEMENT: {one} on row {row}, column {col - 1} touches {other} on row {row}, column {col}; "
        "leave water between ships, diagonally too"
    )


def test_ships_that_touch_only_at_a_corner_are_refused_and_the_next_column_is_fine() -> None:
    corner = changed("Destroyer", row=1, col=5)
    assert placing().refusal("b", fleet(corner)) == (
        "INVALID_PLACEMENT: Carrier on row 0, column 4 touches Destroyer on row 1, column 5; "
        "leave water between ships, diagonally too"
    )
    placing().act("b", fleet(changed("Destroyer", row=1, col=6)))


def test_a_ship_at_the_end_of_a_row_does_not_touch_one_at_the_start_of_the_next() -> None:
    placing().act("a", fleet(changed("Destroyer", row=1, col=8)))
    placing().act("a", fleet(changed("Destroyer", row=3, col=9, orientation="V")))


def test_a_ship_over_the_edge_is_refused_with_where_it_may_start() -> None:
    assert placing().refusal("a", fleet(changed("Carrier", col=6))) == (
        "INVALID_PLACEMENT: Carrier (5 squares, H) runs off the board from row 0, column 6; "
        "it can start in column 0 to 5"
    )
    assert placing().refusal("a", fleet(changed("Destroyer", row=9, orientation="V"))) == (
        "INVALID_PLACEMENT: Destroyer (2 squares, V) runs off the board from row 9, column 0; "
        "it can start in row 0 to 8"
    )


def test_a_ship_twice_means_that_another_is_missing() -> None:
    assert placing().refusal("a", fleet([*ROWS[:4], ROWS[2]])) == (
        "INVALID_PLACEMENT: each ship must be placed exactly once, and there is no Destroyer"
    )
    assert (
        placing()
        .refusal("a", fleet([ROWS[0]] * 5))
        .endswith("no Battleship and no Cruiser and no Submarine and no Destroyer")
    )


@pytest.mark.parametrize(
    "ships",
    [
        *(None, 5, "Carrier", {}, [], ROWS[:4], [*ROWS, ROWS[4]], [1, 2, 3, 4, 5], [ROWS] * 5),
        *(changed("Cruiser", ship=ship) for ship in ("cruiser", "Kayak", "", 3, None)),
        *(changed("Cruiser", row=row) for row in (-1, 10, 4.0, 4.5, "4", True, None)),
        *(changed("Cruiser", col=col) for col in (-1, 10, 4.0, 4.5, "4", True, None)),
        *(changed("Cruiser", orientation=orientation) for orientation in ("h", "v", "X", "", 0, None)),
        *([*ROWS[:4], {key: ROWS[4][key] for key in ROWS[4] if key != lost}] for lost in ROWS[4]),
    ],
    ids=str,
)
def test_ships_of_a_wrong_type_or_shape_are_an_invalid_placement(ships: object) -> None:
    assert placing().refusal("a", fleet(ships)).startswith("INVALID_PLACEMENT")


def test_no_ships_at_all_are_an_invalid_placement() -> None:
    assert placing().refusal("a", '{"type": "place_fleet"}').startswith("INVALID_PLACEMENT")


def test_what_the_game_does_not_know_in_a_placement_is_ignored() -> None:
    placing().act("a", fleet(changed("Cruiser", colour="grey")))


@pytest.mark.parametrize("sent", [fleet(), '{"type": "place_fleet", "ships": 5}'])
def test_a_fleet_stays_where_it_is_whosever_turn_it_is(sent: str) -> None:
    refusal = "INVALID_PLACEMENT: your fleet is placed already, and stays where it is"
    table = placing()
    table.act("b", fleet())
    assert table.refusal("b", sent) == refusal
    table.act("a", fleet())
    assert [table.refusal(name, sent) for name in "ab"] == [refusal] * 2


@pytest.mark.parametrize("sent", [move(42), move(100), move("x"), '{"type": "move"}'])
def test_nobody_shoots_while_anyone_is_placing(sent: str) -> None:
    table = placing()
    mine = "NOT_YOUR_TURN: nobody shoots before both fleets are placed; place your fleet first"
    assert [table.refusal(name, sent) for name in "ab"] == [mine] * 2
    table.act("a", fleet())
    theirs = "NOT_YOUR_TURN: nobody shoots before both fleets are placed; wait until your opponent has placed a fleet"
    assert [table.refusal(name, sent) for name in "ab"] == [theirs, mine]


# Shooting


@pytest.mark.parametrize("square", range(100))
def test_every_first_shot_hits_or_misses_and_a_hit_shoots_again(square: int) -> None:
    table = shooting()
    table.act("a", move(square), at=110)
    hit = square in FLEET_SQUARES
    line = shown("a", square, "HIT" if hit else "MISS")
    assert table.told("a") == [f"> {move(square)}", line, *["< game.your_turn"] * hit]
    assert table.told("b") == [line, *["< game.your_turn"] * (not hit)]
    assert table.told(SPECTATOR) == [line]
    assert table.turn() == {"a" if hit else "b": 230}


def test_a_shot_line_is_that_of_the_reference_to_the_byte() -> None:
    table = shooting()
    table.act("a", move(42))
    table.act("a", move(43))
    assert table.told(SPECTATOR) == [
        '< game.action {"type": "move", "player": "a", "move": 42, "result": "HIT", "sunk": null}',
        '< game.action {"type": "move", "player": "a", "move": 43, "result": "MISS", "sunk": null}',
    ]


@pytest.mark.parametrize("ship", SHIPS)
def test_the_last_square_of_a_ship_sinks_it_in_whatever_order(ship: ShipName) -> None:
    start = 10 * next(int(str(placement["row"])) for placement in ROWS if placement["ship"] == ship)
    squares = list(range(start, start + SHIPS[ship]))
    Random(start).shuffle(squares)
    table = shooting()
    for square in squares:
        table.act("a", move(square))
    hits = [shown("a", square, "HIT") for square in squares[:-1]]
    assert table.told(SPECTATOR) == [*hits, shown("a", squares[-1], "HIT", ship)]
    assert table.turn() == {"a": 120}


@pytest.mark.parametrize("winner", ["a", "b"])
def test_the_shot_that_sinks_the_last_ship_ends_the_match_without_a_your_turn(winner: str) -> None:
    table = shooting()
    if winner == "b":
        table.act("a", move(99))
    for square in FLEET_SQUARES:
        assert table.end() == "live"
        table.act(winner, move(square))
    last = shown(winner, 81, "HIT", "Destroyer")
    assert [table.told(viewer)[-1] for viewer in VIEWERS] == [last] * 3
    assert table.end() == ("WIN LOSS normal" if winner == "a" else "LOSS WIN normal")
    assert (table.turn(), table.engine.due(table.state)) == ({}, None)


def test_who_is_not_in_turn_can_not_shoot() -> None:
    refusal = "NOT_YOUR_TURN: it is your opponent's turn to shoot; wait for game.your_turn"
    table = shooting()
    assert table.refusal("b", move(0)) == refusal
    table.act("a", move(0))
    assert table.refusal("b", move("x")) == refusal
    table.act("a", move(99))
    assert table.refusal("a", move(0)) == refusal


@pytest.mark.parametrize("square", [0, 99])
def test_a_square_is_shot_once_by_each_player(square: int) -> None:
    table = shooting()
    table.act("a", move(square))
    if square == 99:
        table.act("b", move(99))
    assert table.refusal("a", move(square)) == (
        f"INVALID_MOVE: {square} was already shot; choose a square that you have not tried yet"
    )


@pytest.mark.parametrize("square", [-1, 100, 4.5, 42.0, True, "42", None, [42], {"row": 4}], ids=str)
def test_what_is_no_square_is_an_invalid_move(square: object) -> None:
    assert shooting().refusal("a", move(square)).startswith("INVALID_MOVE")


def test_no_square_at_all_is_an_invalid_move() -> None:
    assert shooting().refusal("a", '{"type": "move"}').startswith("INVALID_MOVE")


# Clocks and leaving


@pytest.mark.parametrize("turn_seconds", [None, 1, 3600])
def test_who_has_not_placed_in_ten_minutes_loses_whatever_the_clock_of_a_shot(turn_seconds: int | None) -> None:
    table = placing(turn_seconds)
    table.act("b", fleet(), at=599)
    table.expire(600)
    assert table.end() == "LOSS WIN timeout"


def test_nobody_wins_where_neither_has_placed_in_time() -> None:
    table = placing()
    table.expire(600)
    assert table.end() == "VOID VOID timeout"
    assert table.turn() == {}


def test_who_does_not_shoot_in_time_loses() -> None:
    table = shooting()
    assert table.turn() == {"a": 220}
    table.act("a", move(0), at=219)
    table.act("a", move(99), at=300)
    assert table.turn() == {"b": 420}
    table.expire(420)
    assert table.end() == "WIN LOSS timeout"


def test_your_turn_carries_seconds_where_the_options_set_a_clock() -> None:
    table = placing(turn_seconds=10)
    table.act("a", fleet())
    table.act("b", fleet())
    assert table.told("a")[-1] == '< game.your_turn {"seconds": 10}'
    table.act("a", move(99), at=4)
    assert table.told("b")[-1] == '< game.your_turn {"seconds": 10}'
    assert table.turn() == {"b": 14}


@pytest.mark.parametrize("table", [placing(), shooting()], ids=["placing", "shooting"])
@pytest.mark.parametrize(
    ("gone", "results"), [("a", "LOSS WIN"), ("b", "WIN LOSS"), ("ab", "VOID VOID")], ids=["first", "second", "both"]
)
def test_who_leaves_has_lost_and_nothing_more_is_told(table: Table, gone: str, results: str) -> None:
    state = table.state
    for viewer in VIEWERS:
        table.told(viewer)
    table.forfeit(*gone, reason=Reason.DISCONNECTED)
    assert (table.end(), table.turn(), table.engine.due(table.state)) == (f"{results} disconnected", {}, None)
    assert [table.told(viewer) for viewer in VIEWERS] == [[]] * 3
    table.state = state


# Views


def test_a_player_sees_the_own_ships_and_all_shots() -> None:
    table = placing()
    upright = changed("Destroyer", row=8, col=9, orientation="V")
    table.act("a", fleet(upright))
    assert table.view("a") == {"phase": "placing", "ready": ["a"], "ships": upright, "shots": {"a": [], "b": []}}
    assert table.view("b") == {"phase": "placing", "ready": ["a"], "ships": [], "shots": {"a": [], "b": []}}
    table.act("b", fleet())
    for square in (80, 81, 99):
        table.act("a", move(square))
    table.act("b", move(81))
    shots = {
        "a": [
            {"move": 80, "result": "HIT", "sunk": None},
            {"move": 81, "result": "HIT", "sunk": "Destroyer"},
            {"move": 99, "result": "MISS", "sunk": None},
        ],
        "b": [{"move": 81, "result": "MISS", "sunk": None}],
    }
    assert table.view("a") == {"phase": "shooting", "ready": ["a", "b"], "ships": upright, "shots": shots}
    assert table.view("b") == {"phase": "shooting", "ready": ["a", "b"], "ships": ROWS, "shots": shots}
    assert table.view(SPECTATOR) == {"phase": "shooting", "shots": shots}


def test_a_spectator_does_not_see_who_is_ready() -> None:
    table = placing()
    before = table.view(SPECTATOR)
    table.act("a", fleet())
    assert table.view(SPECTATOR) == before == {"phase": "placing", "shots": {"a": [], "b": []}}


def test_the_fleets_stay_secret_after_the_end() -> None:
    table = shooting()
    table.forfeit("b")
    assert table.view(SPECTATOR) == {"phase": "over", "shots": {"a": [], "b": []}}
    assert table.view("a")["ships"] == ROWS


# Random play


def test_a_random_fleet_is_legal() -> None:
    for seed in range(300):
        arrange(random_fleet(Random(seed)))


@pytest.mark.parametrize("seed", range(20))
def test_random_play_ends_with_all_ships_of_one_player_sunk(seed: int) -> None:
    engine: Engine = Battleship()
    chance = Random(seed)
    state = engine.start(TurnOptions(), 2, seed).state
    for actions in range(203):
        if engine.outcome(state) is not None:
            break
        seat = min(engine.turn(state))
        action = engine.sample(state, seat, chance)
        assert isinstance(action, PlaceFleet if actions < 2 else Move)
        engine.admit(state, seat, type(action), 0)
        state = engine.apply(state, seat, action, 0).state
    outcome = engine.outcome(state)
    assert outcome is not None
    assert (sorted(outcome.results), outcome.reason) == (["LOSS", "WIN"], Reason.NORMAL)
