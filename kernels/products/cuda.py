"""Products of matrices on the GPU, a batch in one launch, by the kernels of `kernels.semiring`."""

from __future__ import annotations

from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.products.problem import ProductAnswer, ProductProblem
from antidiag.kernels.semiring import cuda
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog


def multiply_matrices(
    problem: ProductProblem, parameters: ThreadParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Compute the product, or the products of a batch."""
    run = DeviceRun(monitor, steps, rows=int(problem.factors[0].shape[-2]))
    found = cuda.multiply_matrices(*problem.factors, problem.semiring, run=run)
    return Outcome(ProductAnswer(found), run.times_ms, found.nbytes, run.device_bytes)
