"""Vectors for compiled functions: on the CPU a vector is what a warp is on a GPU.

A ``Lanes`` value is 16 numbers of 32 bits (LLVM's <16 x i32>: one AVX-512 register, two AVX2 registers,
four NEON registers), a ``ShortLanes`` value 32 numbers of 16 bits, in as many registers. Functions compiled by
Numba use them like numbers; they never leave them. Arithmetic wraps around silently. A comparison gives flags,
one bit a lane, for ``select`` and ``any_lane``. Operations take either type, unless they name one.

``acquire`` and ``release`` order memory between threads, as a progress word needs it.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

LANES, SHORT_LANES = 16, 32

_PAUSES = platform.machine() in ("x86_64", "AMD64")

_I32 = ir.IntType(32)
_I64 = ir.IntType(64)


class _VectorType(types.Type):
    """``count`` numbers of ``bits`` bits; flags are numbers of one bit."""

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


def _pointer(context, builder, array_type, array, index, vector=None):
    """Address of element ``index`` of a one-dimensional contiguous array; of a vector there, where given."""
    address = builder.gep(context.make_array(array_type)(context, builder, array).data, [index])
    return builder.bitcast(address, vector.as_pointer()) if vector else address


def _load_unaligned(builder, address, vector):
    loaded = builder.load(address)
    loaded.align = vector.element.width // 8
    return loaded


def _store_unaligned(builder: Any, value: Any, address: Any, vector: Any) -> None:
    builder.store(value, address).align = vector.element.width // 8


def _vector_of(context, array_type, lanes=Lanes):
    """The LLVM vector of as many elements of an array's own type as there are lanes."""
    return ir.VectorType(context.get_data_type(array_type.dtype), lanes.vector.count)


def _splat(builder, number, vector):
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, number, _I32(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(_I32, vector.count), [0] * vector.count))


def _shuffled(builder: Any, a: Any, b: Any, order: list[int]) -> Any:
    """Lanes of a and, after them, of b in an order."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_I32, len(order)), order))


@intrinsic
def load(typing, array, index):
    """``array[index : index + 16]`` as Lanes, int8 elements widened with their sign; 32 int16 as ShortLanes."""
    lanes = ShortLanes if array.dtype == types.int16 else Lanes

    def generate(context, builder, signature, arguments):
        vector = _vector_of(context, signature.args[0], lanes)
        address = _pointer(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        loaded = _load_unaligned(builder, address, vector)
        return loaded if vector == lanes.vector else builder.sext(loaded, lanes.vector)

    return lanes(array, types.intp), generate


@intrinsic
def store(typing, array, index, value):
    """Write the lanes to ``array[index : index + 16]``; a narrower array keeps the low bits."""

    def generate(context, builder, signature, arguments):
        vector = _vector_of(context, signature.args[0], value)
        address = _pointer(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        narrow = vector.element.width < value.vector.element.width
        _store_unaligned(builder, builder.trunc(arguments[2], vector) if narrow else arguments[2], address, vector)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), generate


@intrinsic
def store_last(typing, array, index, value):
    """As ``store``, of the last lane; of those before it, some are written too.

    A quarter of a vector seldom straddles two cache lines, where whole ones that move by a number nearly always do.
    """

    def generate(context, builder, signature, arguments):
        count, quarter = value.vector.count, value.vector.count // 4
        last = _shuffled(builder, arguments[2], arguments[2], list(range(count - quarter, count)))
        at = builder.add(arguments[1], _I64(count - quarter))
        address = _pointer(context, builder, signature.args[0], arguments[0], at, last.type)
        _store_unaligned(builder, last, address, last.type)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), generate


@intrinsic
def splat(typing, value):
    """The same number in every one of 16 lanes."""
    return Lanes(types.int32), lambda context, builder, signature, arguments: _splat(
        builder, arguments[0], Lanes.vector
    )


@intrinsic
def splat_like(typing, lanes, number):
    """The same number in every lane of a vector of the type of another."""

    def generate(context, builder, signature, arguments):
        return _splat(builder, builder.trunc(arguments[1], lanes.vector.element), lanes.vector)

    return lanes(lanes, types.int64), generate


@intrinsic
def lane_numbers(typing):
    """0, 1, ... 15."""
    return Lanes(), lambda context, builder, signature, arguments: ir.Constant(Lanes.vector, list(range(LANES)))


@intrinsic
def lane_count(typing, lanes):
    """How many lanes a vector has, as compiled code knows it when it is compiled."""
    return types.intp(lanes), lambda context, builder, signature, arguments: _I64(lanes.vector.count)


@intrinsic
def lanes_after(typing, lanes, number):
    """Flags of the lanes whose number is greater than one from 0 on; ``lanes`` tells how many there are."""

    def generate(context, builder, signature, arguments):
        vector = lanes.vector
        numbers = ir.Constant(vector, list(range(vector.count)))
        return builder.icmp_signed(">", numbers, _splat(builder, builder.trunc(arguments[1], vector.element), vector))

    return _FLAGS[lanes](lanes, types.intp), generate


def call_vectors(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """A call of LLVM's own function of this name, of vectors."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def saturated(builder: Any, operation: str, a: Any, b: Any) -> Any:
    """``a`` and ``b`` under LLVM's saturating ``operation``: sadd, ssub, uadd or usub."""
    return call_vectors(builder, f"llvm.{operation}.sat.v{a.type.count}i{a.type.element.width}", a.type, a, b)


