"""A game from outside: the example is built, installed beside the server, found, played, and gone back to after a kill."""

from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from installed import install
from plugin_env import ROOT, Environment, Process

EXAMPLE = ROOT / "docs" / "examples" / "tictactoe"

BROKEN = {
    "does_not_import": "import nowhere_at_all\n",
    "has_bad_info": """
from tictactoe import GameInfo, TicTacToe
class Game(TicTacToe):
    info = GameInfo("has_bad_info", "For one.", version=1, min_players=1)
""",
    "has_bad_options": """
from tictactoe import GameInfo, TicTacToe
class Game(TicTacToe):
    info = GameInfo("has_bad_options", "No options.", version=1)
    options = dict
""",
    "has_another_name": """
from tictactoe import GameInfo, TicTacToe
class Game(TicTacToe):
    info = GameInfo("tictactoe", "Another tictactoe.", version=1)
""",
}
CRASHING = """
from tictactoe import GameInfo, TicTacToe
class Game(TicTacToe):
    info = GameInfo("crashes", "Every move crashes.", version=1)
    def apply(self, state, seat, action, now):
        return 1 / 0
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the example, four packages that do not load, and one that crashes in play."""
    folder = tmp_path_factory.mktemp("plugin")
    environment = Environment(folder / "env")
    environment.install(EXAMPLE, folder / "build")
    modules = BROKEN | {"crashes": CRASHING}
    install(environment.packages, "wreckage", games={name: f"{name}:Game" for name in modules}, modules=modules)
    return environment


@pytest.fixture
def server(environment: Environment, tmp_path: Path) -> Iterator[Process]:
    with Process(environment, tmp_path / "lobby.db") as server:
        yield server


def test_the_example_passes_its_own_tests_and_the_kit(environment: Environment, tmp_path: Path):
    tests = [
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        str(EXAMPLE / "pyproject.toml"),
        str(EXAMPLE / "tests"),
    ]
    assert " passed" in environment.run(*tests, cwd=tmp_path)
    told = environment.run("-m", "games.check", "tictactoe", "--matches", "300", cwd=tmp_path)
    assert told.startswith("tictactoe: 300 matches, ")
    assert told.endswith(" all properties hold\n")


def test_games_that_do_not_load_are_logged_and_the_others_are_served(server: Process):
    client = server.client()
    client.login("ann")
    games = {game["game"]: game for game in client.ask("lobby.games")["games"]}
    ours = {entry.name for entry in entry_points(group="lobby.games")}
    assert set(games) == ours | {"tictactoe", "crashes"}
    assert games["tictactoe"]["summary"] == "Three in a row on a board of 3 by 3."
    assert set(games["tictactoe"]["options"]["$defs"]["TicTacToeOptions"]["properties"]) == {"first", "turn_seconds"}
    log = server.log.read_text(encoding="utf-8")
    assert {name for name in BROKEN if f"{name} = {name}:Game" in log} == set(BROKEN)
    client.close()


def test_a_match_is_played_and_gone_back_to_after_a_kill_with_the_same_lines(environment: Environment, tmp_path: Path):
    db = tmp_path / "lobby.db"
    with Process(environment, db) as server:
        ann, bob = server.client(), server.client()
        tokens = ann.login("ann"), bob.login("bob")
        for player in (ann, bob):
            player.ask('lobby.subscribe {"game": "tictactoe", "options": {"first": "drawn", "turn_seconds": 60}}')
        begun = [player.wait_for('"type": "start"') for player in (ann, bob)]
        first, second = (ann, bob) if b'{"ann": "X"' in begun[0] else (bob, ann)
        for player, square in ((first, 4), (second, 0), (first, 2)):
            player.wait_for("your_turn")
            player.ask(f'm1 game.action {{"type": "mark", "square": {square}}}')
        first.wait_for('"square": 2')
        second.wait_for("your_turn")
        server.kill()
    told = [ann.match, bob.match]
    with Process(environment, db) as server:
        back = server.client(), server.client()
        for player, token, lines in zip(back, tokens, told, strict=True):
            answer = player.ask(f'session.reconnect {{"session_token": "{token}"}}')
            assert answer["matches"] == {"m1": {"game": "tictactoe", "events": len(lines), "live": True}}
            player.ask("session.ping")
            assert player.match == lines
        first, second = back if first is ann else back[::-1]
        second.ask('m1 game.action {"type": "mark", "square": 8}')
        first.wait_for('"square": 8')
        first.ask('m1 game.action {"type": "mark", "square": 6}')
        assert first.wait_for("result") == b'EVT m1 game.result {"result": "WIN", "reason": "normal"}\n'
        assert second.wait_for("result") == b'EVT m1 game.result {"result": "LOSS", "reason": "normal"}\n'
        for client in (ann, bob, *back):
            client.close()


def test_a_game_that_crashes_in_play_ends_its_own_match_and_no_other(server: Process):
    ann, bob = server.client(), server.client()
    for player, name in ((ann, "ann"), (bob, "bob")):
        player.login(name)
        player.ask('lobby.subscribe {"game": "tictactoe"}')
        player.ask('lobby.subscribe {"game": "crashes"}')
    ann.wait_for("m2 game.your_turn")
    for _ in range(3):
        with pytest.raises(AssertionError, match="INTERNAL_ERROR"):
            ann.ask('m2 game.action {"type": "mark", "square": 4}')
    for player in (ann, bob):
        assert player.wait_for("m2 game.result") == b'EVT m2 game.result {"result": "VOID", "reason": "server_error"}\n'
    ann.ask('m1 game.action {"type": "mark", "square": 4}')
    bob.wait_for("m1 game.your_turn")
    ann.close()
    bob.close()
