"""The baselines on the GPU (001, section III): a launch for each antidiagonal, of cells or blocks, or step of a row."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from kernels.cuda.compile import function
from kernels.model import Outcome, PairAnswer, PairProblem
from kernels.monitor import Monitor
from kernels.pairwise import baselines_sizes as sizes
from kernels.pairwise.baselines_sizes import LOG_SLOTS, MOST_BATCHES, RECORD_WORDS, WALK_STEPS, WARP, Grid, Span
from kernels.pairwise.borders import block_borders
from kernels.pairwise.cuda_job import EVENT, Clock, Job, begin, events
from kernels.pairwise.path import FROM_DIAGONAL, finished
from kernels.steps import Steps

HERE = Path(__file__).parent
ANTIDIAGONAL = (HERE / "levels.cuh", HERE / "antidiagonal.cu")
BLOCKED = (HERE / "levels.cuh", HERE / "blocked.cu")
PEROT = (HERE / "levels.cuh", HERE / "perot.cu")

Extent = Callable[[np.ndarray], tuple[Span, Span]]


def antidiagonal(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Antidiagonal: a launch for each of the m + n - 1 antidiagonals, a thread a cell."""
    job = begin(problem, parameters, monitor, steps)
    kernel = _kernel(job, ANTIDIAGONAL, "antidiagonal")
    m, n = job.encoded.rows.size, job.encoded.columns.size
    threads, grid = sizes.block_threads(job.threads), Grid(m, n)
    values = job.empty((6, m), np.int32)
    best = _records(job, -(-m // threads) * threads // WARP)
    fixed = *_arguments(job), values, best

    def launch(level: int, log: cupy.ndarray) -> None:
        cells = min(level, m - 1) - max(0, level - n + 1) + 1
        kernel((-(-cells // threads),), (threads,), (*fixed, log, np.int32(level + 2)))

    def extent(levels: np.ndarray) -> tuple[Span, Span]:
        return sizes.extent_of(levels, *grid.span(levels), 1, (m, n))

    _all_levels(job, grid.levels, min(m, n), grid.before, launch, extent)
    score, end = _best(job, best) if job.encoded.local else (int(values[(m + n) % 3].get()[m - 1]), (m, n))
    return Outcome(job.encoded.answer(score, end), job.times_ms, job.host_bytes, job.device_bytes)


def blocked_antidiagonal(
    problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """BlockedAntidiagonal: every H, E and F is written to global memory; the path is walked back over them there."""
    job = begin(problem, parameters, monitor, steps)
    kernel, walk = _kernel(job, BLOCKED, "blocked_antidiagonal", S=job.s), _kernel(job, BLOCKED, "walk_back", S=job.s)
    m, n = job.encoded.rows.size, job.encoded.columns.size
    matrix = tuple(job.empty((m, n), np.int32) for _ in range(3))
    shared = 3 * 4 * job.s**2
    kernel.max_dynamic_shared_size_bytes = shared
    best = _all_blocks(job, kernel, matrix, shared)
    score, end = _best(job, best) if job.encoded.local else (int(matrix[0][m - 1, n - 1 :].get()[0]), (m, n))
    start, operations = _walk(job, walk, matrix, end)
    alignment = finished(job.encoded, start, end, operations)
    host_bytes = job.host_bytes + operations.nbytes + alignment.operations.nbytes
    return Outcome(PairAnswer(score, alignment.end, alignment), job.times_ms, host_bytes, job.device_bytes)


def enhanced_ba(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """EnhancedBA: the same blocks, of which only the right and bottom borders go through global memory."""
    job = begin(problem, parameters, monitor, steps)
    kernel = _kernel(job, BLOCKED, "enhanced_ba", S=job.s)
    on_host = block_borders(job.encoded, job.s)
    borders = job.upload(*on_host)
    best = _all_blocks(job, kernel, borders, 0)
    m, n = job.encoded.rows.size, job.encoded.columns.size
    score, end = _best(job, best) if job.encoded.local else (int(borders[0][0, n - 1 :].get()[0]), (m, n))
    host_bytes = job.host_bytes + sum(border.nbytes for border in on_host)
    return Outcome(job.encoded.answer(score, end), job.times_ms, host_bytes, job.device_bytes)


def perot_recurrence(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """PerotRecurrence: two launches a row, the first with the intermediate H and the scan inside blocks."""
    job = begin(problem, parameters, monitor, steps)
    intermediate, finish = (_kernel(job, PEROT, name) for name in ("intermediate", "finish"))
    m, n = job.encoded.rows.size, job.encoded.columns.size
    threads, count = sizes.block_threads(job.threads), sizes.perot_blocks(n, job.threads)
    first_row = np.zeros(sizes.perot_stride(n), np.int32)
    first_row[:n] = job.encoded.border(1, n + 1)
    (H,) = job.upload(first_row)
    E, between, scan = (job.empty(first_row.size, np.int32) for _ in range(3))
    # Every byte 0xC0 is a number near minus infinity: above row 1 there is no gap to go on.
    E.data.memset_async(0xC0, E.nbytes, cupy.cuda.get_current_stream())
    totals, best = job.empty(count, np.int32), _records(job, count * threads // WARP)
    fixed = _arguments(job)

    def launch(row: int, log: cupy.ndarray) -> None:
        number = np.int32(row + 1)
        intermediate((count,), (threads,), (*fixed, H, E, between, scan, totals, log, number))
        finish((count,), (threads,), (*fixed, H, between, scan, totals, best, log, number))

    def extent(rows: np.ndarray) -> tuple[Span, Span]:
        return (int(rows[0]), int(rows[-1]) + 1), (0, n)

    _all_levels(job, m, n, lambda row: row * n, launch, extent)
    score, end = _best(job, best) if job.encoded.local else (int(H.get()[n - 1]), (m, n))
    return Outcome(job.encoded.answer(score, end), job.times_ms, job.host_bytes + first_row.nbytes, job.device_bytes)


def _kernel(job: Job, files: tuple[Path, ...], name: str, **defines: int):
    kernel, milliseconds = function(files, name, defines)
    job.spend("compilation", milliseconds)
    return kernel


def _arguments(job: Job) -> tuple:
    """Problem of levels.cuh, field by field."""
    pair = job.encoded
    numbers = pair.letters, pair.rows.size, pair.columns.size, pair.open + pair.extend, pair.extend, pair.floor
    return (*job.sequences, *(np.int32(number) for number in numbers))


def _records(job: Job, count: int) -> cupy.ndarray:
    """Best cells that are not there yet."""
    records = job.empty((count, RECORD_WORDS), np.int32)
    records.data.memset_async(0, records.nbytes, cupy.cuda.get_current_stream())
    return records


def _all_blocks(job: Job, kernel, buffers: tuple[cupy.ndarray, ...], shared: int) -> cupy.ndarray:
    """Launch every antidiagonal of blocks; the best cell of each row of blocks."""
    m, n = job.encoded.rows.size, job.encoded.columns.size
    grid = sizes.blocks(m, n, job.s)
    best = _records(job, grid.rows)
    fixed = *_arguments(job), *buffers, best

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
    log = job.empty((MOST_BATCHES, LOG_SLOTS, 2), np.uint64)
    log.data.memset_async(0, log.nbytes, cupy.cuda.get_current_stream())
    rows = [batch * min(len(starts), MOST_BATCHES) // len(starts) for batch in range(len(starts))]
    clock = Clock(job, "phase 1", before(levels))
    for start, row in zip(starts, rows, strict=True):
        end, slots = min(start + together, levels), log[row]
        for level in range(start, end):
            launch(level, slots)
        clock.launched(before(end) - before(start))
    clock.finish()
    bounds = np.searchsorted(rows, np.arange(rows[-1] + 2)) * together
    extents = [extent(np.arange(first, min(end, levels))) for first, end in pairwise(bounds)]
    _log(job, log, extents)


def _log(job: Job, log: cupy.ndarray, extents: list[tuple[Span, Span]]) -> None:
    """Step log: an event for every batch and multiprocessor that had a part of it; its cells are those of the batch."""
    busy = log.get()[: len(extents)]
    batch, slot = np.nonzero(busy[..., 1])
    times = np.zeros(batch.size, EVENT)
    times["start"], times["end"] = ~busy[batch, slot, 0], busy[batch, slot, 1]
    times["worker"] = slot
    found = events(job, 1, batch, times)
    spans = np.array(extents, np.int64)[batch].reshape(-1, 4)
    for name, column in zip(("row_start", "row_end", "column_start", "column_end"), spans.T, strict=True):
        found[name] = column
    job.steps.extend(found)


def _best(job: Job, records: cupy.ndarray) -> tuple[int, tuple[int, int]]:
    """The greatest score of all records and its cell: smallest row, then smallest column."""
    score, row, column = records.get().T
    first = np.lexsort((column, row, -score))[0]
    return (int(score[first]), (int(row[first]), int(column[first]))) if score[first] > 0 else (0, (0, 0))


def _walk(job: Job, kernel, matrix: tuple[cupy.ndarray, ...], end: Span) -> tuple[Span, np.ndarray]:
    """The way back from a cell over the stored values: where it is over, and its operations, backwards."""
    before = time.perf_counter()
    operations = job.empty(job.encoded.rows.size + job.encoded.columns.size, np.uint8)
    (place,) = job.upload(np.array([*end, FROM_DIAGONAL, 0, 0], np.int32))
    over = 0
    while not over:
        kernel((1,), (1,), (*_arguments(job), *matrix, place, operations, np.int32(WALK_STEPS)))
        row, column, _, count, over = (int(number) for number in place.get())
        job.monitor.update(count, max(sum(end), 1), "phase 2")
    found = operations[:count].get()
    job.spend("phase 2", (time.perf_counter() - before) * 1e3)
    return (row, column), found
