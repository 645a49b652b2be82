"""Plays a match of roshambo to its end, though connection and server fail: python3 steady.py NAME [PORT [ROUNDS]]."""

import json
import random
import socket
import sys
import time

if len(sys.argv) < 2:
    sys.exit(__doc__)
name, port, rounds = [*sys.argv[1:], *["7777", "3"][len(sys.argv) - 2 :]]
WANTED = {"game": "roshambo", "options": {"rounds": int(rounds)}}
token, received, tries, over = None, {}, 0, False  # `received`: how many lines of each match have come


def talk(wire, lines):
    """Play over one connection, until it has ended or the match is over."""
    global token, tries, over
    history, busy = {}, set()  # lines that are no news; matches in which an answer is awaited

    def send(id, request, fields):
        wire.sendall(f"REQ {id} {request} {json.dumps(fields)}\n".encode())

    def look(match):
        if match not in busy:
            busy.add(match)
            send(f"state:{match}", f"{match} game.state", {})

    send("hello", "session.hello", {"version": 1})
    if token:
        send("back", "session.reconnect", {"session_token": token, "matches": received})
    else:
        tries += 1  # a login whose answer was lost has taken the name
        send("login", "session.login", {"player": f"{name}-{tries}" if tries > 1 else name})
    while not over and (line := lines.readline()).endswith("\n"):  # what has no LF was cut off, and does not count
        kind, first, second, rest = [*line.rstrip("\n").split(" ", 3), "{}"][:4]
        what, _, match = first.partition(":")
        if second == "ERR" or first == "session.replaced":
            print(line, end="")
            sys.exit(1)
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
            throw = random.choice(["ROCK", "PAPER", "SCISSORS"])
            send(f"move:{match}", f"{match} game.action", {"type": "move", "move": throw})
        else:
            busy.discard(match)
    if over:
        send("bye", "session.logout", {})  # frees the name
        lines.read()


while not over:
    try:
        with socket.create_connection(("127.0.0.1", int(port))) as wire:
            talk(wire, wire.makefile(encoding="utf-8", newline="\n"))
    except OSError as error:  # the server is down, or went down
        if not tries:
            sys.exit(f"no server on port {port}: {error}")
    if not over:
        time.sleep(random.uniform(0.1, 0.3))
