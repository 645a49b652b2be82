"""What people do to servers, each as a function of a server's address and of how much of it: short, or long.

They use blocking sockets and keep no state. Everything is on the loopback, seeded, and bounded in count.
"""

from __future__ import annotations

import json
import random
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Final

Address = tuple[str, int]

PATIENCE: Final = 60.0
HELLO: Final = b'REQ h session.hello {"version": 1}\n'
PING: Final = b"REQ p session.ping\n"


class Attacker:
    """One connection."""

    def __init__(self, address: Address) -> None:
        self.socket = socket.create_connection(address, timeout=PATIENCE)
        self.rest = b""

    def __enter__(self) -> Attacker:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send bytes; a server that has closed meanwhile is no fault."""
        with suppress(ConnectionError):
            self.socket.sendall(data)

    def ask(self, *requests: str) -> list[str]:
        """Send requests without `REQ` and id at once, and return their answers without `RES` and id; events are dropped."""
        self.socket.sendall("".join(f"REQ a {request}\n" for request in requests).encode())
        return self.answers(len(requests))

    def answers(self, count: int) -> list[str]:
        """Read until there were as many answers, and return them without `RES` and id."""
        found: list[str] = []
        while len(found) < count:
            data = self.socket.recv(65_536)
            assert data, "the server has closed"
            *lines, self.rest = (self.rest + data).split(b"\n")
            found += [line.decode().split(" ", 2)[2] for line in lines if line.startswith(b"RES")]
        return found

    def login(self, name: str) -> str:
        """Log in and return the token."""
        _, answer = self.ask('session.hello {"version": 1}', f'session.login {{"player": "{name}"}}')
        assert answer.startswith("OK"), answer
        return str(json.loads(answer[3:])["session_token"])

    def reset(self) -> None:
        """Close without a farewell."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


@contextmanager
def several(address: Address, count: int) -> Iterator[list[Attacker]]:
    """Give as many connections as are asked for."""
    with ExitStack() as stack:
        yield [stack.enter_context(Attacker(address)) for _ in range(count)]


@contextmanager
def players(address: Address, count: int, prefix: str = "x") -> Iterator[list[Attacker]]:
    """Give as many players, who log out in the end."""
    with several(address, count) as attackers:
        for number, attacker in enumerate(attackers):
            attacker.login(f"{prefix}{number}")
        yield attackers
        for attacker in attackers:
            attacker.ask("session.logout")


# Bytes


def garbage(address: Address, amount: int) -> None:
    """Random bytes, broken lines, lines that are too long, telnet commands, half of all of it; then hang up."""
    chance = random.Random(amount)
    noise: list[Callable[[], bytes]] = [
        lambda: chance.randbytes(chance.randrange(2_000)),
        lambda: b"\n" * chance.randrange(60_000),
        lambda: b"x" * chance.randrange(20_000) + b"\n",
        lambda: b"\xff\xf1a" * chance.randrange(10_000),
        lambda: b"\xff\xfa" + b"\n" * chance.randrange(20_000),
        lambda: b"REQ 1 " + chance.randbytes(50) + b"\n",
        lambda: b'REQ 1 session.hello {"version": \x00}\n' * 100,
        lambda: (HELLO * 3)[: chance.randrange(100)],
    ]
    for _ in range(min(1_000, 20 * amount)):
        with Attacker(address) as attacker:
            for _ in range(5):
                attacker.send(chance.choice(noise)())


def dribble(address: Address, amount: int) -> None:
    """Many who send a line byte by byte and never end it."""
    with several(address, min(2_000, 20 * amount)) as attackers:
        for byte in HELLO[:-1] + b" " * 100:
            for attacker in attackers:
                attacker.send(bytes([byte]))


def json_deep_and_wide(address: Address, amount: int) -> None:
    """Objects as deep, as wide and as full of numbers, strings and escapes as a line allows."""
    bodies = [
        '{"a":' * 1_300 + "1" + "}" * 1_300,
        "{" + ",".join(f'"k{number}":{number}' for number in range(700)) + "}",
        '{"a":[' + "[]," * 2_600 + "[]]}",
        '{"a":[' + ",".join(["9223372036854775807"] * 390) + "]}",
        '{"a":"' + "\\\\" * 4_000 + '"}',
        '{"a":"' + '"' * 8_000,
        '{"a":' + "9" * 8_000 + "}",
        '{"a":1e' + "9" * 8_000 + "}",
        '{"version": ' + "[" * 31 + "]" * 31 + "}",
    ]
    with Attacker(address) as attacker:
        for _ in range(10 * amount):
            attacker.ask(*(f"session.hello {body}" for body in bodies))


