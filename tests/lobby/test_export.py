"""`lobby export` and `lobby verify`: what they print of a database, also while its server runs, and what they refuse."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from conversation import OURS, Conversation

from games.contract import Step
from games.roshambo import Roshambo
from lobby import log
from lobby.catalogue import Catalogue
from lobby.cli import main
from lobby.store import Chunk
from lobby.store.sqlite import SqliteStore

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "lobby.db"


@pytest.fixture
def run(db: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return what runs a command on the database, and returns its exit status, output and complaint."""
    monkeypatch.setattr(log, "configure", lambda *_: None)

    def command(*words: str) -> tuple[int, str, str]:
        capsysbinary.readouterr()
        status = main([*words, "--db", str(db)])
        out, err = capsysbinary.readouterr()
        return status, out.decode(), err.decode()

    return command


def installed(monkeypatch: pytest.MonkeyPatch, *engines: Any) -> None:
    """Let these be the games that a command finds."""
    monkeypatch.setattr(Catalogue, "installed", classmethod(lambda cls: cls(engines)))


async def play_out(talk: Conversation, chance: Random) -> None:
    """Let whoever is in turn do something plausible, and time pass where nobody is, until no match is live."""
    matches = talk.server.house.matches
    for _ in range(5000):
        if not matches.live:
            return
        for match in list(matches.live.values()):
            for seat in match.engine.turn(match.state):
                if not match.over and seat in match.engine.turn(match.state):
                    action = msgspec.to_builtins(match.engine.sample(match.state, seat, chance))
                    matches.act(matches.places(match.sessions[seat])[match.name], action)
        await talk.advance(0.5)
    raise AssertionError("some match never ends")


async def two_matches(talk: Conversation) -> None:
    """Play m1, which bob resigns, and m2, which ann resigns."""
    await talk.enter("ann", "bob")
    for loser in ("bob", "ann"):
        match = await talk.match("ann", "bob", game="roshambo")
        await talk.ask("ann", f'{match} game.action {{"type": "move", "move": "ROCK"}}')
        await talk.ask(loser, f"{match} game.resign")


async def test_a_finished_match_is_exported_as_a_spectator_or_a_player_saw_it_while_the_server_runs(db: Path, run: Run):
    async with Conversation(db=db) as talk:
        await two_matches(talk)
        await talk.enter("eve")
        seen = [line for line in talk.clients["ann"].taken() if line.startswith("EVT m2 ")]
        shown = (await talk.say("eve", 'REQ 1 lobby.watch {"match": "m2"}'))[1:]
        assert run("export", "m2") == (0, "\n".join(shown) + "\n", "")
        assert run("export", "m2", "--as", "ann") == (0, "\n".join(seen) + "\n", "")
        assert run("export", "m2", "--as", "ANN") == run("export", "m2", "--as", "ann")
        assert run("export", "m2", "--as", "bob") != run("export", "m2", "--as", "ann")


async def test_as_json_it_has_options_inputs_and_results_too(db: Path, run: Run):
    async with Conversation(db=db) as talk:
        await talk.enter("ann", "bob", "cid")
        await talk.match("ann", "bob", "cid", game="purrinha", options={"players": 3})
        await talk.ask("ann", 'm1 game.action {"type": "pick_initial_number", "selected_value": 2}')
        await talk.advance(1.5)
        await talk.ask("cid", "m1 game.resign")
        await talk.hang_up("bob")
        await talk.advance(60)
    status, out, err = run("export", "m1", "--format", "json")
    assert (status, err, out.count("\n")) == (0, "", 1)
    match = json.loads(out)
    assert match.pop("record") == run("export", "m1")[1].splitlines()
    assert isinstance(match.pop("seed"), int)
    assert match == {
        "match": "m1",
        "game": "purrinha",
        "version": 1,
        "options": {"turn_seconds": None, "players": 3, "points": 3},
        "players": ["ann", "bob", "cid"],
        "tournament": None,
        "began": "2027-01-15T08:00:00.000+00:00",
        "ended": "2027-01-15T08:01:00.000+00:00",
        "results": {"ann": "WIN", "bob": "LOSS", "cid": "LOSS"},
        "reason": "timeout",
        "inputs": [
            {
                "at": 0,
                "input": "act",
                "player": "ann",
                "action": {"type": "pick_initial_number", "selected_value": 2},
            },
            {"at": 1.5, "input": "forfeit", "players": ["cid"], "reason": "resigned"},
            {"at": 60, "input": "expire", "away": ["bob"]},
        ],
    }


@pytest.mark.parametrize("way", [(), ("--as", "ann"), ("--format", "json")])
async def test_a_live_match_is_not_exported(db: Path, run: Run, way: Sequence[str]):
    async with Conversation(db=db) as talk:
        await talk.enter("ann", "bob")
        await talk.match("ann", "bob", game="roshambo")
        status, out, err = run("export", "m1", *way)
        assert (status, out, err) == (
            1,
            "",
            "lobby: m1 is still being played, and its record holds secrets; wait until it is over\n",
        )


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["export", "m3"], 1, "there is no match m3, or it is kept no longer"),
        (["export", "m2", "--as", "eve"], 1, "eve did not play in m2; its players were ann, bob"),
        (["export", "2"], 2, "'2' is no match; the id of a match is an m and its number, such as m17"),
        (["export"], 2, "the following arguments are required: MATCH; see lobby export --help"),
        (["export", "m1", "--port", "1"], 2, "unrecognized arguments: --port; see lobby export --help"),
        (["verify", "m1", "m02"], 2, "'m02' is no match; the id of a match is an m and its number, such as m17"),
        (["verify", "m1", "m3"], 1, "there is no match m3, or it is kept no longer"),
    ],
)
async def test_what_makes_no_sense_is_refused_in_one_line(db: Path, run: Run, words: list[str], status: int, said: str):
    async with Conversation(db=db) as talk:
        await two_matches(talk)
    assert run(*words) == (status, "", f"lobby: {said}\n")


