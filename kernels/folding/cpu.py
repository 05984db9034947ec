"""Nussinov and the matrix chain on the CPU: antidiagonals of blocks, whose blocks are shared by threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.phases import PhaseClock, PhaseLog, time_ms
from antidiag.kernels.folding import cpu_triangle
from antidiag.kernels.folding.cpu_triangle import BLOCK, Chain, Folding
from antidiag.kernels.folding.problem import ChainAnswer, ChainProblem, FoldingAnswer, FoldingProblem
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.semiring.parameters import ThreadParameters
from antidiag.kernels.steps import Steps

WARM = np.zeros(2, np.uint8)


def nussinov(problem: FoldingProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The most base pairs without crossing."""
    tiny = (WARM, problem.pairing, 0)
    times_ms = {"compilation": time_ms(partial(_fold, *tiny, 1, Monitor(), Steps(), {})), "transfer": 0.0}
    threads = typed(ThreadParameters, parameters).threads
    found = _fold(problem.codes, problem.pairing, problem.min_loop, threads, monitor, steps, times_ms)
    return Outcome(found, times_ms, 4 * problem.n**2)


def matrix_chain(problem: ChainProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The order of a product of matrices that takes the fewest multiplications."""
    times_ms = {"compilation": time_ms(partial(_chain, (1, 1, 1), 1, Monitor(), Steps(), {})), "transfer": 0.0}
    found = _chain(problem.dimensions, typed(ThreadParameters, parameters).threads, monitor, steps, times_ms)
    return Outcome(found, times_ms, 8 * problem.n**2)


def _fold(
    codes: np.ndarray, pairing: np.ndarray, min_loop: int, threads: int, monitor: Monitor, steps: Steps,
    times_ms: dict[str, float],
) -> FoldingAnswer:  # fmt: skip
    clock = PhaseClock(times_ms)
    table = _filled(codes, pairing, min_loop, threads, monitor, PhaseLog(steps, 1, clock.started_ns))
    clock.phase("table")
    found = folded(table, codes, pairing, min_loop)
    clock.phase("structure")
    return found


def table(problem: FoldingProblem, threads: int, monitor: Monitor) -> np.ndarray:
    """The table of the most pairs of every part i..j, int32, n x n; its lower half is the mirror of the upper one."""
    log = PhaseLog(Steps(), 1, time.perf_counter_ns())
    filled = _filled(problem.codes, problem.pairing, problem.min_loop, threads, monitor, log)
    return filled.reshape(problem.n, problem.n)


def _filled(
    codes: np.ndarray, pairing: np.ndarray, min_loop: int, threads: int, monitor: Monitor, log: PhaseLog
) -> np.ndarray:
    """The table, flat."""
    table = np.zeros(codes.size**2, np.int32)
    block = partial(cpu_triangle.fold_block, Folding(table, codes, pairing, min_loop))
    _by_antidiagonals(block, codes.size, threads, monitor, log)
    return table


def folded(table: np.ndarray, codes: np.ndarray, pairing: np.ndarray, min_loop: int) -> FoldingAnswer:
    """The structure out of a filled table (flat, n x n, int32)."""
    partners = np.full(codes.size, -1, np.int32)
    if codes.size:
        cpu_triangle.trace_fold(Folding(table, codes, pairing, min_loop), partners)
    return FoldingAnswer(int(table[codes.size - 1]) if codes.size else 0, partners)


def _chain(
    dimensions: tuple[int, ...], threads: int, monitor: Monitor, steps: Steps, times_ms: dict[str, float]
) -> ChainAnswer:
    clock = PhaseClock(times_ms)
    n, size = len(dimensions) - 1, np.array(dimensions, np.int64)
    table = np.zeros(n * n, np.int64)
    block = partial(cpu_triangle.chain_block, Chain(table, size))
    _by_antidiagonals(block, n, threads, monitor, PhaseLog(steps, 1, clock.started_ns))
    clock.phase("table")
    found = ordered(table, dimensions)
    clock.phase("order")
    return found


def ordered(table: np.ndarray, dimensions: tuple[int, ...]) -> ChainAnswer:
    """The order out of a filled table (flat, n x n, int64)."""
    n = len(dimensions) - 1
    splits = np.empty((n - 1, 3), np.int32)
    cpu_triangle.trace_chain(Chain(table, np.array(dimensions, np.int64)), splits)
    return ChainAnswer(int(table[n - 1]), splits)


def _by_antidiagonals(
    block: Callable[[int, int, np.ndarray], None], n: int, threads: int, monitor: Monitor, log: PhaseLog
) -> None:
    """``block(top, left, stop)`` for all blocks of the upper half, an antidiagonal of blocks after another, which are
    the strips of the log."""
    blocks = -(-n // BLOCK)
    stop, done = workers.stop_word(), np.zeros(threads, np.int64)
    meeting = threading.Barrier(threads)

    def work(worker: int) -> None:
        try:
            for apart in range(blocks):
                for row in range(worker, blocks - apart, threads):
                    top, left, begun_ns = row * BLOCK, (row + apart) * BLOCK, time.perf_counter_ns()
                    block(top, left, stop)
                    ends = (min(top + BLOCK, n), min(left + BLOCK, n))
                    log.add(apart, (top, ends[0]), (left, ends[1]), worker, begun_ns)
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
    workers.share(work, threads, stop, lambda: monitor.update(int(done.sum()), total, "table"))
