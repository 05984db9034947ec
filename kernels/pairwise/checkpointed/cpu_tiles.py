"""Phase 2 of CheckpointedAlignment on the CPU: back from the end cell, tile by tile along the path.

A grid is a part of the matrix whose special rows and columns were kept. The tile that holds a cell of the path is
computed again, from the special row above and the special column on the left, only as far as that cell. A small tile
keeps directions, half a byte a cell, and is walked through; a large one is swept on all cores and becomes a grid of
smaller tiles. All borders hold true values, so every choice on the way, ties included, is that of the whole matrix.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu.simd import LANES
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.checkpointed import sizes
from antidiag.kernels.pairwise.encoding import Encoded
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment
from antidiag.kernels.pairwise.records import NEVER_BETTER
from antidiag.kernels.pairwise.strips import cpu_sizes, cpu_strips
from antidiag.kernels.pairwise.strips.cpu_cells import direction_tile
from antidiag.kernels.pairwise.strips.cpu_path import Directions, walk_back
from antidiag.kernels.pairwise.strips.cpu_sizes import column_length, slice_bytes, tile_width
from antidiag.kernels.pairwise.strips.cpu_strips import Strips
from antidiag.kernels.pairwise.strips.path import KIND_H, KIND_K, KIND_TOP_G
from antidiag.kernels.steps import Steps

Span = tuple[int, int]

TILE_BATCH = 512
"""Rows of a batch inside a large tile, whose strips are short."""
STARTS_AS = {DIAGONAL: KIND_H, UP: KIND_TOP_G, LEFT: KIND_K}
"""As what a piece of the path begins, by its first operation: from H, or inside a gap."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Strips that have kept rows and columns ``tile`` cells apart; (row, column) is their corner in the matrix."""

    strips: Strips
    tile: int
    row: int = 0
    column: int = 0


