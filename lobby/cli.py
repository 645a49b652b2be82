"""The program `lobby`: finds the command that is meant, and turns how it ends into an exit status and one line."""

from __future__ import annotations

import os
import sys
from argparse import Action, ArgumentParser
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Final, NoReturn

from lobby import __version__
from lobby.commands import CommandFailed, WrongUsage, backup, export, serve, settings, tournament, verify
from lobby.settings import SettingsError

COMMANDS: Final = (serve, settings, backup, export, verify, tournament)
"""The modules of the commands; each has `add_to`."""

OK: Final = 0
FAILED: Final = 1
WRONG: Final = 2
INTERRUPTED: Final = 130


class _Parser(ArgumentParser):
    """An argument parser that says what is wrong in one line, and takes no flag for another."""

    def __init__(self, **options: Any) -> None:
        self.flags: list[str] = []
        super().__init__(allow_abbrev=False, **options)
        self.set_defaults(parser=self)  # that of the innermost command counts

    def add_argument(self, *names: Any, **options: Any) -> Action:
        action = super().add_argument(*names, **options)
        self.flags += action.option_strings
        return action

    def error(self, message: str) -> NoReturn:
        raise WrongUsage(f"{message}; see {self.prog} --help")

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Say which arguments nobody knows, without the values of unknown flags, and which flag may have been meant."""
        flags = [argument.partition("=")[0] for argument in unknown if argument.startswith("-")]
        closest = [near for flag in flags for near in get_close_matches(flag, self.flags, n=1, cutoff=0.75)]
        hint = f"did you mean {closest[0]}? see" if closest else "see"
        raise WrongUsage(f"unrecognized arguments: {' '.join(flags or unknown)}; {hint} {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return the exit status: 0, 1 where the command failed, 2 for wrong usage or settings."""
    try:
        arguments, unknown = _parser().parse_known_args(argv)
        if unknown:
            arguments.parser.refuse(unknown)
        status: int = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except (WrongUsage, SettingsError) as error:
        return _complain(error, WRONG)
    except CommandFailed as error:
        return _complain(error, FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


def _parser() -> ArgumentParser:
    parser = _Parser(prog="lobby", description="A multi-game server over plain sockets.")
    parser.add_argument("--version", action="version", version=f"lobby {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
    return parser


def _complain(error: Exception, status: int) -> int:
    print(f"lobby: {error}", file=sys.stderr)
    return status
