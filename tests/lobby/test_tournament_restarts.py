"""Tournaments over the server's life: killed and started again at any moment, none of their games is lost or counted twice."""

import asyncio
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from conversation import Conversation
from cup_play import ask, games, opened, points, started, status, win


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "lobby.db"


async def back(talk: Conversation, *players: str) -> None:
    for player in players:
        await talk.ask(player, 'session.hello {"version": 1}')
        await talk.ask(player, f'session.reconnect {{"session_token": "<token {player}>"}}')


async def test_what_is_open_running_and_over_is_as_it_was_after_a_kill(db: Path):
    async with Conversation(db=db) as talk:
        await talk.enter("a", "b", "c")
        over = await started(talk, "a", "b")
        await win(talk, "m1", "b", "a")
        running = await started(talk, "a", "b", "c", legs=2)
        await win(talk, "m2", "b", "c")
        opened_one = await opened(talk, "a", "c")
        cancelled = await opened(talk, "b")
        await ask(talk, "b", "cancel", cancelled)
        cups = (over, running, opened_one, cancelled)
        before = [await talk.ask("a", "tournament.list"), *[await ask(talk, "a", "standings", cup) for cup in cups]]
        await talk.kill()
        await back(talk, "a", "b", "c")
        assert before == [
            await talk.ask("a", "tournament.list"),
            *[await ask(talk, "a", "standings", cup) for cup in cups],
        ]
        await win(talk, "m3", "a", "b")
        assert (await games(talk, "a", running))[:3] == ["m2 b-c WIN-LOSS", "m3 a-b WIN-LOSS", "m4 c-a live"]
        assert await opened(talk, "a") == "t5"
        await ask(talk, "b", "register", opened_one)
        await ask(talk, "a", "start", opened_one)
        assert await games(talk, "a", opened_one) == ["m8 c-b due"]


async def test_every_grace_starts_anew(db: Path):
    async with Conversation(db=db) as talk:
        await talk.enter("a", "b", "c")
        cup = await opened(talk, "a", "a", "b", "c")
        await talk.hang_up("c")
        await ask(talk, "a", "start", cup)
        await talk.advance(59)
        await talk.kill(1000)
        await talk.advance(59)
        await back(talk, "c", "b", "a")
        assert await games(talk, "a", cup) == ["m1 b-c live", "m2 a-b VOID-VOID", "m3 c-a due"]


async def test_who_has_withdrawn_and_gone_still_loses_what_is_left(db: Path):
    async with Conversation(db=db) as talk:
        await talk.enter("a", "b", "c")
        cup = await started(talk, "a", "b", "c", legs=2, game='"game": "battleship"')
        await talk.ask("a", "session.logout")
        await talk.kill()
        await back(talk, "b", "c")
        await talk.ask("b", "m1 game.resign")
        first_leg = ["m1 b-c LOSS-WIN", "m2 a-b LOSS-WIN", "m3 c-a WIN-LOSS"]
        assert await games(talk, "b", cup) == [*first_leg, "m4 c-b live", "m5 b-a due", "m6 a-c due"]
        await talk.ask("b", "m4 game.resign")
        assert (await games(talk, "b", cup))[3:] == ["m4 c-b WIN-LOSS", "m5 b-a WIN-LOSS", "m6 a-c LOSS-WIN"]


async def test_who_has_gone_from_two_tournaments_keeps_neither_from_going_on(db: Path):
    async with Conversation(db=db) as talk:
        await talk.enter("a", "b", "c")
        one = await started(talk, "b", "a", "c", game='"game": "battleship"')
        other = await started(talk, "c", "a", "b", game='"game": "battleship"')
        await talk.ask("a", "session.logout")
        await talk.kill()
        await back(talk, "b", "c")
        for cup in (one, other):
            live = next(game.split()[0] for game in await games(talk, "b", cup) if game.endswith(" live"))
            await talk.ask("b", f"{live} game.resign")
            assert await status(talk, "b", cup) == "finished"


async def test_a_game_that_an_ended_session_loses_does_not_bring_it_back(db: Path):
    async with Conversation(db=db) as talk:
        await talk.enter("a", "b", "c")
        await started(talk, "a", "b", "c")
        await talk.ask("a", "session.logout")  # before its first game
        await win(talk, "m1", "b", "c")
        await talk.kill()
        await talk.ask("a", 'session.hello {"version": 1}')
        (answer,) = await talk.say("a", 'REQ 1 session.reconnect {"session_token": "<token a>"}')
        assert answer.startswith('RES 1 ERR {"code": "INVALID_TOKEN"')


async def test_an_open_one_lapses_by_the_time_that_the_server_was_up(db: Path):
    async with Conversation(db=db, tournament_lapse=100) as talk:
        await talk.enter("a")
        cup = await opened(talk, "a", "a")
        await talk.advance(60)
        await talk.kill(1000)
        await back(talk, "a")
        await talk.advance(39)
        assert await status(talk, "a", cup) == "open"
        await talk.advance(1)
        assert await status(talk, "a", cup) == "cancelled"


