"""Table lookup in vector registers: every lane reads one of 32 short numbers of a table that is itself a vector.

AVX-512BW has an instruction for this; SSSE3 and AVX2 look up bytes among 16. ``HAS_LOOKUP`` is false where the
processor has none of them.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.extending import intrinsic

from antidiag.kernels.cpu.simd import (
    SHORT_LANES,
    ShortLanes,
    call_saturating,
    call_vectors,
    cpu_features,
    shuffle_lanes,
)

TABLE_SIZE = SHORT_LANES
"""Numbers in a table, each between -128 and 127."""

HAS_LOOKUP = "ssse3" in cpu_features()
_HAS_AVX512 = "avx512bw" in cpu_features()
_BYTES = 32 if "avx2" in cpu_features() else 16
"""Bytes of a register in which bytes are looked up."""

_I8 = ir.IntType(8)


@intrinsic
def look_up_lanes(typing, table, indices):
    """Return ``table[index]`` in every lane; ``table`` is ShortLanes of numbers that fit in a byte, indices 0 .. 31."""

    def emit_code(context, builder, signature, arguments):
        if _HAS_AVX512:
            return call_vectors(builder, "llvm.x86.avx512.permvar.hi.512", ShortLanes.vector, *arguments)
        return _look_up_bytes(builder, *arguments)

    return ShortLanes(ShortLanes, ShortLanes), emit_code


def _look_up_bytes(builder: Any, table: Any, indices: Any) -> Any:
    """Emit a lookup by bytes: the upper byte of a lane finds its number, which is then moved down.

    An index of 128 or more finds 0. So for each half of the table the indices of the other half are moved above 128,
    and the number is the bitwise OR of both results.
    """
    eight, lower = _splat_constant(8), _splat_constant(0x80)
    upper = builder.or_(builder.shl(indices, eight), lower)
    entries = builder.trunc(table, ir.VectorType(_I8, TABLE_SIZE))
    bytes_of = ir.VectorType(_I8, 2 * SHORT_LANES)
    first = call_saturating(
        builder, "uadd", builder.bitcast(upper, bytes_of), builder.bitcast(_splat_constant(0x7000), bytes_of)
    )
    second = builder.bitcast(builder.sub(upper, _splat_constant(0x1000)), bytes_of)
    found = builder.or_(_look_up_half(builder, entries, 0, first), _look_up_half(builder, entries, 16, second))
    return builder.ashr(builder.bitcast(found, ShortLanes.vector), eight)


def _look_up_half(builder: Any, entries: Any, start: int, indices: Any) -> Any:
    """Emit the lookup of bytes in the entries from ``start`` to ``start + 15``, one register at a time."""
    name = "llvm.x86.avx2.pshuf.b" if _BYTES == 32 else "llvm.x86.ssse3.pshuf.b.128"
    piece, count = ir.VectorType(_I8, _BYTES), indices.type.count
    half = shuffle_lanes(builder, entries, entries, [start + i % 16 for i in range(_BYTES)])
    pieces = [
        call_vectors(builder, name, piece, half, shuffle_lanes(builder, indices, indices, list(range(at, at + _BYTES))))
        for at in range(0, count, _BYTES)
    ]
    while len(pieces) > 1:
        width = 2 * pieces[0].type.count
        pairs = zip(pieces[::2], pieces[1::2], strict=True)
        pieces = [shuffle_lanes(builder, a, b, list(range(width))) for a, b in pairs]
    return pieces[0]


def _splat_constant(number: int) -> Any:
    return ir.Constant(ShortLanes.vector, [number] * SHORT_LANES)
