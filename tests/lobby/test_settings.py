"""Every setting: what is refused, which layer wins, and that the documentation says the same as the code."""

from pathlib import Path

import pytest

from lobby.settings import (
    KEYS,
    Given,
    Key,
    Settings,
    SettingsError,
    default_db,
    from_environment,
    from_file,
    resolve,
)

OPERATING = Path(__file__).parents[2] / "docs" / "operating.md"


def text(**values: str) -> dict[str, Given]:
    return {name: Given(value, "--set", text=True) for name, value in values.items()}


def file(folder: Path, content: str) -> dict[str, Given]:
    path = folder / "lobby.toml"
    path.write_text(content, encoding="utf-8")
    return from_file(path)


def test_defaults_are_those_of_the_contract():
    settings = Settings()
    assert (settings.host, settings.port, settings.durability) == ("127.0.0.1", 7777, "process")
    assert (settings.name_hold, settings.session_ttl, settings.reconnect_grace) == (60, 30 * 86_400, 60)
    assert (settings.keep_matches, settings.recent_matches) == (30 * 86_400, 120)
    assert (settings.challenge_seconds, settings.decline_cooldown, settings.tournament_lapse) == (60, 60, 86_400)
    assert (settings.login_timeout, settings.half_open_timeout, settings.retry_after) == (600, 60, 5)
    assert (settings.max_connections, settings.max_connections_per_address) == (10_000, 0)
    assert (settings.request_rate, settings.unread_limit) == (2_000, 4 * 1024 * 1024)
    assert (settings.max_subscriptions, settings.max_live_matches, settings.max_watched) == (16, 32, 16)
    assert (settings.max_open_challenges, settings.rated_per_day) == (8, 10)
    assert (settings.max_open_tournaments, settings.max_tournament_players) == (4, 256)


def test_every_default_is_a_value_that_its_own_key_accepts():
    given = {key.name: Given(key.default, "test") for key in KEYS.values() if key.default is not None}
    assert resolve(given).settings == Settings()


@pytest.mark.parametrize("key", KEYS.values(), ids=lambda key: key.name)
def test_every_key_says_what_it_means_and_what_it_takes(key: Key):
    assert key.meaning
    assert key.range
    assert key.unit or key.name in {
        *("host", "port", "db", "durability", "log_format", "log_level", "tls_cert", "tls_key")
    }


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("port", "0", 0),
        ("port", "65535", 65535),
        ("name_hold", "0.5", 0.5),
        ("name_hold", "1000000000", 1e9),
        ("unread_limit", "65536", 65536),
        ("durability", "power", "power"),
        ("db", "7", "7"),
        ("db", ":memory:", ":memory:"),
        ("max_connections_per_address", "0", 0),
    ],
)
def test_text_is_read_as_the_type_of_its_key(name: str, written: str, value: object):
    assert getattr(resolve(text(**{name: written})).settings, name) == value


@pytest.mark.parametrize(
    ("name", "written"),
    [
        *[("port", bad) for bad in ("", "-1", "65536", "7.5", "http", "true", "0x50", "7777 8888")],
        *[("name_hold", bad) for bad in ("", "-0.1", "1000000001", "nan", "inf", "60s", "null")],
        *[("max_connections", bad) for bad in ("0", "1000001")],
        *[("unread_limit", bad) for bad in ("65535", "1073741825", "4 MiB")],
        *[("durability", bad) for bad in ("", "none", "POWER")],
        ("log_level", "loud"),
        ("log_format", "xml"),
        ("db", ""),
        ("host", ""),
    ],
)
def test_a_bad_value_is_refused_with_what_would_be_good(name: str, written: str):
    with pytest.raises(SettingsError) as refused:
        resolve(text(**{name: written}))
    assert str(refused.value) == f"{name} must be {KEYS[name].wanted}, not {written!r} (--set)"


@pytest.mark.parametrize(
    "line",
    ['port = "7777"', "port = 7777.5", "port = true", "name_hold = '60'", "host = 1", "db = ''"],
)
def test_the_file_takes_no_value_of_another_type(tmp_path: Path, line: str):
    with pytest.raises(SettingsError, match=r"must be .* \(.*lobby\.toml\)"):
        resolve(file(tmp_path, line))


def test_the_words_for_a_good_value_name_unit_and_range():
    assert KEYS["port"].wanted == "a whole number, 0 to 65,535"
    assert KEYS["name_hold"].wanted == "a number of seconds, 0 to 1,000,000,000"
    assert KEYS["unread_limit"].wanted == "a whole number of bytes, 65,536 to 1,073,741,824"
    assert KEYS["log_level"].wanted == "debug, info, warning or error"
    assert KEYS["db"].wanted == "text"


