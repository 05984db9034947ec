"""The methods of the thesis' sections 4.2 and 4.3 on the CPU. The phases are those of the thesis: scores, which do not
depend on each other, and their maximisation, which runs on one thread, as it did there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu.phases import time_ms
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.profiles import cpu_blocks, cpu_cells
from antidiag.kernels.profiles.cpu_blocks import Matrices
from antidiag.kernels.profiles.cpu_table import Run, Table, by_blocks, by_rows, maximise, tiny, vectors
from antidiag.kernels.profiles.parameters import BlockParameters
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.scoring import GLOBAL, Encoded
from antidiag.kernels.profiles.sizes import SLAB
from antidiag.kernels.steps import Steps

Values = Mapping[str, Any]
SCORES, TABLE = "scores", "table"


def serial(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithms 2.3 and 2.4: one cell after another."""
    return _run(_serial, problem, parameters, monitor, steps)


def simple(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.1, Simple k."""
    return _run(partial(_scalar_products, cpu_blocks.simple_block), problem, parameters, monitor, steps)


def row(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.1, Row k."""
    return _run(partial(_scalar_products, cpu_blocks.row_block), problem, parameters, monitor, steps)


def column(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.1, Column k."""
    return _run(partial(_scalar_products, cpu_blocks.column_block), problem, parameters, monitor, steps)


def mix(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.1, Mix k."""
    return _run(partial(_scalar_products, cpu_blocks.mix_block), problem, parameters, monitor, steps)


def cublas(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.1 by two calls for a cell, with the arguments of BLAS."""
    return _run(_differences, problem, parameters, monitor, steps)


def matprod_v1(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.2, MatProd V1: differences by a product with an identity matrix."""
    return _run(_by_identity, problem, parameters, monitor, steps)


def matprod_v2(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.2, MatProd V2: k rows of scores by a product of matrices, gap costs as vectors."""
    return _run(_by_products, problem, parameters, monitor, steps)


def smwavefront(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """SMwavefront k: the blocks of an antidiagonal at a time."""
    return _run(_waves, problem, parameters, monitor, steps)


def sequence_matvecprod_v1(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.3: H, V and D as matrices, a product of a matrix and a vector for each column of V and each row of H
    and of D."""
    return _run(partial(_matrices, True), problem, parameters, monitor, steps)


def sequence_matvecprod_v2(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.5: D a row at a time, gap costs as vectors."""
    return _run(_by_vectors, problem, parameters, monitor, steps)


def sequence_matprod_v2(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.6: all of D as a product of matrices, gap costs as vectors."""
    return _run(_by_matrix, problem, parameters, monitor, steps)


def sequence_matprod_v1(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.4: H, V and D as three products of matrices."""
    return _run(partial(_matrices, False), problem, parameters, monitor, steps)


Method = Callable[[Run, BlockParameters], Outcome]


def _run(method: Method, problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    key = getattr(method, "func", method), getattr(method, "args", ())
    compilation_ms = time_ms(partial(_compiled, *key))
    chosen = typed(BlockParameters, parameters)
    return method(Run.begin(problem.encoded, compilation_ms, monitor, steps), chosen)


@cache
def _compiled(method: Callable[..., Outcome], arguments: tuple[Any, ...]) -> None:
    """Compile, or load from the cache folder, by running on a tiny problem."""
    method(*arguments, Run.begin(tiny(), 0.0, Monitor(), Steps()), BlockParameters(16, 1))


def _serial(run: Run, chosen: BlockParameters) -> Outcome:
    table = Table.of(run.made)

    def advance(first: int, last: int, stop: np.ndarray, done: np.ndarray) -> int:
        return cpu_cells.serial(
            table.pair, table.costs, table.state, table.directions, first, last, run.made.m, stop, done
        )

    by_rows(run, 1, TABLE, advance)
    return run.outcome(table)


def _scalar_products(block: Callable[..., None], run: Run, chosen: BlockParameters) -> Outcome:
    """Algorithm 4.1: three matrices, block by block, then the maximisation."""
    made, table = run.made, Table.of(run.made)
    matrices = Matrices(*(np.empty((made.m, made.n), np.int32) for _ in range(3)))

    def compute(top: int, left: int, stop: np.ndarray) -> None:
        block(table.pair, table.costs, matrices, top, left, chosen.k)

    by_blocks(run, 1, SCORES, chosen.k, chosen.threads, compute)
    scores, vertical, horizontal = (matrix.ravel() for matrix in matrices)
    maximise(run, 2, table, scores, (vertical, made.n, 1), (horizontal, made.n, 1))
    return run.outcome(table, 3 * scores.nbytes)


def _differences(run: Run, chosen: BlockParameters) -> Outcome:
    made, table = run.made, Table.of(run.made)
    scores = np.empty(made.m * made.n, np.int32)
    rows, columns = (np.ascontiguousarray(one.T, float) for one in (made.rows, made.columns))

    def advance(first: int, last: int, stop: np.ndarray, done: np.ndarray) -> int:
        return cpu_blocks.differences(table.pair, first, last, scores, rows, columns, stop, done)

    by_rows(run, 1, SCORES, advance)
    maximise(run, 2, table, scores, *vectors(made))
    return run.outcome(table, scores.nbytes)


def _by_identity(run: Run, chosen: BlockParameters) -> Outcome:
    """Differences of a row with all columns as C = A I - C, by a product with an identity matrix of n x n numbers; then
    the products of their components."""
    made, n = run.made, run.made.n
    identity = np.eye(n, dtype=np.float32)
    columns = np.ascontiguousarray(made.columns[:, :-1], np.float32)
    biases = made.column_bias[:-1].astype(float)

    def products(first: int, last: int) -> np.ndarray:
        found = np.empty((last - first, n), np.float32)
        for i in range(first, last):
            repeated = np.repeat(made.rows[:, i : i + 1], n, axis=1).astype(np.float32)
            difference = (repeated @ identity - columns).astype(float)
            squares = np.einsum("xj,xj->j", difference, difference)
            found[i - first] = (made.row_bias[i] + biases - squares) / 2
        return found

    return _by_rows_of_products(run, 1, products, identity.nbytes)


def _by_products(run: Run, chosen: BlockParameters) -> Outcome:
    """k rows of scores by one product of matrices."""
    rows, columns = _letters(run.made)
    return _by_rows_of_products(run, chosen.k, lambda first, last: rows[first:last] @ columns)


def _by_matrix(run: Run, chosen: BlockParameters) -> Outcome:
    """All scores by a product of matrices, of which so many rows are made at a time that it can be cancelled."""
    rows, columns = _letters(run.made)
    return _by_rows_of_products(run, SLAB, lambda first, last: rows[first:last] @ columns)


def _letters(made: Encoded) -> tuple[np.ndarray, np.ndarray]:
    """Both factors without the blank columns, float32: rows of the first one, columns of the second."""
    return np.ascontiguousarray(made.rows[:, :-1].T, np.float32), np.ascontiguousarray(made.columns[:, :-1], np.float32)


def _by_vectors(run: Run, chosen: BlockParameters) -> Outcome:
    """A row of scores by a product of a vector and a matrix."""
    rows, columns = _letters(run.made)
    return _by_rows_of_products(run, 1, lambda first, last: rows[first] @ columns)


def _by_rows_of_products(run: Run, k: int, products: Callable[[int, int], np.ndarray], nbytes: int = 0) -> Outcome:
    """D from the products of k rows at a time, gap costs as vectors."""
    made, table = run.made, Table.of(run.made)
    scores = np.empty(made.m * made.n, np.int32)
    by_rows(run, 1, SCORES, partial(_finish, table, scores, k, products))
    maximise(run, 2, table, scores, *vectors(made))
    return run.outcome(table, scores.nbytes + nbytes)


def _finish(
    table: Table, scores: np.ndarray, k: int, products: Callable[[int, int], np.ndarray], first: int, last: int,
    stop: np.ndarray, done: np.ndarray,
) -> int:  # fmt: skip
    for top in range(first, last, k):
        if stop[0]:
            return top
        bottom = min(top + k, last)
        found = np.ascontiguousarray(products(top, bottom), np.float32).ravel()
        cpu_blocks.finish_rows(table.pair, found, top, bottom, scores, stop)
        done[0] = bottom
    return last


def _matrices(by_vectors: bool, run: Run, chosen: BlockParameters) -> Outcome:
    """H, V and D as matrices, by products of matrices or of a matrix and a vector.

    Where gaps have costs of their own, H and V hold these, as many times.
    """
    made, table, m, n = run.made, Table.of(run.made), run.made.m, run.made.n
    scores, vertical, horizontal = (np.empty(m * n, np.int32) for _ in range(3))
    rows = np.ascontiguousarray(made.rows.T, np.float32)
    columns, blank = np.ascontiguousarray(made.columns[:, :n], np.float32), made.columns[:, n].astype(np.float32)

    def put(top: int, bottom: int, across: np.ndarray, found: np.ndarray, stop: np.ndarray) -> None:
        """Rows of D and H from their products."""
        cpu_blocks.finish_rows(table.pair, found.ravel(), top, bottom, scores, stop)
        _horizontal(table, across.ravel(), top, bottom, horizontal)

    def by_row_and_column(first: int, last: int, stop: np.ndarray, done: np.ndarray) -> int:
        """Algorithm 4.3 for a slice of rows: V column by column, then H and D row by row."""
        for column in range(n):
            if stop[0]:
                return first
            _vertical(table, rows[first:last] @ blank, (first, last), (column, column + 1), vertical)
        for top in range(first, last):
            if stop[0]:
                return top
            put(top, top + 1, rows[m] @ columns, rows[top] @ columns, stop)
            done[0] = top + 1
        return last

    def by_slab(first: int, last: int, stop: np.ndarray, done: np.ndarray) -> int:
        """Algorithm 4.4 for a slice of rows."""
        blank_columns, blank_rows = np.repeat(blank[:, None], n, axis=1), np.repeat(rows[m:], SLAB, axis=0)
        for top in range(first, last, SLAB):
            if stop[0]:
                return top
            bottom = min(top + SLAB, last)
            left = rows[top:bottom]
            _vertical(table, (left @ blank_columns).ravel(), (top, bottom), (0, n), vertical)
            put(top, bottom, blank_rows[: bottom - top] @ columns, left @ columns, stop)
            done[0] = bottom
        return last

    by_rows(run, 1, SCORES, by_row_and_column if by_vectors else by_slab)
    maximise(run, 2, table, scores, (vertical, n, 1), (horizontal, n, 1))
    return run.outcome(table, 3 * scores.nbytes)


def _vertical(
    table: Table, down: np.ndarray, rows: tuple[int, int], columns: tuple[int, int], vertical: np.ndarray
) -> None:
    """V of some rows and columns from the products of the rows with the blank column."""
    made = table.made
    if made.by_column:
        cpu_blocks.finish_vertical(table.pair, down, *rows, *columns, vertical)
    else:
        vertical.reshape(made.m, made.n)[slice(*rows), slice(*columns)] = made.row_extend[slice(*rows), None]


def _horizontal(table: Table, across: np.ndarray, top: int, bottom: int, horizontal: np.ndarray) -> None:
    """H of some rows from the products of the blank column of the first profile with all columns."""
    made = table.made
    if made.by_column:
        cpu_blocks.finish_horizontal(table.pair, across, top, bottom, made.m, horizontal)
    else:
        horizontal.reshape(made.m, made.n)[top:bottom] = made.column_extend


def _waves(run: Run, chosen: BlockParameters) -> Outcome:
    made, table, k = run.made, Table.of(run.made), chosen.k
    first_column: np.ndarray = np.zeros(made.m + 1, np.int32)
    if made.mode == GLOBAL:
        first_column[1:] = -cpu_cells.border(made.row_open, made.row_extend)
    walls = cpu_blocks.walls_of(made.m, made.n, k, table.state.h, first_column, made.mode)

    def compute(top: int, left: int, stop: np.ndarray) -> None:
        cpu_blocks.wave_block(table.pair, table.costs, walls, table.directions, top, left, k)

    by_blocks(run, 1, "antidiagonals", k, chosen.threads, compute, antidiagonals=True)
    table.state.best[:] = cpu_blocks.best_of(walls, made.m, made.n)
    return run.outcome(table, sum(one.nbytes for one in walls[:4]))
