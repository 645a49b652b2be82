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


port = int(sys.argv[2]) if len(sys.argv) > 2 else 7777
server = socket.create_connection(("127.0.0.1", port)).makefile("rw", encoding="utf-8")
ask("session.hello", version=1)
ask("session.login", player=sys.argv[1])
ask("lobby.subscribe", game="battleship")
squares = random.sample(range(100), 100)
for line in server:
    print(line, end="")
    words = line.split()
    if '"type": "place_ships"' in line:
        ask(words[1] + " game.action", type="place_fleet", ships=[lay(i, ship) for i, ship in enumerate(SHIPS)])
    elif words[2:3] == ["game.your_turn"]:
        ask(words[1] + " game.action", type="move", move=squares.pop())
    elif words[2:3] in (["game.result"], ["ERR"]):
        break
