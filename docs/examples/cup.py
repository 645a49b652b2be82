"""Plays a tournament of rps, though its connection, the server or itself fails: python3 cup.py NAME CUP [HOST [PORT]].

The token in NAME.token is its place in the tournament: started again beside it, it goes on where it was.
"""

import json
import os
import random
import socket
import sys
import time

if not 3 <= len(sys.argv) <= 5:
    sys.exit(__doc__)
name, cup, host, port = sys.argv[1:] + ["127.0.0.1", "7777"][len(sys.argv) - 3 :]
TOKEN = f"{name}.token"


def keep(token):
    """Write the token down, for this user's eyes only."""
    with os.fdopen(os.open(TOKEN, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(token)


def kept():
    """Return the token, if there is one."""
    try:
        with open(TOKEN) as file:
            return file.read()
    except FileNotFoundError:
        return None


def play(wire, lines):
    """Play over one connection until it ends; return whether the tournament is over."""
    busy = set()  # matches in which an answer is awaited

    def send(id, request, **fields):
        wire.sendall(f"REQ {id} {request} {json.dumps(fields)}\n".encode())

    def look(match):
        if match not in busy:
            busy.add(match)
            send(f"state:{match}", f"{match} game.state")

    def enter(cups):
        """Register, unless that is done; ask for the end where it was missed."""
        known = next((each for each in cups["tournaments"] if each["tournament"] == cup), None)
        if known is None and "more" in cups:
            send("cups", "tournament.list", after=cups["tournaments"][-1]["tournament"])
        elif known is None:
            sys.exit(f"there is no tournament {cup}")
        elif known["status"] in ("finished", "cancelled"):
            send("end", "tournament.standings", tournament=cup)
        elif name not in known["players"]:
            send("register", "tournament.register", tournament=cup)

    send("hello", "session.hello", version=1)
    if token := kept():
        send("back", "session.reconnect", session_token=token)
    else:
        send("login", "session.login", player=name)
    while (line := lines.readline()).endswith("\n"):
        kind, first, word = [*line.split(), ""][:3]
        fields = json.loads(line[line.index("{") :]) if "{" in line else {}
        what, _, match = first.partition(":")
        if first == "session.replaced":
            sys.exit(f"another program plays as {name}")
        if kind == "EVT" and word == "game.your_turn":
            look(first)
        elif kind == "EVT" and word == "game.result":
            print(first, fields["result"], fields["reason"], flush=True)
        elif first in ("tournament.finished", "tournament.cancelled") and fields["tournament"] == cup:
            send("end", "tournament.standings", tournament=cup)
        elif kind == "EVT":
            pass
        elif word == "ERR" and what == "back" and fields["code"] == "INVALID_TOKEN":
            os.remove(TOKEN)  # that session has ended: begin anew
            send("login", "session.login", player=name)
        elif word == "ERR" and what not in ("state", "move"):
            sys.exit(fields["message"])
        elif what in ("login", "back"):
            if what == "login":
                keep(fields["session_token"])
            for match, known in fields.get("matches", {}).items():
                if known["live"]:
                    look(match)
            send("cups", "tournament.list")
        elif what == "cups":
            enter(fields)
        elif what == "state" and word == "OK" and fields["you"] in fields["turn"]:
            send(
                f"move:{match}", f"{match} game.action", type="move", move=random.choice(["rock", "paper", "scissors"])
            )
        elif what == "end":
            for one in fields["standings"]:
                if one["player"] == name:
                    print(name, "is number", one["place"], "with", one["points"], "points")
            return True
        else:
            busy.discard(match)
    return False


over, told = False, False
while not over:
    try:
        with socket.create_connection((host, int(port))) as wire:
            told = False
            over = play(wire, wire.makefile(encoding="utf-8", newline="\n"))
    except OSError as error:
        if not told:
            print(f"no server at {host} port {port} ({error}); trying again until there is", file=sys.stderr)
        told = True
    if not over:
        time.sleep(random.uniform(0.2, 1))
