"""Vectors of 16 lanes for compiled functions: on the CPU a vector is what a warp is on a GPU.

A ``Lanes`` value is 16 numbers of 32 bits (LLVM's <16 x i32>: one AVX-512 register, two AVX2 registers,
four NEON registers). Functions compiled by Numba use it like a number; it never leaves them. Arithmetic wraps
around silently. A comparison gives ``Flags``, one bit a lane, for ``select`` and ``any_lane``.

The last two functions order memory between threads, as a progress word needs it.
"""

from __future__ import annotations

import platform
from collections.abc import Callable

from llvmlite import ir

from kernels import jit  # noqa: F401 - sets up Numba before it is imported

from numba import types  # isort: skip
from numba.core import cgutils  # isort: skip
from numba.extending import intrinsic, models, register_model  # isort: skip

LANES = 16

_PAUSES = platform.machine() in ("x86_64", "AMD64")

_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_VECTOR = ir.VectorType(_I32, LANES)
_FLAGS = ir.VectorType(ir.IntType(1), LANES)


class _LanesType(types.Type):
    def __init__(self) -> None:
        super().__init__(name="Lanes")


class _FlagsType(types.Type):
    def __init__(self) -> None:
        super().__init__(name="Flags")


Lanes, Flags = _LanesType(), _FlagsType()


@register_model(_LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, _VECTOR)


@register_model(_FlagsType)
class _FlagsModel(models.PrimitiveModel):
    def __init__(self, manager, kind) -> None:
        super().__init__(manager, kind, _FLAGS)


def _pointer(context, builder, array_type, array, index, vector=None):
    """Address of element ``index`` of a one-dimensional contiguous array; of a vector there, where given."""
    address = builder.gep(context.make_array(array_type)(context, builder, array).data, [index])
    return builder.bitcast(address, vector.as_pointer()) if vector else address


def _load_unaligned(builder, address, vector):
    loaded = builder.load(address)
    loaded.align = vector.element.width // 8
    return loaded


def _store_unaligned(builder, value, address, vector) -> None:
    builder.store(value, address).align = vector.element.width // 8


def _vector_of(context, array_type):
    """The LLVM vector of 16 elements of an array's own type."""
    return ir.VectorType(context.get_data_type(array_type.dtype), LANES)


@intrinsic
def load(typing, array, index):
    """``array[index : index + 16]`` as Lanes; int8 elements are widened with their sign."""

    def generate(context, builder, signature, arguments):
        vector = _vector_of(context, signature.args[0])
        address = _pointer(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        loaded = _load_unaligned(builder, address, vector)
        return builder.sext(loaded, _VECTOR) if vector.element.width < 32 else loaded

    return Lanes(array, types.intp), generate


@intrinsic
def store(typing, array, index, value):
    """Write 16 lanes to ``array[index : index + 16]``; a narrower array keeps the low bits."""

    def generate(context, builder, signature, arguments):
        vector = _vector_of(context, signature.args[0])
        address = _pointer(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        narrow = vector.element.width < 32
        _store_unaligned(builder, builder.trunc(arguments[2], vector) if narrow else arguments[2], address, vector)
        return context.get_dummy_value()

    return types.void(array, types.intp, Lanes), generate


@intrinsic
def splat(typing, value):
    """The same number in every lane."""

    def generate(context, builder, signature, arguments):
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        first = builder.insert_element(undefined, arguments[0], _I32(0))
        return builder.shuffle_vector(first, undefined, ir.Constant(_VECTOR, [0] * LANES))

    return Lanes(types.int32), generate


@intrinsic
def lane_numbers(typing):
    """0, 1, ... 15."""
    return Lanes(), lambda context, builder, signature, arguments: ir.Constant(_VECTOR, list(range(LANES)))


def _binary(emit: Callable, operands=Lanes, result=Lanes) -> Callable:
    """An intrinsic of two vectors; ``emit(builder, a, b)`` is its LLVM expression."""

    def operation(typing, a, b):
        return result(operands, operands), lambda context, builder, signature, arguments: emit(builder, *arguments)

    return intrinsic(operation)


add = _binary(lambda builder, a, b: builder.add(a, b))
subtract = _binary(lambda builder, a, b: builder.sub(a, b))
maximum = _binary(lambda builder, a, b: builder.select(builder.icmp_signed(">", a, b), a, b))
greater = _binary(lambda builder, a, b: builder.icmp_signed(">", a, b), result=Flags)
equal = _binary(lambda builder, a, b: builder.icmp_signed("==", a, b), result=Flags)
shift_left = _binary(lambda builder, a, b: builder.shl(a, b))
both = _binary(lambda builder, a, b: builder.and_(a, b), operands=Flags, result=Flags)


@intrinsic
def select(typing, flags, yes, no):
    """``yes`` in the lanes that are flagged, ``no`` in the others."""
    return Lanes(Flags, Lanes, Lanes), lambda context, builder, signature, arguments: builder.select(*arguments)


@intrinsic
def any_lane(typing, flags):
    """Whether a lane is flagged."""

    def generate(context, builder, signature, arguments):
        bits = builder.bitcast(arguments[0], ir.IntType(LANES))
        return builder.icmp_unsigned("!=", bits, bits.type(0))

    return types.boolean(Flags), generate


@intrinsic
def shift_in(typing, value, first):
    """Every lane takes its left neighbour's number; lane 0 takes ``first``."""

    def generate(context, builder, signature, arguments):
        entering = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), arguments[1], _I32(LANES - 1))
        order = ir.Constant(_VECTOR, list(range(LANES - 1, 2 * LANES - 1)))
        return builder.shuffle_vector(entering, arguments[0], order)

    return Lanes(Lanes, types.int32), generate


