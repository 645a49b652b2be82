"""Tournaments, from their creation to their end: what is asked, what is told, who may do what, and what comes next."""

import json

import pytest
from conversation import OURS, Conversation
from cup_play import GAME, ask, games, heard, opened, points, started, status, win

from games.roshambo import Roshambo


async def test_a_cup_of_two_from_its_creation_to_its_end(talk: Conversation):
    await talk.enter("org", "ann", "bob")
    await talk.holds("""
        org> REQ 1 tournament.create {"game": "roshambo", "options": {"rounds": 1}, "name": "Spring Cup", "legs": 2}
        org< RES 1 OK {"tournament": "t1"}
        ann> REQ 1 tournament.register {"tournament": "t1"}
        ann< RES 1 OK
        bob> REQ 1 tournament.register {"tournament": "t1"}
        bob> REQ 2 tournament.list
        bob< RES 1 OK
        bob< RES 2 OK {"tournaments": [{"tournament": "t1", "name": "Spring Cup", "game": "roshambo", "status": "open", "players": ["ann", "bob"]}]}
        org> REQ 2 tournament.start {"tournament": "t1"}
        org< RES 2 OK
        org< EVT tournament.started {"tournament": "t1", "game": "roshambo", "options": {"turn_seconds": null, "rounds": 1, "pace": 0}, "games": [{"match": "m1", "player1": "ann", "player2": "bob"}, {"match": "m2", "player1": "bob", "player2": "ann"}]}
        ann< EVT tournament.started {"tournament": "t1", ...
        ann< EVT m1 game.match_started {"opponent": "bob"}
        ann< EVT m1 game.update {"type": "start", "player": "ann", "opponent": "bob", "rounds": 1}
        ann< EVT m1 game.your_turn
        bob< EVT tournament.started {"tournament": "t1", ...
        bob< EVT m1 game.match_started {"opponent": "ann"}
        bob< EVT m1 game.update {"type": "start", "player": "bob", "opponent": "ann", "rounds": 1}
        bob< EVT m1 game.your_turn
        ann> REQ 2 m1 game.action {"type": "move", "move": "ROCK"}
        ann> REQ 3 m2 game.state
        ann< RES 2 OK
        ann< RES 3 ERR {"code": "UNKNOWN_MATCH", ...
        bob> REQ 3 m1 game.resign
        bob< RES 3 OK
        bob< EVT m1 game.action {"type": "move", "player": "bob", "move": "RETIRE"}
        bob< EVT m1 game.result {"result": "LOSS", "reason": "resigned"}
        bob< EVT tournament.game_over {"tournament": "t1", "match": "m1", "results": {"ann": "WIN", "bob": "LOSS"}}
        bob< EVT m2 game.match_started {"opponent": "ann"}
        bob< EVT m2 game.update {"type": "start", "player": "bob", "opponent": "ann", "rounds": 1}
        bob< EVT m2 game.your_turn
        ann< EVT m1 game.action {"type": "move", "player": "bob", "move": "RETIRE"}
        ann< EVT m1 game.result {"result": "WIN", "reason": "resigned"}
        ann< EVT tournament.game_over {"tournament": "t1", "match": "m1", "results": {"ann": "WIN", "bob": "LOSS"}}
        ann< EVT m2 game.match_started {"opponent": "bob"}
        ann< EVT m2 game.update {"type": "start", "player": "ann", "opponent": "bob", "rounds": 1}
        ann< EVT m2 game.your_turn
        org< EVT tournament.game_over {"tournament": "t1", "match": "m1", "results": {"ann": "WIN", "bob": "LOSS"}}
        org> REQ 3 tournament.standings {"tournament": "t1"}
        org< RES 3 OK {"standings": [{"place": 1, "player": "ann", "points": 1, "won": 1, "drawn": 0, "lost": 0}, {"place": 2, "player": "bob", "points": 0, "won": 0, "drawn": 0, "lost": 1}], "games": [{"match": "m1", "player1": "ann", "player2": "bob", "status": "over", "results": {"ann": "WIN", "bob": "LOSS"}}, {"match": "m2", "player1": "bob", "player2": "ann", "status": "live", "results": null}]}
        ann> REQ 4 m2 game.action {"type": "move", "move": "PAPER"}
        bob> REQ 4 m2 game.action {"type": "move", "move": "PAPER"}
        ann< RES 4 OK
        ann< EVT m2 game.action {"type": "move", "player": "bob", "move": "PAPER"}
        ann< EVT m2 game.action {"type": "move", "player": "ann", "move": "PAPER"}
        ann< EVT m2 game.result {"result": "DRAW", "reason": "normal"}
        ann< EVT tournament.game_over {"tournament": "t1", "match": "m2", "results": {"bob": "DRAW", "ann": "DRAW"}}
        ann< EVT tournament.finished {"tournament": "t1", "standings": [{"place": 1, "player": "ann", "points": 1.5, "won": 1, "drawn": 1, "lost": 0}, {"place": 2, "player": "bob", "points": 0.5, "won": 0, "drawn": 1, "lost": 1}]}
        bob< RES 4 OK
        bob< EVT m2 game.action {"type": "move", "player": "bob", "move": "PAPER"}
        bob< EVT m2 game.action {"type": "move", "player": "ann", "move": "PAPER"}
        bob< EVT m2 game.result {"result": "DRAW", "reason": "normal"}
        bob< EVT tournament.game_over {"tournament": "t1", "match": "m2", "results": {"bob": "DRAW", "ann": "DRAW"}}
        bob< EVT tournament.finished {"tournament": "t1", ...
        org< EVT tournament.game_over {"tournament": "t1", "match": "m2", "results": {"bob": "DRAW", "ann": "DRAW"}}
        org< EVT tournament.finished {"tournament": "t1", ...
    """)  # noqa: E501  # lines of the wire stand as they are


