"""Hello, login and logout; whose a name is, and for how long."""

import json

import pytest
from conversation import Conversation
from msgspec.structs import replace

from lobby.roster import Roster


async def test_hello_comes_first_and_may_come_again(talk: Conversation):
    await talk.holds("""
        ann> REQ 1 session.login {"player": "ann"}
        ann< RES 1 ERR {"code": "HELLO_REQUIRED", ...}
        ann> REQ 2 session.reconnect {"session_token": "x"}
        ann< RES 2 ERR {"code": "HELLO_REQUIRED", ...}
        ann> REQ 3 session.logout
        ann< RES 3 ERR {"code": "HELLO_REQUIRED", ...}
        ann> REQ 4 session.hello {"version": 2}
        ann< RES 4 ERR {"code": "UNSUPPORTED_VERSION", "message": "...", "supported": [1]}
        ann> REQ 5 session.hello
        ann< RES 5 ERR {"code": "BAD_REQUEST", "message": "...", "field": "$.version"}
        ann> REQ 6 lobby.games
        ann< RES 6 ERR {"code": "HELLO_REQUIRED", ...}
        ann> REQ 7 session.hello {"version": 1, "client": "netcat", "mood": "good"}
        ann> REQ 8 session.hello {"version": 1}
        ann> REQ 9 lobby.games
        ann< RES 7 OK
        ann< RES 8 OK
        ann< RES 9 ERR {"code": "LOGIN_REQUIRED", ...}
        ann> REQ 10 session.logout
        ann< RES 10 ERR {"code": "LOGIN_REQUIRED", ...}
    """)


async def test_ping_and_help_are_answered_at_any_time(talk: Conversation):
    before = await talk.ask("ann", "session.help")
    await talk.ask("ann", "session.ping")
    await talk.enter("ann")
    assert await talk.ask("ann", "session.help") == before
    assert {name for name in before["methods"] if name.startswith("session.")} == {
        *("session.hello", "session.login", "session.reconnect", "session.logout", "session.ping", "session.help")
    }
    assert all(line and "\n" not in line for line in before["methods"].values())


async def test_a_connection_has_one_session(talk: Conversation):
    await talk.enter("ann")
    await talk.holds("""
        ann> REQ 1 session.login {"player": "other"}
        ann< RES 1 ERR {"code": "ALREADY_LOGGED_IN", ...}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>"}
        ann< RES 2 ERR {"code": "ALREADY_LOGGED_IN", ...}
        ann> REQ 3 session.hello {"version": 1}
        ann< RES 3 OK
    """)


@pytest.mark.parametrize("name", ["", "tie", "Host", "a b", "-a", "x" * 33, "\\u200b", "a\\u0000", "ﬁ\\u00ad"])
async def test_a_name_that_cannot_be_had_is_invalid(talk: Conversation, name: str):
    await talk.ask("ann", 'session.hello {"version": 1}')
    (line,) = await talk.say("ann", f'REQ 1 session.login {{"player": "{name}"}}')
    code = "BAD_REQUEST" if "u0000" in name else "INVALID_NAME"
    assert line.startswith(f'RES 1 ERR {{"code": "{code}", "message": "')


async def test_a_name_is_kept_as_nfc_and_the_same_in_every_spelling(talk: Conversation):
    await talk.holds("""
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.login {"player": "Zoe\\u0308"}
        ann> REQ 3 lobby.players
        ann< RES 1 OK
        ann< RES 2 OK {"session_token": "<token ann>"}
        ann< RES 3 OK {"players": [{"player": "Zoë", "connected": true, "playing": [], "waiting": []}]}
        bob> REQ 1 session.hello {"version": 1}
        bob> REQ 2 session.login {"player": "ZOË"}
        bob> REQ 3 session.login {"player": "ｚｏë"}
        bob> REQ 4 session.login {"player": "zoe"}
        bob< RES 1 OK
        bob< RES 2 ERR {"code": "NAME_TAKEN", ...}
        bob< RES 3 ERR {"code": "NAME_TAKEN", ...}
        bob< RES 4 OK {"session_token": "<token bob>"}
    """)


