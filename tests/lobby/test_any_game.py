"""What any game may ask of the server: more than two seats, chance, a clock of the options; none of it is ours alone."""

from pathlib import Path

from conversation import OURS, Conversation
from lots import Lots

from games.check import check_game


def test_the_game_of_these_tests_meets_the_contract():
    assert check_game("lots", Lots, matches=200).report == ""


async def test_a_table_of_four_fills_plays_by_its_clock_and_comes_back_after_a_kill_with_the_same_lots(tmp_path: Path):
    async with Conversation(db=tmp_path / "lobby.db", engines=[Lots(), *OURS]) as talk:
        await talk.enter("ann", "bob", "cid", "dan")
        subscribe = 'lobby.subscribe {"game": "lots", "options": {"players": 4, "turn_seconds": 5}}'
        await talk.ask("ann", subscribe)
        await talk.ask("bob", subscribe)
        talk.forget()
        await talk.holds(f"""
            cid> REQ 1 {subscribe}
            cid< RES 1 OK
            cid< EVT lobby.waiting {{"game": "lots", "awaited_players": 4, "connected_players": 3, "players": ["ann", "bob", "cid"], "status": "waiting"}}
            ann< EVT lobby.waiting {{"game": "lots", "awaited_players": 4, "connected_players": 3, "players": ["ann", "bob", "cid"], "status": "waiting"}}
            bob< EVT lobby.waiting {{"game": "lots", "awaited_players": 4, "connected_players": 3, "players": ["ann", "bob", "cid"], "status": "waiting"}}
            dan> REQ 1 {subscribe}
            dan< RES 1 OK
            dan< EVT m1 game.match_started {{"opponents": ["ann", "bob", "cid"]}}
            dan< EVT m1 game.update {{"type": "lots", "straws": 4}}
            ann< EVT m1 game.match_started {{"opponents": ["bob", "cid", "dan"]}}
            ann< EVT m1 game.update {{"type": "lots", "straws": 4}}
            ann< EVT m1 game.your_turn {{"seconds": 5}}
            bob< EVT m1 game.match_started {{"opponents": ["ann", "cid", "dan"]}}
            bob< EVT m1 game.update {{"type": "lots", "straws": 4}}
            cid< EVT m1 game.match_started {{"opponents": ["ann", "bob", "dan"]}}
            cid< EVT m1 game.update {{"type": "lots", "straws": 4}}
            -- 5 s later
            ann< EVT m1 game.result {{"result": "LOSS", "reason": "timeout"}}
            bob< EVT m1 game.your_turn {{"seconds": 5}}
        """)  # noqa: E501 - lines as they come
        (straw,) = [line for line in await talk.say("bob", 'REQ 1 m1 game.action {"type": "draw"}') if "straw" in line]
        talk.forget()
        await talk.holds(f"""
            -- the server is killed, and starts again after 60 s
            bob> REQ 1 session.hello {{"version": 1}}
            bob> REQ 2 session.reconnect {{"session_token": "<token bob>"}}
            bob< RES 1 OK
            bob< RES 2 OK {{"player": "bob", ...}}
            bob< EVT m1 game.match_started {{"opponents": ["ann", "cid", "dan"]}}
            bob< EVT m1 game.update {{"type": "lots", "straws": 4}}
            bob< EVT m1 game.your_turn {{"seconds": 5}}
            bob< {straw}
        """)
        state = await talk.ask("bob", "m1 game.state")
        assert (state["turn"], state["clock"], len(state["state"]["drawn"])) == (["cid"], {"cid": 5}, 2)


async def test_options_of_any_game_are_checked_by_their_schema_and_filled_in():
    async with Conversation(engines=[Lots()]) as talk:
        await talk.enter("ann")
        await talk.holds("""
            ann> REQ 1 lobby.subscribe {"game": "lots", "options": {"players": 2}}
            ann< RES 1 ERR {"code": "INVALID_OPTIONS", "message": "`players` must be a whole number from 3 to 5", "field": "players"}
            ann> REQ 2 lobby.subscribe {"game": "lots", "options": {"turn_seconds": 0}}
            ann< RES 2 ERR {"code": "INVALID_OPTIONS", "message": ..., "field": "turn_seconds"}
            ann> REQ 3 lobby.subscribe {"game": "lots", "options": {"straws": 9}}
            ann< RES 3 ERR {"code": "INVALID_OPTIONS", "message": "`straws` is unknown; known are turn_seconds, players", "field": "straws"}
            ann> REQ 4 lobby.subscribe {"game": "lots"}
            ann< RES 4 OK
            ann< EVT lobby.waiting {"game": "lots", "awaited_players": 3, "connected_players": 1, "players": ["ann"], "status": "waiting"}
            ann> REQ 5 lobby.subscribe {"game": "lots", "options": {"turn_seconds": null, "players": 3}}
            ann< RES 5 ERR {"code": "ALREADY_SUBSCRIBED", ...}
        """)  # noqa: E501 - lines as they come
