"""H of the cube for views: slices through a cell, and the candidates of a cell.

A small cube is kept whole; then every slice and every candidate of a cell is available. For a larger one each slice is
computed again, plane by plane with two planes in memory, as far as the slice needs; the largest ones are refused. All
of that is computed on the GPU that is named, or on the CPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.triple.encoding import encode_problem
from antidiag.kernels.triple.model import LETTER_BITS, MOVE_ORDER, PAIRS, Cell, TripleProblem
from antidiag.kernels.triple.reference import OPENINGS
from antidiag.kernels.triple.serial.cpu import iterate_planes

MOST_KEPT_VALUES = 1 << 25
"""Most values of a cube that is kept, 4 bytes each; affine gaps have eight per cell."""
MOST_CELLS, AFFINE_EFFORT = 20_000_000_000, 20
"""Most cells that are computed for a slice, about a minute, and the number of such cells that one with affine gaps is
worth.
"""
MOST_CELLS_ON_GPU, AFFINE_EFFORT_ON_GPU = 1_000_000_000_000, 4
"""The same on a GPU."""
FIRST_MOVE = 7
"""The move that is taken to come before the first cell: a column of three letters, after which any gap opens."""


@dataclass(frozen=True, eq=False)
class CubeValues:
    """All cells of a cube: H' (encoding.py), int32; with affine gaps at index m what a next move m takes of it."""

    problem: TripleProblem
    array: np.ndarray

    def plane_scores(self, axis: int, place: int) -> np.ndarray:
        """Return H where coordinate ``axis`` is ``place``, in engine units, int64, the other two in order."""
        values = self.array[..., FIRST_MOVE] if self.problem.has_affine_gaps else self.array
        return _unshift_scores(values.take(place, axis), self.problem, axis, place)

    def cell_score(self, cell: Cell) -> int:
        """Return H of a cell in engine units."""
        return self._taken_value(cell, FIRST_MOVE)

    def _taken_value(self, cell: Cell, move: int) -> int:
        """Return what a move takes from the cell before it, in engine units."""
        value = int(self.array[(*cell, move)] if self.problem.has_affine_gaps else self.array[cell])
        return value - 2 * self.problem.scoring.extend * sum(cell)

    def ending_value(self, cell: Cell, move: int) -> int | None:
        """Return the best value of a cell whose last move is ``move``; None where it cannot be."""
        before = source_cell(cell, move)
        if cell == (0, 0, 0):
            return 0 if move == FIRST_MOVE else None
        return None if min(before) < 0 else self._taken_value(before, move) + score_column(self.problem, cell, move)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the seven candidates of a cell: the value of the cell before, gaps that open, and the column; engine
    units.

    ``after`` is the best move before it, None with linear gaps. ``value`` is the sum.
    """

    move: int
    before: Cell
    best_before: int
    after: int | None
    opening: int
    column: int

    @property
    def value(self) -> int:
        """The score of the cell by this move."""
        return self.best_before - self.opening + self.column


def source_cell(cell: Cell, move: int) -> Cell:
    """Return the cell that a move into ``cell`` comes from."""
    i, j, k = (place - (move & bit > 0) for place, bit in zip(cell, LETTER_BITS, strict=True))
    return i, j, k


def score_column(problem: TripleProblem, cell: Cell, move: int) -> int:
    """Return the score of the column that ``move`` puts before ``cell``, without the costs of opening gaps."""
    score = 0
    for x, y in PAIRS:
        letters = bool(move & LETTER_BITS[x]) + bool(move & LETTER_BITS[y])
        if letters == 2:
            score += int(problem.scoring.scores[problem.codes[x][cell[x] - 1], problem.codes[y][cell[y] - 1]])
        elif letters == 1:
            score -= problem.scoring.extend
    return score


def list_candidates(values: CubeValues, cell: Cell) -> tuple[Candidate | None, ...]:
    """Return the candidates of a cell by ORDER (Li et al. 2014, section 3), None for one from outside."""
    return tuple(
        _make_candidate(values, cell, move) if min(source_cell(cell, move)) >= 0 and cell != (0, 0, 0) else None
        for move in MOVE_ORDER
    )


def choose_winner(found: tuple[Candidate | None, ...]) -> Candidate | None:
    """Return the candidate that is taken: the first of the best; None in the first cell."""
    return max((candidate for candidate in found if candidate), key=lambda candidate: candidate.value, default=None)


def _make_candidate(values: CubeValues, cell: Cell, move: int) -> Candidate:
    before, column = source_cell(cell, move), score_column(values.problem, cell, move)
    if not values.problem.has_affine_gaps:
        return Candidate(move, before, values.cell_score(before), None, 0, column)
    opening = {after: OPENINGS[after, move] * values.problem.scoring.open for after in MOVE_ORDER}
    endings = {after: values.ending_value(before, after) for after in MOVE_ORDER}
    worth = {after: ending - opening[after] for after, ending in endings.items() if ending is not None}
    after = max(worth, key=worth.__getitem__)
    return Candidate(move, before, worth[after] + opening[after], after, opening[after], column)


def count_cell_values(problem: TripleProblem) -> int:
    """Return the values of a cell."""
    return 8 if problem.has_affine_gaps else 1


def is_kept(problem: TripleProblem) -> bool:
    """Return whether all cells of the cube are kept."""
    return _count_cells(problem) * count_cell_values(problem) <= MOST_KEPT_VALUES


def estimate_effort(problem: TripleProblem, on_gpu: bool = False) -> int:
    """Return what a pass over the cube costs, in cells with linear gaps."""
    return _count_cells(problem) * (_affine_cell_effort(on_gpu) if problem.has_affine_gaps else 1)


def explain_refusal(problem: TripleProblem, on_gpu: bool = False) -> str:
    """Return why no slice of this cube is computed; empty where slices are."""
    most = MOST_CELLS_ON_GPU if on_gpu else MOST_CELLS
    if estimate_effort(problem, on_gpu) <= most:
        return ""
    gaps = ", with affine gaps" if problem.has_affine_gaps else ""
    return (
        f"no method keeps H, so slices are computed again; this cube has {_count_cells(problem):,} cells, and "
        "slices are "
        f"shown up to {most // (_affine_cell_effort(on_gpu) if problem.has_affine_gaps else 1):,} cells{gaps}"
    )


def compute_cube(problem: TripleProblem, monitor: Monitor, device: int | None = None) -> CubeValues:
    """Compute all cells of a small cube. InputError where it is too large; raises what a GPU fails with."""
    if not is_kept(problem):
        raise InputError(f"{problem.title}: a cube of {problem.size} letters has too many cells to keep")
    if device is not None:
        from antidiag.kernels.triple.pictures import cuda_slices  # CuPy is imported where a GPU is used

        return CubeValues(problem, cuda_slices.compute_cube(encode_problem(problem), monitor, device))
    sizes = tuple(length + 1 for length in problem.lengths)
    array = np.empty((*sizes, 8) if problem.has_affine_gaps else sizes, np.int32)
    for i, plane in enumerate(_iterate_planes(problem, sizes, monitor)):  # type: ignore[arg-type]
        array[i] = plane
    return CubeValues(problem, array)


def compute_slices(
    problem: TripleProblem, cell: Cell, axes: frozenset[int], monitor: Monitor, device: int | None = None
) -> Mapping[int, np.ndarray]:
    """Return H of the planes through ``cell`` across each of ``axes``, in engine units, integers; see
    `CubeValues.plane_scores`.

    For one plane only the cells before it are computed. InputError above MOST_CELLS; raises Cancelled, and what a GPU
    fails with.
    """
    if reason := explain_refusal(problem, device is not None):
        raise InputError(reason)
    whole = [length + 1 for length in problem.lengths]
    i_cells, j_cells, k_cells = (
        place + 1 if axes == {axis} else size for axis, (place, size) in enumerate(zip(cell, whole, strict=True))
    )
    if device is None:
        found = _compute_cpu_slices(problem, (i_cells, j_cells, k_cells), cell, axes, monitor)
        return {axis: _unshift_scores(found[axis], problem, axis, cell[axis]) for axis in axes}
    from antidiag.kernels.triple.pictures import cuda_slices  # CuPy is imported where a GPU is used

    return cuda_slices.compute_slices(encode_problem(problem), (i_cells, j_cells, k_cells), cell, axes, monitor, device)


def _compute_cpu_slices(
    problem: TripleProblem, cells: Cell, cell: Cell, axes: frozenset[int], monitor: Monitor
) -> Mapping[int, np.ndarray]:
    """Return H' of the planes, int32, from a pass of the CPU over so many cells along each side."""
    i_cells, j_cells, k_cells = cells
    found = {
        0: np.empty((j_cells, k_cells), np.int32),
        1: np.empty((i_cells, k_cells), np.int32),
        2: np.empty((i_cells, j_cells), np.int32),
    }
    for i, plane in enumerate(_iterate_planes(problem, cells, monitor)):
        h = plane[..., FIRST_MOVE] if problem.has_affine_gaps else plane
        if i == cell[0] and 0 in axes:
            found[0][:] = h
        if 1 in axes:
            found[1][i] = h[cell[1]]
        if 2 in axes:
            found[2][i] = h[:, cell[2]]
    return found


def _iterate_planes(problem: TripleProblem, cells: Cell, monitor: Monitor) -> Iterator[np.ndarray]:
    """Yield H' of every plane i, of so many cells along each side; a plane is overwritten two planes later."""
    rows = cells[0] * cells[1]
    return iterate_planes(encode_problem(problem), cells, lambda done: monitor.update(done, rows, "slices"))


def _unshift_scores(values: np.ndarray, problem: TripleProblem, axis: int, place: int) -> np.ndarray:
    rows, columns = (np.arange(size) for size in values.shape)
    return values - 2 * problem.scoring.extend * (rows[:, None] + columns[None, :] + place)


def _affine_cell_effort(on_gpu: bool) -> int:
    return AFFINE_EFFORT_ON_GPU if on_gpu else AFFINE_EFFORT


def _count_cells(problem: TripleProblem) -> int:
    i, j, k = (length + 1 for length in problem.lengths)
    return i * j * k
