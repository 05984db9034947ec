"""Products of matrices on the CPU: all threads share one product, or each computes products of a batch."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun, LoggedCells
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.products import sizes
from antidiag.kernels.products.problem import ProductAnswer, ProductProblem
from antidiag.kernels.semiring import Semiring, cpu, cpu_blocks
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog

PRODUCT = "product"


def multiply_matrices(
    problem: ProductProblem, parameters: ThreadParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Compute the product, or the products of a batch."""
    run, semiring = CpuRun(monitor, steps, parameters.threads), problem.semiring
    run.compile_once(_compile_product, problem.dtype, semiring)
    left, right = problem.factors
    if problem.batch_size == 1:
        one, other = (array.reshape(array.shape[-2:]) for array in (left, right))
        found = _multiply_together(run, one, other, semiring).reshape(problem.shape)
    else:
        found = _multiply_batch(run, left, right, semiring)
    monitor.update(1, 1, PRODUCT)
    return Outcome(ProductAnswer(found), run.times_ms, sizes.estimate_footprint(problem, parameters, "cpu").host_bytes)


def _compile_product(dtype: np.dtype, semiring: Semiring) -> None:
    """Compile, or load from the cache folder, by multiplying two numbers."""
    tiny = np.zeros((1, 1), dtype)
    _multiply_together(CpuRun(), tiny, tiny, semiring)


def _multiply_together(run: CpuRun, a: np.ndarray, b: np.ndarray, semiring: Semiring) -> np.ndarray:
    """Return the product of two matrices, whose blocks all threads share."""
    with run.phase(PRODUCT, a.size * b.shape[1]) as phase:
        return cpu.multiply_matrices(a, b, semiring, phase)


def _multiply_batch(run: CpuRun, a: np.ndarray, b: np.ndarray, semiring: Semiring) -> np.ndarray:
    """Return the products of a batch; each thread takes the next product."""
    m, n, zero = a.shape[1], b.shape[2], semiring.zero_element(a.dtype)
    found = np.empty((len(a), m, n), a.dtype)

    def compute(worker: int, number: int) -> None:
        left, right = (cpu_blocks.block_matrix(matrix, zero) for matrix in (a[number], b[number]))
        c = cpu_blocks.filled_blocks(m, n, zero, a.dtype)
        cpu_blocks.add_products(semiring.number, left, right, c, 0, 1, run.stop, np.zeros(1, np.int64))
        found[number] = cpu_blocks.unblock_matrix(c)

    with run.phase(PRODUCT, len(a)) as phase:
        phase.share_tasks(range(len(a)), compute, lambda number: LoggedCells((0, m), (0, n), number))
    return found
