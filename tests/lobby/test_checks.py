"""The order in which a request is checked: of all that is wrong with it, what comes first in the contract answers."""

import pytest
from conversation import Conversation
from fleet import PLACE

LONG = "x" * 9_000
ACTION = "game.action"

STRANGER = [
    (f"REQ 1 session.pong {LONG}", "LINE_TOO_LONG"),
    ("REQ 1 session.pong {", "BAD_REQUEST"),
    ('REQ 1 m1 lobby.subscrib {"game": 3}', "UNKNOWN_METHOD"),
    ("REQ 1 m1 lobby.games", "BAD_REQUEST"),
    ("REQ 1 game.state", "BAD_REQUEST"),
    ('REQ 1 lobby.games {"limit": 0}', "HELLO_REQUIRED"),
    ("REQ 1 m1 game.state", "HELLO_REQUIRED"),
    ("REQ 1 session.login {}", "HELLO_REQUIRED"),
    ("REQ 1 session.hello {}", "BAD_REQUEST"),
    ("REQ 1 m1 session.hello {}", "BAD_REQUEST"),
]
GREETED = [
    ("REQ 1 game.state", "BAD_REQUEST"),
    ('REQ 1 lobby.games {"limit": 0}', "LOGIN_REQUIRED"),
    ("REQ 1 m99 game.state", "LOGIN_REQUIRED"),
    ("REQ 1 session.login {}", "BAD_REQUEST"),
    ('REQ 1 session.login {"player": "host"}', "INVALID_NAME"),
]
PLAYER = [
    ("REQ 1 session.login {}", "ALREADY_LOGGED_IN"),
    ('REQ 1 session.reconnect {"session_token": 3}', "ALREADY_LOGGED_IN"),
    ('REQ 1 lobby.subscribe {"game": "chess", "options": 3}', "BAD_REQUEST"),
    ('REQ 1 lobby.subscribe {"game": "chess", "options": {"x": 3}}', "UNKNOWN_GAME"),
    ('REQ 1 lobby.matches {"game": "chess", "limit": 0}', "BAD_REQUEST"),
    ("REQ 1 m99 game.action {}", "UNKNOWN_MATCH"),
    ("REQ 1 m99 game.resign", "UNKNOWN_MATCH"),
    ("REQ 1 m99 game.state", "UNKNOWN_MATCH"),
    ("REQ 1 M1 game.state", "UNKNOWN_MATCH"),
    ("REQ 1 m01 game.state", "UNKNOWN_MATCH"),
    ("REQ 1 m3 game.action {}", "NOT_IN_MATCH"),
    ("REQ 1 m3 game.resign", "NOT_IN_MATCH"),
    ("REQ 1 m3 game.state", "NOT_IN_MATCH"),
    ("REQ 1 m4 game.action {}", "NOT_IN_MATCH"),  # also where it is over
    ("REQ 1 m2 game.action {}", "MATCH_OVER"),
    ("REQ 1 m2 game.resign", "MATCH_OVER"),
    ("REQ 1 m1 game.action", "UNKNOWN_ACTION"),
    ('REQ 1 m1 game.action {"type": 7}', "UNKNOWN_ACTION"),
    ('REQ 1 m1 game.action {"type": "fire"}', "UNKNOWN_ACTION"),
    ('REQ 1 m1 game.action {"type": "move", "move": 500}', "NOT_YOUR_TURN"),
    ('REQ 1 m1 game.action {"type": "move"}', "NOT_YOUR_TURN"),
    ('REQ 1 m1 game.action {"type": "place_fleet"}', "INVALID_PLACEMENT"),
    ('REQ 1 m1 game.action {"type": "place_fleet", "ships": 3}', "INVALID_PLACEMENT"),
]


async def code(talk: Conversation, name: str, request: str) -> str:
    """Return the code with which a request is refused, and see that nothing else comes of it."""
    (line,) = await talk.say(name, request)
    head, _, rest = line.partition('ERR {"code": "')
    assert head == f"RES {request.split()[1]} "
    assert all(not client.heard for client in talk.clients.values())
    return rest.partition('"')[0]


@pytest.mark.parametrize(("request_line", "wanted"), STRANGER)
async def test_before_hello(talk: Conversation, request_line: str, wanted: str):
    assert await code(talk, "ann", request_line) == wanted


@pytest.mark.parametrize(("request_line", "wanted"), GREETED)
async def test_before_login(talk: Conversation, request_line: str, wanted: str):
    await talk.ask("ann", 'session.hello {"version": 1}')
    assert await code(talk, "ann", request_line) == wanted


async def test_as_a_player(talk: Conversation):
    """ann plays m1, in which both are placing, has played m2, and has no part in m3 and m4, which is over."""
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="battleship")
    await talk.match("ann", "bob", game="battleship")
    await talk.match("cid", "bob", game="battleship")
    await talk.match("cid", "bob", game="battleship")
    await talk.ask("ann", "m2 game.resign")
    await talk.ask("cid", "m4 game.resign")
    before = await talk.ask("ann", "m1 game.state")
    talk.forget()
    assert [(line, await code(talk, "ann", line)) for line, _ in PLAYER] == PLAYER
    assert await talk.ask("ann", "m1 game.state") == before


async def test_a_refused_action_moves_no_clock(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship", options={"turn_seconds": 10})
    await talk.ask("bob", f"m1 game.action {PLACE}")
    await talk.ask("ann", f"m1 game.action {PLACE}")
    talk.forget()
    await talk.holds("""
        -- 9 s later
        ann> REQ 1 m1 game.action {"type": "move", "move": 100}
        ann< RES 1 ERR {"code": "INVALID_MOVE", ...}
        bob> REQ 2 m1 game.action {"type": "move", "move": 5}
        bob< RES 2 ERR {"code": "NOT_YOUR_TURN", ...}
        -- 1 s later
        ann< EVT m1 game.result {"result": "LOSS", "reason": "timeout"}
        bob< EVT m1 game.result {"result": "WIN", "reason": "timeout"}
    """)


async def test_too_soon_comes_after_whose_turn_it_is_and_before_what_the_action_holds(talk: Conversation):
    await talk.enter("ann", "bob")
    options = {"min_think_seconds": 2, "max_think_seconds": 9}
    await talk.match("ann", "bob", game="rps", options=options)
    talk.forget()
    await talk.holds("""
        -- 0.5 s later
        ann> REQ 1 m1 game.action {"type": "move", "move": "lizard"}
        ann< RES 1 ERR {"code": "TOO_SOON", "message": "...", "retry_after": 1.5}
        ann> REQ 2 m1 game.action {"type": "commit"}
        ann< RES 2 ERR {"code": "UNKNOWN_ACTION", "message": "...", "actions": ["move"]}
        -- 1.5 s later
        ann> REQ 3 m1 game.action {"type": "move", "move": "lizard"}
        ann< RES 3 ERR {"code": "INVALID_MOVE", ...}
        ann> REQ 4 m1 game.action {"type": "move", "move": "rock"}
        ann> REQ 5 m1 game.action {"type": "move", "move": "lizard"}
        ann< RES 4 OK
        ann< RES 5 ERR {"code": "NOT_YOUR_TURN", ...}
    """)
