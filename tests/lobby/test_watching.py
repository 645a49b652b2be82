"""Watching: what a spectator is shown, live and afterwards, who may not be one, and when it ends."""

import json

import pytest
from conversation import Conversation

from games.contract import SPECTATORS

LONG = 700
"""Rounds of a match whose record has many pieces."""


async def watched(talk: Conversation, name: str, match: str, **fields: object) -> list[str]:
    """Let a player watch a match, and return the answer and all that follows it."""
    return await talk.say(name, f"REQ w lobby.watch {json.dumps({'match': match, **fields})}")


async def play_rounds(talk: Conversation, match: str, rounds: int, *names: str) -> None:
    """Let two players play so many rounds, all of them drawn."""
    move = f'REQ x {match} game.action {{"type": "move", "move": "ROCK"}}\n'
    for _ in range(rounds):
        for name in names:
            talk.clients[name].write(move)
            await talk.clients[name].settle()


async def test_a_spectator_is_shown_what_was_and_then_what_happens(talk: Conversation):
    await talk.enter("ann", "bob", "cid", "dee")
    await talk.match("ann", "bob", game="roshambo", options={"rounds": 2})
    talk.forget()
    await talk.holds("""
        cid> REQ 1 lobby.watch {"match": "m1"}
        cid< RES 1 OK {"game": "roshambo", "players": ["ann", "bob"], "events": 2, "live": true}
        cid< EVT m1 game.match_started {"players": ["ann", "bob"]}
        cid< EVT m1 game.update {"type": "start", "players": ["ann", "bob"], "rounds": 2}
        ann> REQ 1 m1 game.action {"type": "move", "move": "ROCK"}
        ann< RES 1 OK
        bob> REQ 1 m1 game.action {"type": "move", "move": "PAPER"}
        ann< EVT m1 game.action {"type": "move", "player": "ann", "move": "ROCK"}
        ann< EVT m1 game.action {"type": "move", "player": "bob", "move": "PAPER"}
        ann< EVT m1 game.your_turn
        bob< RES 1 OK
        bob< EVT m1 game.action {"type": "move", "player": "ann", "move": "ROCK"}
        bob< EVT m1 game.action {"type": "move", "player": "bob", "move": "PAPER"}
        bob< EVT m1 game.your_turn
        cid< EVT m1 game.action {"type": "move", "player": "ann", "move": "ROCK"}
        cid< EVT m1 game.action {"type": "move", "player": "bob", "move": "PAPER"}
        dee> REQ 1 lobby.watch {"match": "m1", "received": 3}
        dee< RES 1 OK {"game": "roshambo", "players": ["ann", "bob"], "events": 4, "live": true}
        dee< EVT m1 game.action {"type": "move", "player": "bob", "move": "PAPER"}
        ann> REQ 2 m1 game.resign
        ann< RES 2 OK
        ann< EVT m1 game.action {"type": "move", "player": "ann", "move": "RETIRE"}
        ann< EVT m1 game.result {"result": "LOSS", "reason": "resigned"}
        bob< EVT m1 game.action {"type": "move", "player": "ann", "move": "RETIRE"}
        bob< EVT m1 game.result {"result": "WIN", "reason": "resigned"}
        cid< EVT m1 game.action {"type": "move", "player": "ann", "move": "RETIRE"}
        cid< EVT m1 game.result {"results": {"ann": "LOSS", "bob": "WIN"}, "reason": "resigned"}
        dee< EVT m1 game.action {"type": "move", "player": "ann", "move": "RETIRE"}
        dee< EVT m1 game.result {"results": {"ann": "LOSS", "bob": "WIN"}, "reason": "resigned"}
    """)


async def test_a_finished_match_is_shown_to_its_players_as_they_saw_it_and_to_others_as_a_spectator_sees_it(
    talk: Conversation,
):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="roshambo")
    await talk.ask("bob", "m1 game.resign")
    seen = talk.clients["ann"].taken()
    again = await watched(talk, "ann", "m1")
    assert again[0].endswith('"events": 5, "live": false}')
    assert again[1:] == seen
    shown = await watched(talk, "cid", "m1")
    assert shown[0].endswith('"events": 4, "live": false}')
    assert shown[-1] == 'EVT m1 game.result {"results": {"ann": "WIN", "bob": "LOSS"}, "reason": "resigned"}'


