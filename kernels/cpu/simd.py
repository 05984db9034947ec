"""Integer vectors, atomic operations and memory copies for functions compiled by Numba.

A ``Lanes`` value has 16 lanes of 32 bits (LLVM's <16 x i32>: one AVX-512, two AVX2 or four NEON registers), a
``ShortLanes`` value 32 lanes of 16 bits and a ``WordLanes`` value 8 lanes of 64 bits in as many registers (for these
see also `kernels.cpu.word_lanes`). Compiled functions use them like numbers, and cannot
return them to Python. Arithmetic wraps around silently. A comparison gives flags, one bit a lane, for ``select_lanes``
and ``any_lane``. Operations take either type unless they name one.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

LANES, SHORT_LANES, WORD_LANES = 16, 32, 8

_HAS_PAUSE = platform.machine() in ("x86_64", "AMD64")

_I32 = ir.IntType(32)
_I64 = ir.IntType(64)


@cache
def cpu_features() -> frozenset[str]:
    """Return LLVM's names of the features of this processor that Numba compiles for, such as avx2."""
    if numba.config.CPU_FEATURES is not None:
        return frozenset(name[1:] for name in numba.config.CPU_FEATURES.split(",") if name.startswith("+"))
    found = (name for name, is_there in binding.get_host_cpu_features().items() if is_there)
    return frozenset(name for name in found if numba.config.ENABLE_AVX or not name.startswith("avx"))


class _VectorType(types.Type):
    """The Numba type of ``count`` integers of ``bits`` bits; flags have one bit."""

    def __init__(self, name: str, bits: int, count: int) -> None:
        self.vector = ir.VectorType(ir.IntType(bits), count)
        super().__init__(name=name)


def make_vector_type(name: str, bits: int, count: int) -> Any:
    """Return a new Numba type of ``count`` integers of ``bits`` bits."""
    return _VectorType(name, bits, count)


Lanes, Flags = _VectorType("Lanes", 32, LANES), _VectorType("Flags", 1, LANES)
ShortLanes, ShortFlags = _VectorType("ShortLanes", 16, SHORT_LANES), _VectorType("ShortFlags", 1, SHORT_LANES)
WordLanes, WordFlags = _VectorType("WordLanes", 64, WORD_LANES), _VectorType("WordFlags", 1, WORD_LANES)
_FLAGS = {Lanes: Flags, ShortLanes: ShortFlags, WordLanes: WordFlags}


@register_model(_VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)


def element_pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any, vector: Any = None) -> Any:
    """Return the address of an element of a contiguous one-dimensional array, as that of a vector if one is given."""
    address = builder.gep(context.make_array(array_type)(context, builder, array).data, [index])
    return builder.bitcast(address, vector.as_pointer()) if vector else address


def load_unaligned(builder: Any, address: Any, vector: Any) -> Any:
    """Emit a load of a vector from any address."""
    loaded = builder.load(address)
    loaded.align = vector.element.width // 8
    return loaded


def store_unaligned(builder: Any, value: Any, address: Any, vector: Any) -> None:
    """Emit a store of a vector to any address."""
    builder.store(value, address).align = vector.element.width // 8


def vector_type_of(context: Any, array_type: Any, lanes: Any = Lanes) -> Any:
    """Return the LLVM vector type with the element type of an array and as many elements as there are lanes."""
    return ir.VectorType(context.get_data_type(array_type.dtype), lanes.vector.count)


def emit_splat(builder: Any, number: Any, vector: Any) -> Any:
    """Emit a vector whose lanes all hold the same number."""
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, number, _I32(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(_I32, vector.count), [0] * vector.count))


