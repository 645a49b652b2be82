"""The load of the benchmarks: pairs of sockets that answer every `your_turn` with a move, in a process of their own.

    python players.py PORT MATCHES WARM MEASURED lobby|limit [SPECTATORS]

It plays WARM rounds in every match and prints `warm`, waits for a line on standard input, plays MEASURED more, and prints
`done`. So whoever reads the server's CPU time between the two lines sees those rounds alone. Spectators watch the first match.
"""

from __future__ import annotations

import selectors
import socket
import sys

TURN = b"game.your_turn"


class Player:
    """One socket of a pair."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.tail = b""
        self.line = b""
        self.left = 0
        self.due = 0

    def ask(self, lines: str) -> bytes:
        """Send requests and return what comes up to the last answer."""
        self.socket.sendall(lines.encode())
        wanted, got = lines.count("\n"), b""
        while got.count(b"RES ") < wanted or not got.endswith(b"\n"):
            got += self.socket.recv(65536)
        return got

    def login(self, name: str) -> None:
        """Say hello, log in."""
        self.ask(f'REQ 1 session.hello {{"version": 1}}\nREQ 2 session.login {{"player": "{name}"}}\n')

    def hear(self) -> None:
        """Read, and answer a turn if rounds are left."""
        data = self.tail + self.socket.recv(65536)
        self.due += data.count(TURN)
        self.tail = data[-(len(TURN) - 1) :] if not data.endswith(b"\n") else b""
        self.move()

    def move(self) -> None:
        """Do the moves that are due and wanted."""
        while self.due and self.left:
            self.due -= 1
            self.left -= 1
            self.socket.sendall(self.line)


class Spectator(Player):
    """One socket that watches the first match."""

    def __init__(self, port: int, number: int) -> None:
        super().__init__(port)
        self.login(f"s{number}")
        self.ask('REQ 3 lobby.watch {"match": "m1"}\n')

    def hear(self) -> None:
        """Read."""
        self.socket.recv(65536)


def pair(port: int, matches: int, kind: str) -> list[Player]:
    players = []
    for number in range(1, matches + 1):
        two = Player(port), Player(port)
        for player, side, move in zip(two, "ab", ("ROCK", "PAPER"), strict=True):
            if kind == "lobby":
                player.login(f"{side}{number}")
                got = player.ask('REQ 3 lobby.subscribe {"game": "roshambo", "options": {"rounds": 9999}}\n')
                player.due += got.count(TURN)
            player.line = f'REQ 1 m{number} game.action {{"type": "move", "move": "{move}"}}\n'.encode()
        players += two
    return players


def play(selector: selectors.BaseSelector, players: list[Player], rounds: int) -> None:
    for player in players:
        player.left = rounds
        player.move()
    while True:
        events = selector.select(0.5)
        if not events and not any(player.left for player in players):
            return
        for key, _ in events:
            key.data.hear()


def main() -> None:
    port, matches, warm, measured = map(int, sys.argv[1:5])
    kind, spectators = sys.argv[5], int(sys.argv[6]) if len(sys.argv) > 6 else 0
    players = pair(port, matches, kind)
    selector = selectors.DefaultSelector()
    for player in players:
        selector.register(player.socket, selectors.EVENT_READ, player)
    for number in range(spectators):
        spectator = Spectator(port, number)
        selector.register(spectator.socket, selectors.EVENT_READ, spectator)
    play(selector, players, warm)
    print("warm", flush=True)
    sys.stdin.readline()
    play(selector, players, measured)
    print("done", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main()
