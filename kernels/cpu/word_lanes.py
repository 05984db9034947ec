"""Vectors of eight 64-bit words for functions compiled by Numba, for algorithms that hold a bit for each cell.

``WordLanes`` and what works on all vectors (``add``, ``bit_and``, ``select_lanes``, ...) are in `kernels.cpu.simd`,
moves from lane to lane in `kernels.cpu.lane_moves`.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from antidiag.kernels.cpu.simd import (
    WORD_LANES,
    WordLanes,
    call_vectors,
    element_pointer,
    load_unaligned,
    vector_type_of,
)

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)


@intrinsic
def load_words(typing, array, index):
    """Load ``array[index : index + 8]`` as WordLanes; narrower elements are sign-extended."""

    def emit_code(context, builder, signature, arguments):
        vector = vector_type_of(context, signature.args[0], WordLanes)
        array, index = arguments
        address = element_pointer(context, builder, signature.args[0], array, index, vector)
        return builder.sext(load_unaligned(builder, address, vector), WordLanes.vector)

    return WordLanes(array, types.intp), emit_code


@intrinsic
def load_word_of_each(typing, table, codes, index):
    """Return WordLanes whose lane l is ``table[8 * codes[index + l] + l]``; codes are int8 and not negative."""

    def emit_code(context, builder, signature, arguments):
        table, codes, index = arguments
        table_type, codes_type, _ = signature.args
        found = ir.Constant(WordLanes.vector, ir.Undefined)
        for lane in range(WORD_LANES):
            at = builder.add(index, _I64(lane))
            code = builder.zext(builder.load(element_pointer(context, builder, codes_type, codes, at)), _I64)
            place = builder.add(builder.shl(code, _I64(3)), _I64(lane))
            word = builder.load(element_pointer(context, builder, table_type, table, place))
            found = builder.insert_element(found, word, _I32(lane))
        return found

    return WordLanes(table, codes, types.intp), emit_code


@intrinsic
def shift_in_bit(typing, value, lower):
    """Shift every word left by one bit; bit 0 is the top bit of the same lane of ``lower``."""

    def emit_code(context, builder, signature, arguments):
        one = ir.Constant(WordLanes.vector, [1] * WORD_LANES)
        return call_vectors(builder, f"llvm.fshl.v{WORD_LANES}i64", WordLanes.vector, *arguments, one)

    return WordLanes(WordLanes, WordLanes), emit_code


@intrinsic
def top_bit(typing, value):
    """Return 1 in every lane whose top bit is set, and 0 in the others."""

    def emit_code(context, builder, signature, arguments):
        return builder.lshr(arguments[0], ir.Constant(WordLanes.vector, [63] * WORD_LANES))

    return WordLanes(WordLanes), emit_code


@intrinsic
def store_last_word(typing, array, index, value):
    """Store the last lane as ``array[index]``."""

    def emit_code(context, builder, signature, arguments):
        array, index, value = arguments
        word = builder.extract_element(value, _I32(WORD_LANES - 1))
        builder.store(word, element_pointer(context, builder, signature.args[0], array, index))
        return context.get_dummy_value()

    return types.void(array, types.intp, WordLanes), emit_code


@intrinsic
def pack_top_bits(typing, array, index):
    """Return the top bits of ``array[index : index + 8]`` as the bits 0 to 7 of a number."""

    def emit_code(context, builder, signature, arguments):
        array, index = arguments
        address = element_pointer(context, builder, signature.args[0], array, index, WordLanes.vector)
        words = load_unaligned(builder, address, WordLanes.vector)
        flags = builder.icmp_signed("<", words, ir.Constant(WordLanes.vector, [0] * WORD_LANES))
        return builder.zext(builder.bitcast(flags, _I8), _I64)

    return types.int64(array, types.intp), emit_code
