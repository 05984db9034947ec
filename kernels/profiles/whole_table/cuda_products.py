"""The cuBLAS methods of Hanif (2014, sections 4.2 and 4.3): matrix and vector products on the GPU.

One host thread computes the recurrence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cupy
import numpy as np

from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.errors import BackendUnavailable
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.profiles.column_scores.scoring import EncodedProfiles
from antidiag.kernels.profiles.parameters import ProfileLimitParameters
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.sizes import GPU_SLAB, SLAB
from antidiag.kernels.profiles.whole_table.cuda_job import (
    ACROSS,
    BLOCK_PARTS,
    COST,
    SCORES,
    THREADS,
    UP,
    ProfileTableJob,
)
from antidiag.kernels.steps import StepLog

try:
    from cupy import cublas
except ImportError as error:
    raise BackendUnavailable(
        "CuPy finds no cuBLAS, of which this method is made; install it (pip install nvidia-cublas), or choose "
        "profile-wavefront or SMwavefront"
    ) from error


def align_by_blas_calls(problem: Problem, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Algorithm 4.1 by cuBLAS: DAXPY and DNRM2 for each cell; the host waits for every norm."""
    job = ProfileTableJob(problem, monitor, steps)
    made, run = job.made, job.run
    rows, columns = (run.upload_array(np.ascontiguousarray(one[:, :-1].T, float)) for one in (made.rows, made.columns))
    difference, norms = run.allocate_array(len(made.rows), np.float64), np.empty(made.n)
    products = np.empty((made.m, made.n), np.float32)
    with run.begin_phase(SCORES) as phase:
        for i in range(made.m):
            for j in range(made.n):
                monitor.check()  # the host waits for each cell, which may take long on a shared device
                difference[...] = rows[i]
                cublas.axpy(-1.0, columns[j], difference)
                cublas.nrm2(difference, norms[j : j + 1])
            squares = made.row_bias[i] + made.column_bias[:-1].astype(float)
            products[i] = (squares - np.rint(norms**2)) / 2
            phase.note_launch(i + 1, made.m)
    scores = run.allocate_array((made.m, made.n), np.int32)
    job.finish_products(run.upload_array(products), COST, 0, scores)
    return job.maximise_on_host(scores)


