"""Levels, memory and automatic parameters of the baselines.

A level is what is computed between two synchronisations: an antidiagonal, an antidiagonal of blocks, a step of a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import WORD_STRIDE, count_processors
from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.baselines.cuda_sources import BEST, BUSY, COLUMNS_A_THREAD, LOG_SLOTS, WALK
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import AntidiagonalBlocks, LevelThreads
from antidiag.kernels.pairwise.strips.cpu_sizes import score_type

Span = tuple[int, int]

LANES = 16
"""Rows or columns that a CPU thread computes together."""
MOST_BATCHES = 64
"""Steps of the log of every CPU thread, and of every slot of the GPU's log."""

CELLS_A_THREAD = 8192
"""Cells of a level that are worth a CPU thread of their own: some 16 microseconds of work at 2 ns a cell.

A barrier costs 0.1 to 0.3 microseconds where every thread has a processor, and 4 where two share one because others
use the machine (measured); a part of a level is to cost several times as much in that case too.
"""
PEROT_SPEED = 4
"""Cells of PerotRecurrence in the time of one cell of the other baselines: 0.5 ns each."""
BLOCK_LEVEL = 4
"""Cells of a level of blocks that count, for each block: half of those with s = 8, since a thread takes 16 blocks at
once. Pairs of 5,000 letters gain a fifth from a second thread on an idle machine, and lose as much on a busy one."""
BLOCK_THREADS = 256
BATCH_CELLS = 200_000_000
"""Cells of the launches of a batch: some 20 ms on an H200."""
MOST_LAUNCHES = 256
"""Launches of a batch; each costs some microseconds, however small it is."""
WARP = 32
LOG_BYTES = BUSY.dtype.itemsize * LOG_SLOTS * MOST_BATCHES
WALK_STEPS = 32768
"""Operations of a traceback between two checks for cancellation."""


