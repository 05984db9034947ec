"""The methods of the thesis that it made of cuBLAS (003, sections 4.2 and 4.3): products of matrices and of vectors on
the GPU, the maximisation on one thread of the host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cupy
import numpy as np

from antidiag.kernels.cuda.run import Run
from antidiag.kernels.errors import BackendUnavailable
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.cuda_job import ACROSS, BLOCK_PARTS, COST, SCORES, THREADS, UP, Job, Values
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.scoring import Encoded
from antidiag.kernels.profiles.sizes import GPU_SLAB, SLAB
from antidiag.kernels.steps import Steps

try:
    from cupy import cublas
except ImportError as error:
    raise BackendUnavailable(
        "CuPy finds no cuBLAS, of which this method is made; install it (pip install nvidia-cublas), or choose "
        "profile-wavefront or SMwavefront"
    ) from error


def cublas_cells(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.1 by cuBLAS: DAXPY and DNRM2 for each cell; every norm is waited for on the host."""
    job = Job.begin(problem, monitor, steps)
    made, run = job.made, job.run
    rows, columns = (run.up(np.ascontiguousarray(one[:, :-1].T, float)) for one in (made.rows, made.columns))
    difference, norms = run.empty(len(made.rows), np.float64), np.empty(made.n)
    products = np.empty((made.m, made.n), np.float32)
    with run.phase(SCORES) as phase:
        for i in range(made.m):
            for j in range(made.n):
                monitor.check()  # each cell is waited for, and a device that others use lets it wait for long
                difference[...] = rows[i]
                cublas.axpy(-1.0, columns[j], difference)
                cublas.nrm2(difference, norms[j : j + 1])
            squares = made.row_bias[i] + made.column_bias[:-1].astype(float)
            products[i] = (squares - np.rint(norms**2)) / 2
            phase.launched(i + 1, made.m)
    scores = run.empty((made.m, made.n), np.int32)
    job.finish(run.up(products), COST, 0, scores)
    return job.maximised(scores)


