"""What newcomers write in place of a method, and what they are told."""

import pytest
from conversation import Conversation

from lobby.guesses import GUESSES, meant

METHODS = ["game.action", "lobby.players", "lobby.subscribe", "session.login", "session.reconnect", "tournament.list"]


async def test_whatever_is_guessed_leads_to_methods_that_exist_and_is_none_itself(talk: Conversation):
    methods = talk.server.house.router.methods
    assert {name for right in GUESSES.values() for name in right.split(" or ")} <= set(methods)
    assert not set(GUESSES) & set(methods)


@pytest.mark.parametrize(
    ("word", "method"),
    [
        ("join", "lobby.subscribe"),
        ("lobby.play", "lobby.subscribe"),
        ("Lobby.Join", "lobby.subscribe"),
        ("game.move", "game.action"),
        ("lobby.login", "session.login"),
        ("session.connect", "session.hello"),
        ("tournaments.list", "tournament.list"),
        ("lobby.list", "lobby.games"),
        ("a.b", None),
    ],
)
def test_a_habit_or_a_slip_leads_to_its_method(word: str, method: str | None):
    assert meant(word, METHODS) == method


async def test_the_method_that_was_meant_is_named_with_and_without_a_dot(talk: Conversation):
    await talk.holds("""
        ann> REQ 1 lobby.join {"game": "rps"}
        ann< RES 1 ERR {"code": "UNKNOWN_METHOD", "message": "there is no method lobby.join; did you mean lobby.subscribe?"}
        ann> REQ 2 join {"game": "rps"}
        ann< RES 2 ERR {"code": "BAD_REQUEST", "message": "the method is missing, ...; did you mean lobby.subscribe?"}
        ann> REQ 3 m1 move {"move": 3}
        ann< RES 3 ERR {"code": "BAD_REQUEST", "message": "the method is missing, ...; did you mean game.action?"}
        ann> REQ 4 m1 session.ping
        ann< RES 4 ERR {"code": "BAD_REQUEST", "message": "session.ping takes no match id: REQ <id> session.ping"}
    """)