# Connections


def connects(address: Address, amount: int) -> None:
    """Connect and hang up, with a farewell, without one, or in the middle of a line."""
    for number in range(200 * amount):
        attacker = Attacker(address)
        if number % 3 == 1:
            attacker.send(HELLO[:17])
        attacker.reset() if number % 2 else attacker.socket.close()


def idle(address: Address, amount: int) -> None:
    """Connections that say nothing, half of a line, or hello, all at one time."""
    with several(address, min(9_900, 40 * amount)) as attackers:
        for number, attacker in enumerate(attackers):
            attacker.send((b"", HELLO[:20], HELLO)[number % 3])


def logins(address: Address, amount: int) -> None:
    """Log in and out, or hang up instead, again and again."""
    for number in range(60 * amount):
        with Attacker(address) as attacker:
            attacker.login(f"in-{number % 7}-{number}")
            if number % 2:
                attacker.ask("session.logout")


def look_alikes(address: Address, amount: int) -> None:
    """Names in every spelling, of every length, and made to be slow to compare."""
    spellings = ["by-ann", "BY-ANN", "\uff42\uff59-ann", "by-\u00e4nn", "by-a\u0308nn", "by-\u0430nn", "by-ann\u200b"]
    slow = [
        "a" + "\u0300\u0316" * 1_900,
        "\ufdfa" * 2_500,
        "a" + "\u0345\u0300\u0316\u0334" * 900,
        "\U0001d400" * 1_900,
    ]
    with Attacker(address) as attacker:
        attacker.ask('session.hello {"version": 1}')
        for _ in range(10 * amount):
            for name in (*spellings[:3], *slow):
                (answer,) = attacker.ask(f'session.login {{"player": {json.dumps(name, ensure_ascii=False)}}}')
                assert answer.startswith("ERR"), answer
    with players(address, 1) as (attacker,):
        for _ in range(10 * amount):
            attacker.ask(*(f'lobby.matches {{"player": {json.dumps(name, ensure_ascii=False)}}}' for name in slow))
            attacker.ask(
                *(
                    f'lobby.challenge {{"game": "rps", "player": {json.dumps(name, ensure_ascii=False)}}}'
                    for name in (*spellings[3:], *slow)
                )
            )


# Requests


def ping_floods(address: Address, amount: int) -> None:
    """64 KiB of pings at once from many connections, all of them answered."""
    at_once = 65_536 // len(PING)
    with several(address, min(200, 4 * amount)) as attackers:
        for attacker in attackers:
            attacker.send(PING * at_once)
        for attacker in attackers:
            assert attacker.answers(at_once) == ["OK"] * at_once


def dear_requests(address: Address, amount: int) -> None:
    """A flood of the requests that cost most, from several players at once."""
    dear = [
        "lobby.games",
        "session.help",
        'lobby.players {"limit": 1000}',
        'lobby.matches {"limit": 1000}',
        'lobby.ranking {"game": "roshambo", "limit": 1000}',
        "abcdefghijklmnopqrstuvwxyzlobby.abcdefghijklmnopqrstuvwxyzlobby",
        "lobbysubscribe" * 200 + "." + "x" * 4_000,
        'lobby.subscribe {"game": "rps", "options": {"x": 1}}',
        f'lobby.subscribe {{"game": "{"battleships" * 300}"}}',
    ]
    line = "".join(f"REQ a {request}\n" for request in dear).encode()
    with players(address, min(20, 3 * amount)) as attackers:
        for _ in range(3 * amount):
            for attacker in attackers:
                attacker.send(line)
            for attacker in attackers:
                attacker.answers(len(dear))


def never_reading(address: Address, amount: int) -> None:
    """Players who ask and ask and never read, until the server hangs up on them."""
    with several(address, min(20, 2 * amount)) as attackers:
        for number, attacker in enumerate(attackers):
            attacker.login(f"mute{number}")
            attacker.socket.settimeout(0.5)
        for attacker in attackers:
            assert _cut_off(attacker), "the server holds whatever is not read"


