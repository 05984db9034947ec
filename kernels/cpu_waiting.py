"""Waiting for another thread in compiled functions: a short spin, then sleeps, never with the interpreter's lock.

A thread that waited in Python would need that lock after every sleep, and take turns with a window that draws.
"""

from __future__ import annotations

import ctypes
import sys

from llvmlite import binding, ir

from kernels.jit import inlined
from kernels.simd import acquire, relax

from numba import types  # isort: skip
from numba.core import cgutils  # isort: skip
from numba.extending import intrinsic  # isort: skip

SPINS = 500
"""Looks at a word before a thread sleeps: some 20 us, about what falling asleep and waking up costs."""
SLEEP_US = 50
_SYMBOL = "antidiag_give_way"


def _register() -> None:
    """Tell LLVM, under a name of ours that compiled code in the cache refers to, what puts a thread to sleep.

    Windows sleeps for milliseconds at least; there, a thread gives way to others that are ready.
    """
    if sys.platform == "win32":
        function = ctypes.WinDLL("kernel32").SwitchToThread
    else:
        function = ctypes.CDLL(None).usleep
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    binding.add_symbol(_SYMBOL, address)


_register()


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
