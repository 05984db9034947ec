"""Compiled functions read the clock that Python reads."""

from __future__ import annotations

import time

from antidiag.kernels.cpu.clock import now_ns
from antidiag.kernels.cpu.jit import cached_njit


@cached_njit
def read():
    return now_ns()


def test_it_is_pythons_clock() -> None:
    read()
    times = [time.perf_counter_ns(), read(), read(), time.perf_counter_ns()]
    assert times == sorted(times)
