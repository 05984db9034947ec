"""Sizes of the baselines: the levels they go through, the bytes they need, their automatic parameters.

A level is what is computed between two synchronisations: an antidiagonal, an antidiagonal of blocks, a step of a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.baselines.cuda_sources import BEST, BUSY, COLUMNS_A_THREAD, LOG_SLOTS, WALK
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import BlockParameters, LevelParameters
from antidiag.kernels.pairwise.strips.cpu_sizes import WORD, score_type
from antidiag.kernels.parameters import typed

Parameters = Mapping[str, Any]
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
"""Cells that a level of PerotRecurrence passes while others compute one: 0.5 ns each."""
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
"""Operations of a way back over stored values between two looks at the wish to cancel."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid whose antidiagonals are levels: cells of the matrix, or blocks of it."""

    rows: int
    columns: int

    @property
    def levels(self) -> int:
        return self.rows + self.columns - 1

    def before(self, level: int) -> int:
        """Places of all earlier levels."""
        return _triangle(level) - _triangle(level - self.rows) - _triangle(level - self.columns)

    def span(self, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First row of each level, and the row after its last."""
        return np.maximum(levels - self.columns + 1, 0), np.minimum(levels, self.rows - 1) + 1


def blocks(rows: int, columns: int, s: int) -> Grid:
    """Blocks of s x s cells; the last ones may be cut."""
    return Grid(-(-rows // s), -(-columns // s))


def extent_of(
    levels: np.ndarray, low: np.ndarray, high: np.ndarray, s: int, shape: tuple[int, int]
) -> tuple[Span, Span]:
    """Half-open rows and columns of the matrix spanned by places low .. high - 1 of the levels of a grid of blocks."""
    some = low < high
    if not some.any():
        return (0, 0), (0, 0)
    levels, low, high = levels[some], low[some], high[some]
    first_column, last_column = (levels - high + 1).min(), (levels - low).max()
    rows = int(low.min()) * s, min(int(high.max()) * s, shape[0])
    return rows, (int(first_column) * s, min(int(last_column + 1) * s, shape[1]))


def launches_together(cells: int, levels: int) -> int:
    """Levels of at most so many cells that are launched between two looks at progress and the wish to cancel."""
    return max(1, min(BATCH_CELLS // cells, MOST_LAUNCHES, levels))


def work(problem: PairProblem, parameters: Parameters) -> int:
    """Cells computed: each once."""
    return problem.cells


def antidiagonal_automatic(problem: PairProblem, backend: str, multiprocessors: int | None) -> Parameters:
    """Threads of Antidiagonal: on the CPU as many as an average antidiagonal keeps busy; of a block on a GPU."""
    return {"threads": BLOCK_THREADS if backend == "cuda" else _busy(problem.cells // (problem.rows + problem.columns))}


def perot_automatic(problem: PairProblem, backend: str, multiprocessors: int | None) -> Parameters:
    """Threads of PerotRecurrence: on the CPU as many as a row keeps busy; of a block on a GPU."""
    return {"threads": BLOCK_THREADS if backend == "cuda" else _busy(problem.columns // PEROT_SPEED)}


def blocks_automatic(problem: PairProblem, backend: str, multiprocessors: int | None) -> Parameters:
    """CPU threads of the blocked methods; a GPU assigns the blocks itself."""
    return {
        "threads": 1 if backend == "cuda" else _busy(problem.cells // (problem.rows + problem.columns) * BLOCK_LEVEL)
    }


def antidiagonal_footprint(problem: PairProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes of Antidiagonal: a few antidiagonals of H, E and F."""
    m, n, threads = problem.rows, problem.columns, typed(LevelParameters, parameters).threads
    if backend == "cuda":
        warps = -(-m // block_threads(threads)) * block_threads(threads) // WARP
        return _on_device(problem, {"antidiagonals": 6 * 4 * m, "best cells": BEST.dtype.itemsize * warps})
    host = {
        "antidiagonals": 7 * 4 * antidiagonal_length(m),
        "letters": 2 * antidiagonal_length(m) + n + 2 * LANES + m + n,
        "threads": worker_bytes(threads),
    }
    return Footprint(host)


def blocked_footprint(problem: PairProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes of BlockedAntidiagonal: all of H, E and F, and the path."""
    m, n, chosen = problem.rows, problem.columns, typed(BlockParameters, parameters)
    if backend == "cuda":
        stored = {"H, E and F": 12 * m * n, "path": m + n, "way back": WALK.dtype.itemsize}
        return _on_device(problem, {**stored, **_block_records(problem, chosen)}, 2 * (m + n))
    return Footprint({**_block_host(problem, chosen), "H, E and F": 12 * m * n, "path": 2 * (m + n) + 2 * m})


def enhanced_footprint(problem: PairProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes of EnhancedBA: one block border in every row and column, and the corners between them."""
    chosen = typed(BlockParameters, parameters)
    borders = {"block borders": border_bytes(problem.rows, problem.columns, chosen.s)}
    if backend == "cuda":
        return _on_device(problem, {**borders, **_block_records(problem, chosen)}, 2 * borders["block borders"])
    return Footprint({**_block_host(problem, chosen), **borders})


def perot_footprint(problem: PairProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes of PerotRecurrence: a row of H, H', E and the scan."""
    m, n, threads = problem.rows, problem.columns, typed(LevelParameters, parameters).threads
    if backend == "cuda":
        count = perot_blocks(n, threads)
        records = BEST.dtype.itemsize * count * block_threads(threads) // WARP
        row = 4 * perot_stride(n)
        return _on_device(problem, {"rows": 4 * row, "maxima": 4 * count, "best cells": records}, 2 * row)
    scores = occurring(problem)
    host = {
        "rows": 5 * 4 * row_length(n),
        "scores": scores.shape[0] * np.dtype(score_type(scores)).itemsize * row_length(n),
        "letters": m + n,
        "threads": worker_bytes(threads),
    }
    return Footprint(host)


def block_threads(threads: int) -> int:
    """Threads of a block on a GPU: whole warps."""
    return -(-threads // WARP) * WARP


def perot_blocks(columns: int, threads: int) -> int:
    """Blocks that share a row."""
    return -(-columns // (COLUMNS_A_THREAD * block_threads(threads)))


def perot_stride(columns: int) -> int:
    """Ints of a row on the GPU."""
    return -(-columns // COLUMNS_A_THREAD) * COLUMNS_A_THREAD


def occurring(problem: PairProblem) -> np.ndarray:
    """Scores of the letters that occur in the sequences; int32, shape (letters, letters)."""
    first, second = problem.codes
    present = np.flatnonzero(np.bincount(first, minlength=256) + np.bincount(second, minlength=256))
    return problem.scoring.scores[np.ix_(present, present)]


def antidiagonal_length(rows: int) -> int:
    """Places of an antidiagonal: rows 0 .. m in whole vectors, and a vector before them."""
    return LANES * (rows // LANES + 2)


def row_length(columns: int) -> int:
    """Places of a row: a vector that ends with column 0, then columns 1 .. n in whole vectors."""
    return LANES * (-(-columns // LANES) + 1)


def border_bytes(rows: int, columns: int, s: int) -> int:
    """Bytes of the block borders of EnhancedBA: H and a gap state a row and a column, H a diagonal of blocks."""
    grid = blocks(rows, columns, s)
    return 8 * (rows + columns) + 4 * grid.levels


def worker_bytes(workers: int) -> int:
    """Bytes of the progress words and best cells."""
    return 16 * WORD * workers


def block_worker_bytes(workers: int, s: int) -> int:
    """The same where threads compute blocks, with the values that surround 16 blocks and their scores."""
    return worker_bytes(workers) + workers * 4 * LANES * (5 * (s + 1) + s)


def _block_host(problem: PairProblem, chosen: BlockParameters) -> dict[str, int]:
    m, n = problem.rows, problem.columns
    return {"letters": 3 * m + n, "threads": block_worker_bytes(chosen.threads, chosen.s)}


def _on_device(problem: PairProblem, device: Mapping[str, int], host: int = 0) -> Footprint:
    """``host`` are bytes of buffers; what goes to the device, as the letters do, is there twice, once joined."""
    letters = problem.rows + problem.columns
    common = {"sequences": letters + occurring(problem).size * 4, "step log": LOG_BYTES}
    return Footprint({"sequences": 2 * letters, "buffers": host}, {**common, **device})


def _block_records(problem: PairProblem, chosen: BlockParameters) -> dict[str, int]:
    return {"best cells": BEST.dtype.itemsize * blocks(problem.rows, problem.columns, chosen.s).rows}


def _busy(cells: int) -> int:
    """CPU threads for levels of so many cells."""
    return min(max(cells // CELLS_A_THREAD, 1), cores())


def _triangle(side: int) -> int:
    return side * (side + 1) // 2 if side > 0 else 0
