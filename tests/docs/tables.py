"""The tables of a Markdown page, as lists of rows of cells."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]


def page(name: str) -> str:
    """Return the text of a page, by its path in the project."""
    return (ROOT / name).read_text(encoding="utf-8")


def rows(text: str, *header: str) -> list[list[str]]:
    """Return the rows of all tables that have this header."""
    head = re.escape(f"| {' | '.join(header)} |\n|{' --- |' * len(header)}\n")
    return [
        _cells(line) for body in re.findall(rf"^{head}((?:\|.*\n)*)", text, re.MULTILINE) for line in body.splitlines()
    ]


def named(rows: list[list[str]]) -> list[str]:
    """Return what stands in code in the first cell of each row."""
    return [word for row in rows for word in words(row[0])]


def words(cell: str) -> list[str]:
    """Return what stands in code in a cell."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", cell)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]
