"""Declines: who has turned whom down, and for how long that keeps the challenger from asking the same player again.

They are stored, so that a restart makes nobody's patience shorter.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from lobby.clock import Agenda, Alarm
from lobby.rows import DeclineRow
from lobby.session import Session
from lobby.store import Store
from protocol.errors import Code, ProtocolError


class Declines:
    """The declines of the last `cooldown` seconds; then they are forgotten."""

    def __init__(self, store: Store, agenda: Agenda, *, cooldown: float) -> None:
        self._store = store
        self._agenda = agenda
        self._cooldown = cooldown
        self._until: dict[str, float] = {}

    def add(self, challenger: Session, challenged: Session) -> None:
        """Take note that a player has turned another one down."""
        until = self._agenda.clock.now() + self._cooldown
        row = DeclineRow(challenger=challenger.key, challenged=challenged.key, until=until)
        self._store.put(row)
        self._remember(row)

    def check(self, challenger: Session, challenged: Session) -> None:
        """Raise `ProtocolError` (`TOO_SOON`) where a player may not ask the other one again yet."""
        early = self._until.get(DeclineRow.pair(challenger.key, challenged.key), 0.0) - self._agenda.clock.now()
        if early > 0:
            wait = ceil(early * 1000) / 1000
            message = f"{challenged.name} has declined; ask again in {wait:g} s"
            raise ProtocolError(Code.TOO_SOON, message, retry_after=wait)

    def restore(self, rows: Iterable[DeclineRow]) -> None:
        """Take up the declines of an earlier life."""
        for row in rows:
            self._remember(row)

    def _remember(self, row: DeclineRow) -> None:
        self._until[row.key] = row.until
        self._agenda.set(Alarm(lambda _: self._forget(row)), row.until)

    def _forget(self, row: DeclineRow) -> None:
        if self._until.get(row.key) == row.until:
            del self._until[row.key]
            self._store.drop(DeclineRow, row.key)
