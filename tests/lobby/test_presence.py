"""Being away: what opponents are told, the grace, and what is lost after it; being back, and being taken over."""

import pytest
from conversation import Conversation
from fake_clock import FakeClock, creeping
from fleet import PLACE


async def test_opponents_hear_of_a_player_who_goes_and_comes_back(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="battleship")
    talk.forget()
    await talk.holds("""
        -- ann hangs up
        bob< EVT lobby.presence {"match": "m1", "player": "ann", "connected": false, "seconds": 60}
        -- 59.9 s later
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>", "matches": {"m1": 2}}
        ann< RES 1 OK
        ann< RES 2 OK {"player": "ann", "matches": {"m1": {"game": "battleship", "events": 2, "live": true}}, ...}
        bob< EVT lobby.presence {"match": "m1", "player": "ann", "connected": true}
        -- 500 s later
        -- ann hangs up
        bob< EVT lobby.presence {"match": "m1", "player": "ann", "connected": false, "seconds": 40.1}
    """)


@pytest.mark.parametrize(
    ("game", "options", "seconds"),
    [
        ("battleship", {}, "60"),
        ("battleship", {"turn_seconds": 10}, "60"),  # nobody's turn: both are placing
        ("roshambo", {}, "30"),
        ("roshambo", {"turn_seconds": 7}, "7"),
        ("rps", {}, "60"),  # a missed round loses no match
        ("purrinha", {}, "60"),
        ("purrinha", {"turn_seconds": 25}, "25"),
    ],
)
async def test_seconds_is_the_smaller_of_the_grace_and_what_ends_the_match_sooner(
    talk: Conversation, game: str, options: dict[str, int], seconds: str
):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game=game, options=options)
    talk.forget()
    await talk.hang_up("ann")
    presence = f'{{"match": "m1", "player": "ann", "connected": false, "seconds": {seconds}}}'
    assert await talk.say("bob") == [f"EVT lobby.presence {presence}"]


async def test_seconds_count_from_the_moment_of_leaving_however_long_nothing_happened_before(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="roshambo")
    talk.forget()
    talk.clock.move(talk.clock.now() + 0.6)  # in which the server has no reason to wake
    await talk.hang_up("ann")
    presence = '{"match": "m1", "player": "ann", "connected": false, "seconds": 29.4}'
    assert await talk.say("bob") == [f"EVT lobby.presence {presence}"]


async def test_whoever_is_away_for_the_grace_has_lost_every_live_match(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="battleship")
    await talk.match("cid", "ann", game="battleship")
    talk.forget()
    await talk.holds("""
        -- ann hangs up
        bob< EVT lobby.presence {"match": "m1", "player": "ann", "connected": false, "seconds": 60}
        cid< EVT lobby.presence {"match": "m2", "player": "ann", "connected": false, "seconds": 60}
        -- 59.9 s later
        -- 0.1 s later
        bob< EVT m1 game.result {"result": "WIN", "reason": "disconnected"}
        cid< EVT m2 game.result {"result": "WIN", "reason": "disconnected"}
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>", "matches": {"m1": 2, "m2": 2}}
        ann< RES 1 OK
        ann< RES 2 OK {"player": "ann", "matches": {"m1": {"game": "battleship", "events": 3, "live": false}, "m2": {"game": "battleship", "events": 3, "live": false}}, "subscriptions": [], "challenges": []}
        ann< EVT m1 game.result {"result": "LOSS", "reason": "disconnected"}
        ann< EVT m2 game.result {"result": "LOSS", "reason": "disconnected"}
    """)  # noqa: E501 - a line of the wire is one line


@pytest.mark.parametrize(("hold", "grace"), [(1000, 5), (1, 5)])
async def test_the_grace_and_the_hold_of_a_name_run_each_on_its_own(hold: float, grace: float):
    async with Conversation(name_hold=hold, reconnect_grace=grace) as talk:
        await talk.enter("ann", "bob", "cid")
        await talk.match("ann", "bob", game="battleship")
        await talk.hang_up("ann", "cid")
        talk.forget()
        await talk.holds(f"""
            -- {grace - 0.1} s later
            -- 0.1 s later
            bob< EVT m1 game.result {{"result": "WIN", "reason": "disconnected"}}
        """)
        await talk.advance(max(0, hold - grace - 0.1))
        players = ["ann", "bob", "cid"] if hold > grace else ["bob"]
        assert [player["player"] for player in (await talk.ask("bob", "lobby.players"))["players"]] == players
        await talk.advance(0.1)
        assert [player["player"] for player in (await talk.ask("bob", "lobby.players"))["players"]] == ["bob"]


