"""What is over goes at once, and does not wait for Python to look for garbage, which would stop the server for long."""

import gc
from collections import Counter
from collections.abc import Iterator

import pytest
from conversation import Conversation

from lobby.connection import Connection
from lobby.match import Match
from lobby.outbox import Outbox
from lobby.record import Record
from lobby.router import Caller
from lobby.session import Session

KINDS = (Connection, Outbox, Caller, Session, Match, Record)


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Let nothing be found that does not go by itself."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def there() -> Counter[str]:
    """Count what is there of each kind."""
    return Counter(type(thing).__name__ for thing in gc.get_objects() if isinstance(thing, KINDS))


@pytest.mark.usefixtures("uncollected")
async def test_players_and_their_matches_leave_nothing_behind(talk: Conversation):
    before = there()
    await talk.enter("ann", "bob", "cid")
    for game in ("battleship", "roshambo", "rps", "purrinha"):
        match = await talk.match("ann", "bob", game=game)
        await talk.ask("cid", f'lobby.watch {{"match": "{match}"}}')
        await talk.ask("ann", f"{match} game.resign")
    await talk.match("ann", "bob", game="roshambo")
    assert there()["Match"] == before["Match"] + 1
    await talk.hang_up("cid")
    for name in ("ann", "bob"):
        await talk.ask(name, "session.logout")
        await talk.clients[name].closed()
    await talk.advance(600)
    await talk.server.door.emptied()
    talk.clients.clear()
    assert there() - before == Counter()
