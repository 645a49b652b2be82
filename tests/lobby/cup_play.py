"""Tournaments in conversations: opening one, playing its games by hand, and asking how it stands."""

from __future__ import annotations

import json
from typing import Any

from conversation import Conversation

GAME = '"game": "roshambo", "options": {"rounds": 1}'


async def opened(talk: Conversation, creator: str, *players: str, legs: int = 1, game: str = GAME) -> str:
    """Let someone who is logged in open a tournament for which players register. Return its id."""
    made = await talk.ask(creator, f'tournament.create {{{game}, "name": "Cup", "legs": {legs}}}')
    for player in players:
        await ask(talk, player, "register", made["tournament"])
    return made["tournament"]


async def started(talk: Conversation, *players: str, legs: int = 1, game: str = GAME) -> str:
    """Let players who are logged in begin a tournament, created by the first of them; forget what was heard."""
    cup = await opened(talk, players[0], *players, legs=legs, game=game)
    await ask(talk, players[0], "start", cup)
    talk.forget()
    return cup


async def ask(talk: Conversation, player: str, what: str, cup: str, **fields: Any) -> Any:
    """Ask for something about a tournament."""
    return await talk.ask(player, f"tournament.{what} {json.dumps({'tournament': cup, **fields})}")


async def win(talk: Conversation, match: str, winner: str, loser: str) -> None:
    """Let one player beat another in a match of one round."""
    for player, move in ((winner, "ROCK"), (loser, "SCISSORS")):
        await talk.ask(player, f'{match} game.action {{"type": "move", "move": "{move}"}}')


async def games(talk: Conversation, player: str, cup: str) -> list[str]:
    """Return the games of a tournament, as `m1 ann-bob due` or `m1 ann-bob WIN-LOSS`."""
    told = await ask(talk, player, "standings", cup)
    return [_game(game) for game in told["games"]]


async def points(talk: Conversation, player: str, cup: str) -> dict[str, float]:
    """Return the points of the players, the best first."""
    told = await ask(talk, player, "standings", cup)
    return {line["player"]: line["points"] for line in told["standings"]}


async def status(talk: Conversation, player: str, cup: str) -> str:
    """Return the status of a tournament."""
    told = await talk.ask(player, "tournament.list")
    return next(one["status"] for one in told["tournaments"] if one["tournament"] == cup)


def heard(talk: Conversation, player: str, *events: str) -> list[str]:
    """Return the events of these names that a client has heard, and drop all that it heard."""
    lines = talk.clients[player].taken()
    return [line for line in lines if any(f" {event}" in line for event in events)]


def _game(game: dict[str, Any]) -> str:
    one, other = game["player1"], game["player2"]
    results = game["results"]
    ended = game["status"] if results is None else f"{results[one]}-{results[other]}"
    return f"{game['match']} {one}-{other} {ended}"