# What is refused

REFUSED = [
    ("org", "create {}", 'BAD_REQUEST", "message": "`game` is missing'),
    ("org", 'create {"game": "chess"}', "UNKNOWN_GAME"),
    ("org", 'create {"game": "roshambo", "options": []}', "BAD_REQUEST"),
    ("org", 'create {"game": "roshambo", "options": {"rounds": 0}}', "INVALID_OPTIONS"),
    ("org", 'create {"game": "roshambo", "options": {"colour": 1}}', "INVALID_OPTIONS"),
    ("org", 'create {"game": "purrinha", "options": {"players": 3}}', "INVALID_OPTIONS"),
    ("org", 'create {"game": "roshambo", "legs": 0}', "BAD_REQUEST"),
    ("org", 'create {"game": "roshambo", "legs": 3}', "BAD_REQUEST"),
    ("org", 'create {"game": "roshambo", "legs": true}', "BAD_REQUEST"),
    ("org", 'create {"game": "roshambo", "legs": null}', "BAD_REQUEST"),
    ("org", 'create {"game": "roshambo", "name": ""}', "BAD_REQUEST"),
    ("org", 'create {"game": "roshambo", "name": "   "}', "BAD_REQUEST"),
    ("org", 'create {"game": "roshambo", "name": "a\\u0007b"}', "BAD_REQUEST"),
    ("org", 'create {"game": "roshambo", "name": "a\\u202eb"}', "BAD_REQUEST"),
    ("org", f'create {{"game": "roshambo", "name": "{"x" * 65}"}}', "BAD_REQUEST"),
    ("org", 'create {"game": "roshambo", "name": 7}', "BAD_REQUEST"),
    ("ann", "register {}", "BAD_REQUEST"),
    ("ann", 'register {"tournament": 1}', "BAD_REQUEST"),
    *(("ann", f'{what} {{"tournament": "t9"}}', "UNKNOWN_TOURNAMENT") for what in ("register", "withdraw", "start")),
    *(("ann", f'{what} {{"tournament": "m1"}}', "UNKNOWN_TOURNAMENT") for what in ("cancel", "standings")),
    ("ann", 'start {"tournament": "t01"}', "UNKNOWN_TOURNAMENT"),
    ("ann", 'register {"tournament": "t1"}', "NOT_ALLOWED"),  # she is
    ("bob", 'withdraw {"tournament": "t1"}', "NOT_ALLOWED"),  # he is not registered
    ("org", 'start {"tournament": "t1"}', "NOT_ALLOWED"),  # one is not enough
    ("ann", 'start {"tournament": "t1"}', "NOT_ALLOWED"),  # she did not create it
    ("ann", 'cancel {"tournament": "t1"}', "NOT_ALLOWED"),
    ("ann", 'standings {"tournament": "t1", "after": "m1"}', "BAD_REQUEST"),  # it has no games yet
    ("ann", 'standings {"tournament": "t1", "limit": 0}', "BAD_REQUEST"),
    ("ann", 'list {"after": "1"}', "BAD_REQUEST"),
    ("ann", 'list {"limit": 1001}', "BAD_REQUEST"),
]


