"""Bit-parallel edit distance on the GPU (Myers 1999, Hyyrö 2003)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda.kernel_compiler import SourcePart
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.bit_parallel import border_ends, cuda_sizes
from antidiag.kernels.pairwise.bit_parallel.cuda_sources import (
    CROSSINGS,
    KEPT_ROWS,
    MATCHES,
    PATH,
    PATH_PLACE,
    SWEEP,
    WORD_PAIR,
    WORD_SLICE,
)
from antidiag.kernels.pairwise.bit_parallel.parameters import BitAlignmentParameters, BitScoreParameters
from antidiag.kernels.pairwise.bit_parallel.word_pair import WordPair
from antidiag.kernels.pairwise.bit_parallel.word_sizes import LANE_DELAY, STATE_FIELDS
from antidiag.kernels.pairwise.encoding import EndCell, encode_pair
from antidiag.kernels.pairwise.model import Alignment, PairAnswer, PairProblem
from antidiag.kernels.pairwise.strips.cuda_job import block_warps
from antidiag.kernels.steps import StepLog

LANES = cuda_sizes.GPU_LANES
MATCH_THREADS = 128
PLACES_BYTES = -(-((LANE_DELAY + 1) * LANES + 2) * 4 // 16) * 16
"""Bytes of SweepShared (bit_sweep.cu)."""
WINDOW_BYTES = 2 * LANES * 8
"""Bytes of PathShared (bit_path.cu)."""


def bit_parallel_score(
    problem: PairProblem, parameters: BitScoreParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Return the edit distance, as a score that is not positive, and its end cell, on the current device."""
    job = _begin_job(problem, parameters, 0, monitor, steps)
    best = _sweep(job)
    answer = job.pair.pair.make_answer(best.score, best.cell)
    return Outcome(answer, job.run.times_ms, job.host_bytes, job.run.device_bytes)