def _cut_off(attacker: Attacker) -> bool:
    for _ in range(200):
        try:
            attacker.socket.sendall(b"REQ a lobby.games\n" * 1_000)
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


def subscriptions(address: Address, amount: int) -> None:
    """Subscribe and unsubscribe in a loop, to many queues, and at tables that tell everyone of it."""
    with players(address, 3) as attackers:
        for number in range(20 * amount):
            for attacker in attackers:
                attacker.ask(
                    *(f'lobby.subscribe {{"game": "rps", "options": {{"best_of": {2 * n + 1}}}}}' for n in range(15)),
                    f'lobby.subscribe {{"game": "purrinha", "options": {{"players": 4, "points": {number % 99 + 1}}}}}',
                )
                attacker.ask('lobby.unsubscribe {"game": "rps"}', 'lobby.unsubscribe {"game": "purrinha"}')


def challenges(address: Address, amount: int) -> None:
    """Challenge the bystanders and each other: take it back, turn it down, accept and resign."""
    with players(address, 2, "duellist") as (ann, bob):
        for _ in range(30 * amount):
            for victim in ("by-ann", "by-bob", "duellist1"):
                answer, _ = ann.ask(f'lobby.challenge {{"player": "{victim}", "game": "rps"}}', "lobby.status")
                if answer.startswith("OK") and victim != "duellist1":
                    ann.ask(f"lobby.cancel {answer[3:]}")
                elif answer.startswith("OK"):
                    bob.ask(f"lobby.accept {answer[3:]}", "lobby.status")
                    _resign_all(ann)


def _resign_all(attacker: Attacker) -> None:
    name = "duellist0"
    (answer,) = attacker.ask(f'lobby.matches {{"player": "{name}", "live": true}}')
    for match in json.loads(answer[3:])["matches"]:
        attacker.ask(f"{match['match']} game.resign")


# Reconnecting and watching


def bad_tokens(address: Address, amount: int) -> None:
    """Tokens that are none, guessed in a row and from ever new connections."""
    guess = 'session.reconnect {"session_token": "%s", "matches": {' + ",".join(f'"m{n}":0' for n in range(700)) + "}}"
    with Attacker(address) as attacker:
        attacker.ask('session.hello {"version": 1}')
        for number in range(20 * amount):
            attacker.ask(*(guess % f"{number}-{at}" for at in range(5)))
    for number in range(20 * amount):
        with Attacker(address) as attacker:
            attacker.ask('session.hello {"version": 1}', guess % number)


def huge_record(address: Address, rounds: int) -> tuple[str, str]:
    """Play a long match to its end. Return its id and a token of one who played it."""
    with several(address, 2) as (ann, bob):
        token = ann.login("old-ann")
        bob.login("old-bob")
        for attacker in (ann, bob):
            attacker.ask(f'lobby.subscribe {{"game": "roshambo", "options": {{"rounds": {rounds}, "pace": 0}}}}')
        (answer,) = ann.ask('lobby.matches {"player": "old-ann", "live": true}')
        match = str(json.loads(answer[3:])["matches"][0]["match"])
        for _ in range(rounds):
            for attacker in (ann, bob):
                attacker.ask(f'{match} game.action {{"type": "move", "move": "ROCK"}}')
        return match, token


def replays(address: Address, amount: int) -> None:
    """A huge record watched again and again, asked for by reconnecting, and left unread."""
    match, token = huge_record(address, min(9_999, 150 * amount))
    again: dict[str, Any] = {"session_token": token, "matches": {match: 0}}
    for _ in range(5):
        with Attacker(address) as attacker:
            attacker.ask('session.hello {"version": 1}', f"session.reconnect {json.dumps(again)}", "session.ping")
            attacker.ask(*[f'lobby.watch {{"match": "{match}"}}'] * 5, "session.ping")
    with several(address, 20) as attackers:  # each takes the session over from the one before, and reads nothing
        for attacker in attackers:
            attacker.send(HELLO + f"REQ r session.reconnect {json.dumps(again)}\n".encode() + PING * 100)
        for attacker in attackers[::2]:
            attacker.socket.shutdown(socket.SHUT_WR)


ATTACKS: Final = (
    *(garbage, dribble, json_deep_and_wide, connects, idle, logins, look_alikes, ping_floods, dear_requests),
    *(never_reading, subscriptions, challenges, bad_tokens, replays),
)
