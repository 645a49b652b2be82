"""Commitments of rps: their order, what is shown, what is refused, and what a match remembers of them."""

from __future__ import annotations

import re
from hashlib import sha256
from random import Random
from typing import Any

import msgspec
import pytest
from rps_play import NONCE, RPS, A, B, Play, nonce

from games.contract import Action, Reason, Refusal
from games.rps import Commit, Reveal
from games.rps_commits import NOTHING_SEEN, add_seen, commitment, was_seen
from games.rps_rounds import RpsState

HASH = "0" * 64


def new(**sent: Any) -> Play:
    """Return a match with commitments."""
    return Play(**{"best_of": 9, "commit_reveal": True, **sent})


def test_a_commitment_is_the_sha_256_of_choice_and_nonce() -> None:
    assert commitment("rock", NONCE) == sha256(b"rock:0123456789abcdef").hexdigest()
    assert commitment("scissors", "a1b2c3d4e5f6a1b2") == (
        "83b888bd8b1c599723ce7be24c3640a01385acbea47e8cdb550a8782cc61d5f1"
    )


def test_a_round_of_commit_and_reveal_is_told_to_the_byte() -> None:
    play = Play(commit_reveal=True, max_think_seconds=20)
    host, guest = commitment("rock", NONCE), commitment("paper", NONCE)
    assert '"commit_reveal": true' in play.lines[0]
    assert play.act(B, Commit(0, guest)) == [
        f'ABS game.action {{"type": "commit", "player": "b", "round": 0, "hash": "{guest}"}}'
    ]
    assert play.act(A, Commit(0, host)) == [
        f'ABS game.action {{"type": "commit", "player": "a", "round": 0, "hash": "{host}"}}',
        'AB game.your_turn {"seconds": 20}',
    ]
    assert play.act(A, Reveal(0, "rock", NONCE)) == [
        f'ABS game.action {{"type": "reveal", "player": "a", "round": 0, "choice": "rock", "nonce": "{NONCE}"}}'
    ]
    assert play.act(B, Reveal(0, "paper", NONCE)) == [
        f'ABS game.action {{"type": "reveal", "player": "b", "round": 0, "choice": "paper", "nonce": "{NONCE}"}}',
        'ABS game.update {"type": "round_result", "round": 0, "host_choice": "rock", "guest_choice": "paper", '
        '"round_winner": "guest", "host_wins": 0, "guest_wins": 1, "game_over": false, "game_winner": "none"}',
        'AB game.your_turn {"seconds": 20}',
    ]


# Refusals


@pytest.mark.parametrize("seat", [A, B])
def test_an_action_of_another_phase_or_a_second_one_is_not_your_turn(seat: int) -> None:
    play = new()
    assert play.refusal(seat, Reveal(0, "rock", NONCE)).code is Refusal.NOT_YOUR_TURN
    play.act(seat, play.commit(seat, "rock"))
    for early in (play.commit(seat, "paper"), play.reveal(seat, "rock"), Reveal(7, "rock", NONCE), Commit(0, HASH)):
        assert play.refusal(seat, early).code is Refusal.NOT_YOUR_TURN
    assert play.refusal(1 - seat, Reveal(0, "rock", NONCE)).code is Refusal.NOT_YOUR_TURN
    play.act(1 - seat, play.commit(1 - seat, "rock"))
    for who in (A, B):
        assert play.refusal(who, Commit(0, HASH)).code is Refusal.NOT_YOUR_TURN
    play.act(seat, play.reveal(seat, "rock"))
    for late in (play.reveal(seat, "rock"), Commit(0, HASH)):
        assert play.refusal(seat, late).code is Refusal.NOT_YOUR_TURN


@pytest.mark.parametrize("number", [0, 2, 9])
def test_a_wrong_round_is_an_invalid_move_in_either_phase(number: int) -> None:
    play = new()
    play.throw("rock rock")
    assert play.refusal(A, Commit(number, HASH)).code is Refusal.INVALID_MOVE
    play.both_commit("rock", "rock")
    refused = play.refusal(A, Reveal(number, "rock", nonce(A, 1)))
    assert refused.code is Refusal.INVALID_MOVE
    assert refused.message == f"round 1 is being played, not {number}"


