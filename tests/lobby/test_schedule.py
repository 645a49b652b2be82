"""Who meets whom in a round robin, by the tables that chess has used for a century, and by what every such list must be."""

from collections import Counter
from itertools import combinations

import pytest

from lobby.schedule import Schedule

# FIDE Handbook C.05, Annex 1: the Berger tables, a line a round.
BERGER = {
    2: ["1-2"],
    4: ["1-4 2-3", "4-3 1-2", "2-4 3-1"],
    6: ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"],
    8: [
        "1-8 2-7 3-6 4-5",
        "8-5 6-4 7-3 1-2",
        "2-8 3-1 4-7 5-6",
        "8-6 7-5 1-4 2-3",
        "3-8 4-2 5-1 6-7",
        "8-7 1-6 2-5 3-4",
        "4-8 5-3 6-2 7-1",
    ],
}
SIZES = [*range(2, 12), 31, 64]


def listed(schedule: Schedule) -> list[str]:
    return [f"{one + 1}-{other + 1}" for one, other in schedule]


@pytest.mark.parametrize("players", BERGER)
def test_an_even_number_plays_by_the_berger_table(players: int):
    assert listed(Schedule(players)) == " ".join(BERGER[players]).split()


@pytest.mark.parametrize("players", [3, 5, 7])
def test_an_odd_number_plays_the_next_even_table_without_the_last_who_is_a_bye(players: int):
    whole = " ".join(BERGER[players + 1]).split()
    assert listed(Schedule(players)) == [game for game in whole if str(players + 1) not in game.split("-")]


@pytest.mark.parametrize("players", SIZES)
@pytest.mark.parametrize("legs", [1, 2])
def test_everyone_meets_everyone_once_a_leg(players: int, legs: int):
    met = Counter(frozenset(pair) for pair in Schedule(players, legs))
    assert met == {frozenset(pair): legs for pair in combinations(range(players), 2)}
    assert len(Schedule(players, legs)) == legs * players * (players - 1) // 2


@pytest.mark.parametrize("players", SIZES)
def test_the_second_leg_is_the_first_with_sides_swapped(players: int):
    games = list(Schedule(players, 2))
    first, second = games[: len(games) // 2], games[len(games) // 2 :]
    assert second == [(other, one) for one, other in first]


@pytest.mark.parametrize("players", SIZES)
def test_nobody_plays_twice_in_a_round_and_of_an_odd_number_each_has_one_bye(players: int):
    games, tables = list(Schedule(players)), players // 2
    byes: Counter[int] = Counter()
    for start in range(0, len(games), tables):
        playing = [player for pair in games[start : start + tables] for player in pair]
        assert len(playing) == len(set(playing)) == 2 * tables
        byes.update(set(range(players)) - set(playing))
    assert byes == (dict.fromkeys(range(players), 1) if players % 2 else {})


@pytest.mark.parametrize("players", SIZES)
def test_nobody_has_one_side_more_than_once_oftener_than_the_other(players: int):
    first = Counter(one for one, _ in Schedule(players))
    second = Counter(other for _, other in Schedule(players))
    assert all(abs(first[player] - second[player]) <= 1 for player in range(players))


@pytest.mark.parametrize("players", [0, 1])
def test_one_alone_has_no_game(players: int):
    assert list(Schedule(players)) == []


def test_a_game_beyond_the_last_is_none():
    with pytest.raises(IndexError):
        Schedule(4)[6]
    with pytest.raises(IndexError):
        Schedule(4)[-1]
