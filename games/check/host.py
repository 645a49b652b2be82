"""The server's part in a match, as a game sees it: decodes actions, asks the engine, makes answers of refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from games.check.history import Act, Input, Leave, Strike
from games.check.properties import Broken, Property
from games.contract import Action, Engine, Refusal, Refused, Step

Game = Callable[[], Engine]
"""Makes an engine: its class."""

UNKNOWN_ACTION = "UNKNOWN_ACTION"


class Refusing(Struct, frozen=True):
    """An answer `ERR`."""

    code: str
    message: str
    extra: dict[str, Any]


def tag(action: type[Action]) -> str:
    """Return the wire's `type` of an action."""
    return str(action.__struct_config__.tag)


class Host:
    """Asks one engine what inputs lead to, under one match's options."""

    def __init__(self, engine: Engine, options: Any) -> None:
        """Serve a match with these settled options."""
        self.engine = engine
        self.actions = {tag(action): action for action in engine.actions_with(options)}

    def reply(self, state: Any, given: Input, at: float) -> Step | Refusing:
        """Return what an input leads to. Raise `Broken` where the engine raises what it may not."""
        try:
            match given:
                case Act():
                    return self._act(state, given, at)
                case Leave():
                    return self.engine.forfeit(state, frozenset(given.seats), given.reason, at)
                case Strike():
                    return self.engine.expire(state, at, frozenset(given.away))
        except Refused as refused:
            return _checked(Refusing(refused.code, refused.message, refused.extra), given)
        except Exception as error:
            raise Broken(Property.RAISES, f"{type(error).__name__}: {error}") from error

    def _act(self, state: Any, given: Act, at: float) -> Step | Refusing:
        kind = given.body.get("type")
        action = self.actions.get(kind) if isinstance(kind, str) else None
        if action is None:
            return Refusing(UNKNOWN_ACTION, "", {})
        self.engine.admit(state, given.seat, action, at)
        try:
            decoded = msgspec.convert(given.body, action)
        except msgspec.ValidationError as error:
            return Refusing(action.malformed, str(error), {})
        return self.engine.apply(state, given.seat, decoded, at)


def _checked(refusing: Refusing, given: Input) -> Refusing:
    if not isinstance(given, Act):
        raise Broken(Property.RAISES, f"only an action can be refused; this was {given}")
    if not isinstance(refusing.code, Refusal):
        raise Broken(Property.REFUSALS, f"{refusing.code!r} is no Refusal")
    if not isinstance(refusing.message, str) or not refusing.message.strip() or "\n" in refusing.message:
        raise Broken(Property.REFUSALS, f"{refusing.message!r} is no message of one line")
    wait = refusing.extra.get("retry_after")
    if refusing.code is Refusal.TOO_SOON and not (isinstance(wait, (int, float)) and wait > 0):
        raise Broken(Property.REFUSALS, f"TOO_SOON says when it is time with retry_after; here it is {wait!r}")
    return refusing
