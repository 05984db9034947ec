"""Nussinov and the matrix chain on the CPU: threads share the blocks of each antidiagonal of blocks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phase_times import PhaseClock, PhaseLog, measure_ms
from antidiag.kernels.folding import cpu_triangle
from antidiag.kernels.folding.cpu_triangle import BLOCK, ChainTable, FoldingTable
from antidiag.kernels.folding.problem import ChainAnswer, ChainProblem, FoldingAnswer, FoldingProblem
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog

WARM = np.zeros(2, np.uint8)


def nussinov(problem: FoldingProblem, parameters: ThreadParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return a structure with the most base pairs without crossing (Nussinov et al. 1978)."""
    tiny = (WARM, problem.pairing_table, 0)
    times_ms = {"compilation": measure_ms(partial(_run_folding, *tiny, 1, Monitor(), StepLog(), {})), "transfer": 0.0}
    threads = parameters.threads
    found = _run_folding(
        problem.letter_codes, problem.pairing_table, problem.min_loop, threads, monitor, steps, times_ms
    )
    return Outcome(found, times_ms, 4 * problem.n**2)


def matrix_chain(problem: ChainProblem, parameters: ThreadParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the order of a matrix product that takes the fewest multiplications (Godbole 1973)."""
    times_ms = {"compilation": measure_ms(partial(_run_chain, (1, 1, 1), 1, Monitor(), StepLog(), {})), "transfer": 0.0}
    found = _run_chain(problem.dimensions, parameters.threads, monitor, steps, times_ms)
    return Outcome(found, times_ms, 8 * problem.n**2)


def _run_folding(
    codes: np.ndarray,
    pairing: np.ndarray,
    min_loop: int,
    threads: int,
    monitor: Monitor,
    steps: StepLog,
    times_ms: dict[str, float],
) -> FoldingAnswer:
    """Compute Nussinov's table and read a structure from it."""
    clock = PhaseClock(times_ms)
    table = _fill_table(codes, pairing, min_loop, threads, monitor, PhaseLog(steps, 1, clock.started_ns))
    clock.end_phase("table")
    found = read_structure(table, codes, pairing, min_loop)
    clock.end_phase("structure")
    return found


def compute_table(problem: FoldingProblem, threads: int, monitor: Monitor) -> np.ndarray:
    """Return the most pairs of every interval i..j: int32, n x n, symmetric."""
    log = PhaseLog(StepLog(), 1, time.perf_counter_ns())
    filled = _fill_table(problem.letter_codes, problem.pairing_table, problem.min_loop, threads, monitor, log)
    return filled.reshape(problem.n, problem.n)


def _fill_table(
    codes: np.ndarray, pairing: np.ndarray, min_loop: int, threads: int, monitor: Monitor, log: PhaseLog
) -> np.ndarray:
    """Return Nussinov's table, flat."""
    table = np.zeros(codes.size**2, np.int32)
    block = partial(cpu_triangle.fold_block, FoldingTable(table, codes, pairing, min_loop))
    _for_each_block(block, codes.size, threads, monitor, log)
    return table


def read_structure(table: np.ndarray, codes: np.ndarray, pairing: np.ndarray, min_loop: int) -> FoldingAnswer:
    """Return the structure that a filled table (flat, n x n, int32) describes."""
    partners = np.full(codes.size, -1, np.int32)
    if codes.size:
        cpu_triangle.trace_fold(FoldingTable(table, codes, pairing, min_loop), partners)
    return FoldingAnswer(int(table[codes.size - 1]) if codes.size else 0, partners)


def _run_chain(
    dimensions: tuple[int, ...], threads: int, monitor: Monitor, steps: StepLog, times_ms: dict[str, float]
) -> ChainAnswer:
    """Compute the costs of all partial products and read the best order from them."""
    clock = PhaseClock(times_ms)
    n, size = len(dimensions) - 1, np.array(dimensions, np.int64)
    table = np.zeros(n * n, np.int64)
    block = partial(cpu_triangle.chain_block, ChainTable(table, size))
    _for_each_block(block, n, threads, monitor, PhaseLog(steps, 1, clock.started_ns))
    clock.end_phase("table")
    found = read_order(table, dimensions)
    clock.end_phase("order")
    return found


def read_order(table: np.ndarray, dimensions: tuple[int, ...]) -> ChainAnswer:
    """Return the order that a filled table (flat, n x n, int64) describes."""
    n = len(dimensions) - 1
    splits = np.empty((n - 1, 3), np.int32)
    cpu_triangle.trace_chain(ChainTable(table, np.array(dimensions, np.int64)), splits)
    return ChainAnswer(int(table[n - 1]), splits)


def _for_each_block(
    block: Callable[[int, int, np.ndarray], None], n: int, threads: int, monitor: Monitor, log: PhaseLog
) -> None:
    """Call ``block(top, left, stop)`` for all blocks of the upper half, one antidiagonal of blocks after another.

    The antidiagonals are the strips of the log.
    """
    blocks = -(-n // BLOCK)
    stop, done = workers.make_stop_word(), np.zeros(threads, np.int64)
    meeting = threading.Barrier(threads)

    def work(worker: int) -> None:
        try:
            for apart in range(blocks):
                for row in range(worker, blocks - apart, threads):
                    top, left, begun_ns = row * BLOCK, (row + apart) * BLOCK, time.perf_counter_ns()
                    block(top, left, stop)
                    ends = (min(top + BLOCK, n), min(left + BLOCK, n))
                    log.add_event(apart, (top, ends[0]), (left, ends[1]), worker, begun_ns)
                    done[worker] += 1
                if stop[0]:
                    meeting.abort()
                    return
                meeting.wait()
        except threading.BrokenBarrierError:
            return
        except BaseException:
            meeting.abort()
            raise

    total = max(1, blocks * (blocks + 1) // 2)
    workers.share_work(work, threads, stop, lambda: monitor.update(int(done.sum()), total, "table"))