@pytest.mark.parametrize(("who", "what", "code"), REFUSED)
async def test_what_is_refused_has_its_code_and_changes_nothing(talk: Conversation, who: str, what: str, code: str):
    await talk.enter("org", "ann", "bob")
    await opened(talk, "org", "ann")
    before = await talk.ask("org", "tournament.list")
    (answer,) = await talk.say(who, f"REQ 1 tournament.{what}")
    assert answer.startswith(f'RES 1 ERR {{"code": "{code}')
    assert await talk.ask("org", "tournament.list") == before


@pytest.mark.parametrize("end", ["running", "finished", "cancelled"])
async def test_once_it_is_no_longer_open_nobody_registers_and_nobody_starts_it(talk: Conversation, end: str):
    await talk.enter("org", "ann", "bob", "cid")
    cup = await opened(talk, "org", "ann", "bob")
    await ask(talk, "org", "cancel" if end == "cancelled" else "start", cup)
    if end == "finished":
        await win(talk, "m1", "ann", "bob")
    assert await status(talk, "org", cup) == end
    refused = [("cid", "register"), ("cid", "withdraw"), ("org", "start")]
    refused += [] if end == "running" else [("ann", "withdraw"), ("org", "cancel")]
    for who, what in refused:
        talk.forget()
        (answer,) = await talk.say(who, f'REQ 1 tournament.{what} {{"tournament": "{cup}"}}')
        assert answer.startswith('RES 1 ERR {"code": "NOT_ALLOWED"')


async def test_a_session_has_at_most_four_that_are_not_over(talk: Conversation):
    await talk.enter("org")
    for _ in range(4):
        await opened(talk, "org")
    (answer,) = await talk.say("org", f"REQ 1 tournament.create {{{GAME}}}")
    assert answer.startswith('RES 1 ERR {"code": "LIMIT_REACHED"')
    assert json.loads(answer[10:])["limit"] == 4
    await ask(talk, "org", "cancel", "t2")
    assert await opened(talk, "org") == "t5"


async def test_only_so_many_register():
    async with Conversation(max_tournament_players=2) as talk:
        await talk.enter("ann", "bob", "cid")
        cup = await opened(talk, "ann", "ann", "bob")
        (answer,) = await talk.say("cid", f'REQ 1 tournament.register {{"tournament": "{cup}"}}')
        assert answer.startswith('RES 1 ERR {"code": "LIMIT_REACHED"')
        await ask(talk, "bob", "withdraw", cup)
        await ask(talk, "cid", "register", cup)


async def test_without_options_name_and_legs_it_has_the_games_own(talk: Conversation):
    await talk.enter("org")
    await talk.ask("org", 'tournament.create {"game": "rps"}')
    (listed,) = (await talk.ask("org", "tournament.list"))["tournaments"]
    assert listed == {"tournament": "t1", "name": "rps", "game": "rps", "status": "open", "players": []}


# What comes next


async def test_as_many_games_run_side_by_side_as_can_and_the_first_listed_comes_first(talk: Conversation):
    await talk.enter("a", "b", "c", "d", "e")
    cup = await started(talk, "a", "b", "c", "d", "e")
    assert (await games(talk, "a", cup))[:4] == ["m1 b-e live", "m2 c-d live", "m3 e-c due", "m4 a-b due"]
    await win(talk, "m1", "e", "b")
    assert (await games(talk, "a", cup))[:4] == ["m1 b-e LOSS-WIN", "m2 c-d live", "m3 e-c due", "m4 a-b live"]
    await win(talk, "m2", "c", "d")
    assert (await games(talk, "a", cup))[2:4] == ["m3 e-c live", "m4 a-b live"]


async def test_a_player_has_one_tournament_match_at_a_time_over_all_tournaments(talk: Conversation):
    await talk.enter("a", "b", "c")
    one = await started(talk, "a", "b")
    other = await started(talk, "a", "c")
    assert await games(talk, "a", other) == ["m2 a-c due"]
    await win(talk, "m1", "a", "b")
    assert await status(talk, "a", one) == "finished"
    assert await games(talk, "a", other) == ["m2 a-c live"]


