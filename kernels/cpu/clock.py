"""The clock of the step log, time.perf_counter_ns, for compiled functions."""

from __future__ import annotations

import ctypes
import sys

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from antidiag.kernels.cpu.jit import register_system_function

_SYMBOL, _RATE_SYMBOL = "antidiag_clock", "antidiag_clock_rate"
_MONOTONIC, _UPTIME = 1, 8
"""The clocks of Linux and of macOS that Python uses."""
_SECOND = 1_000_000_000
_I32, _I64 = ir.IntType(32), ir.IntType(64)


if sys.platform == "win32":
    register_system_function(_SYMBOL, ctypes.WinDLL("kernel32").QueryPerformanceCounter)
    register_system_function(_RATE_SYMBOL, ctypes.WinDLL("kernel32").QueryPerformanceFrequency)
else:
    register_system_function(_SYMBOL, ctypes.CDLL(None).clock_gettime)


def _read_posix_clock(builder):
    """Emit a call of clock_gettime, and return seconds and nanoseconds."""
    pair = cgutils.alloca_once(builder, ir.ArrayType(_I64, 2))
    function = ir.FunctionType(_I32, [_I32, pair.type])
    clock_gettime = cgutils.get_or_insert_function(builder.module, function, _SYMBOL)
    builder.call(clock_gettime, [_I32(_UPTIME if sys.platform == "darwin" else _MONOTONIC), pair])
    return [builder.extract_value(builder.load(pair), index) for index in range(2)]


def _read_windows_clock(builder):
    """Emit a read of the performance counter of Windows, and return seconds and nanoseconds."""
    words = []
    for name in (_SYMBOL, _RATE_SYMBOL):
        word = cgutils.alloca_once(builder, _I64)
        query = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_I32, [word.type]), name)
        builder.call(query, [word])
        words.append(builder.load(word))
    ticks, rate = words
    remainder = builder.mul(builder.urem(ticks, rate), _I64(_SECOND))
    return builder.udiv(ticks, rate), builder.udiv(remainder, rate)


@intrinsic
def now_ns(typing):
    """Return what time.perf_counter_ns() would; int64."""

    def emit_code(context, builder, signature, arguments):
        read = _read_windows_clock if sys.platform == "win32" else _read_posix_clock
        seconds, ns = read(builder)
        return builder.add(builder.mul(seconds, _I64(_SECOND)), ns)

    return types.int64(), emit_code
