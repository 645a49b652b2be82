"""Numbers: none is given out twice, not even over lives of the server."""

from lobby.numbers import Numbers
from lobby.store.memory import MemoryStore


def test_numbers_count_from_one_and_several_are_taken_in_a_row():
    numbers = Numbers(MemoryStore(), "match")
    assert [numbers.take(), numbers.take(3), numbers.take()] == [1, 2, 5]


def test_a_later_life_goes_on_where_the_earlier_one_ended():
    store = MemoryStore()
    Numbers(store, "match").take(3)
    assert Numbers(store, "match").take() == 4


def test_each_kind_is_counted_by_itself():
    store = MemoryStore()
    Numbers(store, "match").take(7)
    assert Numbers(store, "session").take() == 1
