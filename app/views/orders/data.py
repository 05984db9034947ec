"""The order in which LAYERED and SLOPED compute the cells of a chunk (000, sections 4.1 and 4.2). No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

Cell = tuple[int, int, int]
NAMES = {False: "SLOPED", True: "LAYERED"}


@dataclass(frozen=True)
class Order:
    """A chunk of ``rows`` x ``columns`` x ``layers`` cells and the step in which each of its cells is computed.

    ``layered``: layer by layer, and a layer antidiagonal by antidiagonal; else by sloped planes i + j + k.
    """

    layered: bool
    rows: int
    columns: int
    layers: int

    @property
    def name(self) -> str:
        return NAMES[self.layered]

    @property
    def steps(self) -> int:
        """Steps that must follow each other."""
        antidiagonals = self.rows + self.columns - 1
        return antidiagonals * self.layers if self.layered else antidiagonals + self.layers - 1

    @property
    def cells(self) -> int:
        return self.rows * self.columns * self.layers

    @cached_property
    def step_of(self) -> np.ndarray:
        """Step of every cell, from 0, int64, shape (rows, columns, layers)."""
        i, j, k = np.indices((self.rows, self.columns, self.layers))
        return i + j + k * (self.rows + self.columns - 1 if self.layered else 1)

    @cached_property
    def widths(self) -> np.ndarray:
        """Cells that are computed at once in every step."""
        return np.bincount(self.step_of.ravel(), minlength=self.steps)

    def sources(self, cell: Cell) -> list[Cell]:
        """The up to seven cells of the chunk that a cell needs."""
        i, j, k = cell
        found = [(i - a, j - b, k - c) for a in (0, 1) for b in (0, 1) for c in (0, 1) if a or b or c]
        return [source for source in found if min(source) >= 0]


def formula(order: Order) -> str:
    """The count of steps as the paper writes it, with numbers: '(2 x 32 - 1) x 154 = 9,702'."""
    s, layers = order.rows, order.layers
    if order.rows != order.columns:
        sides = f"{order.rows} + {order.columns}"
        words = f"({sides} \u2212 1) \u00d7 {layers:,}" if order.layered else f"{sides} + {layers:,} \u2212 2"
    elif order.layered:
        words = f"(2 \u00d7 {s} \u2212 1) \u00d7 {layers:,}"
    else:
        words = f"2 \u00d7 {s} + {layers - 1:,} \u2212 1"
    return f"{words} = {order.steps:,}"
