"""Declines: how long each keeps its challenger from asking again, whenever the alarms get to ring."""

import pytest
from fake_clock import FakeClock

from lobby.clock import Agenda
from lobby.declines import Declines
from lobby.rows import DeclineRow
from lobby.session import Session
from lobby.store.memory import MemoryStore
from protocol.errors import Code, ProtocolError

ANN, BOB = Session(1, "ann", b""), Session(2, "bob", b"")


def test_a_second_decline_is_not_forgotten_with_the_first():
    clock, store = FakeClock(), MemoryStore()
    agenda = Agenda(clock)
    declines = Declines(store, agenda, cooldown=60)
    declines.add(ANN, BOB)
    clock.move(60)
    declines.check(ANN, BOB)
    declines.add(ANN, BOB)
    agenda.run(60)
    with pytest.raises(ProtocolError) as refused:
        declines.check(ANN, BOB)
    assert (refused.value.code, refused.value.extra) == (Code.TOO_SOON, {"retry_after": 60})
    agenda.run(120)
    assert list(store.rows(DeclineRow)) == []
