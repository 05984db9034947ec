"""Products of matrices on the GPU: a batch in one launch; device code and launches are those of `kernels.semiring`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.cuda.run import Run
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.products.problem import ProductAnswer, ProductProblem
from antidiag.kernels.semiring import cuda, cuda_overlapped
from antidiag.kernels.steps import Steps


def product(problem: ProductProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The product, or the products of a batch."""
    run = Run(monitor, steps, rows=int(problem.factors[0].shape[-2]))
    if cuda_overlapped.suits(*problem.factors):
        found = cuda_overlapped.product(*problem.factors, problem.semiring, run)
    else:
        found = cuda.product(*problem.factors, problem.semiring, run=run)
    return Outcome(ProductAnswer(found), run.times_ms, found.nbytes, run.device_bytes)
