"""Products of matrices on the CPU: one by all threads together, many by a thread each."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phases import PhaseClock, PhaseLog, time_ms
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.products import sizes
from antidiag.kernels.products.problem import ProductAnswer, ProductProblem
from antidiag.kernels.semiring import Semiring, cpu, cpu_blocks
from antidiag.kernels.semiring.parameters import ThreadParameters
from antidiag.kernels.steps import Steps


def product(problem: ProductProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The product, or the products of a batch."""
    threads, (left, right) = typed(ThreadParameters, parameters).threads, problem.factors
    tiny = np.zeros((1, 1), problem.dtype)
    times_ms = {"compilation": time_ms(partial(cpu.product, tiny, tiny, problem.semiring)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    log = PhaseLog(steps, 1, clock.started_ns)
    found = np.empty(problem.shape, problem.dtype)
    if problem.batch == 1:
        one, other = (array.reshape(array.shape[-2:]) for array in (left, right))
        found.reshape(found.shape[-2:])[:] = _together(one, other, problem.semiring, threads, monitor, log)
    else:
        _apart(left, right, found, problem.semiring, threads, monitor, log)
    clock.phase("product")
    monitor.update(1, 1, "product")
    return Outcome(ProductAnswer(found), times_ms, sizes.footprint(problem, parameters, "cpu").host_bytes)


def _together(
    a: np.ndarray, b: np.ndarray, semiring: Semiring, threads: int, monitor: Monitor, log: PhaseLog
) -> np.ndarray:
    """The product of two matrices, whose blocks all threads share."""
    zero = semiring.zero(a.dtype)
    left, right = (cpu_blocks.from_matrix(matrix, zero) for matrix in (a, b))
    c = cpu_blocks.empty(a.shape[0], b.shape[1], zero, a.dtype)
    cpu.multiply(
        left, right, c, semiring, threads,
        lambda done, total: monitor.update(done, max(total, 1), "product"),
        lambda rows, columns, worker, begun_ns: log.add(0, rows, columns, worker, begun_ns),
    )  # fmt: skip
    return cpu_blocks.to_matrix(c)


def _apart(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, semiring: Semiring, threads: int, monitor: Monitor, log: PhaseLog
) -> None:
    """The products of a batch, which threads take in turns."""
    zero, numbers, stop, finished = semiring.zero(a.dtype), iter(range(len(a))), workers.stop_word(), [0] * threads

    def work(worker: int) -> None:
        done = np.zeros(1, np.int64)
        for number in numbers:
            if stop[0]:
                return
            begun_ns = time.perf_counter_ns()
            left, right = (cpu_blocks.from_matrix(matrix, zero) for matrix in (a[number], b[number]))
            own = cpu_blocks.empty(c.shape[1], c.shape[2], zero, c.dtype)
            cpu_blocks.multiply(semiring.number, left, right, own, 0, 1, stop, done)
            c[number] = cpu_blocks.to_matrix(own)
            finished[worker] += 1
            log.add(number, (0, c.shape[1]), (0, c.shape[2]), worker, begun_ns)

    workers.share(work, threads, stop, lambda: monitor.update(sum(finished), len(a), "product"))
