"""Many pairs at once on the CPU: threads share them; large pairs are computed by the striped methods."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.pairwise.batch import slices
from antidiag.kernels.pairwise.batch.assembly import AnswerAssembly
from antidiag.kernels.pairwise.batch.cpu_kernels import (
    PairArrays,
    PairResults,
    PairScoring,
    compute_pairs,
    gather_operations,
)
from antidiag.kernels.pairwise.batch.model import BatchAnswer, BatchProblem
from antidiag.kernels.pairwise.batch.pair_blocks import block_problem
from antidiag.kernels.pairwise.batch.parameters import BatchParameters
from antidiag.kernels.pairwise.batch.sizes import SMALL_CELLS
from antidiag.kernels.pairwise.batch.slices import PairShapes
from antidiag.kernels.pairwise.batch.strands import compute_strands
from antidiag.kernels.pairwise.parameters import StripedAlignmentParameters, StripedScoreParameters
from antidiag.kernels.pairwise.strips import sizes as strip_sizes
from antidiag.kernels.scoring import Mode
from antidiag.kernels.steps import StepLog

TASK_CELLS = 1 << 24
"""Cells of the small pairs of a task, at most: some hundredths of a second."""
TASKS_A_THREAD = 4
"""Tasks of a thread in a batch of few cells, so that all threads end at about the same time."""


def score_batch(problem: BatchProblem, parameters: BatchParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the scores of all pairs."""
    return _compute_batch(problem, parameters, monitor, steps, paths=False)


