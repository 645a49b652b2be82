"""`lobby verify`: plays finished matches again under the installed rules, and reports those whose record would differ."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from lobby.commands import Commands
from lobby.commands.database import add_database_flags, database, ended, number_of
from lobby.commands.flags import settings_from

if TYPE_CHECKING:
    from lobby.catalogue import Catalogue
    from lobby.record import Record
    from lobby.store import MatchRow
    from lobby.store.reader import SqliteReader

PAGE: Final = 200
"""Matches that are listed at a time."""


class Verdict(StrEnum):
    """What came of replaying a match, in words for its line and for the last one."""

    SAME = "as recorded"
    DIFFERS = "different"
    SKIPPED = "not checked"


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("verify", help="replay finished matches, and report any whose record would differ")
    parser.add_argument("matches", metavar="MATCH", nargs="*", help="their ids, such as m17; none: all that are kept")
    add_database_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Replay the matches; the exit status is 1 where one differs."""
    from lobby import log
    from lobby.catalogue import Catalogue

    named = dict.fromkeys(map(number_of, arguments.matches))
    settings = settings_from(arguments).settings
    log.configure(settings.log_format, settings.log_level)
    catalogue = Catalogue.installed()
    found: Counter[Verdict] = Counter()
    with database(arguments) as reader:
        for row, record in _each(reader, named) if named else _all(reader):
            verdict, why = _judge(row, record, catalogue)
            found[verdict] += 1
            if verdict is not Verdict.SAME:
                print(f"m{row.match} ({row.game}) {verdict}: {why}")
    print(", ".join(f"{found[verdict]} {verdict}" for verdict in Verdict))
    return 1 if found[Verdict.DIFFERS] else 0


def _each(reader: SqliteReader, numbers: Iterable[int]) -> Iterator[tuple[MatchRow, Record]]:
    """Yield matches that are over, each with its record. Raise `CommandFailed` for one that is not there or not over."""
    from lobby.replay import kept

    for number in numbers:
        with reader.snapshot():
            row = ended(reader, number)
            record = kept(reader, row)
        yield row, record


def _all(reader: SqliteReader) -> Iterator[tuple[MatchRow, Record]]:
    """Yield every match that is over; those that a server removes meanwhile are passed over."""
    from lobby.replay import kept

    after = 0
    while page := reader.matches(after=after, limit=PAGE, live=False):
        for listed in page:
            with reader.snapshot():
                row = reader.match(listed.match)
                found = None if row is None else (row, kept(reader, row))
            if found is not None:
                yield found
        after = page[-1].match


def _judge(row: MatchRow, record: Record, catalogue: Catalogue) -> tuple[Verdict, str | None]:
    from lobby.replay import NotInstalled, Unplayable, difference, engine_of, replay

    try:
        found = difference(row, record, replay(row, engine_of(row, catalogue)))
    except NotInstalled as missing:
        return Verdict.SKIPPED, str(missing)
    except Unplayable as error:
        return Verdict.DIFFERS, str(error)
    return (Verdict.SAME, None) if found is None else (Verdict.DIFFERS, found)
