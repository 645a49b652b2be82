"""Packages as an installer leaves them: modules in a folder, and beside them the metadata that names their games."""

from collections.abc import Mapping
from pathlib import Path


def install(folder: Path, package: str, *, games: Mapping[str, str], modules: Mapping[str, str] | None = None) -> None:
    """Put a package into a folder; `games` are entry points (`name` to `module:Class`), `modules` sources by name."""
    for name, source in (modules or {}).items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    lines = "".join(f"{name} = {value}\n" for name, value in games.items())
    (metadata / "entry_points.txt").write_text(f"[lobby.games]\n{lines}", encoding="utf-8")
