"""Moves between the lanes of vectors, for functions compiled by Numba; see `kernels.cpu.simd`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from antidiag.kernels.cpu.simd import (
    LANES,
    Lanes,
    ShortLanes,
    element_pointer,
    emit_splat,
    load_unaligned,
    shuffle_lanes,
    store_unaligned,
    vector_type_of,
)

_I32, _I64 = ir.IntType(32), ir.IntType(64)


@intrinsic
def shift_in(typing, value, first):
    """Move every lane to the next one; lane 0 takes the number ``first``."""

    def emit_code(context, builder, signature, arguments):
        count = value.vector.count
        entering = builder.insert_element(ir.Constant(value.vector, ir.Undefined), arguments[1], _I32(count - 1))
        return shuffle_lanes(builder, entering, arguments[0], list(range(count - 1, 2 * count - 1)))

    return value(value, types.int16 if value == ShortLanes else types.int32), emit_code


@intrinsic
def shift_in_last(typing, before, value):
    """Move every lane of ``value`` to the next one; lane 0 takes the last lane of ``before``."""

    def emit_code(context, builder, signature, arguments):
        count = value.vector.count
        return shuffle_lanes(builder, arguments[0], arguments[1], list(range(count - 1, 2 * count - 1)))

    return value(value, value), emit_code


@intrinsic
def shift_in_element(typing, value, array, index):
    """Move every lane to the next one; lane 0 takes ``array[index]``. Short lanes read the three elements before, too.

    x86 moves lanes of 32 and 64 bits across a whole register, but not lanes of 16 bits: these are shifted eight at a
    time, each eight behind the last lane of the eight before.
    """

    def emit_code(context, builder, signature, arguments):
        _, array, index = arguments
        _, array_type, _ = signature.args
        count = value.vector.count
        if value == Lanes:
            first = builder.load(element_pointer(context, builder, array_type, array, index))
            entering = emit_splat(builder, first, value.vector)
            return shuffle_lanes(builder, entering, arguments[0], list(range(count - 1, 2 * count - 1)))
        fours = ir.VectorType(_I64, count // 4)
        address = element_pointer(context, builder, array_type, array, builder.sub(index, _I64(3)))
        entering = builder.load(builder.bitcast(address, _I64.as_pointer()))
        entering.align = 2
        here = builder.bitcast(arguments[0], fours)
        before = shuffle_lanes(
            builder, emit_splat(builder, entering, fours), here, list(range(fours.count - 2, 2 * fours.count - 2))
        )
        order = [count + i - 1 if i % 8 else i + 7 for i in range(count)]
        return shuffle_lanes(builder, builder.bitcast(before, value.vector), arguments[0], order)

    return value(value, array, types.intp), emit_code


@intrinsic
def last_lane(typing, value):
    """Return the number in the last lane."""

    def emit_code(context, builder, signature, arguments):
        return builder.extract_element(arguments[0], _I32(value.vector.count - 1))

    return (types.int16 if value == ShortLanes else types.int32)(value), emit_code


@intrinsic
def splat_last(typing, value):
    """Return a vector whose lanes all hold the last lane; the number stays in vector registers."""

    def emit_code(context, builder, signature, arguments):
        count = value.vector.count
        return shuffle_lanes(builder, arguments[0], arguments[0], [count - 1] * count)

    return value(value), emit_code


@intrinsic
def store_last_lane(typing, array, index, value):
    """Store the last quarter of the lanes where ``store`` would put them; only the last lane is guaranteed.

    A quarter seldom straddles two cache lines, as whole vectors that move by one element nearly always do.
    """

    def emit_code(context, builder, signature, arguments):
        count, quarter = value.vector.count, value.vector.count // 4
        last = shuffle_lanes(builder, arguments[2], arguments[2], list(range(count - quarter, count)))
        at = builder.add(arguments[1], _I64(count - quarter))
        address = element_pointer(context, builder, signature.args[0], arguments[0], at, last.type)
        store_unaligned(builder, last, address, last.type)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), emit_code


@intrinsic
def prefix_maximum(typing, value):
    """Return the running maximum: in every lane the greatest number of this lane and those before it."""

    def emit_code(context, builder, signature, arguments):
        greatest, least = arguments[0], ir.Constant(Lanes.vector, [-(2**31)] * LANES)
        for distance in (1, 2, 4, 8):
            order = ir.Constant(Lanes.vector, list(range(LANES - distance, 2 * LANES - distance)))
            moved = builder.shuffle_vector(least, greatest, order)
            greatest = builder.select(builder.icmp_signed(">", greatest, moved), greatest, moved)
        return greatest

    return Lanes(Lanes), emit_code


@intrinsic
def transpose_block(typing, source, offsets, column, target, index):
    """Transpose 16 x 16 elements: ``target[index + 16 c + l] = source[offsets[l] + column + c]``; 32 x 32 of int16.

    Rounds that interleave row i with row i + count / 2 turn rows into columns. ``source`` and ``target`` have the same
    element type; ``offsets`` is int64 with one element for each row.
    """
    lanes = ShortLanes if source.dtype == types.int16 else Lanes

    def emit_code(context, builder, signature, arguments):
        source, offsets, column, target, index = arguments
        source_type, offsets_type, _, target_type, _ = signature.args
        vector, count = vector_type_of(context, source_type, lanes), lanes.vector.count

        def row(lane):
            offset = builder.load(element_pointer(context, builder, offsets_type, offsets, _I64(lane)))
            at = builder.add(offset, column)
            return load_unaligned(builder, element_pointer(context, builder, source_type, source, at, vector), vector)

        rows = [row(lane) for lane in range(count)]
        for _ in range(count.bit_length() - 1):
            pairs = zip(rows[: count // 2], rows[count // 2 :], strict=True)
            rows = [_interleave_lanes(builder, a, b, half) for a, b in pairs for half in range(2)]
        for c, value in enumerate(rows):
            at = builder.add(index, _I64(count * c))
            store_unaligned(builder, value, element_pointer(context, builder, target_type, target, at, vector), vector)
        return context.get_dummy_value()

    return types.void(source, offsets, types.intp, target, types.intp), emit_code


def _interleave_lanes(builder: Any, a: Any, b: Any, half: int) -> Any:
    """Emit the lower or upper half of the interleaved lanes of two vectors: a0 b0 a1 b1 ..."""
    count = a.type.count
    first = half * count // 2
    return shuffle_lanes(builder, a, b, [lane for i in range(first, first + count // 2) for lane in (i, i + count)])
