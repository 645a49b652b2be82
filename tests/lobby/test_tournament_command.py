"""`lobby tournament`: run as an organiser runs it, against a server that is really there."""

import asyncio
import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from conversation import Conversation
from cup_play import ask, win

from lobby.cli import main


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep logins in a folder of the test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "lobby" / "logins.json"


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Let the server, in the same process here, log nothing."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.configure(**before)


class Terminal:
    """Runs commands against the server of a conversation."""

    def __init__(self, talk: Conversation, capsys: pytest.CaptureFixture[str]) -> None:
        self.talk = talk
        self._capsys = capsys

    async def run(self, line: str, *more: str) -> str:
        """Run a command line behind `lobby tournament`, and return what it printed."""
        status, out, err = await self.end(line, *more)
        assert (status, err) == (0, "")
        return out

    async def end(self, line: str, *more: str) -> tuple[int, str, str]:
        """Run a command line to its end: its exit status, and both outputs."""
        host, port = self.talk.address
        arguments = ["tournament", *line.split(), *more, "--host", host, "--port", str(port)]
        status = await asyncio.to_thread(main, arguments)
        return status, *self._capsys.readouterr()


@pytest.fixture
async def terminal(talk: Conversation, capsys: pytest.CaptureFixture[str]) -> Terminal:
    capsys.readouterr()
    return Terminal(talk, capsys)


async def test_a_cup_is_run_from_its_creation_to_its_standings(terminal: Terminal):
    talk = terminal.talk
    await talk.enter("anna", "bo")
    assert await terminal.run("create roshambo --option rounds=1 --legs 2 --name", "Spring Cup") == "t1\n"
    for player in ("anna", "bo"):
        await ask(talk, player, "register", "t1")
    assert await terminal.run("list") == (
        "id  status  game      players  name        registered\n"
        "t1  open    roshambo        2  Spring Cup  anna, bo\n"
    )  # fmt: skip
    assert await terminal.run("start t1") == "t1 has started\n"
    await win(talk, "m1", "anna", "bo")
    assert await terminal.run("standings t1") == (
        "Spring Cup is running\n"
        "place  player  points  won  drawn  lost\n"
        "    1  anna         1    1      0     0\n"
        "    2  bo           0    0      0     1\n"
    )
    watching = asyncio.create_task(terminal.run("watch t1 --every 0"))
    await win(talk, "m2", "bo", "anna")
    assert await watching == (
        "1/2  m1  anna WIN - bo LOSS\n"
        "2/2  m2  bo WIN - anna LOSS\n"
        "Spring Cup is finished\n"
        "place  player  points  won  drawn  lost\n"
        "    1  anna         1    1      0     1\n"
        "    1  bo           1    1      0     1\n"
    )


async def test_what_is_printed_for_programs_is_json(terminal: Terminal):
    talk = terminal.talk
    await talk.enter("anna", "bo")
    await terminal.run("create roshambo --option rounds=1")
    for player in ("anna", "bo"):
        await ask(talk, player, "register", "t1")
    await terminal.run("start t1")
    await win(talk, "m1", "anna", "bo")
    (listed,) = json.loads(await terminal.run("list --json"))
    assert listed["players"] == ["anna", "bo"]
    standings = json.loads(await terminal.run("standings t1 --json"))
    assert standings[0] == {"place": 1, "player": "anna", "points": 1, "won": 1, "drawn": 0, "lost": 0}
    game, end = map(json.loads, (await terminal.run("watch t1 --json")).splitlines())
    assert (game["match"], game["results"]) == ("m1", {"anna": "WIN", "bo": "LOSS"})
    assert end == {"status": "finished", "standings": standings}


async def test_the_organiser_is_kept_where_only_its_owner_reads_it_and_can_cancel_later(
    terminal: Terminal, state: Path
):
    await terminal.run("create roshambo")
    assert kept(state) == {state.name: 0o600}
    await terminal.talk.advance(3600)
    assert await terminal.run("create rps --as", "teacher") == "t2\n"
    assert await terminal.run("cancel t1") == "t1 is cancelled\n"
    assert await terminal.run("cancel t2 --as", "teacher") == "t2 is cancelled\n"


def kept(state: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in state.parent.iterdir()}


