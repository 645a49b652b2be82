"""Waiting for opponents: who is paired with whom, who is not, and what a table that fills is told."""

import pytest
from conversation import Conversation

from games.roshambo import Roshambo
from lobby.catalogue import settle
from lobby.matchmaking import Queue, QueueKey
from lobby.session import Session

WAITING = 'EVT lobby.waiting {{"game": "purrinha", "awaited_players": 4, "connected_players": {}, "players": [{}], "status": "waiting"}}'  # noqa: E501
FOUR = '{"game": "purrinha", "options": {"players": 4}}'


def waiting(*names: str) -> str:
    return WAITING.format(len(names), ", ".join(f'"{name}"' for name in names))


async def test_the_oldest_wait_is_paired_first_and_plays_first(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.ask("bob", 'lobby.subscribe {"game": "battleship"}')
    await talk.hang_up("bob")
    await talk.ask("cid", 'lobby.subscribe {"game": "battleship"}')
    await talk.holds("""
        bob> REQ 1 session.hello {"version": 1}
        bob> REQ 2 session.reconnect {"session_token": "<token bob>"}
        bob< RES 1 OK
        bob< RES 2 OK {...}
        bob< EVT m1 game.match_started {"opponent": "cid"}
        bob< EVT m1 game.update {"type": "place_ships", ...}
        cid< EVT m1 game.match_started {"opponent": "bob"}
        cid< EVT m1 game.update {"type": "place_ships", ...}
        ann> REQ 1 lobby.matches
        ann< RES 1 OK {"matches": [{"match": "m1", "game": "battleship", "players": ["bob", "cid"], "live": true}]}
    """)


async def test_whoever_is_away_is_not_paired_and_keeps_the_place(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.ask("ann", 'lobby.subscribe {"game": "battleship"}')
    await talk.hang_up("ann")
    await talk.match("bob", "cid", game="battleship")
    talk.forget()
    await talk.holds("""
        ann> REQ 1 session.hello {"version": 1}
        ann> REQ 2 session.reconnect {"session_token": "<token ann>"}
        ann> REQ 3 lobby.players
        ann< RES 1 OK
        ann< RES 2 OK {"player": "ann", "matches": {}, "subscriptions": [{"game": "battleship", ...}], "challenges": []}
        ann< RES 3 OK {"players": [{"player": "ann", "connected": true, "playing": [], "waiting": ["battleship"]}, ...]}
    """)


async def test_nobody_is_paired_with_themselves_and_one_subscription_gives_one_match(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.holds("""
        ann> REQ 1 lobby.subscribe {"game": "battleship"}
        ann> REQ 2 lobby.subscribe {"game": "battleship"}
        ann> REQ 3 lobby.subscribe {"game": "battleship", "options": {"turn_seconds": 9}}
        ann< RES 1 OK
        ann< RES 2 ERR {"code": "ALREADY_SUBSCRIBED", ...}
        ann< RES 3 OK
        bob> REQ 1 lobby.subscribe {"game": "battleship"}
        bob> REQ 2 lobby.subscribe {"game": "battleship"}
        bob< RES 1 OK
        bob< EVT m1 game.match_started {"opponent": "ann"}
        bob< EVT m1 game.update {"type": "place_ships", ...}
        bob< RES 2 OK
        ann< EVT m1 game.match_started {"opponent": "bob"}
        ann< EVT m1 game.update {"type": "place_ships", ...}
        ann> REQ 4 lobby.unsubscribe {"game": "battleship", "options": {}}
        ann> REQ 5 lobby.unsubscribe {"game": "battleship"}
        ann> REQ 6 lobby.unsubscribe {"game": "battleship"}
        ann< RES 4 ERR {"code": "NOT_SUBSCRIBED", ...}
        ann< RES 5 OK
        ann< RES 6 ERR {"code": "NOT_SUBSCRIBED", ...}
    """)


@pytest.mark.parametrize(
    ("first", "second", "meet"),
    [
        ("{}", '{"turn_seconds": null}', True),
        ("{}", '{"rounds": 3, "pace": 0}', True),
        ('{"rounds": 5}', '{"pace": 0.0, "rounds": 5}', True),
        ('{"pace": 1}', '{"pace": 1.0}', True),
        ("{}", '{"rounds": 4}', False),
        ("{}", '{"turn_seconds": 30}', False),
    ],
)
async def test_options_are_compared_after_their_defaults_are_filled_in(
    talk: Conversation, first: str, second: str, meet: bool
):
    await talk.enter("ann", "bob")
    await talk.ask("ann", f'lobby.subscribe {{"game": "roshambo", "options": {first}}}')
    await talk.ask("bob", f'lobby.subscribe {{"game": "roshambo", "options": {second}}}')
    assert any("match_started" in line for line in talk.clients["ann"].heard) is meet


@pytest.mark.parametrize(
    ("sent", "refusal"),
    [
        ('{"game": "chess"}', '{"code": "UNKNOWN_GAME", ...}'),
        ('{"game": "batleship"}', '{"code": "UNKNOWN_GAME", "message": "...battleship..."}'),
        ('{"game": 4}', '{"code": "BAD_REQUEST", "message": "...", "field": "$.game"}'),
        ("", '{"code": "BAD_REQUEST", "message": "...", "field": "$.game"}'),
        ('{"game": null}', '{"code": "BAD_REQUEST", "message": "...", "field": "$.game"}'),
        ('{"game": "rps", "options": []}', '{"code": "BAD_REQUEST", "message": "...", "field": "$.options"}'),
        ('{"game": "rps", "options": null}', '{"code": "BAD_REQUEST", "message": "...", "field": "$.options"}'),
        ('{"game": "roshambo", "options": {"x": 1}}', '{"code": "INVALID_OPTIONS", "message": "...", "field": "x"}'),
        ('{"game": "roshambo", "options": {"rounds": 0}}', '{"code": "INVALID_OPTIONS", ..., "field": "rounds"}'),
        ('{"game": "roshambo", "options": {"rounds": 3.0}}', '{"code": "INVALID_OPTIONS", ..., "field": "rounds"}'),
        ('{"game": "roshambo", "options": {"rounds": true}}', '{"code": "INVALID_OPTIONS", ..., "field": "rounds"}'),
        ('{"game": "roshambo", "options": {"pace": "1"}}', '{"code": "INVALID_OPTIONS", ..., "field": "pace"}'),
        ('{"game": "purrinha", "options": {"players": 5}}', '{"code": "INVALID_OPTIONS", ..., "field": "players"}'),
        (
            '{"game": "rps", "options": {"best_of": 3, "rounds_to_win": 4}}',
            '{"code": "INVALID_OPTIONS", ..., "field": "rounds_to_win"}',
        ),
    ],
)
async def test_games_and_options_that_cannot_be_had(talk: Conversation, sent: str, refusal: str):
    await talk.enter("ann")
    for method in ("lobby.subscribe", "lobby.unsubscribe"):
        await talk.holds(f"""
            ann> REQ 1 {method} {sent}
            ann< RES 1 ERR {refusal}
        """)
    assert (await talk.ask("ann", "lobby.status"))["waiting"] == {}


async def test_a_table_that_fills_is_told_at_each_change(talk: Conversation):
    await talk.enter("ann", "bob", "cid", "dan")
    await talk.holds(f"""
        ann> REQ 1 lobby.subscribe {FOUR}
        ann< RES 1 OK
        ann< {waiting("ann")}
        bob> REQ 1 lobby.subscribe {FOUR}
        bob< RES 1 OK
        bob< {waiting("ann", "bob")}
        ann< {waiting("ann", "bob")}
        cid> REQ 1 lobby.subscribe {FOUR}
        cid< RES 1 OK
        ann< {waiting("ann", "bob", "cid")}
        bob< {waiting("ann", "bob", "cid")}
        cid< {waiting("ann", "bob", "cid")}
        bob> REQ 2 lobby.unsubscribe {{"game": "purrinha"}}
        bob< RES 2 OK
        ann< {waiting("ann", "cid")}
        cid< {waiting("ann", "cid")}
        -- ann hangs up
        cid< {waiting("cid")}
        dan> REQ 1 lobby.subscribe {FOUR}
        dan< RES 1 OK
        cid< {waiting("cid", "dan")}
        dan< {waiting("cid", "dan")}
        ann> REQ 2 session.hello {{"version": 1}}
        ann> REQ 3 session.reconnect {{"session_token": "<token ann>"}}
        ann< RES 2 OK
        ann< RES 3 OK {{"player": "ann", "matches": {{}}, "subscriptions": [...], "challenges": []}}
        ann< {waiting("ann", "cid", "dan")}
        cid< {waiting("ann", "cid", "dan")}
        dan< {waiting("ann", "cid", "dan")}
        cid> REQ 2 session.logout
        cid< RES 2 OK
        cid< EOF
        ann< {waiting("ann", "dan")}
        dan< {waiting("ann", "dan")}
        bob> REQ 3 lobby.subscribe {FOUR}
        bob< RES 3 OK
        ann< {waiting("ann", "dan", "bob")}
        dan< {waiting("ann", "dan", "bob")}
        bob< {waiting("ann", "dan", "bob")}
    """)
    await talk.enter("eve")
    talk.forget()
    await talk.ask("eve", f"lobby.subscribe {FOUR}")
    started = {name: talk.clients[name].taken()[0] for name in ("ann", "dan", "bob", "eve")}
    assert started == {
        "ann": 'EVT m1 game.match_started {"opponents": ["dan", "bob", "eve"]}',
        "dan": 'EVT m1 game.match_started {"opponents": ["ann", "bob", "eve"]}',
        "bob": 'EVT m1 game.match_started {"opponents": ["ann", "dan", "eve"]}',
        "eve": 'EVT m1 game.match_started {"opponents": ["ann", "dan", "bob"]}',
    }


async def test_where_the_table_stays_the_same_nothing_is_told(talk: Conversation):
    """Whoever is away sits at no table, and a take-over is no change."""
    await talk.enter("ann", "bob")
    await talk.ask("ann", f"lobby.subscribe {FOUR}")
    await talk.hang_up("ann")
    await talk.ask("bob", f"lobby.subscribe {FOUR}")
    talk.forget()
    await talk.holds("""
        tab> REQ 1 session.hello {"version": 1}
        tab> REQ 2 session.reconnect {"session_token": "<token bob>"}
        tab< RES 1 OK
        tab< RES 2 OK {...}
        bob< EVT session.replaced
        bob< EOF
        -- 60 s later
    """)


async def test_a_table_for_two_is_told_nothing_while_it_waits(talk: Conversation):
    await talk.enter("ann")
    await talk.holds("""
        ann> REQ 1 lobby.subscribe {"game": "purrinha"}
        ann< RES 1 OK
    """)


async def test_a_session_has_sixteen_subscriptions(talk: Conversation):
    await talk.enter("ann")
    for rounds in range(1, 17):
        await talk.ask("ann", f'lobby.subscribe {{"game": "roshambo", "options": {{"rounds": {rounds}}}}}')
    await talk.holds("""
        ann> REQ 1 lobby.subscribe {"game": "battleship"}
        ann< RES 1 ERR {"code": "LIMIT_REACHED", "message": "...", "limit": 16}
        ann> REQ 2 lobby.subscribe {"game": "roshambo"}
        ann< RES 2 ERR {"code": "ALREADY_SUBSCRIBED", ...}
        ann> REQ 3 lobby.unsubscribe {"game": "roshambo", "options": {"rounds": 16}}
        ann> REQ 4 lobby.subscribe {"game": "battleship"}
        ann< RES 3 OK
        ann< RES 4 OK
    """)


async def test_whoever_has_as_many_live_matches_as_may_be_neither_subscribes_nor_is_paired():
    async with Conversation(max_live_matches=2) as talk:
        await talk.enter("ann", "bob", "cid")
        await talk.ask("ann", 'lobby.subscribe {"game": "roshambo"}')
        await talk.match("ann", "bob", game="battleship")
        await talk.match("ann", "cid", game="battleship")
        talk.forget()
        await talk.holds("""
            ann> REQ 1 lobby.subscribe {"game": "rps"}
            ann< RES 1 ERR {"code": "LIMIT_REACHED", "message": "...", "limit": 2}
            bob> REQ 1 lobby.subscribe {"game": "roshambo"}
            bob< RES 1 OK
            ann> REQ 2 m2 game.resign
            ann< RES 2 OK
            ann< EVT m2 game.result {"result": "LOSS", "reason": "resigned"}
            ann< EVT m3 game.match_started {"opponent": "bob"}
            ann< EVT m3 game.update {"type": "start", "player": "ann", "opponent": "bob", "rounds": 3}
            ann< EVT m3 game.your_turn
            bob< EVT m3 game.match_started {"opponent": "ann"}
            bob< EVT m3 game.update {"type": "start", "player": "bob", "opponent": "ann", "rounds": 3}
            bob< EVT m3 game.your_turn
            cid< EVT m2 game.result {"result": "WIN", "reason": "resigned"}
        """)


async def test_thirty_two_live_matches_are_the_limit_by_default(talk: Conversation):
    await talk.enter("ann", "bob")
    for _ in range(32):
        await talk.match("ann", "bob", game="battleship")
    talk.forget()
    await talk.holds("""
        ann> REQ 1 lobby.subscribe {"game": "battleship"}
        ann< RES 1 ERR {"code": "LIMIT_REACHED", "message": "...", "limit": 32}
    """)


async def test_places_in_queues_survive_a_restart_in_their_order(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.ask("bob", 'lobby.subscribe {"game": "battleship"}')
    await talk.hang_up("bob")
    await talk.ask("ann", 'lobby.subscribe {"game": "battleship"}')
    await talk.kill()
    for name in ("cid", "ann", "bob"):
        await talk.ask(name, 'session.hello {"version": 1}')
        await talk.ask(name, f'session.reconnect {{"session_token": "<token {name}>"}}')
    assert talk.clients["bob"].taken()[0] == 'EVT m1 game.match_started {"opponent": "ann"}'
    assert (await talk.ask("cid", "lobby.matches"))["matches"][0]["players"] == ["bob", "ann"]


def test_those_who_are_away_are_looked_at_once_however_often_others_are_paired():
    engine = Roshambo()
    queue = Queue(QueueKey("roshambo", b"{}"), engine, settle(engine, {}), default=True)
    sessions = [Session(number, f"p{number}", b"") for number in range(1_000)]
    away, looks = set(sessions[:998]), []

    def eligible(session: Session) -> bool:
        looks.append(session)
        return session not in away

    for number, session in enumerate(sessions):
        queue.add(session, number)
    assert queue.table(eligible) == sessions[998:]
    assert len(looks) == 1_000
    looks.clear()
    for _ in range(10):
        assert queue.table(eligible) == sessions[998:]
    assert len(looks) == 20
    away.clear()
    queue.reconsider(sessions[7])
    queue.reconsider(sessions[3])
    assert queue.table(eligible) == [sessions[3], sessions[7]]
    assert queue.remove(sessions[3]) == 3
    assert queue.table(eligible) == [sessions[7], sessions[998]]
