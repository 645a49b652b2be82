"""Ratings: what a match moves, which matches count, who is ranked where, and that nothing of it is lost."""

from pathlib import Path
from typing import Any

import pytest
from conversation import OURS, Conversation

from games.contract import Engine
from lobby.catalogue import settle
from lobby.ratings import K, Ranking, gain
from lobby.rows import PairRow, RatingRow
from lobby.store.reader import SqliteReader
from protocol import names

DAY = 24 * 60 * 60
ROSHAMBO: Engine = next(engine for engine in OURS if engine.info.name == "roshambo")


async def beat(talk: Conversation, winner: str, loser: str, **options: Any) -> None:
    """Let two players meet in a queue, and one of them resign."""
    match = await talk.match(winner, loser, game="roshambo", options=options)
    await talk.ask(loser, f"{match} game.resign")


async def ranking(talk: Conversation, name: str = "ann", game: str = "roshambo") -> dict[str, int]:
    """Return who has which rating, in the order of the ranking."""
    listed = await talk.ask(name, f'lobby.ranking {{"game": "{game}"}}')
    return {item["player"]: item["rating"] for item in listed["ranking"]}


@pytest.mark.parametrize(
    ("own", "other", "score", "points"),
    [
        (1500, 1500, 1.0, 12),
        (1500, 1500, 0.5, 0),
        (1500, 1500, 0.0, -12),
        (1600, 1500, 1.0, 9),
        (1600, 1500, 0.5, -3),
        (1600, 1500, 0.0, -15),
        (1500, 1900, 1.0, 22),
        (1900, 1500, 1.0, 2),
        (2400, 1000, 1.0, 0),
        (2400, 1000, 0.0, -24),
    ],
)
def test_a_match_moves_points_by_elo(own: int, other: int, score: float, points: int):
    assert gain(own, other, score) == points


def test_what_one_wins_the_other_loses_whoever_is_first():
    for own in range(900, 2200, 7):
        for score in (0.0, 0.5, 1.0):
            assert gain(own, 1500, score) == -gain(1500, own, 1 - score)
            assert abs(gain(own, 1500, score)) <= K


async def test_the_ranking_lists_who_has_played_by_rating_and_then_by_name(talk: Conversation):
    await talk.enter("ann", "bob", "cid", "dee", "eve")
    await beat(talk, "dee", "bob")
    await beat(talk, "cid", "ann")
    talk.forget()
    await talk.holds("""
        eve> REQ 1 lobby.ranking {"game": "roshambo", "limit": 3}
        eve< RES 1 OK {"ranking": [{"player": "cid", "rating": 1512, "played": 1, "won": 1, "drawn": 0, "lost": 0}, \
{"player": "dee", "rating": 1512, "played": 1, "won": 1, "drawn": 0, "lost": 0}, \
{"player": "ann", "rating": 1488, "played": 1, "won": 0, "drawn": 0, "lost": 1}], "more": true}
        eve> REQ 2 lobby.ranking {"game": "roshambo", "after": "ann"}
        eve< RES 2 OK {"ranking": [{"player": "bob", "rating": 1488, "played": 1, "won": 0, "drawn": 0, "lost": 1}]}
        eve> REQ 3 lobby.ranking {"game": "roshambo", "after": "bob"}
        eve< RES 3 OK {"ranking": []}
        eve> REQ 4 lobby.ranking {"game": "rps"}
        eve< RES 4 OK {"ranking": []}
        eve> REQ 5 lobby.ranking {"game": "roshambo", "after": "eve"}
        eve< RES 5 ERR {"code": "UNKNOWN_PLAYER", ...}
        eve> REQ 6 lobby.ranking {"game": "rosham"}
        eve< RES 6 ERR {"code": "UNKNOWN_GAME", ...}
        eve> REQ 7 lobby.ranking
        eve< RES 7 ERR {"code": "BAD_REQUEST", ..., "field": "$.game"}
        eve> REQ 8 lobby.ranking {"game": "roshambo", "limit": 1001}
        eve< RES 8 ERR {"code": "BAD_REQUEST", ..., "field": "$.limit"}
        eve> REQ 9 lobby.ranking {"game": "roshambo", "after": null}
        eve< RES 9 ERR {"code": "BAD_REQUEST", ..., "field": "$.after"}
    """)


