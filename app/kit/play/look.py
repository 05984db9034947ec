"""What of a play is looked at, and where its tables stand in a picture. No Qt here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from antidiag.kernels.plays.model import Cell, Play, Table

Colouring = Literal["state", "worker", "memory", "paths"]
COLOURINGS: Mapping[str, str] = {
    "state": "What is computed", "worker": "Who computes it", "memory": "Where it lies", "paths": "Best paths",
}  # fmt: skip
SMALLEST, LARGEST = 5.0, 44.0
"""Pixels of a cell, before the letters of the picture are made larger."""
GAP = 14.0


@dataclass(frozen=True)
class Look:
    """What is seen of a play: after which ``step`` (-1: before the first), and which ``cell`` is explained.

    ``tables`` are those that are shown, None for all that are not aside. ``blanks`` are cells whose values are hidden;
    ``shares`` of cells colour "paths", and ``meaning`` says what they are. ``scale`` makes letters larger.
    """

    step: int = -1
    cell: Cell | None = None
    colouring: Colouring = "state"
    tables: tuple[int, ...] | None = None
    blanks: frozenset[Cell] = frozenset()
    shares: Mapping[Cell, float] = field(default_factory=dict)
    path: bool = False
    scale: float = 1.0
    meaning: str = "share of the best paths that go through a cell"

    def shown(self, play: Play) -> tuple[int, ...]:
        """The numbers of the tables that are drawn."""
        if self.tables is not None:
            return tuple(number for number in self.tables if number < len(play.tables))
        return tuple(number for number, table in enumerate(play.tables) if not table.aside)


@dataclass(frozen=True)
class Sheet:
    """A table, or one layer of it, in a picture: its upper left cell is at (x, y), a cell is ``wide`` x ``size``."""

    table: int
    layer: int
    x: float
    y: float
    wide: float
    size: float
    title: str


def sheets(play: Play, look: Look, width: float, height: float, line: float) -> tuple[Sheet, ...]:
    """The tables that are shown, side by side in as many lines as give the largest cells.

    ``line`` is the height of a line of text. A layer of -1 stands for the newest version of each place.
    """
    parts: list[tuple[int, int, str]] = []
    for number in look.shown(play):
        table = play.tables[number]
        if table.versions or table.shape[2] == 1:
            parts.append((number, -1 if table.versions else 0, table.name))
        else:
            names = table.layers or tuple(map(str, range(table.shape[2])))
            parts += [(number, layer, f"{table.name}, {names[layer]}") for layer in range(table.shape[2])]
    size = LARGEST * look.scale
    while size > SMALLEST:
        found = _placed(play, parts, width, height, line, size)
        if found is not None:
            return found
        size *= 0.94
    return _placed(play, parts, width, float("inf"), line, SMALLEST) or ()


def ratio(table: Table) -> float:
    """How many times as wide as high a cell is: long numbers need room."""
    if table.letters:
        return 0.8
    shown = table.values[abs(table.values) < 2**29]
    longest = max((len(f"{value:.4g}") for value in shown.ravel()[:: max(1, shown.size // 400)]), default=1)
    return min(max(0.28 * longest + 0.35, 1.0), 2.2)


def _placed(
    play: Play, parts: list[tuple[int, int, str]], width: float, height: float, line: float, size: float
) -> tuple[Sheet, ...] | None:
    """All sheets with cells of this size, or None where they do not fit."""
    found, x, y, tallest = [], 0.0, 0.0, 0.0
    for number, layer, title in parts:
        table = play.tables[number]
        wide = size * ratio(table)
        beside = _beside(table.rows, line)
        own_width, own_height = beside + wide * table.shape[1], 2 * line + size * table.shape[0]
        own_width = max(own_width, 0.62 * line * min(len(title), 12))
        if x and x + own_width > width:
            x, y, tallest = 0.0, y + tallest + GAP, 0.0
        if x + own_width > width + 0.5 or y + own_height > height + 0.5:
            return None
        found.append(Sheet(number, layer, x + beside, y + 2 * line, wide, size, title))
        x, tallest = x + own_width + GAP, max(tallest, own_height)
    return tuple(found)


def _beside(names: tuple[str, ...], line: float) -> float:
    """Room for the names of rows."""
    return min(max((len(name) for name in names), default=0), 14) * 0.5 * line + 0.4 * line