def align_by_identity_product(
    problem: Problem, parameters: MethodParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Algorithm 4.2, MatProd V1: differences of a row and all columns as A I - C by GEMM, then their squares."""
    job = ProfileTableJob(problem, monitor, steps)
    made, run, (m, n) = job.made, job.run, (job.made.m, job.made.n)
    rows, columns = (run.upload_array(one[:, :-1].astype(np.float32)) for one in (made.rows, made.columns))
    identity = cupy.eye(n, dtype=np.float32)
    repeated = run.allocate_array((len(made.rows), n), np.float32)
    difference = run.allocate_array((len(made.rows), n), np.float32)
    scores, kernel = run.allocate_array((m, n), np.int32), job.compile_kernel(BLOCK_PARTS, "squares")
    with run.begin_phase(SCORES) as phase:
        for i in range(m):
            repeated[...] = rows[:, i : i + 1]
            difference[...] = columns
            cublas.gemm("N", "N", repeated, identity, difference, 1.0, -1.0)
            kernel((-(-n // THREADS),), (THREADS,), (*job.given, difference, np.int32(i), scores))
            if (i + 1) % SLAB == 0 or i + 1 == m:
                phase.note_launch(i + 1, m)
    return job.maximise_on_host(scores)


def align_sequence_matvecprod_v1(
    problem: Problem, parameters: ProfileLimitParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Algorithm 4.3: V column by column, H and D row by row, by GEMV."""
    return _compute_three_matrices(_multiply_by_vectors, ProfileTableJob(problem, monitor, steps))


def align_sequence_matprod_v1(
    problem: Problem, parameters: ProfileLimitParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Algorithm 4.4: V, H and D by three GEMMs for each slab of rows."""
    return _compute_three_matrices(_multiply_by_matrices, ProfileTableJob(problem, monitor, steps))


def align_sequence_matvecprod_v2(
    problem: Problem, parameters: MethodParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Algorithm 4.5: D row by row by GEMV."""
    job = ProfileTableJob(problem, monitor, steps)

    def products(factors: ProductFactors, first: int, last: int, target: cupy.ndarray) -> None:
        for i in range(first, last):
            cublas.gemv("T", 1.0, factors.columns, factors.rows[i], 0.0, target[i - first])

    return _compute_scores_alone(products, job)


def align_sequence_matprod_v2(
    problem: Problem, parameters: MethodParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Algorithm 4.6: D by GEMM, a slab of rows at a time."""
    job = ProfileTableJob(problem, monitor, steps)

    def products(factors: ProductFactors, first: int, last: int, target: cupy.ndarray) -> None:
        cublas.gemm("N", "N", factors.rows[first:last], factors.columns, target, 1.0, 0.0)

    return _compute_scores_alone(products, job)


@dataclass(frozen=True)
class ProductFactors:
    """Factors of products as float32: rows (m + 1, symbols), columns (symbols, n), and the blank column."""

    rows: cupy.ndarray
    columns: cupy.ndarray
    blank: cupy.ndarray

    @classmethod
    def upload_factors(cls, run: DeviceRun, encoded: EncodedProfiles) -> ProductFactors:
        """Copy the factors to the device."""
        columns = encoded.columns.astype(np.float32)
        return cls(
            run.upload_array(encoded.rows.T.astype(np.float32)),
            run.upload_array(columns[:, :-1]),
            run.upload_array(columns[:, -1]),
        )


def _compute_scores_alone(
    products: Callable[[ProductFactors, int, int, cupy.ndarray], None], job: ProfileTableJob
) -> Outcome:
    """Compute D from products of slabs of rows; gap costs are vectors."""
    made, run = job.made, job.run
    factors, scores = ProductFactors.upload_factors(run, made), run.allocate_array((made.m, made.n), np.int32)
    room = run.allocate_array((min(GPU_SLAB, made.m), made.n), np.float32)
    with run.begin_phase(SCORES) as phase:
        for first in range(0, made.m, GPU_SLAB):
            last = min(first + GPU_SLAB, made.m)
            products(factors, first, last, room[: last - first])
            job.finish_products(room[: last - first], COST, first, scores)
            phase.note_launch(last, made.m)
    return job.maximise_on_host(scores)


def _multiply_by_vectors(
    factors: ProductFactors, m: int, first: int, last: int, room: tuple[cupy.ndarray, ...]
) -> None:
    """Compute V of some rows column by column, H and D row by row, by matrix-vector products."""
    down, across, scores = room
    columns = cupy.empty((scores.shape[1], last - first), np.float32)
    for j in range(scores.shape[1]):
        cublas.gemv("N", 1.0, factors.rows[first:last], factors.blank, 0.0, columns[j])
    down[...] = columns.T
    for i in range(first, last):
        cublas.gemv("T", 1.0, factors.columns, factors.rows[m], 0.0, across[i - first])
        cublas.gemv("T", 1.0, factors.columns, factors.rows[i], 0.0, scores[i - first])


def _multiply_by_matrices(
    factors: ProductFactors, m: int, first: int, last: int, room: tuple[cupy.ndarray, ...]
) -> None:
    """Compute V, H and D of some rows by matrix products, one of which repeats a blank column or row."""
    down, across, scores = room
    rows = factors.rows[first:last]
    blanks = cupy.ascontiguousarray(cupy.broadcast_to(factors.blank[:, None], factors.columns.shape))
    gaps = cupy.ascontiguousarray(cupy.broadcast_to(factors.rows[m : m + 1], rows.shape))
    cublas.gemm("N", "N", rows, blanks, down, 1.0, 0.0)
    cublas.gemm("N", "N", gaps, factors.columns, across, 1.0, 0.0)
    cublas.gemm("N", "N", rows, factors.columns, scores, 1.0, 0.0)


def _compute_three_matrices(products: Callable[..., None], job: ProfileTableJob) -> Outcome:
    """Compute V, H and D as matrices from products of slabs of rows.

    If gaps have costs of their own, V and H repeat these.
    """
    made, run = job.made, job.run
    factors, shape = ProductFactors.upload_factors(run, made), (made.m, made.n)
    vertical, horizontal, scores = (run.allocate_array(shape, np.int32) for _ in range(3))
    room = [run.allocate_array((min(GPU_SLAB, made.m), made.n), np.float32) for _ in range(3)]
    with run.begin_phase(SCORES) as phase:
        for first in range(0, made.m, GPU_SLAB):
            last = min(first + GPU_SLAB, made.m)
            parts = tuple(one[: last - first] for one in room)
            products(factors, made.m, first, last, parts)
            for what, part, target in zip((UP, ACROSS, COST), parts, (vertical, horizontal, scores), strict=True):
                job.finish_products(part, what, first, target)
            phase.note_launch(last, made.m)
    return job.maximise_on_host(scores, vertical, horizontal)
