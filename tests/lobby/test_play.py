"""A match at the socket, whatever the game: its clocks, giving up, its state during and after, and being void."""

import json

from conversation import Conversation
from fleet import PLACE


async def shooting(talk: Conversation, options: dict[str, int] | None = None) -> None:
    """Let ann and bob play battleship, both fleets placed and ann to shoot."""
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship", options=options or {})
    await talk.ask("bob", f"m1 game.action {PLACE}")
    await talk.ask("ann", f"m1 game.action {PLACE}")
    talk.forget()


async def test_your_turn_shows_the_seconds_that_the_options_set_and_each_starts_anew(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship", options={"turn_seconds": 10})
    await talk.ask("bob", f"m1 game.action {PLACE}")
    talk.forget()
    await talk.holds(f"""
        -- 599 s later
        ann> REQ 1 m1 game.action {PLACE}
        ann< RES 1 OK
        ann< EVT m1 game.your_turn {{"seconds": 10}}
        -- 9.5 s later
        ann> REQ 2 m1 game.action {{"type": "move", "move": 0}}
        ann< RES 2 OK
        ann< EVT m1 game.action {{"type": "move", "player": "ann", "move": 0, "result": "HIT", "sunk": null}}
        ann< EVT m1 game.your_turn {{"seconds": 10}}
        bob< EVT m1 game.action {{"type": "move", "player": "ann", "move": 0, "result": "HIT", "sunk": null}}
        -- 9.5 s later
        ann> REQ 3 m1 game.action {{"type": "move", "move": 99}}
        ann< RES 3 OK
        ann< EVT m1 game.action {{"type": "move", "player": "ann", "move": 99, "result": "MISS", "sunk": null}}
        bob< EVT m1 game.action {{"type": "move", "player": "ann", "move": 99, "result": "MISS", "sunk": null}}
        bob< EVT m1 game.your_turn {{"seconds": 10}}
        -- 9.9 s later
        -- 0.1 s later
        ann< EVT m1 game.result {{"result": "WIN", "reason": "timeout"}}
        bob< EVT m1 game.result {{"result": "LOSS", "reason": "timeout"}}
    """)


async def test_a_match_without_a_clock_of_its_own_ends_by_the_default_of_its_game(talk: Conversation):
    await shooting(talk)
    await talk.holds("""
        -- 119.9 s later
        -- 0.1 s later
        ann< EVT m1 game.result {"result": "LOSS", "reason": "timeout"}
        bob< EVT m1 game.result {"result": "WIN", "reason": "timeout"}
    """)


async def test_where_one_instant_leaves_nobody_the_match_is_void(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    talk.forget()
    await talk.holds("""
        -- 599.9 s later
        -- 0.1 s later
        ann< EVT m1 game.result {"result": "VOID", "reason": "timeout"}
        bob< EVT m1 game.result {"result": "VOID", "reason": "timeout"}
    """)


async def test_an_action_at_the_instant_at_which_the_clock_runs_out_comes_too_late(talk: Conversation):
    await shooting(talk)
    talk.clock.move(talk.clock.now() + 120)
    await talk.holds("""
        ann> REQ 1 m1 game.action {"type": "move", "move": 0}
        ann< EVT m1 game.result {"result": "LOSS", "reason": "timeout"}
        ann< RES 1 ERR {"code": "MATCH_OVER", ...}
        bob< EVT m1 game.result {"result": "WIN", "reason": "timeout"}
    """)


async def test_giving_up_is_possible_at_any_time_and_once(talk: Conversation):
    await shooting(talk)
    await talk.holds("""
        bob> REQ 1 m1 game.resign
        bob> REQ 2 m1 game.resign
        bob> REQ 3 m1 game.action {"type": "move", "move": 0}
        bob< RES 1 OK
        bob< EVT m1 game.result {"result": "LOSS", "reason": "resigned"}
        bob< RES 2 ERR {"code": "MATCH_OVER", ...}
        bob< RES 3 ERR {"code": "MATCH_OVER", ...}
        ann< EVT m1 game.result {"result": "WIN", "reason": "resigned"}
    """)


async def test_the_state_says_who_is_to_act_and_what_is_left_of_their_clock(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship", options={"turn_seconds": 10})
    talk.forget()
    await talk.advance(1.25)
    await talk.ask("bob", f"m1 game.action {PLACE}")
    head = '"game": "battleship", "players": ["ann", "bob"]'
    await talk.holds(f"""
        ann> REQ 1 m1 game.state
        ann< EVT m1 game.update {{"type": "opponent_ready"}}
        ann< RES 1 OK {{{head}, "you": "ann", "turn": ["ann"], "events": 3, "live": true, "clock": {{"ann": 598.8}}, "state": {{...}}}}
        bob> REQ 1 m1 game.state
        bob< RES 1 OK {{{head}, "you": "bob", "turn": ["ann"], "events": 2, "live": true, "clock": {{"ann": 598.8}}, "state": {{...}}}}
        ann> REQ 2 m1 game.action {PLACE}
        ann< RES 2 OK
        ann< EVT m1 game.your_turn {{"seconds": 10}}
        -- 3 s later
        bob> REQ 2 m1 game.state
        bob< RES 2 OK {{{head}, "you": "bob", "turn": ["ann"], "events": 2, "live": true, "clock": {{"ann": 7}}, "state": {{...}}}}
        ann> REQ 3 m1 game.resign
        ann< RES 3 OK
        ann< EVT m1 game.result {{"result": "LOSS", "reason": "resigned"}}
        bob< EVT m1 game.result {{"result": "WIN", "reason": "resigned"}}
        ann> REQ 4 m1 game.state
        ann< RES 4 OK {{{head}, "you": "ann", "turn": [], "events": 5, "live": false, "clock": {{}}, "state": {{...}}}}
    """)  # noqa: E501 - a line of the wire is one line


async def test_the_state_after_the_end_is_the_same_after_a_restart(talk: Conversation):
    await shooting(talk)
    await talk.ask("ann", "m1 game.resign")
    before = await talk.ask("bob", "m1 game.state")
    assert before["state"]
    await talk.kill()
    await talk.ask("bob", 'session.hello {"version": 1}')
    await talk.ask("bob", 'session.reconnect {"session_token": "<token bob>"}')
    assert await talk.ask("bob", "m1 game.state") == before


async def test_the_state_shows_ones_own_hidden_choice_and_not_the_others(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="roshambo")
    await talk.ask("bob", 'm1 game.action {"type": "move", "move": "PAPER"}')
    own, other = [json.dumps((await talk.ask(name, "m1 game.state"))["state"]) for name in ("bob", "ann")]
    assert "PAPER" in own
    assert "PAPER" not in other


async def test_who_leaves_a_table_of_three_hears_no_more_and_the_others_play_on(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", "cid", game="purrinha", options={"players": 3})
    talk.forget()
    await talk.holds("""
        bob> REQ 1 m1 game.resign
        bob> REQ 2 m1 game.state
        bob> REQ 3 m1 game.action {"type": "sum_guessed", "selected_value": 1}
        bob< RES 1 OK
        bob< EVT m1 game.update {"type": "player_left", "player": "bob", "reason": "resigned"}
        bob< EVT m1 game.result {"result": "LOSS", "reason": "resigned"}
        bob< RES 2 OK {"game": "purrinha", "players": ["ann", "bob", "cid"], "you": "bob", ... "live": false, ...}
        bob< RES 3 ERR {"code": "MATCH_OVER", ...}
        ann< EVT m1 game.update {"type": "player_left", "player": "bob", "reason": "resigned"}
        ann< EVT m1 game.update {"type": "game_state", ...}
        cid< EVT m1 game.update {"type": "player_left", "player": "bob", "reason": "resigned"}
        cid< EVT m1 game.update {"type": "game_state", ...}
        ann> REQ 1 m1 game.resign
        ann< RES 1 OK
        ann< EVT m1 game.update {"type": "player_left", "player": "ann", "reason": "resigned"}
        ann< EVT m1 game.result {"result": "LOSS", "reason": "resigned"}
        cid< EVT m1 game.update {"type": "player_left", "player": "ann", "reason": "resigned"}
        cid< EVT m1 game.result {"result": "WIN", "reason": "resigned"}
    """)