@pytest.mark.parametrize(("received", "shown"), [(0, 2), (1, 1), (2, 0), (3, 0), (9_000_000_000, 0)])
async def test_who_says_how_much_they_have_is_shown_the_rest(talk: Conversation, received: int, shown: int):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="roshambo")
    assert len(await watched(talk, "cid", "m1", received=received)) == 1 + shown


async def test_ones_own_match_is_not_watched_while_it_lives_even_by_someone_who_has_left_it(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", "cid", game="purrinha", options={"players": 3})
    await talk.ask("cid", "m1 game.resign")
    talk.forget()
    await talk.holds("""
        ann> REQ 1 lobby.watch {"match": "m1"}
        ann< RES 1 ERR {"code": "NOT_ALLOWED", ...}
        cid> REQ 1 lobby.watch {"match": "m1"}
        cid< RES 1 ERR {"code": "NOT_ALLOWED", ...}
    """)
    await talk.ask("ann", "m1 game.resign")
    talk.forget()
    left = await watched(talk, "cid", "m1")
    assert left[-1] == 'EVT m1 game.result {"result": "LOSS", "reason": "resigned"}'
    assert not any("ann" in line and "player_left" in line for line in left)


@pytest.mark.parametrize(
    ("request_line", "code"),
    [
        ('lobby.watch {"match": "m2"}', "UNKNOWN_MATCH"),
        ('lobby.watch {"match": "m01"}', "UNKNOWN_MATCH"),
        ('lobby.watch {"match": "rubbish"}', "UNKNOWN_MATCH"),
        ('lobby.watch {"match": 1}', "BAD_REQUEST"),
        ("lobby.watch", "BAD_REQUEST"),
        ("m1 lobby.watch", "BAD_REQUEST"),
        ('lobby.watch {"match": "m1", "received": -1}', "BAD_REQUEST"),
        ('lobby.watch {"match": "m1", "received": true}', "BAD_REQUEST"),
        ('lobby.watch {"match": "m1", "received": null}', "BAD_REQUEST"),
        ('lobby.unwatch {"match": "m2"}', "UNKNOWN_MATCH"),
        ('lobby.unwatch {"match": "m1"}', "NOT_SUBSCRIBED"),
        ("lobby.unwatch", "BAD_REQUEST"),
    ],
)
async def test_what_cannot_be_watched_is_refused(talk: Conversation, request_line: str, code: str):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="roshambo")
    (answer,) = await talk.say("cid", f"REQ 1 {request_line}")
    assert answer.startswith(f'RES 1 ERR {{"code": "{code}"')


async def test_of_what_is_no_match_id_a_refusal_shows_one_short_printable_piece(talk: Conversation):
    await talk.enter("ann")
    (answer,) = await talk.say("ann", 'REQ 1 lobby.watch {"match": "\\u001b[2J%s"}' % ("x" * 4_000))
    assert '"there is no match ?[2J' in answer
    assert len(answer) < 200


async def test_so_many_live_matches_are_watched_at_a_time_and_no_more():
    async with Conversation(max_watched=2) as talk:
        await talk.enter("ann", "bob", "cid")
        for _ in range(4):
            await talk.match("ann", "bob", game="roshambo")
        await talk.ask("ann", "m4 game.resign")
        for match in ("m1", "m2", "m4", "m2"):  # one that is over is a replay, and one watched already is not one more
            await talk.ask("cid", f'lobby.watch {{"match": "{match}"}}')
        talk.forget()
        (refused,) = await watched(talk, "cid", "m3")
        assert refused.startswith('RES w ERR {"code": "LIMIT_REACHED"')
        assert refused.endswith('"limit": 2}')
        await talk.ask("ann", "m1 game.resign")  # which ends its watching
        await talk.ask("cid", 'lobby.watch {"match": "m3"}')


async def test_whoever_watches_again_is_shown_the_match_again_and_then_each_line_once(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="roshambo")
    first = await watched(talk, "cid", "m1")
    assert await watched(talk, "cid", "m1") == first
    assert await watched(talk, "cid", "m1", received=2) == first[:1]
    await talk.ask("ann", "m1 game.resign")
    assert len(talk.clients["cid"].taken()) == 2


