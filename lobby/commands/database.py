"""The database of a server, for commands that look into it: opened for reading only, also while the server runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager

from lobby import ids
from lobby.commands import CommandFailed, WrongUsage
from lobby.commands.flags import add_flags, settings_from
from lobby.store import MatchRow, StoreFailed
from lobby.store.reader import SqliteReader


def add_database_flags(parser: ArgumentParser) -> None:
    """Add the flags by which a command finds the database, as `lobby serve` does."""
    add_flags(parser, "db")


@contextmanager
def database(arguments: Namespace) -> Iterator[SqliteReader]:
    """Open the database. Raise `CommandFailed` where it can't be read."""
    try:
        with closing(SqliteReader.open(settings_from(arguments).settings.db)) as reader:
            yield reader
    except StoreFailed as error:
        raise CommandFailed(str(error)) from None


def number_of(match: str) -> int:
    """Return the number in the id of a match. Raise `WrongUsage` for what is no such id."""
    number = ids.number("m", match)
    if number is None:
        raise WrongUsage(f"{match!r} is no match; the id of a match is an m and its number, such as m17")
    return number


def ended(reader: SqliteReader, number: int) -> MatchRow:
    """Return a match that is over. Raise `CommandFailed` for one that is not known or not over."""
    row = reader.match(number)
    if row is None:
        raise CommandFailed(f"there is no match m{number}, or it is kept no longer")
    if row.ended is None:
        raise CommandFailed(f"m{number} is still being played, and its record holds secrets; wait until it is over")
    return row
