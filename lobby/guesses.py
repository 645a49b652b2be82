"""What newcomers call the methods, by habit from elsewhere: the table behind "did you mean". It changes no request."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from protocol.suggest import closest

SLIP: Final = 0.9
"""How like a method a word must be to be taken for a slip of the finger rather than another word."""

GUESSES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("connect", "hi", "version"), "session.hello"),
    **dict.fromkeys(("auth", "name", "nick", "signin", "user"), "session.login"),
    "register": "session.login or tournament.register",
    **dict.fromkeys(("continue", "relogin", "resume"), "session.reconnect"),
    **dict.fromkeys(("bye", "close", "disconnect", "exit", "logoff", "quit", "stop"), "session.logout"),
    **dict.fromkeys(("commands", "methods"), "session.help"),
    **dict.fromkeys(("find", "join", "match", "new", "play", "queue", "start", "wait"), "lobby.subscribe"),
    **dict.fromkeys(("dequeue", "leave"), "lobby.unsubscribe"),
    **dict.fromkeys(("game", "list", "rooms"), "lobby.games"),
    **dict.fromkeys(("online", "users", "who"), "lobby.players"),
    **dict.fromkeys(("invite", "offer"), "lobby.challenge"),
    **dict.fromkeys(("observe", "replay", "spectate"), "lobby.watch"),
    **dict.fromkeys(("leaderboard", "rank", "rating", "ratings", "scores"), "lobby.ranking"),
    **dict.fromkeys(("info", "stats"), "lobby.status"),
    **dict.fromkeys(("act", "move", "shoot", "throw"), "game.action"),
    **dict.fromkeys(("concede", "forfeit", "give_up", "surrender"), "game.resign"),
    **dict.fromkeys(("board", "show", "view"), "game.state"),
    **dict.fromkeys(("table",), "tournament.standings"),
    "session.connect": "session.hello",  # so near to session.reconnect that it would be taken for a slip
    "game.leave": "game.resign",
    **dict.fromkeys(("game.play", "match.play"), "game.action"),
    **dict.fromkeys(("session.close", "session.leave"), "session.logout"),
    **dict.fromkeys(("tournament.join", "tournament.play", "tournament.enter"), "tournament.register"),
    **dict.fromkeys(("tournament.leave", "tournament.unregister"), "tournament.withdraw"),
    "tournament.new": "tournament.create",
}
"""Methods by what may have been written in their place: the whole of it, or its word behind the dot."""


def meant(word: str, methods: Collection[str]) -> str | None:
    """Return the method that stands behind a habit or a slip, `None` where it can't be told."""
    last = word.lower().rpartition(".")[2]
    same = [method for method in methods if method.partition(".")[2] == last]
    return (
        GUESSES.get(word.lower())
        or closest(word, methods, over=SLIP)
        or GUESSES.get(last)
        or (same[0] if len(same) == 1 else None)
    )