async def test_nothing_more_is_shown_once_a_match_is_unwatched(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="roshambo")
    await talk.match("ann", "bob", game="roshambo")
    await watched(talk, "cid", "m1")
    await watched(talk, "cid", "m2")
    assert await talk.say("cid", 'REQ 1 lobby.unwatch {"match": "m1"}') == ["RES 1 OK"]
    await talk.ask("ann", "m1 game.resign")
    assert talk.clients["cid"].taken() == []
    (refused,) = await talk.say("cid", 'REQ 2 lobby.unwatch {"match": "m1"}')
    assert refused.startswith('RES 2 ERR {"code": "NOT_SUBSCRIBED"')
    await talk.ask("bob", "m2 game.resign")
    assert len(talk.clients["cid"].taken()) == 2


async def back(talk: Conversation, client: str, player: str) -> None:
    """Let a player come back on a connection of this name."""
    await talk.ask(client, 'session.hello {"version": 1}')
    await talk.ask(client, f'session.reconnect {{"session_token": "<token {player}>"}}')


async def test_watching_ends_with_the_connection(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="roshambo")
    await watched(talk, "cid", "m1")
    await talk.hang_up("cid")
    await back(talk, "cid", "cid")
    await talk.ask("ann", "m1 game.resign")
    assert talk.clients["cid"].taken() == []


async def test_watching_ends_where_another_connection_takes_over(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="roshambo")
    await watched(talk, "cid", "m1")
    await back(talk, "again", "cid")
    await talk.ask("ann", "m1 game.resign")
    assert talk.clients["again"].taken() == []
    assert talk.clients["cid"].taken() == ["EVT session.replaced", "EOF"]


async def test_watching_does_not_survive_the_server(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="roshambo")
    await watched(talk, "cid", "m1")
    await talk.kill()
    await back(talk, "ann", "ann")
    await back(talk, "cid", "cid")
    await talk.ask("ann", "m1 game.resign")
    assert talk.clients["cid"].taken() == []
    assert len(await watched(talk, "cid", "m1")) == 5


async def test_whoever_logs_out_watches_no_longer(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="roshambo")
    await watched(talk, "cid", "m1")
    await talk.say("cid", "REQ 1 session.logout")
    (match,) = talk.server.house.matches.live.values()
    assert not match.watchers


async def test_what_happens_while_a_long_record_is_still_being_sent_comes_behind_it(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("lobby.outbox.REPLAY_SLICE", 1)  # a piece of the record a turn of the loop
    await talk.enter("ann", "bob", "cid", "dee")
    await talk.match("ann", "bob", game="roshambo", options={"rounds": 9999})
    await play_rounds(talk, "m1", LONG, "ann", "bob")
    spectator, session = talk.clients["cid"], talk.server.house.roster.named("cid")
    assert session is not None
    assert session.outbox is not None
    spectator.write('REQ 1 lobby.watch {"match": "m1"}\n')
    await play_rounds(talk, "m1", 1, "ann", "bob")
    assert session.outbox.replaying
    await play_rounds(talk, "m1", 20, "ann", "bob")
    await talk.ask("ann", "m1 game.resign")
    await spectator.settle()
    answer, *shown = spectator.taken()
    assert json.loads(answer.removeprefix("RES 1 OK "))["events"] < len(shown)
    assert len(shown) == 2 + 2 * (LONG + 21) + 2
    assert shown == (await watched(talk, "dee", "m1"))[1:]


async def test_all_spectators_of_a_match_are_sent_the_same_line_encoded_once(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch
):
    spectators = [f"s{number}" for number in range(20)]
    await talk.enter("ann", "bob", *spectators)
    await talk.match("ann", "bob", game="roshambo")
    for name in spectators:
        await watched(talk, name, "m1")
    (match,) = talk.server.house.matches.live.values()
    lines: list[bytes] = []
    make = type(match).line
    monkeypatch.setattr(type(match), "line", lambda *given: lines.append(make(*given)) or lines[-1])
    await talk.ask("ann", "m1 game.resign")
    assert len(lines) == 4  # the move of who is gone, and the result for each player and the spectators
    assert {tuple(talk.clients[name].taken()) for name in spectators} == {
        tuple(line.decode().rstrip() for line in (lines[0], lines[3]))
    }


async def test_a_replay_ends_where_its_match_is_removed_under_it(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="roshambo", options={"rounds": 9999})
    await play_rounds(talk, "m1", 100, "ann", "bob")
    await talk.ask("ann", "m1 game.resign")
    row = talk.store.match(1)
    assert row is not None
    lines = talk.server.house.matches.record(row).read(SPECTATORS, 0, row.events[-1])
    assert next(lines).startswith(b"EVT m1 game.match_started")
    talk.store.retain(ended_before=talk.server.house.clock.wall() + 1)
    assert list(lines) == []
