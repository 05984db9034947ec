"""The logarithm of `natural_log` for functions compiled by Numba."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from antidiag.kernels.cpu.jit import inline_njit
from antidiag.kernels.trees.distances.alignment_columns.natural_log import (
    L1,
    L2,
    L3,
    L4,
    L5,
    L6,
    L7,
    LN2_HIGH,
    LN2_LOW,
    MANTISSA_BITS,
    OFFSET,
)


@intrinsic
def _bits_of(typing, number):
    """Return the bits of a float64 as an int64."""
    return types.int64(types.float64), lambda context, builder, signature, arguments: builder.bitcast(
        arguments[0], ir.IntType(64)
    )


@intrinsic
def _number_of(typing, bits):
    """Return the float64 that an int64 has the bits of."""
    return types.float64(types.int64), lambda context, builder, signature, arguments: builder.bitcast(
        arguments[0], ir.DoubleType()
    )


@intrinsic
def quotient(typing, a, b):
    """Return a / b of two float64 without a test for 0, whose branch would keep loops from becoming vectors."""
    return types.float64(types.float64, types.float64), lambda context, builder, signature, arguments: builder.fdiv(
        *arguments
    )


@inline_njit
def natural_log(number):
    """Return the natural logarithm of a positive normal float64, without a branch, so that loops become vectors."""
    bits = _bits_of(number)
    shift = (bits - OFFSET) >> MANTISSA_BITS
    f = _number_of(bits - (shift << MANTISSA_BITS)) - 1.0
    k = np.float64(shift)
    s = quotient(f, 2.0 + f)
    z = s * s
    w = z * z
    odd = z * (L1 + w * (L3 + w * (L5 + w * L7)))
    even = w * (L2 + w * (L4 + w * L6))
    half = 0.5 * f * f
    return k * LN2_HIGH - ((half - (s * (half + (even + odd)) + k * LN2_LOW)) - f)
