"""Numbers looked up in a table that stays in a register.

x86 has no such instruction before SSSE3; with AVX-512BW one takes any of 32 short numbers, before that each finds bytes
among 16. ``LOOKS_UP`` says whether there is one.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from antidiag.kernels.cpu.simd import SHORT_LANES, ShortLanes, call_vectors, saturated

ENTRIES = SHORT_LANES
"""Numbers of a table, each between -128 and 127."""


def _features() -> frozenset[str]:
    """What the processor can do that code is compiled for, by LLVM's names."""
    told = cpu_target.target_context.codegen()._get_host_cpu_features()
    return frozenset(feature[1:] for feature in told.split(",") if feature.startswith("+"))


_FEATURES = _features()
LOOKS_UP = "ssse3" in _FEATURES
_WHOLE = "avx512bw" in _FEATURES
_BYTES = 32 if "avx2" in _FEATURES else 16
"""Bytes of a register in which bytes are looked up."""

_I8, _I32 = ir.IntType(8), ir.IntType(32)


@intrinsic
def look_up(typing, table, indices):
    """``table[index]`` in every lane; ``table`` ShortLanes of numbers that fit in a byte, indices 0 .. 31."""

    def generate(context, builder, signature, arguments):
        if _WHOLE:
            return call_vectors(builder, "llvm.x86.avx512.permvar.hi.512", ShortLanes.vector, *arguments)
        return _by_bytes(builder, *arguments)

    return ShortLanes(ShortLanes, ShortLanes), generate


def _by_bytes(builder: Any, table: Any, indices: Any) -> Any:
    """Where bytes can be looked up among 16: the upper byte of a lane finds its number, which is then moved down.

    An index of 128 or more finds 0. So in each half of the table the indices of the other half are moved there, and one
    of the two finds is the number.
    """
    eight, lower = _all(8), _all(0x80)
    upper = builder.or_(builder.shl(indices, eight), lower)
    entries = builder.trunc(table, ir.VectorType(_I8, ENTRIES))
    bytes_of = ir.VectorType(_I8, 2 * SHORT_LANES)
    first = saturated(builder, "uadd", builder.bitcast(upper, bytes_of), builder.bitcast(_all(0x7000), bytes_of))
    second = builder.bitcast(builder.sub(upper, _all(0x1000)), bytes_of)
    found = builder.or_(_found(builder, entries, 0, first), _found(builder, entries, 16, second))
    return builder.ashr(builder.bitcast(found, ShortLanes.vector), eight)


def _found(builder: Any, entries: Any, start: int, indices: Any) -> Any:
    """Bytes of entries start .. start + 15, in pieces as wide as a register."""
    name = "llvm.x86.avx2.pshuf.b" if _BYTES == 32 else "llvm.x86.ssse3.pshuf.b.128"
    piece, count = ir.VectorType(_I8, _BYTES), indices.type.count
    half = _chosen(builder, entries, entries, [start + i % 16 for i in range(_BYTES)])
    pieces = [
        call_vectors(builder, name, piece, half, _chosen(builder, indices, indices, list(range(at, at + _BYTES))))
        for at in range(0, count, _BYTES)
    ]
    while len(pieces) > 1:
        width = 2 * pieces[0].type.count
        pairs = zip(pieces[::2], pieces[1::2], strict=True)
        pieces = [_chosen(builder, a, b, list(range(width))) for a, b in pairs]
    return pieces[0]


def _all(number: int) -> Any:
    return ir.Constant(ShortLanes.vector, [number] * SHORT_LANES)


def _chosen(builder: Any, a: Any, b: Any, order: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_I32, len(order)), order))
