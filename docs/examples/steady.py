"""Plays a match of roshambo to its end, though connection and server fail: python3 steady.py NAME [PORT [ROUNDS]]."""

import json, random, socket, sys, time

if len(sys.argv) < 2:
    sys.exit(__doc__)
name, port, rounds = [*sys.argv[1:], *["7777", "3"][len(sys.argv) - 2 :]]
names = iter([name, *(f"{name}-{number}" for number in range(2, 99))])  # a login whose answer was lost has taken one
token, received, history, asked, over = None, {}, {}, "", False  # `received`: how many lines of each match have come


def ask(id, request, **fields):
    """Send a request."""
    wire.sendall(f"REQ {id} {request} {json.dumps(fields)}\n".encode())


def look(match):
    """Ask how a match stands; only the answer to the last question is acted on, as it knows of all before."""
    global asked
    asked = f"{match}:{received.get(match, 0)}"
    ask(asked, f"{match} game.state")


while not over:
    try:
        wire = socket.create_connection(("127.0.0.1", int(port)))
        lines = wire.makefile(encoding="utf-8", newline="\n")
        ask("hello", "session.hello", version=1)
        if token:
            ask("back", "session.reconnect", session_token=token, matches=received)
        else:
            ask("login", "session.login", player=next(names))
        while not over and (line := lines.readline()).endswith("\n"):  # what has no LF was cut off, and does not count
            kind, first, second, rest = [*line.rstrip("\n").split(" ", 3), "{}"][:4]
            if second == "ERR" or first == "session.replaced":
                sys.exit(line.rstrip())
            elif kind == "EVT" and "." not in first:
                print(line, end="", flush=True)
                received[first] = received.get(first, 0) + 1
                over = second == "game.result"
                if second == "game.your_turn" and received[first] > history.get(first, 0):
                    look(first)
            elif first in ("login", "back"):
                answer = {"matches": {}, "subscriptions": [], **json.loads(rest)}
                token = token or answer["session_token"]
                # Lines up to these counts are no news.
                history = {match: known["events"] for match, known in answer["matches"].items()}
                for match in history:
                    look(match)
                if not history and not answer["subscriptions"]:
                    ask("wait", "lobby.subscribe", game="roshambo", options={"rounds": int(rounds)})
            elif first == asked and (state := json.loads(rest))["you"] in state["turn"]:
                throw = random.choice(["ROCK", "PAPER", "SCISSORS"])
                ask("move", f"{asked.partition(':')[0]} game.action", type="move", move=throw)
        if over:
            ask("bye", "session.logout")  # frees the name
            lines.read()
    except OSError as error:  # the server is down, or went down
        if not token:
            sys.exit(f"no server on port {port}: {error}")
    time.sleep(random.uniform(0.1, 0.3))