async def test_one_whose_rules_are_gone_is_called_off(db: Path):
    async with Conversation(db=db) as talk:
        await talk.enter("a", "b")
        cup = await started(talk, "a", "b")
        other = await opened(talk, "a", "b")
        talk.catalogue = type(talk.catalogue)([])
        await talk.kill()
        await back(talk, "a")
        assert [await status(talk, "a", one) for one in (cup, other)] == ["finished", "cancelled"]
        assert await points(talk, "a", cup) == {"a": 0.5, "b": 0.5}


async def test_over_ones_are_forgotten_when_finished_matches_are(db: Path):
    async with Conversation(db=db, keep_matches=100, name_hold=1000) as talk:
        await talk.enter("a", "b")
        await started(talk, "a", "b")
        await win(talk, "m1", "b", "a")
        await opened(talk, "a", "b")
        await talk.advance(120)
        assert [cup["tournament"] for cup in (await talk.ask("a", "tournament.list"))["tournaments"]] == ["t2"]
        await talk.kill()
        await back(talk, "a")
        assert [cup["tournament"] for cup in (await talk.ask("a", "tournament.list"))["tournaments"]] == ["t2"]


class Season:
    """A tournament in which anything happens, and what must hold whatever does."""

    PLAYERS = ("a", "b", "c", "d", "e")

    def __init__(self, talk: Conversation, chance: Random) -> None:
        self.talk = talk
        self.chance = chance
        self.over: dict[str, str] = {}

    async def happen(self, cup: str) -> None:
        """Let one thing happen."""
        here = self.here()
        match self.chance.choices(("play", "leave", "come", "wait", "kill"), (10, 3, 4, 2, 1))[0]:
            case "play":
                await self.play(cup)
            case "leave" if here:
                await self.talk.hang_up(self.chance.choice(here))
            case "come" if len(here) < len(self.PLAYERS):
                await back(self.talk, self.chance.choice([name for name in self.PLAYERS if name not in here]))
            case "wait":
                await self.talk.advance(self.chance.choice((1, 20, 61)))
            case "kill":
                await self.kill(cup)

    def here(self) -> list[str]:
        """Return the players who are connected."""
        clients = self.talk.clients
        return [name for name in self.PLAYERS if name in clients and not clients[name].ended]

    async def play(self, cup: str) -> None:
        """Let one who is there give a live game up."""
        for player, match in await self.playing(cup):
            await self.talk.ask(player, f"{match} game.resign")
            return

    async def kill(self, cup: str) -> None:
        """Kill the server, some way into a turn in which games end and begin."""
        for player, match in await self.playing(cup):
            self.talk.clients[player].write(f"REQ last {match} game.resign\n")
        for _ in range(self.chance.randrange(8)):
            await asyncio.sleep(0)
        await self.talk.kill(self.chance.choice((0, 100)))
        await back(self.talk, "org")

    async def playing(self, cup: str) -> list[tuple[str, str]]:
        """Return one player who is there of each live game, with its match, in any order."""
        live = [game.split() for game in await games(self.talk, "org", cup) if game.endswith("live")]
        self.chance.shuffle(live)
        there = [([name for name in players.split("-") if name in self.here()], match) for match, players, _ in live]
        return [(names[0], match) for names, match in there if names]

    async def check(self, cup: str) -> None:
        """What is over stays as it ended; nobody plays twice at a time; no two who are here and free have a game due."""
        listed = [game.split() for game in await games(self.talk, "org", cup)]
        ended = {match: f"{players} {how}" for match, players, how in listed if how not in ("due", "live")}
        assert self.over.items() <= ended.items()
        self.over = ended
        playing = [name for _, players, how in listed if how == "live" for name in players.split("-")]
        assert len(playing) == len(set(playing))
        free = set(self.here()) - set(playing)
        due = [players for _, players, how in listed if how == "due"]
        assert [pair for pair in due if set(pair.split("-")) <= free] == []
        told = await points(self.talk, "org", cup)
        assert sum(told.values()) == sum("VOID" not in how for how in ended.values())


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_happens_every_game_is_played_once_and_the_points_add_up(db: Path, seed: int):
    async with Conversation(db=db, name_hold=100_000) as talk:
        await talk.enter("org", *Season.PLAYERS)
        cup = await opened(talk, "org", *Season.PLAYERS, legs=2)
        await ask(talk, "org", "start", cup)
        season = Season(talk, Random(seed))
        for _ in range(400):
            await season.happen(cup)
            await season.check(cup)
            if await status(talk, "org", cup) == "finished":
                break
        met = sorted("-".join(sorted(pair.split()[0].split("-"))) for pair in season.over.values())
        assert met == sorted(["-".join(pair) for pair in combinations(Season.PLAYERS, 2)] * 2)
