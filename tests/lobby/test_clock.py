"""The real clock: where it goes on from, and since when."""

from lobby.clock import SystemClock


def test_the_clock_stands_at_the_reading_of_the_earlier_life_until_it_is_started():
    clock = SystemClock(5.0)
    assert [clock.now() for _ in range(1000)] == [5.0] * 1000


def test_a_clock_that_was_started_goes_on_from_there_and_never_back():
    clock = SystemClock(5.0)
    clock.start()
    readings = [clock.now() for _ in range(1000)]
    assert readings == sorted(readings)
    assert 5.0 <= readings[0] < readings[-1] < 65.0
