"""The commands of `lobby`, a module each, and how they fail. A command prints; the rest of the server does not.

A command's module has `add_to(commands)`, which adds its parser with `commands.add_parser(name, help=...)`, gives it
flags, and ends with `parser.set_defaults(run=run)`; `run(arguments)` does the work and returns the exit status. What
only the work needs, the server above all, is imported where it is done, so that every other command starts at once.
The table in `lobby/cli.py` lists the modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from argparse import ArgumentParser, _SubParsersAction

Commands: TypeAlias = "_SubParsersAction[ArgumentParser]"
"""What `add_to` is handed."""


class CommandFailed(Exception):
    """A command could not do its work; the message is one line for the person at the terminal. Exit status 1."""


class WrongUsage(Exception):
    """A command line that makes no sense; the message says what would. Exit status 2."""
