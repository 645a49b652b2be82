"""The example for bot writers keeps its promise: killed servers cost it neither the match nor a single line."""

import asyncio
import sys
from pathlib import Path

from season import stored
from server_process import PATIENCE, ServerProcess

from games.contract import only
from lobby import journal
from lobby.record import Record
from lobby.store.opening import open_store

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "steady.py"
ROUNDS = 250


async def bot(server: ServerProcess, name: str) -> asyncio.subprocess.Process:
    command = (sys.executable, EXAMPLE, name, str(server.port), str(ROUNDS))
    return await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )


async def test_the_bot_of_the_docs_survives_three_kills_in_one_match_and_does_nothing_illegal(tmp_path: Path):
    server = ServerProcess(tmp_path / "steady.db")
    await server.start()
    ann, bob = await bot(server, "ann"), await bot(server, "bob")
    assert ann.stdout is not None
    assert bob.stdout is not None
    heard = []
    async with asyncio.timeout(PATIENCE):
        for lines in (150, 300, 450):
            heard += [await ann.stdout.readline() for _ in range(lines)]
            await server.kill()
            await server.start()
        rest, complaint = await ann.communicate()
        seen, other_complaint = await bob.communicate()
    assert (ann.returncode, complaint, bob.returncode, other_complaint) == (0, b"", 0, b"")
    assert await server.stop() == 0
    told = {"ann": b"".join(heard) + rest, "bob": seen}
    assert stored(server.database, {"m1"})["m1"].reason == "normal"
    assert told == recorded(server.database)


def recorded(database: Path) -> dict[str, bytes]:
    """Return what the file holds of the match, as each player was to see it."""
    store = open_store(str(database), durability="process")
    row = store.match(1)
    assert row is not None
    assert sum(isinstance(entry, journal.Act) for entry in journal.split(row.inputs)) == 2 * ROUNDS
    record = Record.kept(store, 1, len(row.players))
    told = {name: b"".join(record.read(only(seat), 0, row.events[seat])) for seat, name in enumerate(row.players)}
    store.close()
    return told
