"""Plays a match of roshambo with whoever comes: python3 roshambo.py NAME [PORT]."""

import random, socket, sys

if len(sys.argv) < 2:
    sys.exit(__doc__)
port = int(sys.argv[2]) if len(sys.argv) > 2 else 7777
try:
    wire = socket.create_connection(("127.0.0.1", port))
except OSError as error:
    sys.exit(f"no server on port {port}: {error}")
server = wire.makefile("w", encoding="utf-8")  # not "rw": to write would lose what was read ahead
print('REQ 1 session.hello {"version": 1}', file=server)
print('REQ 2 session.login {"player": "%s"}' % sys.argv[1], file=server)
print('REQ 3 lobby.subscribe {"game": "roshambo"}', file=server, flush=True)
for line in wire.makefile(encoding="utf-8"):
    print(line, end="")
    words = line.split()
    if words[2:3] == ["game.your_turn"]:
        move = random.choice(["ROCK", "PAPER", "SCISSORS"])
        print("REQ 4", words[1], 'game.action {"type": "move", "move": "%s"}' % move, file=server, flush=True)
    elif words[2:3] == ["game.result"]:
        print("REQ 5 session.logout", file=server, flush=True)  # frees the name; then the server closes
    elif words[2:3] == ["ERR"]:
        sys.exit(1)