def align_batch(problem: BatchProblem, parameters: BatchParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best alignments of all pairs."""
    return _compute_batch(problem, parameters, monitor, steps, paths=True)


def score_block(
    problem: BatchProblem, parameters: BatchParameters, numbers: Mapping[str, int], monitor: Monitor
) -> BatchAnswer:
    """Return the scores of a block of pairs (`pair_blocks`)."""
    return score_batch(block_problem(problem, numbers), parameters, monitor, StepLog(keeps=False)).answer


def align_block(
    problem: BatchProblem, parameters: BatchParameters, numbers: Mapping[str, int], monitor: Monitor
) -> BatchAnswer:
    """Return the best alignments of a block of pairs (`pair_blocks`)."""
    return align_batch(block_problem(problem, numbers), parameters, monitor, StepLog(keeps=False)).answer


def _compute_batch(
    problem: BatchProblem, parameters: BatchParameters, monitor: Monitor, steps: StepLog, paths: bool
) -> Outcome:
    def compute(one: BatchProblem, part: Monitor) -> Outcome:
        return CpuBatch(one, CpuRun(part, steps, parameters.threads), paths).run_all()

    return compute_strands(problem, monitor, compute)


class CpuBatch:
    """A batch on the threads of a run."""

    def __init__(self, problem: BatchProblem, run: CpuRun, paths: bool) -> None:
        self.problem, self.run, self.paths = problem, run, paths
        self.shapes = slices.orient_pairs(problem)
        self.cells = self.shapes.rows * self.shapes.columns
        encoded = problem.encoded
        self.pairs = PairArrays(
            encoded.codes,
            self.shapes.row_begins,
            self.shapes.column_begins,
            self.shapes.rows,
            self.shapes.columns,
        )
        self.scorings = [_make_scoring(problem, is_swapped) for is_swapped in (False, True)]
        self.results = _make_results(self.shapes, np.flatnonzero(self.cells <= SMALL_CELLS), paths)
        self.stop_monitor = CancelOnlyMonitor(run.monitor)

    def run_all(self) -> Outcome:
        """Compute all pairs."""
        self.run.compile_once(compile_small_pairs, self.paths, self.problem.scoring.has_two_pieces)
        answer = AnswerAssembly(self.problem, self.shapes.is_swapped, self.paths)
        tasks = self._make_tasks()
        sizes = [int(self.cells[numbers].sum()) for numbers in tasks]
        with self.run.phase("pairs", sum(sizes)) as phase:
            self._share(phase, tasks, sizes, answer)
            self._take_small(np.flatnonzero(self.cells <= SMALL_CELLS), answer)
        return Outcome(answer.make_answer(), self.run.times_ms, answer.host_bytes)

    def _make_tasks(self) -> list[np.ndarray]:
        """Return the numbers of the pairs of each task: one large pair, or small ones of one orientation."""
        large = np.flatnonzero(self.cells > SMALL_CELLS)
        tasks = [np.array([number]) for number in large[np.argsort(-self.cells[large], kind="stable")]]
        most = max(min(TASK_CELLS, int(self.cells.sum()) // (TASKS_A_THREAD * self.run.threads)), 1)
        for is_swapped in (False, True):
            small = np.flatnonzero((self.cells <= SMALL_CELLS) & (self.shapes.is_swapped == is_swapped))
            borders = np.searchsorted(np.cumsum(self.cells[small]), np.arange(most, self.cells.sum(), most))
            tasks += [part for part in np.split(small, np.unique(borders)) if part.size]
        return tasks

    def _share(self, phase: CpuPhase, tasks: list[np.ndarray], sizes: list[int], answer: AnswerAssembly) -> None:
        small = self.cells[self.cells <= SMALL_CELLS].max(initial=0) if self.paths else 0
        longest = int(self.shapes.columns.max()) + 1
        pieces = len(self.problem.scoring.gap_pieces)
        work = [_make_work_space(longest, max(int(small), 1), pieces) for _ in range(self.run.threads)]
        done = np.zeros((self.run.threads, 1), np.int64)

        def compute(worker: int, numbers: np.ndarray) -> None:
            first = int(numbers[0])
            if self.cells[first] > SMALL_CELLS:
                self._compute_large(first, answer)
                done[worker] += self.cells[first]
                return
            scoring = self.scorings[int(self.shapes.is_swapped[first])]
            compute_pairs(
                self.pairs, numbers, scoring, *work[worker], self.paths, self.results, done[worker], self.run.stop
            )

        def describe(numbers: np.ndarray) -> LoggedCells:
            return LoggedCells((0, 1), (int(numbers[0]), int(numbers[-1]) + 1))

        phase.share_tasks(tasks, compute, describe, lambda: phase.report(int(done.sum())), sizes)
        phase.report(phase.total)

    def _compute_large(self, number: int, answer: AnswerAssembly) -> None:
        """Compute a pair by a striped method, on one thread."""
        from antidiag.kernels.pairwise.strips import cpu  # compiled code, which small pairs do not need

        pair = self.problem.make_pair(number)
        kind = StripedAlignmentParameters if self.paths else StripedScoreParameters
        choose = strip_sizes.choose_alignment_parameters if self.paths else strip_sizes.choose_score_parameters
        values = {**choose(pair, "cpu", None), "threads": 1}
        names = kind.names()
        parameters: Any = kind(**{name: value for name, value in values.items() if name in names})
        compute = cpu.striped_alignment if self.paths else cpu.striped_score
        found = compute(pair, parameters, self.stop_monitor, StepLog(keeps=False)).answer
        answer.scores[number] = found.score
        if self.paths:
            path = found.alignment
            answer.add_own_path(number, path.start, path.end, path.operations)

    def _take_small(self, numbers: np.ndarray, answer: AnswerAssembly) -> None:
        """Give the results of small pairs to the answer."""
        answer.add_scores(numbers, self.results.scores[numbers])
        if not self.paths:
            return
        counts = self.results.counts
        offsets = np.concatenate([[0], np.cumsum(counts[numbers])])
        together = np.empty(int(offsets[-1]), np.uint8)
        operations, room_ends = self.results.operations, self.results.room_ends
        gather_operations(numbers, counts, room_ends, operations, self.shapes.is_swapped, offsets, together)
        starts, ends = self.results.starts[numbers], self.results.ends[numbers]
        answer.add_paths(numbers, starts, ends, offsets, together)


def _make_scoring(problem: BatchProblem, is_swapped: bool) -> PairScoring:
    """Return scores and settings with the shorter sequence as rows."""
    free, scoring = slices.free_borders(problem, is_swapped), problem.scoring
    is_local = problem.mode == Mode.LOCAL
    borders = [int(border and not is_local) for border in free]
    pieces = tuple((opening + extend, extend) for opening, extend in scoring.gap_pieces)
    table = problem.encoded.table.T if is_swapped else problem.encoded.table
    return PairScoring(np.ascontiguousarray(table), pieces, np.array([int(is_local), *borders], np.int64))


def _make_work_space(longest: int, cells: int, pieces: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return H and E of a row, and room for the decisions of the cells of a pair."""
    decision_type = np.uint8 if pieces == 1 else np.uint16
    return np.empty(longest, np.int32), np.empty((pieces, longest), np.int32), np.empty(cells, decision_type)


def _make_results(shapes: PairShapes, small: np.ndarray, paths: bool) -> PairResults:
    """Return empty results, with room for the operations of small pairs."""
    count = shapes.rows.size
    cells = np.zeros(count if paths else 0, np.int64)
    if paths:
        cells[small] = shapes.rows[small] + shapes.columns[small]
    room_ends = np.cumsum(cells)
    room = int(room_ends[-1]) if paths else 0
    of_paths = count if paths else 0
    return PairResults(
        np.zeros(count, np.int32),
        np.zeros((of_paths, 2), np.int32),
        np.zeros((of_paths, 2), np.int32),
        np.zeros(of_paths, np.int64),
        room_ends,
        np.empty(room, np.uint8),
    )


@cache
def compile_small_pairs(paths: bool, two_pieces: bool = False) -> None:
    """Compile what small pairs need, or load it from the cache folder, by aligning a letter with itself."""
    codes = np.frombuffer(bytes(1), np.uint8)
    zeros, ones = np.zeros(1, np.int64), np.ones(1, np.int64)
    pieces = ((1, 1), (2, 0)) if two_pieces else ((1, 1),)
    scoring = PairScoring(np.ones((1, 1), np.int32), pieces, np.array([1, 0, 0, 0, 0], np.int64))
    shapes = PairShapes(ones, ones, zeros, zeros, np.zeros(1, bool))
    results = _make_results(shapes, zeros, paths)
    work = _make_work_space(2, 1, len(pieces))
    compute_pairs(
        PairArrays(codes, zeros, zeros, ones, ones), zeros, scoring, *work, paths, results, np.zeros(1, np.int64), zeros
    )
    if paths:
        offsets = np.array([0, 1])
        together = np.empty(1, np.uint8)
        gather_operations(
            zeros, results.counts, results.room_ends, results.operations, shapes.is_swapped, offsets, together
        )
