"""What a picture of a play shows, and where its tables stand. No Qt here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from antidiag.kernels.walkthroughs.animation import Animation, AnimationTable, Cell

Colouring = Literal["state", "worker", "memory", "paths"]
COLOURINGS: Mapping[str, str] = {"state": "Progress", "worker": "Worker", "memory": "Memory", "paths": "Best paths"}
SMALLEST_CELL, LARGEST = 5.0, 44.0  # pixels of a cell at ``scale`` 1
GAP = 14.0


@dataclass(frozen=True)
class PlayLook:
    """What is shown of a play: its state after ``step`` (-1: the start), and the ``cell`` that is explained.
    ``tables``: None shows all but side tables. Values of ``blanks`` are hidden; ``shares`` of cells colour "paths", and
    ``meaning`` explains them. ``scale`` enlarges letters."""

    step: int = -1
    cell: Cell | None = None
    colouring: Colouring = "state"
    tables: tuple[int, ...] | None = None
    blanks: frozenset[Cell] = frozenset()
    shares: Mapping[Cell, float] = field(default_factory=dict)
    path: bool = False
    scale: float = 1.0
    meaning: str = "share of optimal paths through a cell"

    def table_numbers(self, play: Animation) -> tuple[int, ...]:
        """Return the numbers of the tables that are drawn."""
        if self.tables is not None:
            return tuple(number for number in self.tables if number < len(play.tables))
        return tuple(number for number, table in enumerate(play.tables) if not table.details_only)


@dataclass(frozen=True)
class TableSheet:
    """A table, or a layer of it, with its upper left cell at (x, y); cells are ``wide`` x ``size``."""

    table: int
    layer: int
    x: float
    y: float
    wide: float
    size: float
    title: str


def place_tables(play: Animation, look: PlayLook, width: float, height: float, line: float) -> tuple[TableSheet, ...]:
    """Place the tables in as many lines as give the largest cells. ``line`` is the height of a text line. Layer -1
    stands for the newest version of each place."""
    parts: list[tuple[int, int, str]] = []
    for number in look.table_numbers(play):
        table = play.tables[number]
        if table.versions or table.table_shape[2] == 1:
            parts.append((number, -1 if table.versions else 0, table.name))
        else:
            names = table.layers or tuple(map(str, range(table.table_shape[2])))
            parts += [(number, layer, f"{table.name}, {names[layer]}") for layer in range(table.table_shape[2])]
    size = LARGEST * look.scale
    while size > SMALLEST_CELL:
        found = _try_cell_size(play, parts, width, height, line, size)
        if found is not None:
            return found
        size *= 0.94
    return _try_cell_size(play, parts, width, float("inf"), line, SMALLEST_CELL) or ()


def cell_aspect(table: AnimationTable) -> float:
    """Return the ratio of width to height of a cell: long numbers need room."""
    if table.letters:
        return 0.8
    shown = table.values[abs(table.values) < 2**29]
    longest = max((len(f"{value:.4g}") for value in shown.ravel()[:: max(1, shown.size // 400)]), default=1)
    return min(max(0.28 * longest + 0.35, 1.0), 2.2)


def _try_cell_size(
    play: Animation, parts: list[tuple[int, int, str]], width: float, height: float, line: float, size: float
) -> tuple[TableSheet, ...] | None:
    """Return all sheets with cells of this size, or None if they do not fit."""
    found, x, y, tallest = [], 0.0, 0.0, 0.0
    for number, layer, title in parts:
        table = play.tables[number]
        wide = size * cell_aspect(table)
        beside = _row_name_width(table.rows, line)
        own_width, own_height = beside + wide * table.table_shape[1], 2 * line + size * table.table_shape[0]
        own_width = max(own_width, 0.62 * line * min(len(title), 12))
        if x and x + own_width > width:
            x, y, tallest = 0.0, y + tallest + GAP, 0.0
        if x + own_width > width + 0.5 or y + own_height > height + 0.5:
            return None
        found.append(TableSheet(number, layer, x + beside, y + 2 * line, wide, size, title))
        x, tallest = x + own_width + GAP, max(tallest, own_height)
    return tuple(found)


def _row_name_width(names: tuple[str, ...], line: float) -> float:
    """Return the width of row names."""
    return min(max((len(name) for name in names), default=0), 14) * 0.5 * line + 0.4 * line
