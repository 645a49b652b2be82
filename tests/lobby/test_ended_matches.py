"""Matches that have ended leave memory at once, however far off the next turn of their clock was."""

import gc
import weakref

from conversation import Conversation


async def test_an_ended_match_is_not_kept_by_its_clock(talk: Conversation):
    await talk.enter("ann", "bob")
    name = await talk.match("ann", "bob", game="battleship")
    hold = weakref.ref(talk.server.house.matches.live[int(name[1:])].alarm.ring)
    await talk.ask("ann", f"{name} game.resign")
    gc.collect()
    assert hold() is None
