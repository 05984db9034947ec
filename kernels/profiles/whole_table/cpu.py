"""The methods of Hanif (2014, sections 4.2 and 4.3) on the CPU.

The phases are those of the thesis: scores, which are independent, and the recurrence ("maximisation"), which runs on
one thread as it did there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.profiles.column_scores.scoring import EncodedProfiles
from antidiag.kernels.profiles.parameters import ProfileBlockParameters
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.sizes import SLAB
from antidiag.kernels.profiles.whole_table import cpu_blocks, cpu_cells
from antidiag.kernels.profiles.whole_table.cpu_blocks import ScoreMatrices
from antidiag.kernels.profiles.whole_table.cpu_table import (
    DirectionTable,
    compute_blocks,
    compute_row_slices,
    extension_vectors,
    maximise_scores,
    tiny_problem,
    trace_outcome,
)
from antidiag.kernels.steps import StepLog

SCORES, TABLE = "scores", "table"


def _run_method(
    problem: Problem,
    parameters: MethodParameters,
    monitor: Monitor,
    steps: StepLog,
    method: Callable[..., Outcome],
    options: tuple[Any, ...] = (),
) -> Outcome:
    """Compile a method, then run ``method(run, encoded, parameters, *options)`` on a problem."""
    run = CpuRun(monitor, steps, parameters.worker_threads)
    run.compile_once(_compile_method, method, *options)
    return method(run, problem.encoded, parameters, *options)


def _compile_method(method: Callable[..., Outcome], *arguments: Any) -> None:
    """Compile a method, or load it from the cache folder, by running it on a tiny problem."""
    method(CpuRun(), tiny_problem(), ProfileBlockParameters(k=16, threads=1), *arguments)


def _compute_serially(run: CpuRun, made: EncodedProfiles, chosen: ProfileBlockParameters) -> Outcome:
    """Compute all cells one after another."""
    table = DirectionTable.allocate_table(made)

    def advance(first: int, last: int, stop: np.ndarray, done: np.ndarray) -> int:
        return cpu_cells.compute_rows_serially(
            table.pair, table.state, table.directions, first, last, made.m, stop, done
        )

    compute_row_slices(run, TABLE, table.size, advance)
    return trace_outcome(run, table)


def _compute_scalar_products(
    run: CpuRun, made: EncodedProfiles, chosen: ProfileBlockParameters, block: Callable[..., None]
) -> Outcome:
    """Algorithm 4.1: compute three matrices block by block, then all cells."""
    table = DirectionTable.allocate_table(made)
    matrices = ScoreMatrices(*(np.empty((made.m, made.n), np.int32) for _ in range(3)))

    def compute(top: int, left: int) -> None:
        block(table.pair, matrices, top, left, chosen.k)

    compute_blocks(run, SCORES, table.size, chosen.k, compute)
    scores, vertical, horizontal = (matrix.ravel() for matrix in matrices)
    maximise_scores(run, table, scores, (vertical, made.n, 1), (horizontal, made.n, 1))
    return trace_outcome(run, table, 3 * scores.nbytes)


def _compute_by_differences(run: CpuRun, made: EncodedProfiles, chosen: ProfileBlockParameters) -> Outcome:
    """Compute scores by differences of columns and their norms."""
    table = DirectionTable.allocate_table(made)
    scores = np.empty(made.m * made.n, np.int32)
    rows, columns = (np.ascontiguousarray(one.T, float) for one in (made.rows, made.columns))

    def advance(first: int, last: int, stop: np.ndarray, done: np.ndarray) -> int:
        return cpu_blocks.score_by_differences(table.pair, first, last, scores, rows, columns, stop, done)

    compute_row_slices(run, SCORES, table.size, advance)
    maximise_scores(run, table, scores, *extension_vectors(made))
    return trace_outcome(run, table, scores.nbytes)


def _compute_by_identity(run: CpuRun, made: EncodedProfiles, chosen: ProfileBlockParameters) -> Outcome:
    """Compute differences of a row and all columns as A I - C, with an identity matrix of n x n numbers."""
    n = made.n
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

    return _compute_from_products(run, made, 1, products, identity.nbytes)


def _compute_by_products(run: CpuRun, made: EncodedProfiles, chosen: ProfileBlockParameters, slab: int = 0) -> Outcome:
    """Compute k or ``slab`` rows of scores by one matrix product; Cancel is heard between two products."""
    rows, columns = _letter_factors(made)
    return _compute_from_products(run, made, slab or chosen.k, lambda first, last: rows[first:last] @ columns)


def _letter_factors(encoded: EncodedProfiles) -> tuple[np.ndarray, np.ndarray]:
    """Return both factors without blank columns, float32: rows of the first, columns of the second."""
    return np.ascontiguousarray(encoded.rows[:, :-1].T, np.float32), np.ascontiguousarray(
        encoded.columns[:, :-1], np.float32
    )


def _compute_by_vectors(run: CpuRun, made: EncodedProfiles, chosen: ProfileBlockParameters) -> Outcome:
    """Compute each row of scores by a vector-matrix product."""
    rows, columns = _letter_factors(made)
    return _compute_from_products(run, made, 1, lambda first, last: rows[first] @ columns)


def _compute_from_products(
    run: CpuRun, made: EncodedProfiles, k: int, products: Callable[[int, int], np.ndarray], nbytes: int = 0
) -> Outcome:
    """Compute D from products of k rows at a time, with gap costs as vectors."""
    table = DirectionTable.allocate_table(made)
    scores = np.empty(made.m * made.n, np.int32)
    compute_row_slices(run, SCORES, table.size, partial(_finish_scores, table, scores, k, products))
    maximise_scores(run, table, scores, *extension_vectors(made))
    return trace_outcome(run, table, scores.nbytes + nbytes)


def _finish_scores(
    table: DirectionTable,
    scores: np.ndarray,
    k: int,
    products: Callable[[int, int], np.ndarray],
    first: int,
    last: int,
    stop: np.ndarray,
    done: np.ndarray,
) -> int:
    """Turn products of some rows into scores."""
    for top in range(first, last, k):
        if stop[0]:
            return top
        bottom = min(top + k, last)
        found = np.ascontiguousarray(products(top, bottom), np.float32).ravel()
        cpu_blocks.finish_rows(table.pair, found, top, bottom, scores, stop)
        done[0] = bottom
    return last


def _compute_three_matrices(
    run: CpuRun, made: EncodedProfiles, chosen: ProfileBlockParameters, by_vectors: bool
) -> Outcome:
    """Compute H, V and D as matrices, by matrix products or matrix-vector products.

    If gaps have costs of their own, H and V repeat these.
    """
    table, m, n = DirectionTable.allocate_table(made), made.m, made.n
    scores, vertical, horizontal = (np.empty(m * n, np.int32) for _ in range(3))
    rows = np.ascontiguousarray(made.rows.T, np.float32)
    columns, blank = np.ascontiguousarray(made.columns[:, :n], np.float32), made.columns[:, n].astype(np.float32)

    def put(top: int, bottom: int, across: np.ndarray, found: np.ndarray, stop: np.ndarray) -> None:
        """Rows of D and H from their products."""
        cpu_blocks.finish_rows(table.pair, found.ravel(), top, bottom, scores, stop)
        _finish_horizontal_costs(table, across.ravel(), top, bottom, horizontal)

    def by_row_and_column(first: int, last: int, stop: np.ndarray, done: np.ndarray) -> int:
        """Algorithm 4.3 for a slice of rows: V column by column, then H and D row by row."""
        for column in range(n):
            if stop[0]:
                return first
            _finish_vertical_costs(table, rows[first:last] @ blank, (first, last), (column, column + 1), vertical)
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
            _finish_vertical_costs(table, (left @ blank_columns).ravel(), (top, bottom), (0, n), vertical)
            put(top, bottom, blank_rows[: bottom - top] @ columns, left @ columns, stop)
            done[0] = bottom
        return last

    compute_row_slices(run, SCORES, table.size, by_row_and_column if by_vectors else by_slab)
    maximise_scores(run, table, scores, (vertical, n, 1), (horizontal, n, 1))
    return trace_outcome(run, table, 3 * scores.nbytes)


def _finish_vertical_costs(
    table: DirectionTable, down: np.ndarray, rows: tuple[int, int], columns: tuple[int, int], vertical: np.ndarray
) -> None:
    """Fill V for some rows and columns from the products of the rows with the blank column."""
    made = table.made
    if made.by_column:
        cpu_blocks.finish_vertical(table.pair, down, *rows, *columns, vertical)
    else:
        vertical.reshape(made.m, made.n)[slice(*rows), slice(*columns)] = made.row_extend[slice(*rows), None]


def _finish_horizontal_costs(
    table: DirectionTable, across: np.ndarray, top: int, bottom: int, horizontal: np.ndarray
) -> None:
    """Fill H for some rows from the products of the blank column with all columns."""
    made = table.made
    if made.by_column:
        cpu_blocks.finish_horizontal(table.pair, across, top, bottom, made.m, horizontal)
    else:
        horizontal.reshape(made.m, made.n)[top:bottom] = made.column_extend


def _compute_waves(run: CpuRun, made: EncodedProfiles, chosen: ProfileBlockParameters) -> Outcome:
    """Compute the blocks of each antidiagonal in parallel."""
    table, k = DirectionTable.allocate_table(made), chosen.k
    walls = cpu_blocks.allocate_block_borders(made, k)

    def compute(top: int, left: int) -> None:
        cpu_blocks.compute_wave_block(table.pair, walls, table.directions, top, left, k)

    compute_blocks(run, "antidiagonals", table.size, k, compute, antidiagonals=True)
    table.state.best[:] = cpu_blocks.best_block_end(walls.best, made)
    return trace_outcome(run, table, sum(one.nbytes for one in walls[:4]))


align_serially = partial(_run_method, method=_compute_serially)
"""Algorithms 2.3 and 2.4: compute one cell after another."""
align_simple_k = partial(_run_method, method=_compute_scalar_products, options=(cpu_blocks.fill_simple_block,))
"""Algorithm 4.1, Simple k: score blocks cell by cell."""
align_row_k = partial(_run_method, method=_compute_scalar_products, options=(cpu_blocks.fill_row_block,))
"""Algorithm 4.1, Row k: score blocks row by row."""
align_column_k = partial(_run_method, method=_compute_scalar_products, options=(cpu_blocks.fill_column_block,))
"""Algorithm 4.1, Column k: score blocks column by column."""
align_mix_k = partial(_run_method, method=_compute_scalar_products, options=(cpu_blocks.fill_mix_block,))
"""Algorithm 4.1, Mix k: score blocks by a row and a column in turn."""
align_by_blas_calls = partial(_run_method, method=_compute_by_differences)
"""Algorithm 4.1 by two BLAS calls for each cell."""
align_by_identity_product = partial(_run_method, method=_compute_by_identity)
"""Algorithm 4.2, MatProd V1: differences by a product with an identity matrix."""
align_by_matrix_product = partial(_run_method, method=_compute_by_products)
"""Algorithm 4.2, MatProd V2: k rows of scores by a product of matrices, gap costs as vectors."""
align_by_block_waves = partial(_run_method, method=_compute_waves)
"""SMwavefront k: the blocks of an antidiagonal at a time."""
align_sequence_matvecprod_v1 = partial(_run_method, method=_compute_three_matrices, options=(True,))
"""Algorithm 4.3: H, V and D as matrices, a product of a matrix and a vector for each column of V and each row of H
and of D."""
align_sequence_matvecprod_v2 = partial(_run_method, method=_compute_by_vectors)
"""Algorithm 4.5: D a row at a time, gap costs as vectors."""
align_sequence_matprod_v2 = partial(_run_method, method=_compute_by_products, options=(SLAB,))
"""Algorithm 4.6: all of D as a product of matrices, gap costs as vectors."""
align_sequence_matprod_v1 = partial(_run_method, method=_compute_three_matrices, options=(False,))
"""Algorithm 4.4: H, V and D as three products of matrices."""
