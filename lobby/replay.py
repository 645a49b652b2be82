"""Matches that are over, out of a database file: their records as they were kept, and as the rules tell them anew.

It only reads, also while a server has the file, and uses the very steps by which the server plays and restores a match.
"""

from __future__ import annotations

from typing import Final

from msgspec import json

from games.contract import SPECTATORS, Audience, Engine, only
from lobby import journal
from lobby.catalogue import Catalogue, settle
from lobby.match import Match
from lobby.record import Record
from lobby.store import Chunk, MatchRow
from lobby.store.memory import MemoryStore
from lobby.store.reader import SqliteReader
from protocol.errors import ProtocolError

SPECTATOR: Final = "a spectator"


class NotInstalled(Exception):
    """The rules under which a match was played are not there; the message says what is missing."""


class Unplayable(Exception):
    """A match that its rules no longer take; the message says why."""


def kept(reader: SqliteReader, row: MatchRow) -> Record:
    """Return the record of an ended match, read once and independent of the file from then on."""
    shelf = MemoryStore()
    for number, counts in enumerate(reader.chunk_counts(row.match)):
        shelf.seal(row.match, number, Chunk(counts, reader.chunk(row.match, number)))
    return Record.kept(shelf, row.match, len(row.players))


def replay(row: MatchRow, engine: Engine) -> Record:
    """Play an ended match again from its options, seed and inputs alone, and return the record that comes of it.

    Raise `Unplayable` where the rules do not take what they once took.
    """
    try:
        match = Match(
            row, engine=engine, options=settle(engine, json.decode(row.options)), sessions=(), store=MemoryStore()
        )
        _play(match, list(journal.split(row.inputs)))
    except ProtocolError as error:
        raise Unplayable(f"its options are no longer good: {error.message}") from error
    except Exception as error:
        raise Unplayable(f"the rules do not take it: {type(error).__name__}: {error}") from error
    return match.record


def _play(match: Match, entries: list[journal.Input]) -> None:
    match.announce()
    try:
        match.take(match.opening())
    except Exception:
        if not isinstance(entries[0], journal.Annul):  # else it could not be started then either
            raise
    for entry in entries:
        match.take(match.following(entry))


def engine_of(row: MatchRow, catalogue: Catalogue) -> Engine:
    """Return the rules under which a match was played. Raise `NotInstalled` where they are not there."""
    engine = catalogue.get(row.game)
    if engine is None:
        raise NotInstalled(f"the game {row.game} is not installed")
    if engine.info.version != row.version:
        raise NotInstalled(f"it was played by version {row.version} of the rules, installed is {engine.info.version}")
    return engine


def difference(row: MatchRow, told: Record, again: Record) -> str | None:
    """Return in words where two records of a match part first, for whom; `None` where they are the same for everyone."""
    viewers = [*((only(seat), name) for seat, name in enumerate(row.players)), (SPECTATORS, SPECTATOR)]
    for viewer, name in viewers:
        before, after = lines(told, viewer), lines(again, viewer)
        if before != after:
            same = next((i for i, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
            return f"line {1 + (min(len(before), len(after)) if same is None else same)} for {name}"
    return None


def lines(record: Record, viewer: Audience) -> list[bytes]:
    """Return all lines of a record for a viewer, without their LF."""
    return b"".join(record.read(viewer, 0, record.count(viewer))).split(b"\n")[:-1]
