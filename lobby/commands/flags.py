"""The flags that set settings, for every command that needs them. What is a good value, `lobby.settings` decides."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Final

from lobby.settings import KEYS, Given, Resolved, SettingsError, from_environment, from_file, resolve

FLAGS: Final = {name: f"--{name.replace('_', '-')}" for name in ("host", "port", "db", "log_format", "log_level")}
"""The settings that have a flag of their own."""


def add_flags(parser: ArgumentParser, *names: str) -> None:
    """Add `--config`, `--set` and the flags of single settings to a command: of those named, or of all that have one."""
    for name in names or FLAGS:
        parser.add_argument(FLAGS[name], metavar=name.upper(), help=KEYS[name].meaning)
    parser.add_argument("--config", metavar="FILE", type=Path, help="a TOML file of settings")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="any setting, by its key; may be repeated (`lobby settings` lists the keys)",
    )


def settings_from(arguments: Namespace) -> Resolved:
    """Return the settings: a flag beats the environment, which beats the file, which beats the default.

    Raise `SettingsError` for a bad one.
    """
    file = from_file(arguments.config) if arguments.config else {}
    return resolve(file, from_environment(os.environ), _given(arguments))


def _given(arguments: Namespace) -> dict[str, Given]:
    given = {}
    for assignment in arguments.set:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise SettingsError(f"--set takes KEY=VALUE, not {assignment!r}")
        given[name.strip()] = Given(value.strip(), "--set", text=True)
    for name, flag in FLAGS.items():
        value = getattr(arguments, name, None)
        if value is not None:
            given[name] = Given(value, flag, text=True)
    return given