@dataclass(frozen=True, slots=True)
class LevelGrid:
    """A grid of cells or blocks whose antidiagonals are levels."""

    rows: int
    columns: int

    @property
    def level_count(self) -> int:
        """The number of antidiagonals."""
        return self.rows + self.columns - 1

    def count_before(self, level: int) -> int:
        """Return the number of grid places in all earlier levels."""
        return (
            _triangular_number(level) - _triangular_number(level - self.rows) - _triangular_number(level - self.columns)
        )

    def row_span(self, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first row of each level, and the row after its last."""
        return np.maximum(levels - self.columns + 1, 0), np.minimum(levels, self.rows - 1) + 1


def make_block_grid(rows: int, columns: int, s: int) -> LevelGrid:
    """Return the grid of s x s blocks; the last ones may be cut."""
    return LevelGrid(-(-rows // s), -(-columns // s))


def matrix_extent(
    levels: np.ndarray, low: np.ndarray, high: np.ndarray, s: int, shape: tuple[int, int]
) -> tuple[Span, Span]:
    """Return the half-open rows and columns that places low .. high - 1 of some levels of a block grid span."""
    some = low < high
    if not some.any():
        return (0, 0), (0, 0)
    levels, low, high = levels[some], low[some], high[some]
    first_column, last_column = (levels - high + 1).min(), (levels - low).max()
    rows = int(low.min()) * s, min(int(high.max()) * s, shape[0])
    return rows, (int(first_column) * s, min(int(last_column + 1) * s, shape[1]))


def launches_per_batch(cells: int, levels: int) -> int:
    """Return how many levels of at most ``cells`` cells are launched between two progress reports."""
    return max(1, min(BATCH_CELLS // cells, MOST_LAUNCHES, levels))


def choose_antidiagonal_threads(problem: PairProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Choose the threads of Antidiagonal: on the CPU as many as an average antidiagonal keeps busy."""
    return {
        "threads": BLOCK_THREADS
        if backend == "cuda"
        else _useful_threads(problem.matrix_cells // (problem.rows + problem.columns))
    }


def choose_perot_threads(problem: PairProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Choose the threads of PerotRecurrence: on the CPU as many as a row keeps busy."""
    return {"threads": BLOCK_THREADS if backend == "cuda" else _useful_threads(problem.columns // PEROT_SPEED)}


def choose_block_threads(problem: PairProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Choose the CPU threads of the blocked methods; a GPU assigns the blocks itself."""
    return {
        "threads": 1
        if backend == "cuda"
        else _useful_threads(problem.matrix_cells // (problem.rows + problem.columns) * BLOCK_LEVEL)
    }


def antidiagonal_footprint(problem: PairProblem, parameters: LevelThreads, backend: str) -> Footprint:
    """Return the bytes of Antidiagonal: a few antidiagonals of H, E and F."""
    m, n, threads = problem.rows, problem.columns, parameters.threads
    if backend == "cuda":
        warps = -(-m // block_threads(threads)) * block_threads(threads) // WARP
        count = 6 + 3 * problem.scoring.has_two_pieces
        return _device_footprint(
            problem,
            {
                "antidiagonals": 4 * count * m,
                "borders": 4 * (m + n),
                "best cells": BEST.dtype.itemsize * warps,
            },
        )
    host = {
        "antidiagonals": (7 + 4 * problem.scoring.has_two_pieces) * 4 * antidiagonal_length(m),
        "borders": 4 * (m + n + 2),
        "letters": 2 * antidiagonal_length(m) + n + 2 * LANES + m + n,
        "threads": worker_bytes(threads),
    }
    return Footprint(host)


def blocked_footprint(problem: PairProblem, parameters: AntidiagonalBlocks, backend: str) -> Footprint:
    """Return the bytes of BlockedAntidiagonal: all of H, E and F, and the path."""
    m, n = problem.rows, problem.columns
    if backend == "cuda":
        stored = {"H, E and F": matrix_bytes(problem), "path": m + n, "way back": WALK.dtype.itemsize}
        return _device_footprint(problem, {**stored, **_best_cell_bytes(problem, parameters)}, 2 * (m + n))
    return Footprint(
        {**_block_host_bytes(problem, parameters), "H, E and F": matrix_bytes(problem), "path": 2 * (m + n) + 2 * m}
    )


def enhanced_footprint(problem: PairProblem, parameters: AntidiagonalBlocks, backend: str) -> Footprint:
    """Return the bytes of EnhancedBA: one block border in every row and column, and the corners between."""
    borders = {"block borders": border_bytes(problem.rows, problem.columns, parameters.s, problem.value_count)}
    last_column = 4 * problem.rows
    if backend == "cuda":
        return _device_footprint(
            problem,
            {**borders, **_best_cell_bytes(problem, parameters)},
            2 * borders["block borders"],
        )
    return Footprint({**_block_host_bytes(problem, parameters), **borders, "last column": last_column})


def perot_footprint(problem: PairProblem, parameters: LevelThreads, backend: str) -> Footprint:
    """Return the bytes of PerotRecurrence: a row of H, H', E and the scan."""
    m, n, threads = problem.rows, problem.columns, parameters.threads
    if backend == "cuda":
        count = perot_blocks(n, threads)
        records = BEST.dtype.itemsize * count * block_threads(threads) // WARP
        row = 4 * perot_stride(n)
        return _device_footprint(
            problem,
            {
                "rows": (4 + 2 * problem.scoring.has_two_pieces) * row,
                "last column": 4 * m,
                "maxima": 4 * count * len(problem.scoring.gap_pieces),
                "best cells": records,
            },
            2 * row,
        )
    scores = occurring_scores(problem)
    host = {
        "rows": (5 + 3 * problem.scoring.has_two_pieces) * 4 * row_length(n),
        "last column": 4 * m,
        "scores": scores.shape[0] * np.dtype(score_type(scores)).itemsize * row_length(n),
        "letters": m + n,
        "threads": worker_bytes(threads),
    }
    return Footprint(host)


def block_threads(threads: int) -> int:
    """Return the threads of a GPU block: whole warps."""
    return -(-threads // WARP) * WARP


def perot_blocks(columns: int, threads: int) -> int:
    """Return the number of GPU blocks that share a row."""
    return -(-columns // (COLUMNS_A_THREAD * block_threads(threads)))


def perot_stride(columns: int) -> int:
    """Return the length of a row on the GPU, in ints."""
    return -(-columns // COLUMNS_A_THREAD) * COLUMNS_A_THREAD


def occurring_scores(problem: PairProblem) -> np.ndarray:
    """Return the scores of the letters that occur in the sequences; int32, shape (letters, letters)."""
    first, second = problem.codes
    present = np.flatnonzero(np.bincount(first, minlength=256) + np.bincount(second, minlength=256))
    return problem.scoring.scores[np.ix_(present, present)]


def antidiagonal_length(rows: int) -> int:
    """Return the places of an antidiagonal: rows 0 .. m in whole vectors, and a vector before them."""
    return LANES * (rows // LANES + 2)


def row_length(columns: int) -> int:
    """Return the places of a row: a vector that ends with column 0, then columns 1 .. n in whole vectors."""
    return LANES * (-(-columns // LANES) + 1)


def matrix_bytes(problem: PairProblem) -> int:
    """Return the bytes of H, and of E and F of each piece of the gap costs, of all cells."""
    return 4 * (1 + 2 * len(problem.scoring.gap_pieces)) * problem.cells


def border_bytes(rows: int, columns: int, s: int, values: int = 2) -> int:
    """Return the bytes of EnhancedBA's block borders: ``values`` numbers a row and a column, H of each diagonal."""
    grid = make_block_grid(rows, columns, s)
    return 4 * values * (rows + columns) + 4 * grid.level_count


def worker_bytes(workers: int) -> int:
    """Return the bytes of progress words and best cells."""
    return 16 * WORD_STRIDE * workers


def block_worker_bytes(workers: int, s: int, pieces: int = 1) -> int:
    """Return the bytes of workers that compute blocks: also the values around 16 blocks and their scores."""
    return worker_bytes(workers) + workers * 4 * LANES * ((2 + 3 * pieces) * (s + 1) + s)


def _block_host_bytes(problem: PairProblem, chosen: AntidiagonalBlocks) -> dict[str, int]:
    m, n = problem.rows, problem.columns
    return {
        "letters": 3 * m + n,
        "threads": block_worker_bytes(chosen.threads, chosen.s, len(problem.scoring.gap_pieces)),
    }


def _device_footprint(problem: PairProblem, device: Mapping[str, int], host: int = 0) -> Footprint:
    """Return the footprint of a GPU run; ``host`` are bytes of buffers. Letters are on the device twice."""
    letters = problem.rows + problem.columns
    common = {"sequences": letters + occurring_scores(problem).size * 4, "step log": LOG_BYTES}
    return Footprint({"sequences": 2 * letters, "buffers": host}, {**common, **device})


def _best_cell_bytes(problem: PairProblem, chosen: AntidiagonalBlocks) -> dict[str, int]:
    return {"best cells": BEST.dtype.itemsize * make_block_grid(problem.rows, problem.columns, chosen.s).rows}


def _useful_threads(cells: int) -> int:
    """Return how many CPU threads levels of so many cells keep busy."""
    return min(max(cells // CELLS_A_THREAD, 1), count_processors())


def _triangular_number(side: int) -> int:
    return side * (side + 1) // 2 if side > 0 else 0
