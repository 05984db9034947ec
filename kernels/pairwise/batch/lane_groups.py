"""Which pairs of a batch lie side by side in the lanes of vectors on a CPU. NumPy only."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.pairwise.batch.model import BatchProblem
from antidiag.kernels.pairwise.batch.sizes import VECTOR_BYTES
from antidiag.kernels.pairwise.batch.slices import LARGEST_SHORT, PairShapes, is_symmetric
from antidiag.kernels.scoring import Mode

LARGEST_16_BITS = 2**15 - 1
TABLE_ROW = 32
"""Scores of a letter that are looked up in a vector: of 31 letters at most, and of the padding."""
TASKS_A_THREAD = 4
"""Tasks of a thread in a batch of few cells, so that all threads end at about the same time."""
TASK_CELLS = 1 << 26
"""Cells of a task, at most: some hundredths of a second."""


LaneKind = type[np.int16] | type[np.int32]
LANE_KINDS: tuple[LaneKind, ...] = (np.int16, np.int32)
"""The types of the numbers in lanes, the narrowest first."""


@dataclass(frozen=True, eq=False)
class LaneTask:
    """Pairs that a thread computes in lanes of one type and by one orientation of the scores; None: without lanes."""

    kind: LaneKind | None
    is_swapped: bool
    numbers: np.ndarray


def lanes_of_kind(kind: LaneKind) -> int:
    """Return the number of pairs side by side in lanes of a type."""
    return VECTOR_BYTES // np.dtype(kind).itemsize


def fits_16_bits(problem: BatchProblem, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return for which pairs of these lengths no value of a cell leaves 16 bits; scores must fit in a byte.

    H is at most the greatest score for each row. Where paths are not local, it is at least the score of two gaps.
    """
    table, pieces = problem.encoded.table, problem.scoring.gap_pieces
    if table.shape[0] >= TABLE_ROW or np.abs(table).max() > LARGEST_SHORT:
        return np.zeros(rows.size, bool)
    values = max(int(table.max()), 0) * rows
    if problem.mode is not Mode.LOCAL:
        gaps = np.min([2 * opening + extend * (rows + columns) for opening, extend in pieces], axis=0)
        values = np.maximum(values, gaps)
    step = max(LARGEST_SHORT, *(opening + extend for opening, extend in pieces))
    return values + step + max(extend for _, extend in pieces) <= LARGEST_16_BITS


def lay_out_table(scores: np.ndarray, kind: LaneKind) -> tuple[np.ndarray, int]:
    """Return scores, int32 (letters, letters), as lanes look them up, flat, and the elements of each row letter.

    Column letters from ``letters`` on score 0: padding. In 16 bits a table has TABLE_ROW elements altogether, where so
    many are enough, or for each row letter.
    """
    letters = scores.shape[0]
    stride = letters + 1 if kind is np.int32 or letters * (letters + 1) <= TABLE_ROW else TABLE_ROW
    table = np.zeros((letters, stride), kind)
    table[:, :letters] = scores
    return np.append(table, np.zeros(max(TABLE_ROW - table.size, 0), kind)), stride


def make_tasks(problem: BatchProblem, shapes: PairShapes, small: np.ndarray, threads: int) -> Iterator[LaneTask]:
    """Yield tasks of about equal work of the pairs with the numbers ``small``."""
    rows, columns = shapes.rows[small].astype(np.int32), shapes.columns[small].astype(np.int32)
    fits = fits_16_bits(problem, rows, columns)
    swapped = np.zeros(small.size, bool) if is_symmetric(problem) else shapes.is_swapped[small]
    most = min(TASK_CELLS, int((rows * columns).sum(dtype=np.int64)) // (TASKS_A_THREAD * threads))
    for kind, is_swapped in itertools.product(LANE_KINDS, (False, True)):
        chosen = np.flatnonzero((fits == (kind is np.int16)) & (swapped == is_swapped))
        if chosen.size:
            lanes = lanes_of_kind(kind)
            order = chosen[order_for_lanes(rows[chosen], columns[chosen], lanes)]
            for part in _cut_order(order, rows[order] * columns[order], lanes, max(most, 1)):
                yield LaneTask(kind, is_swapped, small[part])


def order_for_lanes(rows: np.ndarray, columns: np.ndarray, lanes: int) -> np.ndarray:
    """Return an order of pairs in which neighbours have like rows and like columns.

    The pairs are sorted by their rows and cut into as many parts as each part has groups; each is sorted by columns.
    """
    by_rows = np.argsort(rows, kind="stable")
    groups_of_part = math.isqrt(-(-rows.size // lanes))
    parts = np.arange(rows.size, dtype=np.int32) // (lanes * groups_of_part)
    return by_rows[np.lexsort((columns[by_rows], parts))]


def _cut_order(order: np.ndarray, cells: np.ndarray, lanes: int, most: int) -> list[np.ndarray]:
    """Cut an order after whole groups of lanes, wherever so many cells have come together."""
    before = np.cumsum(cells, dtype=np.int64)[lanes - 1 : -1 : lanes] // most
    ends = np.flatnonzero(np.diff(before, prepend=0)) + 1
    return np.split(order, ends * lanes)
