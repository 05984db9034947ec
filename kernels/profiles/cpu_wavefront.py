"""profile-wavefront on the CPU: threads take strips in order, each a batch of rows behind its left neighbour."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phases import time_ms
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.profiles import cpu_cells, cpu_strips
from antidiag.kernels.profiles.cpu_cells import NEVER
from antidiag.kernels.profiles.cpu_strips import WIDEN, WORD, Kept, Turns, Whole
from antidiag.kernels.profiles.cpu_table import Run, tiny, whole_answer
from antidiag.kernels.profiles.parameters import StripParameters
from antidiag.kernels.profiles.problem import Problem, ProfileAnswer
from antidiag.kernels.profiles.scoring import GLOBAL, Encoded
from antidiag.kernels.steps import Steps


def wavefront(problem: Problem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The best alignment in strips; no matrix of the size of the table is ever in memory."""
    compilation_ms = time_ms(_compiled)
    chosen = typed(StripParameters, parameters)
    return _align(Run.begin(problem.encoded, compilation_ms, monitor, steps), chosen)


def _align(run: Run, chosen: StripParameters) -> Outcome:
    whole = whole_of(run.made, chosen.s, chosen.T)
    kept, packed = room(whole), cpu_strips.packed_rows(whole.rows)
    compute_strips(run, whole, packed, kept, chosen.threads)
    run.clock.phase("strips")
    answer = path(run.made, whole, packed, kept, run.monitor)
    run.clock.phase("path")
    arrays = (*kept, packed, whole.first_row, whole.first_column)
    return Outcome(answer, run.times_ms, sum(one.nbytes for one in arrays))


def whole_of(made: Encoded, s: int, batch: int) -> Whole:
    """A problem with the borders of its table, to be cut into strips of ``s`` columns and batches of so many rows."""
    first_row: np.ndarray = np.zeros(made.n + 1, np.int32)
    first_column: np.ndarray = np.zeros(made.m + 1, np.int32)
    if made.mode == GLOBAL:
        first_row[1:] = -cpu_cells.border(made.column_open, made.column_extend)
        first_column[1:] = -cpu_cells.border(made.row_open, made.row_extend)
    return Whole(
        made.rows, made.columns, made.row_bias, made.column_bias, made.row_open, made.row_extend, made.column_open,
        made.column_extend, cpu_cells.finish_of(made), first_row, first_column,
        (made.m, made.n, s, batch, made.mode), made.linear,
    )  # fmt: skip


def room(whole: Whole) -> Kept:
    """Room for the borders of all strips and batches, with those of the table set."""
    m, n, s, batch, _ = whole.cuts
    strips, batches = -(-n // s), -(-m // batch)
    columns: np.ndarray = np.empty((strips + 1, 2, m + 1), np.int32)
    columns[0, 0], columns[0, 1] = whole.first_column, NEVER
    padded = -(-min(s, n) // WIDEN) * WIDEN
    rows: np.ndarray = np.empty((strips, batches - 1, 2, padded), np.int32)
    return Kept(columns, rows, np.zeros((strips, 3), np.int64))


def compute_strips(run: Run, whole: Whole, packed: np.ndarray, kept: Kept, threads: int) -> None:
    """All strips on threads; their borders, and the last rows of batches, are kept."""
    m, n, s, batch, _ = whole.cuts
    count, batches = -(-n // s), -(-m // batch)
    turns, tickets = Turns(np.zeros(count * WORD, np.int64), workers.stop_word()), itertools.count()
    log, lock = run.log(1), threading.Lock()

    def work(worker: int) -> None:
        times: np.ndarray = np.zeros((batches, 2), np.int64)
        while not turns.stop[0]:
            with lock:
                number = next(tickets)
            if number >= count or not cpu_strips.strip(whole, packed, number, kept, turns, times):
                return
            columns = (number * s, min(number * s + s, n))
            for at, (begun_ns, ended_ns) in enumerate((times - log.started_ns).tolist()):
                rows = (at * batch, min(at * batch + batch, m))
                run.steps.add(1, number, rows, columns, worker, begun_ns, ended_ns)

    total = count * m
    workers.share(
        work, min(threads, count), turns.stop, lambda: run.monitor.update(int(turns.words.sum()), total, "strips")
    )


def path(made: Encoded, whole: Whole, packed: np.ndarray, kept: Kept, monitor: Monitor) -> ProfileAnswer:
    """The path through the borders that were kept, on a worker that hears a wish to cancel."""
    stop, found = workers.stop_word(), []
    score, i, j = cpu_strips.best_end(whole, kept)
    operations = np.empty(i + j, np.uint8)

    def work(worker: int) -> None:
        found.append(cpu_strips.path(whole, packed, kept, i, j, operations, stop))

    workers.share(work, 1, stop, monitor.check)
    count, first, second, _ = found[0]
    return whole_answer(made.mode, (made.m, made.n), score, (first, second), (i, j), operations[:count][::-1])


@cache
def _compiled() -> None:
    """Compile, or load from the cache folder, by running on a tiny problem."""
    _align(Run.begin(tiny(), 0.0, Monitor(), Steps()), StripParameters(64, 16, 1))
