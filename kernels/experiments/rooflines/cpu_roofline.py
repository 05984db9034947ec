"""The limits of a CPU: additions and maxima on vectors of 16 lanes, and a triad over arrays that no cache holds."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.cpu.simd import LANES, add, load, maximum, splat, store
from antidiag.kernels.cpu.workers import make_stop_word, share_work
from antidiag.kernels.memory import host_bytes_free
from antidiag.kernels.monitor import Monitor

TURNS = 3
"""The best of so many counts: whatever else runs on the machine can only take time away."""
TURN_S = 0.25
CHAINS = 8
"""Independent chains of operations, so that none waits for the one before it."""
LOOPS = 100_000
LARGEST_BYTES = 2**28
"""Bytes of each of the three arrays of the triad, where so much memory is free."""


@cached_njit
def _run_operations(numbers, loops):
    """``loops`` times an addition and a maximum in each of eight chains; ``numbers`` int32 (10 * 16,)."""
    a, b, c, d = load(numbers, 0), load(numbers, 16), load(numbers, 32), load(numbers, 48)
    e, f, g, h = load(numbers, 64), load(numbers, 80), load(numbers, 96), load(numbers, 112)
    step, floor = load(numbers, 128), load(numbers, 144)
    for _ in range(loops):
        a, b = maximum(add(a, step), floor), maximum(add(b, step), floor)
        c, d = maximum(add(c, step), floor), maximum(add(d, step), floor)
        e, f = maximum(add(e, step), floor), maximum(add(f, step), floor)
        g, h = maximum(add(g, step), floor), maximum(add(h, step), floor)
    greatest = maximum(maximum(maximum(a, b), maximum(c, d)), maximum(maximum(e, f), maximum(g, h)))
    store(numbers, 0, add(greatest, splat(np.int32(1))))


@cached_njit
def _run_triad(result, one, other, factor):
    """result = one + factor * other; float64 of one length."""
    for i in range(result.size):
        result[i] = one[i] + factor * other[i]


def measure_cpu(workers: int, monitor: Monitor) -> tuple[float, float]:
    """Operations and bytes a second of so many threads together."""
    return _operations_per_s(workers, monitor), _bytes_per_s(workers, monitor)


def _operations_per_s(workers: int, monitor: Monitor) -> float:
    numbers: np.ndarray = np.zeros((workers, 10 * LANES), np.int32)
    _run_operations(numbers[0], 1)
    loops = _loops_per_s(lambda worker: _run_operations(numbers[worker], LOOPS), workers, monitor, 0)
    return loops * LOOPS * 2 * CHAINS * LANES


def _bytes_per_s(workers: int, monitor: Monitor) -> float:
    monitor.update(TURNS, 2 * TURNS, "memory")
    count = min(LARGEST_BYTES, host_bytes_free() // 8) // 8 // workers
    result, one, other = (np.ones((workers, count)) for _ in range(3))
    _run_triad(result[0, :1], one[0, :1], other[0, :1], 2.0)

    def triad(worker: int) -> None:
        _run_triad(result[worker], one[worker], other[worker], 2.0)

    passes = _loops_per_s(triad, workers, monitor, TURNS)
    return passes * 3 * 8 * count


def _loops_per_s(loop: Callable[[int], None], workers: int, monitor: Monitor, before: int) -> float:
    """Calls of ``loop(worker)`` a second, of all workers together; the best of some turns.

    ``before`` are the turns of other loops until now, which count as progress.
    """
    best = 0.0
    for turn in range(TURNS):
        monitor.update(before + turn, 2 * TURNS, "memory" if before else "operations")
        best = max(best, _measure_turn(loop, workers, monitor))
    return best


def _measure_turn(loop: Callable[[int], None], workers: int, monitor: Monitor) -> float:
    rates: np.ndarray = np.zeros(workers)
    stop = make_stop_word()

    def work(worker: int) -> None:
        began, calls = time.perf_counter(), 0
        while not calls or (time.perf_counter() - began < TURN_S and not stop[0]):
            loop(worker)
            calls += 1
        rates[worker] = calls / (time.perf_counter() - began)

    share_work(work, workers, stop, monitor.check)
    return float(rates.sum())
