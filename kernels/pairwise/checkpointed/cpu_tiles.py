"""Phase 2 of CheckpointedAlignment on the CPU: trace the path back from its end, tile by tile.

A grid is a part of the matrix whose special rows and columns were kept. The tile that holds a cell of the path is
computed again, from the special row above and the special column on the left, only as far as that cell. A small tile
keeps directions, half a byte or a byte a cell, and is traced at once; a large one is swept on all cores and becomes a
grid of smaller tiles. All borders hold true values, so every choice on the path, ties included, is that of the whole
matrix.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.cpu.simd import LANES
from antidiag.kernels.pairwise.checkpointed import sizes
from antidiag.kernels.pairwise.encoding import EncodedPair
from antidiag.kernels.pairwise.kernel_records import NEVER_BETTER
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment
from antidiag.kernels.pairwise.pruning.bounds import PruningBounds
from antidiag.kernels.pairwise.strips import cpu_sizes, cpu_strips
from antidiag.kernels.pairwise.strips.cpu_direction_kernels import compute_direction_tile
from antidiag.kernels.pairwise.strips.cpu_path import (
    OF_SECOND_PIECE,
    OPERATION,
    PartDirections,
    trace_operations,
)
from antidiag.kernels.pairwise.strips.cpu_sizes import column_length, slice_bytes, tile_width
from antidiag.kernels.pairwise.strips.cpu_strips import StripRun
from antidiag.kernels.pairwise.strips.start_states import KIND_H, KIND_K, KIND_K2, KIND_TOP_G, KIND_TOP_G2
from antidiag.kernels.scoring import find_score_bounds

Span = tuple[int, int]

TILE_BATCH = 512
"""Rows of a batch inside a large tile, whose strips are short."""
STARTS_AS = {
    DIAGONAL: KIND_H,
    UP: KIND_TOP_G,
    LEFT: KIND_K,
    UP | OF_SECOND_PIECE: KIND_TOP_G2,
    LEFT | OF_SECOND_PIECE: KIND_K2,
}
"""The state in which a piece of the path begins, by its first operation: H, or a gap."""


@dataclass(frozen=True, slots=True)
class CheckpointGrid:
    """Strips whose rows and columns are kept ``tile`` cells apart; (row, column) is their corner in the matrix."""

    strips: StripRun
    tile: int
    row: int = 0
    column: int = 0


@dataclass(slots=True)
class TileLog:
    """Progress and steps of phase 2, for strips of width ``s``, and the most bytes it needed at a time."""

    phase: CpuPhase
    s: int
    peak_bytes: int = 0

    def log_tile(self, grid: CheckpointGrid, rows: Span, columns: Span, begun_ns: int, held_bytes: int) -> None:
        """Log that a part of a grid was computed again, with ``held_bytes`` in use."""
        i, j = (grid.row + rows[0], grid.row + rows[1]), (grid.column + columns[0], grid.column + columns[1])
        self.phase.log(LoggedCells(i, j, j[0] // self.s), 0, begun_ns)
        self.peak_bytes = max(self.peak_bytes, held_bytes)


def make_checkpoint_strips(
    run: CpuRun,
    pair: EncodedPair,
    s: int,
    batch: int,
    tile: int,
    checkpoint_arrays: list[np.ndarray],
    short_rows: int,
    top: np.ndarray | None = None,
    left: np.ndarray | None = None,
    bounds: PruningBounds | None = None,
) -> StripRun:
    """Return strips that keep special rows and columns in ``checkpoint_arrays``, shaped as `checkpoint_shapes` says."""
    columns = {tile // s * (k + 1) - 1: column for k, column in enumerate(checkpoint_arrays[:-1])}
    places = min(run.threads + 1, -(-pair.columns.size // s))
    return StripRun(
        pair=pair,
        s=s,
        batch=batch,
        run=run,
        values=np.empty((places, pair.value_count, column_length(pair.rows.size)), np.int32),
        kept_columns=columns,
        top=top,
        left=left,
        h=tile,
        chunk_parts=pair.value_count,
        bottoms_at=checkpoint_arrays[-1],
        short_rows=short_rows,
        bounds=bounds,
    )


def trace_path(grid: CheckpointGrid, end: tuple[int, int], log: TileLog) -> Alignment:
    """Return the best path to a cell of the whole matrix, in the orientation of the problem; raises Cancelled."""
    pair, (row, column) = grid.strips.pair, end
    pieces: list[np.ndarray] = []
    for operations in _trace_pieces(grid, end, KIND_H, log, 0):
        pieces.append(operations)
        row, column = _piece_start(operations, row, column)
        log.phase.report(sum(end) - row - column)
    if not (row and column):
        (row, column), border = pair.border_path((row, column))
        pieces.append(border)
    log.phase.report(log.phase.total)
    operations = np.concatenate([np.empty(0, np.uint8), *pieces[::-1]]) & OPERATION
    return pair.make_alignment((row, column), end, operations)


def _trace_pieces(
    grid: CheckpointGrid, cell: tuple[int, int], end_kind: int, log: TileLog, held_bytes: int
) -> Iterator[np.ndarray]:
    """Yield the pieces of the path from a cell of a grid back to its border or to the path's start, last one first.

    Operations are as `trace_operations` writes them, those of gaps of the second piece with a mark.
    ``held_bytes``: bytes that the grids around this one keep.
    """
    row, column = cell
    while row and column:
        top, left = _tile_corner(grid, row, column)
        small = (row - top) * (column - left) <= sizes.SMALL_CELLS
        for operations in (_trace_small_tile if small else _trace_large_tile)(
            grid, (top, row), (left, column), end_kind, log, held_bytes
        ):
            row, column = _piece_start(operations, row, column)
            end_kind = STARTS_AS[int(operations[0])]
            yield operations
        if row > top and column > left:
            return


def _trace_small_tile(
    grid: CheckpointGrid, rows: Span, columns: Span, end_kind: int, log: TileLog, held_bytes: int
) -> Iterator[np.ndarray]:
    """Yield the piece of the path inside a small tile; nothing where the path starts in its end cell."""
    begun_ns = time.perf_counter_ns()
    part, top, left = _tile_borders(grid, rows, columns)
    height, width = part.rows.size, tile_width(part.columns.size)
    no_values = np.empty((0, part.value_count, 0), np.int32)
    strips = StripRun(part, width, 1, no_values, grid.strips.run, top=top, left=left)
    codes = np.empty((1, slice_bytes(height, width, part.value_count)), np.uint8)
    operations = np.empty(height + width, np.uint8)
    compute_direction_tile(strips.strip_problem(0), strips.top_edge(0), left, 0, height, codes[0], strips.second)
    directions = PartDirections(codes, height, width // LANES)
    two_pieces = True if strips.second else None
    length = trace_operations(directions, 0, 0, height, part.columns.size, end_kind, operations, two_pieces)
    held_bytes += strips.nbytes + top.nbytes + codes.nbytes + operations.nbytes
    log.log_tile(grid, rows, columns, begun_ns, held_bytes)
    if length:
        yield operations[:length][::-1].copy()


def _trace_large_tile(
    grid: CheckpointGrid, rows: Span, columns: Span, end_kind: int, log: TileLog, held_bytes: int
) -> Iterator[np.ndarray]:
    """Yield the pieces of the path inside a large tile, which is swept and cut into tiles itself."""
    begun_ns = time.perf_counter_ns()
    part, top, left = _tile_borders(grid, rows, columns)
    s, tile = sizes.TILE_STRIP, sizes.inner_tile_size(part.columns.size)
    shapes = sizes.checkpoint_shapes(part.rows.size, part.columns.size, s, tile, part.value_count)
    kept = [np.empty(shape, np.int32) for shape in shapes]
    fitting = cpu_sizes.most_16bit_rows(find_score_bounds(part.table), part.gap_pieces, s)
    short_rows = fitting if grid.strips.short_rows else 0
    bounds = grid.strips.bounds and grid.strips.bounds.restrict(rows[0], columns[0], grid.strips.bounds.least)
    strips = make_checkpoint_strips(grid.strips.run, part, s, TILE_BATCH, tile, kept, short_rows, top, left, bounds)
    strips.best[:, 0] = NEVER_BETTER
    cpu_strips.compute_strips(strips, log.phase, is_logged=False, report=log.phase.run.monitor.check)
    held_bytes += strips.nbytes + top.nbytes + sum(array.nbytes for array in kept[:-1])
    log.log_tile(grid, rows, columns, begun_ns, held_bytes)
    inner = CheckpointGrid(strips, tile, grid.row + rows[0], grid.column + columns[0])
    yield from _trace_pieces(inner, (part.rows.size, part.columns.size), end_kind, log, held_bytes)


def _tile_corner(grid: CheckpointGrid, row: int, column: int) -> tuple[int, int]:
    """Return the special row above a cell, and the special column on its left."""
    return (row - 1) // grid.tile * grid.tile, (column - 1) // grid.tile * grid.tile


def _tile_borders(grid: CheckpointGrid, rows: Span, columns: Span) -> tuple[EncodedPair, np.ndarray, np.ndarray]:
    """Return the letters of a part of a grid, H and G of the row above it, H and K of the column on its left."""
    strips, (top, bottom), (left, right) = grid.strips, rows, columns
    beside = strips.left_column(left // strips.s)[:, top : column_length(bottom)].copy()
    strips.mark_skipped_column(left // strips.s - 1, top, beside)
    above = np.hstack((beside[:, :1], strips.kept_row(top, left, right)))
    return strips.pair.slice_pair(rows, columns), above, beside


def _piece_start(operations: np.ndarray, row: int, column: int) -> tuple[int, int]:
    """Return the cell in which a piece of the path begins that ends in (row, column)."""
    steps = operations & OPERATION
    return row - int(np.count_nonzero(steps != LEFT)), column - int(np.count_nonzero(steps != UP))
