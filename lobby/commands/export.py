"""`lobby export`: prints a finished match, as its spectators or one of its players saw it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lobby.commands import CommandFailed, Commands
from lobby.commands.database import add_database_flags, database, ended, number_of

if TYPE_CHECKING:
    from games.contract import Audience, Seat
    from lobby.journal import Input
    from lobby.store import MatchRow


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("export", help="print the record of a finished match, also while the server runs")
    parser.add_argument("match", metavar="MATCH", help="its id, such as m17")
    parser.add_argument("--as", dest="player", metavar="PLAYER", help="as this player saw it, not as a spectator did")
    parser.add_argument(
        "--format",
        choices=("lines", "json"),
        default="lines",
        help="the lines as they were sent; or one JSON object, with options, inputs and results too (default: lines)",
    )
    add_database_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Print the match."""
    from lobby.replay import kept, lines

    number = number_of(arguments.match)
    with database(arguments) as reader, reader.snapshot():
        row = ended(reader, number)
        viewer = _viewer(row, arguments.player)
        told = lines(kept(reader, row), viewer)
    printed = told if arguments.format == "lines" else [_json(row, told)]
    sys.stdout.buffer.writelines(line + b"\n" for line in printed)
    return 0


def _viewer(row: MatchRow, player: str | None) -> Audience:
    """Return the audience that a player, or for `None` the spectators, were of."""
    from games.contract import SPECTATORS, only
    from protocol import names

    if player is None:
        return SPECTATORS
    keys = [names.key(name) for name in row.players]
    if names.key(player) not in keys:
        raise CommandFailed(f"{player} did not play in m{row.match}; its players were {', '.join(row.players)}")
    return only(keys.index(names.key(player)))


def _json(row: MatchRow, told: Sequence[bytes]) -> bytes:
    from msgspec import json

    from lobby import journal
    from protocol import wire

    return wire.encode(
        {
            "match": f"m{row.match}",
            "game": row.game,
            "version": row.version,
            "options": json.decode(row.options),
            "seed": row.seed,
            "players": row.players,
            "tournament": None if row.tournament is None else f"t{row.tournament}",
            "began": _date(row.began),
            "ended": _date(row.ended or 0.0),
            "results": dict(zip(row.players, row.results, strict=True)),
            "reason": row.reason,
            "inputs": [_input(entry, row.players) for entry in journal.split(row.inputs)],
            "record": [line.decode() for line in told],
        }
    )


def _input(entry: Input, players: Sequence[str]) -> dict[str, Any]:
    """Return an input with names in place of seats; `at` is in seconds since the match began."""
    from lobby import journal

    def named(seats: Sequence[Seat]) -> list[str]:
        return [players[seat] for seat in seats]

    match entry:
        case journal.Act(at, seat, action):
            return {"at": at, "input": "act", "player": players[seat], "action": action}
        case journal.Forfeit(at, seats, reason):
            return {"at": at, "input": "forfeit", "players": named(seats), "reason": reason}
        case journal.Expire(at, away):
            return {"at": at, "input": "expire", "away": named(away)}
        case journal.Annul(at):
            return {"at": at, "input": "annul"}


def _date(wall: float) -> str:
    return datetime.fromtimestamp(wall, UTC).isoformat(timespec="milliseconds")
