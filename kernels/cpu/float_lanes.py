"""Vectors of 16 floating-point lanes for compiled functions, as `kernels.cpu.simd` has them for whole numbers.

Minima over floating-point numbers are the reason: a compiler may not reorder them, and so leaves such a loop scalar.
A ``Reals`` value has the type of the array it was loaded from, float32 or float64. No lane is ever NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from antidiag.kernels.cpu.simd import Flags

LANES = 16

_FLOATS = {32: ir.FloatType(), 64: ir.DoubleType()}


class _RealsType(types.Type):
    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"Reals{bits}")


_REALS = {bits: _RealsType(bits) for bits in _FLOATS}


@register_model(_RealsType)
class _RealsModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.VectorType(_FLOATS[kind.bits], LANES))


def _vector(kind: Any) -> ir.VectorType:
    return ir.VectorType(_FLOATS[kind.bits], LANES)


def _address(context, builder, array_type, array, index, vector):
    """Where 16 elements of a one-dimensional contiguous array begin."""
    start = builder.gep(context.make_array(array_type)(context, builder, array).data, [index])
    return builder.bitcast(start, vector.as_pointer())


def _splat(builder, scalar, vector):
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.IntType(32)(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


@intrinsic
def load(typing, array, index):
    """``array[index : index + 16]``."""

    def generate(context, builder, signature, arguments):
        vector = _vector(signature.return_type)
        address = _address(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        loaded = builder.load(address)
        loaded.align = vector.element.get_abi_size(context.target_data)
        return loaded

    return _REALS[array.dtype.bitwidth](array, types.intp), generate


@intrinsic
def store(typing, array, index, value):
    """Write 16 lanes to ``array[index : index + 16]``, of the same type."""

    def generate(context, builder, signature, arguments):
        vector = _vector(signature.args[2])
        address = _address(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        builder.store(arguments[2], address).align = vector.element.get_abi_size(context.target_data)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), generate


@intrinsic
def splat(typing, value):
    """The same number in every lane."""
    kind = _REALS[value.bitwidth]
    return kind(value), lambda context, builder, signature, arguments: _splat(builder, arguments[0], _vector(kind))


def _binary(emit: Callable) -> Callable:
    """An intrinsic of two vectors of one type; ``emit(builder, a, b)`` is its LLVM expression."""

    def operation(typing, a, b):
        return a(a, b), lambda context, builder, signature, arguments: emit(builder, *arguments)

    return intrinsic(operation)


add = _binary(lambda builder, a, b: builder.fadd(a, b))
subtract = _binary(lambda builder, a, b: builder.fsub(a, b))
multiply = _binary(lambda builder, a, b: builder.fmul(a, b))
minimum = _binary(lambda builder, a, b: builder.select(builder.fcmp_ordered("<", a, b), a, b))
maximum = _binary(lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b))


def _compares(sign: str) -> Callable:
    """An intrinsic that flags the lanes of which a comparison holds, for `kernels.cpu.simd.select`."""

    def operation(typing, a, b):
        return Flags(a, a), lambda context, builder, signature, arguments: builder.fcmp_ordered(sign, *arguments)

    return intrinsic(operation)


greater, no_less = _compares(">"), _compares(">=")


@intrinsic
def multiply_add(typing, a, b, c):
    """a b + c, rounded once or twice: as is faster on this processor. Whole numbers that fit are exact in any case."""

    def generate(context, builder, signature, arguments):
        kind = _vector(signature.return_type)
        name = f"llvm.fmuladd.v{LANES}f{signature.return_type.bits}"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind] * 3), name)
        return builder.call(function, arguments)

    return a(a, b, c), generate


@intrinsic
def where_above(typing, guard, limit, value):
    """The lanes of ``value`` where ``guard`` is greater than ``limit``, and 0 in the others; all in one type."""

    def generate(context, builder, signature, arguments):
        zero = ir.Constant(_vector(value), [0.0] * LANES)
        return builder.select(builder.fcmp_ordered(">", arguments[0], arguments[1]), arguments[2], zero)

    return value(guard, limit, value), generate


@intrinsic
def to_double(typing, value):
    """The lanes in double precision."""

    def generate(context, builder, signature, arguments):
        return arguments[0] if value.bits == 64 else builder.fpext(arguments[0], _vector(_REALS[64]))

    return _REALS[64](value), generate


@intrinsic
def to_type_of(typing, value, array):
    """Lanes in double precision, rounded to the type of an array."""
    kind = _REALS[array.dtype.bitwidth]

    def generate(context, builder, signature, arguments):
        return arguments[0] if kind.bits == 64 else builder.fptrunc(arguments[0], _vector(kind))

    return kind(value, array), generate


@intrinsic
def least_lane(typing, value):
    """The smallest number of all lanes; four rounds of halves."""

    def generate(context, builder, signature, arguments):
        least = arguments[0]
        for distance in (8, 4, 2, 1):
            order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [(i + distance) % LANES for i in range(LANES)])
            moved = builder.shuffle_vector(least, least, order)
            least = builder.select(builder.fcmp_ordered("<", moved, least), moved, least)
        return builder.extract_element(least, ir.IntType(32)(0))

    return (types.float32 if value.bits == 32 else types.float64)(value), generate
