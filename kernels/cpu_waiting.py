"""Waiting for another thread in compiled functions: a short spin, then sleeps, never with the interpreter's lock.

A thread that waited in Python would need that lock after every sleep, and take turns with a window that draws.
"""

from __future__ import annotations

import ctypes
import sys

from llvmlite import ir

from kernels.jit import inlined, system_function
from kernels.simd import acquire, relax

from numba import types  # isort: skip
from numba.core import cgutils  # isort: skip
from numba.extending import intrinsic  # isort: skip

SPINS = 500
"""Looks at a word, a pause of the processor each, before a thread sleeps."""
SLEEP_US = 50
_SYMBOL = "antidiag_give_way"


# Windows sleeps for milliseconds at least; there, a thread gives way to others that are ready.
if sys.platform == "win32":
    system_function(_SYMBOL, ctypes.WinDLL("kernel32").SwitchToThread)
else:
    system_function(_SYMBOL, ctypes.CDLL(None).usleep)


@intrinsic
def _give_way(typing):
    """Leave the processor to others for some microseconds."""

    def generate(context, builder, signature, arguments):
        number = ir.IntType(32)
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(number, [number]), _SYMBOL)
        builder.call(function, [number(SLEEP_US)])
        return context.get_dummy_value()

    return types.void(), generate


@inlined
def wait_for(words, index, goal, stop):
    """Wait until ``words[index]`` (int64) is ``goal`` or more; whether it is: False where ``stop[0]`` was set."""
    looks = 0
    while acquire(words, index) < goal:
        if acquire(stop, 0) != 0:
            return False
        if looks < SPINS:
            looks += 1
            relax()
        else:
            _give_way()
    return acquire(stop, 0) == 0
