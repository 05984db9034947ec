"""Integer vectors, atomic operations and memory copies for functions compiled by Numba.

A ``Lanes`` value has 16 lanes of 32 bits (LLVM's <16 x i32>: one AVX-512, two AVX2 or four NEON registers), a
``ShortLanes`` value 32 lanes of 16 bits in as many registers. Compiled functions use them like numbers, and cannot
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

LANES, SHORT_LANES = 16, 32

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


Lanes, Flags = _VectorType("Lanes", 32, LANES), _VectorType("Flags", 1, LANES)
ShortLanes, ShortFlags = _VectorType("ShortLanes", 16, SHORT_LANES), _VectorType("ShortFlags", 1, SHORT_LANES)
_FLAGS = {Lanes: Flags, ShortLanes: ShortFlags}


@register_model(_VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)


def _element_pointer(context, builder, array_type, array, index, vector=None):
    """Return the address of an element of a contiguous one-dimensional array, as that of a vector if one is given."""
    address = builder.gep(context.make_array(array_type)(context, builder, array).data, [index])
    return builder.bitcast(address, vector.as_pointer()) if vector else address


def _load_unaligned(builder, address, vector):
    loaded = builder.load(address)
    loaded.align = vector.element.width // 8
    return loaded


def _store_unaligned(builder: Any, value: Any, address: Any, vector: Any) -> None:
    builder.store(value, address).align = vector.element.width // 8


def _vector_type_of(context, array_type, lanes=Lanes):
    """Return the LLVM vector type with the element type of an array and as many elements as there are lanes."""
    return ir.VectorType(context.get_data_type(array_type.dtype), lanes.vector.count)


def _emit_splat(builder, number, vector):
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
        vector = _vector_type_of(context, signature.args[0], lanes)
        address = _element_pointer(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        loaded = _load_unaligned(builder, address, vector)
        return loaded if vector == lanes.vector else builder.sext(loaded, lanes.vector)

    return lanes(array, types.intp), emit_code


@intrinsic
def store(typing, array, index, value):
    """Store all lanes from ``array[index]`` on; a narrower array keeps the low bits."""

    def emit_code(context, builder, signature, arguments):
        vector = _vector_type_of(context, signature.args[0], value)
        address = _element_pointer(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        narrow = vector.element.width < value.vector.element.width
        _store_unaligned(builder, builder.trunc(arguments[2], vector) if narrow else arguments[2], address, vector)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), emit_code


@intrinsic
def store_last_lane(typing, array, index, value):
    """Store the last quarter of the lanes where ``store`` would put them; only the last lane is guaranteed.

    A quarter seldom straddles two cache lines, as whole vectors that move by one element nearly always do.
    """

    def emit_code(context, builder, signature, arguments):
        count, quarter = value.vector.count, value.vector.count // 4
        last = shuffle_lanes(builder, arguments[2], arguments[2], list(range(count - quarter, count)))
        at = builder.add(arguments[1], _I64(count - quarter))
        address = _element_pointer(context, builder, signature.args[0], arguments[0], at, last.type)
        _store_unaligned(builder, last, address, last.type)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), emit_code


@intrinsic
def splat(typing, value):
    """Return Lanes that all hold the same number."""
    return Lanes(types.int32), lambda context, builder, signature, arguments: _emit_splat(
        builder, arguments[0], Lanes.vector
    )


@intrinsic
def splat_like(typing, lanes, number):
    """Return a vector of the type of ``lanes`` whose lanes all hold the same number."""

    def emit_code(context, builder, signature, arguments):
        return _emit_splat(builder, builder.trunc(arguments[1], lanes.vector.element), lanes.vector)

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
            ">", numbers, _emit_splat(builder, builder.trunc(arguments[1], vector.element), vector)
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
        return shuffle_lanes(builder, *arguments, list(range(count - 1, 2 * count - 1)))

    return value(value, value), emit_code


@intrinsic
def splat_last(typing, value):
    """Return a vector whose lanes all hold the last lane; the number stays in vector registers."""

    def emit_code(context, builder, signature, arguments):
        count = value.vector.count
        return shuffle_lanes(builder, arguments[0], arguments[0], [count - 1] * count)

    return value(value), emit_code


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
            first = builder.load(_element_pointer(context, builder, array_type, array, index))
            entering = _emit_splat(builder, first, value.vector)
            return shuffle_lanes(builder, entering, arguments[0], list(range(count - 1, 2 * count - 1)))
        fours = ir.VectorType(_I64, count // 4)
        address = _element_pointer(context, builder, array_type, array, builder.sub(index, _I64(3)))
        entering = builder.load(builder.bitcast(address, _I64.as_pointer()))
        entering.align = 2
        here = builder.bitcast(arguments[0], fours)
        before = shuffle_lanes(
            builder, _emit_splat(builder, entering, fours), here, list(range(fours.count - 2, 2 * fours.count - 2))
        )
        order = [count + i - 1 if i % 8 else i + 7 for i in range(count)]
        return shuffle_lanes(builder, builder.bitcast(before, value.vector), arguments[0], order)

    return value(value, array, types.intp), emit_code


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
def last_lane(typing, value):
    """Return the number in the last lane."""

    def emit_code(context, builder, signature, arguments):
        return builder.extract_element(arguments[0], _I32(value.vector.count - 1))

    return (types.int16 if value == ShortLanes else types.int32)(value), emit_code


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
        vector, count = _vector_type_of(context, source_type, lanes), lanes.vector.count

        def row(lane):
            offset = builder.load(_element_pointer(context, builder, offsets_type, offsets, _I64(lane)))
            at = builder.add(offset, column)
            return _load_unaligned(builder, _element_pointer(context, builder, source_type, source, at, vector), vector)

        rows = [row(lane) for lane in range(count)]
        for _ in range(count.bit_length() - 1):
            pairs = zip(rows[: count // 2], rows[count // 2 :], strict=True)
            rows = [_interleave_lanes(builder, a, b, half) for a, b in pairs for half in range(2)]
        for c, value in enumerate(rows):
            at = builder.add(index, _I64(count * c))
            _store_unaligned(
                builder, value, _element_pointer(context, builder, target_type, target, at, vector), vector
            )
        return context.get_dummy_value()

    return types.void(source, offsets, types.intp, target, types.intp), emit_code


def _interleave_lanes(builder: Any, a: Any, b: Any, half: int) -> Any:
    """Emit the lower or upper half of the interleaved lanes of two vectors: a0 b0 a1 b1 ..."""
    count = a.type.count
    first = half * count // 2
    return shuffle_lanes(builder, a, b, [lane for i in range(first, first + count // 2) for lane in (i, i + count)])


@intrinsic
def copy_elements(typing, target, to, source, start, count):
    """Copy ``source[start : start + count]`` to ``target[to:]``; both have one element type and do not overlap."""

    def emit_code(context, builder, signature, arguments):
        target, to, source, start, count = arguments
        item = context.get_abi_sizeof(context.get_data_type(signature.args[0].dtype))
        addresses = (
            _element_pointer(context, builder, signature.args[0], target, to),
            _element_pointer(context, builder, signature.args[2], source, start),
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
        return builder.load_atomic(_element_pointer(context, builder, signature.args[0], *arguments), "acquire", 8)

    return types.int64(words, types.intp), emit_code


@intrinsic
def fetch_add(typing, words, index):
    """Add 1 to ``words[index]`` (int64) atomically and return its old value, which no other thread gets."""

    def emit_code(context, builder, signature, arguments):
        address = _element_pointer(context, builder, signature.args[0], *arguments)
        return builder.atomic_rmw("add", address, _I64(1), "monotonic")

    return types.int64(words, types.intp), emit_code


@intrinsic
def store_release(typing, words, index, value):
    """Write ``words[index]`` (int64) with release order, after everything that this thread wrote before."""

    def emit_code(context, builder, signature, arguments):
        address = _element_pointer(context, builder, signature.args[0], *arguments[:2])
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
