"""A bot that plays one match of roshambo to its end, whatever happens to its connection or to the server.

python steady_bot.py HOST PORT NAME ROUNDS
"""

import json
import random
import socket
import sys
import time

host, port, name, rounds = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
WANTED = {"game": "roshambo", "options": {"rounds": rounds}}
THROWS = ["ROCK", "PAPER", "SCISSORS"]

token, received, over = None, {}, False  # `received`: how many lines of each match have come


def talk(wire, lines):
    """Play over one connection, until it has ended or the match is over."""
    global token, over
    history, busy = {}, set()  # lines that are no news; matches of which an answer is awaited

    def send(id, request, body):
        wire.sendall(f"REQ {id} {request} {json.dumps(body)}\n".encode())

    def look(match):
        if match not in busy:
            busy.add(match)
            send(f"state:{match}", f"{match} game.state", {})

    send("hello", "session.hello", {"version": 1})
    if token:
        send("back", "session.reconnect", {"session_token": token, "matches": received})
    else:  # a login that got no answer may have taken the name, so each try has its own
        send("login", "session.login", {"player": f"{name}-{random.randrange(10**9)}"})
    while not over and (line := lines.readline()).endswith("\n"):  # what has no LF was cut off, and does not count
        kind, first, second, rest = (line.rstrip("\n").split(" ", 3) + ["{}"])[:4]
        what, _, match = first.partition(":")
        if second == "ERR" or first == "session.replaced":
            sys.exit(line)
        elif kind == "EVT" and "." not in first:
            print(line, end="", flush=True)
            received[first] = received.get(first, 0) + 1
            over = second == "game.result"
            if second == "game.your_turn" and received[first] > history.get(first, 0):
                look(first)
        elif what == "login":
            token = json.loads(rest)["session_token"]
            send("wait", "lobby.subscribe", WANTED)
        elif what == "back":
            answer = json.loads(rest)
            history = {match: known["events"] for match, known in answer["matches"].items()}
            for match in history:
                look(match)
            if not history and not answer["subscriptions"]:
                send("wait", "lobby.subscribe", WANTED)
        elif what == "state" and (state := json.loads(rest))["you"] in state["turn"]:
            send(f"move:{match}", f"{match} game.action", {"type": "move", "move": random.choice(THROWS)})
        else:
            busy.discard(match)


while not over:
    try:
        with socket.create_connection((host, port)) as wire, wire.makefile(encoding="utf-8", newline="\n") as lines:
            talk(wire, lines)
    except OSError:
        pass  # the server is down, or went down
    time.sleep(random.uniform(0.05, 0.2))