def _binary(emit: Callable, compares: bool = False) -> Callable:
    """An intrinsic of two vectors of one type; ``emit(builder, a, b)`` is its LLVM expression."""

    def operation(typing, a, b):
        result = _FLAGS[a] if compares else a
        return result(a, a), lambda context, builder, signature, arguments: emit(builder, *arguments)

    return intrinsic(operation)


add = _binary(lambda builder, a, b: builder.add(a, b))
subtract = _binary(lambda builder, a, b: builder.sub(a, b))
maximum = _binary(lambda builder, a, b: builder.select(builder.icmp_signed(">", a, b), a, b))
greater = _binary(lambda builder, a, b: builder.icmp_signed(">", a, b), compares=True)
equal = _binary(lambda builder, a, b: builder.icmp_signed("==", a, b), compares=True)
shift_left = _binary(lambda builder, a, b: builder.shl(a, b))
shift_right = _binary(lambda builder, a, b: builder.ashr(a, b))
both = _binary(lambda builder, a, b: builder.and_(a, b))
either = _binary(lambda builder, a, b: builder.or_(a, b))
below_unsigned = _binary(lambda builder, a, b: builder.icmp_unsigned("<", a, b), compares=True)


@intrinsic
def multiply_pairs(typing, total, a, b):
    """``total`` and the products of both halves of each lane, numbers of 16 bits with a sign; one instruction, or two,
    where the processor has them."""

    def generate(context, builder, signature, arguments):
        total, *both = arguments
        left, right = (builder.bitcast(one, ShortLanes.vector) for one in both)
        features = context.codegen()._get_host_cpu_features().split(",")
        if "+avx512bw" in features:
            found = call_vectors(builder, "llvm.x86.avx512.pmaddw.d.512", Lanes.vector, left, right)
        elif "+avx2" in features:
            quarters = [
                [_shuffled(builder, one, one, list(range(at, at + 16))) for at in (0, 16)] for one in (left, right)
            ]
            kind = ir.VectorType(_I32, LANES // 2)
            low, high = (
                call_vectors(builder, "llvm.x86.avx2.pmadd.wd", kind, *two) for two in zip(*quarters, strict=True)
            )
            found = _shuffled(builder, low, high, list(range(LANES)))
        else:
            found = builder.add(*(_products(builder, left, right, first) for first in (0, 1)))
        return builder.add(found, total)

    return Lanes(Lanes, Lanes, Lanes), generate


def _products(builder: Any, left: Any, right: Any, first: int) -> Any:
    """Products of every other lane of two vectors, widened."""
    order = list(range(first, SHORT_LANES, 2))
    return builder.mul(*(builder.sext(_shuffled(builder, one, one, order), Lanes.vector) for one in (left, right)))


@intrinsic
def select(typing, flags, yes, no):
    """``yes`` in the lanes that are flagged, ``no`` in the others."""
    result = yes(_FLAGS[yes], yes, yes)
    return result, lambda context, builder, signature, arguments: builder.select(*arguments)


@intrinsic
def any_lane(typing, flags):
    """Whether a lane is flagged."""

    def generate(context, builder, signature, arguments):
        bits = builder.bitcast(arguments[0], ir.IntType(flags.vector.count))
        return builder.icmp_unsigned("!=", bits, bits.type(0))

    return types.boolean(flags), generate


@intrinsic
def shift_in(typing, value, first):
    """Every lane takes its left neighbour's number; lane 0 takes ``first``."""

    def generate(context, builder, signature, arguments):
        count = value.vector.count
        entering = builder.insert_element(ir.Constant(value.vector, ir.Undefined), arguments[1], _I32(count - 1))
        return _shuffled(builder, entering, arguments[0], list(range(count - 1, 2 * count - 1)))

    return value(value, types.int16 if value == ShortLanes else types.int32), generate


@intrinsic
def shift_behind(typing, before, value):
    """Every lane of ``value`` takes its left neighbour's number; lane 0 takes the last one of ``before``."""

    def generate(context, builder, signature, arguments):
        count = value.vector.count
        return _shuffled(builder, *arguments, list(range(count - 1, 2 * count - 1)))

    return value(value, value), generate


@intrinsic
def spread_last(typing, value):
    """The number of the last lane in every lane; it never leaves the vectors."""

    def generate(context, builder, signature, arguments):
        count = value.vector.count
        return _shuffled(builder, arguments[0], arguments[0], [count - 1] * count)

    return value(value), generate


@intrinsic
def shift_from(typing, value, array, index):
    """``shift_in`` of ``array[index]``; where lanes are short, the three numbers before it are read too.

    x86 moves lanes of 32 and of 64 bits across a register, and not those of 16: eight lanes at a time are
    shifted, after the last of the eight before.
    """

    def generate(context, builder, signature, arguments):
        _, array, index = arguments
        _, array_type, _ = signature.args
        count = value.vector.count
        if value == Lanes:
            first = builder.load(_pointer(context, builder, array_type, array, index))
            entering = _splat(builder, first, value.vector)
            return _shuffled(builder, entering, arguments[0], list(range(count - 1, 2 * count - 1)))
        fours = ir.VectorType(_I64, count // 4)
        address = _pointer(context, builder, array_type, array, builder.sub(index, _I64(3)))
        entering = builder.load(builder.bitcast(address, _I64.as_pointer()))
        entering.align = 2
        here = builder.bitcast(arguments[0], fours)
        before = _shuffled(
            builder, _splat(builder, entering, fours), here, list(range(fours.count - 2, 2 * fours.count - 2))
        )
        order = [count + i - 1 if i % 8 else i + 7 for i in range(count)]
        return _shuffled(builder, builder.bitcast(before, value.vector), arguments[0], order)

    return value(value, array, types.intp), generate


@intrinsic
def prefix_maximum(typing, value):
    """In every lane, the greatest number of this lane and those before it; four steps, each twice as far."""

    def generate(context, builder, signature, arguments):
        greatest, least = arguments[0], ir.Constant(Lanes.vector, [-(2**31)] * LANES)
        for distance in (1, 2, 4, 8):
            order = ir.Constant(Lanes.vector, list(range(LANES - distance, 2 * LANES - distance)))
            moved = builder.shuffle_vector(least, greatest, order)
            greatest = builder.select(builder.icmp_signed(">", greatest, moved), greatest, moved)
        return greatest

    return Lanes(Lanes), generate


@intrinsic
def lowest_lane(typing, value):
    """The least number of all 16 lanes; four rounds of halves."""

    def generate(context, builder, signature, arguments):
        least = arguments[0]
        for distance in (8, 4, 2, 1):
            moved = _shuffled(builder, least, least, [(lane + distance) % LANES for lane in range(LANES)])
            least = builder.select(builder.icmp_signed("<", moved, least), moved, least)
        return builder.extract_element(least, _I32(0))

    return types.int32(Lanes), generate


@intrinsic
def last_lane(typing, value):
    """The number in the last lane."""

    def generate(context, builder, signature, arguments):
        return builder.extract_element(arguments[0], _I32(value.vector.count - 1))

    return (types.int16 if value == ShortLanes else types.int32)(value), generate


@intrinsic
def transpose(typing, source, offsets, column, target, index):
    """Transpose 16 x 16 numbers: ``target[index + 16 c + l] = source[offsets[l] + column + c]``; of int16, 32 x 32.

    Rounds of interleaving row i with the row half of all rows behind turn rows into columns. ``source`` and
    ``target`` have the same type of element; ``offsets`` is int64, as long as there are rows.
    """
    lanes = ShortLanes if source.dtype == types.int16 else Lanes

    def generate(context, builder, signature, arguments):
        source, offsets, column, target, index = arguments
        source_type, offsets_type, _, target_type, _ = signature.args
        vector, count = _vector_of(context, source_type, lanes), lanes.vector.count

        def row(lane):
            offset = builder.load(_pointer(context, builder, offsets_type, offsets, _I64(lane)))
            at = builder.add(offset, column)
            return _load_unaligned(builder, _pointer(context, builder, source_type, source, at, vector), vector)

        rows = [row(lane) for lane in range(count)]
        for _ in range(count.bit_length() - 1):
            pairs = zip(rows[: count // 2], rows[count // 2 :], strict=True)
            rows = [_interleaved(builder, a, b, half) for a, b in pairs for half in range(2)]
        for c, value in enumerate(rows):
            at = builder.add(index, _I64(count * c))
            _store_unaligned(builder, value, _pointer(context, builder, target_type, target, at, vector), vector)
        return context.get_dummy_value()

    return types.void(source, offsets, types.intp, target, types.intp), generate


def _interleaved(builder: Any, a: Any, b: Any, half: int) -> Any:
    """The lower or upper half of a and b, taken in turns: a0 b0 a1 b1 ..."""
    count = a.type.count
    first = half * count // 2
    return _shuffled(builder, a, b, [lane for i in range(first, first + count // 2) for lane in (i, i + count)])


@intrinsic
def copy(typing, target, to, source, start, count):
    """``target[to : to + count] = source[start : start + count]``, of two arrays of one type that do not overlap."""

    def generate(context, builder, signature, arguments):
        target, to, source, start, count = arguments
        item = context.get_abi_sizeof(context.get_data_type(signature.args[0].dtype))
        addresses = (
            _pointer(context, builder, signature.args[0], target, to),
            _pointer(context, builder, signature.args[2], source, start),
        )
        cgutils.raw_memcpy(builder, *addresses, count, item)
        return context.get_dummy_value()

    if target.dtype == source.dtype:
        return types.void(target, types.intp, source, types.intp, types.intp), generate
    return None


@intrinsic
def ones(typing, word):
    """How many bits of a word of 64 are set."""
    return types.int64(word), lambda context, builder, signature, arguments: builder.ctpop(arguments[0])


@intrinsic
def ones_of_lanes(typing, value):
    """How many bits are set, of every lane."""

    def generate(context, builder, signature, arguments):
        vector = value.vector
        return call_vectors(builder, f"llvm.ctpop.v{vector.count}i{vector.element.width}", vector, *arguments)

    return value(value), generate


@intrinsic
def quotient_bits(typing, a, b):
    """The bits of a / b in single precision, of whole numbers; a greater quotient of no negative numbers has greater
    bits."""

    def generate(context, builder, signature, arguments):
        reals = ir.VectorType(ir.FloatType(), LANES)
        one, other = (builder.sitofp(argument, reals) for argument in arguments)
        return builder.bitcast(builder.fdiv(one, other), Lanes.vector)

    return Lanes(Lanes, Lanes), generate


@intrinsic
def quotient_may_be(typing, a, b, bits):
    """Flags of the lanes where a / b, of positive whole numbers, may have no more than such ``bits`` (`quotient_bits`):
    all where it has, and hardly any others. It divides nothing. Bits of no number (negative ones) flag nothing."""

    def generate(context, builder, signature, arguments):
        reals = ir.VectorType(ir.FloatType(), LANES)
        one, other = (builder.sitofp(argument, reals) for argument in arguments[:2])
        most = builder.fmul(other, builder.bitcast(arguments[2], reals))
        room = ir.Constant(reals, [1 + 2.0**-20] * LANES)
        return builder.fcmp_ordered("<=", one, builder.fmul(most, room))

    return Flags(Lanes, Lanes, Lanes), generate


@intrinsic
def acquire(typing, words, index):
    """Read ``words[index]`` (int64); what its writer wrote before releasing it can be read after this."""

    def generate(context, builder, signature, arguments):
        return builder.load_atomic(_pointer(context, builder, signature.args[0], *arguments), "acquire", 8)

    return types.int64(words, types.intp), generate


@intrinsic
def take_ticket(typing, words, index):
    """Add 1 to ``words[index]`` (int64); what it was. No two threads get the same number."""

    def generate(context, builder, signature, arguments):
        address = _pointer(context, builder, signature.args[0], *arguments)
        return builder.atomic_rmw("add", address, _I64(1), "monotonic")

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