def bit_parallel(problem: PairProblem, parameters: BitAlignmentParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the edit distance and the best path by the tie rule, on the current device."""
    job = _begin_job(problem, parameters, parameters.tile, monitor, steps)
    best = _sweep(job)
    alignment = _follow_path(job, best)
    return Outcome(
        PairAnswer(best.score, alignment.end, alignment), job.run.times_ms, job.host_bytes, job.run.device_bytes
    )


@dataclass(eq=False)
class WordJob:
    """A pair on the current device, and the arrays of its sweep; ``tile`` is 0 where only the score is wanted."""

    pair: WordPair
    run: DeviceRun
    words: int
    threads: int
    tile: int
    rows: cupy.ndarray
    equal: cupy.ndarray
    crossings: cupy.ndarray
    last_column: cupy.ndarray
    kept_rows: cupy.ndarray
    last_row: cupy.ndarray

    @property
    def host_bytes(self) -> int:
        """Bytes of the encoded sequences on the host."""
        return self.pair.m + self.pair.n

    @property
    def match_bytes(self) -> int:
        """Shared memory of a warp for the match words of its strip."""
        return self.pair.pair.letter_count * LANES * self.words * 4

    def compile_kernel(self, parts: tuple[SourcePart, ...], name: str, **more: int) -> Any:
        """Return a kernel compiled for this problem."""
        return _compile_kernel(self.run, self.pair, self.words, parts, name, **more)

    def arguments(self) -> tuple[Any, ...]:
        """Return what both phases take: the pair, the boundary columns and the kept rows."""
        pair = WORD_PAIR(
            rows=self.rows,
            equal=self.equal,
            letters=self.pair.pair.letter_count,
            m=self.pair.m,
            strips=self.pair.strip_count,
            padding=self.pair.padding,
        )
        crossings = CROSSINGS(words=self.crossings, last=self.last_column, capacity=self.crossings.shape[1])
        return (*pair, *crossings, *KEPT_ROWS(words=self.kept_rows, last=self.last_row, tile=max(self.tile, 1)))


def _compile_kernel(
    run: DeviceRun, pair: WordPair, words: int, parts: tuple[SourcePart, ...], name: str, **more: int
) -> Any:
    free = pair.pair.free
    return run.compile_kernel(parts, name, R=words, TOP_FREE=free.top, LEFT_FREE=free.left, **more)


def _begin_job(
    problem: PairProblem, parameters: BitScoreParameters, tile: int, monitor: Monitor, steps: StepLog
) -> WordJob:
    """Copy the problem to the current device, and allocate the arrays of the sweep."""
    words, run = parameters.words, DeviceRun(monitor, steps)
    pair = WordPair(encode_pair(problem), cuda_sizes.strip_columns(words))
    run.compile_host_code(border_ends.compile_functions)
    rows, columns, matches = run.upload_together(pair.pair.rows, pair.pair.columns, pair.matches.astype(np.uint8))
    strips, row_words = pair.strip_count, pair.strip_count * LANES * words
    capacity = cuda_sizes.crossing_capacity(pair.m, pair.n, tile > 0)
    job = WordJob(
        pair=pair,
        run=run,
        words=words,
        threads=parameters.threads,
        tile=tile,
        rows=rows,
        equal=run.allocate_array(pair.pair.letter_count * row_words, np.uint32),
        crossings=run.allocate_filled((strips, capacity), np.uint64, byte=0xFF),
        last_column=run.allocate_array((cuda_sizes.crossing_words(pair.m), 2), np.uint32),
        kept_rows=run.allocate_array((cuda_sizes.kept_row_count(pair.m, tile), 2, row_words), np.uint32),
        last_row=run.allocate_array((2, row_words), np.uint32),
    )
    kernel = job.compile_kernel(MATCHES, "find_matches")
    counts = np.int32(pair.pair.letter_count), np.int32(strips), np.int32(pair.padding)
    kernel((-(-row_words // MATCH_THREADS),), (MATCH_THREADS,), (columns, matches, *counts, job.equal))
    return job


def _sweep(job: WordJob) -> EndCell:
    """Run phase 1 slice by slice; return where the best path ends."""
    pair, run = job.pair, job.run
    kernel = job.compile_kernel(SWEEP, "bit_sweep", KEEP=job.tile > 0)
    slices = cuda_sizes.make_slices(pair.m, pair.n, job.words)
    shared = job.match_bytes + PLACES_BYTES
    warps, most = block_warps(kernel, job.threads, shared)
    state = run.allocate_array((pair.strip_count, 2 * job.words + STATE_FIELDS, LANES), np.uint32)
    log, tickets = run.allocate_events(pair.strip_count), run.allocate_filled(len(slices), np.uint32)
    done, total = 0, sum(part.steps_done for part in slices)
    with run.begin_phase("phase 1") as phase:
        for index, part in enumerate(slices):
            blocks = min(-(-(part.end_strip - part.first_strip) // warps), most)
            slice_ = WORD_SLICE.from_object(part)
            arguments = (*job.arguments(), state, log, tickets[index:], *slice_)
            kernel((blocks,), (warps * LANES,), arguments, shared_mem=warps * shared)
            done += part.steps_done
            phase.note_launch(done, total)
    row, column = run.download_array(job.last_row), run.download_array(job.last_column)
    if run.steps.keeps_events:
        _log_strips(job, run.download_array(log).view(EVENT.dtype)[:, 0])
    return border_ends.find_end(pair, row.view(np.int64), _column_words(column))


def _column_words(column: np.ndarray) -> np.ndarray:
    """Return rise and fall of a boundary column as 64-bit words; int64, shape (2, words)."""
    even = np.zeros((len(column) + len(column) % 2, 2), np.uint32)
    even[: len(column)] = column
    return np.ascontiguousarray(even.T).view(np.int64)


def _log_strips(job: WordJob, times: np.ndarray) -> None:
    """Log an event of phase 1 for every strip."""
    strips = np.arange(len(times))
    steps = job.run.convert_events(1, times, strips)
    steps["row_end"] = job.pair.m
    steps["column_end"] = (strips + 1) * job.pair.strip - job.pair.padding
    steps["column_start"] = np.maximum(steps["column_end"] - job.pair.strip, 0)
    job.run.steps.add_array(steps)


def _follow_path(job: WordJob, best: EndCell) -> Alignment:
    """Run phase 2; return the path in the user's order of the sequences."""
    pair, run, m = job.pair, job.run, job.pair.m
    kernel = job.compile_kernel(PATH, "bit_path")
    shared = WINDOW_BYTES + job.match_bytes
    block_warps(kernel, LANES, shared)
    tiles = cuda_sizes.most_tiles(m, pair.strip_count, job.tile)
    length = sum(best.cell)
    place = np.zeros(1, PATH_PLACE.dtype)
    place["row"], place["column"], place["at"] = *best.cell, length
    path = run.upload_array(place.view(np.int64))
    directions = run.allocate_array(cuda_sizes.direction_words(job.tile, m, job.words), np.uint64)
    operations, log = run.allocate_array(max(length, 1), np.uint8), run.allocate_events(tiles)
    cells = run.allocate_array((tiles, 4), np.int32)
    most = np.int32(cuda_sizes.TILES_A_LAUNCH)
    while place["row"][0] > 0 and place["column"][0] > 0:
        with run.begin_phase("phase 2", quiet=True) as phase:
            arguments = (*job.arguments(), path, most, directions, operations, log, cells)
            kernel((1,), (LANES,), arguments, shared_mem=shared)
            phase.note_launch()
        place = run.download_array(path).view(PATH_PLACE.dtype)
        run.report_progress(length - int(place["row"][0] + place["column"][0]), length, "phase 2")
    run.report_progress(length, length, "phase 2")
    found = run.download_array(operations)[int(place["at"][0]) : length]
    if run.steps.keeps_events:
        _log_tiles(job, log, cells, int(place["tiles"][0]))
    start, border = pair.pair.border_path((int(place["row"][0]), int(place["column"][0])))
    return pair.pair.make_alignment(start, best.cell, np.concatenate([border, found]))


def _log_tiles(job: WordJob, log: cupy.ndarray, cells: cupy.ndarray, count: int) -> None:
    """Log an event of phase 2 for every tile on the path."""
    times, ended_ns = job.run.download_array(log).view(EVENT.dtype)[:count, 0], time.perf_counter_ns()
    corners = job.run.download_array(cells)[:count]
    steps = job.run.convert_events(2, times, 0, ended_ns)
    steps["row_start"], steps["row_end"], steps["column_start"], steps["column_end"] = corners.T
    steps["strip"] = (steps["column_end"] - 1 + job.pair.padding) // job.pair.strip
    job.run.steps.add_array(steps)
