"""Whole matches of rps as their players and spectators read them: the flows of the two documents it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent
from typing import Any

import msgspec
import pytest
from rps_play import A, B, Play

from games.rps import Commit, Move, Reveal

COMMIT_REVEAL = """
    A game.update {"type": "ready", "role": "host", "best_of": 1, "rounds_to_win": 1, "termination": "first_to_win", "round_delay_seconds": 0, "commit_reveal": true, "allow_bubbles": false, "dynamite_count": 0}
    B game.update {"type": "ready", "role": "guest", "best_of": 1, "rounds_to_win": 1, "termination": "first_to_win", "round_delay_seconds": 0, "commit_reveal": true, "allow_bubbles": false, "dynamite_count": 0}
    S game.update {"type": "ready", "role": "spectator", "best_of": 1, "rounds_to_win": 1, "termination": "first_to_win", "round_delay_seconds": 0, "commit_reveal": true, "allow_bubbles": false, "dynamite_count": 0}
    AB game.your_turn
    A> {"type": "commit", "round": 0, "hash": "c903f30936dabd02e30b1193925f841315eec594920cc27b8c378787a20a24ce"}
    ABS game.action {"type": "commit", "player": "a", "round": 0, "hash": "c903f30936dabd02e30b1193925f841315eec594920cc27b8c378787a20a24ce"}
    B> {"type": "commit", "round": 0, "hash": "83b888bd8b1c599723ce7be24c3640a01385acbea47e8cdb550a8782cc61d5f1"}
    ABS game.action {"type": "commit", "player": "b", "round": 0, "hash": "83b888bd8b1c599723ce7be24c3640a01385acbea47e8cdb550a8782cc61d5f1"}
    AB game.your_turn
    A> {"type": "reveal", "round": 0, "choice": "paper", "nonce": "f6e5d4c3b2a1f6e5"}
    ABS game.action {"type": "reveal", "player": "a", "round": 0, "choice": "paper", "nonce": "f6e5d4c3b2a1f6e5"}
    B> {"type": "reveal", "round": 0, "choice": "scissors", "nonce": "a1b2c3d4e5f6a1b2"}
    ABS game.action {"type": "reveal", "player": "b", "round": 0, "choice": "scissors", "nonce": "a1b2c3d4e5f6a1b2"}
    ABS game.update {"type": "round_result", "round": 0, "host_choice": "paper", "guest_choice": "scissors", "round_winner": "guest", "host_wins": 0, "guest_wins": 1, "game_over": true, "game_winner": "guest"}
"""  # noqa: E501 - the lines are the wire's

XMPP_TOURNAMENT = """
    A game.update {"type": "ready", "role": "host", "best_of": 4, "rounds_to_win": 3, "termination": "fixed_rounds", "round_delay_seconds": 0, "commit_reveal": false, "allow_bubbles": true, "dynamite_count": 50}
    B game.update {"type": "ready", "role": "guest", "best_of": 4, "rounds_to_win": 3, "termination": "fixed_rounds", "round_delay_seconds": 0, "commit_reveal": false, "allow_bubbles": true, "dynamite_count": 50}
    S game.update {"type": "ready", "role": "spectator", "best_of": 4, "rounds_to_win": 3, "termination": "fixed_rounds", "round_delay_seconds": 0, "commit_reveal": false, "allow_bubbles": true, "dynamite_count": 50}
    AB game.your_turn
    A> {"type": "move", "move": "rock"}
    B> {"type": "move", "move": "paper"}
    ABS game.update {"type": "round_result", "round": 0, "host_choice": "rock", "guest_choice": "paper", "round_winner": "guest", "host_wins": 0, "guest_wins": 1, "game_over": false, "game_winner": "none"}
    AB game.your_turn
    B> {"type": "move", "move": "bubbles"}
    A> {"type": "move", "move": "dynamite"}
    ABS game.update {"type": "round_result", "round": 1, "host_choice": "dynamite", "guest_choice": "bubbles", "round_winner": "guest", "host_wins": 0, "guest_wins": 2, "game_over": false, "game_winner": "none"}
    AB game.your_turn
    A> {"type": "move", "move": "rock"}
    10 seconds
    ABS game.update {"type": "round_result", "round": 2, "host_choice": "rock", "guest_choice": "none", "round_winner": "host", "host_wins": 1, "guest_wins": 2, "game_over": false, "game_winner": "none"}
    AB game.your_turn
    A> {"type": "move", "move": "dynamite"}
    B> {"type": "move", "move": "scissors"}
    ABS game.update {"type": "round_result", "round": 3, "host_choice": "dynamite", "guest_choice": "scissors", "round_winner": "host", "host_wins": 2, "guest_wins": 2, "game_over": true, "game_winner": "draw"}
"""  # noqa: E501

PACED = """
    A game.update {"type": "ready", "role": "host", "best_of": 3, "rounds_to_win": 2, "termination": "first_to_win", "round_delay_seconds": 2, "commit_reveal": false, "allow_bubbles": false, "dynamite_count": 0}
    B game.update {"type": "ready", "role": "guest", "best_of": 3, "rounds_to_win": 2, "termination": "first_to_win", "round_delay_seconds": 2, "commit_reveal": false, "allow_bubbles": false, "dynamite_count": 0}
    S game.update {"type": "ready", "role": "spectator", "best_of": 3, "rounds_to_win": 2, "termination": "first_to_win", "round_delay_seconds": 2, "commit_reveal": false, "allow_bubbles": false, "dynamite_count": 0}
    AB game.your_turn {"seconds": 30}
    A> {"type": "move", "move": "rock"}
    B> {"type": "move", "move": "scissors"}
    ABS game.update {"type": "round_result", "round": 0, "host_choice": "rock", "guest_choice": "scissors", "round_winner": "host", "host_wins": 1, "guest_wins": 0, "game_over": false, "game_winner": "none"}
    2 seconds
    AB game.your_turn {"seconds": 30}
    B> {"type": "move", "move": "paper"}
    A> {"type": "move", "move": "scissors"}
    ABS game.update {"type": "round_result", "round": 1, "host_choice": "scissors", "guest_choice": "paper", "round_winner": "host", "host_wins": 2, "guest_wins": 0, "game_over": true, "game_winner": "host"}
"""  # noqa: E501


@pytest.mark.parametrize(
    ("sent", "script", "ending"),
    [
        ({"profile": "quick", "commit_reveal": True}, COMMIT_REVEAL, ("LOSS", "WIN", "normal")),
        ({"profile": "tournament", "max_moves": 4}, XMPP_TOURNAMENT, ("DRAW", "DRAW", "normal")),
        ({"profile": "paced", "max_think_seconds": 30}, PACED, ("WIN", "LOSS", "normal")),
    ],
    ids=["commit-reveal", "tournament", "paced"],
)
def test_a_match_reads_as_its_document_says(sent: dict[str, Any], script: str, ending: tuple[str, str, str]) -> None:
    play = Play(**sent)
    expected = dedent(script).strip().splitlines()
    assert replayed(play, expected) == expected
    assert play.ending == ending


def replayed(play: Play, script: Sequence[str]) -> list[str]:
    """Send the inputs of a script (`A> ...`, `10 seconds`), and return it with what was really told after each."""
    real = list(play.lines)
    for text in script:
        if text[:3] in ("A> ", "B> "):
            action = msgspec.json.decode(text[3:], type=Move | Commit | Reveal)
            real += [text, *play.act(A if text[0] == "A" else B, action)]
        elif text.endswith(" seconds"):
            before = play.now
            told = play.strike()
            real += [f"{play.now - before:g} seconds", *told]
    return real
