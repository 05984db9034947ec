"""H of the cube for people to look at: slices through a cell, and where the value of a cell comes from.

A small cube is kept whole; then every slice and every candidate of a cell is at hand. A larger one is computed again
for each slice, plane by plane with two planes in memory, as far as the slice needs; the largest ones are refused.
All of that is computed on the GPU that is named, or on the CPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.triple.encoding import NEGATIVE, encode
from antidiag.kernels.triple.model import LETTER, ORDER, PAIRS, Cell, TripleProblem
from antidiag.kernels.triple.reference import OPENINGS
from antidiag.kernels.triple.serial import cpu_rows
from antidiag.kernels.triple.serial.cpu import gaps_of, scores_of

KEPT_VALUES = 1 << 25
"""Values of a cube that is kept, 4 bytes each; affine gaps have eight a cell."""
MOST_CELLS, AFFINE_EFFORT = 20_000_000_000, 20
"""Cells that are computed for a slice, about a minute; and how many such a cell with affine gaps is worth."""
MOST_CELLS_ON_GPU, AFFINE_EFFORT_ON_GPU = 1_000_000_000_000, 4
"""The same on a GPU."""
FIRST = 7
"""The move that is taken to come before the first cell: a column of three letters, after which any gap opens."""


@dataclass(frozen=True, eq=False)
class Values:
    """All cells of a cube: H' (encoding.py), int32; with affine gaps at index m what a next move m takes of it."""

    problem: TripleProblem
    array: np.ndarray

    def plane(self, axis: int, place: int) -> np.ndarray:
        """H where coordinate ``axis`` is ``place``, in engine units, int64, the other two coordinates in order."""
        values = self.array[..., FIRST] if self.problem.affine else self.array
        return _unshifted(values.take(place, axis), self.problem, axis, place)

    def h(self, cell: Cell) -> int:
        """H of a cell in engine units."""
        return self._taken(cell, FIRST)

    def _taken(self, cell: Cell, move: int) -> int:
        """What a move takes from the cell before it, in engine units."""
        value = int(self.array[(*cell, move)] if self.problem.affine else self.array[cell])
        return value - 2 * self.problem.scoring.extend * sum(cell)

    def _ending(self, cell: Cell, move: int) -> int | None:
        """Best value of a cell whose last move is ``move``; None where it cannot be."""
        before = source(cell, move)
        if cell == (0, 0, 0):
            return 0 if move == FIRST else None
        return None if min(before) < 0 else self._taken(before, move) + column_score(self.problem, cell, move)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the seven ways into a cell: the value of the cell before, gaps that open, and the column; engine units.

    ``after`` is the move before it that is best, None with linear gaps. ``value`` is the sum.
    """

    move: int
    before: Cell
    best_before: int
    after: int | None
    opening: int
    column: int

    @property
    def value(self) -> int:
        return self.best_before - self.opening + self.column


def source(cell: Cell, move: int) -> Cell:
    """The cell that a move into ``cell`` comes from."""
    i, j, k = (place - (move & bit > 0) for place, bit in zip(cell, LETTER, strict=True))
    return i, j, k


def column_score(problem: TripleProblem, cell: Cell, move: int) -> int:
    """Score of the column that ``move`` puts before ``cell``, without what its gaps cost to open."""
    score = 0
    for x, y in PAIRS:
        letters = bool(move & LETTER[x]) + bool(move & LETTER[y])
        if letters == 2:
            score += int(problem.scoring.scores[problem.codes[x][cell[x] - 1], problem.codes[y][cell[y] - 1]])
        elif letters == 1:
            score -= problem.scoring.extend
    return score


def candidates(values: Values, cell: Cell) -> tuple[Candidate | None, ...]:
    """The candidates of a cell by ORDER (000, section 3), None for one that would come from outside."""
    return tuple(
        _candidate(values, cell, move) if min(source(cell, move)) >= 0 and cell != (0, 0, 0) else None for move in ORDER
    )


def winner(found: tuple[Candidate | None, ...]) -> Candidate | None:
    """The candidate that is taken: the first of the best; None in the first cell."""
    return max((candidate for candidate in found if candidate), key=lambda candidate: candidate.value, default=None)


def _candidate(values: Values, cell: Cell, move: int) -> Candidate:
    before, column = source(cell, move), column_score(values.problem, cell, move)
    if not values.problem.affine:
        return Candidate(move, before, values.h(before), None, 0, column)
    opening = {after: OPENINGS[after, move] * values.problem.scoring.open for after in ORDER}
    endings = {after: values._ending(before, after) for after in ORDER}
    worth = {after: ending - opening[after] for after, ending in endings.items() if ending is not None}
    after = max(worth, key=worth.__getitem__)
    return Candidate(move, before, worth[after] + opening[after], after, opening[after], column)


def values_a_cell(problem: TripleProblem) -> int:
    return 8 if problem.affine else 1


def is_kept(problem: TripleProblem) -> bool:
    """Whether all cells of the cube are kept."""
    return _cells(problem) * values_a_cell(problem) <= KEPT_VALUES


def effort(problem: TripleProblem, on_gpu: bool = False) -> int:
    """What a pass over the cube costs, in cells with linear gaps."""
    return _cells(problem) * (_affine_effort(on_gpu) if problem.affine else 1)


def refusal(problem: TripleProblem, on_gpu: bool = False) -> str:
    """Why no slice of this cube is computed; empty where slices are."""
    most = MOST_CELLS_ON_GPU if on_gpu else MOST_CELLS
    if effort(problem, on_gpu) <= most:
        return ""
    gaps = ", with affine gaps" if problem.affine else ""
    return (
        f"H is not kept by any method and would be computed again cell by cell; this cube has {_cells(problem):,} "
        f"cells, and slices are shown up to {most // (_affine_effort(on_gpu) if problem.affine else 1):,}{gaps}"
    )


def keep(problem: TripleProblem, monitor: Monitor, device: int | None = None) -> Values:
    """Compute all cells of a small cube. InputError where it is none; raises what a GPU fails with."""
    if not is_kept(problem):
        raise InputError(f"{problem.title}: {problem.size} letters are too many to keep all cells of the cube")
    if device is not None:
        from antidiag.kernels.triple.pictures import cuda_slices  # CuPy is imported where a GPU is used

        return Values(problem, cuda_slices.keep(encode(problem), monitor, device))
    sizes = tuple(length + 1 for length in problem.lengths)
    array = np.empty((*sizes, 8) if problem.affine else sizes, np.int32)
    for i, plane in enumerate(_planes(problem, sizes, monitor)):  # type: ignore[arg-type]
        array[i] = plane
    return Values(problem, array)


def slices(
    problem: TripleProblem, cell: Cell, axes: frozenset[int], monitor: Monitor, device: int | None = None
) -> Mapping[int, np.ndarray]:
    """H of the planes through ``cell`` across each of ``axes``, in engine units, integers; see ``Values.plane``.

    For one plane only the cells before it are computed. InputError above MOST_CELLS; raises Cancelled, and what a GPU
    fails with.
    """
    if reason := refusal(problem, device is not None):
        raise InputError(reason)
    whole = [length + 1 for length in problem.lengths]
    i_cells, j_cells, k_cells = (
        place + 1 if axes == {axis} else size for axis, (place, size) in enumerate(zip(cell, whole, strict=True))
    )
    if device is None:
        found = _slices(problem, (i_cells, j_cells, k_cells), cell, axes, monitor)
        return {axis: _unshifted(found[axis], problem, axis, cell[axis]) for axis in axes}
    from antidiag.kernels.triple.pictures import cuda_slices  # CuPy is imported where a GPU is used

    return cuda_slices.slices(encode(problem), (i_cells, j_cells, k_cells), cell, axes, monitor, device)


def _slices(
    problem: TripleProblem, cells: Cell, cell: Cell, axes: frozenset[int], monitor: Monitor
) -> Mapping[int, np.ndarray]:
    """H' of the planes, int32, from a pass of the CPU over so many cells along each side."""
    i_cells, j_cells, k_cells = cells
    found = {
        0: np.empty((j_cells, k_cells), np.int32),
        1: np.empty((i_cells, k_cells), np.int32),
        2: np.empty((i_cells, j_cells), np.int32),
    }
    for i, plane in enumerate(_planes(problem, cells, monitor)):
        h = plane[..., FIRST] if problem.affine else plane
        if i == cell[0] and 0 in axes:
            found[0][:] = h
        if 1 in axes:
            found[1][i] = h[cell[1]]
        if 2 in axes:
            found[2][i] = h[:, cell[2]]
    return found


