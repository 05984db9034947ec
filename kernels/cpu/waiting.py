"""Waiting for another thread in compiled functions: a spin, turns for others, then sleeps; never with Python's lock.

A thread that waited in Python would need that lock after every sleep, and take turns with a window that draws.

Threads that share a row wait a microsecond for each other, ten thousand times. One that slept there would be late for
its partner, which would then sleep in its turn, and so on for good: a barrier would cost the 150 microseconds that a
sleep lasts in truth. So a thread first spins, then offers the processor to others that are ready (which costs 0.25
microseconds where nobody is, and lets a partner run where there are more threads than processors) for longer than a
sleep lasts, so that it still looks when a sleeper returns. Only then it sleeps.
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

from antidiag.kernels.cpu.jit import inlined, system_function
from antidiag.kernels.cpu.simd import acquire, relax

SPINS = 100
"""Looks at a word, a pause of the processor each (13 to 45 ns), before a thread offers its turn to others."""
TURNS = 1000
"""Looks at a word, an offer to others each (250 ns where nobody takes it), before a thread sleeps."""
SLEEP_US = 50
_GIVE_WAY, _SLEEP = "antidiag_give_way", "antidiag_sleep"


# Windows sleeps for milliseconds at least; there, a thread goes on giving way to others that are ready.
if sys.platform == "win32":
    for name in (_GIVE_WAY, _SLEEP):
        system_function(name, ctypes.WinDLL("kernel32").SwitchToThread)
else:
    system_function(_GIVE_WAY, ctypes.CDLL(None).sched_yield)
    system_function(_SLEEP, ctypes.CDLL(None).usleep)


def _system_call(symbol: str, *numbers: int) -> Callable[..., Any]:
    """An intrinsic that calls a function of the system with these 32-bit numbers."""

    def call(typing):
        def generate(context, builder, signature, arguments):
            number = ir.IntType(32)
            kind = ir.FunctionType(number, [number] * len(numbers))
            function = cgutils.get_or_insert_function(builder.module, kind, symbol)
            builder.call(function, [number(value) for value in numbers])
            return context.get_dummy_value()

        return types.void(), generate

    return intrinsic(call)


_give_way = _system_call(_GIVE_WAY)
_sleep = _system_call(_SLEEP, SLEEP_US)


@inlined
def wait_for(words, index, goal, stop):
    """Wait until ``words[index]`` (int64) is ``goal`` or more; whether it is: False where ``stop[0]`` was set."""
    looks = 0
    while acquire(words, index) < goal:
        if acquire(stop, 0) != 0:
            return False
        looks += 1
        if looks <= SPINS:
            relax()
        elif looks <= SPINS + TURNS:
            _give_way()
        else:
            _sleep()
    return acquire(stop, 0) == 0
