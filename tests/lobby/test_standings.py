"""The table after a round robin, as worked examples: points, then the points among those tied, Sonneborn-Berger, wins."""

import pytest

from games.contract import Outcome, Reason, Result
from lobby.standings import Standing, mark, results, table

WIN, LOSS, DRAW, VOID = Result.WIN, Result.LOSS, Result.DRAW, Result.VOID

ENDS = {
    "1-0": Outcome((WIN, LOSS), Reason.NORMAL),
    "0-1": Outcome((LOSS, WIN), Reason.NORMAL),
    "=": Outcome((DRAW, DRAW), Reason.NORMAL),
    "void": Outcome((VOID, VOID), Reason.DISCONNECTED),
    "fault": Outcome((VOID, VOID), Reason.SERVER_ERROR),
    "forfeit": Outcome((LOSS, WIN), Reason.DISCONNECTED),
}


def standings(players: str, *games: str) -> list[str]:
    """Return the table, a line each as `place player points won/drawn/lost`, after games such as `a 1-0 b`."""
    names = players.split()
    played = []
    for game in games:
        one, how, other = game.split()
        played.append((names.index(one), names.index(other), mark(ENDS[how])))
    return [f"{s.place} {s.player} {s.points} {s.won}/{s.drawn}/{s.lost}" for s in table(names, played)]


def cross(*rows: str) -> list[str]:
    """Return the games of a cross table, a row each: `a . 1 = 0` has a name and what it scored against each, in order."""
    how = {"1": "1-0", "0": "0-1", "=": "=", "v": "void", "f": "fault"}
    names = [row.split()[0] for row in rows]
    cells = [row.split()[1:] for row in rows]
    return [
        f"{names[i]} {how[cells[i][j]]} {names[j]}"
        for i in range(len(names))
        for j in range(i + 1, len(names))
        if cells[i][j] != "."
    ]


TABLES = {
    "before the first game all share the first place, by name": (["b", "a"], [], ["1 a 0 0/0/0", "1 b 0 0/0/0"]),
    "a win is a point": (["a", "b"], ["a 0-1 b"], ["1 b 1 1/0/0", "2 a 0 0/0/1"]),
    "a draw is half a point each": (["a", "b"], ["a = b"], ["1 a 0.5 0/1/0", "1 b 0.5 0/1/0"]),
    "a void game is worth nothing": (["a", "b"], ["a void b"], ["1 a 0 0/0/0", "1 b 0 0/0/0"]),
    "one void by the server's fault is half a point, and no draw": (
        ["a", "b"],
        ["a fault b"],
        ["1 a 0.5 0/0/0", "1 b 0.5 0/0/0"],
    ),
    "a game lost by absence is a game lost": (["a", "b"], ["a forfeit b"], ["1 b 1 1/0/0", "2 a 0 0/0/1"]),
    "two legs count twice": (["a", "b"], ["a 1-0 b", "b = a"], ["1 a 1.5 1/1/0", "2 b 0.5 0/1/1"]),
    "of two who are tied, the one who won their game is first": (
        ["a", "b", "c", "d"],
        cross("a . 0 1 1", "b 1 . 1 0", "c 0 0 . 1", "d 0 1 0 ."),
        ["1 b 2 2/0/1", "2 a 2 2/0/1", "3 c 1 1/0/2", "4 d 1 1/0/2"],
    ),
    # b and c have 1 each. c beat b, though b, who beat d (1.5), has 1.5 by Sonneborn-Berger and c, who beat b, 1.
    "the points among those tied come before Sonneborn-Berger": (
        ["a", "b", "c", "d"],
        cross("a . 1 1 =", "b 0 . 0 1", "c 0 1 . 0", "d = 0 1 ."),
        ["1 a 2.5 2/1/0", "2 d 1.5 1/1/1", "3 c 1 1/0/2", "4 b 1 1/0/2"],
    ),
    # a, b, c and f have 2.5 each, and among them 1.5, 0.5, 1.5 and 2.5. c beat a, but that was counted among all four; a and
    # c are still equal, and a's Sonneborn-Berger is 6.25, c's 5.75.
    "the points are those among all that are tied, and not counted anew among some of them": (
        ["a", "b", "c", "d", "e", "f"],
        cross("a . 1 0 = = =", "b 0 . = 1 1 0", "c 1 = . 1 0 0", "d = 0 0 . = 1", "e = 0 1 = . 1", "f = 1 1 0 0 ."),
        ["1 e 3 2/2/1", "2 f 2.5 2/1/2", "3 a 2.5 1/3/1", "4 c 2.5 2/1/2", "5 b 2.5 2/1/2", "6 d 2 1/2/2"],
    ),
    # c and d have 1.5 each and drew. c drew with a (2.5), b (0.5) and d: 2.25; d beat b, drew with c: 1.25, for all its win.
    "then Sonneborn-Berger, before wins": (
        ["a", "b", "c", "d"],
        cross("a . 1 = 1", "b 0 . = 0", "c = = . =", "d 0 1 = ."),
        ["1 a 2.5 2/1/0", "2 c 1.5 0/3/0", "3 d 1.5 1/1/1", "4 b 0.5 0/1/2"],
    ),
    # All have 1.5, and so 1.5 among themselves, and 2.25 by Sonneborn-Berger. c alone has won nothing.
    "then wins": (
        ["a", "b", "c", "d"],
        cross("a . 1 = 0", "b 0 . = 1", "c = = . =", "d 1 0 = ."),
        ["1 a 1.5 1/1/1", "1 b 1.5 1/1/1", "1 d 1.5 1/1/1", "4 c 1.5 0/3/0"],
    ),
    "those who share a place leave the next one out": (
        ["a", "b", "c"],
        ["a 1-0 c", "b 1-0 c", "a = b"],
        ["1 a 1.5 1/1/0", "1 b 1.5 1/1/0", "3 c 0 0/0/2"],
    ),
    # a and b have 1 each, and drew; a's void game was with c (2.5), b's with d (1.5).
    "a game void by the server's fault weighs like a draw in Sonneborn-Berger": (
        ["a", "b", "c", "d"],
        cross("a . = f 0", "b = . 0 f", "c f 1 . 1", "d 1 f 0 ."),
        ["1 c 2.5 2/0/0", "2 d 1.5 1/0/1", "3 a 1 0/1/1", "4 b 1 0/1/1"],
    ),
}


@pytest.mark.parametrize("example", TABLES)
def test_the_table_of_an_example(example: str):
    players, games, expected = TABLES[example]
    assert standings(" ".join(players), *games) == expected


def test_whole_points_have_no_fraction():
    lines = table(["a", "b", "c"], [(0, 1, mark(ENDS["1-0"])), (1, 2, mark(ENDS["="]))])
    assert [(type(line.points), line.points) for line in lines] == [(int, 1), (float, 0.5), (float, 0.5)]
    assert lines[0] == Standing(1, "a", 1, 1, 0, 0)


def test_a_mark_is_one_byte_other_than_0_and_gives_the_results_back():
    outcomes = [Outcome((one, other), reason) for one in Result for other in Result for reason in Reason]
    assert all(results(mark(outcome)) == outcome.results for outcome in outcomes)
    assert {mark(outcome) for outcome in outcomes} == set(range(1, 33))


def test_marks_are_frozen_as_files_hold_them():
    assert {name: mark(outcome) for name, outcome in ENDS.items()} == {
        **{"1-0": 2, "0-1": 5, "=": 11, "void": 16, "fault": 32},
        "forfeit": 5,
    }