async def test_other_matches_stop_no_tournament_game_however_many_they_are():
    async with Conversation(max_live_matches=1) as talk:
        await talk.enter("a", "b")
        await talk.match("a", "b", game="roshambo")
        cup = await started(talk, "a", "b")
        assert await games(talk, "a", cup) == ["m2 a-b live"]


async def test_every_tournament_match_is_stored_as_one_and_rated(talk: Conversation):
    await talk.enter("a", "b")
    await started(talk, "a", "b")
    row = talk.store.match(1)
    assert row is not None
    assert (row.tournament, row.rated) == (1, True)


# Absence


async def test_a_game_waits_for_who_is_away_while_others_go_on_and_is_lost_after_the_grace(talk: Conversation):
    await talk.enter("a", "b", "c")
    cup = await opened(talk, "a", "a", "b", "c")
    await talk.hang_up("c")
    await ask(talk, "a", "start", cup)
    assert await games(talk, "a", cup) == ["m1 b-c due", "m2 a-b live", "m3 c-a due"]
    await win(talk, "m2", "a", "b")
    await talk.advance(59.9)
    assert await games(talk, "a", cup) == ["m1 b-c due", "m2 a-b WIN-LOSS", "m3 c-a due"]
    talk.forget()
    await talk.holds("""
        -- 0.1 s later
        b< EVT m1 game.match_started {"opponent": "c"}
        b< EVT m1 game.update {"type": "start", "player": "b", "opponent": "c", "rounds": 1}
        b< EVT m1 game.your_turn
        b< EVT m1 game.action {"type": "move", "player": "c", "move": "RETIRE"}
        b< EVT m1 game.result {"result": "WIN", "reason": "disconnected"}
        b< EVT tournament.game_over {"tournament": "t1", "match": "m1", "results": {"b": "WIN", "c": "LOSS"}}
        b< EVT tournament.game_over {"tournament": "t1", "match": "m3", "results": {"c": "LOSS", "a": "WIN"}}
        b< EVT tournament.finished {"tournament": "t1", ...
        a< EVT tournament.game_over {"tournament": "t1", "match": "m1", "results": {"b": "WIN", "c": "LOSS"}}
        a< EVT m3 game.match_started {"opponent": "c"}
        a< EVT m3 game.update {"type": "start", "player": "a", "opponent": "c", "rounds": 1}
        a< EVT m3 game.your_turn
        a< EVT m3 game.action {"type": "move", "player": "c", "move": "RETIRE"}
        a< EVT m3 game.result {"result": "WIN", "reason": "disconnected"}
        a< EVT tournament.game_over {"tournament": "t1", "match": "m3", "results": {"c": "LOSS", "a": "WIN"}}
        a< EVT tournament.finished {"tournament": "t1", ...
        c> REQ 1 session.hello {"version": 1}
        c> REQ 2 session.reconnect {"session_token": "<token c>"}
        c< RES 1 OK
        c< RES 2 OK {"player": "c", "matches": {"m1": {"game": "roshambo", "events": 5, "live": false}, "m3": ...
        c< EVT m1 game.match_started {"opponent": "b"}
        c< EVT m1 game.update {"type": "start", "player": "c", "opponent": "b", "rounds": 1}
        c< EVT m1 game.your_turn
        c< EVT m1 game.action {"type": "move", "player": "c", "move": "RETIRE"}
        c< EVT m1 game.result {"result": "LOSS", "reason": "disconnected"}
        c< EVT m3 game.match_started {"opponent": "a"}
        c< EVT m3 game.update {"type": "start", "player": "c", "opponent": "a", "rounds": 1}
        c< EVT m3 game.your_turn
        c< EVT m3 game.action {"type": "move", "player": "c", "move": "RETIRE"}
        c< EVT m3 game.result {"result": "LOSS", "reason": "disconnected"}
    """)


async def back(talk: Conversation, player: str) -> None:
    await talk.ask(player, 'session.hello {"version": 1}')
    await talk.ask(player, f'session.reconnect {{"session_token": "<token {player}>"}}')


async def test_who_comes_within_the_grace_plays(talk: Conversation):
    await talk.enter("a", "b")
    cup = await opened(talk, "a", "a", "b", legs=2)
    await talk.hang_up("b")
    await ask(talk, "a", "start", cup)
    await talk.advance(59)
    await back(talk, "b")
    assert await games(talk, "a", cup) == ["m1 a-b live", "m2 b-a due"]
    await talk.advance(2)
    await win(talk, "m1", "b", "a")
    assert await games(talk, "a", cup) == ["m1 a-b LOSS-WIN", "m2 b-a live"]


