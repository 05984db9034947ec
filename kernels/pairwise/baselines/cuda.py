"""The baselines on the GPU (Li et al. 2012, section III): one launch for each level.

A level is an antidiagonal of cells or blocks, or a step of a row.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda.kernel_compiler import SourcePart, allow_shared_bytes
from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.baselines import sizes
from antidiag.kernels.pairwise.baselines.block_borders import initial_block_borders
from antidiag.kernels.pairwise.baselines.cuda_sources import (
    ANTIDIAGONAL,
    BEST,
    BLOCKED,
    BUSY,
    LOG_SLOTS,
    PEROT,
    PROBLEM,
    TWO_PIECE_PROBLEM,
    WALK,
)
from antidiag.kernels.pairwise.baselines.sizes import MOST_BATCHES, WALK_STEPS, WARP, LevelGrid, Span
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.parameters import AntidiagonalBlocks, LevelThreads
from antidiag.kernels.pairwise.strips.cuda_job import PairJob, begin_job
from antidiag.kernels.pairwise.strips.start_states import FROM_DIAGONAL, finish_path
from antidiag.kernels.steps import StepLog

Extent = Callable[[np.ndarray], tuple[Span, Span]]


def antidiagonal(problem: PairProblem, parameters: LevelThreads, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best score by Antidiagonal: m + n - 1 launches, one thread a cell."""
    job = begin_job(problem, monitor, steps, threads=parameters.threads)
    kernel = _compile_kernel(job, ANTIDIAGONAL, "antidiagonal")
    m, n = job.encoded.rows.size, job.encoded.columns.size
    threads, grid = sizes.block_threads(job.threads), LevelGrid(m, n)
    values = job.run.allocate_array((3 + 3 * job.piece_count, m), np.int32)
    last_row, last_column = job.run.allocate_array(n, np.int32), job.run.allocate_array(m, np.int32)
    best = _allocate_best_cells(job, -(-m // threads) * threads // WARP)
    fixed = *_problem_arguments(job), values, last_row, last_column, best

    def launch(level: int, log: cupy.ndarray) -> None:
        cells = min(level, m - 1) - max(0, level - n + 1) + 1
        kernel((-(-cells // threads),), (threads,), (*fixed, log, np.int32(level + 2)))

    def extent(levels: np.ndarray) -> tuple[Span, Span]:
        return sizes.matrix_extent(levels, *grid.row_span(levels), 1, (m, n))

    _launch_all_levels(job, grid.level_count, min(m, n), grid.count_before, launch, extent)
    score, end = _find_end(job, best, last_row, last_column)
    return Outcome(job.encoded.make_answer(score, end), job.run.times_ms, 2 * job.host_bytes, job.run.device_bytes)


def blocked_antidiagonal(
    problem: PairProblem, parameters: AntidiagonalBlocks, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Return the best alignment by BlockedAntidiagonal: all H, E and F are in global memory."""
    job = _begin_blocks(problem, parameters, monitor, steps)
    kernel, walk = (_compile_kernel(job, BLOCKED, name, S=job.s) for name in ("blocked_antidiagonal", "walk_back"))
    m, n = job.encoded.rows.size, job.encoded.columns.size
    matrix = tuple(job.run.allocate_array((m, n), np.int32) for _ in range(1 + 2 * job.piece_count))
    shared = len(matrix) * 4 * job.s**2
    allow_shared_bytes(kernel, shared)
    best = _launch_all_blocks(job, kernel, matrix, shared)
    score, end = _find_end(job, best, matrix[0][m - 1], matrix[0][:, n - 1])
    start, operations = _trace_path(job, walk, matrix, end)
    alignment = finish_path(job.encoded, start, end, operations)
    host_bytes = 2 * job.host_bytes + operations.nbytes + alignment.operations.nbytes
    return Outcome(PairAnswer(score, alignment.end, alignment), job.run.times_ms, host_bytes, job.run.device_bytes)


def enhanced_ba(problem: PairProblem, parameters: AntidiagonalBlocks, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best score by EnhancedBA: only block borders go through global memory."""
    job = _begin_blocks(problem, parameters, monitor, steps)
    kernel = _compile_kernel(job, BLOCKED, "enhanced_ba", S=job.s)
    on_host = initial_block_borders(job.encoded, job.s)
    borders = job.run.upload_together(*on_host[:3])
    best = _launch_all_blocks(job, kernel, borders, 0)
    score, end = _find_end(job, best, borders[0][0], borders[1][0])
    host_bytes = 2 * (job.host_bytes + sum(border.nbytes for border in on_host))
    return Outcome(job.encoded.make_answer(score, end), job.run.times_ms, host_bytes, job.run.device_bytes)


def perot_recurrence(problem: PairProblem, parameters: LevelThreads, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best score by PerotRecurrence: two launches a row, H' with the scan inside blocks, then the rest."""
    job = begin_job(problem, monitor, steps, threads=parameters.threads)
    intermediate, finish = (_compile_kernel(job, PEROT, name) for name in ("intermediate", "finish"))
    m, n = job.encoded.rows.size, job.encoded.columns.size
    threads, count = sizes.block_threads(job.threads), sizes.perot_blocks(n, job.threads)
    first_row = np.zeros(sizes.perot_stride(n), np.int32)
    first_row[:n] = job.encoded.top_scores(1, n + 1)
    (H,) = job.run.upload_together(first_row)
    # Bytes 0xC0 make a number near minus infinity: no gap comes from above row 1.
    E = job.run.allocate_filled(first_row.size, np.int32, byte=0xC0)
    between, scan = (job.run.allocate_array(first_row.size, np.int32) for _ in range(2))
    totals, second = job.run.allocate_array(count, np.int32), []
    if job.piece_count == 2:
        second_E = job.run.allocate_filled(first_row.size, np.int32, byte=0xC0)
        second = [second_E, *(job.run.allocate_array(size, np.int32) for size in (first_row.size, count))]
    best = _allocate_best_cells(job, count * threads // WARP)
    pair, last_column = _problem_arguments(job), job.run.allocate_array(m, np.int32)

    def launch(row: int, log: cupy.ndarray) -> None:
        number = np.int32(row + 1)
        intermediate((count,), (threads,), (*pair, H, E, between, scan, totals, *second, log, number))
        finish((count,), (threads,), (*pair, H, between, scan, totals, *second[1:], last_column, best, log, number))

    def extent(rows: np.ndarray) -> tuple[Span, Span]:
        return (int(rows[0]), int(rows[-1]) + 1), (0, n)

    _launch_all_levels(job, m, n, lambda row: row * n, launch, extent)
    score, end = _find_end(job, best, H[:n], last_column)
    return Outcome(
        job.encoded.make_answer(score, end),
        job.run.times_ms,
        2 * (job.host_bytes + first_row.nbytes),
        job.run.device_bytes,
    )


def _begin_blocks(problem: PairProblem, parameters: AntidiagonalBlocks, monitor: Monitor, steps: StepLog) -> PairJob:
    return begin_job(problem, monitor, steps, threads=parameters.threads, s=parameters.s)


def _compile_kernel(job: PairJob, parts: tuple[SourcePart, ...], name: str, **constants: int) -> Any:
    """Return a kernel, for two-piece gap costs where there are such."""
    if job.piece_count == 2:
        parts = tuple(TWO_PIECE_PROBLEM if part is PROBLEM else part for part in parts)
        constants["TWO_PIECES"] = True
    return job.run.compile_kernel(parts, name, **constants)


def _problem_arguments(job: PairJob) -> tuple:
    """Return the problem as arguments of a kernel (PROBLEM)."""
    free = job.encoded.free
    borders = {"top_is_free": free.top, "left_is_free": free.left}
    struct = PROBLEM if job.piece_count == 1 else TWO_PIECE_PROBLEM
    return struct(**job.problem_fields(), floor=job.encoded.score_floor, **borders)


def _find_end(job: PairJob, best: cupy.ndarray, last_row: cupy.ndarray, last_column: cupy.ndarray) -> tuple[int, Span]:
    """Return the best score and its cell by the tie rule, given H of the last row and column from cell 1 on."""
    if job.encoded.is_local:
        return _find_best_cell(job, best)
    free = job.encoded.free
    bottom = job.run.download_array(last_row if free.bottom else last_row[-1:])
    right = job.run.download_array(last_column) if free.right else np.empty(0, np.int32)
    end = job.encoded.best_border_end(bottom, right)
    return end.score, end.cell


def _allocate_best_cells(job: PairJob, count: int) -> cupy.ndarray:
    """Allocate records of best cells, all zero."""
    return job.run.allocate_filled((count, BEST.word_count), np.int32)


def _launch_all_blocks(job: PairJob, kernel: Any, buffers: tuple[cupy.ndarray, ...], shared: int) -> cupy.ndarray:
    """Launch all antidiagonals of blocks; return the best cell of each row of blocks."""
    m, n = job.encoded.rows.size, job.encoded.columns.size
    grid = sizes.make_block_grid(m, n, job.s)
    best = _allocate_best_cells(job, grid.rows)
    fixed = *_problem_arguments(job), *buffers, best

    def launch(level: int, log: cupy.ndarray) -> None:
        first = max(0, level - grid.columns + 1)
        count = min(level, grid.rows - 1) - first + 1
        kernel((count,), (job.s,), (*fixed, log, np.int32(level), np.int32(first)), shared_mem=shared)

    def extent(levels: np.ndarray) -> tuple[Span, Span]:
        return sizes.matrix_extent(levels, *grid.row_span(levels), job.s, (m, n))

    widest = min(grid.rows, grid.columns) * job.s**2
    _launch_all_levels(job, grid.level_count, widest, grid.count_before, launch, extent)
    return best


def _launch_all_levels(
    job: PairJob,
    levels: int,
    widest: int,
    count_before: Callable[[int], int],
    launch: Callable[[int, cupy.ndarray], None],
    extent: Extent,
) -> None:
    """Launch all levels in batches, after each of which progress is reported; the step log has their times.

    ``widest`` is the number of cells of the largest level; ``before(level)`` counts the work of all earlier levels.
    """
    together = sizes.launches_per_batch(widest, levels)
    starts = range(0, levels, together)
    log = job.run.allocate_filled((MOST_BATCHES, LOG_SLOTS, BUSY.word_count // 2), np.uint64)
    rows = [batch * min(len(starts), MOST_BATCHES) // len(starts) for batch in range(len(starts))]
    with job.run.begin_phase("phase 1") as phase:
        for start, row in zip(starts, rows, strict=True):
            end, slots = min(start + together, levels), log[row]
            for level in range(start, end):
                launch(level, slots)
            phase.note_launch(count_before(end), count_before(levels))
    bounds = np.searchsorted(rows, np.arange(rows[-1] + 2)) * together
    extents = [extent(np.arange(first, min(end, levels))) for first, end in pairwise(bounds)]
    if job.run.steps.keeps_events:
        _log_levels(job, log, extents)


def _log_levels(job: PairJob, log: cupy.ndarray, extents: list[tuple[Span, Span]]) -> None:
    """Log an event for every batch and multiprocessor that took part in it; its cells are those of the batch."""
    busy = job.run.download_array(log).view(BUSY.dtype)[: len(extents), :, 0]
    batch, slot = np.nonzero(busy["end"])
    times = np.zeros(batch.size, EVENT.dtype)
    times["start"], times["end"] = ~busy["start_complement"][batch, slot], busy["end"][batch, slot]
    times["worker"] = slot
    found = job.run.convert_events(1, times, batch)
    spans = np.array(extents, np.int64)[batch].reshape(-1, 4)
    for name, column in zip(("row_start", "row_end", "column_start", "column_end"), spans.T, strict=True):
        found[name] = column
    job.run.steps.add_array(found)


def _find_best_cell(job: PairJob, records: cupy.ndarray) -> tuple[int, tuple[int, int]]:
    """Return the greatest score of all records and its cell: smallest row, then smallest column."""
    score, row, column = job.run.download_array(records).T
    first = np.lexsort((column, row, -score))[0]
    return (int(score[first]), (int(row[first]), int(column[first]))) if score[first] > 0 else (0, (0, 0))


def _trace_path(job: PairJob, kernel: Any, matrix: tuple[cupy.ndarray, ...], end: Span) -> tuple[Span, np.ndarray]:
    """Trace the path over the stored values; return where it begins, and its operations, backwards."""
    operations = job.run.allocate_array(job.encoded.rows.size + job.encoded.columns.size, np.uint8)
    walk = np.zeros(1, WALK.dtype)
    walk["row"], walk["column"], walk["in"] = *end, FROM_DIAGONAL
    (place,) = job.run.upload_together(walk.view(np.int32))
    pair, over = _problem_arguments(job), 0
    with job.run.time_phase("phase 2"):
        while not over:
            kernel((1,), (1,), (*pair, *matrix, place, operations, np.int32(WALK_STEPS)))
            row, column, _, count, over = (int(number) for number in job.run.download_array(place))
            most = max(sum(end), 1)
            job.run.monitor.update(most if over else count, most, "phase 2")
        found = job.run.download_array(operations[:count])
    return (row, column), found
