"""The inner loop of a matrix product over a semiring: a small tile whose sums stay in vector registers.

A tile of c has ROWS rows of VECTORS vectors, 64 bytes each: 16 numbers of 32 bits, or 8 of 64 bits. For every k,
VECTORS vectors of b are loaded once and combined with ROWS numbers of a, so that a load serves many sums. Like
`kernels.cpu.simd`, this emits LLVM instructions, because the compiler does not keep many accumulators of a loop in
registers.

All arrays are one-dimensional and contiguous, in the element type of ``c`` (float32, float64, int32); a matrix in them
is given by its start and the distance between its rows.
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
    """Emits LLVM instructions for the arithmetic of one element type on vectors."""

    def __init__(self, builder: ir.IRBuilder, element: ir.Type, semiring: str) -> None:
        self.builder, self.element = builder, element
        self.lanes = VECTOR_BYTES * 8 // (64 if isinstance(element, ir.DoubleType) else 32)
        self.vector = ir.VectorType(element, self.lanes)
        self.integral = isinstance(element, ir.IntType)
        self.semiring = semiring

    def emit_times(self, a, b):
        if self.semiring == "plus-times":
            return self.builder.mul(a, b) if self.integral else self.builder.fmul(a, b)
        return self._emit_sum(a, b)

    def emit_plus(self, total, term):
        if self.semiring == "plus-times":
            return self._emit_sum(total, term)
        return self.builder.select(self.emit_better(term, total), term, total)

    def emit_better(self, term, total):
        """Compare lanes: whether ``term`` is strictly better than ``total``."""
        sign = "<" if self.semiring == "min-plus" else ">"
        if self.integral:
            return self.builder.icmp_signed(sign, term, total)
        return self.builder.fcmp_ordered(sign, term, total)

    def emit_splat(self, value, vector=None):
        vector = vector or self.vector
        undefined = ir.Constant(vector, ir.Undefined)
        first = self.builder.insert_element(undefined, value, _I32(0))
        same = ir.Constant(ir.VectorType(_I32, vector.count), [0] * vector.count)
        return self.builder.shuffle_vector(first, undefined, same)

    def _emit_sum(self, a, b):
        return self.builder.add(a, b) if self.integral else self.builder.fadd(a, b)


def _array_data(context, builder, array_type, array):
    return context.make_array(array_type)(context, builder, array).data


_TRIPLE = types.UniTuple(types.intp, 3)


def _unpack_matrices(context, builder, array_types, arrays, places_and_strides):
    """Return data, start and row distance of three matrices."""
    data = [_array_data(context, builder, *pair) for pair in zip(array_types, arrays, strict=True)]
    places, strides = (cgutils.unpack_tuple(builder, triple) for triple in places_and_strides)
    return list(zip(data, places, strides, strict=True))


def _load_vector(builder, pointer, at, vector):
    address = builder.bitcast(builder.gep(pointer, [at]), vector.as_pointer())
    return builder.load(address, align=vector.element.width // 8 if isinstance(vector.element, ir.IntType) else 4)


def _store_vector(builder: Any, value: Any, pointer: Any, at: Any) -> None:
    builder.store(value, builder.bitcast(builder.gep(pointer, [at]), value.type.as_pointer()), align=4)


def _emit_loop(builder, depth, start, body):
    """Emit a loop over k from 0 to ``depth``; ``body(k, values)`` returns the next values; return the last ones."""
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


def _vector_offsets(
    builder: Any, elements: _Elements, at: Any, stride: Any, size: tuple[int, int] = (ROWS, VECTORS)
) -> Iterator[Any]:
    """Yield the offsets of the tile's vectors, row by row."""
    for row in range(size[0]):
        start = builder.add(at, builder.mul(stride, _I64(row)))
        for vector in range(size[1]):
            yield builder.add(start, _I64(vector * elements.lanes))


