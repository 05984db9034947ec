"""Many pairs at once on the CPU: threads share them, side by side in vectors; large pairs go to the striped methods."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from antidiag.kernels.cpu.aligned_arrays import allocate_aligned
from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.cpu.table_lookup import HAS_LOOKUP
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.pairwise.batch import slices
from antidiag.kernels.pairwise.batch.assembly import AnswerAssembly
from antidiag.kernels.pairwise.batch.cpu_kernels import PairResults, compute_pairs, gather_operations
from antidiag.kernels.pairwise.batch.cpu_lanes import LaneWork, PairArrays, PairScoring
from antidiag.kernels.pairwise.batch.lane_groups import LANE_KINDS, LaneKind, LaneTask, lay_out_table, make_tasks
from antidiag.kernels.pairwise.batch.model import BatchAnswer, BatchProblem
from antidiag.kernels.pairwise.batch.pair_blocks import block_problem
from antidiag.kernels.pairwise.batch.parameters import BatchParameters
from antidiag.kernels.pairwise.batch.sizes import MOST_LANES, VECTOR_BYTES, is_small, most_table_cells
from antidiag.kernels.pairwise.batch.slices import PairShapes
from antidiag.kernels.pairwise.batch.strands import compute_strands
from antidiag.kernels.pairwise.parameters import StripedAlignmentParameters, StripedScoreParameters
from antidiag.kernels.pairwise.strips import sizes as strip_sizes
from antidiag.kernels.scoring import Mode
from antidiag.kernels.steps import StepLog


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
        in_lanes = is_small(self.shapes.rows, self.shapes.columns)
        self.small, self.large = np.flatnonzero(in_lanes), np.flatnonzero(~in_lanes)
        self.results = _make_results(self.shapes, self.small, paths)
        self.stop_monitor = CancelOnlyMonitor(run.monitor)

    def run_all(self) -> Outcome:
        """Compute all pairs."""
        answer = AnswerAssembly(self.problem, self.shapes.is_swapped, self.paths)
        lane_tasks = list(make_tasks(self.problem, self.shapes, self.small, self.run.threads))
        kinds = tuple(kind for kind in LANE_KINDS if any(task.kind is kind for task in lane_tasks))
        self.run.compile_once(compile_lanes, kinds, self.problem.scoring.has_two_pieces)
        large = self.large[np.argsort(-self.cells[self.large], kind="stable")]
        tasks = [*(LaneTask(None, False, large[at : at + 1]) for at in range(large.size)), *lane_tasks]
        sizes = [int(self.cells[task.numbers].sum()) for task in tasks]
        with self.run.phase("pairs", sum(sizes)) as phase:
            self._share(phase, tasks, sizes, answer)
            self._take_small(answer)
        return Outcome(answer.make_answer(), self.run.times_ms, answer.host_bytes)

    def _share(self, phase: CpuPhase, tasks: list[LaneTask], sizes: list[int], answer: AnswerAssembly) -> None:
        rows, columns = (int(values[self.small].max(initial=1)) for values in (self.shapes.rows, self.shapes.columns))
        cells, pieces = most_table_cells(rows, columns), len(self.problem.scoring.gap_pieces)
        work = [
            _make_work_space(rows, columns, pieces, cells * self.paths)
            for _ in range(min(self.run.threads, len(tasks)))
        ]
        scorings = {
            (kind, is_swapped): _make_scoring(self.problem, kind, is_swapped)
            for kind, is_swapped in {(task.kind, task.is_swapped) for task in tasks if task.kind}
        }
        done = np.zeros((self.run.threads, 1), np.int64)

        def compute(worker: int, task: LaneTask) -> None:
            if task.kind is None:
                self._compute_large(int(task.numbers[0]), answer)
                done[worker] += self.cells[task.numbers]
                return
            compute_pairs(
                _make_lookup(task.kind),
                self._gather_pairs(task.numbers),
                task.numbers,
                scorings[task.kind, task.is_swapped],
                _view_work_space(work[worker], task.kind),
                cells,
                self.paths,
                self.results,
                done[worker],
                self.run.stop,
            )

        def describe(task: LaneTask) -> LoggedCells:
            return LoggedCells((0, 1), (int(task.numbers.min()), int(task.numbers.max()) + 1))

        phase.share_tasks(tasks, compute, describe, lambda: phase.report(int(done.sum())), sizes)
        phase.report(phase.total)

    def _gather_pairs(self, numbers: np.ndarray) -> PairArrays:
        """Return some pairs for compiled code."""
        shapes = self.shapes
        arrays = shapes.row_begins, shapes.column_begins, shapes.rows, shapes.columns
        return PairArrays(self.problem.encoded.codes, *(array[numbers] for array in arrays))

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

    def _take_small(self, answer: AnswerAssembly) -> None:
        """Give the results of small pairs to the answer."""
        numbers, results = self.small, self.results
        answer.add_scores(numbers, results.scores[numbers])
        if not self.paths:
            return
        offsets = np.concatenate([[0], np.cumsum(results.counts[numbers])])
        together = np.empty(int(offsets[-1]), np.uint8)
        gather_operations(numbers, results, self.shapes.is_swapped, offsets, together)
        answer.add_paths(numbers, results.starts[numbers], results.ends[numbers], offsets, together)


def _make_lookup(kind: LaneKind) -> np.ndarray | None:
    """Return the offsets by which lanes look up scores; None where the processor has no instruction for this type."""
    return np.arange(MOST_LANES) * MOST_LANES if kind is np.int16 and HAS_LOOKUP else None


def _make_scoring(problem: BatchProblem, kind: LaneKind, is_swapped: bool) -> PairScoring:
    """Return scores and settings with the shorter sequence as rows."""
    free, scoring = slices.free_borders(problem, is_swapped), problem.scoring
    is_local = problem.mode == Mode.LOCAL
    borders = [int(border and not is_local) for border in free]
    pieces = tuple((opening + extend, extend) for opening, extend in scoring.gap_pieces)
    scores = problem.encoded.table.T if is_swapped else problem.encoded.table
    table, stride = lay_out_table(scores, kind)
    settings = np.array([int(is_local), *borders], np.int64)
    return PairScoring(table, stride, scores.shape[0], int(np.iinfo(kind).min), pieces, settings)


def _make_work_space(rows: int, columns: int, pieces: int, cells: int) -> LaneWork:
    """Return work space for lanes of 32 bits, and room for the decisions of so many cells."""
    width, lanes = -(-columns // MOST_LANES) * MOST_LANES, VECTOR_BYTES // 4
    vectors = (rows, width, width, columns + 1, pieces * (columns + 1), MOST_LANES)
    arrays = [allocate_aligned(count * lanes, np.int32) for count in vectors]
    decisions = allocate_aligned(cells * MOST_LANES, np.uint8 if pieces == 1 else np.uint16)
    return LaneWork._make([*arrays, decisions, np.empty(3 * MOST_LANES, np.int64)])


def _view_work_space(work: LaneWork, kind: LaneKind) -> LaneWork:
    """Return work space for lanes of another type in the same memory."""
    *arrays, decisions, best = work
    return LaneWork._make([*(array.view(kind) for array in arrays), decisions, best])


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
def compile_lanes(kinds: tuple[LaneKind, ...], two_pieces: bool = False) -> None:
    """Compile lanes of some types, or load them from the cache folder, by aligning a letter with itself."""
    codes = np.frombuffer(bytes(1), np.uint8)
    zeros, ones = np.zeros(1, np.int64), np.ones(1, np.int64)
    pairs = PairArrays(codes, zeros, zeros, ones, ones)
    pieces = ((1, 1), (2, 0)) if two_pieces else ((1, 1),)
    settings, done = np.array([1, 0, 0, 0, 0], np.int64), np.zeros(1, np.int64)
    results = _make_results(PairShapes(ones, ones, zeros, zeros, np.zeros(1, bool)), zeros, paths=True)
    for kind in kinds:
        table, stride = lay_out_table(np.ones((1, 1), np.int32), kind)
        scoring = PairScoring(table, stride, 1, int(np.iinfo(kind).min), pieces, settings)
        work = _view_work_space(_make_work_space(1, 1, len(pieces), 1), kind)
        compute_pairs(_make_lookup(kind), pairs, zeros, scoring, work, 1, True, results, done, zeros)
    gather_operations(zeros, results, np.zeros(1, bool), np.array([0, 1]), np.empty(1, np.uint8))
