"""The agenda: what is due happens in order, a fault in one thing holds up no other, and what was cancelled is let go."""

import gc
import random
import weakref

import pytest
from fake_clock import FakeClock
from structlog.testing import capture_logs

from lobby.clock import LEAD, SPARE, Agenda, Alarm, SystemClock


def ring(agenda: Agenda, rung: list[str], name: str, due: float) -> Alarm:
    """Set an alarm that adds its name to a list when it rings."""
    alarm = Alarm(lambda _: rung.append(name))
    agenda.set(alarm, due)
    return alarm


def test_alarms_ring_in_the_order_of_their_times_and_no_sooner():
    agenda, rung = Agenda(FakeClock()), []
    for name, due in (("c", 3.0), ("a", 1.0), ("b", 2.0), ("a2", 1.0)):
        ring(agenda, rung, name, due)
    agenda.run(0.9)
    assert rung == []
    agenda.run(2.0)
    assert rung == ["a", "a2", "b"]
    assert agenda.next == 3.0


def test_an_alarm_that_is_put_off_or_forward_rings_once_at_its_new_time():
    agenda, rung = Agenda(FakeClock()), []
    later, sooner = ring(agenda, rung, "later", 1.0), ring(agenda, rung, "sooner", 5.0)
    agenda.set(later, 4.0)
    agenda.set(sooner, 2.0)
    for now in (1.0, 2.0, 3.0, 4.0, 5.0):
        agenda.run(now)
        rung.append(f"at {now:.0f}")
    assert rung == ["at 1", "sooner", "at 2", "at 3", "later", "at 4", "at 5"]


def test_an_alarm_that_is_cancelled_does_not_ring():
    agenda, rung = Agenda(FakeClock()), []
    agenda.cancel(ring(agenda, rung, "a", 1.0))
    agenda.run(2.0)
    assert rung == []


def test_what_is_deferred_comes_after_all_alarms_of_its_instant_and_before_the_next():
    agenda, rung = Agenda(FakeClock()), []
    agenda.set(Alarm(lambda _: agenda.defer(lambda: rung.append("deferred"))), 1.0)
    ring(agenda, rung, "same instant", 1.0)
    ring(agenda, rung, "next", 1.1)
    agenda.run(2.0)
    assert rung == ["same instant", "deferred", "next"]


def test_whoever_waits_hears_of_an_earlier_time():
    agenda, rung, sooner = Agenda(FakeClock()), [], []
    agenda.sooner = lambda: sooner.append(agenda.next)
    for due in (3.0, 4.0, 2.0):
        ring(agenda, rung, "a", due)
    assert sooner == [3.0, 2.0]


def test_a_fault_in_what_is_due_is_logged_and_the_rest_happens():
    agenda, rung = Agenda(FakeClock()), []

    def fail(*_: float) -> None:
        raise RuntimeError("a planted fault")

    agenda.set(Alarm(fail), 1.0)
    agenda.set(Alarm(lambda _: agenda.defer(fail)), 1.0)
    agenda.set(Alarm(lambda _: agenda.defer(lambda: rung.append("deferred"))), 1.0)
    ring(agenda, rung, "a", 1.0)
    with capture_logs() as log:
        agenda.run(1.0)
    assert rung == ["a", "deferred"]
    assert [entry["event"] for entry in log] == ["what was due has failed"] * 2


class Part:
    """Something with an alarm, as a connection or a match is."""

    def __init__(self, agenda: Agenda, due: float) -> None:
        self.rang: list[float] = []
        self.alarm = Alarm(self.ring)
        agenda.set(self.alarm, due)

    def ring(self, due: float) -> None:
        self.rang.append(due)


def test_what_was_cancelled_is_let_go_long_before_its_time():
    agenda = Agenda(FakeClock())
    gone = []
    for _ in range(4 * SPARE):
        part = Part(agenda, 600)
        agenda.cancel(part.alarm)
        gone.append(weakref.ref(part))
    del part
    gc.collect()
    assert sum(one() is not None for one in gone) <= SPARE


def test_an_alarm_that_is_brought_forward_again_and_again_leaves_no_trail():
    agenda = Agenda(FakeClock())
    part = Part(agenda, 3600)
    for second in range(4 * SPARE):
        agenda.set(part.alarm, second + 0.5)
        agenda.run(second + 1)
        agenda.set(part.alarm, second + 3600)
    assert len(part.rang) == 4 * SPARE
    assert len(agenda._heap) <= SPARE + 2


def test_letting_go_changes_nothing_of_what_rings():
    """Against a plain list of times, with alarms set, put off, brought forward and cancelled at random."""
    chance, agenda = random.Random(7), Agenda(FakeClock())
    parts = [Part(agenda, chance.uniform(0, 50)) for _ in range(3 * SPARE)]
    due = {part: part.alarm.due for part in parts}
    for second in range(100):
        for part in chance.sample(parts, SPARE):
            if chance.random() < 0.7:
                agenda.cancel(part.alarm)
                due.pop(part, None)
            else:
                due[part] = second + chance.uniform(0, 50)
                agenda.set(part.alarm, due[part])
        before = {part: len(part.rang) for part in parts}
        agenda.run(second + 1)
        for part in parts:
            expected = [due.pop(part)] if due.get(part, 1e9) <= second + 1 else []
            assert part.rang[before[part] :] == expected


def test_time_for_which_the_server_was_held_up_is_charged_to_nobody(monkeypatch: pytest.MonkeyPatch):
    real = FakeClock(100.0)
    monkeypatch.setattr("lobby.clock.time.monotonic", real.now)
    clock = SystemClock(5.0)
    clock.start()
    agenda, rung = Agenda(clock), []
    for name, due in (("heartbeat", 6.0), ("turn", 10.0)):
        agenda.set(Alarm(lambda due, name=name: rung.append((name, due))), due)
    real.move(100.5)
    agenda.run(clock.now())
    real.move(140.0)  # held up for 39 s after the heartbeat was due
    agenda.run(clock.now())
    assert (rung, agenda.now) == ([], pytest.approx(6 - LEAD))  # what came in meanwhile is read first
    real.move(140.0 + LEAD)
    agenda.run(clock.now())
    assert (rung, clock.now()) == ([("heartbeat", 6.0)], pytest.approx(6.0))
    real.move(144.05 + LEAD)  # late by less than counts
    agenda.run(clock.now())
    assert rung == [("heartbeat", 6.0), ("turn", 10.0)]
    assert agenda.now == pytest.approx(10.05)
