"""Plays a match of battleship with whoever comes: python3 battleship.py NAME [PORT]."""

import json
import random
import socket
import sys

SHIPS = ["Carrier", "Battleship", "Cruiser", "Submarine", "Destroyer"]


def ask(request, **fields):
    """Send a request."""
    print("REQ bot", request, json.dumps(fields), file=server, flush=True)


def lay(index, ship):
    """Lay a ship somewhere in a row of its own, with a row of water behind it."""
    return {"ship": ship, "row": 2 * index, "col": random.randrange(6), "orientation": "H"}


if len(sys.argv) < 2:
    sys.exit(__doc__)
port = int(sys.argv[2]) if len(sys.argv) > 2 else 7777
try:
    wire = socket.create_connection(("127.0.0.1", port))
except OSError as error:
    sys.exit(f"no server on port {port}: {error}")
server = wire.makefile("w", encoding="utf-8")  # not "rw": to write would lose what was read ahead
ask("session.hello", version=1)
ask("session.login", player=sys.argv[1])
ask("lobby.subscribe", game="battleship")
squares = random.sample(range(100), 100)
for line in wire.makefile(encoding="utf-8"):
    print(line, end="")
    words = line.split()
    if '"type": "place_ships"' in line:
        ask(words[1] + " game.action", type="place_fleet", ships=[lay(i, ship) for i, ship in enumerate(SHIPS)])
    elif words[2:3] == ["game.your_turn"]:
        ask(words[1] + " game.action", type="move", move=squares.pop())
    elif words[2:3] == ["game.result"]:
        ask("session.logout")  # frees the name; then the server closes
    elif words[2:3] == ["ERR"]:
        sys.exit(1)
