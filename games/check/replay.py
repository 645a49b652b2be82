"""Replaying: the same inputs again, by a fresh engine whose every state has been through MessagePack."""

from __future__ import annotations

from typing import Any

import msgspec

from games.check.host import Host, Refusing
from games.check.properties import Broken, Property
from games.check.table import Table, Turn
from games.contract import Engine, Step


def check_replay(table: Table) -> None:
    """Compare a match with its replay, to the byte, and check that no state was changed after it was left."""
    for turn in table.turns:
        if msgspec.msgpack.encode(turn.after) != turn.image:
            raise Broken(Property.FROZEN, f"the state after {turn.given} changed when the match went on")
    again = _fresh(table)
    if differs := _first_difference(table, again, decoded=True):
        if _first_difference(table, _fresh(table), decoded=False):
            raise Broken(Property.REPLAY, differs)
        raise Broken(Property.ENCODING, f"{differs}, when played from decoded states")


def _fresh(table: Table) -> Host:
    engine: Engine = type(table.engine)()
    return Host(engine, table.case.options)


def _first_difference(table: Table, host: Host, *, decoded: bool) -> str:
    case = table.case
    reply: Step | Refusing = host.engine.start(case.options, case.seats, case.seed)
    state: Any = None
    decoder = msgspec.msgpack.Decoder(host.engine.state)
    for index, turn in enumerate(table.turns):
        if turn.given is not None:
            reply = host.reply(state, turn.given, turn.at)
        if differs := _difference(turn, reply):
            return f"step {index} led to {differs}"
        if isinstance(reply, Step):
            state = reply.state
            if decoded:
                state = _decoded(decoder, turn, state)
    return ""


def _difference(turn: Turn, reply: Step | Refusing) -> str:
    if isinstance(reply, Refusing) or turn.refusing is not None:
        return "" if reply == turn.refusing else f"{_answer(turn.refusing)} first, and {_answer(reply)} then"
    if repr(tuple(reply.facts)) != repr(turn.facts):
        return "other facts"
    return "" if msgspec.msgpack.encode(reply.state) == turn.image else "another state"


def _answer(reply: Any) -> str:
    return f"{reply.code} {reply.message}" if isinstance(reply, Refusing) else "OK"


def _decoded(decoder: msgspec.msgpack.Decoder[Any], turn: Turn, state: Any) -> Any:
    try:
        decoded = decoder.decode(turn.image)
    except msgspec.MsgspecError as error:
        raise Broken(Property.ENCODING, f"the state can't be decoded: {error}") from error
    if decoded != state:
        raise Broken(Property.ENCODING, f"decoded, the state is another: {decoded} instead of {state}")
    return decoded