def test_an_unknown_key_is_refused_with_the_closest_one():
    with pytest.raises(SettingsError) as refused:
        resolve(text(name_hodl="1"))
    assert str(refused.value) == (
        "there is no setting 'name_hodl' (--set); did you mean name_hold? `lobby settings` lists all"
    )


def test_an_unknown_key_like_no_other_is_refused_with_all_that_exist():
    with pytest.raises(SettingsError, match=r"there is no setting 'zzz' \(--set\); there are host, ") as refused:
        resolve(text(zzz="1"))
    assert all(name in str(refused.value) for name in KEYS)
    assert "\n" not in str(refused.value)


def test_a_table_in_the_file_is_refused_with_the_form_that_would_be_right(tmp_path: Path):
    with pytest.raises(
        SettingsError, match=r"has a table \[server\]; settings stand in no table, one a line: port = 9000"
    ):
        file(tmp_path, "name_hold = 2\n[server]\nport = 1\n")


def test_a_later_layer_beats_an_earlier_one_and_the_origin_tells_which(tmp_path: Path):
    low = file(tmp_path, "port = 1\nname_hold = 2\nretry_after = 3.5\n")
    middle = from_environment({"LOBBY_PORT": "10", "LOBBY_NAME_HOLD": "20"})
    resolved = resolve(low, middle, text(port="100"))
    assert (resolved.settings.port, resolved.origins["port"]) == (100, "--set")
    assert (resolved.settings.name_hold, resolved.origins["name_hold"]) == (20, "LOBBY_NAME_HOLD")
    assert (resolved.settings.retry_after, resolved.origins["retry_after"]) == (3.5, str(tmp_path / "lobby.toml"))
    assert (resolved.settings.max_watched, resolved.origins["max_watched"]) == (16, "default")


def test_the_environment_may_hold_names_that_are_no_key():
    assert from_environment({"LOBBY_COLOUR": "red", "PORT": "1", "lobby_port": "2", "LOBBY_DB": "x"}).keys() == {"db"}


def test_a_bad_value_in_the_environment_is_refused():
    with pytest.raises(SettingsError, match=r"port must be .*, not 'abc' \(LOBBY_PORT\)"):
        resolve(from_environment({"LOBBY_PORT": "abc"}))


def test_a_file_that_is_missing_is_refused_in_one_line(tmp_path: Path):
    with pytest.raises(SettingsError, match=r"can't read .*absent\.toml: No such file or directory"):
        from_file(tmp_path / "absent.toml")


@pytest.mark.parametrize("content", [b"port 7777", b"port = 1\nport = 2", b"\xff\xfe"])
def test_a_file_that_is_no_toml_is_refused_in_one_line(tmp_path: Path, content: bytes):
    path = tmp_path / "lobby.toml"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=r"lobby\.toml is not TOML: ") as refused:
        from_file(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("half", ["tls_cert", "tls_key"])
def test_half_of_a_tls_pair_is_refused(half: str):
    with pytest.raises(SettingsError, match="go together"):
        resolve(text(**{half: "file.pem"}))


def test_both_halves_of_a_tls_pair_are_taken():
    settings = resolve(text(tls_cert="cert.pem", tls_key="key.pem")).settings
    assert (settings.tls_cert, settings.tls_key) == ("cert.pem", "key.pem")


def test_an_empty_text_unsets_what_may_be_unset(tmp_path: Path):
    low = file(tmp_path, 'tls_cert = "cert.pem"\ntls_key = "key.pem"\n')
    settings = resolve(low, text(tls_cert="", tls_key="")).settings
    assert (settings.tls_cert, settings.tls_key) == (None, None)


@pytest.mark.parametrize(
    ("state", "path"),
    [
        ("/var/state", "/var/state/lobby/lobby.db"),
        ("", "/home/ann/.local/state/lobby/lobby.db"),
        ("relative", "/home/ann/.local/state/lobby/lobby.db"),
    ],
)
def test_the_database_is_in_the_state_directory_of_the_user(monkeypatch: pytest.MonkeyPatch, state: str, path: str):
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("XDG_STATE_HOME", state)
    assert default_db() == Settings().db == path


def row(key: Key) -> str:
    default = "-" if key.default is None else f"`{key.default}`"
    if key.name == "db":
        default = "`lobby.db` in `$XDG_STATE_HOME/lobby`"
    return f"| `{key.name}` | {default} | {key.unit or '-'} | {key.range} | {key.meaning} |"


def test_the_documentation_lists_every_setting_as_it_is_declared():
    lines = OPERATING.read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("| `") and line.split("`")[1] in KEYS]
    assert table == [row(key) for key in KEYS.values()]