async def test_an_organiser_whose_session_has_ended_logs_in_anew(terminal: Terminal):
    await terminal.run("create roshambo")
    await terminal.run("cancel t1")
    await terminal.talk.advance(61)
    assert await terminal.run("create roshambo") == "t2\n"


async def test_looking_leaves_nobody_behind(terminal: Terminal):
    await terminal.talk.enter("anna")
    await terminal.run("list")
    players = (await terminal.talk.ask("anna", "lobby.players"))["players"]
    assert [player["player"] for player in players] == ["anna"]


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("dance", 2, "invalid choice: 'dance'"),
        ("create", 2, "required: GAME"),
        ("create roshambo --legs 3", 2, "--legs: invalid choice"),
        ("create roshambo --option rounds", 2, "--option takes KEY=VALUE, not 'rounds'"),
        ("create chess", 1, "there is no game chess. This server has: "),
        ("create roshambo --option rounds=0", 1, "`rounds` must be a whole number from 1 to 9999"),
        ("create roshambo --as tie", 1, "is a word of the games' own"),
        ("create roshambo --as anna", 1, "anna is taken"),
        ("start t1", 1, "no login of organiser at "),
        ("start t1", 1, "with which the tournament was created"),
        (
            "standings t9",
            1,
            "there is no tournament t9; an id is a t and a number, and `lobby tournament list` shows all",
        ),
        ("watch t9", 1, "there is no tournament t9"),
    ],
)
async def test_what_fails_is_one_line(terminal: Terminal, line: str, status: int, said: str):
    await terminal.talk.enter("anna")
    ended, out, err = await terminal.end(line)
    assert (ended, out) == (status, "")
    assert err.startswith("lobby: ")
    assert said in err
    assert err.count("\n") == 1


async def test_a_tournament_that_is_not_there_is_told_as_the_command_has_it(terminal: Terminal):
    await terminal.run("create roshambo")
    for line in ("start t9", "cancel Spring"):
        status, out, err = await terminal.end(line)
        assert (status, out) == (1, "")
        assert "`lobby tournament list` shows all there are\n" in err


async def test_of_many_players_the_list_names_some(terminal: Terminal):
    players = [f"p{number}" for number in range(10)]
    await terminal.talk.enter(*players)
    await terminal.run("create roshambo")
    for player in players:
        await ask(terminal.talk, player, "register", "t1")
    assert (await terminal.run("list")).endswith("  10  roshambo  p0, p1, p2, p3, p4, p5, p6, p7, and 2 more\n")


async def test_what_the_server_refuses_is_one_line(terminal: Terminal):
    await terminal.run("create roshambo")
    ended, out, err = await terminal.end("start t1")
    assert (ended, out, err) == (1, "", "lobby: t1 needs at least 2 players, and has 0\n")


def test_a_server_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]):
    assert main(["tournament", "list", "--port", "1"]) == 1
    assert capsys.readouterr().err == (
        "lobby: can't reach a server at 127.0.0.1:1: Connection refused; is it running there?\n"
    )


CERTIFICATE = str(Path(__file__).parent / "certificates" / "first.pem")


async def test_over_tls_the_command_says_which_flag_is_missing_or_too_much(capsys: pytest.CaptureFixture[str]):
    async with Conversation(tls_cert=CERTIFICATE, tls_key=CERTIFICATE) as talk:
        terminal = Terminal(talk, capsys)
        assert (await terminal.end("list"))[2].endswith(" closed the connection; if it speaks TLS, say --tls\n")
        assert "one that you trust with --tls-ca\n" in (await terminal.end("list --tls"))[2]
        assert await terminal.run("list --tls-ca", CERTIFICATE) == "id  status  game  players  name  registered\n"
    async with Conversation() as talk:
        said = (await Terminal(talk, capsys).end("list --tls"))[2]
        assert said.endswith("it speaks no TLS; leave --tls and --tls-ca out\n")


@pytest.fixture
def spoilt(state: Path) -> Path:
    state.parent.mkdir()
    state.write_text("[]")
    return state


async def test_logins_that_cannot_be_read_are_one_line(spoilt: Path, terminal: Terminal):
    ended, out, err = await terminal.end("create roshambo")
    assert (ended, out, err.count("\n")) == (1, "", 1)
    assert f"can't read the logins in {spoilt}" in err
