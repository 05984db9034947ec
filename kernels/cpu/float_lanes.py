"""Floating-point vectors of 16 lanes for functions compiled by Numba; `kernels.cpu.simd` has the integer ones.

LLVM may not reorder minima of floating-point numbers, and so does not vectorise loops over them by itself. A vector has
the type of the array it was loaded from, float32 or float64. No lane may be NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from antidiag.kernels.cpu.simd import Flags

LANES = 16

_FLOATS = {32: ir.FloatType(), 64: ir.DoubleType()}


class _RealsType(types.Type):
    """The Numba type of 16 floating-point numbers of 32 or 64 bits."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"Reals{bits}")


_REALS = {bits: _RealsType(bits) for bits in _FLOATS}


@register_model(_RealsType)
class _RealsModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.VectorType(_FLOATS[kind.bits], LANES))


def _vector_type(kind: Any) -> ir.VectorType:
    return ir.VectorType(_FLOATS[kind.bits], LANES)


def _vector_pointer(context, builder, array_type, array, index, vector):
    """Return the address of 16 elements of a contiguous one-dimensional array."""
    start = builder.gep(context.make_array(array_type)(context, builder, array).data, [index])
    return builder.bitcast(start, vector.as_pointer())


def emit_splat(builder, scalar, vector):
    """Emit code that copies a number to all lanes."""
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.IntType(32)(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


@intrinsic
def load(typing, array, index):
    """Load ``array[index : index + 16]``."""

    def emit_code(context, builder, signature, arguments):
        vector = _vector_type(signature.return_type)
        address = _vector_pointer(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        loaded = builder.load(address)
        loaded.align = vector.element.get_abi_size(context.target_data)
        return loaded

    return _REALS[array.dtype.bitwidth](array, types.intp), emit_code


@intrinsic
def store(typing, array, index, value):
    """Store all lanes in ``array[index : index + 16]``, which has the same type."""

    def emit_code(context, builder, signature, arguments):
        vector = _vector_type(signature.args[2])
        address = _vector_pointer(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        builder.store(arguments[2], address).align = vector.element.get_abi_size(context.target_data)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), emit_code


@intrinsic
def splat(typing, value):
    """Return a vector whose lanes all hold the same number."""
    kind = _REALS[value.bitwidth]
    return kind(value), lambda context, builder, signature, arguments: emit_splat(
        builder, arguments[0], _vector_type(kind)
    )


def _make_binary(emit: Callable) -> Callable:
    """Make an intrinsic of two vectors of one type from ``emit(builder, a, b)``, its LLVM expression."""

    def vector_operation(typing, a, b):
        return a(a, b), lambda context, builder, signature, arguments: emit(builder, *arguments)

    return intrinsic(vector_operation)


add = _make_binary(lambda builder, a, b: builder.fadd(a, b))
subtract = _make_binary(lambda builder, a, b: builder.fsub(a, b))
multiply = _make_binary(lambda builder, a, b: builder.fmul(a, b))
minimum = _make_binary(lambda builder, a, b: builder.select(builder.fcmp_ordered("<", a, b), a, b))
maximum = _make_binary(lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b))


def _make_comparison(sign: str) -> Callable:
    """Make an intrinsic that flags the lanes where a comparison holds, for `kernels.cpu.simd.select_lanes`."""

    def vector_operation(typing, a, b):
        return Flags(a, a), lambda context, builder, signature, arguments: builder.fcmp_ordered(sign, *arguments)

    return intrinsic(vector_operation)


greater, greater_equal = _make_comparison(">"), _make_comparison(">=")


@intrinsic
def select_above(typing, guard, limit, value):
    """Return ``value`` in the lanes where ``guard`` is greater than ``limit``, and 0 in the others; all of one type."""

    def emit_code(context, builder, signature, arguments):
        zero = ir.Constant(_vector_type(value), [0.0] * LANES)
        return builder.select(builder.fcmp_ordered(">", arguments[0], arguments[1]), arguments[2], zero)

    return value(guard, limit, value), emit_code


@intrinsic
def to_double(typing, value):
    """Convert the lanes to double precision."""

    def emit_code(context, builder, signature, arguments):
        return arguments[0] if value.bits == 64 else builder.fpext(arguments[0], _vector_type(_REALS[64]))

    return _REALS[64](value), emit_code


@intrinsic
def cast_to_type_of(typing, value, array):
    """Round lanes in double precision to the type of an array."""
    kind = _REALS[array.dtype.bitwidth]

    def emit_code(context, builder, signature, arguments):
        return arguments[0] if kind.bits == 64 else builder.fptrunc(arguments[0], _vector_type(kind))

    return kind(value, array), emit_code


@intrinsic
def minimum_lane(typing, value):
    """Return the smallest number of all lanes."""

    def emit_code(context, builder, signature, arguments):
        least = arguments[0]
        for distance in (8, 4, 2, 1):
            order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [(i + distance) % LANES for i in range(LANES)])
            moved = builder.shuffle_vector(least, least, order)
            least = builder.select(builder.fcmp_ordered("<", moved, least), moved, least)
        return builder.extract_element(least, ir.IntType(32)(0))

    return (types.float32 if value.bits == 32 else types.float64)(value), emit_code