async def test_logging_out_resigns_ends_the_token_and_frees_the_name(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    talk.forget()
    await talk.holds("""
        ann> REQ 1 session.logout
        ann< RES 1 OK
        ann< EVT m1 game.result {"result": "LOSS", "reason": "resigned"}
        ann< EOF
        bob< EVT m1 game.result {"result": "WIN", "reason": "resigned"}
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>"}
        ann> REQ 3 session.login {"player": "ann"}
        ann< RES 1 OK
        ann< RES 2 ERR {"code": "INVALID_TOKEN", ...}
        ann< RES 3 OK {"session_token": "<token ann2>"}
        ann> REQ 4 m1 game.state
        ann< RES 4 ERR {"code": "NOT_IN_MATCH", ...}
    """)


async def test_a_name_that_is_taken_comes_with_why_and_until_when_where_that_is_known(talk: Conversation):
    await talk.enter("ann", "bob")

    async def why() -> str:
        (line,) = await talk.say("cid", 'REQ 1 session.login {"player": "ann"}')
        return str(json.loads(line.removeprefix("RES 1 ERR "))["message"]).partition(";")[0]

    await talk.ask("cid", 'session.hello {"version": 1}')
    assert await why() == "ann is taken by a player who is connected"
    await talk.match("ann", "bob", game="battleship")
    await talk.hang_up("ann")
    assert await why() == "ann is taken by a player who is away"
    await talk.ask("bob", "m1 game.resign")
    await talk.advance(10.5)
    assert await why() == "ann is taken by a player who is away, and free in 50 s"
    await talk.advance(49.5)
    (line,) = await talk.say("cid", 'REQ 1 session.login {"player": "ann"}')
    assert line.startswith("RES 1 OK ")


@pytest.mark.parametrize(
    ("token", "said"), [("x" * 42, "and this one 42; check that it is whole"), ("x" * 43, "log in")]
)
async def test_a_token_of_another_length_is_told_so(talk: Conversation, token: str, said: str):
    await talk.ask("ann", 'session.hello {"version": 1}')
    (line,) = await talk.say("ann", f'REQ 1 session.reconnect {{"session_token": "{token}"}}')
    assert line.startswith('RES 1 ERR {"code": "INVALID_TOKEN", ')
    assert said in line


async def test_a_session_that_never_had_a_match_ends_with_its_hold(talk: Conversation):
    await talk.enter("ann")
    await talk.holds("""
        -- ann hangs up
        bob> REQ 1 session.hello {"version": 1}
        bob< RES 1 OK
        -- 59 s later
        bob> REQ 2 session.login {"player": "ann"}
        bob< RES 2 ERR {"code": "NAME_TAKEN", ...}
        -- 1 s later
        bob> REQ 3 session.reconnect {"session_token": "<token ann>"}
        bob< RES 3 ERR {"code": "INVALID_TOKEN", ...}
        bob> REQ 4 session.login {"player": "ann"}
        bob< RES 4 OK {"session_token": "<token bob>"}
    """)


async def test_the_token_of_a_session_that_has_played_works_after_the_hold_until_its_name_is_taken(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    await talk.ask("ann", "m1 game.resign")
    talk.forget()
    await talk.holds("""
        -- ann hangs up
        -- 3600 s later
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>"}
        ann< RES 1 OK
        ann< RES 2 OK {"player": "ann", ...}
        ann< EVT m1 game.match_started {"opponent": "bob"}
        ann< EVT m1 game.update {"type": "place_ships", ...}
        ann< EVT m1 game.result {"result": "LOSS", "reason": "resigned"}
        cid> REQ 1 session.hello {"version": 1}
        cid> REQ 2 session.login {"player": "ann"}
        cid< RES 1 OK
        cid< RES 2 ERR {"code": "NAME_TAKEN", ...}
        -- ann hangs up
        -- 60 s later
        cid> REQ 3 session.login {"player": "Ann"}
        cid< RES 3 OK {"session_token": "<token cid>"}
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>"}
        ann< RES 1 OK
        ann< RES 2 ERR {"code": "INVALID_TOKEN", ...}
    """)


async def test_a_name_is_held_as_long_as_its_session_has_a_live_match():
    async with Conversation(name_hold=10, reconnect_grace=60) as talk:
        await talk.enter("ann", "bob", "cid")
        await talk.match("ann", "bob", game="battleship")
        talk.forget()
        await talk.holds("""
            -- ann hangs up
            bob< EVT lobby.presence {"match": "m1", "player": "ann", "connected": false, "seconds": 60}
            -- 59 s later
            dan> REQ 1 session.hello {"version": 1}
            dan> REQ 2 session.login {"player": "ann"}
            dan< RES 1 OK
            dan< RES 2 ERR {"code": "NAME_TAKEN", ...}
            -- 1 s later
            bob< EVT m1 game.result {"result": "WIN", "reason": "disconnected"}
            dan> REQ 3 session.login {"player": "ann"}
            dan< RES 3 OK {"session_token": "<token dan>"}
        """)


async def test_a_name_is_free_after_its_hold_however_long_the_grace():
    async with Conversation(name_hold=10, reconnect_grace=60) as talk:
        await talk.enter("ann")
        await talk.holds("""
            -- ann hangs up
            -- 10 s later
            bob> REQ 1 session.hello {"version": 1}
            bob> REQ 2 session.login {"player": "ann"}
            bob< RES 1 OK
            bob< RES 2 OK {"session_token": "<token bob>"}
        """)


async def test_a_competition_holds_names_as_long_as_it_lasts():
    async with Conversation(name_hold=1000, reconnect_grace=5) as talk:
        await talk.enter("ann")
        await talk.holds("""
            -- ann hangs up
            -- 999 s later
            ann> REQ 1 session.hello {"version": 1}
            ann> REQ 2 session.login {"player": "ann"}
            ann> REQ 3 session.reconnect {"session_token": "<token ann>"}
            ann< RES 1 OK
            ann< RES 2 ERR {"code": "NAME_TAKEN", ...}
            ann< RES 3 OK {"player": "ann", "matches": {}, "subscriptions": [], "challenges": []}
        """)


async def test_a_token_that_is_not_used_for_the_time_to_live_ends():
    async with Conversation(session_ttl=1000) as talk:
        await talk.enter("ann", "bob")
        await talk.match("ann", "bob", game="battleship")
        await talk.ask("ann", "m1 game.resign")
        talk.forget()
        await talk.hang_up("ann")
        await talk.advance(990)
        reconnect = ['REQ 1 session.hello {"version": 1}', 'REQ 2 session.reconnect {"session_token": "<token ann>"}']
        assert (await talk.say("cid", *reconnect))[1].startswith("RES 2 OK")
        await talk.hang_up("cid")
        await talk.advance(990)
        assert (await talk.say("cid", *reconnect))[1].startswith("RES 2 OK")
        await talk.hang_up("cid")
        await talk.advance(1_000.1)  # to the point, whenever it is swept away
        assert (await talk.say("cid", *reconnect))[1].startswith('RES 2 ERR {"code": "INVALID_TOKEN"')


async def test_over_the_limit_of_sessions_the_one_left_the_longest_ago_makes_room():
    async with Conversation(max_sessions=3) as talk:
        await talk.enter("ann", "bob", "cid")
        await talk.match("ann", "bob", game="battleship")
        await talk.match("bob", "cid", game="battleship")
        for match in ("m1", "m2"):
            await talk.ask("bob", f"{match} game.resign")
        talk.forget()
        await talk.holds("""
            -- ann hangs up
            -- 50 s later
            dan> REQ 1 session.hello {"version": 1}
            dan> REQ 2 session.login {"player": "dan"}
            dan< RES 1 OK
            dan< RES 2 ERR {"code": "SERVER_FULL", "message": "...", "retry_after": 5}
            -- bob hangs up
            -- 61 s later
            dan> REQ 3 session.login {"player": "dan"}
            dan< RES 3 OK {"session_token": "<token dan>"}
            ann> REQ 1 session.hello {"version": 1}
            ann> REQ 2 session.reconnect {"session_token": "<token ann>"}
            ann< RES 1 OK
            ann< RES 2 ERR {"code": "INVALID_TOKEN", ...}
            bob> REQ 1 session.hello {"version": 1}
            bob> REQ 2 session.reconnect {"session_token": "<token bob>", "matches": {"m1": 9, "m2": 9}}
            bob< RES 1 OK
            bob< RES 2 OK {"player": "bob", ...}
        """)


async def test_a_name_that_has_lapsed_is_taken_even_where_there_are_more_sessions_than_may_be_by_now():
    async with Conversation() as talk:
        await talk.enter("ann", "bob")
        await talk.match("ann", "bob", game="battleship")
        await talk.ask("ann", "m1 game.resign")
        await talk.hang_up("ann")
        await talk.advance(61)
        await talk.enter("cid")
        talk.settings = replace(talk.settings, max_sessions=1)
        await talk.kill()
        talk.forget()
        await talk.holds("""
            ann> REQ 1 session.hello {"version": 1}
            ann> REQ 2 session.login {"player": "ann"}
            ann< RES 1 OK
            ann< RES 2 OK {"session_token": "..."}
        """)


async def test_a_session_that_only_a_tournament_still_holds_makes_room_too():
    async with Conversation(max_sessions=2) as talk:
        await talk.enter("ann", "bob")
        await talk.ask("ann", 'tournament.create {"game": "rps"}')
        await talk.hang_up("ann")
        talk.forget()
        await talk.holds("""
            -- 59 s later
            cid> REQ 1 session.hello {"version": 1}
            cid> REQ 2 session.login {"player": "cid"}
            cid< RES 1 OK
            cid< RES 2 ERR {"code": "SERVER_FULL", ...}
            -- 1 s later
            cid> REQ 3 session.login {"player": "cid"}
            cid> REQ 4 tournament.list
            cid< RES 3 OK {"session_token": "<token cid>"}
            cid< RES 4 OK {"tournaments": [{"tournament": "t1", ... "status": "cancelled", "players": []}]}
        """)


async def test_that_nobody_can_make_room_is_found_without_a_look_at_everyone(monkeypatch: pytest.MonkeyPatch):
    names = [f"p{number}" for number in range(20)]
    async with Conversation(max_sessions=len(names)) as talk:
        await talk.enter(*names)
        await talk.hang_up(*names)
        await talk.ask("late", 'session.hello {"version": 1}')
        looks, holds = [], Roster.holds
        monkeypatch.setattr(Roster, "holds", lambda roster, session: looks.append(session) or holds(roster, session))
        (refused,) = await talk.say("late", 'REQ 1 session.login {"player": "late"}')
        assert "SERVER_FULL" in refused
        assert looks == []
