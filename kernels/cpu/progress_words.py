"""Progress words: how threads in compiled code wait for each other, without Python's interpreter lock.

Every thread has an int64 word that only grows, `WORD_STRIDE` elements apart so that each has its own cache line. A
thread that waits first spins, then yields its processor, and sleeps only when it has waited for longer than a sleep
lasts (150 microseconds): two threads that meet every microsecond would otherwise take turns to sleep. A yield costs
0.25 microseconds if no other thread is ready.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit, register_system_function
from antidiag.kernels.cpu.simd import load_acquire, pause, store_release
from antidiag.kernels.cpu.workers import WORD_STRIDE

SPINS = 100
"""How often a thread reads a word, with a pause of 13 to 45 ns, before it yields its processor."""
YIELDS = 1000
"""How often a thread reads a word, with a yield, before it sleeps."""
SLEEP_US = 50
_YIELD, _SLEEP = "antidiag_give_way", "antidiag_sleep"


# Windows sleeps for milliseconds at least; there a thread goes on yielding its processor.
if sys.platform == "win32":
    for name in (_YIELD, _SLEEP):
        register_system_function(name, ctypes.WinDLL("kernel32").SwitchToThread)
else:
    register_system_function(_YIELD, ctypes.CDLL(None).sched_yield)
    register_system_function(_SLEEP, ctypes.CDLL(None).usleep)


def _make_system_call(symbol: str, *numbers: int) -> Callable[..., Any]:
    """Make an intrinsic that calls a function of the system with these 32-bit integers."""

    def call(typing):
        def emit_code(context, builder, signature, arguments):
            number = ir.IntType(32)
            kind = ir.FunctionType(number, [number] * len(numbers))
            function = cgutils.get_or_insert_function(builder.module, kind, symbol)
            builder.call(function, [number(value) for value in numbers])
            return context.get_dummy_value()

        return types.void(), emit_code

    return intrinsic(call)


_yield_processor = _make_system_call(_YIELD)
_sleep_briefly = _make_system_call(_SLEEP, SLEEP_US)


@inline_njit
def wait_until_reached(words, index, goal, stop):
    """Wait until ``words[index]`` (int64) is ``goal`` or more; return False if ``stop[0]`` was set first."""
    looks = 0
    while load_acquire(words, index) < goal:
        if load_acquire(stop, 0) != 0:
            return False
        looks += 1
        if looks <= SPINS:
            pause()
        elif looks <= SPINS + YIELDS:
            _yield_processor()
        else:
            _sleep_briefly()
    return load_acquire(stop, 0) == 0


@inner_njit
def wait_until_all_reached(words, goal, stop):
    """Wait until the progress words of all threads are ``goal`` or more; return False if ``stop[0]`` was set first."""
    is_reached = True
    for index in range(0, words.size, WORD_STRIDE):
        is_reached = wait_until_reached(words, index, goal, stop) and is_reached
    return is_reached


call_wait_until_all_reached = cached_njit(wait_until_all_reached)
"""`wait_until_all_reached` for calls from Python."""


@inner_njit
def wait_at_barrier(words, worker, count, stop):
    """Set the progress word of a worker to ``count``, and wait until all have; return False if ``stop[0]`` was set.

    This is a barrier when ``count`` grows by one at each call.
    """
    store_release(words, worker * WORD_STRIDE, count)
    return wait_until_all_reached(words, count, stop)
