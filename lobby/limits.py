"""Limits of the operating system: how many files, and so connections, the process may have open."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from structlog import get_logger

log = get_logger(__name__)

SPARE: Final = 64
"""Files that are no connections: the store, the log, the event loop's own."""


def raise_file_limit(connections: int) -> None:
    """Let the process have as many connections open, as far as it may; say so where that is not enough."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = connections + SPARE
        if soft < wanted:
            soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        if soft < wanted:
            log.warning("fewer connections than set: the limit of open files is lower", open_files=soft, wanted=wanted)