@pytest.mark.parametrize("words", [["export", "m1"], ["verify"]])
def test_where_there_is_no_database_nothing_is_made(db: Path, run: Run, words: list[str]):
    assert run(*words) == (1, "", f"lobby: there is no database {db}\n")
    assert list(db.parent.iterdir()) == []


async def test_every_game_of_ours_verifies(db: Path, run: Run):
    async with Conversation(db=db) as talk:
        await talk.enter("ann", "bob", "cid", "dee")
        chance = Random(1)
        for game in talk.catalogue:
            for _ in range(5):
                await talk.match("ann", "bob", game=game)
        await talk.match("ann", "bob", game="rps", options={"commit_reveal": True})
        await talk.match("ann", "bob", "cid", "dee", game="purrinha", options={"players": 4})
        await talk.match("ann", "bob", "cid", game="purrinha", options={"players": 3})
        await talk.match("cid", "dee", game="battleship")
        await talk.ask("bob", "m23 game.resign")
        await talk.hang_up("dee")
        await play_out(talk, chance)
        assert run("verify") == (0, "24 as recorded, 0 different, 0 not checked\n", "")
        assert run("verify", "m3", "m24", "m3") == (0, "2 as recorded, 0 different, 0 not checked\n", "")


async def test_live_matches_are_left_alone_and_refused_by_name(db: Path, run: Run):
    async with Conversation(db=db) as talk:
        await two_matches(talk)
        await talk.match("ann", "bob", game="roshambo")
        assert run("verify") == (0, "2 as recorded, 0 different, 0 not checked\n", "")
        assert run("verify", "m3")[0] == 1


async def test_a_record_that_would_be_another_one_is_reported(db: Path, run: Run):
    async with Conversation(db=db) as talk:
        await two_matches(talk)
    store = SqliteStore(str(db))
    (counts,) = store.chunk_counts(2)
    store.seal(1, 0, Chunk(counts, store.chunk(2, 0)))
    store.close()
    assert run("verify") == (
        1,
        "m1 (roshambo) different: line 1 for ann\n1 as recorded, 1 different, 0 not checked\n",
        "",
    )
    assert run("verify", "m2")[0] == 0


async def test_a_record_that_is_cut_short_is_reported(db: Path, run: Run):
    async with Conversation(db=db) as talk:
        await talk.enter("ann", "bob")
        await talk.match("ann", "bob", game="roshambo", options={"rounds": 50})
        await play_out(talk, Random(2))
    with closing(sqlite3.connect(db)) as file, file:
        file.execute("DELETE FROM chunk WHERE number > 0")
    kept = len(run("export", "m1", "--as", "ann")[1].splitlines())
    assert run("verify")[:2] == (
        1,
        f"m1 (roshambo) different: line {kept + 1} for ann\n0 as recorded, 1 different, 0 not checked\n",
    )


class Newer(Roshambo):
    info = msgspec.structs.replace(Roshambo.info, version=99)


class Stricter(Roshambo):
    def apply(self, state: Any, seat: int, action: Any, now: float) -> Step:
        raise RuntimeError("no moves any more")


@pytest.mark.parametrize(
    ("engines", "status", "why"),
    [
        ([], 0, "not checked: the game roshambo is not installed"),
        ([Newer()], 0, f"not checked: it was played by version {Roshambo.info.version} of the rules, installed is 99"),
        ([Stricter()], 1, "different: the rules do not take it: RuntimeError: no moves any more"),
    ],
)
async def test_a_match_whose_rules_are_others_is_said_to_be(
    db: Path, run: Run, monkeypatch: pytest.MonkeyPatch, engines: list[Any], status: int, why: str
):
    async with Conversation(db=db) as talk:
        await two_matches(talk)
    installed(monkeypatch, *engines)
    assert run("verify", "m1")[:2] == (
        status,
        f"m1 (roshambo) {why}\n0 as recorded, {status} different, {1 - status} not checked\n",
    )


class Unstartable(Roshambo):
    def start(self, options: Any, seats: int, seed: int) -> Step:
        raise RuntimeError("it can't be started")


@pytest.mark.parametrize("engine", [Stricter(), Unstartable()])
async def test_a_match_that_was_given_up_verifies_as_such(
    db: Path, run: Run, monkeypatch: pytest.MonkeyPatch, engine: Any
):
    async with Conversation(db=db, engines=[engine]) as talk:
        await talk.enter("ann", "bob")
        match = await talk.match("ann", "bob", game="roshambo")
        for _ in range(3):
            await talk.say("ann", f'REQ 1 {match} game.action {{"type": "move", "move": "ROCK"}}')
    assert '"VOID"' in run("export", "m1")[1]
    installed(monkeypatch, engine)
    assert run("verify")[:2] == (0, "1 as recorded, 0 different, 0 not checked\n")


async def test_what_is_removed_while_it_is_verified_is_passed_over(db: Path, run: Run, monkeypatch: pytest.MonkeyPatch):
    async with Conversation(db=db) as talk:
        await two_matches(talk)
        installed(monkeypatch, *OURS)
        listed = type(talk.store).matches

        def matches(store: Any, **given: Any) -> Any:
            page = listed(store, **given)
            if not given["after"]:
                talk.store.retain(ended_before=talk.store.match(1).ended + 1)  # type: ignore[union-attr, operator]
                talk.store.commit()
            return page

        monkeypatch.setattr("lobby.store.reader.SqliteReader.matches", matches)
        assert run("verify")[:2] == (0, "0 as recorded, 0 different, 0 not checked\n")
