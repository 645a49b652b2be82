"""The agenda: what is due happens in order, and a fault in one thing holds up no other."""

from fake_clock import FakeClock
from structlog.testing import capture_logs

from lobby.clock import Agenda, Alarm


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
