"""The clock of the step log (time.perf_counter_ns) in compiled functions, which run without the interpreter."""

from __future__ import annotations

import ctypes
import sys

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from antidiag.kernels.cpu.jit import system_function

_SYMBOL, _RATE_SYMBOL = "antidiag_clock", "antidiag_clock_rate"
_MONOTONIC, _UPTIME = 1, 8
"""The clocks of Linux and of macOS that Python takes."""
_SECOND = 1_000_000_000
_I32, _I64 = ir.IntType(32), ir.IntType(64)


if sys.platform == "win32":
    system_function(_SYMBOL, ctypes.WinDLL("kernel32").QueryPerformanceCounter)
    system_function(_RATE_SYMBOL, ctypes.WinDLL("kernel32").QueryPerformanceFrequency)
else:
    system_function(_SYMBOL, ctypes.CDLL(None).clock_gettime)


def _seconds_and_ns(builder):
    """Of clock_gettime, which writes both as 64-bit numbers."""
    pair = cgutils.alloca_once(builder, ir.ArrayType(_I64, 2))
    function = ir.FunctionType(_I32, [_I32, pair.type])
    called = cgutils.get_or_insert_function(builder.module, function, _SYMBOL)
    builder.call(called, [_I32(_UPTIME if sys.platform == "darwin" else _MONOTONIC), pair])
    return [builder.extract_value(builder.load(pair), index) for index in range(2)]


def _ticks_as_seconds_and_ns(builder):
    """Of Windows' counter, whose rate is asked for, too."""
    words = []
    for name in (_SYMBOL, _RATE_SYMBOL):
        word = cgutils.alloca_once(builder, _I64)
        called = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_I32, [word.type]), name)
        builder.call(called, [word])
        words.append(builder.load(word))
    ticks, rate = words
    rest = builder.mul(builder.urem(ticks, rate), _I64(_SECOND))
    return builder.udiv(ticks, rate), builder.udiv(rest, rate)


@intrinsic
def now_ns(typing):
    """What time.perf_counter_ns() would return; int64."""

    def generate(context, builder, signature, arguments):
        read = _ticks_as_seconds_and_ns if sys.platform == "win32" else _seconds_and_ns
        seconds, ns = read(builder)
        return builder.add(builder.mul(seconds, _I64(_SECOND)), ns)

    return types.int64(), generate