async def test_a_lost_game_waits_until_its_winner_is_free(talk: Conversation):
    await talk.enter("a", "b", "c")
    cup = await opened(talk, "a", "a", "b", "c", game='"game": "battleship"')
    await talk.hang_up("c")
    await ask(talk, "a", "start", cup)
    await talk.advance(61)
    assert await games(talk, "a", cup) == ["m1 b-c due", "m2 a-b live", "m3 c-a due"]
    await talk.ask("b", "m2 game.resign")
    assert await games(talk, "a", cup) == ["m1 b-c WIN-LOSS", "m2 a-b WIN-LOSS", "m3 c-a LOSS-WIN"]


async def test_after_a_no_show_there_is_no_grace_until_the_player_is_back(talk: Conversation):
    await talk.enter("a", "b")
    one = await opened(talk, "a", "a", "b", legs=2)
    await talk.hang_up("b")
    await ask(talk, "a", "start", one)
    await talk.advance(60)
    assert await games(talk, "a", one) == ["m1 a-b WIN-LOSS", "m2 b-a LOSS-WIN"]


async def test_a_no_show_of_one_tournament_has_the_grace_again_in_the_next(talk: Conversation):
    await talk.enter("a", "b")
    one, other = [await opened(talk, "a", "a", "b") for _ in range(2)]
    await talk.hang_up("b")
    await ask(talk, "a", "start", one)
    await talk.advance(60)
    assert await status(talk, "a", one) == "finished"
    await ask(talk, "a", "start", other)
    await talk.advance(59)
    assert await games(talk, "a", other) == ["m2 a-b due"]
    await talk.advance(1)
    assert await games(talk, "a", other) == ["m2 a-b WIN-LOSS"]


async def test_who_is_back_and_leaves_again_has_the_grace_again(talk: Conversation):
    await talk.enter("a", "b", "c")
    cup = await opened(talk, "a", "a", "b", "c", game='"game": "battleship"')
    await talk.hang_up("c")
    await ask(talk, "a", "start", cup)  # a and b play; c is called to the game with b
    await talk.advance(61)
    await back(talk, "c")
    await talk.hang_up("c")
    await talk.ask("b", "m2 game.resign")
    await talk.advance(59)
    assert await games(talk, "a", cup) == ["m1 b-c due", "m2 a-b WIN-LOSS", "m3 c-a due"]
    await talk.advance(1)
    assert await games(talk, "a", cup) == ["m1 b-c WIN-LOSS", "m2 a-b WIN-LOSS", "m3 c-a LOSS-WIN"]


async def test_who_is_away_is_called_only_when_a_game_is_due(talk: Conversation):
    await talk.enter("a", "b", "c")
    cup = await started(talk, "a", "b", "c", game='"game": "battleship"')
    assert await games(talk, "a", cup) == ["m1 b-c live", "m2 a-b due", "m3 c-a due"]
    await talk.hang_up("a")
    await talk.advance(100)
    await talk.ask("b", "m1 game.resign")
    await talk.advance(59.5)
    assert (await games(talk, "b", cup))[1:] == ["m2 a-b due", "m3 c-a due"]
    await talk.advance(0.5)
    assert (await games(talk, "b", cup))[1:] == ["m2 a-b LOSS-WIN", "m3 c-a WIN-LOSS"]


async def test_both_away_at_one_instant_is_void_and_nobodys_point(talk: Conversation):
    await talk.enter("org", "a", "b")
    cup = await opened(talk, "org", "a", "b")
    await talk.hang_up("a")
    await talk.hang_up("b")
    await ask(talk, "org", "start", cup)
    await talk.advance(60)
    assert await games(talk, "org", cup) == ["m1 a-b VOID-VOID"]
    assert await points(talk, "org", cup) == {"a": 0, "b": 0}
    row = talk.store.match(1)
    assert row is not None
    assert row.reason == "disconnected"


async def test_where_nobody_comes_it_is_over_after_one_grace_however_many_games_there_are(talk: Conversation):
    players = [f"p{number}" for number in range(8)]
    await talk.enter("org", *players)
    cup = await opened(talk, "org", *players)
    await talk.hang_up(*players)
    await ask(talk, "org", "start", cup)
    await talk.advance(60)
    assert await status(talk, "org", cup) == "finished"
    assert [game.split()[2] for game in await games(talk, "org", cup)] == ["VOID-VOID"] * 28