async def test_wins_draws_and_losses_are_counted_and_explain_the_rating(talk: Conversation):
    await talk.enter("ann", "bob")
    for _ in range(2):
        await beat(talk, "ann", "bob")
    match = await talk.match("ann", "bob", game="roshambo")
    for _ in range(3):
        for name in ("ann", "bob"):
            await talk.ask(name, f'{match} game.action {{"type": "move", "move": "ROCK"}}')
    listed = await talk.ask("ann", 'lobby.ranking {"game": "roshambo"}')
    assert listed["ranking"] == [
        {"player": "ann", "rating": 1521, "played": 3, "won": 2, "drawn": 1, "lost": 0},
        {"player": "bob", "rating": 1479, "played": 3, "won": 0, "drawn": 1, "lost": 2},
    ]


async def test_other_options_than_the_defaults_are_not_rated(talk: Conversation):
    await talk.enter("ann", "bob")
    await beat(talk, "ann", "bob", rounds=4)
    assert await ranking(talk) == {}
    await beat(talk, "ann", "bob", rounds=3)  # which is the default, written out
    assert await ranking(talk) == {"ann": 1512, "bob": 1488}


async def test_a_table_of_three_is_not_rated(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await talk.match("ann", "bob", "cid", game="purrinha", options={"players": 3})
    for name in ("ann", "bob"):
        await talk.ask(name, "m1 game.resign")
    assert await ranking(talk, game="purrinha") == {}


async def test_a_match_that_nobody_won_nor_drew_is_not_rated(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="battleship")
    await talk.advance(600)
    assert 'game.result {"result": "VOID", "reason": "timeout"}' in talk.clients["ann"].taken()[-1]
    assert await ranking(talk, game="battleship") == {}


async def test_a_challenge_is_not_rated(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.ask("ann", 'lobby.challenge {"player": "bob", "game": "roshambo", "options": {}}')
    await talk.ask("bob", 'lobby.accept {"challenge": "c1"}')
    await talk.ask("bob", "m1 game.resign")
    assert await ranking(talk) == {}


async def test_a_tournament_match_is_rated_whatever_its_options_and_the_limit_of_the_pair():
    async with Conversation(rated_per_day=0) as talk:
        await talk.enter("ann", "bob")
        house = talk.server.house
        players = [session for name in ("ann", "bob") if (session := house.roster.named(name)) is not None]
        house.matches.begin(ROSHAMBO, settle(ROSHAMBO, {"rounds": 1}), players, tournament=1)
        await talk.ask("bob", "m1 game.resign")
        assert await ranking(talk) == {"ann": 1512, "bob": 1488}


async def test_so_many_matches_of_a_pair_are_rated_a_day_and_no_more(tmp_path: Path):
    async with Conversation(db=tmp_path / "lobby.db", rated_per_day=2) as talk:
        await talk.enter("ann", "bob", "cid")
        await beat(talk, "ann", "bob")
        await beat(talk, "bob", "ann")
        full = await ranking(talk)
        await beat(talk, "ann", "bob")
        assert await ranking(talk) == full
        await beat(talk, "ann", "cid")
        assert (await ranking(talk))["ann"] > full["ann"]
        await talk.kill()
        for name in ("ann", "bob"):
            await talk.ask(name, 'session.hello {"version": 1}')
            await talk.ask(name, f'session.reconnect {{"session_token": "<token {name}>"}}')
        full = await ranking(talk)
        await beat(talk, "ann", "bob")
        assert await ranking(talk) == full
        await talk.advance(DAY)
        await beat(talk, "ann", "bob")
        assert await ranking(talk) != full


async def test_counts_of_days_gone_by_are_cleared_away(talk: Conversation):
    await talk.enter("ann", "bob", "cid", "dee")
    for pair in (("ann", "bob"), ("ann", "cid"), ("bob", "cid")):
        await beat(talk, *pair)
    await talk.advance(DAY)
    for pair in (("ann", "bob"), ("ann", "dee")):
        await beat(talk, *pair)
    assert [row.players for row in talk.store.rows(PairRow)] == [("ann", "bob"), ("ann", "dee")]


async def test_a_rating_outlives_its_session_until_the_name_has_played_again(talk: Conversation):
    await talk.enter("ann", "bob", "cid")
    await beat(talk, "ann", "bob")
    await beat(talk, "ann", "cid")
    await talk.say("ann", "REQ 1 session.logout")
    assert await ranking(talk, "bob") == {"ann": 1524, "bob": 1488, "cid": 1488}
    await talk.ask("new", 'session.hello {"version": 1}')
    await talk.ask("new", 'session.login {"player": "ANN"}')
    assert await ranking(talk, "bob") == {"ann": 1524, "bob": 1488, "cid": 1488}
    await beat(talk, "new", "cid")
    assert await ranking(talk, "bob") == {"ANN": 1512, "bob": 1488, "cid": 1476}
    assert len(list(talk.store.rows(RatingRow))) == 3


async def test_whoever_logs_out_in_a_match_has_lost_it(talk: Conversation):
    await talk.enter("ann", "bob")
    await talk.match("ann", "bob", game="roshambo")
    await talk.say("bob", "REQ 1 session.logout")
    assert await ranking(talk) == {"ann": 1512, "bob": 1488}


async def test_ratings_come_back_after_a_kill(tmp_path: Path):
    async with Conversation(db=tmp_path / "lobby.db") as talk:
        await talk.enter("ann", "bob")
        await beat(talk, "ann", "bob")
        before = await talk.ask("ann", 'lobby.ranking {"game": "roshambo"}')
        await talk.kill()
        await talk.enter("eve")
        assert await talk.ask("eve", 'lobby.ranking {"game": "roshambo"}') == before


async def test_a_rating_is_stored_in_the_transaction_of_its_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "lobby.db"
    async with Conversation(db=path) as talk:
        seen: list[tuple[int, int]] = []
        commit = talk.store.commit

        def committed() -> None:
            commit()
            reader = SqliteReader.open(str(path))
            ended = len(reader.matches(after=0, limit=10, live=False))
            seen.append((ended, sum(row.won for row in reader.rows(RatingRow))))
            reader.close()

        monkeypatch.setattr(talk.store, "commit", committed)
        await talk.enter("ann", "bob")
        for _ in range(3):
            await beat(talk, "ann", "bob")
    assert {wins for _, wins in seen} == {0, 1, 2, 3}
    assert all(ended == wins for ended, wins in seen)


def test_a_page_of_the_ranking_costs_the_same_however_many_are_ranked(monkeypatch: pytest.MonkeyPatch):
    table = Ranking()
    for number in range(3000):
        table.put(RatingRow(session=number, game="g", name=f"p{number}", rating=1000 + number % 700))
    looked_up: list[str] = []
    key = names.key
    monkeypatch.setattr("lobby.ratings.names.key", lambda name: looked_up.append(name) or key(name))
    row = table.bearing("p699")
    page = [player for player, _ in zip(table.behind(row), range(10), strict=False)]
    assert [player.rating for player in page] == [1698] * 4 + [1697] * 4 + [1696] * 2
    assert len(looked_up) <= 12


def test_a_player_whose_rating_changes_is_ranked_once():
    table = Ranking()
    for rating in (1500, 1400, 1600, 1600):
        table.put(RatingRow(session=1, game="g", name="ann", rating=rating))
        table.put(RatingRow(session=2, game="g", name="bob", rating=1500))
    assert [(row.name, row.rating) for row in table.behind(None)] == [("ann", 1600), ("bob", 1500)]


async def test_a_new_login_under_the_same_name_makes_no_pair_a_new_one():
    async with Conversation(rated_per_day=1) as talk:
        await talk.enter("ann", "bob")
        await beat(talk, "ann", "bob")
        await talk.ask("bob", "session.logout")
        await talk.say("cid", 'REQ 1 session.hello {"version": 1}', 'REQ 2 session.login {"player": "Bob"}')
        await beat(talk, "ann", "cid")
        assert (await ranking(talk))["ann"] == 1512
