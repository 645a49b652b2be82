"""`lobby settings`: prints every setting, as a TOML file that `--config` takes."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import msgspec

from lobby.commands import Commands
from lobby.commands.flags import add_flags, settings_from
from lobby.settings import KEYS, Key


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("settings", help="print every setting with its value, unit, meaning and origin")
    add_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Print the settings that `lobby serve` would have with the same flags."""
    resolved = settings_from(arguments)
    for key in KEYS.values():
        print(_line(key, getattr(resolved.settings, key.name), resolved.origins[key.name]))
    return 0


def _line(key: Key, value: Any, origin: str) -> str:
    unit = f"{key.unit}: " if key.unit else ""
    return f"{key.name:<27} = {_toml(value):<11}  # {unit}{key.meaning} ({key.range}; {origin})"


def _toml(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return msgspec.json.encode("" if value is None else value).decode()
