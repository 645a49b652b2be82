"""The command line: what each exit status means, and that a failure is one line and never a traceback."""

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lobby import __version__, log
from lobby.cli import main
from lobby.settings import KEYS, Settings
from lobby.store import StoreFailed

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("LOBBY_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Settings | BaseException | int]:
    """Stand in for the server: collects the settings it was given, and ends as the first item says."""
    calls: list[Settings | BaseException | int] = [0]

    def serve(settings: Settings) -> int:
        calls.append(settings)
        if isinstance(calls[0], BaseException):
            raise calls[0]
        assert isinstance(calls[0], int)
        return calls[0]

    server = ModuleType("lobby.server")
    server.serve = serve  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lobby.server", server)
    monkeypatch.setattr("lobby.server", server, raising=False)
    monkeypatch.setattr(log, "configure", lambda *_: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return calls


def failure(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("lobby: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "required: COMMAND; see lobby --help"),
        ("dance", "'dance' (choose from"),
        ("serve --colour red", "unrecognized arguments: --colour; see lobby serve --help"),
        ("serve --prot 9000", "unrecognized arguments: --prot; did you mean --port? see lobby serve --help"),
        ("tournament list --pot=3", "--pot; did you mean --port? see lobby tournament list --help"),
        ("serve --port", "--port: expected one argument; see lobby serve --help"),
        ("serve --por 1", "unrecognized arguments: --por; did you mean --port?"),
        ("serve extra", "unrecognized arguments: extra"),
        ("serve --port 65536", "port must be a whole number, 0 to 65,535, not '65536' (--port)"),
        ("serve --log-format xml", "log_format must be console or json, not 'xml' (--log-format)"),
        ("serve --log-level loud", "log_level must be debug, info, warning or error"),
        ("serve --host=", "host must be text, not '' (--host)"),
        ("serve --set port", "--set takes KEY=VALUE, not 'port'"),
        ("serve --set =1", "there is no setting '' (--set)"),
        ("serve --set name_hodl=1", "did you mean name_hold?"),
        ("serve --set name_hold=-1", "name_hold must be a number of seconds, 0 to 1,000,000,000, not '-1' (--set)"),
        ("serve --set tls_cert=a.pem", "tls_cert and tls_key go together"),
        ("serve --config absent.toml", "can't read absent.toml: No such file or directory"),
        ("settings --set port=x", "port must be"),
    ],
)
def test_wrong_usage_and_bad_settings_exit_with_2(
    capsys: pytest.CaptureFixture[str], served: list[object], line: str, said: str
):
    assert main(line.split()) == 2
    assert said in failure(capsys)
    assert served == [0]


def test_serve_hands_the_settings_over_and_returns_the_exit_status_of_the_server(served: list[object]):
    line = "serve --host ::1 --port 0 --db :memory: --log-format json --log-level debug --set name_hold=0.5"
    assert main([*line.split(), "--set", "retry_after = 2"]) == 0
    assert served[1] == Settings(
        host="::1", port=0, db=":memory:", log_format="json", log_level="debug", name_hold=0.5, retry_after=2
    )


def test_a_flag_beats_the_environment_which_beats_the_file(
    monkeypatch: pytest.MonkeyPatch, served: list[object], tmp_path: Path
):
    config = tmp_path / "lobby.toml"
    config.write_text("port = 1\nmax_watched = 1\nretry_after = 1\n")
    monkeypatch.setenv("LOBBY_PORT", "2")
    monkeypatch.setenv("LOBBY_MAX_WATCHED", "2")
    monkeypatch.setenv("LOBBY_NO_SUCH_KEY", "2")
    assert main(["serve", "--config", str(config), "--port", "3"]) == 0
    settings = served[1]
    assert isinstance(settings, Settings)
    assert (settings.port, settings.max_watched, settings.retry_after) == (3, 2, 1)


def test_of_a_repeated_key_the_last_counts_and_a_flag_of_its_own_beats_set(served: list[object]):
    assert main(["serve", "--set", "max_watched=1", "--set", "max_watched=2", "--port", "3", "--set", "port=4"]) == 0
    settings = served[1]
    assert isinstance(settings, Settings)
    assert (settings.max_watched, settings.port) == (2, 3)


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (StoreFailed("lobby.db was written by a newer version"), "lobby: lobby.db was written by a newer version\n"),
        (OSError(98, "Address already in use"), "lobby: can't serve: Address already in use\n"),
    ],
)
def test_what_prevents_serving_exits_with_1(
    capsys: pytest.CaptureFixture[str], served: list[object], raised: Exception, said: str
):
    served[0] = raised
    assert main(["serve"]) == 1
    assert failure(capsys) == said


def test_the_exit_status_of_a_server_that_failed_is_passed_on(served: list[object]):
    served[0] = 1
    assert main(["serve"]) == 1


def test_an_interrupt_before_the_server_is_up_exits_with_0(served: list[object]):
    served[0] = KeyboardInterrupt()
    assert main(["serve"]) == 0


def test_settings_prints_every_key_with_value_unit_meaning_and_origin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LOBBY_UNREAD_LIMIT", "70000")
    assert main(["settings", "--port", "9000"]) == 0
    lines = {line.split(" ", 1)[0]: line for line in capsys.readouterr().out.splitlines()}
    assert list(lines) == list(KEYS)
    assert all(key.unit in lines[key.name] and key.meaning in lines[key.name] for key in KEYS.values())
    assert lines["port"].split("#")[0].split() == ["port", "=", "9000"]
    assert lines["port"].endswith("(0 to 65,535; --port)")
    assert lines["unread_limit"].split("#")[0].split() == ["unread_limit", "=", "70000"]
    assert lines["unread_limit"].endswith("LOBBY_UNREAD_LIMIT)")
    assert lines["max_watched"].endswith("default)")


def test_what_settings_prints_is_a_file_that_gives_the_same_settings(
    capsys: pytest.CaptureFixture[str], served: list[object], tmp_path: Path
):
    flags = ["--set", "name_hold=0.25", "--db", 'a "quoted" \\ path', "--host", "::"]
    assert main(["settings", *flags]) == 0
    config = tmp_path / "lobby.toml"
    config.write_text(capsys.readouterr().out, encoding="utf-8")
    assert tomllib.loads(config.read_text(encoding="utf-8")).keys() == KEYS.keys()
    assert main(["serve", *flags]) == main(["serve", "--config", str(config)]) == 0
    assert served[1] == served[2]


def test_version_and_help_exit_with_0(capsys: pytest.CaptureFixture[str]):
    for flag, said in (("--version", f"lobby {__version__}"), ("--help", "serve")):
        with pytest.raises(SystemExit) as ended:
            main([flag])
        assert ended.value.code == 0
        assert said in capsys.readouterr().out


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-m", "lobby", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, text=True, timeout=30, check=False, **options)


def test_the_package_runs_as_a_program_and_exits_with_the_status():
    ended = run("serve", "--port", "x", capture_output=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "lobby: port must be a whole number, 0 to 65,535, not 'x' (--port)\n"


def test_a_reader_of_the_output_that_has_gone_is_no_failure():
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = run("settings", stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, "")
