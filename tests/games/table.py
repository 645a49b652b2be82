"""A table to play one match at without a server: actions go in as JSON, and each viewer has the lines it is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from games.contract import SPECTATORS, Action, Engine, Fact, Options, Player, Reason, Refused, Step, only

SPECTATOR = "*"


class Table:
    """One match of an engine between named players, from its start. `state` may be looked at, and set back."""

    def __init__(self, engine: Engine, options: Options, names: tuple[str, ...] = ("a", "b")) -> None:
        self.engine = engine
        self.names = names
        self.lines: dict[str, list[str]] = {viewer: [] for viewer in (*names, SPECTATOR)}
        self._take(engine.start(engine.settle(options), len(names), 0))

    def act(self, name: str, sent: str, at: float = 0) -> None:
        """Do what a player sent as `game.action`; raise `Refused` where the game does."""
        seat = self.names.index(name)
        kind = {tag(action): action for action in self.engine.actions}[json.loads(sent)["type"]]
        self.engine.admit(self.state, seat, kind, at)
        for viewer in self.lines:
            self.lines[viewer] += [f"> {sent}"] if viewer == name else []
        self._take(self.engine.apply(self.state, seat, decode(sent, kind), at))

    def refusal(self, name: str, sent: str, at: float = 0) -> str:
        """Return the code and message with which an action is refused; nothing has changed then."""
        lines, state = {viewer: list(told) for viewer, told in self.lines.items()}, self.state
        try:
            self.act(name, sent, at)
        except Refused as refused:
            assert self.state == state
            self.lines = lines
            return f"{refused.code}: {refused.message}"
        raise AssertionError(f"{name} was allowed {sent}")

    def expire(self, at: float) -> None:
        """Let time act, which must be due."""
        due = self.engine.due(self.state)
        assert due is not None
        assert due <= at
        self._take(self.engine.expire(self.state, at, frozenset()))

    def forfeit(self, *names: str, reason: Reason = Reason.RESIGNED, at: float = 0) -> None:
        """Take players out of the match."""
        self._take(self.engine.forfeit(self.state, frozenset(map(self.names.index, names)), reason, at))

    def told(self, viewer: str) -> list[str]:
        """Return the lines a viewer got since this was last asked."""
        lines, self.lines[viewer] = self.lines[viewer], []
        return lines

    def turn(self) -> dict[str, float]:
        """Return who is in turn, and until when."""
        return {self.names[seat]: deadline for seat, deadline in self.engine.turn(self.state).items()}

    def view(self, viewer: str) -> Any:
        """Return the `state` of a viewer's `game.state`, decoded."""
        seat = None if viewer == SPECTATOR else self.names.index(viewer)
        return json.loads(json.dumps(self._named(self.engine.view(self.state, seat))))

    def end(self) -> str:
        """Return the results and the reason, or that the match is live."""
        outcome = self.engine.outcome(self.state)
        return "live" if outcome is None else " ".join([*outcome.results, outcome.reason])

    def _take(self, step: Step) -> None:
        self.state = step.state
        for fact in step.facts:
            assert isinstance(fact, Fact)
            body = "" if fact.body is None else " " + json.dumps(self._named(fact.body), ensure_ascii=False)
            for viewer, lines in self.lines.items():
                if fact.to & (SPECTATORS if viewer == SPECTATOR else only(self.names.index(viewer))):
                    lines.append(f"< {fact.name}{body}")
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(self.state), type=self.engine.state) == self.state

    def _named(self, told: Any) -> Any:
        match told:
            case Player(seat=seat):
                return self.names[seat]
            case Mapping():
                return {self._named(key): self._named(value) for key, value in told.items()}
            case list() | tuple():
                return [self._named(item) for item in told]
        return told


def tag(action: type[Action]) -> Any:
    """Return the wire's `type` of an action."""
    return action.__struct_config__.tag


def decode(sent: str, kind: type[Action]) -> Action:
    """Decode an action as a match does: what does not fit is the game's own refusal."""
    try:
        return msgspec.json.decode(sent, type=kind)
    except msgspec.ValidationError as unfit:
        raise Refused(kind.malformed, str(unfit)) from None
