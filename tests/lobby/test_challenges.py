"""Challenges: who may ask whom for which match, what comes of it, and what outlives connections and restarts."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from conversation import Conversation

from protocol.wire import OUTPUT_LIMIT

TO_BOB = 'lobby.challenge {"player": "bob", "game": "roshambo"}'


@pytest.fixture
async def three(talk: Conversation) -> Conversation:
    """A server with ann, bob and cid logged in."""
    await talk.enter("ann", "bob", "cid")
    talk.forget()
    return talk


@pytest.fixture
async def asked(three: Conversation) -> Conversation:
    """The same, where ann has challenged bob."""
    await three.ask("ann", TO_BOB)
    three.forget()
    return three


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Conversation]:
    """A server on a file, with ann and bob logged in."""
    async with Conversation(db=tmp_path / "lobby.db") as talk:
        await talk.enter("ann", "bob")
        talk.forget()
        yield talk


def back(name: str) -> tuple[str, str]:
    """Return the lines with which a player comes back."""
    return 'REQ 1 session.hello {"version": 1}', f'REQ 2 session.reconnect {{"session_token": "<token {name}>"}}'


async def come_back(talk: Conversation, name: str) -> dict:
    """Let a player come back, and return the answer."""
    answer = (await talk.say(name, *back(name)))[1]
    assert answer.startswith("RES 2 OK ")
    return json.loads(answer.removeprefix("RES 2 OK "))


# What comes of a challenge


async def test_an_accepted_challenge_begins_a_match_with_the_challenger_as_first_player(three: Conversation):
    await three.holds("""
        ann> REQ 1 lobby.challenge {"player": "bob", "game": "battleship", "options": {"turn_seconds": 9}}
        ann< RES 1 OK {"challenge": "c1"}
        bob< EVT lobby.challenged {"challenge": "c1", "player": "ann", "game": "battleship", "options": {...}, "seconds": 60}
        bob> REQ 1 lobby.accept {"challenge": "c1"}
        bob< RES 1 OK
        bob< EVT m1 game.match_started {"opponent": "ann"}
        bob< EVT m1 game.update {"type": "place_ships", ...
        ann< EVT lobby.challenge_closed {"challenge": "c1", "reason": "accepted"}
        ann< EVT m1 game.match_started {"opponent": "bob"}
        ann< EVT m1 game.update {"type": "place_ships", ...
        cid> REQ 1 lobby.matches
        cid< RES 1 OK {"matches": [{"match": "m1", "game": "battleship", "players": ["ann", "bob"], "live": true}]}
    """)


async def test_an_accepted_challenge_is_never_rated(asked: Conversation):
    await asked.ask("bob", 'lobby.accept {"challenge": "c1"}')
    row = asked.store.match(1)
    assert row is not None
    assert not row.rated


async def test_a_declined_challenge_keeps_its_challenger_from_asking_again_for_a_while(asked: Conversation):
    await asked.holds("""
        bob> REQ 1 lobby.decline {"challenge": "c1"}
        bob< RES 1 OK
        ann< EVT lobby.challenge_closed {"challenge": "c1", "reason": "declined"}
        -- 20.5 s later
        ann> REQ 2 lobby.challenge {"player": "bob", "game": "battleship"}
        ann< RES 2 ERR {"code": "TOO_SOON", "message": "bob has declined; ask again in 39.5 s", "retry_after": 39.5}
        -- 39.5 s later
        ann> REQ 3 lobby.challenge {"player": "bob", "game": "roshambo"}
        ann< RES 3 OK {"challenge": "c2"}
        bob< EVT lobby.challenged {"challenge": "c2", ...
    """)


async def test_a_decline_keeps_neither_side_from_asking_others_nor_the_decliner_from_asking(asked: Conversation):
    await asked.holds("""
        bob> REQ 1 lobby.decline {"challenge": "c1"}
        bob> REQ 2 lobby.challenge {"player": "ann", "game": "rps"}
        bob< RES 1 OK
        bob< RES 2 OK {"challenge": "c2"}
        ann< EVT lobby.challenge_closed {"challenge": "c1", "reason": "declined"}
        ann< EVT lobby.challenged {"challenge": "c2", ...
        ann> REQ 2 lobby.challenge {"player": "cid", "game": "rps"}
        ann< RES 2 OK {"challenge": "c3"}
        cid< EVT lobby.challenged {"challenge": "c3", ...
    """)


async def test_a_cooldown_of_nothing_lets_a_declined_player_ask_again_at_once():
    async with Conversation(decline_cooldown=0) as talk:
        await talk.enter("ann", "bob")
        for number in (1, 2, 3):
            assert await talk.ask("ann", TO_BOB) == {"challenge": f"c{number}"}
            await talk.ask("bob", f'lobby.decline {{"challenge": "c{number}"}}')
        await talk.advance(1)
        assert await talk.ask("ann", TO_BOB) == {"challenge": "c4"}


async def test_a_challenge_can_be_taken_back_and_made_anew_at_once(asked: Conversation):
    await asked.holds("""
        ann> REQ 1 lobby.cancel {"challenge": "c1"}
        ann> REQ 2 lobby.challenge {"player": "bob", "game": "roshambo"}
        ann< RES 1 OK
        ann< RES 2 OK {"challenge": "c2"}
        bob< EVT lobby.challenge_closed {"challenge": "c1", "reason": "cancelled"}
        bob< EVT lobby.challenged {"challenge": "c2", ...
    """)


async def test_a_challenge_that_nobody_answers_expires_for_both(asked: Conversation):
    await asked.holds("""
        -- 59.9 s later
        cid> REQ 1 session.ping
        cid< RES 1 OK
        -- 0.1 s later
        ann< EVT lobby.challenge_closed {"challenge": "c1", "reason": "expired"}
        bob< EVT lobby.challenge_closed {"challenge": "c1", "reason": "expired"}
        bob> REQ 1 lobby.accept {"challenge": "c1"}
        bob< RES 1 ERR {"code": "UNKNOWN_CHALLENGE", "message": "there is no open challenge c1; it may be closed by now"}
        ann> REQ 2 lobby.challenge {"player": "bob", "game": "roshambo"}
        ann< RES 2 OK {"challenge": "c2"}
        bob< EVT lobby.challenged {"challenge": "c2", ...
    """)


async def test_a_session_that_ends_closes_what_it_made_and_what_it_received(asked: Conversation):
    await asked.holds("""
        cid> REQ 1 lobby.challenge {"player": "ann", "game": "roshambo"}
        cid< RES 1 OK {"challenge": "c2"}
        ann< EVT lobby.challenged {"challenge": "c2", ...
        ann> REQ 1 session.logout
        ann< RES 1 OK
        ann< EOF
        bob< EVT lobby.challenge_closed {"challenge": "c1", "reason": "left"}
        cid< EVT lobby.challenge_closed {"challenge": "c2", "reason": "left"}
        -- 60 s later
        bob> REQ 1 lobby.accept {"challenge": "c1"}
        bob< RES 1 ERR {"code": "UNKNOWN_CHALLENGE", ...
    """)


async def test_a_session_that_ends_with_its_hold_closes_its_challenges():
    async with Conversation(name_hold=10) as talk:
        await talk.enter("ann", "bob")
        await talk.ask("ann", TO_BOB)
        talk.forget()
        await talk.holds("""
            -- ann hangs up
            -- 10 s later
            bob< EVT lobby.challenge_closed {"challenge": "c1", "reason": "left"}
        """)


async def test_the_challenged_player_sees_the_options_with_their_defaults(three: Conversation):
    await three.holds("""
        ann> REQ 1 lobby.challenge {"player": "bob", "game": "roshambo", "options": {"rounds": 5}}
        ann< RES 1 OK {"challenge": "c1"}
        bob< EVT lobby.challenged {... "options": {"turn_seconds": null, "rounds": 5, "pace": 0}, "seconds": 60}
    """)


# What may not be


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ('{"player": "ann", "game": "roshambo"}', '"NOT_ALLOWED", "message": "nobody plays against themselves; '),
        ('{"player": "\uff21nn", "game": "roshambo"}', '"NOT_ALLOWED"'),
        (
            '{"player": "bop", "game": "rps"}',
            '"UNKNOWN_PLAYER", "message": "there is no player bop here; did you mean bob?"',
        ),
        ('{"player": "nobody", "game": "chess"}', '"UNKNOWN_PLAYER"'),
        ('{"player": "bob", "game": "rbs"}', '"UNKNOWN_GAME", "message": "there is no game rbs; did you mean rps?'),
        ('{"player": "ann", "game": "chess"}', '"UNKNOWN_GAME"'),
        (
            '{"player": "bob", "game": "purrinha", "options": {"players": 3}}',
            '"INVALID_OPTIONS", "message": "a challenge is for two players, and this purrinha is for 3; '
            'lobby.subscribe instead", "field": "players"',
        ),
        ('{"player": "bob", "game": "rps", "options": {"best_off": 3}}', '"INVALID_OPTIONS", ... "field": "best_off"'),
        ('{"player": "bob", "game": "rps", "options": null}', '"BAD_REQUEST", ... "field": "$.options"'),
        ('{"player": "bob", "game": "rps", "options": []}', '"BAD_REQUEST", ... "field": "$.options"'),
        ('{"player": 7, "game": "rps"}', '"BAD_REQUEST", ... "field": "$.player"'),
        ('{"player": "bob"}', '"BAD_REQUEST", ... "field": "$.game"'),
    ],
)
async def test_a_challenge_that_can_not_be_is_refused_and_nobody_hears_of_it(
    three: Conversation, request_: str, answer: str
):
    await three.holds(f"""
        ann> REQ 1 lobby.challenge {request_}
        ann< RES 1 ERR {{"code": {answer}...
        ann> REQ 2 lobby.challenge {{"player": "BOB", "game": "purrinha", "options": {{"players": 2}}}}
        ann< RES 2 OK {{"challenge": "c1"}}
        bob< EVT lobby.challenged {{"challenge": "c1", ...
    """)


async def test_a_limit_is_looked_at_last_and_a_decline_before_the_options(asked: Conversation):
    await asked.holds("""
        ann> REQ 1 lobby.challenge {"player": "bob", "game": "rps", "options": {"best_of": 0}}
        ann< RES 1 ERR {"code": "INVALID_OPTIONS", ... "field": "best_of"}
        bob> REQ 1 lobby.decline {"challenge": "c1"}
        bob< RES 1 OK
        ann< EVT lobby.challenge_closed {"challenge": "c1", "reason": "declined"}
        ann> REQ 2 lobby.challenge {"player": "bob", "game": "rps", "options": {"best_of": 0}}
        ann< RES 2 ERR {"code": "TOO_SOON", ... "retry_after": 60}
    """)


async def test_a_player_who_is_not_connected_is_not_challenged_nor_proposed(three: Conversation):
    await three.holds("""
        -- bob hangs up
        ann> REQ 1 lobby.challenge {"player": "bob", "game": "roshambo"}
        ann> REQ 2 lobby.challenge {"player": "bop", "game": "roshambo"}
        ann< RES 1 ERR {"code": "UNKNOWN_PLAYER", "message": "bob is not connected; ask again when they are back"}
        ann< RES 2 ERR {"code": "UNKNOWN_PLAYER", "message": "there is no player bop here; lobby.players lists those there are"}
        ann> REQ 3 lobby.challenge {"player": "cit", "game": "roshambo"}
        ann< RES 3 ERR {"code": "UNKNOWN_PLAYER", "message": "there is no player cit here; did you mean cid?"}
        -- cid hangs up
        ann> REQ 4 lobby.challenge {"player": "cit", "game": "roshambo"}
        ann< RES 4 ERR {"code": "UNKNOWN_PLAYER", "message": "there is no player cit here; lobby.players lists those there are"}
    """)


@pytest.mark.parametrize(("challenger", "challenged"), [("ann", "bob"), ("bob", "ann")])
async def test_a_pair_has_one_open_challenge_whoever_asked(asked: Conversation, challenger: str, challenged: str):
    await asked.holds(f"""
        {challenger}> REQ 1 lobby.challenge {{"player": "{challenged}", "game": "rps"}}
        {challenger}< RES 1 ERR {{"code": "LIMIT_REACHED", "message": "c1 is open between you and {challenged}... "limit": 1}}
    """)


async def test_a_session_may_have_eight_challenges_open_and_receive_more(talk: Conversation):
    others = [f"p{number}" for number in range(1, 10)]
    await talk.enter("ann", *others)
    for other in others[:8]:
        await talk.ask("ann", f'lobby.challenge {{"player": "{other}", "game": "rps"}}')
    talk.forget()
    await talk.holds("""
        ann> REQ 1 lobby.challenge {"player": "p9", "game": "rps"}
        ann< RES 1 ERR {"code": "LIMIT_REACHED", ... "limit": 8}
        p9> REQ 1 lobby.challenge {"player": "ann", "game": "rps"}
        p9< RES 1 OK {"challenge": "c9"}
        ann< EVT lobby.challenged {"challenge": "c9", ...
        p1> REQ 1 lobby.decline {"challenge": "c1"}
        p1< RES 1 OK
        ann< EVT lobby.challenge_closed {"challenge": "c1", "reason": "declined"}
        ann> REQ 2 lobby.cancel {"challenge": "c2"}
        ann> REQ 3 lobby.challenge {"player": "p2", "game": "rps"}
        ann< RES 2 OK
        ann< RES 3 OK {"challenge": "c10"}
        p2< EVT lobby.challenge_closed {"challenge": "c2", "reason": "cancelled"}
        p2< EVT lobby.challenged {"challenge": "c10", ...
    """)


@pytest.mark.parametrize(
    ("player", "method", "message"),
    [
        ("ann", "accept", "c1 is accepted by whoever was challenged; it is yours; lobby.cancel takes it back"),
        ("ann", "decline", "c1 is declined by whoever was challenged; it is yours; lobby.cancel takes it back"),
        ("bob", "cancel", "c1 is not yours to take back; only its challenger can do that"),
        ("cid", "accept", "c1 is accepted by whoever was challenged; it is not made to you"),
        ("cid", "decline", "c1 is declined by whoever was challenged; it is not made to you"),
        ("cid", "cancel", "c1 is not yours to take back; only its challenger can do that"),
    ],
)
async def test_only_the_challenged_answers_and_only_the_challenger_cancels(
    asked: Conversation, player: str, method: str, message: str
):
    await asked.holds(f"""
        {player}> REQ 1 lobby.{method} {{"challenge": "c1"}}
        {player}< RES 1 ERR {{"code": "NOT_ALLOWED", "message": "{message}"}}
        bob> REQ 2 lobby.decline {{"challenge": "c1"}}
        bob< RES 2 OK
        ann< EVT lobby.challenge_closed {{"challenge": "c1", "reason": "declined"}}
    """)


@pytest.mark.parametrize("method", ["accept", "decline", "cancel"])
@pytest.mark.parametrize("name", ["c2", "c01", "1", "m1", "", "c99999999999999999999"])
async def test_a_challenge_that_is_not_open_is_unknown(asked: Conversation, method: str, name: str):
    await asked.holds(f"""
        bob> REQ 1 lobby.{method} {{"challenge": "{name}"}}
        bob< RES 1 ERR {{"code": "UNKNOWN_CHALLENGE", ...
        bob> REQ 2 lobby.{method}
        bob< RES 2 ERR {{"code": "BAD_REQUEST", ... "field": "$.challenge"}}
    """)


@pytest.mark.parametrize(
    ("full", "message"),
    [
        ("bob", "you have 1 live matches, as many as a session may have; accept when one is over"),
        ("ann", "ann has 1 live matches, as many as a session may have; accept when one is over"),
    ],
)
async def test_a_challenge_waits_while_either_side_has_no_room_for_a_match(full: str, message: str):
    async with Conversation(max_live_matches=1) as talk:
        await talk.enter("ann", "bob", "cid")
        await talk.ask("ann", TO_BOB)
        match = await talk.match(full, "cid", game="battleship")
        talk.forget()
        await talk.holds(f"""
            bob> REQ 1 lobby.accept {{"challenge": "c1"}}
            bob< RES 1 ERR {{"code": "LIMIT_REACHED", "message": "{message}", "limit": 1}}
        """)
        await talk.ask("cid", f"{match} game.resign")
        await talk.ask("bob", 'lobby.accept {"challenge": "c1"}')


# Who is away


async def test_a_challenge_waits_while_its_challenger_is_away(asked: Conversation):
    await asked.holds("""
        -- ann hangs up
        -- 15 s later
        bob> REQ 1 lobby.accept {"challenge": "c1"}
        bob< RES 1 ERR {"code": "UNKNOWN_PLAYER", "message": "ann is not connected; c1 stays open for 45 s"}
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>"}
        ann< RES 1 OK
        ann< RES 2 OK {"player": "ann", ...
        bob> REQ 2 lobby.accept {"challenge": "c1"}
        bob< RES 2 OK
        bob< EVT m1 game.match_started {"opponent": "ann"}
        bob< ...
        bob< EVT m1 game.your_turn
        ann< EVT lobby.challenge_closed {"challenge": "c1", "reason": "accepted"}
        ann< EVT m1 game.match_started {"opponent": "bob"}
        ann< ...
        ann< EVT m1 game.your_turn
    """)


async def test_whoever_comes_back_is_told_of_the_challenges_they_made_and_received_oldest_first(three: Conversation):
    await three.ask("cid", 'lobby.challenge {"player": "ann", "game": "battleship"}')
    await three.ask("ann", TO_BOB)
    await three.hang_up("ann")
    await three.advance(20.25)
    _, answer = await three.say("ann", *back("ann"))
    roshambo = '"game": "roshambo", "options": {"turn_seconds": null, "rounds": 3, "pace": 0}'
    assert answer == (
        'RES 2 OK {"player": "ann", "matches": {}, "subscriptions": [], "challenges": ['
        '{"challenge": "c1", "from": "cid", "to": "ann", "game": "battleship", "options": {"turn_seconds": null}, '
        '"seconds": 39.8}, '
        f'{{"challenge": "c2", "from": "ann", "to": "bob", {roshambo}, "seconds": 39.8}}]}}'
    )


async def test_a_challenge_that_closed_meanwhile_is_no_longer_listed(asked: Conversation):
    await asked.hang_up("ann")
    await asked.ask("bob", 'lobby.decline {"challenge": "c1"}')
    assert (await come_back(asked, "ann"))["challenges"] == []


async def test_what_does_not_fit_in_the_answer_to_a_reconnect_follows_as_its_event(talk: Conversation):
    others = [f"p{number}" for number in range(120)]
    await talk.enter("ann", *others)
    await talk.ask("ann", 'lobby.challenge {"player": "p0", "game": "rps"}')
    for other in others[1:]:
        client = await talk.client(other)
        client.write('REQ 1 lobby.challenge {"player": "ann", "game": "rps"}\n')
        await client.settle()
    await talk.hang_up("ann")
    _, answer, *events = await talk.say("ann", *back("ann"))
    assert len(answer.encode()) < OUTPUT_LIMIT / 2
    listed = [one["challenge"] for one in json.loads(answer.removeprefix("RES 2 OK "))["challenges"]]
    told = [json.loads(event.removeprefix("EVT lobby.challenged "))["challenge"] for event in events]
    assert told
    assert listed + told == [f"c{number}" for number in range(1, 121)]


# Restarts


@pytest.mark.parametrize("ends", ["is killed", "stops"])
async def test_an_open_challenge_survives_a_restart_and_down_time_is_not_counted(kept: Conversation, ends: str):
    await kept.ask("ann", TO_BOB)
    await kept.advance(20)
    direction = {"is killed": kept.kill, "stops": kept.restart}[ends]
    await direction(10_000)
    challenge = (await come_back(kept, "bob"))["challenges"]
    assert challenge == (await come_back(kept, "ann"))["challenges"]
    assert [(one["challenge"], one["from"], one["to"], one["seconds"]) for one in challenge] == [
        ("c1", "ann", "bob", 40)
    ]
    await kept.advance(39.9)
    kept.forget()
    await kept.holds("""
        -- 0.1 s later
        ann< EVT lobby.challenge_closed {"challenge": "c1", "reason": "expired"}
        bob< EVT lobby.challenge_closed {"challenge": "c1", "reason": "expired"}
        ann> REQ 1 lobby.challenge {"player": "bob", "game": "roshambo"}
        ann< RES 1 OK {"challenge": "c2"}
        bob< EVT lobby.challenged {"challenge": "c2", ...
    """)


async def test_a_challenge_of_before_a_restart_can_be_accepted(kept: Conversation):
    await kept.ask("ann", 'lobby.challenge {"player": "bob", "game": "rps", "options": {"profile": "quick"}}')
    await kept.kill()
    await come_back(kept, "ann")
    await come_back(kept, "bob")
    await kept.ask("bob", 'lobby.accept {"challenge": "c1"}')
    row = kept.store.match(1)
    assert row is not None
    assert row.players == ("ann", "bob")


async def test_a_closed_challenge_stays_closed_over_a_restart(kept: Conversation):
    await kept.ask("ann", TO_BOB)
    await kept.ask("ann", 'lobby.cancel {"challenge": "c1"}')
    await kept.kill()
    assert (await come_back(kept, "bob"))["challenges"] == []


async def test_a_decline_holds_over_a_restart_and_is_then_forgotten(kept: Conversation):
    await kept.ask("ann", TO_BOB)
    await kept.ask("bob", 'lobby.decline {"challenge": "c1"}')
    await kept.advance(20)
    await kept.kill(10_000)
    await come_back(kept, "ann")
    await come_back(kept, "bob")
    await kept.holds("""
        ann> REQ 1 lobby.challenge {"player": "bob", "game": "roshambo"}
        ann< RES 1 ERR {"code": "TOO_SOON", ... "retry_after": 40}
        -- 40 s later
        ann> REQ 2 lobby.challenge {"player": "bob", "game": "roshambo"}
        ann< RES 2 OK {"challenge": "c2"}
        bob< EVT lobby.challenged {"challenge": "c2", ...
    """)


async def test_a_challenge_to_a_game_that_is_gone_is_dropped_at_the_restart(kept: Conversation):
    await kept.ask("ann", TO_BOB)
    kept.catalogue = type(kept.catalogue)([])
    await kept.kill()
    assert (await come_back(kept, "bob"))["challenges"] == []


async def test_a_player_makes_so_many_challenges_in_a_minute_and_no_more():
    async with Conversation(challenges_per_minute=2) as talk:
        await talk.enter("ann", "bob", "cid")
        talk.forget()
        await talk.holds("""
            ann> REQ 1 lobby.challenge {"player": "bob", "game": "roshambo"}
            ann> REQ 2 lobby.cancel {"challenge": "c1"}
            ann> REQ 3 lobby.challenge {"player": "bob", "game": "roshambo"}
            ann> REQ 4 lobby.cancel {"challenge": "c2"}
            ann> REQ 5 lobby.challenge {"player": "cid", "game": "roshambo"}
            ann< RES 1 OK {"challenge": "c1"}
            ann< RES 2 OK
            ann< RES 3 OK {"challenge": "c2"}
            ann< RES 4 OK
            ann< RES 5 ERR {"code": "TOO_SOON", ... "retry_after": 30}
            bob< EVT lobby.challenged {"challenge": "c1", ...}
            bob< EVT lobby.challenge_closed {"challenge": "c1", "reason": "cancelled"}
            bob< EVT lobby.challenged {"challenge": "c2", ...}
            bob< EVT lobby.challenge_closed {"challenge": "c2", "reason": "cancelled"}
            -- 30 s later
            ann> REQ 6 lobby.challenge {"player": "cid", "game": "roshambo"}
            ann< RES 6 OK {"challenge": "c3"}
            cid< EVT lobby.challenged {"challenge": "c3", ...}
        """)


async def test_a_decline_holds_for_a_name_over_a_new_login(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.ask("ann", 'lobby.challenge {"player": "bob", "game": "roshambo"}')
    await talk.ask("bob", 'lobby.decline {"challenge": "c1"}')
    await talk.ask("ann", "session.logout")
    talk.forget()
    await talk.holds("""
        cid> REQ 1 session.hello {"version": 1}
        cid> REQ 2 session.login {"player": "Ann"}
        cid> REQ 3 lobby.challenge {"player": "bob", "game": "roshambo"}
        cid< RES 1 OK
        cid< RES 2 OK {"session_token": "..."}
        cid< RES 3 ERR {"code": "TOO_SOON", ... "retry_after": 60}
    """)
