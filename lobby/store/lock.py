"""One server per file: a lock on a file beside the database, which the system lets go however the process ends.

The database itself stays open to readers. The side file is left in place: were it removed, two servers could each lock
one of that name.
"""

from __future__ import annotations

import os
import sys

from lobby.store import StoreFailed

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    _TAKEN: tuple[type[OSError], ...] = (PermissionError,)
else:
    import fcntl

    def _lock(file: int) -> None:
        # flock and not lockf: it also keeps a second store of the same process out.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    _TAKEN = (BlockingIOError,)


def claim(path: str) -> int:
    """Lock the database at `path` for this server, and return the lock, for `release`.

    Raise `StoreFailed` where another server has it.
    """
    try:
        file = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreFailed(f"cannot write beside {path}: {error.strerror}") from error
    try:
        _lock(file)
    except OSError as error:
        os.close(file)
        if isinstance(error, _TAKEN):
            raise StoreFailed(
                f"{path} is in use by another server; stop that one, or choose another file with --db"
            ) from error
        raise StoreFailed(f"cannot lock {path}: {error.strerror}") from error
    return file


def release(lock: int) -> None:
    """Let another server have the database."""
    os.close(lock)
