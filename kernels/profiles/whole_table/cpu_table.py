"""What the methods of the thesis share on the CPU: directions of all cells, slices of rows, and the traceback."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun, LoggedCells
from antidiag.kernels.model import Outcome
from antidiag.kernels.profiles.column_scores.scoring import (
    LINEAR,
    LOCAL,
    LOG_TABLE,
    EncodedProfiles,
)
from antidiag.kernels.profiles.problem import LEFT, UP, ProfileAnswer
from antidiag.kernels.profiles.whole_table import cpu_cells
from antidiag.kernels.profiles.whole_table.cpu_cells import TableRows

SLICES = 8
"""Log events of a table that is computed row by row."""


@dataclass(frozen=True)
class DirectionTable:
    """A forward table in progress: directions of all cells, and the row that is handed on.

    ``pair`` is ``made`` after `cpu_cells.turn_factors`.
    """

    made: EncodedProfiles
    pair: EncodedProfiles
    state: TableRows
    directions: np.ndarray

    @classmethod
    def allocate_table(cls, encoded: EncodedProfiles) -> DirectionTable:
        """Allocate the table of a problem."""
        directions = np.empty(encoded.m * encoded.n, np.uint8)
        return cls(encoded, cpu_cells.turn_factors(encoded), cpu_cells.make_first_row(encoded), directions)

    @property
    def size(self) -> tuple[int, int]:
        """Return the rows and columns of the table, (m, n)."""
        return self.made.m, self.made.n

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
        return complete_answer(made.mode, self.size, score, (first, second), (i, j), backwards[:count][::-1])


def complete_answer(
    mode: int, size: tuple[int, int], score: int, start: tuple[int, int], end: tuple[int, int], operations: np.ndarray
) -> ProfileAnswer:
    """Return the answer of a path with its free end gaps, where there are any. ``size`` of the table is (m, n)."""
    if mode != LOCAL:
        front = [np.full(count, kind, np.uint8) for count, kind in zip(start, (UP, LEFT), strict=True)]
        left_over = (size[0] - end[0], size[1] - end[1])
        back = [np.full(count, kind, np.uint8) for count, kind in zip(left_over, (UP, LEFT), strict=True)]
        start, end, operations = (0, 0), size, np.concatenate([*front, operations, *back])
    return ProfileAnswer(
        int(score), (int(start[0]), int(start[1])), (int(end[0]), int(end[1])), np.ascontiguousarray(operations)
    )


def compute_row_slices(
    run: CpuRun, name: str, size: tuple[int, int], advance: Callable[[int, int, np.ndarray, np.ndarray], int]
) -> None:
    """Run ``advance(first, last, stop, done)`` for all rows in slices, one after another, on a thread."""
    m, n = size
    slice_rows = -(-m // SLICES)

    with run.phase(name, total=m) as phase:

        def work(worker: int) -> None:
            for number, first in enumerate(range(0, m, slice_rows)):
                last, begun_ns = min(first + slice_rows, m), time.perf_counter_ns()
                if advance(first, last, run.stop, phase.done) < last:
                    return
                phase.log(LoggedCells((first, last), (0, n), number), worker, begun_ns)

        phase.share(work, threads=1)


def compute_blocks(
    run: CpuRun,
    name: str,
    size: tuple[int, int],
    k: int,
    block: Callable[[int, int], None],
    antidiagonals: bool = False,
) -> None:
    """Run ``block(top, left)`` for all blocks of k x k cells on threads.

    Blocks go row by row, or antidiagonal by antidiagonal, each after the one before.
    """
    (m, n), down, across = size, -(-size[0] // k), -(-size[1] // k)
    blocks = [(row * k, column * k) for row in range(down) for column in range(across)]

    def wave_number(place: tuple[int, int]) -> int:
        return (place[0] + place[1]) // k

    def log(place: tuple[int, int]) -> LoggedCells:
        top, left = place
        strip = wave_number(place) if antidiagonals else top // k
        return LoggedCells((top, min(top + k, m)), (left, min(left + k, n)), strip)

    def compute(worker: int, place: tuple[int, int]) -> None:
        block(*place)

    with run.phase(name, total=len(blocks)) as phase:
        if antidiagonals:
            waves = [list(wave) for _, wave in itertools.groupby(sorted(blocks, key=wave_number), wave_number)]
            phase.share_rounds(waves, compute, log)
        else:
            phase.share_tasks(blocks, compute, log)


def maximise_scores(
    run: CpuRun,
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
            table.pair,
            table.state,
            table.directions,
            first,
            last,
            table.made.m,
            stop,
            done,
        )

    compute_row_slices(run, "maximisation", table.size, advance)


def trace_outcome(run: CpuRun, table: DirectionTable, nbytes: int = 0) -> Outcome:
    """Trace the path of a finished table; ``nbytes`` are those of other arrays."""
    with run.phase("path"):
        answer = table.trace_answer()
    return Outcome(answer, run.times_ms, table.nbytes + nbytes)


def extension_vectors(encoded: EncodedProfiles) -> tuple[tuple[np.ndarray, int, int], tuple[np.ndarray, int, int]]:
    """Return the extension costs as vectors with strides."""
    return (encoded.row_extend, 1, 0), (encoded.column_extend, 0, 1)


def tiny_problem() -> EncodedProfiles:
    """Return two columns of one symbol, by which methods are compiled before the clock starts."""
    one: np.ndarray = np.zeros((2, 2), np.int16)
    cost: np.ndarray = np.zeros(1, np.int32)
    bias: np.ndarray = np.zeros(2, np.int32)
    return EncodedProfiles(one, one, bias, bias, cost, cost, cost, cost, LOG_TABLE, LINEAR, 0, 0, 0, 0, 0, True)
