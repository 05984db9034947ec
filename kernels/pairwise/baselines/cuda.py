"""The baselines on the GPU (001, section III): a launch for each antidiagonal, of cells or blocks, or step of a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda.compile import allow_shared
from antidiag.kernels.cuda.events import EVENT
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.baselines import sizes
from antidiag.kernels.pairwise.baselines.borders import block_borders
from antidiag.kernels.pairwise.baselines.cuda_sources import (
    ANTIDIAGONAL,
    BEST,
    BLOCKED,
    BUSY,
    LOG_SLOTS,
    PEROT,
    PROBLEM,
    WALK,
)
from antidiag.kernels.pairwise.baselines.sizes import MOST_BATCHES, WALK_STEPS, WARP, Grid, Span
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.strips.cuda_job import Job, begin
from antidiag.kernels.pairwise.strips.path import FROM_DIAGONAL, finished
from antidiag.kernels.steps import Steps

Extent = Callable[[np.ndarray], tuple[Span, Span]]


def antidiagonal(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Antidiagonal: a launch for each of the m + n - 1 antidiagonals, a thread a cell."""
    job = begin(problem, parameters, monitor, steps)
    kernel = job.run.kernel(ANTIDIAGONAL, "antidiagonal")
    m, n = job.encoded.rows.size, job.encoded.columns.size
    threads, grid = sizes.block_threads(job.threads), Grid(m, n)
    values = job.run.empty((6, m), np.int32)
    best = _records(job, -(-m // threads) * threads // WARP)
    fixed = *_problem(job), values, best

    def launch(level: int, log: cupy.ndarray) -> None:
        cells = min(level, m - 1) - max(0, level - n + 1) + 1
        kernel((-(-cells // threads),), (threads,), (*fixed, log, np.int32(level + 2)))

    def extent(levels: np.ndarray) -> tuple[Span, Span]:
        return sizes.extent_of(levels, *grid.span(levels), 1, (m, n))

    _all_levels(job, grid.levels, min(m, n), grid.before, launch, extent)
    score, end = _best(job, best) if job.encoded.local else (int(values[(m + n) % 3].get()[m - 1]), (m, n))
    return Outcome(job.encoded.answer(score, end), job.run.times_ms, 2 * job.host_bytes, job.run.device_bytes)


def blocked_antidiagonal(
    problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """BlockedAntidiagonal: every H, E and F is written to global memory; the path is walked back over them there."""
    job = begin(problem, parameters, monitor, steps)
    kernel, walk = (
        job.run.kernel(BLOCKED, "blocked_antidiagonal", S=job.s),
        job.run.kernel(BLOCKED, "walk_back", S=job.s),
    )
    m, n = job.encoded.rows.size, job.encoded.columns.size
    matrix = tuple(job.run.empty((m, n), np.int32) for _ in range(3))
    shared = 3 * 4 * job.s**2
    allow_shared(kernel, shared)
    best = _all_blocks(job, kernel, matrix, shared)
    score, end = _best(job, best) if job.encoded.local else (int(matrix[0][m - 1, n - 1 :].get()[0]), (m, n))
    start, operations = _walk(job, walk, matrix, end)
    alignment = finished(job.encoded, start, end, operations)
    host_bytes = 2 * job.host_bytes + operations.nbytes + alignment.operations.nbytes
    return Outcome(PairAnswer(score, alignment.end, alignment), job.run.times_ms, host_bytes, job.run.device_bytes)


def enhanced_ba(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """EnhancedBA: the same blocks, of which only the right and bottom borders go through global memory."""
    job = begin(problem, parameters, monitor, steps)
    kernel = job.run.kernel(BLOCKED, "enhanced_ba", S=job.s)
    on_host = block_borders(job.encoded, job.s)
    borders = job.run.upload(*on_host)
    best = _all_blocks(job, kernel, borders, 0)
    m, n = job.encoded.rows.size, job.encoded.columns.size
    score, end = _best(job, best) if job.encoded.local else (int(borders[0][0, n - 1 :].get()[0]), (m, n))
    host_bytes = 2 * (job.host_bytes + sum(border.nbytes for border in on_host))
    return Outcome(job.encoded.answer(score, end), job.run.times_ms, host_bytes, job.run.device_bytes)


def perot_recurrence(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """PerotRecurrence: two launches a row, the first with the intermediate H and the scan inside blocks."""
    job = begin(problem, parameters, monitor, steps)
    intermediate, finish = (job.run.kernel(PEROT, name) for name in ("intermediate", "finish"))
    m, n = job.encoded.rows.size, job.encoded.columns.size
    threads, count = sizes.block_threads(job.threads), sizes.perot_blocks(n, job.threads)
    first_row = np.zeros(sizes.perot_stride(n), np.int32)
    first_row[:n] = job.encoded.border(1, n + 1)
    (H,) = job.run.upload(first_row)
    # Every byte 0xC0 is a number near minus infinity: above row 1 there is no gap to go on.
    E = job.run.filled(first_row.size, np.int32, byte=0xC0)
    between, scan = (job.run.empty(first_row.size, np.int32) for _ in range(2))
    totals, best = job.run.empty(count, np.int32), _records(job, count * threads // WARP)
    pair = _problem(job)

    def launch(row: int, log: cupy.ndarray) -> None:
        number = np.int32(row + 1)
        intermediate((count,), (threads,), (*pair, H, E, between, scan, totals, log, number))
        finish((count,), (threads,), (*pair, H, between, scan, totals, best, log, number))

    def extent(rows: np.ndarray) -> tuple[Span, Span]:
        return (int(rows[0]), int(rows[-1]) + 1), (0, n)

    _all_levels(job, m, n, lambda row: row * n, launch, extent)
    score, end = _best(job, best) if job.encoded.local else (int(H.get()[n - 1]), (m, n))
    return Outcome(
        job.encoded.answer(score, end), job.run.times_ms, 2 * (job.host_bytes + first_row.nbytes), job.run.device_bytes
    )


def _problem(job: Job) -> tuple:
    """The problem as arguments of a kernel (PROBLEM)."""
    pair, (rows, columns, table) = job.encoded, job.sequences
    return PROBLEM(
        rows=rows, columns=columns, table=table, letters=pair.letters, m=pair.rows.size, n=pair.columns.size,
        open_extend=pair.open + pair.extend, extend=pair.extend, floor=pair.floor,
    )  # fmt: skip


def _records(job: Job, count: int) -> cupy.ndarray:
    """Best cells that are not there yet."""
    return job.run.filled((count, BEST.words), np.int32)


def _all_blocks(job: Job, kernel: Any, buffers: tuple[cupy.ndarray, ...], shared: int) -> cupy.ndarray:
    """Launch every antidiagonal of blocks; the best cell of each row of blocks."""
    m, n = job.encoded.rows.size, job.encoded.columns.size
    grid = sizes.blocks(m, n, job.s)
    best = _records(job, grid.rows)
    fixed = *_problem(job), *buffers, best

    def launch(level: int, log: cupy.ndarray) -> None:
        first = max(0, level - grid.columns + 1)
        count = min(level, grid.rows - 1) - first + 1
        kernel((count,), (job.s,), (*fixed, log, np.int32(level), np.int32(first)), shared_mem=shared)

    def extent(levels: np.ndarray) -> tuple[Span, Span]:
        return sizes.extent_of(levels, *grid.span(levels), job.s, (m, n))

    widest = min(grid.rows, grid.columns) * job.s**2
    _all_levels(job, grid.levels, widest, grid.before, launch, extent)
    return best


def _all_levels(
    job: Job,
    levels: int,
    widest: int,
    before: Callable[[int], int],
    launch: Callable[[int, cupy.ndarray], None],
    extent: Extent,
) -> None:
    """Launch all levels, in batches of which progress is reported and the step log keeps the times.

    ``widest`` is the number of cells of the largest level; ``before(level)`` counts the work of all earlier levels.
    """
    together = sizes.launches_together(widest, levels)
    starts = range(0, levels, together)
    log = job.run.filled((MOST_BATCHES, LOG_SLOTS, BUSY.words // 2), np.uint64)
    rows = [batch * min(len(starts), MOST_BATCHES) // len(starts) for batch in range(len(starts))]
    with job.run.phase("phase 1") as phase:
        for start, row in zip(starts, rows, strict=True):
            end, slots = min(start + together, levels), log[row]
            for level in range(start, end):
                launch(level, slots)
            phase.launched(before(end), before(levels))
    bounds = np.searchsorted(rows, np.arange(rows[-1] + 2)) * together
    extents = [extent(np.arange(first, min(end, levels))) for first, end in pairwise(bounds)]
    if job.run.steps.keeps:
        _log(job, log, extents)


def _log(job: Job, log: cupy.ndarray, extents: list[tuple[Span, Span]]) -> None:
    """Step log: an event for every batch and multiprocessor that had a part of it; its cells are those of the batch."""
    busy = log.get().view(BUSY.dtype)[: len(extents), :, 0]
    batch, slot = np.nonzero(busy["end"])
    times = np.zeros(batch.size, EVENT.dtype)
    times["start"], times["end"] = ~busy["start_complement"][batch, slot], busy["end"][batch, slot]
    times["worker"] = slot
    found = job.run.logged(1, times, batch)
    spans = np.array(extents, np.int64)[batch].reshape(-1, 4)
    for name, column in zip(("row_start", "row_end", "column_start", "column_end"), spans.T, strict=True):
        found[name] = column
    job.run.steps.extend(found)


def _best(job: Job, records: cupy.ndarray) -> tuple[int, tuple[int, int]]:
    """The greatest score of all records and its cell: smallest row, then smallest column."""
    score, row, column = records.get().T
    first = np.lexsort((column, row, -score))[0]
    return (int(score[first]), (int(row[first]), int(column[first]))) if score[first] > 0 else (0, (0, 0))


def _walk(job: Job, kernel: Any, matrix: tuple[cupy.ndarray, ...], end: Span) -> tuple[Span, np.ndarray]:
    """The way back from a cell over the stored values: where it is over, and its operations, backwards."""
    operations = job.run.empty(job.encoded.rows.size + job.encoded.columns.size, np.uint8)
    walk = np.zeros(1, WALK.dtype)
    walk["row"], walk["column"], walk["in"] = *end, FROM_DIAGONAL
    (place,) = job.run.upload(walk.view(np.int32))
    pair, over = _problem(job), 0
    with job.run.timed("phase 2"):
        while not over:
            kernel((1,), (1,), (*pair, *matrix, place, operations, np.int32(WALK_STEPS)))
            row, column, _, count, over = (int(number) for number in place.get())
            most = max(sum(end), 1)
            job.run.monitor.update(most if over else count, most, "phase 2")
        found = operations[:count].get()
    return (row, column), found