def test_a_hash_that_the_match_has_seen_is_an_invalid_commit_whoever_sends_it() -> None:
    play = new()
    mine = play.commit(A, "rock")
    play.act(A, mine)
    assert isinstance(mine, Commit)
    assert play.refusal(B, mine).code is Refusal.INVALID_COMMIT
    play.strike()  # the commit was in vain; its hash is known all the same
    for seat in (A, B):
        assert play.refusal(seat, Commit(1, mine.hash)).code is Refusal.INVALID_COMMIT
    play.throw("rock rock")
    for seat in (A, B):
        assert play.refusal(seat, Commit(2, mine.hash)).code is Refusal.INVALID_COMMIT


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        (Commit, {"hash": HASH}),
        *((Commit, {"round": wrong, "hash": HASH}) for wrong in (-1, "0", 0.0, True, None)),
        (Commit, {"round": 0}),
        *((Commit, {"round": 0, "hash": wrong}) for wrong in (
            "", HASH[1:], HASH + "0", HASH + "\n", "A" * 64, "g" * 64, "\u0660" * 64, 0, None)),
        (Reveal, {"round": 0, "choice": "rock"}),
        (Reveal, {"round": 0, "nonce": NONCE}),
        (Reveal, {"choice": "rock", "nonce": NONCE}),
        *((Reveal, {"round": wrong, "choice": "rock", "nonce": NONCE}) for wrong in (-1, "0", 0.0, True, None)),
        *((Reveal, {"round": 0, "choice": wrong, "nonce": NONCE}) for wrong in ("Rock", "none", "", 1, None)),
        *((Reveal, {"round": 0, "choice": "rock", "nonce": wrong}) for wrong in (
            "", NONCE[1:], "0" * 129, "0" * 127 + "\n", NONCE + "\n", "A" * 16, "g" * 16, 0, None)),
    ],
)  # fmt: skip
def test_malformed_fields_have_the_code_of_their_field(action: type[Action], fields: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError) as wrong:
        msgspec.json.decode(msgspec.json.encode({"type": action.__struct_config__.tag, **fields}), type=action)
    bad_hash = action is Commit and re.search(r"`(\$\.)?hash`", str(wrong.value)) is not None
    assert bad_hash == (action is Commit and fields.get("hash") != HASH)
    code = action.malformed_field.get("hash" if bad_hash else "round", action.malformed)
    assert code is (Refusal.INVALID_COMMIT if bad_hash else Refusal.INVALID_MOVE)


@pytest.mark.parametrize("good", ["0" * 16, "f" * 128, NONCE * 4])
def test_a_nonce_has_16_to_128_hexadecimal_digits(good: str) -> None:
    play = Play(best_of=1, commit_reveal=True)
    play.act(A, Commit(0, commitment("rock", good)))
    play.act(B, Commit(0, commitment("paper", good)))
    for seat, word in ((A, "rock"), (B, "paper")):
        play.act(seat, msgspec.convert({"type": "reveal", "round": 0, "choice": word, "nonce": good}, Reveal))
    assert play.ending == ("LOSS", "WIN", "normal")


# What may be known


def test_a_view_shows_the_commits_and_reveals_of_the_round_the_same_to_all() -> None:
    play = new(dynamite_count=1).both_commit()
    play.act(B, play.reveal(B, "paper"))
    shown = {
        "phase": "reveal",
        "round": 0,
        "host_wins": 0,
        "guest_wins": 0,
        "host_dynamite": 1,
        "guest_dynamite": 1,
        "host_commit": commitment("rock", nonce(A, 0)),
        "guest_commit": commitment("paper", nonce(B, 0)),
        "host_choice": None,
        "guest_choice": "paper",
        "last_round": None,
    }
    for who, role in ((A, "host"), (B, "guest"), (None, "spectator")):
        assert RPS.view(play.state, who) == {"role": role} | shown


def test_a_new_round_forgets_the_commits_and_choices_of_the_last_one() -> None:
    play = new().both_commit()
    play.act(A, play.reveal(A, "rock"))
    play.strike()
    view = RPS.view(play.state, A)
    assert [view[field] for field in ("host_commit", "guest_commit", "host_choice", "guest_choice")] == [None] * 4


def test_leaving_while_reveals_are_due_ends_the_match_without_a_round() -> None:
    play = new().both_commit()
    assert play.leave(B, reason=Reason.DISCONNECTED) == []
    assert play.ending == ("WIN", "LOSS", "disconnected")


# Samples


def test_a_sampled_reveal_matches_the_sampled_commit_even_from_a_decoded_state() -> None:
    play = Play(best_of=9999, commit_reveal=True, dynamite_count=3, allow_bubbles=True)
    chance = Random(3)
    for _ in range(50):
        for _phase in ("commit", "reveal"):
            for seat in (A, B):
                play.state = msgspec.msgpack.decode(msgspec.msgpack.encode(play.state), type=RpsState)
                play.act(seat, RPS.sample(play.state, seat, chance))
    assert play.ending is None
    assert play.state.round == 50


def test_a_reveal_sampled_for_someone_elses_commit_is_still_well_formed() -> None:
    play = new().both_commit()
    play.act(A, RPS.sample(play.state, A, Random(1)))
    assert play.ending == ("LOSS", "WIN", "commit_mismatch")


# Seen hashes


def test_9999_rounds_of_commits_are_all_remembered_compactly() -> None:
    commits = [commitment("rock", f"{number:016x}") for number in range(2 * 9999)]
    seen = NOTHING_SEEN
    for commit in commits:
        assert not was_seen(seen, commit)
        seen = add_seen(seen, commit)
    assert all(was_seen(seen, commit) for commit in commits)
    assert len(msgspec.msgpack.encode(seen)) < 33 * len(commits)


def test_hashes_chosen_to_look_alike_are_told_apart_and_spread_out() -> None:
    commits = [f"{number:064x}" for number in range(2560)]
    seen = NOTHING_SEEN
    for commit in commits:
        assert not was_seen(seen, commit)
        seen = add_seen(seen, commit)
    assert max(map(len, seen)) < 32 * 40