@dataclass(slots=True)
class Log:
    """Where phase 2 reports to, for strips of width ``s``, and the most bytes that it needed at a time."""

    monitor: Monitor
    steps: Steps
    started_ns: int
    s: int
    peak_bytes: int = 0

    def computed(self, grid: Grid, rows: Span, columns: Span, begun_ns: int, held: int) -> None:
        """A part of a grid was computed again, with ``held`` bytes in use."""
        times = begun_ns - self.started_ns, time.perf_counter_ns() - self.started_ns
        i, j = (grid.row + rows[0], grid.row + rows[1]), (grid.column + columns[0], grid.column + columns[1])
        self.steps.add(2, (grid.column + columns[0]) // self.s, i, j, 0, *times)
        self.peak_bytes = max(self.peak_bytes, held)


def keeping(
    pair: Encoded,
    s: int,
    batch: int,
    workers: int,
    tile: int,
    kept: list[np.ndarray],
    short_rows: int,
    top: np.ndarray | None = None,
    left: np.ndarray | None = None,
) -> Strips:
    """Strips that keep their special rows and columns in ``kept``, arrays of ``sizes.kept_shapes``."""
    columns = {tile // s * (k + 1) - 1: column for k, column in enumerate(kept[:-1])}
    places = min(workers + 1, -(-pair.columns.size // s))
    return Strips(
        pair=pair,
        s=s,
        batch=batch,
        workers=workers,
        values=np.empty((places, 2, column_length(pair.rows.size)), np.int32),
        kept=columns,
        top=top,
        left=left,
        h=tile,
        chunk_parts=2,
        bottoms_at=kept[-1],
        short_rows=short_rows,
    )


def path(grid: Grid, end: tuple[int, int], log: Log) -> Alignment:
    """The best path to a cell of the whole matrix, in the orientation of the problem; raises Cancelled."""
    pair, (row, column) = grid.strips.pair, end
    pieces: list[np.ndarray] = []
    for operations in _pieces(grid, end, KIND_H, log, 0):
        pieces.append(operations)
        row, column = _before(operations, row, column)
        log.monitor.update(sum(end) - row - column, sum(end), "phase 2")
    if not pair.local:
        pieces.append(np.full(row + column, UP if row else LEFT, np.uint8))
        row, column = 0, 0
    log.monitor.update(sum(end), sum(end), "phase 2")
    operations = np.concatenate([np.empty(0, np.uint8), *pieces[::-1]])
    return pair.alignment((row, column), end, operations)


def _pieces(grid: Grid, cell: tuple[int, int], end_kind: int, log: Log, held: int) -> Iterator[np.ndarray]:
    """Pieces of the path from a cell of a grid back to its border, or to the start of the path; the last one first.

    ``held``: bytes that the grids around this one keep.
    """
    row, column = cell
    while row and column:
        top, left = _corner(grid, row, column)
        small = (row - top) * (column - left) <= sizes.SMALL_CELLS
        for operations in (_walked if small else _swept)(grid, (top, row), (left, column), end_kind, log, held):
            row, column = _before(operations, row, column)
            end_kind = STARTS_AS[int(operations[0])]
            yield operations
        if row > top and column > left:
            return


def _walked(grid: Grid, rows: Span, columns: Span, end_kind: int, log: Log, held: int) -> Iterator[np.ndarray]:
    """The piece of the path inside a small tile, by its directions; none where the path starts in its end cell."""
    begun_ns = time.perf_counter_ns()
    part, top, left = _borders(grid, rows, columns)
    height, width = part.rows.size, tile_width(part.columns.size)
    strips = Strips(part, width, 1, 1, np.empty((0, 2, 0), np.int32), top=top, left=left)
    codes, operations = np.empty((1, slice_bytes(height, width)), np.uint8), np.empty(height + width, np.uint8)
    direction_tile(strips.problem(0), strips.top_edge(0), left, 0, height, codes[0])
    directions = Directions(codes, height, width // LANES)
    length = walk_back(directions, 0, 0, height, part.columns.size, end_kind, operations)
    held += strips.nbytes + top.nbytes + codes.nbytes + operations.nbytes
    log.computed(grid, rows, columns, begun_ns, held)
    if length:
        yield operations[:length][::-1].copy()


def _swept(grid: Grid, rows: Span, columns: Span, end_kind: int, log: Log, held: int) -> Iterator[np.ndarray]:
    """The pieces of the path inside a large tile, which is swept and cut into tiles itself."""
    begun_ns = time.perf_counter_ns()
    part, top, left = _borders(grid, rows, columns)
    s, tile = sizes.TILE_STRIP, sizes.tile_of_tile(part.columns.size)
    kept = [np.empty(shape, np.int32) for shape in sizes.kept_shapes(part.rows.size, part.columns.size, s, tile)]
    short_rows = cpu_sizes.short_rows(part.table, part.open, part.extend, s) if grid.strips.short_rows else 0
    strips = keeping(part, s, TILE_BATCH, grid.strips.workers, tile, kept, short_rows, top, left)
    strips.best[:, 0] = NEVER_BETTER
    cpu_strips.compute(strips, Monitor(lambda *progress: log.monitor.check()), Steps(), 0, slices=1)
    held += strips.nbytes + top.nbytes + sum(array.nbytes for array in kept[:-1])
    log.computed(grid, rows, columns, begun_ns, held)
    inner = Grid(strips, tile, grid.row + rows[0], grid.column + columns[0])
    yield from _pieces(inner, (part.rows.size, part.columns.size), end_kind, log, held)


def _corner(grid: Grid, row: int, column: int) -> tuple[int, int]:
    """The special row above a cell, and the special column on its left."""
    return (row - 1) // grid.tile * grid.tile, (column - 1) // grid.tile * grid.tile


def _borders(grid: Grid, rows: Span, columns: Span) -> tuple[Encoded, np.ndarray, np.ndarray]:
    """Letters of a part of a grid, H and G of the special row above it, H and K of the special column on its left."""
    strips, (top, bottom), (left, right) = grid.strips, rows, columns
    beside = strips.left_column(left // strips.s)[:, top : column_length(bottom)].copy()
    above = np.hstack((beside[:, :1], strips.row(top, left, right)))
    return strips.pair.part(rows, columns), above, beside


def _before(operations: np.ndarray, row: int, column: int) -> tuple[int, int]:
    """Where a piece of the path begins that ends in a cell."""
    return row - int(np.count_nonzero(operations != LEFT)), column - int(np.count_nonzero(operations != UP))
