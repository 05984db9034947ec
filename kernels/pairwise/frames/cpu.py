"""Frame alignment on the CPU: threads share the segments of all strands, then the path is followed from its end."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.frames import cpu_kernels
from antidiag.kernels.pairwise.frames.model import FrameAnswer, FramePath, FrameProblem
from antidiag.kernels.pairwise.frames.parameters import FrameParameters
from antidiag.kernels.pairwise.frames.segments import Segment, cut_segments, widest_segment
from antidiag.kernels.steps import StepLog

LEAST_BLOCK = 16


class FrameEnd(NamedTuple):
    """The best end: its score, strand, amino acids and bases."""

    score: int
    strand: int
    row: int
    column: int


def frame_alignment(problem: FrameProblem, parameters: FrameParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best alignment of a protein with nucleotides that are read in frames."""
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(compile_kernels)
    letters, rows = np.unique(problem.rows, return_inverse=True)
    with run.phase("phase 1", problem.cells) as phase:
        best = find_best_end(problem, phase, letters, rows.astype(np.int64))
    width = widest_segment(problem)
    arrays = 4 * (letters.size + 4) * width * min(run.threads, len(cut_segments(problem)))
    answer, path_bytes = follow_path(problem, run, best)
    return Outcome(answer, run.times_ms, max(arrays, path_bytes))


def find_best_end(problem: FrameProblem, phase: CpuPhase, letters: np.ndarray, rows: np.ndarray) -> FrameEnd:
    """Run phase 1: compute all segments, and return the best end by the tie rule. Raises Cancelled."""
    segments, costs, m = cut_segments(problem), cost_array(problem), len(problem.protein)
    best = np.full((len(segments), 3), np.int64(-(2**40)))
    order = {segment: number for number, segment in enumerate(segments)}
    computed = sum(m * (one.last - one.first + 1) for one in segments)
    scale = problem.cells / computed

    def compute(worker: int, segment: Segment) -> None:
        places = problem.places(segment.strand)[segment.first : segment.last + 1]
        scores = cpu_kernels.fill_scores(problem.table, letters, np.ascontiguousarray(places))
        found = best[order[segment]]
        cpu_kernels.sweep_segment(rows, scores, costs, problem.is_local, found, phase.done, worker, phase.run.stop)
        found[2] += segment.first

    def log(segment: Segment) -> LoggedCells:
        return LoggedCells((0, m), (segment.first, segment.last), order[segment])

    for strand in problem.strands:
        problem.places(strand)
    phase.done[:] = 0
    phase.share_tasks(
        segments, compute, log, report=lambda: phase.report(int(phase.done.sum() * scale)), sizes=[0] * len(segments)
    )
    phase.report(phase.total)
    return choose_end(
        [FrameEnd(int(s), one.strand, int(i), int(j)) for one, (s, i, j) in zip(segments, best, strict=True)]
    )


def choose_end(ends: list[FrameEnd]) -> FrameEnd:
    """Return the best end by the tie rule: score, forward strand, fewest amino acids, fewest bases."""
    return min(ends, key=lambda end: (-end.score, -end.strand, end.row, end.column))


def cost_array(problem: FrameProblem) -> np.ndarray:
    """Return opening, extension and shift costs, int32."""
    return np.array([problem.scoring.open, problem.scoring.extend, problem.shift_cost], np.int32)


def follow_path(problem: FrameProblem, run: CpuRun, best: FrameEnd) -> tuple[FrameAnswer, int]:
    """Run phase 2: return the answer with its path, and the bytes that it took.

    Only the rows and bases that the path can span are computed.
    """
    with run.phase("phase 2", 1) as phase:
        first = max(best.column - problem.widest_path(best.row, best.score), 0)
        letters, rows = np.unique(problem.rows[: best.row], return_inverse=True)
        places = np.ascontiguousarray(problem.places(best.strand)[first : best.column + 1])
        scores = cpu_kernels.fill_scores(problem.table, letters, places)
        block = path_block(best.row)
        operations = np.empty(best.row + best.column - first + 1, np.uint8)
        begun = phase.elapsed_ms
        i, j, at = phase.call(
            lambda: cpu_kernels.trace_back(
                rows.astype(np.int64), scores, cost_array(problem), problem.is_local, block, operations, run.stop
            )
        )
        cells = LoggedCells((0, best.row), (first, best.column))
        phase.log(cells, 0, phase.begun_ns + round(begun * 1e6))
        phase.report(phase.total)
    end = best.row, best.column
    path = FramePath((i, j + first), end, operations[at:].copy())
    return FrameAnswer(best.score, best.strand, end, path), path_bytes(best.row, places.size, letters.size)


def path_block(rows: int) -> int:
    """Return the rows of a block of phase 2."""
    return max(math.isqrt(rows), LEAST_BLOCK)


def path_bytes(rows: int, columns: int, letters: int) -> int:
    """Return the bytes of phase 2."""
    block = path_block(rows)
    return 4 * columns * (letters + 2 * (-(-rows // block)) + 3 * (min(block, rows) + 1) + 4) + rows + columns


@cache
def compile_kernels() -> None:
    """Compile the kernels, or load them from the cache folder, by a tiny problem."""
    table, letters = np.zeros((1, 2), np.int32), np.zeros(1, np.uint8)
    scores = cpu_kernels.fill_scores(table, letters, np.zeros(5, np.uint8))
    rows, costs, stop = np.zeros(1, np.int64), np.ones(3, np.int32), np.zeros(1, np.int64)
    cpu_kernels.sweep_segment(rows, scores, costs, False, np.zeros(3, np.int64), np.zeros(1, np.int64), 0, stop)
    cpu_kernels.trace_back(rows, scores, costs, False, 1, np.empty(9, np.uint8), stop)