def _step_products(
    builder: Any, elements: _Elements, a: Any, b: Any, k: Any, size: tuple[int, int] = (ROWS, VECTORS)
) -> Iterator[Any]:
    """Yield the products of step k, one vector for each vector of the tile."""
    (a_data, a_at, a_stride), (b_data, b_at, b_stride) = a, b
    row_of_b = builder.add(b_at, builder.mul(k, b_stride))
    right = [
        _load_vector(builder, b_data, builder.add(row_of_b, _I64(v * elements.lanes)), elements.vector)
        for v in range(size[1])
    ]
    for row in range(size[0]):
        place = builder.add(builder.add(a_at, builder.mul(a_stride, _I64(row))), k)
        left = elements.emit_splat(builder.load(builder.gep(a_data, [place])))
        for vector in right:
            yield elements.emit_times(left, vector)


def _build_tile(semiring: str, size: tuple[int, int] = (ROWS, VECTORS)) -> Callable[..., Any]:
    """Return the intrinsic of a tile of ``size`` rows and vectors."""

    def tile(typing, a, b, c, places, strides, depth):
        """Add to a tile of c the product of rows x depth numbers of a and depth x tile width of b.

        ``places`` are where a, b and c begin, ``strides`` their distances between rows.
        """

        def generate(context, builder, signature, arguments):
            elements = _Elements(builder, context.get_data_type(c.dtype), semiring)
            left, right, (target, at, stride) = _unpack_matrices(
                context, builder, (a, b, c), arguments[:3], arguments[3:5]
            )
            count = arguments[5]
            places = list(_vector_offsets(builder, elements, at, stride, size))
            start = [_load_vector(builder, target, place, elements.vector) for place in places]

            def step(k, totals):
                terms = _step_products(builder, elements, left, right, k, size)
                return [elements.emit_plus(total, term) for total, term in zip(totals, terms, strict=True)]

            for value, place in zip(_emit_loop(builder, count, start, step), places, strict=True):
                _store_vector(builder, value, target, place)
            return context.get_dummy_value()

        return types.void(a, b, c, _TRIPLE, _TRIPLE, types.intp), generate

    return intrinsic(tile)


min_plus_tile, max_plus_tile, plus_times_tile = map(_build_tile, ("min-plus", "max-plus", "plus-times"))

ROW_VECTORS = 8
"""Vectors that a row of a vector-matrix product computes at a time, so that sums do not wait for each other."""

BAND = 8
"""Rows of a band, a tile that is one vector wide, for matrices of few columns."""

min_plus_band = _build_tile("min-plus", (BAND, 1))
min_plus_row, plus_times_row = (_build_tile(semiring, (1, ROW_VECTORS)) for semiring in ("min-plus", "plus-times"))
min_plus_piece, plus_times_piece = (_build_tile(semiring, (1, 1)) for semiring in ("min-plus", "plus-times"))


@intrinsic
def indexed_tile(typing, a, b, c, indices, places, strides, first, depth):
    """Add a (min, +) tile, and write ``first + k`` to ``indices`` (int32) for every k that improves a number.

    An equal sum is no improvement, so the smallest k remains.
    """

    def generate(context, builder, signature, arguments):
        elements = _Elements(builder, context.get_data_type(c.dtype), "min-plus")
        numbers = ir.VectorType(_I32, elements.lanes)
        left, right, (target, at, stride) = _unpack_matrices(context, builder, (a, b, c), arguments[:3], arguments[4:6])
        found, (lowest, count) = _array_data(context, builder, indices, arguments[3]), arguments[6:8]
        places = list(_vector_offsets(builder, elements, at, stride))
        start = [_load_vector(builder, target, place, elements.vector) for place in places]
        start += [_load_vector(builder, found, place, numbers) for place in places]

        def step(k, values):
            totals, winners = values[: len(places)], values[len(places) :]
            number = elements.emit_splat(builder.trunc(builder.add(lowest, k), _I32), numbers)
            terms = list(_step_products(builder, elements, left, right, k))
            better = [elements.emit_better(term, total) for term, total in zip(terms, totals, strict=True)]
            return [
                *(builder.select(*trio) for trio in zip(better, terms, totals, strict=True)),
                *(builder.select(flag, number, winner) for flag, winner in zip(better, winners, strict=True)),
            ]

        ends = _emit_loop(builder, count, start, step)
        for value, winner, place in zip(ends[: len(places)], ends[len(places) :], places, strict=True):
            _store_vector(builder, value, target, place)
            _store_vector(builder, winner, found, place)
        return context.get_dummy_value()

    return types.void(a, b, c, indices, _TRIPLE, _TRIPLE, types.intp, types.intp), generate
