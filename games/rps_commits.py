"""Commitments of rps: the hash of a choice, and the hashes that one match has seen. No rules of the round."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

Seen = tuple[bytes, ...]
"""Hashes in 256 buckets, each joined to one string, so that adding one copies a 256th of them.

They are hashed once more: then no player can choose where theirs falls, and none is found across two neighbours.
"""

NOTHING_SEEN: Final[Seen] = (b"",) * 256


def commitment(choice: str, nonce: str) -> str:
    """Return what a player commits to: SHA-256 of `choice:nonce`, in lower-case hexadecimal."""
    return sha256(f"{choice}:{nonce}".encode()).hexdigest()


def was_seen(seen: Seen, commit: str) -> bool:
    """Tell whether a commitment was added before."""
    digest = sha256(commit.encode()).digest()
    return digest in seen[digest[0]]


def add_seen(seen: Seen, commit: str) -> Seen:
    """Return the buckets with one commitment more."""
    digest = sha256(commit.encode()).digest()
    bucket = digest[0]
    return (*seen[:bucket], seen[bucket] + digest, *seen[bucket + 1 :])
