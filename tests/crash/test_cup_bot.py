"""The bot that pupils begin with: a killed server and a killed bot cost it neither its name nor its place in the cup."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from server_process import PATIENCE, ServerProcess

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "cup.py"
CUP = {"game": "rps", "options": {"best_of": 400, "termination": "fixed_rounds"}}
NAMES = ("anna", "ben", "carla")


async def bot(server: ServerProcess, folder: Path, name: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, EXAMPLE, name, "t1", "127.0.0.1", str(server.port)),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


def tokens(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in folder.glob("*.token")}


class Organiser:
    """Whoever creates and starts the cup."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def ask(self, request: str, **fields: Any) -> dict[str, Any]:
        self._writer.write(f"REQ ask {request} {json.dumps(fields)}\n".encode())
        while not (line := await self._reader.readline()).startswith(b"RES ask OK"):
            assert line.startswith(b"EVT "), line
        return dict(json.loads(line[11:] or b"{}"))

    def leave(self) -> None:
        self._writer.transport.abort()


async def test_the_bot_of_the_docs_keeps_its_place_though_the_server_and_it_are_killed(tmp_path: Path):
    server = ServerProcess(tmp_path / "cup.db")
    await server.start()
    async with asyncio.timeout(4 * PATIENCE):
        organiser = Organiser(*await asyncio.open_connection("127.0.0.1", server.port))
        await organiser.ask("session.hello", version=1)
        await organiser.ask("session.login", player="organiser")
        await organiser.ask("tournament.create", **CUP)
        bots = {name: await bot(server, tmp_path, name) for name in NAMES}
        while len((await organiser.ask("tournament.standings", tournament="t1"))["standings"]) < len(NAMES):
            pass
        assert tokens(tmp_path) == {f"{name}.token": 0o600 for name in NAMES}
        await organiser.ask("tournament.start", tournament="t1")
        organiser.leave()
        anna = bots["anna"]
        assert anna.stdout is not None
        assert (await anna.stdout.readline()).startswith(b"m")  # the first of her two games is over
        anna.kill()
        await anna.wait()
        await server.kill()
        await server.start()
        bots["anna"] = await bot(server, tmp_path, "anna")
        said = {name: (await process.communicate())[0].decode() for name, process in bots.items()}
    assert [process.returncode for process in bots.values()] == [0, 0, 0]
    assert all(f"{name} is number " in said[name].splitlines()[-1] for name in NAMES)
    assert not any("disconnected" in lines or "timeout" in lines for lines in said.values())
    assert await server.stop() == 0
