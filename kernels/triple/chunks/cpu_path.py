"""Phases 2 and 3 on the CPU: which boxes the path goes through, and the path inside each."""

from __future__ import annotations

import itertools
import time

import numpy as np

from antidiag.kernels.cpu.workers import share
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import Steps
from antidiag.kernels.triple.chunks import cpu_sizes
from antidiag.kernels.triple.chunks.cpu_cube import Cube, Worker, local, ranges
from antidiag.kernels.triple.chunks.cpu_faces import walk, walk_affine
from antidiag.kernels.triple.chunks.cpu_shape import face_numbers
from antidiag.kernels.triple.grid import Part, start_of
from antidiag.kernels.triple.model import LETTER, Cell

BEFORE_ALL = (-1, -1, -1)
"""The cell from which the path enters the first cell."""


def parts(cube: Cube) -> list[Part]:
    """Phase 2: the parts of the path, from its end, by the local starts of boundary cells."""
    found: list[Part] = []
    cell, after, code = cube.encoded.end, 7, int(cube.last[1])
    while True:
        chunk = cell[0] // cube.grid.s, cell[1] // cube.grid.s
        start, first = start_of(code, chunk, cube.grid.s)
        found.append(Part(chunk, cell[2] // cube.grid.h, start, first, cell, after))
        if start == BEFORE_ALL:
            return found
        cell, after = start, first
        code = _stored_start(cube, cell, after or 7)


def _stored_start(cube: Cube, cell: Cell, move: int) -> int:
    """Local start of a boundary cell, as ``move`` leaves it."""
    s, h, n = cube.grid.s, cube.grid.h, cube.layout
    chunk, box = (cell[0] // s, cell[1] // s), cell[2] // h
    east, south = cell[1] % s == s - 1 and move & LETTER[1], cell[0] % s == s - 1 and move & LETTER[0]
    upwards = 1 if east else 0 if south else 2
    axis = cube.axes.index(upwards)
    o, l, t = local(cube, chunk, box, cell)  # noqa: E741
    bits = [int(move & LETTER[side] > 0) for side in cube.axes]
    part = 0 if n.parts == 1 else 2 * bits[0 if axis else 1] + bits[1 if axis == 2 else 2]
    strip, lane = divmod(l, n.lanes)
    place = (
        part * n.row_part + (strip * (n.steps + n.lanes) + t + lane) * n.lanes + lane,
        part * n.column_strip + (o + 1) * n.column + n.steps + n.lanes - t,
        part * n.plane_part + (o + 1) * n.plane_row + l + 1,
    )[axis]
    number = face_numbers(cube.shape, *chunk, box, 0)[upwards][1]
    assert cube.start_faces is not None
    return int(cube.start_faces[axis][number * cpu_sizes.face_sizes(n)[axis] + place])


def moves(
    cube: Cube, pieces: list[Part], workers: list[Worker], monitor: Monitor, steps: Steps, started_ns: int
) -> np.ndarray:
    """Phase 3: the moves of all parts, computed on threads, from the start of the path."""
    tickets, done = itertools.count(), [0]
    found: list[np.ndarray] = [np.empty(0, np.uint8)] * len(pieces)

    def work(number: int) -> None:
        while not cube.stop[0] and (index := next(tickets)) < len(pieces):
            part = pieces[index]
            found[index], cell, _ = _walk(workers[number], part, steps, started_ns)
            assert cube.stop[0] or cell == part.start, f"the path left {part.chunk} at {cell}, not {part.start}"
            done[0] += 1

    share(work, len(workers), cube.stop, lambda: monitor.update(done[0], len(pieces), "phase 3"))
    return _joined(found)


def moves_backwards(cube: Cube, worker: Worker, monitor: Monitor, steps: Steps, started_ns: int) -> np.ndarray:
    """The moves of the path where no local starts were kept: chunk after chunk, from the end."""
    found: list[np.ndarray] = []
    cell, after = cube.encoded.end, 7

    def work(number: int) -> None:
        nonlocal cell, after
        while not cube.stop[0] and cell != BEFORE_ALL:
            chunk = cell[0] // cube.grid.s, cell[1] // cube.grid.s
            piece, cell, after = _walk(worker, Part(chunk, 0, BEFORE_ALL, 0, cell, after), steps, started_ns)
            found.append(piece)

    total = sum(cube.encoded.end)
    share(work, 1, cube.stop, lambda: monitor.update(total - max(sum(cell), 0), total, "phase 3"))
    return _joined(found)


def _joined(backwards: list[np.ndarray]) -> np.ndarray:
    """The path from pieces that begin at its end; the move into the first cell is none of its columns."""
    return np.concatenate([np.empty(0, np.uint8), *backwards])[-2::-1].copy()


def _walk(worker: Worker, part: Part, steps: Steps, started_ns: int) -> tuple[np.ndarray, Cell, int]:
    """Moves of a part, backwards, the cell from which it enters, and the move that leaves that cell.

    Boxes are computed again one below another, until the path leaves the chunk or, where starts are local to them,
    the box.
    """
    cube, (row, column), cell, after = worker.cube, part.chunk, part.end, part.after
    found: list[np.ndarray] = []
    while cell[0] >= row * cube.grid.s and cell[1] >= column * cube.grid.s and cell[2] >= 0 and not cube.stop[0]:
        box = cell[2] // cube.grid.h
        if found and (cube.kind.local or worker.cube.stop[0]):
            break
        begun_ns = time.perf_counter_ns()
        first_layer = box * cube.grid.h
        worker.recompute(part.chunk, box, cell[2] - first_layer + 1)
        walked = (walk_affine if cube.encoded.affine else walk)(*_arguments(worker, part.chunk, box, cell, after))
        count, after = walked[0], walked[4]
        assert worker.found is not None
        found.append(worker.found[:count].copy())
        taken = [int(np.count_nonzero(found[-1] & bit)) for bit in LETTER]
        size = ranges(cube.grid, part.chunk, (first_layer, cell[2] + 1))
        cell = cell[0] - taken[0], cell[1] - taken[1], cell[2] - taken[2]
        number, now_ns = cube.order_of_chunks[part.chunk], time.perf_counter_ns()
        steps.add(3, number, size[0], size[1], worker.number, begun_ns - started_ns, now_ns - started_ns, size[2])
    return np.concatenate([np.empty(0, np.uint8), *found]), cell, after


def _arguments(worker: Worker, chunk: tuple[int, int], box: int, cell: Cell, after: int) -> tuple:
    cube = worker.cube
    weights = tuple(LETTER[axis] for axis in cube.axes)
    start = local(cube, chunk, box, cell)
    between = (start, after, worker.found) if cube.encoded.affine else (start, worker.found)
    return (worker.moves, cube.layout, weights, *between)
