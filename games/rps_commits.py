"""Commitments of rps: the hash of a choice, and the hashes that one match has seen. No rules of the round."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

DIGEST_BYTES: Final = 32

NOTHING_SEEN: Final[tuple[bytes, ...]] = (b"",) * 256
"""Digests in 256 buckets by their first byte, each bucket joined to one string: adding one copies a 256th of them."""


def commitment(choice: str, nonce: str) -> str:
    """Return what a player commits to: SHA-256 of `choice:nonce`, in lower-case hexadecimal."""
    return sha256(f"{choice}:{nonce}".encode()).hexdigest()


def was_seen(seen: tuple[bytes, ...], digest: bytes) -> bool:
    """Tell whether a digest was added before."""
    bucket = seen[digest[0]]
    at = bucket.find(digest)
    while at > 0 and at % DIGEST_BYTES:  # found across two neighbours
        at = bucket.find(digest, at + 1)
    return at >= 0


def add_seen(seen: tuple[bytes, ...], digest: bytes) -> tuple[bytes, ...]:
    """Return the buckets with one digest more."""
    first = digest[0]
    return (*seen[:first], seen[first] + digest, *seen[first + 1 :])
