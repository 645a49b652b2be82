"""Plays a match of roshambo with whoever comes: python3 roshambo.py NAME [PORT]."""

import json
import random
import socket
import sys


def ask(request, **fields):
    """Send a request."""
    print("REQ bot", request, json.dumps(fields), file=server, flush=True)


port = int(sys.argv[2]) if len(sys.argv) > 2 else 7777
server = socket.create_connection(("127.0.0.1", port)).makefile("rw", encoding="utf-8")
ask("session.hello", version=1)
ask("session.login", player=sys.argv[1])
ask("lobby.subscribe", game="roshambo")
for line in server:
    print(line, end="")
    words = line.split()
    if words[2:3] == ["game.your_turn"]:
        ask(words[1] + " game.action", type="move", move=random.choice(["ROCK", "PAPER", "SCISSORS"]))
    elif words[2:3] in (["game.result"], ["ERR"]):
        break
