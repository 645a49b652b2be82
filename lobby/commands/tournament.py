"""`lobby tournament`: for the organiser of a competition. It asks the server like any client, and prints."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec import DecodeError, json

from lobby.commands import CommandFailed, Commands, WrongUsage
from lobby.commands.client import Client, Refused, add_server_flags, attend, visit
from protocol.errors import Code

ORGANISER: Final = "organiser"
PAGE: Final = 1000
NAMED: Final = 8
"""Players of a tournament that its line in the list names."""

Item = dict[str, Any]


def add_to(commands: Commands) -> None:
    """Add the command, with those below it."""
    parser = commands.add_parser("tournament", help="create, start, cancel and watch tournaments on a running server")
    below = parser.add_subparsers(metavar="COMMAND", required=True)
    create = _add(below, "create", _create, "open a tournament, and print its id")
    create.add_argument("game", metavar="GAME", help="any game of two players")
    create.add_argument("--name", help="what it is called (the game's name)")
    create.add_argument("--legs", type=int, choices=(1, 2), default=1, help="how often everyone meets everyone (1)")
    create.add_argument(
        "--option", metavar="KEY=VALUE", action="append", default=[], help="an option of the game; may be repeated"
    )
    _add(below, "list", _list, "list the tournaments")
    for command in (
        _add(below, "start", _start, "begin to play"),
        _add(below, "cancel", _cancel, "call a tournament off"),
        _add(below, "standings", _standings, "print the table"),
        watch := _add(below, "watch", _watch, "print each game as it ends, and the table at the end"),
    ):
        command.add_argument("tournament", metavar="ID", help="its id, such as t1")
    watch.add_argument("--every", metavar="SECONDS", type=float, default=1.0, help="how often to look (1)")


def _add(below: Commands, name: str, run: Callable[[Namespace], int], meaning: str) -> ArgumentParser:
    parser = below.add_parser(name, help=meaning, description=f"{meaning[0].upper()}{meaning[1:]}.")
    add_server_flags(parser)
    if run in (_create, _start, _cancel):
        parser.add_argument(
            "--as", metavar="NAME", dest="player", default=ORGANISER, help=f"who you are on the server ({ORGANISER})"
        )
    else:
        parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)
    return parser


# The commands


def _create(arguments: Namespace) -> int:
    named = {} if arguments.name is None else {"name": arguments.name}
    options = dict(map(_option, arguments.option))
    with attend(arguments, arguments.player, anew=True) as client:
        made = client.ask("tournament.create", game=arguments.game, options=options, legs=arguments.legs, **named)
    print(made["tournament"])
    return 0


def _list(arguments: Namespace) -> int:
    with visit(arguments) as client:
        cups = list(_pages(client, "tournament.list", "tournaments", "tournament"))
    if arguments.json:
        _print_json(cups)
    else:
        rows = [
            [cup["tournament"], cup["status"], cup["game"], len(cup["players"]), cup["name"], _some(cup["players"])]
            for cup in cups
        ]
        _print_table(["id", "status", "game", "players", "name", "registered"], rows)
    return 0


def _start(arguments: Namespace) -> int:
    with attend(arguments, arguments.player, anew=False) as client:
        _ask(client, "tournament.start", arguments.tournament)
    print(f"{arguments.tournament} has started")
    return 0


def _cancel(arguments: Namespace) -> int:
    with attend(arguments, arguments.player, anew=False) as client:
        _ask(client, "tournament.cancel", arguments.tournament)
    print(f"{arguments.tournament} is cancelled")
    return 0


def _standings(arguments: Namespace) -> int:
    with visit(arguments) as client:
        cup = _find(client, arguments.tournament)
        standings = _table(client, arguments.tournament)
    if arguments.json:
        _print_json(standings)
    else:
        _print_standings(cup, standings)
    return 0


def _watch(arguments: Namespace) -> int:
    with visit(arguments) as client:
        progress = _Progress(client, arguments.tournament)
        while True:
            cup = _find(client, arguments.tournament)
            for game in progress.news() if cup["status"] != "open" else ():
                print(json.encode(game).decode() if arguments.json else progress.line(game), flush=True)
            if cup["status"] in ("finished", "cancelled"):
                break
            time.sleep(arguments.every)
        standings = _table(client, arguments.tournament)
    if arguments.json:
        print(json.encode({"status": cup["status"], "standings": standings}).decode())
    else:
        _print_standings(cup, standings)
    return 0


# What they ask


class _Progress:
    """The games of a tournament that have ended since it was last looked at."""

    def __init__(self, client: Client, tournament: str) -> None:
        self._client = client
        self._tournament = tournament
        self._over: set[str] = set()
        self._games = 0
        self._after: Item = {}  # the last game before which all are over

    def news(self) -> Iterator[Item]:
        """Yield the games that are newly over, in the order of the list."""
        unbroken = True
        for game in self._pages():
            over = game["status"] == "over"
            unbroken = unbroken and over
            if unbroken:
                self._after = {"after": game["match"]}
            if over and game["match"] not in self._over:
                self._over.add(game["match"])
                yield game

    def line(self, game: Item) -> str:
        """Return a game that is over as it is printed."""
        one, other = game["player1"], game["player2"]
        results = game["results"]
        return f"{len(self._over)}/{self._games}  {game['match']}  {one} {results[one]} - {other} {results[other]}"

    def _pages(self) -> Iterator[Item]:
        """Yield the games from the first that may not be over to the last page with one that has begun."""
        after, first_time, counted = self._after, not self._games, self._games
        games: list[Item] = []
        while True:
            page = _ask(self._client, "tournament.standings", self._tournament, limit=PAGE, **after)
            games += page["games"]
            idle = all(game["status"] == "due" for game in page["games"])
            if "more" not in page or (idle and not first_time):
                break
            after = {"after": page["games"][-1]["match"]}
        self._games = counted or len(games)
        yield from games


def _ask(client: Client, method: str, tournament: str, **fields: Any) -> Item:
    """Ask about a tournament; that there is none is told as the command's user would look for it."""
    try:
        return client.ask(method, tournament=tournament, **fields)
    except Refused as refused:
        if refused.code != Code.UNKNOWN_TOURNAMENT:
            raise
        raise _absent(tournament) from None


