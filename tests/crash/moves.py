"""What a bot plays: for each game a legal action, from nothing but the answer of `game.state`."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from random import Random
from typing import Any

Action = dict[str, Any]
State = dict[str, Any]

FLEET = {"Carrier": 5, "Battleship": 4, "Cruiser": 3, "Submarine": 3, "Destroyer": 2}


class Mind:
    """What a bot knows that the server does not, and so has to keep itself: chance, and what its commits hide."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.hidden: dict[str, tuple[str, str]] = {}  # hash to choice and nonce

    def choose(self, answer: State) -> Action:
        """Return a legal action of a player who is in `turn`."""
        return CHOICES[answer["game"]](self, answer["you"], answer["state"])

    def commit(self) -> str:
        """Return the hash of a new choice."""
        choice, nonce = self.chance.choice(["rock", "paper", "scissors"]), self.chance.randbytes(16).hex()
        hash = sha256(f"{choice}:{nonce}".encode()).hexdigest()
        self.hidden[hash] = choice, nonce
        return hash


def battleship(mind: Mind, you: str, state: State) -> Action:
    if state["phase"] == "placing":
        return {"type": "place_fleet", "ships": fleet(mind.chance)}
    shot = {shot["move"] for shot in state["shots"][you]}
    return {"type": "move", "move": mind.chance.choice([square for square in range(100) if square not in shot])}


def fleet(chance: Random) -> list[dict[str, Any]]:
    """Return the ships in rows that do not touch."""
    rows = chance.sample([0, 2, 4, 6, 8], 5)
    return [
        {"ship": ship, "row": row, "col": chance.randint(0, 10 - length), "orientation": "H"}
        for row, (ship, length) in zip(rows, FLEET.items(), strict=True)
    ]


def roshambo(mind: Mind, you: str, state: State) -> Action:
    return {"type": "move", "move": mind.chance.choice(["ROCK", "PAPER", "SCISSORS"])}


def rps(mind: Mind, you: str, state: State) -> Action:
    match state["phase"]:
        case "commit":
            return {"type": "commit", "round": state["round"], "hash": mind.commit()}
        case "reveal":
            choice, nonce = mind.hidden[state[f"{state['role']}_commit"]]
            return {"type": "reveal", "round": state["round"], "choice": choice, "nonce": nonce}
        case _:
            return {"type": "move", "move": mind.chance.choice(["rock", "paper", "scissors"])}


def purrinha(mind: Mind, you: str, state: State) -> Action:
    if state["round"] == "choosing":
        return {"type": "pick_initial_number", "selected_value": mind.chance.randint(0, 3)}
    return {"type": "sum_guessed", "selected_value": mind.chance.choice(state["available_to_guess"])}


CHOICES: dict[str, Callable[[Mind, str, State], Action]] = {
    "battleship": battleship,
    "roshambo": roshambo,
    "rps": rps,
    "purrinha": purrinha,
}
