"""Plays a match of roshambo with whoever comes: python3 roshambo.py NAME [PORT]."""

import random, socket, sys

port = int(sys.argv[2]) if len(sys.argv) > 2 else 7777
server = socket.create_connection(("127.0.0.1", port)).makefile("rw", encoding="utf-8")
print('REQ 1 session.hello {"version": 1}', file=server)
print('REQ 2 session.login {"player": "%s"}' % sys.argv[1], file=server)
print('REQ 3 lobby.subscribe {"game": "roshambo"}', file=server, flush=True)
for line in server:
    print(line, end="")
    words = line.split()
    if words[2:3] == ["game.your_turn"]:
        move = random.choice(["ROCK", "PAPER", "SCISSORS"])
        print("REQ 4", words[1], 'game.action {"type": "move", "move": "%s"}' % move, file=server, flush=True)
    elif words[2:3] in (["game.result"], ["ERR"]):
        break
