"""Whole vector registers of 8-, 16- or 32-bit integers, saturating arithmetic and table lookups, for Numba.

A vector has as many lanes as its element type asks for, see `lanes_of`: compiled code that takes its vectors from
arrays by `load_register` is one text for all three types. Operations of `kernels.cpu.simd` that name no type
(``maximum``, ``splat_like``, ``store``) take these vectors, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from antidiag.kernels.cpu.simd import (
    LANES,
    SHORT_LANES,
    Lanes,
    ShortLanes,
    call_saturating,
    call_vectors,
    cpu_features,
    element_pointer,
    load_unaligned,
    make_vector_type,
    shuffle_lanes,
)

BYTE_LANES = 64 if "avx512bw" in cpu_features() else 32
"""Lanes of 8 bits: a register of AVX-512 or AVX2."""
ByteLanes = make_vector_type("ByteLanes", 8, BYTE_LANES)
_REGISTERS = {types.int8: ByteLanes, types.int16: ShortLanes, types.int32: Lanes}
_COUNTS = {np.dtype(np.int8): BYTE_LANES, np.dtype(np.int16): SHORT_LANES, np.dtype(np.int32): LANES}

TABLE_ENTRIES = 32
"""Entries of a table in which lanes look up."""
_HAS_VBMI, _HAS_AVX512 = "avx512vbmi" in cpu_features(), "avx512bw" in cpu_features()
_HAS_AVX2 = "avx2" in cpu_features()


def lanes_of(kind: Any) -> int:
    """Return the lanes of a vector of an element type: int8, int16 or int32."""
    return _COUNTS[np.dtype(kind)]


def has_lookup(kind: Any) -> bool:
    """Return whether `look_up_letters` is made of vector instructions for an element type on this processor."""
    return _HAS_AVX2 if np.dtype(kind) == np.int8 else _HAS_AVX512


def _make_saturating(operation: str) -> Any:
    @intrinsic
    def saturating(typing, a, b):
        return a(a, a), lambda context, builder, signature, arguments: call_saturating(builder, operation, *arguments)

    return saturating


add_saturating, subtract_saturating = _make_saturating("sadd"), _make_saturating("ssub")


@intrinsic
def load_register(typing, array, index):
    """Load ``array[index : index + lanes]`` of int8, int16 or int32 as a vector."""
    lanes = _REGISTERS[array.dtype]

    def emit_code(context, builder, signature, arguments):
        array, index = arguments
        address = element_pointer(context, builder, signature.args[0], array, index, lanes.vector)
        return load_unaligned(builder, address, lanes.vector)

    return lanes(array, types.intp), emit_code


@intrinsic
def look_up_letters(typing, table, start, letters, index, like):
    """Return ``table[start + letters[index + lane]]`` in every lane, a vector of the type of ``like``.

    ``table`` has elements of that type, ``letters`` is uint8 with values 0 to 31.
    """
    lanes, count = like, like.vector.count

    def emit_code(context, builder, signature, arguments):
        table, start, letters, index, _ = arguments
        codes = ir.VectorType(ir.IntType(8), count)
        address = element_pointer(context, builder, signature.args[2], letters, index, codes)
        entries = ir.VectorType(lanes.vector.element, TABLE_ENTRIES)
        table_at = element_pointer(context, builder, signature.args[0], table, start, entries)
        found, values = load_unaligned(builder, address, codes), load_unaligned(builder, table_at, entries)
        return _emit_lookup(builder, lanes.vector, values, found)

    return lanes(table, types.intp, letters, types.intp, like), emit_code


def _emit_lookup(builder: Any, vector: Any, values: Any, codes: Any) -> Any:
    """Emit the lookup of codes (bytes) in 32 values by the widest instruction there is."""
    bits = vector.element.width
    if bits == 8 and _HAS_VBMI:
        table = shuffle_lanes(builder, values, values, [lane % TABLE_ENTRIES for lane in range(vector.count)])
        return call_vectors(builder, "llvm.x86.avx512.permvar.qi.512", vector, table, codes)
    if bits == 8 and _HAS_AVX2:
        return _look_up_bytes(builder, vector, values, codes)
    if bits == 16 and _HAS_AVX512:
        return call_vectors(builder, "llvm.x86.avx512.permvar.hi.512", vector, values, builder.zext(codes, vector))
    if bits == 32 and _HAS_AVX512:
        low, high = (shuffle_lanes(builder, values, values, list(range(at, at + 16))) for at in (0, 16))
        name = "llvm.x86.avx512.vpermi2var.d.512"
        return call_vectors(builder, name, vector, low, builder.zext(codes, vector), high)
    found = ir.Constant(vector, ir.Undefined)
    for lane in range(vector.count):
        code = builder.zext(builder.extract_element(codes, ir.IntType(32)(lane)), ir.IntType(32))
        found = builder.insert_element(found, builder.extract_element(values, code), ir.IntType(32)(lane))
    return found


def _look_up_bytes(builder: Any, vector: Any, values: Any, codes: Any) -> Any:
    """Emit two lookups among 16 bytes: an index of 128 or more finds 0, so one of both is always 0."""
    name = "llvm.x86.avx512.pshuf.b.512" if _HAS_AVX512 else "llvm.x86.avx2.pshuf.b"
    low, high = (
        shuffle_lanes(builder, values, values, [at + lane % 16 for lane in range(vector.count)]) for at in (0, 16)
    )
    more, less = (ir.Constant(vector, [number] * vector.count) for number in (0x70, 16))
    first = call_vectors(builder, name, vector, low, call_saturating(builder, "uadd", codes, more))
    second = call_vectors(builder, name, vector, high, builder.sub(codes, less))
    return builder.or_(first, second)
