"""The pieces of a tournament without a server: its games, blocks of marks, events in parts, and the longest lines."""

import json

import pytest

from games.roshambo import Roshambo
from lobby.cup import Cup, Status
from lobby.fixtures import BLOCK, Calendar, Fixtures, Stage
from lobby.methods.tournament import AROUND
from lobby.paging import Parts
from lobby.rows import TournamentRow
from lobby.schedule import Schedule
from lobby.session import Session
from protocol import wire


def test_a_game_is_due_then_live_then_over():
    fixtures = Fixtures(Schedule(3))
    stages = [fixtures.stage(0)]
    fixtures.begin(0)
    stages.append(fixtures.stage(0))
    fixtures.end(0, 2)
    stages.append(fixtures.stage(0))
    assert stages == [Stage.DUE, Stage.LIVE, Stage.OVER]
    assert (fixtures.left, list(fixtures.over())) == (2, [(1, 2, 2)])


def test_the_calendar_of_a_player_has_what_has_not_begun_in_the_order_of_the_list():
    fixtures = Fixtures(Schedule(4))  # 0-3 1-2 3-2 0-1 1-3 2-0
    calendar = Calendar(fixtures, 4)
    assert [list(calendar.due(player)) for player in range(4)] == [
        [(0, 3), (3, 1), (5, 2)],
        [(1, 2), (3, 0), (4, 3)],
        [(1, 1), (2, 3), (5, 0)],
        [(0, 0), (2, 2), (4, 1)],
    ]
    fixtures.begin(3)
    fixtures.begin(0)
    fixtures.end(0, 2)
    assert list(calendar.due(0)) == [(5, 2)]
    fixtures.begin(5)
    assert list(calendar.due(0)) == []


def test_marks_are_kept_in_blocks_and_come_back():
    schedule = Schedule(20)
    fixtures = Fixtures(schedule)
    for game in (0, BLOCK - 1, BLOCK, len(schedule) - 1):
        fixtures.end(game, 5)
    blocks = [fixtures.block(game) for game in fixtures.blocks()]
    assert [(start, len(marks)) for start, marks in blocks] == [(0, 64), (64, 64), (128, 62)]
    again = Fixtures(schedule)
    for start, marks in blocks:
        again.restore(start, marks)
    assert (again.marks, again.left) == (fixtures.marks, fixtures.left)


@pytest.mark.parametrize(("count", "lines"), [(0, 1), (1, 1), (579, 1), (580, 2), (1158, 2), (1159, 3)])
def test_an_event_has_as_many_parts_as_it_needs_and_numbers_only_where_there_are_several(count: int, lines: int):
    item = "x" * 96
    event = Parts(
        "a.b", {}, name="items", count=count, size=98, items=lambda start, stop: [item] * (min(stop, count) - start)
    )
    told = [line.split(b" ", 2)[2] for line in event.lines()]
    bodies = [json.loads(body) for body in told]
    assert (event.count, len(told)) == (lines, lines)
    assert sum(len(body["items"]) for body in bodies) == count
    assert all(len(line) <= wire.OUTPUT_LIMIT for line in event.lines())
    numbers = [(body.get("part"), body.get("parts")) for body in bodies]
    assert numbers == ([(None, None)] if lines == 1 else [(part + 1, lines) for part in range(lines)])


def test_a_part_is_made_once_however_many_are_told():
    made = []
    event = Parts("a.b", {}, name="items", count=1000, size=98, items=lambda start, stop: made.append(start) or [])
    for _ in range(3):
        list(event.lines())
    assert len(made) == event.count == 2


class Widest:
    """The largest tournament there can be, with the longest names, after all was drawn."""

    def __init__(self) -> None:
        players = [Session(number, chr(0x20000 + number) * 32, b"") for number in range(256)]
        row = TournamentRow(
            tournament=10**9,
            name="\U0001f0a1" * 64,
            game="roshambo",
            options=b"{}",
            legs=2,
            creator=0,
            created=0.0,
            status=Status.RUNNING,
            first=10**9,
        )
        engine = Roshambo()
        self.cup = Cup(row, engine=engine, options=engine.options(), creator=players[0], players=players)
        self.cup.draw()
        for game in range(len(self.cup.fixtures.marks)):
            self.cup.fixtures.end(game, 11)


def test_no_line_of_the_largest_tournament_is_too_long():
    cup = Widest().cup
    standings = len(wire.encode(cup.standings()))
    assert len(cup.fixtures.marks) == 256 * 255
    assert standings + max(len(wire.encode(next(cup.games(game)))) for game in range(3)) + AROUND < wire.OUTPUT_LIMIT
    assert len(wire.event("tournament.finished", {"tournament": cup.name, "standings": cup.standings()})) < 60_000
    assert len(wire.encode({"tournaments": [cup.listing()], "more": True})) + AROUND < wire.OUTPUT_LIMIT