@intrinsic
def prefix_maximum(typing, value):
    """In every lane, the greatest number of this lane and those before it; four steps, each twice as far."""

    def generate(context, builder, signature, arguments):
        greatest, least = arguments[0], ir.Constant(_VECTOR, [-(2**31)] * LANES)
        for distance in (1, 2, 4, 8):
            order = ir.Constant(_VECTOR, list(range(LANES - distance, 2 * LANES - distance)))
            moved = builder.shuffle_vector(least, greatest, order)
            greatest = builder.select(builder.icmp_signed(">", greatest, moved), greatest, moved)
        return greatest

    return Lanes(Lanes), generate


@intrinsic
def last_lane(typing, value):
    """The number in lane 15."""

    def generate(context, builder, signature, arguments):
        return builder.extract_element(arguments[0], _I32(LANES - 1))

    return types.int32(Lanes), generate


@intrinsic
def transpose(typing, source, offsets, column, target, index):
    """Transpose 16 x 16 numbers: ``target[index + 16 c + l] = source[offsets[l] + column + c]``.

    Four rounds of interleaving row i with row i + 8 turn 16 rows into 16 columns. ``source`` and ``target``
    have the same type of element; ``offsets`` is int64, shape (16,).
    """

    def generate(context, builder, signature, arguments):
        source, offsets, column, target, index = arguments
        source_type, offsets_type, _, target_type, _ = signature.args
        vector = _vector_of(context, source_type)

        def row(lane):
            offset = builder.load(_pointer(context, builder, offsets_type, offsets, _I64(lane)))
            at = builder.add(offset, column)
            return _load_unaligned(builder, _pointer(context, builder, source_type, source, at, vector), vector)

        rows = [row(lane) for lane in range(LANES)]
        for _ in range(4):
            pairs = zip(rows[: LANES // 2], rows[LANES // 2 :], strict=True)
            rows = [_interleaved(builder, a, b, half) for a, b in pairs for half in range(2)]
        for c, value in enumerate(rows):
            at = builder.add(index, _I64(LANES * c))
            _store_unaligned(builder, value, _pointer(context, builder, target_type, target, at, vector), vector)
        return context.get_dummy_value()

    return types.void(source, offsets, types.intp, target, types.intp), generate


def _interleaved(builder, a, b, half: int):
    """The lower or upper half of a and b, taken in turns: a0 b0 a1 b1 ..."""
    order = [lane for i in range(LANES // 2) for lane in (half * LANES // 2 + i, half * LANES // 2 + i + LANES)]
    return builder.shuffle_vector(a, b, ir.Constant(_VECTOR, order))


@intrinsic
def acquire(typing, words, index):
    """Read ``words[index]`` (int64); what its writer wrote before releasing it can be read after this."""

    def generate(context, builder, signature, arguments):
        return builder.load_atomic(_pointer(context, builder, signature.args[0], *arguments), "acquire", 8)

    return types.int64(words, types.intp), generate


@intrinsic
def release(typing, words, index, value):
    """Write ``words[index]`` (int64) after everything that this thread wrote before."""

    def generate(context, builder, signature, arguments):
        address = _pointer(context, builder, signature.args[0], *arguments[:2])
        builder.store_atomic(arguments[2], address, "release", 8)
        return context.get_dummy_value()

    return types.void(words, types.intp, types.int64), generate


@intrinsic
def relax(typing):
    """Tell the processor that this thread waits in a loop, so that another on the same core gets its share (x86)."""

    def generate(context, builder, signature, arguments):
        if _PAUSES:
            pause = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, pause, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.void(), generate
