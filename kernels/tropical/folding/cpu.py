"""Nussinov and the matrix chain on the CPU: antidiagonals of blocks, whose blocks are shared by threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from kernels import workers
from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.phases import PhaseClock, time_ms
from kernels.steps import Steps
from kernels.tropical.folding import cpu_triangle
from kernels.tropical.folding.cpu_triangle import BLOCK
from kernels.tropical.folding.problem import ChainAnswer, ChainProblem, FoldingAnswer, FoldingProblem

WARM = np.zeros(2, np.uint8)


def nussinov(problem: FoldingProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The most base pairs without crossing."""
    tiny = (WARM, problem.pairing, 0)
    times_ms = {"compilation": time_ms(partial(_fold, *tiny, 1, Monitor(), {})), "transfer": 0.0}
    found = _fold(problem.codes, problem.pairing, problem.min_loop, parameters["threads"], monitor, times_ms)
    return Outcome(found, times_ms, 4 * problem.n**2)


def matrix_chain(problem: ChainProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The order of a product of matrices that takes the fewest multiplications."""
    times_ms = {"compilation": time_ms(partial(_chain, (1, 1, 1), 1, Monitor(), {})), "transfer": 0.0}
    found = _chain(problem.dimensions, parameters["threads"], monitor, times_ms)
    return Outcome(found, times_ms, 8 * problem.n**2)


def _fold(codes, pairing, min_loop: int, threads: int, monitor: Monitor, times_ms: dict[str, float]) -> FoldingAnswer:
    clock = PhaseClock(times_ms)
    table = np.zeros(codes.size**2, np.int32)
    block = partial(cpu_triangle.fold_block, table, codes.size, codes, pairing, min_loop)
    _by_antidiagonals(block, codes.size, threads, monitor)
    clock.phase("table")
    found = folded(table, codes, pairing, min_loop)
    clock.phase("structure")
    return found


def folded(table: np.ndarray, codes: np.ndarray, pairing: np.ndarray, min_loop: int) -> FoldingAnswer:
    """The structure out of a filled table (flat, n x n, int32)."""
    partners = np.full(codes.size, -1, np.int32)
    if codes.size:
        cpu_triangle.trace_fold(table, codes.size, codes, pairing, min_loop, partners)
    return FoldingAnswer(int(table[codes.size - 1]) if codes.size else 0, partners)


def _chain(dimensions: tuple[int, ...], threads: int, monitor: Monitor, times_ms: dict[str, float]) -> ChainAnswer:
    clock = PhaseClock(times_ms)
    n, size = len(dimensions) - 1, np.array(dimensions, np.int64)
    table = np.zeros(n * n, np.int64)
    _by_antidiagonals(partial(cpu_triangle.chain_block, table, n, size, size, 0), n, threads, monitor)
    clock.phase("table")
    found = ordered(table, dimensions)
    clock.phase("order")
    return found


def ordered(table: np.ndarray, dimensions: tuple[int, ...]) -> ChainAnswer:
    """The order out of a filled table (flat, n x n, int64)."""
    n = len(dimensions) - 1
    splits = np.empty((n - 1, 3), np.int32)
    cpu_triangle.trace_chain(table, n, np.array(dimensions, np.int64), splits)
    return ChainAnswer(int(table[n - 1]), splits)


def _by_antidiagonals(block: Callable[[int, int, np.ndarray], None], n: int, threads: int, monitor: Monitor) -> None:
    """``block(top, left, stop)`` for all blocks of the upper half, an antidiagonal of blocks after another."""
    blocks = -(-n // BLOCK)
    stop, done = workers.stop_word(), np.zeros(threads, np.int64)
    meeting = threading.Barrier(threads)

    def work(worker: int) -> None:
        try:
            for apart in range(blocks):
                for row in range(worker, blocks - apart, threads):
                    block(row * BLOCK, (row + apart) * BLOCK, stop)
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
