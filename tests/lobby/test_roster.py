"""The roster: whom a number, a name and a token find, and whose names are held."""

import pytest

from lobby.roster import Roster
from lobby.session import Session
from protocol.errors import Code, ProtocolError

ANN, BOB, CID = (Session(number, name, name.encode()) for number, name in enumerate(("Ann", "bob", "cid"), start=1))


@pytest.fixture
def roster() -> Roster:
    roster = Roster()
    for session in (CID, ANN, BOB):
        roster.add(session)
    return roster


def test_a_session_is_found_by_number_token_and_any_spelling_of_its_name(roster: Roster):
    assert roster.numbered(1) is roster.with_token(b"Ann") is roster.named("aNN") is ANN
    assert roster.numbered(4) is roster.with_token(b"dan") is roster.named("dan") is None


def test_held_names_are_listed_by_code_point_behind_any_other(roster: Roster):
    assert list(roster.holders()) == [ANN, BOB, CID]
    assert list(roster.holders("b")) == [BOB, CID]
    assert list(roster.holders("bob")) == [CID]


def test_a_name_that_was_released_still_finds_its_session_but_is_not_held(roster: Roster):
    roster.release(BOB)
    roster.release(BOB)
    assert (roster.named("bob"), roster.holds(BOB), roster.held) == (BOB, False, 2)
    roster.hold(BOB)
    roster.hold(BOB)
    assert (roster.holds(BOB), roster.held) == (True, 3)


def test_who_was_removed_is_found_by_nothing_and_a_stand_in_bears_the_name(roster: Roster):
    roster.remove(BOB)
    assert roster.numbered(2) is roster.with_token(b"bob") is roster.named("bob") is None
    assert (len(roster), roster.held) == (2, 2)
    stand_in = roster.bearer(2, "bob")
    assert (stand_in.number, stand_in.name, stand_in.ended) == (2, "bob", True)


def test_only_who_is_connected_is_present(roster: Roster):
    with pytest.raises(ProtocolError, match="bob is not connected") as refused:
        roster.present("bob", asking=ANN)
    assert refused.value.code is Code.UNKNOWN_PLAYER
