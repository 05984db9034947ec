"""What the methods of the thesis share on the CPU: the table of directions, its rows in slices, and the path."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phases import PhaseClock, PhaseLog
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import cpu_cells
from antidiag.kernels.profiles.cpu_cells import Columns, Costs, Rows
from antidiag.kernels.profiles.problem import LEFT, UP, ProfileAnswer
from antidiag.kernels.profiles.scoring import LINEAR, LOG_TABLE, SEMI_GLOBAL, Encoded
from antidiag.kernels.steps import Steps

SLICES = 8
"""Steps of the log for a table that is computed row by row."""


@dataclass(frozen=True)
class Run:
    """One run of a method: its problem, and where times and events go."""

    made: Encoded
    monitor: Monitor
    steps: Steps
    times_ms: dict[str, float]
    clock: PhaseClock

    @classmethod
    def begin(cls, made: Encoded, compilation_ms: float, monitor: Monitor, steps: Steps) -> Run:
        times_ms = {"compilation": compilation_ms, "transfer": 0.0}
        return cls(made, monitor, steps, times_ms, PhaseClock(times_ms))

    def log(self, phase: int) -> PhaseLog:
        return PhaseLog(self.steps, phase, self.clock.started_ns)

    def outcome(self, table: Table, nbytes: int = 0) -> Outcome:
        """The path through a finished table; ``nbytes`` are those of other arrays."""
        answer = table.answer()
        self.clock.phase("path")
        return Outcome(answer, self.times_ms, table.nbytes + nbytes)


@dataclass(frozen=True)
class Table:
    """A forward table on its way: the directions of all cells, and what goes from row to row."""

    made: Encoded
    pair: Columns
    costs: Costs
    state: Rows
    directions: np.ndarray

    @classmethod
    def of(cls, made: Encoded) -> Table:
        pair, costs, state = cpu_cells.columns_of(made), cpu_cells.costs_of(made), cpu_cells.first_row(made)
        return cls(made, pair, costs, state, np.empty(made.m * made.n, np.uint8))

    @property
    def nbytes(self) -> int:
        arrays = (self.directions, self.state.h, self.state.e, self.pair.rows, self.pair.columns)
        return sum(array.nbytes for array in arrays)

    def answer(self) -> ProfileAnswer:
        """The best score and its path, once all rows are computed."""
        made, (score, i, j) = self.made, self.state.best.tolist()
        backwards = np.empty(i + j, np.uint8)
        count, first, second = cpu_cells.walk(self.directions, made.n, i, j, made.mode, backwards)
        return whole_answer(made.mode, (made.m, made.n), score, (first, second), (i, j), backwards[:count][::-1])


def whole_answer(
    mode: int, size: tuple[int, int], score: int, start: tuple[int, int], end: tuple[int, int], operations: np.ndarray
) -> ProfileAnswer:
    """The answer of a path from start to end; with the gaps before and behind it where these are free.

    ``size`` is that of the table, (m, n).
    """
    if mode == SEMI_GLOBAL:
        front = [np.full(count, kind, np.uint8) for count, kind in zip(start, (UP, LEFT), strict=True)]
        left_over = (size[0] - end[0], size[1] - end[1])
        back = [np.full(count, kind, np.uint8) for count, kind in zip(left_over, (UP, LEFT), strict=True)]
        start, end, operations = (0, 0), size, np.concatenate([*front, operations, *back])
    return ProfileAnswer(int(score), (int(start[0]), int(start[1])), (int(end[0]), int(end[1])),
                         np.ascontiguousarray(operations))  # fmt: skip


def by_rows(run: Run, phase: int, name: str, advance: Callable[[int, int, np.ndarray, np.ndarray], int]) -> None:
    """``advance(first, last, stop, done)`` for all rows, in slices, one after another, on a thread."""
    stop, done, m, n = workers.stop_word(), np.zeros(1, np.int64), run.made.m, run.made.n
    log, slice_rows = run.log(phase), -(-m // SLICES)

    def work(worker: int) -> None:
        for number, first in enumerate(range(0, m, slice_rows)):
            last, begun_ns = min(first + slice_rows, m), time.perf_counter_ns()
            if advance(first, last, stop, done) < last:
                return
            log.add(number, (first, last), (0, n), worker, begun_ns)

    workers.share(work, 1, stop, lambda: run.monitor.update(int(done[0]), m, name))
    run.clock.phase(name)


def by_blocks(
    run: Run, phase: int, name: str, k: int, threads: int, block: Callable[[int, int, np.ndarray], None],
    antidiagonals: bool = False,
) -> None:  # fmt: skip
    """``block(top, left, stop)`` for all blocks of k x k cells, shared by threads: row by row, or an antidiagonal of
    blocks after another, all of which wait for its last one."""
    down, across = -(-run.made.m // k), -(-run.made.n // k)
    if antidiagonals:
        waves = [
            [(row, wave - row) for row in range(max(0, wave - across + 1), min(down, wave + 1))]
            for wave in range(down + across - 1)
        ]
    else:
        waves = [[(row, column) for row in range(down) for column in range(across)]]
    stop, done, log = workers.stop_word(), np.zeros(threads, np.int64), run.log(phase)
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
                    log.add(wave if antidiagonals else row, (top, ends[0]), (left, ends[1]), worker, begun_ns)
                    done[worker] += 1
                meeting.wait()
        except threading.BrokenBarrierError:
            return
        except BaseException:
            meeting.abort()
            raise

    workers.share(work, threads, stop, lambda: run.monitor.update(int(done.sum()), down * across, name))
    run.clock.phase(name)


def maximise(
    run: Run, phase: int, table: Table, scores: np.ndarray, vertical: tuple[np.ndarray, int, int],
    horizontal: tuple[np.ndarray, int, int],
) -> None:  # fmt: skip
    """The phase that depends on data, from finished scores: on one thread, as the thesis has it on the CPU.

    ``vertical`` and ``horizontal`` are costs of extending gaps, flat, and their strides of rows and of columns.
    """
    strides = (vertical[1], vertical[2], horizontal[1], horizontal[2])

    def advance(first: int, last: int, stop: np.ndarray, done: np.ndarray) -> int:
        return cpu_cells.maximise(
            scores, vertical[0], horizontal[0], strides, table.costs, table.state, table.directions, first, last,
            run.made.m, stop, done,
        )  # fmt: skip

    by_rows(run, phase, "maximisation", advance)


def vectors(made: Encoded) -> tuple[tuple[np.ndarray, int, int], tuple[np.ndarray, int, int]]:
    """Costs of extending gaps as vectors."""
    return (made.row_extend, 1, 0), (made.column_extend, 0, 1)


def tiny() -> Encoded:
    """Two columns of one symbol, to have a method compiled before the clock starts."""
    one: np.ndarray = np.zeros((2, 2), np.int16)
    cost: np.ndarray = np.zeros(1, np.int32)
    bias: np.ndarray = np.zeros(2, np.int32)
    return Encoded(one, one, bias, bias, cost, cost, cost, cost, LOG_TABLE, LINEAR, 0, 0, 0, 0, 0, True)