async def test_of_two_who_are_away_the_one_whose_grace_ends_first_loses(talk: Conversation):
    await talk.enter("org", "a", "b", "c")
    cup = await opened(talk, "org", "a", "b", "c", game='"game": "battleship"')
    await talk.hang_up("a")
    await ask(talk, "org", "start", cup)  # b and c play
    await talk.ask("c", "m1 game.resign")  # a is called
    await talk.advance(30)
    await talk.hang_up("b")  # and now b
    await talk.advance(30)
    assert await games(talk, "org", cup) == ["m1 b-c WIN-LOSS", "m2 a-b LOSS-WIN", "m3 c-a WIN-LOSS"]


# Leaving


async def test_withdrawing_from_an_open_one_takes_the_name_off_the_list(talk: Conversation):
    await talk.enter("org", "a", "b", "c")
    cup = await opened(talk, "org", "a", "b", "c")
    await ask(talk, "b", "withdraw", cup)
    await talk.ask("c", "session.logout")
    (listed,) = (await talk.ask("org", "tournament.list"))["tournaments"]
    assert listed["players"] == ["a"]
    await ask(talk, "b", "register", cup)


@pytest.mark.parametrize("how", ['tournament.withdraw {"tournament": "t1"}', "session.logout"])
async def test_leaving_a_running_one_resigns_the_live_game_and_each_other_as_its_turn_comes(
    talk: Conversation, how: str
):
    await talk.enter("org", "a", "b", "c", "d")
    cup = await opened(talk, "org", "a", "b", "c", "d")
    await ask(talk, "org", "start", cup)
    assert (await games(talk, "org", cup))[:3] == ["m1 a-d live", "m2 b-c live", "m3 d-c due"]
    await talk.ask("d", how)
    expected = ["m1 a-d WIN-LOSS", "m2 b-c live", "m3 d-c due", "m4 a-b due", "m5 b-d due", "m6 c-a due"]
    assert await games(talk, "org", cup) == expected
    talk.forget()
    await win(talk, "m2", "b", "c")
    assert heard(talk, "c", "m3 game.result") == ['EVT m3 game.result {"result": "WIN", "reason": "resigned"}']
    expected = ["m1 a-d WIN-LOSS", "m2 b-c WIN-LOSS", "m3 d-c LOSS-WIN", "m4 a-b live", "m5 b-d due", "m6 c-a due"]
    assert await games(talk, "org", cup) == expected
    await win(talk, "m4", "a", "b")
    await win(talk, "m6", "a", "c")
    assert await points(talk, "org", cup) == {"a": 3, "b": 2, "c": 1, "d": 0}
    assert await status(talk, "org", cup) == "finished"


async def test_who_has_withdrawn_is_told_no_more_and_cannot_do_it_twice(talk: Conversation):
    await talk.enter("a", "b", "c")
    cup = await started(talk, "a", "b", "c", legs=2)
    await ask(talk, "c", "withdraw", cup)
    talk.forget()
    await win(talk, "m2", "a", "b")
    assert heard(talk, "c", "tournament.") == []
    (answer, *_) = await talk.say("c", f'REQ 1 tournament.withdraw {{"tournament": "{cup}"}}')
    assert answer.startswith('RES 1 ERR {"code": "NOT_ALLOWED"')


@pytest.mark.parametrize(("first", "then", "ended"), [("d", "c", "LOSS-WIN"), ("c", "d", "WIN-LOSS")])
async def test_of_two_who_have_withdrawn_the_first_loses_even_if_the_other_is_gone(
    talk: Conversation, first: str, then: str, ended: str
):
    await talk.enter("org", "a", "b", "c", "d")
    cup = await opened(talk, "org", "a", "b", "c", "d")
    await ask(talk, "org", "start", cup)  # a-d and b-c
    await talk.ask(first, "session.logout")
    await talk.ask(then, "session.logout")
    assert (await games(talk, "org", cup))[2] == f"m3 d-c {ended}"


async def test_who_logs_out_is_given_no_further_game_to_play(talk: Conversation):
    await talk.enter("a", "b")
    cup = await started(talk, "a", "b", legs=2)
    await talk.ask("b", "session.logout")
    assert await games(talk, "a", cup) == ["m1 a-b WIN-LOSS", "m2 b-a LOSS-WIN"]


