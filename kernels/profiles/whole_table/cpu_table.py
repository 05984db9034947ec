"""What the methods of the thesis share on the CPU: directions of all cells, slices of rows, and the traceback."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phase_times import PhaseClock, PhaseLog
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.column_scores.scoring import LINEAR, LOG_TABLE, SEMI_GLOBAL, EncodedProfiles
from antidiag.kernels.profiles.problem import LEFT, UP, ProfileAnswer
from antidiag.kernels.profiles.whole_table import cpu_cells
from antidiag.kernels.profiles.whole_table.cpu_cells import ColumnFactors, ColumnGapCosts, TableRows
from antidiag.kernels.steps import StepLog

SLICES = 8
"""Log events of a table that is computed row by row."""


@dataclass(frozen=True)
class ProfileTableRun:
    """One run of a method: its problem, monitor, times and step log."""

    made: EncodedProfiles
    monitor: Monitor
    steps: StepLog
    times_ms: dict[str, float]
    clock: PhaseClock

    @classmethod
    def start_run(
        cls, encoded: EncodedProfiles, compilation_ms: float, monitor: Monitor, steps: StepLog
    ) -> ProfileTableRun:
        """Start the clock of a run."""
        times_ms = {"compilation": compilation_ms, "transfer": 0.0}
        return cls(encoded, monitor, steps, times_ms, PhaseClock(times_ms))

    def phase_log(self, phase: int) -> PhaseLog:
        """Return the log of a phase."""
        return PhaseLog(self.steps, phase, self.clock.started_ns)

    def finish_run(self, table: DirectionTable, nbytes: int = 0) -> Outcome:
        """Trace the path of a finished table; ``nbytes`` are those of other arrays."""
        answer = table.trace_answer()
        self.clock.end_phase("path")
        return Outcome(answer, self.times_ms, table.nbytes + nbytes)


@dataclass(frozen=True)
class DirectionTable:
    """A forward table in progress: directions of all cells, and the row that is handed on."""

    made: EncodedProfiles
    pair: ColumnFactors
    costs: ColumnGapCosts
    state: TableRows
    directions: np.ndarray

    @classmethod
    def allocate_table(cls, encoded: EncodedProfiles) -> DirectionTable:
        """Allocate the table of a problem."""
        pair, costs, state = (
            cpu_cells.column_factors(encoded),
            cpu_cells.column_gap_costs(encoded),
            cpu_cells.make_first_row(encoded),
        )
        return cls(encoded, pair, costs, state, np.empty(encoded.m * encoded.n, np.uint8))

    @property
    def nbytes(self) -> int:
        """Return the bytes of its arrays."""
        arrays = (self.directions, self.state.h, self.state.e, self.pair.rows, self.pair.columns)
        return sum(array.nbytes for array in arrays)

    def trace_answer(self) -> ProfileAnswer:
        """Return the best score and its path, once all rows are computed."""
        made, (score, i, j) = self.made, self.state.best.tolist()
        backwards = np.empty(i + j, np.uint8)
        count, first, second = cpu_cells.trace_path(self.directions, made.n, i, j, made.mode, backwards)
        return complete_answer(made.mode, (made.m, made.n), score, (first, second), (i, j), backwards[:count][::-1])


def complete_answer(
    mode: int, size: tuple[int, int], score: int, start: tuple[int, int], end: tuple[int, int], operations: np.ndarray
) -> ProfileAnswer:
    """Return the answer of a path; semi-global paths get their free end gaps. ``size`` of the table is (m, n)."""
    if mode == SEMI_GLOBAL:
        front = [np.full(count, kind, np.uint8) for count, kind in zip(start, (UP, LEFT), strict=True)]
        left_over = (size[0] - end[0], size[1] - end[1])
        back = [np.full(count, kind, np.uint8) for count, kind in zip(left_over, (UP, LEFT), strict=True)]
        start, end, operations = (0, 0), size, np.concatenate([*front, operations, *back])
    return ProfileAnswer(
        int(score), (int(start[0]), int(start[1])), (int(end[0]), int(end[1])), np.ascontiguousarray(operations)
    )


def compute_row_slices(
    run: ProfileTableRun, phase: int, name: str, advance: Callable[[int, int, np.ndarray, np.ndarray], int]
) -> None:
    """Run ``advance(first, last, stop, done)`` for all rows in slices, one after another, on a thread."""
    stop, done, m, n = workers.make_stop_word(), np.zeros(1, np.int64), run.made.m, run.made.n
    log, slice_rows = run.phase_log(phase), -(-m // SLICES)

    def work(worker: int) -> None:
        for number, first in enumerate(range(0, m, slice_rows)):
            last, begun_ns = min(first + slice_rows, m), time.perf_counter_ns()
            if advance(first, last, stop, done) < last:
                return
            log.add_event(number, (first, last), (0, n), worker, begun_ns)

    workers.share_work(work, 1, stop, lambda: run.monitor.update(int(done[0]), m, name))
    run.clock.end_phase(name)


def compute_blocks(
    run: ProfileTableRun,
    phase: int,
    name: str,
    k: int,
    threads: int,
    block: Callable[[int, int, np.ndarray], None],
    antidiagonals: bool = False,
) -> None:
    """Run ``block(top, left, stop)`` for all blocks of k x k cells on threads.

    Blocks go row by row, or antidiagonal by antidiagonal with a barrier after each.
    """
    down, across = -(-run.made.m // k), -(-run.made.n // k)
    if antidiagonals:
        waves = [
            [(row, wave - row) for row in range(max(0, wave - across + 1), min(down, wave + 1))]
            for wave in range(down + across - 1)
        ]
    else:
        waves = [[(row, column) for row in range(down) for column in range(across)]]
    stop, done, log = workers.make_stop_word(), np.zeros(threads, np.int64), run.phase_log(phase)
    meeting = threading.Barrier(threads)

    def work(worker: int) -> None:
        try:
            for wave, blocks in enumerate(waves):
                for row, column in blocks[worker::threads]:
                    top, left, begun_ns = row * k, column * k, time.perf_counter_ns()
                    block(top, left, stop)
                    if stop[0]:
                        meeting.abort()
                        return
                    ends = (min(top + k, run.made.m), min(left + k, run.made.n))
                    log.add_event(wave if antidiagonals else row, (top, ends[0]), (left, ends[1]), worker, begun_ns)
                    done[worker] += 1
                meeting.wait()
        except threading.BrokenBarrierError:
            return
        except BaseException:
            meeting.abort()
            raise

    workers.share_work(work, threads, stop, lambda: run.monitor.update(int(done.sum()), down * across, name))
    run.clock.end_phase(name)


def maximise_scores(
    run: ProfileTableRun,
    phase: int,
    table: DirectionTable,
    scores: np.ndarray,
    vertical: tuple[np.ndarray, int, int],
    horizontal: tuple[np.ndarray, int, int],
) -> None:
    """Compute all cells from finished scores, on one thread as in the thesis.

    ``vertical`` and ``horizontal`` are flat extension costs with their strides of rows and columns.
    """
    strides = (vertical[1], vertical[2], horizontal[1], horizontal[2])

    def advance(first: int, last: int, stop: np.ndarray, done: np.ndarray) -> int:
        return cpu_cells.maximise_rows(
            scores,
            vertical[0],
            horizontal[0],
            strides,
            table.costs,
            table.state,
            table.directions,
            first,
            last,
            run.made.m,
            stop,
            done,
        )

    compute_row_slices(run, phase, "maximisation", advance)


def extension_vectors(encoded: EncodedProfiles) -> tuple[tuple[np.ndarray, int, int], tuple[np.ndarray, int, int]]:
    """Return the extension costs as vectors with strides."""
    return (encoded.row_extend, 1, 0), (encoded.column_extend, 0, 1)


def tiny_problem() -> EncodedProfiles:
    """Return two columns of one symbol, by which methods are compiled before the clock starts."""
    one: np.ndarray = np.zeros((2, 2), np.int16)
    cost: np.ndarray = np.zeros(1, np.int32)
    bias: np.ndarray = np.zeros(2, np.int32)
    return EncodedProfiles(one, one, bias, bias, cost, cost, cost, cost, LOG_TABLE, LINEAR, 0, 0, 0, 0, 0, True)
