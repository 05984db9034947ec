"""The grid of chunks, what each method keeps of their faces, and local starts. Both backends share all of it.

A chunk is s x s x (|S2| + 1) cells; chunks are numbered antidiagonal by antidiagonal, from the top right to the bottom
left (000, figure 1). Where a method has subchunks, a chunk is cut into boxes of h layers; otherwise it is one box.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.triple.model import Cell, TripleProblem

MOVE_BITS, PLACE_BITS = 3, 7
MOVE_AT, LAYER_AT = 2 * PLACE_BITS, 2 * PLACE_BITS + MOVE_BITS
MOST_LAYERS = (1 << (32 - LAYER_AT)) - 1
"""Cells along the third sequence that a local start can tell apart."""
WIDEST = 112
"""Greatest s: a multiple of 16 whose places, counted from 0 for the neighbour's last row, have 7 bits."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What sets the methods apart.

    ``layered``: the order of the cells in a box. ``keeps``: faces of all chunks stay until the end. ``starts``: they
    have local starts. ``subchunks``: boxes of h layers. ``local``: local starts are local to subchunks.
    """

    layered: bool = False
    keeps: bool = False
    starts: bool = False
    subchunks: bool = False
    local: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells along the three sides, cut into chunks of ``s`` x ``s`` and boxes of ``h`` layers."""

    cells: Cell
    s: int
    h: int

    @property
    def rows(self) -> int:
        return -(-self.cells[0] // self.s)

    @property
    def columns(self) -> int:
        return -(-self.cells[1] // self.s)

    @property
    def chunks(self) -> int:
        return self.rows * self.columns

    @property
    def boxes(self) -> int:
        """Boxes of a chunk."""
        return -(-self.cells[2] // self.h)

    def places(self) -> np.ndarray:
        """Row and column of every chunk in the grid, by its number; int64, shape (chunks, 2)."""
        rows, columns = np.indices((self.rows, self.columns)).reshape(2, -1)
        return np.stack([rows, columns], axis=1)[np.lexsort((rows, rows + columns))]

    def numbers(self) -> np.ndarray:
        """The number of every chunk, by its row and column; int64, shape (rows, columns)."""
        found = np.empty((self.rows, self.columns), np.int64)
        found[tuple(self.places().T)] = np.arange(self.chunks)
        return found

    def order(self) -> list[tuple[int, int]]:
        """The same as tuples."""
        return [(row, column) for row, column in self.places().tolist()]

    def size(self, row: int, column: int, box: int) -> Cell:
        """Cells along i, j and k of a box."""
        return (
            min(self.s, self.cells[0] - row * self.s),
            min(self.s, self.cells[1] - column * self.s),
            min(self.h, self.cells[2] - box * self.h),
        )


def side(s: int, cells: Cell) -> int:
    """The s of a run: no wider than the problem, in multiples of 16."""
    return min(s, -(-max(cells[:2]) // 16) * 16)


def grid(problem: TripleProblem, s: int, h: int | None) -> Grid:
    """The chunks of a problem; ``h`` None: not cut into subchunks."""
    cells: Cell = tuple(length + 1 for length in problem.lengths)  # type: ignore[assignment]
    return Grid(cells, side(s, cells), cells[2] if h is None else min(h, cells[2]))


class Part(NamedTuple):
    """The path inside a box: it leaves ``start``, outside the box, by ``first`` move, and ends in ``end``, from where
    the next part leaves by move ``after``. ``first`` is known with affine gaps only, else 0."""

    chunk: tuple[int, int]
    box: int
    start: Cell
    first: int
    end: Cell
    after: int


def start_of(code: int, chunk: tuple[int, int], s: int) -> tuple[Cell, int]:
    """The cell that a local start means in a chunk, and the move that leaves it."""
    code, low = code & 0xFFFFFFFF, (1 << PLACE_BITS) - 1
    row, column = (code >> PLACE_BITS) & low, code & low
    cell = chunk[0] * s + row - 1, chunk[1] * s + column - 1, (code >> LAYER_AT) - 1
    return cell, (code >> MOVE_AT) & ((1 << MOVE_BITS) - 1)


KINDS = {
    "layered": Kind(layered=True),
    "sloped": Kind(),
    "layered-bt1": Kind(layered=True, keeps=True, starts=True),
    "layered-bt2": Kind(layered=True, keeps=True, starts=True, subchunks=True),
    "layered-bt3": Kind(layered=True, keeps=True, starts=True, subchunks=True, local=True),
    "sloped-bt1": Kind(keeps=True, starts=True),
    "sloped-bt2": Kind(keeps=True, starts=True, subchunks=True),
    "sloped-bt3": Kind(keeps=True, starts=True, subchunks=True, local=True),
    "sloped-checkpointed": Kind(keeps=True, subchunks=True),
}
"""By the identifier of a method."""


def refuse_layers(problem: TripleProblem, kind: Kind) -> None:
    """InputError where local starts cannot number the cells along the third sequence."""
    if kind.starts and len(problem.third) >= MOST_LAYERS:
        turn = "give the shortest sequence third, or " if min(problem.lengths) < MOST_LAYERS else ""
        raise InputError(
            f"{problem.third.name}: {len(problem.third):,} letters, and local starts number up to {MOST_LAYERS - 1:,}; "
            f"{turn}choose SLOPED-checkpointed"
        )
