"""Products of matrices on the CPU: all threads share one product, or each computes products of a batch."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phase_times import PhaseClock, PhaseLog, measure_ms
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.products import sizes
from antidiag.kernels.products.problem import ProductAnswer, ProductProblem
from antidiag.kernels.semiring import Semiring, cpu, cpu_blocks
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog


def multiply_matrices(
    problem: ProductProblem, parameters: ThreadParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Compute the product, or the products of a batch."""
    threads, (left, right) = parameters.threads, problem.factors
    tiny = np.zeros((1, 1), problem.dtype)
    monitor.check()
    times_ms = {
        "compilation": measure_ms(partial(cpu.multiply_matrices, tiny, tiny, problem.semiring)),
        "transfer": 0.0,
    }
    monitor.check()
    clock = PhaseClock(times_ms)
    log = PhaseLog(steps, 1, clock.started_ns)
    found = np.empty(problem.shape, problem.dtype)
    if problem.batch_size == 1:
        one, other = (array.reshape(array.shape[-2:]) for array in (left, right))
        found.reshape(found.shape[-2:])[:] = _multiply_together(one, other, problem.semiring, threads, monitor, log)
    else:
        _multiply_batch(left, right, found, problem.semiring, threads, monitor, log)
    clock.end_phase("product")
    monitor.update(1, 1, "product")
    return Outcome(ProductAnswer(found), times_ms, sizes.estimate_footprint(problem, parameters, "cpu").host_bytes)


def _multiply_together(
    a: np.ndarray, b: np.ndarray, semiring: Semiring, threads: int, monitor: Monitor, log: PhaseLog
) -> np.ndarray:
    """Return the product of two matrices, whose blocks all threads share."""
    zero = semiring.zero_element(a.dtype)
    left, right = (cpu_blocks.block_matrix(matrix, zero) for matrix in (a, b))
    c = cpu_blocks.filled_blocks(a.shape[0], b.shape[1], zero, a.dtype)
    cpu.add_product(
        left,
        right,
        c,
        semiring,
        threads,
        lambda done, total: monitor.update(done, max(total, 1), "product"),
        lambda rows, columns, worker, begun_ns: log.add_event(0, rows, columns, worker, begun_ns),
    )
    return cpu_blocks.unblock_matrix(c)


def _multiply_batch(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, semiring: Semiring, threads: int, monitor: Monitor, log: PhaseLog
) -> None:
    """Compute the products of a batch into ``c``; each thread takes the next product."""
    zero, numbers, stop, finished = (
        semiring.zero_element(a.dtype),
        iter(range(len(a))),
        workers.make_stop_word(),
        [0] * threads,
    )

    def work(worker: int) -> None:
        done = np.zeros(1, np.int64)
        for number in numbers:
            if stop[0]:
                return
            begun_ns = time.perf_counter_ns()
            left, right = (cpu_blocks.block_matrix(matrix, zero) for matrix in (a[number], b[number]))
            own = cpu_blocks.filled_blocks(c.shape[1], c.shape[2], zero, c.dtype)
            cpu_blocks.add_products(semiring.number, left, right, own, 0, 1, stop, done)
            c[number] = cpu_blocks.unblock_matrix(own)
            finished[worker] += 1
            log.add_event(number, (0, c.shape[1]), (0, c.shape[2]), worker, begun_ns)

    workers.share_work(work, threads, stop, lambda: monitor.update(sum(finished), len(a), "product"))
