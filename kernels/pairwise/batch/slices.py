"""How a GPU computes a batch: which pairs share words and lanes, and in which launches.

NumPy only. Pairs are sorted by what they need, so that the pairs of a word and of a warp have about the same size. A
slice is what one launch computes; its borders, columns and operations fit `SLICE_BYTES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.pairwise.batch.cuda_sources import PLACE
from antidiag.kernels.pairwise.batch.model import BatchProblem, EncodedBatch
from antidiag.kernels.pairwise.batch.sizes import SLICE_BYTES
from antidiag.kernels.pairwise.encoding import FreeBorders
from antidiag.kernels.scoring import Mode

TILE = 32
LANES = 32
GROUPS = (4, 8, 16, 32)
SHORT_RANGE = 28_000
"""Values of 16-bit tables stay within it; -30,000 is minus infinity there."""
LARGEST_SHORT = 127
"""The largest score and cost in 16 bits: scores are bytes."""
LOCAL_LIMIT = 2**15 - 1 - LARGEST_SHORT
"""A local score in 16 bits from here on may have overflowed, and is computed again."""

CELLS_A_MULTIPROCESSOR = 1 << 28
"""Cells of a slice for each multiprocessor: 9 ms on an H200, and below 250 ms on other cards."""
MOST_SHARED = 48 << 10
"""Bytes of scores in shared memory of a warp."""


@dataclass(frozen=True)
class BatchKernel:
    """What a slice is compiled for: lanes of a group, rows of a lane, pairs of a word, mode, with paths or without."""

    group: int
    rows: int
    paired: bool
    is_local: bool
    paths: bool

    @property
    def strip(self) -> int:
        """Rows of a strip."""
        return self.group * self.rows

    @property
    def per_word(self) -> int:
        """Pairs of a word."""
        return 2 if self.paired else 1

    def defines(self, threads: int, blocks: int) -> dict[str, int]:
        """Return the compile-time constants."""
        return {
            "GROUP": self.group,
            "ROWS": self.rows,
            "PAIRED": self.paired,
            "LOCAL": self.is_local,
            "PATHS": self.paths,
            "THREADS": threads,
            "BLOCKS": blocks,
        }


def choose_rows(letters: int, paired: bool) -> int:
    """Return the rows of a lane: as many as registers and shared memory allow."""
    return 32 if paired and letters <= 6 else 16


def shared_bytes(letters: int, rows: int, paired: bool, warps: int) -> int:
    """Return the bytes of shared memory of a block: the table, and in 16 bits the scores of each warp's rows."""
    side = letters + 1
    table = 4 * (-(-side * side // 4) * 4)
    return table + warps * 2 * side * 32 * rows * paired


@dataclass(frozen=True, eq=False)
class PairShapes:
    """All pairs of a batch: rows (the shorter sequence) and columns, int64, and whether the rows are the second one."""

    rows: np.ndarray
    columns: np.ndarray
    row_begins: np.ndarray
    column_begins: np.ndarray
    is_swapped: np.ndarray


def orient_pairs(problem: BatchProblem) -> PairShapes:
    """Return the pairs with the shorter sequence as rows; the first one where both have one length."""
    encoded, pairs = problem.encoded, problem.pairs
    first, second = encoded.lengths[pairs.firsts], encoded.lengths[pairs.seconds]
    of_first, of_second = encoded.first_begins[pairs.firsts], encoded.begins[pairs.seconds]
    swapped = first > second
    return PairShapes(
        np.where(swapped, second, first),
        np.where(swapped, first, second),
        np.where(swapped, of_second, of_first),
        np.where(swapped, of_first, of_second),
        swapped,
    )


def is_symmetric(problem: BatchProblem) -> bool:
    """Return whether it does not matter which of two sequences are the rows."""
    free, table = problem.free_ends, problem.encoded.table
    return free == free.exchanged() and np.array_equal(table, table.T)


def fits_short(problem: BatchProblem, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return which pairs are computed in 16 bits: local ones at first all, others where no value can be too large."""
    scoring = problem.scoring
    largest = max(int(np.abs(problem.encoded.table).max(initial=0)), scoring.open + scoring.extend)
    if largest > LARGEST_SHORT:
        return np.zeros(rows.size, bool)
    if problem.mode == Mode.LOCAL:
        return np.ones(rows.size, bool)
    lowest = 2 * scoring.open + scoring.extend * (rows + columns)
    return np.maximum(lowest, int(problem.encoded.table.max(initial=0)) * rows) <= SHORT_RANGE


def free_borders(problem: BatchProblem, is_swapped: bool) -> FreeBorders:
    """Return the free borders with the shorter sequence as rows."""
    ends = problem.free_ends.exchanged() if is_swapped else problem.free_ends
    return FreeBorders(ends.second_start, ends.first_start, ends.second_end, ends.first_end)


def padding_scores(
    encoded: EncodedBatch, free: FreeBorders, is_local: bool, is_swapped: bool, paired: bool
) -> np.ndarray:
    """Return the score table with a row and a column for the letter of padding, int32 (letters + 1, letters + 1).

    Rows of padding repeat row 0 of the table, and columns of padding column 0: on a free border the diagonal step costs
    nothing, on any other it is worse than every gap.
    """
    letters = encoded.table.shape[0]
    never = -128 if paired else -(2**28)
    table = np.empty((letters + 1, letters + 1), np.int32)
    table[:letters, :letters] = encoded.table.T if is_swapped else encoded.table
    table[letters, :] = 0 if free.top and not is_local else never
    table[:, letters] = 0 if free.left and not is_local else never
    table[letters, letters] = 0
    return table


@dataclass(frozen=True, eq=False)
class BatchSlice:
    """Pairs of one launch.

    ``numbers`` are the pairs of the batch; the last one is there twice where two share a word and one is left.
    ``places`` (PLACE) are where each word's data lie, in arrays of ``sizes`` elements.
    """

    kernel: BatchKernel
    is_swapped: bool
    numbers: np.ndarray
    places: np.ndarray
    sizes: dict[str, int]
    cells: int

    @property
    def word_count(self) -> int:
        """Pairs, or twos of pairs that share words."""
        return self.places.size

    @cached_property
    def room_bytes(self) -> int:
        """Bytes of all operations before they are gathered."""
        return self.sizes["operations"]


def plan_slices(
    problem: BatchProblem,
    shapes: PairShapes,
    paths: bool,
    chosen: np.ndarray | None = None,
    short: np.ndarray | None = None,
    multiprocessors: int = 132,
) -> Iterator[BatchSlice]:
    """Yield the slices of a batch, or of ``chosen`` pairs; ``short`` says which pairs are computed in 16 bits.

    A slice has cells for so many ``multiprocessors``.
    """
    numbers = np.arange(shapes.rows.size) if chosen is None else chosen
    short = fits_short(problem, shapes.rows, shapes.columns)[numbers] if short is None else short
    rows, columns = shapes.rows[numbers], shapes.columns[numbers]
    letters = problem.encoded.table.shape[0]
    lane_rows = np.where(short, choose_rows(letters, True), choose_rows(letters, False))
    groups = np.array(GROUPS)[np.searchsorted(GROUPS[:-1], -(-(rows + 1) // lane_rows))]
    strips = -(-(rows + 1) // (groups * lane_rows))
    swapped = np.zeros(numbers.size, bool) if is_symmetric(problem) else shapes.is_swapped[numbers]
    most_cells = multiprocessors * CELLS_A_MULTIPROCESSOR
    order, borders = _sort_pairs(short, swapped, groups, strips, columns)
    for run in np.split(order, borders):
        if not run.size:
            continue
        first = run[0]
        kernel = BatchKernel(
            int(groups[first]), int(lane_rows[first]), bool(short[first]), problem.mode == Mode.LOCAL, paths
        )
        yield from _cut_run(kernel, bool(swapped[first]), numbers[run], rows[run], columns[run], most_cells)


def _sort_pairs(
    short: np.ndarray, swapped: np.ndarray, groups: np.ndarray, strips: np.ndarray, columns: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the order of pairs by kernel, strips and columns, and where another kernel begins."""
    kernels = (short * 2 + swapped) * 64 + groups
    _, kernels = np.unique(kernels, return_inverse=True)
    widths = -(-columns // TILE)
    places = (kernels * (int(strips.max()) + 1) + strips) * (int(widths.max()) + 1) + widths
    if places.max() < 2**16:  # then NumPy counts instead of comparing
        places = places.astype(np.uint16)
    order = np.argsort(places, kind="stable")
    return order, np.flatnonzero(np.diff(kernels[order])) + 1


def _cut_run(
    kernel: BatchKernel,
    is_swapped: bool,
    numbers: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    most_cells: int,
) -> Iterator[BatchSlice]:
    """Yield slices of pairs that one kernel computes, as large as SLICE_BYTES and ``most_cells`` allow."""
    if kernel.paired and numbers.size % 2:
        numbers, rows, columns = (np.append(values, values[-1]) for values in (numbers, rows, columns))
    per_word = kernel.per_word
    height = -(-(_greatest_of_words(rows, per_word) + 1) // kernel.strip) * kernel.strip
    width = -(-_greatest_of_words(columns, per_word) // TILE) * TILE
    across = (width + kernel.group - 1 + TILE - 1) // TILE
    bands = height // kernel.rows
    sizes = {
        "columns": width // 4,
        "row_borders": (bands if kernel.paths else (height > kernel.strip)) * across * TILE,
        "column_borders": across * height * kernel.paths,
        "peaks": bands * across * (kernel.paths and kernel.is_local),
    }
    operations = (rows + columns).reshape(-1, per_word).sum(axis=1) * (2 * kernel.paths)
    nbytes = (
        16 * sizes["columns"] + 8 * (sizes["row_borders"] + sizes["column_borders"]) + 4 * sizes["peaks"] + operations
    )
    cells = per_word * height * width
    ends = _cut_by_limits(np.cumsum(nbytes), np.cumsum(cells), most_cells)
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        places = np.zeros(end - start, PLACE.dtype)
        totals = {}
        for name, values in sizes.items():
            part = values[start:end].astype(np.int64)
            places[name] = np.cumsum(part) - part
            totals[name] = int(part.sum())
        places["width"], places["strips"] = width[start:end], height[start:end] // kernel.strip
        totals["operations"] = int(operations[start:end].sum()) // 2
        own = slice(per_word * start, per_word * end)
        yield BatchSlice(kernel, is_swapped, numbers[own], places, totals, int((rows[own] * columns[own]).sum()))


def _greatest_of_words(values: np.ndarray, per_word: int) -> np.ndarray:
    """Return the greatest of every ``per_word`` values; NumPy is slow along an axis that short."""
    return np.maximum.reduce([values[place::per_word] for place in range(per_word)])


def _cut_by_limits(nbytes: np.ndarray, cells: np.ndarray, most_cells: int) -> list[int]:
    """Return where slices end, given running sums; each has one element at least."""
    ends, start = [], 0
    while start < nbytes.size:
        before = (int(nbytes[start - 1]), int(cells[start - 1])) if start else (0, 0)
        end = min(
            int(np.searchsorted(nbytes, before[0] + SLICE_BYTES, side="right")),
            int(np.searchsorted(cells, before[1] + most_cells, side="right")),
        )
        start = max(end, start + 1)
        ends.append(start)
    return ends
