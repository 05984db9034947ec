"""The innermost piece of a matrix product over a semiring: a small tile whose sums stay in vector registers.

A tile of c has ROWS rows and VECTORS vectors of 64 bytes to a row: 16 numbers of 32 bits, or 8 of 64 bits. For
every k, VECTORS vectors of b are loaded once and met by ROWS single numbers of a, so that a load serves many sums.
Like `kernels.cpu.simd`, this is written as LLVM's instructions, because a loop over many accumulators is not turned
into registers by the compiler.

All arrays are one-dimensional and contiguous, in the element type of ``c`` (float32, float64, int32); a matrix in
them is a place, a distance between rows, and neighbouring numbers of a row side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

ROWS, VECTORS = 4, 2
VECTOR_BYTES = 64

_I64 = ir.IntType(64)
_I32 = ir.IntType(32)


class _Elements:
    """Arithmetic of one element type on vectors, as LLVM instructions."""

    def __init__(self, builder: ir.IRBuilder, element: ir.Type, semiring: str) -> None:
        self.builder, self.element = builder, element
        self.lanes = VECTOR_BYTES * 8 // (64 if isinstance(element, ir.DoubleType) else 32)
        self.vector = ir.VectorType(element, self.lanes)
        self.integral = isinstance(element, ir.IntType)
        self.semiring = semiring

    def times(self, a, b):
        if self.semiring == "plus-times":
            return self.builder.mul(a, b) if self.integral else self.builder.fmul(a, b)
        return self._sum(a, b)

    def plus(self, total, term):
        if self.semiring == "plus-times":
            return self._sum(total, term)
        return self.builder.select(self.better(term, total), term, total)

    def better(self, term, total):
        """Which lanes of ``term`` go before those of ``total``; equal ones do not."""
        sign = "<" if self.semiring == "min-plus" else ">"
        if self.integral:
            return self.builder.icmp_signed(sign, term, total)
        return self.builder.fcmp_ordered(sign, term, total)

    def splat(self, value, vector=None):
        vector = vector or self.vector
        undefined = ir.Constant(vector, ir.Undefined)
        first = self.builder.insert_element(undefined, value, _I32(0))
        same = ir.Constant(ir.VectorType(_I32, vector.count), [0] * vector.count)
        return self.builder.shuffle_vector(first, undefined, same)

    def _sum(self, a, b):
        return self.builder.add(a, b) if self.integral else self.builder.fadd(a, b)


def _data(context, builder, array_type, array):
    return context.make_array(array_type)(context, builder, array).data


_TRIPLE = types.UniTuple(types.intp, 3)


def _matrices(context, builder, array_types, arrays, places_and_strides):
    """Data, place and distance between rows of each of three matrices."""
    data = [_data(context, builder, *pair) for pair in zip(array_types, arrays, strict=True)]
    places, strides = (cgutils.unpack_tuple(builder, triple) for triple in places_and_strides)
    return list(zip(data, places, strides, strict=True))


def _load(builder, pointer, at, vector):
    address = builder.bitcast(builder.gep(pointer, [at]), vector.as_pointer())
    return builder.load(address, align=vector.element.width // 8 if isinstance(vector.element, ir.IntType) else 4)


def _store(builder: Any, value: Any, pointer: Any, at: Any) -> None:
    builder.store(value, builder.bitcast(builder.gep(pointer, [at]), value.type.as_pointer()), align=4)


def _counted(builder, depth, start, body):
    """A loop over k from 0 to ``depth``; ``body(k, values)`` gives the next ``values``; the last ones are returned."""
    before = builder.block
    head, inside, after = (builder.append_basic_block(name) for name in ("head", "inside", "after"))
    builder.branch(head)
    builder.position_at_end(head)
    k = builder.phi(_I64)
    values = [builder.phi(value.type) for value in start]
    builder.cbranch(builder.icmp_signed("<", k, depth), inside, after)
    builder.position_at_end(inside)
    following = body(k, values)
    for phi, first, then in zip([k, *values], [_I64(0), *start], [builder.add(k, _I64(1)), *following], strict=True):
        phi.add_incoming(first, before)
        phi.add_incoming(then, builder.block)
    builder.branch(head)
    builder.position_at_end(after)
    return values


def _places(
    builder: Any, elements: _Elements, at: Any, stride: Any, size: tuple[int, int] = (ROWS, VECTORS)
) -> Iterator[Any]:
    """Where the vectors of the tile lie, row by row."""
    for row in range(size[0]):
        start = builder.add(at, builder.mul(stride, _I64(row)))
        for vector in range(size[1]):
            yield builder.add(start, _I64(vector * elements.lanes))


def _terms(
    builder: Any, elements: _Elements, a: Any, b: Any, k: Any, size: tuple[int, int] = (ROWS, VECTORS)
) -> Iterator[Any]:
    """The products of step k, one vector for each place of the tile."""
    (a_data, a_at, a_stride), (b_data, b_at, b_stride) = a, b
    row_of_b = builder.add(b_at, builder.mul(k, b_stride))
    right = [_load(builder, b_data, builder.add(row_of_b, _I64(v * elements.lanes)), elements.vector)
             for v in range(size[1])]  # fmt: skip
    for row in range(size[0]):
        place = builder.add(builder.add(a_at, builder.mul(a_stride, _I64(row))), k)
        left = elements.splat(builder.load(builder.gep(a_data, [place])))
        for vector in right:
            yield elements.times(left, vector)


def _tile(semiring: str, size: tuple[int, int] = (ROWS, VECTORS)) -> Callable[..., Any]:
    """A tile of ``size`` rows and vectors."""

    def tile(typing, a, b, c, places, strides, depth):
        """Add to a tile of c the product of rows x depth numbers of a and depth x tile width of b.

        ``places`` are where a, b and c begin, ``strides`` their distances between rows.
        """

        def generate(context, builder, signature, arguments):
            elements = _Elements(builder, context.get_data_type(c.dtype), semiring)
            left, right, (target, at, stride) = _matrices(context, builder, (a, b, c), arguments[:3], arguments[3:5])
            count = arguments[5]
            places = list(_places(builder, elements, at, stride, size))
            start = [_load(builder, target, place, elements.vector) for place in places]

            def step(k, totals):
                terms = _terms(builder, elements, left, right, k, size)
                return [elements.plus(total, term) for total, term in zip(totals, terms, strict=True)]

            for value, place in zip(_counted(builder, count, start, step), places, strict=True):
                _store(builder, value, target, place)
            return context.get_dummy_value()

        return types.void(a, b, c, _TRIPLE, _TRIPLE, types.intp), generate

    return intrinsic(tile)


min_plus_tile, max_plus_tile, plus_times_tile = map(_tile, ("min-plus", "max-plus", "plus-times"))

ROW_VECTORS = 8
"""Vectors of a row that is multiplied by a matrix at a time, so that the sums do not wait for one another."""

BAND = 8
"""Rows of a band: a tile one vector wide, for matrices of few columns."""

min_plus_band = _tile("min-plus", (BAND, 1))
min_plus_row, plus_times_row = (_tile(semiring, (1, ROW_VECTORS)) for semiring in ("min-plus", "plus-times"))
min_plus_piece, plus_times_piece = (_tile(semiring, (1, 1)) for semiring in ("min-plus", "plus-times"))


@intrinsic
def indexed_tile(typing, a, b, c, indices, places, strides, first, depth):
    """The (min, +) tile that also notes which k improved a number: ``first + k`` goes to ``indices`` (int32).

    An equal number does not improve, so that the smallest k stays.
    """

    def generate(context, builder, signature, arguments):
        elements = _Elements(builder, context.get_data_type(c.dtype), "min-plus")
        numbers = ir.VectorType(_I32, elements.lanes)
        left, right, (target, at, stride) = _matrices(context, builder, (a, b, c), arguments[:3], arguments[4:6])
        found, (lowest, count) = _data(context, builder, indices, arguments[3]), arguments[6:8]
        places = list(_places(builder, elements, at, stride))
        start = [_load(builder, target, place, elements.vector) for place in places]
        start += [_load(builder, found, place, numbers) for place in places]

        def step(k, values):
            totals, winners = values[: len(places)], values[len(places) :]
            number = elements.splat(builder.trunc(builder.add(lowest, k), _I32), numbers)
            terms = list(_terms(builder, elements, left, right, k))
            better = [elements.better(term, total) for term, total in zip(terms, totals, strict=True)]
            return [
                *(builder.select(*trio) for trio in zip(better, terms, totals, strict=True)),
                *(builder.select(flag, number, winner) for flag, winner in zip(better, winners, strict=True)),
            ]

        ends = _counted(builder, count, start, step)
        for value, winner, place in zip(ends[: len(places)], ends[len(places) :], places, strict=True):
            _store(builder, value, target, place)
            _store(builder, winner, found, place)
        return context.get_dummy_value()

    return types.void(a, b, c, indices, _TRIPLE, _TRIPLE, types.intp, types.intp), generate