def matprod_v1(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.2, MatProd V1: the differences of a row with all columns as A I - C by GEMM; then their squares."""
    job = Job.begin(problem, monitor, steps)
    made, run, (m, n) = job.made, job.run, (job.made.m, job.made.n)
    rows, columns = (run.up(one[:, :-1].astype(np.float32)) for one in (made.rows, made.columns))
    identity = cupy.eye(n, dtype=np.float32)
    repeated, difference = run.empty((len(made.rows), n), np.float32), run.empty((len(made.rows), n), np.float32)
    scores, kernel = run.empty((m, n), np.int32), job.kernel(BLOCK_PARTS, "squares")
    with run.phase(SCORES) as phase:
        for i in range(m):
            repeated[...] = rows[:, i : i + 1]
            difference[...] = columns
            cublas.gemm("N", "N", repeated, identity, difference, 1.0, -1.0)
            kernel((-(-n // THREADS),), (THREADS,), (*job.given, difference, np.int32(i), scores))
            if (i + 1) % SLAB == 0 or i + 1 == m:
                phase.launched(i + 1, m)
    return job.maximised(scores)


def sequence_matvecprod_v1(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.3: V column by column, H and D row by row, by GEMV."""
    return _matrices(_by_vectors, Job.begin(problem, monitor, steps))


def sequence_matprod_v1(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.4: V, H and D by three GEMMs for each slab of rows."""
    return _matrices(_by_matrices, Job.begin(problem, monitor, steps))


def sequence_matvecprod_v2(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.5: D row by row by GEMV."""
    job = Job.begin(problem, monitor, steps)

    def products(factors: Factors, first: int, last: int, target: cupy.ndarray) -> None:
        for i in range(first, last):
            cublas.gemv("T", 1.0, factors.columns, factors.rows[i], 0.0, target[i - first])

    return _scores_alone(products, job)


def sequence_matprod_v2(problem: Problem, parameters: Values, monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 4.6: D by GEMM, a slab of rows at a time."""
    job = Job.begin(problem, monitor, steps)

    def products(factors: Factors, first: int, last: int, target: cupy.ndarray) -> None:
        cublas.gemm("N", "N", factors.rows[first:last], factors.columns, target, 1.0, 0.0)

    return _scores_alone(products, job)


@dataclass(frozen=True)
class Factors:
    """Factors of products as float32: rows (m + 1, symbols), columns (symbols, n), and the blank column."""

    rows: cupy.ndarray
    columns: cupy.ndarray
    blank: cupy.ndarray

    @classmethod
    def of(cls, run: Run, made: Encoded) -> Factors:
        columns = made.columns.astype(np.float32)
        return cls(run.up(made.rows.T.astype(np.float32)), run.up(columns[:, :-1]), run.up(columns[:, -1]))


def _scores_alone(products: Callable[[Factors, int, int, cupy.ndarray], None], job: Job) -> Outcome:
    """D from the products of slabs of rows; gap costs as vectors."""
    made, run = job.made, job.run
    factors, scores = Factors.of(run, made), run.empty((made.m, made.n), np.int32)
    room = run.empty((min(GPU_SLAB, made.m), made.n), np.float32)
    with run.phase(SCORES) as phase:
        for first in range(0, made.m, GPU_SLAB):
            last = min(first + GPU_SLAB, made.m)
            products(factors, first, last, room[: last - first])
            job.finish(room[: last - first], COST, first, scores)
            phase.launched(last, made.m)
    return job.maximised(scores)


def _by_vectors(factors: Factors, m: int, first: int, last: int, room: tuple[cupy.ndarray, ...]) -> None:
    """V of some rows column by column, H and D row by row; each by a product of a matrix and a vector."""
    down, across, scores = room
    columns = cupy.empty((scores.shape[1], last - first), np.float32)
    for j in range(scores.shape[1]):
        cublas.gemv("N", 1.0, factors.rows[first:last], factors.blank, 0.0, columns[j])
    down[...] = columns.T
    for i in range(first, last):
        cublas.gemv("T", 1.0, factors.columns, factors.rows[m], 0.0, across[i - first])
        cublas.gemv("T", 1.0, factors.columns, factors.rows[i], 0.0, scores[i - first])


def _by_matrices(factors: Factors, m: int, first: int, last: int, room: tuple[cupy.ndarray, ...]) -> None:
    """V, H and D of some rows by products of matrices, of which one is a column or a row many times."""
    down, across, scores = room
    rows = factors.rows[first:last]
    blanks = cupy.ascontiguousarray(cupy.broadcast_to(factors.blank[:, None], factors.columns.shape))
    gaps = cupy.ascontiguousarray(cupy.broadcast_to(factors.rows[m : m + 1], rows.shape))
    cublas.gemm("N", "N", rows, blanks, down, 1.0, 0.0)
    cublas.gemm("N", "N", gaps, factors.columns, across, 1.0, 0.0)
    cublas.gemm("N", "N", rows, factors.columns, scores, 1.0, 0.0)


def _matrices(products: Callable[..., None], job: Job) -> Outcome:
    """V, H and D as matrices, from the products of slabs of rows. Where gaps have costs of their own, V and H hold
    these, as many times."""
    made, run = job.made, job.run
    factors, shape = Factors.of(run, made), (made.m, made.n)
    vertical, horizontal, scores = (run.empty(shape, np.int32) for _ in range(3))
    room = [run.empty((min(GPU_SLAB, made.m), made.n), np.float32) for _ in range(3)]
    with run.phase(SCORES) as phase:
        for first in range(0, made.m, GPU_SLAB):
            last = min(first + GPU_SLAB, made.m)
            parts = tuple(one[: last - first] for one in room)
            products(factors, made.m, first, last, parts)
            for what, part, target in zip((UP, ACROSS, COST), parts, (vertical, horizontal, scores), strict=True):
                job.finish(part, what, first, target)
            phase.launched(last, made.m)
    return job.maximised(scores, vertical, horizontal)
