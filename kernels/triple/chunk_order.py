"""The order in which LAYERED and SLOPED compute the cells of a chunk of the three-sequence cube. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

Cell = tuple[int, int, int]
ORDER_NAMES = {False: "SLOPED", True: "LAYERED"}


@dataclass(frozen=True)
class ChunkOrder:
    """A chunk of ``rows`` x ``columns`` x ``layers`` cells and the step in which each of its cells is computed.

    LAYERED computes layer after layer, each by antidiagonals; SLOPED computes the planes of equal i + j + k.
    """

    layered: bool
    rows: int
    columns: int
    layers: int

    @property
    def name(self) -> str:
        """The name of the order."""
        return ORDER_NAMES[self.layered]

    @property
    def step_count(self) -> int:
        """Number of steps, which cannot run at the same time."""
        antidiagonals = self.rows + self.columns - 1
        return antidiagonals * self.layers if self.layered else antidiagonals + self.layers - 1

    @property
    def cell_count(self) -> int:
        """The number of cells."""
        return self.rows * self.columns * self.layers

    @cached_property
    def cell_steps(self) -> np.ndarray:
        """Step of every cell, counted from 0; int64, shape (rows, columns, layers)."""
        i, j, k = np.indices((self.rows, self.columns, self.layers))
        return i + j + k * (self.rows + self.columns - 1 if self.layered else 1)

    @cached_property
    def step_widths(self) -> np.ndarray:
        """Number of cells computed in each step."""
        return np.bincount(self.cell_steps.ravel(), minlength=self.step_count)

    def source_cells(self, cell: Cell) -> list[Cell]:
        """Return the up to seven cells of the chunk that a cell needs."""
        i, j, k = cell
        found = [(i - a, j - b, k - c) for a in (0, 1) for b in (0, 1) for c in (0, 1) if a or b or c]
        return [source for source in found if min(source) >= 0]


def steps_formula(order: ChunkOrder) -> str:
    """Return the number of steps as a formula such as '(2 x 32 - 1) x 154 = 9,702'."""
    s, layers = order.rows, order.layers
    if order.rows != order.columns:
        sides = f"{order.rows} + {order.columns}"
        words = f"({sides} \u2212 1) \u00d7 {layers:,}" if order.layered else f"{sides} + {layers:,} \u2212 2"
    elif order.layered:
        words = f"(2 \u00d7 {s} \u2212 1) \u00d7 {layers:,}"
    else:
        words = f"2 \u00d7 {s} + {layers - 1:,} \u2212 1"
    return f"{words} = {order.step_count:,}"
