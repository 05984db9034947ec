"""The grid of chunks, what each method keeps of their faces, and local starts, for both backends.

A chunk is s x s x (|S2| + 1) cells; chunks are numbered antidiagonal by antidiagonal, from the top right to the bottom
left (Li et al. 2014, figure 1). Where a method has subchunks, a chunk is cut into boxes of h layers; otherwise it is
one box.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.triple.model import Cell, TripleProblem

MOVE_BITS, PLACE_BITS = 3, 7
MOVE_SHIFT, LAYER_SHIFT = 2 * PLACE_BITS, 2 * PLACE_BITS + MOVE_BITS
MOST_LAYERS = (1 << (32 - LAYER_SHIFT)) - 1
"""Most cells along the third sequence that a local start can number."""
WIDEST = 112
"""Greatest s: a multiple of 16 whose places, counted from 0 for the neighbour's last row, have 7 bits."""


FEW_LAYERS, BOXES_OF_FEW, HEIGHT_STEP = 1.5, 3, 8
"""Chunks of at most so many times the usual height are cut into so many boxes of a multiple of layers."""


def choose_height(layers: int, usual: int) -> int:
    """Return the height of subchunks: the usual one, or a third of few layers, so that chunks are cut at all."""
    if layers > FEW_LAYERS * usual:
        return usual
    third = -(-layers // BOXES_OF_FEW)
    return max(min(usual, -(-third // HEIGHT_STEP) * HEIGHT_STEP), HEIGHT_STEP)


@dataclass(frozen=True, slots=True)
class ChunkKind:
    """What sets the methods apart.

    ``layered``: the order of the cells in a box. ``keeps``: faces of all chunks stay until the end. ``starts``: faces
    have local starts. ``subchunks``: boxes of h layers. ``local``: local starts are local to subchunks.
    """

    layered: bool = False
    keeps_faces: bool = False
    has_local_starts: bool = False
    has_subchunks: bool = False
    starts_per_subchunk: bool = False


@dataclass(frozen=True, slots=True)
class ChunkGrid:
    """Cells along the three sides, cut into chunks of ``s`` x ``s`` and boxes of ``h`` layers."""

    cells: Cell
    s: int
    h: int

    @property
    def rows(self) -> int:
        """Rows of chunks."""
        return -(-self.cells[0] // self.s)

    @property
    def columns(self) -> int:
        """Columns of chunks."""
        return -(-self.cells[1] // self.s)

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return self.rows * self.columns

    @property
    def boxes(self) -> int:
        """Boxes of a chunk."""
        return -(-self.cells[2] // self.h)

    def chunk_places(self) -> np.ndarray:
        """Return row and column of every chunk in the grid, by its number; int64, shape (chunks, 2)."""
        rows, columns = np.indices((self.rows, self.columns)).reshape(2, -1)
        return np.stack([rows, columns], axis=1)[np.lexsort((rows, rows + columns))]

    def chunk_numbers(self) -> np.ndarray:
        """Return the number of every chunk, by its row and column; int64, shape (rows, columns)."""
        found = np.empty((self.rows, self.columns), np.int64)
        found[tuple(self.chunk_places().T)] = np.arange(self.chunks)
        return found

    def chunk_order(self) -> list[tuple[int, int]]:
        """Return row and column of every chunk, by its number, as tuples."""
        return [(row, column) for row, column in self.chunk_places().tolist()]

    def box_size(self, row: int, column: int, box: int) -> Cell:
        """Return the cells along i, j and k of a box."""
        return (
            min(self.s, self.cells[0] - row * self.s),
            min(self.s, self.cells[1] - column * self.s),
            min(self.h, self.cells[2] - box * self.h),
        )


def fit_width(s: int, cells: Cell) -> int:
    """Return the s of a run: no wider than the problem, in multiples of 16."""
    return min(s, -(-max(cells[:2]) // 16) * 16)


def make_grid(problem: TripleProblem, s: int, h: int | None) -> ChunkGrid:
    """Cut a problem into chunks; ``h`` None: not into subchunks."""
    cells: Cell = tuple(length + 1 for length in problem.lengths)  # type: ignore[assignment]
    return ChunkGrid(cells, fit_width(s, cells), cells[2] if h is None else min(h, cells[2]))


class PathPart(NamedTuple):
    """The path inside a box.

    It leaves ``start``, outside the box, by ``first`` move, and ends in ``end``, from where the next part leaves by
    move ``after``. ``first`` is known with affine gaps only; otherwise it is 0.
    """

    chunk: tuple[int, int]
    box: int
    start: Cell
    first: int
    end: Cell
    after: int


def decode_start(code: int, chunk: tuple[int, int], s: int) -> tuple[Cell, int]:
    """Decode a local start of a chunk: the cell, and the move that leaves it."""
    code, low = code & 0xFFFFFFFF, (1 << PLACE_BITS) - 1
    row, column = (code >> PLACE_BITS) & low, code & low
    cell = chunk[0] * s + row - 1, chunk[1] * s + column - 1, (code >> LAYER_SHIFT) - 1
    return cell, (code >> MOVE_SHIFT) & ((1 << MOVE_BITS) - 1)


CHUNK_KINDS = {
    "layered": ChunkKind(layered=True),
    "sloped": ChunkKind(),
    "layered-bt1": ChunkKind(layered=True, keeps_faces=True, has_local_starts=True),
    "layered-bt2": ChunkKind(layered=True, keeps_faces=True, has_local_starts=True, has_subchunks=True),
    "layered-bt3": ChunkKind(
        layered=True, keeps_faces=True, has_local_starts=True, has_subchunks=True, starts_per_subchunk=True
    ),
    "sloped-bt1": ChunkKind(keeps_faces=True, has_local_starts=True),
    "sloped-bt2": ChunkKind(keeps_faces=True, has_local_starts=True, has_subchunks=True),
    "sloped-bt3": ChunkKind(keeps_faces=True, has_local_starts=True, has_subchunks=True, starts_per_subchunk=True),
    "sloped-checkpointed": ChunkKind(keeps_faces=True, has_subchunks=True),
}
"""Kinds by the identifier of a method."""


def refuse_layers(problem: TripleProblem, kind: ChunkKind) -> None:
    """InputError where local starts cannot number the cells along the third sequence."""
    if kind.has_local_starts and len(problem.third) >= MOST_LAYERS:
        turn = "give the shortest sequence third, or " if min(problem.lengths) < MOST_LAYERS else ""
        raise InputError(
            f"{problem.third.name} has {len(problem.third):,} letters; local starts can number {MOST_LAYERS - 1:,}; "
            f"{turn}choose SLOPED-checkpointed"
        )