async def test_an_open_one_is_called_off_when_its_creator_leaves(talk: Conversation):
    await talk.enter("org", "a", "b")
    cup = await opened(talk, "org", "a", "b")
    await talk.ask("org", "session.logout")
    assert heard(talk, "a", "tournament.") == [f'EVT tournament.cancelled {{"tournament": "{cup}", "reason": "left"}}']
    assert await status(talk, "a", cup) == "cancelled"


async def test_a_running_one_goes_on_when_its_creator_leaves(talk: Conversation):
    await talk.enter("org", "a", "b")
    cup = await opened(talk, "org", "a", "b")
    await ask(talk, "org", "start", cup)
    await talk.ask("org", "session.logout")
    await win(talk, "m1", "a", "b")
    assert await status(talk, "a", cup) == "finished"


# Cancelling, lapsing, faults


async def test_a_cancelled_one_begins_no_more_games_and_those_that_are_live_go_on(talk: Conversation):
    await talk.enter("org", "a", "b", "c")
    cup = await opened(talk, "org", "a", "b", "c")
    await ask(talk, "org", "start", cup)
    talk.forget()
    await ask(talk, "org", "cancel", cup)
    told = f'EVT tournament.cancelled {{"tournament": "{cup}", "reason": "cancelled"}}'
    assert [heard(talk, who, "tournament.") for who in ("org", "a", "b", "c")] == [[told]] * 4
    await win(talk, "m1", "b", "c")
    assert await games(talk, "org", cup) == ["m1 b-c WIN-LOSS", "m2 a-b due", "m3 c-a due"]
    assert await status(talk, "org", cup) == "cancelled"
    talk.forget()
    (answer,) = await talk.say("a", "REQ 1 m2 game.state")
    assert answer.startswith('RES 1 ERR {"code": "UNKNOWN_MATCH"')


async def test_players_of_a_cancelled_one_are_free_for_another_once_their_match_is_over(talk: Conversation):
    await talk.enter("a", "b")
    one = await started(talk, "a", "b")
    await ask(talk, "a", "cancel", one)
    other = await started(talk, "a", "b")
    assert await games(talk, "a", other) == ["m2 a-b due"]
    await win(talk, "m1", "a", "b")
    assert await games(talk, "a", other) == ["m2 a-b live"]


async def test_an_open_one_lapses_after_a_day(talk: Conversation):
    await talk.enter("org", "a")
    cup = await opened(talk, "org", "a")
    await talk.advance(86_399)
    assert await status(talk, "org", cup) == "open"
    talk.forget()
    await talk.holds("""
        -- 1 s later
        a< EVT tournament.cancelled {"tournament": "t1", "reason": "lapsed"}
        org< EVT tournament.cancelled {"tournament": "t1", "reason": "lapsed"}
    """)


async def test_one_that_was_started_does_not_lapse():
    async with Conversation(tournament_lapse=10) as talk:
        await talk.enter("a", "b")
        cup = await started(talk, "a", "b")
        await talk.advance(20)
        assert await status(talk, "a", cup) == "running"


class Broken(Roshambo):
    """A game that can't be started."""

    info = type(Roshambo.info)(name="broken", summary="fails", version=1)

    def start(self, options, seats, seed):
        raise RuntimeError("planted")


async def test_a_game_void_by_the_servers_fault_is_half_a_point_each():
    async with Conversation(engines=(*OURS, Broken())) as talk:
        await talk.enter("a", "b")
        cup = await started(talk, "a", "b", legs=2, game='"game": "broken"')
        assert await games(talk, "a", cup) == ["m1 a-b VOID-VOID", "m2 b-a VOID-VOID"]
        assert await points(talk, "a", cup) == {"a": 1, "b": 1}
        assert await status(talk, "a", cup) == "finished"


# Names and sessions


async def test_a_name_is_firm_while_it_is_registered_or_has_created_one_that_is_not_over(talk: Conversation):
    await talk.enter("org", "a", "b")
    cup = await opened(talk, "org", "a", "b")
    await talk.hang_up("org", "a")
    await talk.advance(3600)
    await talk.ask("x", 'session.hello {"version": 1}')
    for name in ("org", "a"):
        (answer,) = await talk.say("x", f'REQ 1 session.login {{"player": "{name}"}}')
        assert answer.startswith('RES 1 ERR {"code": "NAME_TAKEN"')
    await back(talk, "org")
    await ask(talk, "org", "cancel", cup)
    (answer,) = await talk.say("x", 'REQ 1 session.login {"player": "a"}')
    assert answer.startswith("RES 1 OK")


