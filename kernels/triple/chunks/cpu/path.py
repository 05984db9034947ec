"""Phases 2 and 3 on the CPU: which boxes the path goes through, and the path inside each."""

from __future__ import annotations

import time

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, LoggedCells
from antidiag.kernels.triple.chunks.cpu import layouts
from antidiag.kernels.triple.chunks.cpu.chunked_cube import ChunkedCube, ChunkWorker, letter_ranges, to_box_axes
from antidiag.kernels.triple.chunks.cpu.faces import walk_back, walk_back_affine
from antidiag.kernels.triple.chunks.cpu.grid_shape import number_faces
from antidiag.kernels.triple.grid import PathPart, decode_start
from antidiag.kernels.triple.model import LETTER_BITS, Cell

BEFORE_ALL = (-1, -1, -1)
"""The cell from which the path enters the first cell."""


def find_parts(cube: ChunkedCube) -> list[PathPart]:
    """Run phase 2: find the parts of the path, from its end, by the local starts of boundary cells."""
    found: list[PathPart] = []
    cell, after, code = cube.encoded.end_cell, 7, int(cube.last[1])
    while True:
        chunk = cell[0] // cube.grid.s, cell[1] // cube.grid.s
        start, first = decode_start(code, chunk, cube.grid.s)
        found.append(PathPart(chunk, cell[2] // cube.grid.h, start, first, cell, after))
        if start == BEFORE_ALL:
            return found
        cell, after = start, first
        code = _read_stored_start(cube, cell, after or 7)


def _read_stored_start(cube: ChunkedCube, cell: Cell, move: int) -> int:
    """Return the local start of a boundary cell, as ``move`` leaves it."""
    s, h, n = cube.grid.s, cube.grid.h, cube.layout
    chunk, box = (cell[0] // s, cell[1] // s), cell[2] // h
    east, south = cell[1] % s == s - 1 and move & LETTER_BITS[1], cell[0] % s == s - 1 and move & LETTER_BITS[0]
    upwards = 1 if east else 0 if south else 2
    axis = cube.box_axes.index(upwards)
    o, l, t = to_box_axes(cube, chunk, box, cell)  # noqa: E741
    bits = [int(move & LETTER_BITS[side] > 0) for side in cube.box_axes]
    part = 0 if n.parts == 1 else 2 * bits[0 if axis else 1] + bits[1 if axis == 2 else 2]
    strip, lane = divmod(l, n.lanes)
    place = (
        part * n.row_part + (strip * (n.steps + n.lanes) + t + lane) * n.lanes + lane,
        part * n.column_strip + (o + 1) * n.column + n.steps + n.lanes - t,
        part * n.plane_part + (o + 1) * n.plane_row + l + 1,
    )[axis]
    number = number_faces(cube.shape, *chunk, box, 0)[upwards][1]
    assert cube.start_faces is not None
    return int(cube.start_faces[axis][number * layouts.face_sizes(n)[axis] + place])


def compute_moves(cube: ChunkedCube, pieces: list[PathPart], workers: list[ChunkWorker], phase: CpuPhase) -> np.ndarray:
    """Run phase 3: compute the moves of all parts on threads; they are returned from the start of the path."""
    found: list[np.ndarray] = [np.empty(0, np.uint8)] * len(pieces)

    def compute(worker: int, index: int) -> None:
        part = pieces[index]
        found[index], cell, _ = _walk_part(workers[worker], part, phase)
        assert cube.run.stop[0] or cell == part.start, f"the path left {part.chunk} at {cell}, not {part.start}"

    phase.share_tasks(range(len(pieces)), compute)
    return _join_parts(found)


def compute_moves_backwards(cube: ChunkedCube, worker: ChunkWorker, phase: CpuPhase) -> np.ndarray:
    """Compute the moves of the path without local starts: chunk after chunk, from the end."""
    found: list[np.ndarray] = []
    cell, after = cube.encoded.end_cell, 7

    def work(number: int) -> None:
        nonlocal cell, after
        while not cube.run.stop[0] and cell != BEFORE_ALL:
            chunk = cell[0] // cube.grid.s, cell[1] // cube.grid.s
            piece, cell, after = _walk_part(worker, PathPart(chunk, 0, BEFORE_ALL, 0, cell, after), phase)
            found.append(piece)

    phase.share(work, lambda: phase.report(phase.total - max(sum(cell), 0)), threads=1)
    return _join_parts(found)


def _join_parts(backwards: list[np.ndarray]) -> np.ndarray:
    """Join pieces that begin at the end of the path; the move into the first cell is none of its columns."""
    return np.concatenate([np.empty(0, np.uint8), *backwards])[-2::-1].copy()


def _walk_part(worker: ChunkWorker, part: PathPart, phase: CpuPhase) -> tuple[np.ndarray, Cell, int]:
    """Return the moves of a part, backwards, the cell from which it enters, and the move that leaves that cell.

    Boxes are computed again one below another, until the path leaves the chunk or, where starts are local to them, the
    box.
    """
    cube, (row, column), cell, after = worker.cube, part.chunk, part.end, part.after
    found: list[np.ndarray] = []
    while cell[0] >= row * cube.grid.s and cell[1] >= column * cube.grid.s and cell[2] >= 0 and not cube.run.stop[0]:
        box = cell[2] // cube.grid.h
        if found and cube.kind.starts_per_subchunk:
            break
        begun_ns = time.perf_counter_ns()
        first_layer = box * cube.grid.h
        worker.recompute_box(part.chunk, box, cell[2] - first_layer + 1)
        walked = (walk_back_affine if cube.encoded.has_affine_gaps else walk_back)(
            *_walk_arguments(worker, part.chunk, box, cell, after)
        )
        count, after = walked[0], walked[4]
        assert worker.path_moves is not None
        found.append(worker.path_moves[:count].copy())
        taken = [int(np.count_nonzero(found[-1] & bit)) for bit in LETTER_BITS]
        rows, columns, layers = letter_ranges(cube.grid, part.chunk, (first_layer, cell[2] + 1))
        cell = cell[0] - taken[0], cell[1] - taken[1], cell[2] - taken[2]
        cells = LoggedCells(rows, columns, cube.order_of_chunks[part.chunk], layers)
        phase.log(cells, worker.number, begun_ns)
    return np.concatenate([np.empty(0, np.uint8), *found]), cell, after


def _walk_arguments(worker: ChunkWorker, chunk: tuple[int, int], box: int, cell: Cell, after: int) -> tuple:
    """Return the arguments of the compiled walk."""
    cube = worker.cube
    weights = tuple(LETTER_BITS[axis] for axis in cube.box_axes)
    start = to_box_axes(cube, chunk, box, cell)
    between = (start, after, worker.path_moves) if cube.encoded.has_affine_gaps else (start, worker.path_moves)
    return (worker.moves, cube.layout, weights, *between)