def _planes(problem: TripleProblem, cells: Cell, monitor: Monitor) -> Iterator[np.ndarray]:
    """H' of every plane i in turn, of so many cells along each side; a plane is overwritten two planes later."""
    encoded = encode(problem)
    values = (8,) if encoded.affine else ()
    planes = np.full((2, cells[1] + 1, cells[2] + 1, *values), NEGATIVE, np.int32)
    seed = (1, 0, 0, *((FIRST,) if encoded.affine else ()))
    planes[seed] = 0
    scores = scores_of(encoded, encoded.codes[2][: cells[2]])
    common, call = ((gaps_of(encoded), scores), cpu_rows.affine_rows) if encoded.affine else ((scores,), cpu_rows.rows)
    band = max(1, cpu_rows.CELLS // values_a_cell(problem) // cells[2])
    for i in range(cells[0]):
        for first in range(0, cells[1], band):
            monitor.update(i * cells[1] + first, cells[0] * cells[1], "slices")
            call(planes, None, *common, i, first, min(first + band, cells[1]))
        planes[seed] = NEGATIVE  # beyond the first cell, the border is no source
        yield planes[i % 2, 1:, 1:]


def _unshifted(values: np.ndarray, problem: TripleProblem, axis: int, place: int) -> np.ndarray:
    rows, columns = (np.arange(size) for size in values.shape)
    return values - 2 * problem.scoring.extend * (rows[:, None] + columns[None, :] + place)


def _affine_effort(on_gpu: bool) -> int:
    return AFFINE_EFFORT_ON_GPU if on_gpu else AFFINE_EFFORT


def _cells(problem: TripleProblem) -> int:
    i, j, k = (length + 1 for length in problem.lengths)
    return i * j * k