async def test_clocks_run_while_a_player_is_away(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship", options={"turn_seconds": 20})
    await talk.ask("bob", f"m1 game.action {PLACE}")
    await talk.ask("ann", f"m1 game.action {PLACE}")
    talk.forget()
    await talk.holds("""
        -- 5 s later
        -- ann hangs up
        bob< EVT lobby.presence {"match": "m1", "player": "ann", "connected": false, "seconds": 15}
        -- 14.9 s later
        -- 0.1 s later
        bob< EVT m1 game.result {"result": "WIN", "reason": "timeout"}
    """)


async def test_of_two_who_are_away_the_earlier_loses(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    await talk.hang_up("bob")
    await talk.advance(1)
    await talk.hang_up("ann")
    await talk.advance(59)
    await talk.holds("""
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>", "matches": {"m1": 2}}
        ann< RES 1 OK
        ann< RES 2 OK {"player": "ann", ...}
        ann< EVT m1 game.result {"result": "WIN", "reason": "disconnected"}
    """)


async def test_two_whose_connections_end_in_one_turn_of_the_loop_are_gone_at_one_instant(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(FakeClock, "now", creeping)
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="battleship")
    await talk.ask("cid", 'lobby.watch {"match": "m1"}')
    for name in ("ann", "bob"):
        talk.clients.pop(name).transport.abort()
    await talk.heard_by_now("cid")
    await talk.advance(60.001)
    assert talk.clients["cid"].taken() == [
        'EVT m1 game.result {"results": {"ann": "VOID", "bob": "VOID"}, "reason": "disconnected"}',
    ]


async def test_a_take_over_replaces_the_old_connection_and_nobody_else_hears_of_it(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    talk.forget()
    await talk.holds("""
        phone> REQ 1 session.hello {"version": 1}
        phone> REQ 2 session.reconnect {"session_token": "<token ann>", "matches": {"m1": 2}}
        phone< RES 1 OK
        phone< RES 2 OK {"player": "ann", ...}
        ann< EVT session.replaced
        ann< EOF
        -- 100 s later
        bob> REQ 1 m1 game.resign
        bob< RES 1 OK
        bob< EVT m1 game.result {"result": "LOSS", "reason": "resigned"}
        phone< EVT m1 game.result {"result": "WIN", "reason": "resigned"}
    """)


async def test_what_the_old_connection_sent_and_was_not_yet_read_is_dropped(talk: Conversation):
    """The take-over is served first of what waits at both connections: the old one's 33rd line comes a turn later."""
    await talk.enter("ann")
    phone, ann = await talk.client("phone"), talk.clients["ann"]
    await talk.ask("phone", 'session.hello {"version": 1}')
    ann.write("".join(f"REQ {number} session.ping\n" for number in range(100)) + "REQ x session.logout\n")
    phone.write(f'REQ 2 session.reconnect {{"session_token": "{talk.tokens["<token ann>"]}"}}\n')
    await ann.closed()
    assert ann.taken()[-2:] == ["EVT session.replaced", "EOF"]
    await phone.settle()
    assert phone.taken()[0].startswith("RES 2 OK")
    assert await talk.ask("phone", "session.ping") is None


async def test_a_failed_reconnect_touches_nothing(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    await talk.hang_up("bob")
    await talk.advance(30)
    talk.forget()
    await talk.holds("""
        cid> REQ 1 session.hello {"version": 1}
        cid> REQ 2 session.reconnect {"session_token": "wrong"}
        cid> REQ 3 session.reconnect {"session_token": "<token bob>", "matches": {"m1": -1}}
        cid> REQ 4 session.reconnect {"session_token": "<token ann>", "matches": 3}
        cid< RES 1 OK
        cid< RES 2 ERR {"code": "INVALID_TOKEN", ...}
        cid< RES 3 ERR {"code": "BAD_REQUEST", ...}
        cid< RES 4 ERR {"code": "BAD_REQUEST", "message": "...", "field": "$.matches"}
        -- 29 s later
        ann> REQ 1 session.ping
        ann< RES 1 OK
        -- 1 s later
        ann< EVT m1 game.result {"result": "WIN", "reason": "disconnected"}
    """)


async def test_rounds_that_are_missed_while_away_are_lost_and_the_match_only_by_the_grace(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="rps", options={"best_of": 99, "max_think_seconds": 19})
    await talk.hang_up("ann")
    for round_ in range(3):
        await talk.ask("bob", 'm1 game.action {"type": "move", "move": "rock"}')
        talk.forget()
        await talk.holds(f"""
            -- 18.9 s later
            -- 0.1 s later
            bob< EVT m1 game.update {{"type": "round_result", "round": {round_}, "host_choice": "none", ...}}
            bob< EVT m1 game.your_turn {{"seconds": 19}}
        """)
    await talk.holds("""
        -- 2.9 s later
        -- 0.1 s later
        bob< EVT m1 game.result {"result": "WIN", "reason": "disconnected"}
    """)