def shuffle_lanes(builder: Any, a: Any, b: Any, order: list[int]) -> Any:
    """Emit a vector whose lanes are those of ``a`` followed by ``b``, picked by their numbers in ``order``."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_I32, len(order)), order))


@intrinsic
def load(typing, array, index):
    """Load ``array[index : index + 16]`` as Lanes, with int8 sign-extended, or 32 elements of int16 as ShortLanes."""
    lanes = ShortLanes if array.dtype == types.int16 else Lanes

    def emit_code(context, builder, signature, arguments):
        vector = vector_type_of(context, signature.args[0], lanes)
        address = element_pointer(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        loaded = load_unaligned(builder, address, vector)
        return loaded if vector == lanes.vector else builder.sext(loaded, lanes.vector)

    return lanes(array, types.intp), emit_code


@intrinsic
def store(typing, array, index, value):
    """Store all lanes from ``array[index]`` on; a narrower array keeps the low bits."""

    def emit_code(context, builder, signature, arguments):
        vector = vector_type_of(context, signature.args[0], value)
        address = element_pointer(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        narrow = vector.element.width < value.vector.element.width
        store_unaligned(builder, builder.trunc(arguments[2], vector) if narrow else arguments[2], address, vector)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), emit_code


@intrinsic
def splat(typing, value):
    """Return Lanes that all hold the same number."""
    return Lanes(types.int32), lambda context, builder, signature, arguments: emit_splat(
        builder, arguments[0], Lanes.vector
    )


@intrinsic
def splat_like(typing, lanes, number):
    """Return a vector of the type of ``lanes`` whose lanes all hold the same number."""

    def emit_code(context, builder, signature, arguments):
        return emit_splat(builder, builder.trunc(arguments[1], lanes.vector.element), lanes.vector)

    return lanes(lanes, types.int64), emit_code


@intrinsic
def lane_numbers(typing):
    """Return the Lanes 0, 1, ... 15."""
    return Lanes(), lambda context, builder, signature, arguments: ir.Constant(Lanes.vector, list(range(LANES)))


@intrinsic
def lane_count(typing, lanes):
    """Return the number of lanes of a vector, a constant in compiled code."""
    return types.intp(lanes), lambda context, builder, signature, arguments: _I64(lanes.vector.count)


@intrinsic
def flag_lanes_after(typing, lanes, number):
    """Flag the lanes after lane ``number``, counted from 0, of a vector of the type of ``lanes``."""

    def emit_code(context, builder, signature, arguments):
        vector = lanes.vector
        numbers = ir.Constant(vector, list(range(vector.count)))
        return builder.icmp_signed(
            ">", numbers, emit_splat(builder, builder.trunc(arguments[1], vector.element), vector)
        )

    return _FLAGS[lanes](lanes, types.intp), emit_code


def call_vectors(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Emit a call of the LLVM intrinsic of this name on vectors."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def call_saturating(builder: Any, operation: str, a: Any, b: Any) -> Any:
    """Emit a saturating operation of LLVM on two vectors: sadd, ssub, uadd or usub."""
    return call_vectors(builder, f"llvm.{operation}.sat.v{a.type.count}i{a.type.element.width}", a.type, a, b)


def _make_binary(emit: Callable, compares: bool = False) -> Callable:
    """Make an intrinsic of two vectors of one type from ``emit(builder, a, b)``, its LLVM expression."""

    def vector_operation(typing, a, b):
        result = _FLAGS[a] if compares else a
        return result(a, a), lambda context, builder, signature, arguments: emit(builder, *arguments)

    return intrinsic(vector_operation)


add = _make_binary(lambda builder, a, b: builder.add(a, b))
subtract = _make_binary(lambda builder, a, b: builder.sub(a, b))
maximum = _make_binary(lambda builder, a, b: builder.select(builder.icmp_signed(">", a, b), a, b))
greater_lanes = _make_binary(lambda builder, a, b: builder.icmp_signed(">", a, b), compares=True)
equal_lanes = _make_binary(lambda builder, a, b: builder.icmp_signed("==", a, b), compares=True)
shift_left = _make_binary(lambda builder, a, b: builder.shl(a, b))
shift_right = _make_binary(lambda builder, a, b: builder.ashr(a, b))
bit_and = _make_binary(lambda builder, a, b: builder.and_(a, b))
bit_or = _make_binary(lambda builder, a, b: builder.or_(a, b))
bit_xor = _make_binary(lambda builder, a, b: builder.xor(a, b))
less_unsigned = _make_binary(lambda builder, a, b: builder.icmp_unsigned("<", a, b), compares=True)


@intrinsic
def multiply_add_pairs(typing, total, a, b):
    """Add to ``total`` the products of the low and of the high halves of each lane, signed 16-bit integers.

    This is one AVX-512 or two AVX2 instructions where the processor has them.
    """

    def emit_code(context, builder, signature, arguments):
        total, *factors = arguments
        left, right = (builder.bitcast(factor, ShortLanes.vector) for factor in factors)
        if "avx512bw" in cpu_features():
            found = call_vectors(builder, "llvm.x86.avx512.pmaddw.d.512", Lanes.vector, left, right)
        elif "avx2" in cpu_features():
            half = ir.VectorType(_I32, LANES // 2)
            low, high = (
                call_vectors(
                    builder,
                    "llvm.x86.avx2.pmadd.wd",
                    half,
                    *(
                        shuffle_lanes(builder, factor, factor, list(range(start, start + 16)))
                        for factor in (left, right)
                    ),
                )
                for start in (0, 16)
            )
            found = shuffle_lanes(builder, low, high, list(range(LANES)))
        else:
            found = builder.add(*(_multiply_lanes(builder, left, right, first) for first in (0, 1)))
        return builder.add(found, total)

    return Lanes(Lanes, Lanes, Lanes), emit_code


def _multiply_lanes(builder: Any, left: Any, right: Any, first: int) -> Any:
    """Emit the 32-bit products of every other lane of two vectors of 16-bit lanes."""
    order = list(range(first, SHORT_LANES, 2))
    a, b = (builder.sext(shuffle_lanes(builder, lanes, lanes, order), Lanes.vector) for lanes in (left, right))
    return builder.mul(a, b)


@intrinsic
def select_lanes(typing, flags, yes, no):
    """Return ``yes`` in the flagged lanes and ``no`` in the others."""
    result = yes(_FLAGS[yes], yes, yes)
    return result, lambda context, builder, signature, arguments: builder.select(*arguments)


@intrinsic
def any_lane(typing, flags):
    """Return whether any lane is flagged."""

    def emit_code(context, builder, signature, arguments):
        bits = builder.bitcast(arguments[0], ir.IntType(flags.vector.count))
        return builder.icmp_unsigned("!=", bits, bits.type(0))

    return types.boolean(flags), emit_code


@intrinsic
def copy_elements(typing, target, to, source, start, count):
    """Copy ``source[start : start + count]`` to ``target[to:]``; both have one element type and do not overlap."""

    def emit_code(context, builder, signature, arguments):
        target, to, source, start, count = arguments
        item = context.get_abi_sizeof(context.get_data_type(signature.args[0].dtype))
        addresses = (
            element_pointer(context, builder, signature.args[0], target, to),
            element_pointer(context, builder, signature.args[2], source, start),
        )
        cgutils.raw_memcpy(builder, *addresses, count, item)
        return context.get_dummy_value()

    if target.dtype == source.dtype:
        return types.void(target, types.intp, source, types.intp, types.intp), emit_code
    return None


@intrinsic
def popcount(typing, word):
    """Count the bits that are set in a 64-bit integer."""
    return types.int64(word), lambda context, builder, signature, arguments: builder.ctpop(arguments[0])


@intrinsic
def popcount_lanes(typing, value):
    """Count the bits that are set in every lane."""

    def emit_code(context, builder, signature, arguments):
        vector = value.vector
        return call_vectors(builder, f"llvm.ctpop.v{vector.count}i{vector.element.width}", vector, *arguments)

    return value(value), emit_code


@intrinsic
def quotient_bits(typing, a, b):
    """Return the bits of a / b in single precision; quotients that are not negative are ordered as their bits."""

    def emit_code(context, builder, signature, arguments):
        reals = ir.VectorType(ir.FloatType(), LANES)
        one, other = (builder.sitofp(argument, reals) for argument in arguments)
        return builder.bitcast(builder.fdiv(one, other), Lanes.vector)

    return Lanes(Lanes, Lanes), emit_code


@intrinsic
def quotient_may_be_at_most(typing, a, b, bits):
    """Flag the lanes where a / b may have at most these bits (see `quotient_bits`), without a division.

    It flags all lanes where it has, and hardly any others, for positive a and b. Negative bits flag nothing.
    """

    def emit_code(context, builder, signature, arguments):
        reals = ir.VectorType(ir.FloatType(), LANES)
        one, other = (builder.sitofp(argument, reals) for argument in arguments[:2])
        most = builder.fmul(other, builder.bitcast(arguments[2], reals))
        tolerance = ir.Constant(reals, [1 + 2.0**-20] * LANES)
        return builder.fcmp_ordered("<=", one, builder.fmul(most, tolerance))

    return Flags(Lanes, Lanes, Lanes), emit_code


@intrinsic
def load_acquire(typing, words, index):
    """Read ``words[index]`` (int64) with acquire order: all that its writer wrote before `store_release` is visible."""

    def emit_code(context, builder, signature, arguments):
        return builder.load_atomic(element_pointer(context, builder, signature.args[0], *arguments), "acquire", 8)

    return types.int64(words, types.intp), emit_code


@intrinsic
def fetch_add(typing, words, index):
    """Add 1 to ``words[index]`` (int64) atomically and return its old value, which no other thread gets."""

    def emit_code(context, builder, signature, arguments):
        address = element_pointer(context, builder, signature.args[0], *arguments)
        return builder.atomic_rmw("add", address, _I64(1), "monotonic")

    return types.int64(words, types.intp), emit_code


@intrinsic
def store_release(typing, words, index, value):
    """Write ``words[index]`` (int64) with release order, after everything that this thread wrote before."""

    def emit_code(context, builder, signature, arguments):
        address = element_pointer(context, builder, signature.args[0], *arguments[:2])
        builder.store_atomic(arguments[2], address, "release", 8)
        return context.get_dummy_value()

    return types.void(words, types.intp, types.int64), emit_code


@intrinsic
def pause(typing):
    """Pause in a waiting loop, so that another thread of the same core gets its share; x86 only."""

    def emit_code(context, builder, signature, arguments):
        if _HAS_PAUSE:
            pause = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, pause, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.void(), emit_code
