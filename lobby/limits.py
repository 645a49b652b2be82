"""Limits of the operating system: how many files, and so connections, the process may have open."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from structlog import get_logger

log = get_logger(__name__)

SPARE: Final = 64
"""Files that are no connections: the store, the log, the event loop's own."""


def room_for(connections: int) -> int:
    """Let the process have as many connections open, as far as it may. Return how many that is; say so where it is fewer."""
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    except (ImportError, OSError):
        return connections
    wanted = connections + SPARE
    if soft < wanted:
        with suppress(OSError, ValueError):
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    room = max(1, min(connections, soft - SPARE))
    if room < connections:
        log.warning("fewer connections than set: the limit of open files is lower", connections=room, open_files=soft)
    return room