def _table(client: Client, tournament: str) -> list[Item]:
    standings: list[Item] = _ask(client, "tournament.standings", tournament, limit=1)["standings"]
    return standings


def _absent(tournament: str) -> CommandFailed:
    return CommandFailed(
        f"there is no tournament {tournament}; an id is a t and a number, and `lobby tournament list` shows all there are"
    )


def _find(client: Client, tournament: str) -> Item:
    for cup in _pages(client, "tournament.list", "tournaments", "tournament"):
        if cup["tournament"] == tournament:
            return cup
    raise _absent(tournament)


def _pages(client: Client, method: str, items: str, key: str) -> Iterator[Item]:
    after: Item = {}
    while True:
        page = client.ask(method, limit=PAGE, **after)
        yield from page[items]
        if "more" not in page:
            return
        after = {"after": page[items][-1][key]}


def _option(assignment: str) -> tuple[str, Any]:
    key, equals, value = assignment.partition("=")
    if not equals:
        raise WrongUsage(f"--option takes KEY=VALUE, not {assignment!r}")
    try:
        return key, json.decode(value)
    except DecodeError:  # a word needs no quotes
        return key, value


# What they print


def _print_json(value: Any) -> None:
    print(json.format(json.encode(value)).decode())


def _some(players: list[str]) -> str:
    more = f", and {len(players) - NAMED} more" if len(players) > NAMED else ""
    return ", ".join(players[:NAMED]) + more


def _print_standings(cup: Item, standings: list[Item]) -> None:
    print(f"{cup['name']} is {cup['status']}")
    columns = ["place", "player", "points", "won", "drawn", "lost"]
    _print_table(columns, [[line[column] for column in columns] for line in standings])


def _print_table(columns: list[str], rows: list[list[Any]]) -> None:
    """Print columns side by side, numbers to the right."""
    cells = [columns, *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[index]) for row in cells) for index in range(len(columns))]
    numeric = [bool(rows) and all(isinstance(row[index], int | float) for row in rows) for index in range(len(columns))]
    for row in cells:
        padded = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        print("  ".join(padded).rstrip())