async def test_a_name_is_free_once_its_player_has_withdrawn_and_gone(talk: Conversation):
    await talk.enter("org", "a")
    cup = await opened(talk, "org", "a")
    await ask(talk, "a", "withdraw", cup)
    await talk.hang_up("a")
    await talk.advance(60)
    await talk.ask("x", 'session.hello {"version": 1}')
    await talk.ask("x", 'session.login {"player": "a"}')


# Lists


async def test_the_games_are_paged_and_the_table_is_whole_on_every_page(talk: Conversation):
    await talk.enter("a", "b", "c", "d")
    cup = await started(talk, "a", "b", "c", "d", legs=2)
    pages: list[list[str]] = []
    after: dict[str, str] = {}
    while True:
        page = await ask(talk, "a", "standings", cup, limit=5, **after)
        pages.append([game["match"] for game in page["games"]])
        assert len(page["standings"]) == 4
        if "more" not in page:
            break
        after = {"after": pages[-1][-1]}
    assert [len(page) for page in pages] == [5, 5, 2]
    assert [match for page in pages for match in page] == [f"m{number}" for number in range(1, 13)]
    for wrong in ("m13", "m0", "t1", ""):
        (answer,) = await talk.say("a", f'REQ 1 tournament.standings {{"tournament": "{cup}", "after": "{wrong}"}}')
        assert answer.startswith('RES 1 ERR {"code": "BAD_REQUEST"')


async def test_the_tournaments_are_paged_by_age(talk: Conversation):
    await talk.enter("a")
    for _ in range(3):
        await opened(talk, "a")
    page = await talk.ask("a", 'tournament.list {"limit": 2}')
    assert ([cup["tournament"] for cup in page["tournaments"]], page["more"]) == (["t1", "t2"], True)
    page = await talk.ask("a", 'tournament.list {"limit": 2, "after": "t2"}')
    assert ([cup["tournament"] for cup in page["tournaments"]], "more" in page) == (["t3"], False)


async def test_a_start_too_long_for_one_line_comes_in_parts_before_the_first_game(talk: Conversation):
    players = [f"p{number}" for number in range(20)]
    wide = {player: chr(0x20000 + number) * 32 for number, player in enumerate(players)}
    for player in players:
        await talk.ask(player, 'session.hello {"version": 1}')
        await talk.ask(player, f'session.login {{"player": "{wide[player]}"}}')
    cup = await opened(talk, "p0", *players)
    await ask(talk, "p0", "start", cup)
    for player in players:
        lines = talk.clients[player].taken()
        events = [json.loads(line.split(" ", 2)[2]) for line in lines if line.startswith("EVT tournament.started")]
        assert [(event["part"], event["parts"]) for event in events] == [(1, 2), (2, 2)]
        assert all(len(line.encode()) < 60_000 for line in lines)
        listed = [game["match"] for event in events for game in event["games"]]
        assert listed == [f"m{number}" for number in range(1, 191)]
        assert [line.split(" ")[1] for line in lines].index("tournament.started") == 0
        assert " game.match_started " in lines[2]


async def test_a_look_at_the_table_of_an_open_tournament_does_not_stand_in_its_last_one(talk: Conversation):
    await talk.enter("ann", "bob")
    cup = await opened(talk, "ann", "ann", "bob")
    assert await points(talk, "ann", cup) == {"ann": 0, "bob": 0}
    await ask(talk, "ann", "start", cup)
    await win(talk, "m1", "bob", "ann")
    assert await points(talk, "ann", cup) == {"bob": 1, "ann": 0}


async def test_who_makes_very_many_tournaments_pushes_out_nobody_elses(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("lobby.tournaments.KEPT", 3)
    await talk.enter("ann", "bob")
    await talk.ask("ann", 'tournament.create {"game": "rps"}')
    await talk.ask("ann", 'tournament.cancel {"tournament": "t1"}')
    for number in range(2, 6):
        await talk.ask("bob", 'tournament.create {"game": "rps"}')
        await talk.ask("bob", f'tournament.cancel {{"tournament": "t{number}"}}')
    listed = await talk.ask("ann", "tournament.list")
    assert [cup["tournament"] for cup in listed["tournaments"]] == ["t1", "t4", "t5"]
