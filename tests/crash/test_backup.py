"""A backup as docs/operating.md has it: made while the server runs, and restored."""

import asyncio
import sys
from pathlib import Path

from play import Play
from season import Season, retold
from server_process import ServerProcess

OPERATING = Path(__file__).parents[2] / "docs" / "operating.md"


def command(source: Path, target: Path) -> list[str]:
    """Return the documented command, for these files."""
    assert "\n    .venv/bin/lobby backup backup.db\n" in OPERATING.read_text()
    return [sys.executable, "-m", "lobby", "backup", str(target), "--db", str(source)]


async def test_a_backup_of_a_running_server_goes_on_from_the_moment_it_was_made(tmp_path: Path):
    season = Season(tmp_path, seed=1)
    season.add(6, Play())
    await season.server.start()
    await season.connect()
    await season.hears(1000)
    backup = tmp_path / "backup.db"
    copying = await asyncio.create_subprocess_exec(*command(season.server.database, backup))
    assert await copying.wait() == 0
    assert backup.stat().st_mode & 0o777 == 0o600
    await season.hears(1000)
    await season.server.kill()
    await season.parted()
    restored = ServerProcess(backup)
    await restored.verify()
    await restored.start()
    for bot in season.bots:
        told = await retold(bot, restored.port)
        heard = {match: game.lines[: len(told[match])] for match, game in bot.games.items()}
        assert told == heard
        assert sum(map(len, told.values())) > 50
    assert await restored.stop() == 0
