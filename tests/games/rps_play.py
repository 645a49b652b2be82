"""A match of rps played by hand at chosen times: what each input tells, as lines, and the state it leaves."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from games.contract import PLAYERS, SPECTATORS, Action, Fact, Out, Outcome, Player, Reason, Refused, Step, only
from games.rps import Commit, Move, Reveal, Rps
from games.rps_commits import commitment
from games.rps_options import RpsOptions
from games.rps_rounds import RpsState

RPS = Rps()
NAMES = "ab"
A, B = 0, 1
NONCE = "0123456789abcdef"
WORDS = ("rock", "paper", "scissors", "dynamite", "bubbles")


class Play:
    """One match; `lines` is all it told, each as `<audience> <event> <object>`; S are the spectators."""

    def __init__(self, **sent: Any) -> None:
        self.lines: list[str] = []
        self.now = 0.0
        self.state: RpsState
        self.take(RPS.start(RPS.settle(RpsOptions(**sent)), 2, 7))

    def take(self, step: Step) -> list[str]:
        """Go on from a step, and return the lines it told; every state must survive its encoding."""
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(step.state), type=RpsState) == step.state
        self.state = step.state
        told = [line(fact) for fact in step.facts]
        self.lines += told
        return told

    def act(self, seat: int, action: Any, at: float | None = None) -> list[str]:
        """Send an action, by default at the time of the last input."""
        self.now = self.now if at is None else at
        RPS.admit(self.state, seat, type(action), self.now)
        return self.take(RPS.apply(self.state, seat, action, self.now))

    def refusal(self, seat: int, action: Any, at: float | None = None) -> Refused:
        """Send an action that must be refused, and leave the state as it was."""
        before = msgspec.msgpack.encode(self.state)
        try:
            self.act(seat, action, at)
        except Refused as refused:
            assert msgspec.msgpack.encode(self.state) == before
            return refused
        raise AssertionError(f"{action} was not refused")

    def strike(self, away: Iterable[int] = ()) -> list[str]:
        """Let time act, when it is due."""
        due = RPS.due(self.state)
        assert due is not None
        self.now = due
        return self.take(RPS.expire(self.state, self.now, frozenset(away)))

    def leave(self, *seats: int, reason: Reason = Reason.RESIGNED) -> list[str]:
        """Take seats out of the match."""
        return self.take(RPS.forfeit(self.state, frozenset(seats), reason, self.now))

    def throw(self, *rounds: str) -> None:
        """Play whole rounds of two words each, with commitments where the match has them.

        `none` is out of time, and `away` without a connection besides.
        """
        for words in rounds:
            self._round(words.split())

    def _round(self, words: list[str]) -> None:
        if self.state.phase == "pause":
            self.strike()
        away = {seat for seat, word in enumerate(words) if word == "away"}
        thrown = {seat: word for seat, word in enumerate(words) if word not in ("none", "away")}
        makers = (self.commit, self.reveal) if self.state.terms.commit_reveal else (self.move,)
        for maker in makers:
            for seat, word in thrown.items():
                self.act(seat, maker(seat, word))
            if len(thrown) < 2:
                self.strike(away)
                return

    def both_commit(self, host: str = "rock", guest: str = "paper") -> Play:
        """Commit both players to a word, and return the match."""
        self.act(A, self.commit(A, host))
        self.act(B, self.commit(B, guest))
        return self

    def move(self, seat: int, word: Any) -> Action:
        """Return a move."""
        return Move(word)

    def commit(self, seat: int, word: str) -> Action:
        """Return the commit to a word, for the current round."""
        return Commit(self.state.round, commitment(word, nonce(seat, self.state.round)))

    def reveal(self, seat: int, word: Any) -> Action:
        """Return the reveal of that commit."""
        return Reveal(self.state.round, word, nonce(seat, self.state.round))

    @property
    def last(self) -> tuple[str, str, str]:
        """Both choices of the last round, and who won it."""
        assert self.state.last is not None
        return self.state.last.host_choice, self.state.last.guest_choice, self.state.last.round_winner

    @property
    def score(self) -> tuple[int, int]:
        """The wins of both."""
        return self.state.hands[A].wins, self.state.hands[B].wins

    @property
    def ending(self) -> tuple[str, str, str] | None:
        """Both results and the reason, `None` while the match lives."""
        outcome: Outcome | None = RPS.outcome(self.state)
        return None if outcome is None else (*outcome.results, outcome.reason)  # type: ignore[return-value]


def nonce(seat: int, number: int) -> str:
    """Return the nonce of a seat in a round."""
    return f"{seat}{number:015x}"


def line(fact: Fact | Out) -> str:
    """Return a fact as a line: who hears it, its name, its object as the wire has it."""
    assert isinstance(fact, Fact)
    hears = {"A": only(A), "B": only(B), "S": SPECTATORS}
    who = "".join(name for name, bit in hears.items() if fact.to & bit)
    assert fact.to & PLAYERS in (0, 1, 2, 3, PLAYERS)
    return f"{who} {fact.name}" + ("" if fact.body is None else " " + json.dumps(fact.body, default=_name))


def _name(value: object) -> str:
    assert isinstance(value, Player)
    return NAMES[value.seat]
