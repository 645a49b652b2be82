"""Lists: of games, players and matches, their order, filters and pages; and the status."""

import json
from typing import Any

import pytest
from conversation import Conversation

from lobby import __version__


async def test_the_games_are_listed_by_name_with_schemas_to_write_a_client_from(talk: Conversation):
    await talk.enter("ann")
    games = (await talk.ask("ann", "lobby.games"))["games"]
    assert [(game["game"], game["min_players"], game["max_players"]) for game in games] == [
        ("battleship", 2, 2),
        ("purrinha", 2, 4),
        ("roshambo", 2, 2),
        ("rps", 2, 2),
    ]
    for game in games:
        assert list(game) == ["game", "summary", "min_players", "max_players", "options", "actions"]
        assert "properties" in json.dumps(game["options"])
        assert '"type"' in json.dumps(game["actions"])


async def test_the_players_are_listed_by_code_point_with_what_they_do(talk: Conversation):
    await talk.enter("bob", "Zoe", "ann", "Élan")
    await talk.match("bob", "Zoe", game="battleship")
    await talk.ask("bob", 'lobby.subscribe {"game": "rps"}')
    await talk.ask("bob", 'lobby.subscribe {"game": "rps", "options": {"best_of": 5}}')
    await talk.ask("bob", 'lobby.subscribe {"game": "battleship"}')
    await talk.hang_up("ann")
    talk.forget()
    await talk.holds("""
        bob> REQ 1 lobby.players {"limit": 2}
        bob< RES 1 OK {"players": [{"player": "Zoe", "connected": true, "playing": ["m1"], "waiting": []}, {"player": "ann", "connected": false, "playing": [], "waiting": []}], "more": true}
        bob> REQ 2 lobby.players {"after": "ann"}
        bob< RES 2 OK {"players": [{"player": "bob", "connected": true, "playing": ["m1"], "waiting": ["battleship", "rps"]}, {"player": "Élan", "connected": true, "playing": [], "waiting": []}]}
        -- 60 s later
        bob> REQ 3 lobby.players {"limit": 1, "after": "Zoe"}
        bob< RES 3 OK {"players": [{"player": "bob", ...}], "more": true}
    """)  # noqa: E501 - a line of the wire is one line


@pytest.mark.parametrize(
    ("fields", "listed", "more"),
    [
        ("{}", ["m1", "m2", "m3", "m4"], False),
        ('{"limit": 2}', ["m1", "m2"], True),
        ('{"limit": 2, "after": "m2"}', ["m3", "m4"], False),
        ('{"after": "m4"}', [], False),
        ('{"game": "roshambo"}', ["m2", "m4"], False),
        ('{"player": "cid"}', ["m3", "m4"], False),
        ('{"player": "CID"}', ["m3", "m4"], False),
        ('{"player": "nobody"}', [], False),
        ('{"live": true}', ["m3", "m4"], False),
        ('{"live": false}', ["m1", "m2"], False),
        ('{"live": false, "game": "roshambo", "player": "ann"}', ["m2"], False),
        ('{"live": true, "limit": 1}', ["m3"], True),
    ],
)
async def test_the_matches_are_listed_by_age_and_filtered(
    talk: Conversation, fields: str, listed: list[str], more: bool
):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="battleship")
    await talk.match("ann", "bob", game="roshambo")
    await talk.match("cid", "bob", game="battleship")
    await talk.match("cid", "bob", game="roshambo")
    await talk.ask("ann", "m1 game.resign")
    await talk.ask("ann", "m2 game.resign")
    answer: dict[str, Any] = await talk.ask("bob", f"lobby.matches {fields}")
    assert [match["match"] for match in answer["matches"]] == listed
    assert answer.get("more", False) is more
    assert ("more" in answer) is more


@pytest.mark.parametrize("method", ["lobby.games", "lobby.players", "lobby.matches"])
@pytest.mark.parametrize("limit", ["0", "1001", "-1", "2.0", "true", '"3"', "null"])
async def test_a_limit_is_a_whole_number_from_one_to_a_thousand(talk: Conversation, method: str, limit: str):
    await talk.enter("ann")
    await talk.holds(f"""
        ann> REQ 1 {method} {{"limit": {limit}}}
        ann< RES 1 ERR {{"code": "BAD_REQUEST", "message": "...", "field": "$.limit"}}
        ann> REQ 2 {method} {{"limit": 1000}}
        ann< RES 2 OK {{...}}
    """)


@pytest.mark.parametrize(
    ("fields", "refusal"),
    [
        ('{"game": "chess"}', '{"code": "UNKNOWN_GAME", ...}'),
        ('{"after": "x"}', '{"code": "BAD_REQUEST", "message": "...", "field": "$.after"}'),
        ('{"live": 1}', '{"code": "BAD_REQUEST", "message": "...", "field": "$.live"}'),
        ('{"player": null}', '{"code": "BAD_REQUEST", "message": "...", "field": "$.player"}'),
        ('{"after": null}', '{"code": "BAD_REQUEST", "message": "...", "field": "$.after"}'),
    ],
)
async def test_filters_that_cannot_be(talk: Conversation, fields: str, refusal: str):
    await talk.enter("ann")
    await talk.holds(f"""
        ann> REQ 1 lobby.matches {fields}
        ann< RES 1 ERR {refusal}
    """)


@pytest.mark.parametrize("method", ["lobby.games", "lobby.players"])
async def test_an_optional_field_may_be_absent_and_not_null(talk: Conversation, method: str):
    await talk.enter("ann")
    await talk.holds(f"""
        ann> REQ 1 {method} {{"after": null}}
        ann< RES 1 ERR {{"code": "BAD_REQUEST", "message": "...", "field": "$.after"}}
    """)


async def test_no_line_is_longer_than_sixty_thousand_bytes(talk: Conversation):
    """Seven hundred names of the longest kind, four bytes a letter, are paged whatever the limit says."""
    await talk.ask("ann", 'session.hello {"version": 1}')
    await talk.ask("ann", 'session.login {"player": "ann"}')
    names = [chr(0x20000 + number) + chr(0x2A6D0) * 31 for number in range(400)]
    for number, name in enumerate(names):
        client = f"c{number}"
        await talk.say(client, 'REQ 1 session.hello {"version": 1}', f'REQ 2 session.login {{"player": "{name}"}}')
        await talk.hang_up(client)
    seen, more, after = [], True, ""
    while more:
        (line,) = await talk.say("ann", f'REQ 1 lobby.players {{"limit": 1000, "after": "{after}"}}')
        assert len(line.encode()) < 60_000
        answer = json.loads(line.removeprefix("RES 1 OK "))
        seen += [player["player"] for player in answer["players"]]
        more, after = answer.get("more", False), seen[-1]
    assert seen == ["ann", *names]


async def test_the_status_counts_what_there_is(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", game="battleship")
    await talk.ask("cid", 'lobby.subscribe {"game": "rps"}')
    await talk.ask("ann", 'lobby.subscribe {"game": "rps", "options": {"best_of": 5}}')
    await talk.connect("dan")
    await talk.hang_up("cid")
    await talk.advance(12.5)
    assert await talk.ask("ann", "lobby.status") == {
        "version": __version__,
        "uptime": 12,
        "connections": 3,
        "sessions": 3,
        "matches": 1,
        "waiting": {"rps": 2},
    }
