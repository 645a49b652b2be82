"""`lobby backup`: copies the database into a file of its own, also while the server runs."""

from __future__ import annotations

from argparse import Namespace

from lobby.commands import CommandFailed, Commands
from lobby.commands.database import add_database_flags, database


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("backup", help="copy the database, also while the server runs")
    parser.add_argument("file", metavar="FILE", help="where the copy is to be; it must not exist yet")
    add_database_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Make the copy: whole as of this moment, compact, and for nobody's eyes but its owner's."""
    with database(arguments) as reader:
        try:
            reader.copy(arguments.file)
        except FileExistsError:
            raise CommandFailed(f"{arguments.file} exists; name a file that does not") from None
        except OSError as error:
            raise CommandFailed(f"cannot write {arguments.file}: {error.strerror}") from None
    return 0
