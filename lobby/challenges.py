"""The challenges that are open: who may make one, and what comes of it.

An open challenge is stored, and so outlives lost connections and restarts; its time is that of the server clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from games.contract import Engine
from lobby import ids
from lobby.catalogue import Catalogue, plain, settle
from lobby.challenge import Challenge, Closing
from lobby.clock import Agenda, Alarm
from lobby.declines import Declines
from lobby.matches import Matches
from lobby.numbers import Numbers
from lobby.patience import Patience
from lobby.roster import Roster
from lobby.rows import ChallengeRow, DeclineRow
from lobby.session import Session
from lobby.settings import Settings
from lobby.store import Store
from protocol import wire
from protocol.errors import Code, ProtocolError
from protocol.suggest import shown


class Challenges:
    """All open challenges."""

    def __init__(
        self,
        store: Store,
        agenda: Agenda,
        settings: Settings,
        *,
        catalogue: Catalogue,
        roster: Roster,
        matches: Matches,
    ) -> None:
        self._store = store
        self._agenda = agenda
        self._settings = settings
        self._catalogue = catalogue
        self._roster = roster
        self._declines = Declines(store, agenda, cooldown=settings.decline_cooldown)
        self._patience = Patience(agenda, a_minute=settings.challenges_per_minute)
        self._matches = matches
        self._open: dict[int, Challenge] = {}
        self._made: dict[Session, dict[int, Challenge]] = {}
        self._received: dict[Session, dict[int, Challenge]] = {}
        self._numbers = Numbers(store, "challenge")

    # What players do

    def challenge(self, session: Session, player: str, game: str, sent: dict[str, Any]) -> Challenge:
        """Ask a player for a match. Raise `ProtocolError` where that can't be."""
        other = self._roster.present(player, asking=session)
        engine = self._catalogue.engine(game)
        if other is session:
            raise ProtocolError(Code.NOT_ALLOWED, "nobody plays against themselves; challenge another player")
        self._declines.check(session, other)
        self._patience.check(session)
        options = _for_two(engine, sent)
        self._check_limits(session, other)
        now = self._agenda.clock.now()
        row = ChallengeRow(
            number=self._numbers.take(),
            challenger=session.number,
            challenged=other.number,
            game=game,
            options=wire.encode(plain(options)),
            due=now + self._settings.challenge_seconds,
        )
        self._patience.spend(session)
        self._store.put(row)
        challenge = self._add(row, engine, options, session, other)
        other.send(challenge.invitation(now))
        return challenge

    def accept(self, session: Session, name: str) -> None:
        """Begin the match that was asked for; the challenger is first player. While that can't be, the challenge stays open."""
        challenge = self._find(name)
        if challenge.challenged is not session:
            raise _not_yours(challenge, "accepted", own=challenge.challenger is session)
        challenger = challenge.challenger
        if not challenger.connected:
            message = f"{challenger.name} is not connected; {name} stays open for {challenge.seconds(self._now()):g} s"
            raise ProtocolError(Code.UNKNOWN_PLAYER, message)
        self._check_room(session, "you have")
        self._check_room(challenger, f"{challenger.name} has")
        self._close(challenge, Closing.ACCEPTED, challenger)
        self._matches.begin(challenge.engine, challenge.options, (challenger, session))

    def decline(self, session: Session, name: str) -> None:
        """Turn a challenge down; its challenger can't ask the same player again for a while."""
        challenge = self._find(name)
        if challenge.challenged is not session:
            raise _not_yours(challenge, "declined", own=challenge.challenger is session)
        self._close(challenge, Closing.DECLINED, challenge.challenger)
        self._declines.add(challenge.challenger, session)

    def cancel(self, session: Session, name: str) -> None:
        """Take a challenge back."""
        challenge = self._find(name)
        if challenge.challenger is not session:
            raise ProtocolError(Code.NOT_ALLOWED, f"{name} is not yours to take back; only its challenger can do that")
        self._close(challenge, Closing.CANCELLED, challenge.challenged)

    def forget(self, session: Session) -> None:
        """Close all challenges of a session that has ended."""
        self._patience.forget(session)
        mine = [*self._made.get(session, {}).values(), *self._received.get(session, {}).values()]
        for challenge in sorted(mine, key=lambda challenge: challenge.row.number):
            self._close(challenge, Closing.LEFT, challenge.other(session))

    # What players see

    def listed(self, session: Session, room: int) -> tuple[list[dict[str, Any]], list[Challenge]]:
        """Return what fits into `room` bytes of a session's open challenges, oldest first, and the challenges that do not.

        Those it made are few and always fit; of those it received, which may be many, the oldest do.
        """
        now = self._now()
        fitting = {number: challenge.listing(now) for number, challenge in self._made.get(session, {}).items()}
        room -= len(wire.encode(list(fitting.values())))
        received = iter(self._received.get(session, {}).values())
        rest = []
        for challenge in received:
            listing = challenge.listing(now)
            room -= len(wire.encode(listing)) + 2
            if room < 0:
                rest = [challenge, *received]
                break
            fitting[challenge.row.number] = listing
        return [fitting[number] for number in sorted(fitting)], rest

    def invitations(self, challenges: Iterable[Challenge]) -> Iterator[bytes]:
        """Return the lines that tell of challenges, each made when it is drawn; one that has closed by then is left out."""
        return (challenge.invitation(self._now()) for challenge in challenges if challenge.row.number in self._open)

    # Keeping

    def restore(self, rows: Iterable[ChallengeRow], declines: Iterable[DeclineRow]) -> None:
        """Take up the challenges of an earlier life; one whose game, options or session are gone is dropped."""
        self._declines.restore(declines)
        for row in rows:
            if not self._take_up(row):
                self._store.drop(ChallengeRow, row.number)

    def _take_up(self, row: ChallengeRow) -> bool:
        challenger = self._roster.numbered(row.challenger)
        challenged = self._roster.numbered(row.challenged)
        found = self._catalogue.restored(row.game, row.options)
        if challenger is None or challenged is None or found is None:
            return False
        engine, options = found
        if engine.seats(options) != 2:
            return False
        self._add(row, engine, options, challenger, challenged)
        return True

    def _add(
        self, row: ChallengeRow, engine: Engine, options: Any, challenger: Session, challenged: Session
    ) -> Challenge:
        alarm = Alarm(lambda _: self._expire(row.number))
        challenge = Challenge(row, engine, options, challenger, challenged, alarm)
        self._open[row.number] = challenge
        self._made.setdefault(challenger, {})[row.number] = challenge
        self._received.setdefault(challenged, {})[row.number] = challenge
        self._agenda.set(alarm, row.due)
        return challenge

    def _expire(self, number: int) -> None:
        challenge = self._open[number]
        self._close(challenge, Closing.EXPIRED, challenge.challenger, challenge.challenged)

    def _close(self, challenge: Challenge, reason: Closing, *told: Session) -> None:
        number = challenge.row.number
        self._agenda.cancel(challenge.alarm)
        del self._open[number]
        _take_out(self._made, challenge.challenger, number)
        _take_out(self._received, challenge.challenged, number)
        self._store.drop(ChallengeRow, number)
        line = wire.event("lobby.challenge_closed", {"challenge": challenge.name, "reason": reason})
        for session in told:
            session.send(line)

    # What may not be

    def _check_limits(self, session: Session, other: Session) -> None:
        made = self._made.get(session, {})
        between = [*made.values(), *self._made.get(other, {}).values()]
        if open_one := next((one for one in between if {one.challenger, one.challenged} == {session, other}), None):
            message = f"{open_one.name} is open between you and {other.name}, and there is one at a time"
            raise ProtocolError(Code.LIMIT_REACHED, message, limit=1)
        limit = self._settings.max_open_challenges
        if len(made) >= limit:
            message = f"a session may have {limit} challenges open; lobby.cancel takes one back"
            raise ProtocolError(Code.LIMIT_REACHED, message, limit=limit)

    def _check_room(self, session: Session, who_has: str) -> None:
        limit = self._settings.max_live_matches
        if len(self._matches.places(session)) >= limit:
            message = f"{who_has} {limit} live matches, as many as a session may have; accept when one is over"
            raise ProtocolError(Code.LIMIT_REACHED, message, limit=limit)

    def _find(self, name: str) -> Challenge:
        challenge = self._open.get(ids.number("c", name) or 0)
        if challenge is None:
            message = f"there is no open challenge {shown(name)}; it may be closed by now"
            raise ProtocolError(Code.UNKNOWN_CHALLENGE, message)
        return challenge

    def _now(self) -> float:
        return self._agenda.clock.now()


def _take_out(index: dict[Session, dict[int, Challenge]], session: Session, number: int) -> None:
    del index[session][number]
    if not index[session]:
        del index[session]


def _not_yours(challenge: Challenge, verb: str, *, own: bool) -> ProtocolError:
    right = "yours; lobby.cancel takes it back" if own else "not made to you"
    return ProtocolError(Code.NOT_ALLOWED, f"{challenge.name} is {verb} by whoever was challenged; it is {right}")


def _for_two(engine: Engine, sent: dict[str, Any]) -> Any:
    """Settle the options of a match of two. Raise `ProtocolError` (`INVALID_OPTIONS`) where they are none."""
    options = settle(engine, sent)
    seats = engine.seats(options)
    if seats != 2:
        message = f"a challenge is for two players, and this {engine.info.name} is for {seats}; lobby.subscribe instead"
        raise ProtocolError(Code.INVALID_OPTIONS, message, field="players")
    return options
