"""Loops over the tiles of an alignment, compiled. A table has the address of each row's tiles, uint64 (rows, tiles)."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from antidiag.kernels.cpu.jit import called, compiled, inlined

SHIFT = 10
WIDTH = 1 << SHIFT
"""Cells of a tile: of a row, side by side."""
MASK = WIDTH - 1


@intrinsic
def byte_at(typing, address, place):
    """The byte so many places after an address; uint8."""

    def generate(context, builder, signature, arguments):
        byte = ir.IntType(8)
        pointer = builder.inttoptr(builder.add(arguments[0], arguments[1]), byte.as_pointer())
        return builder.load(pointer)

    return types.uint8(types.uint64, types.int64), generate


@inlined
def cell(table, row, stored):
    """The letter of a row that is kept at this place of it."""
    return byte_at(table[row, stored >> SHIFT], stored & MASK)


@inlined
def _bit(address, place):
    return (byte_at(address, place >> 3) >> (7 - (place & 7))) & 1


@compiled
def runs(places):
    """Where runs of columns begin that are kept at these places, int64: side by side in one tile."""
    count = 0
    for column in range(places.size):
        count += column == 0 or places[column] != places[column - 1] + 1 or places[column] & MASK == 0
    starts = np.empty(count, np.int64)
    count = 0
    for column in range(places.size):
        if column == 0 or places[column] != places[column - 1] + 1 or places[column] & MASK == 0:
            starts[count] = column
            count += 1
    return starts


@compiled
def gather(table, rows, starts, stored, lengths, packed, out):
    """Copy cells of ``rows`` to ``out``, uint8 (rows, columns): runs of columns, each within one tile.

    ``packed``: the cells are bits, the first the highest of a byte, and become 0 and 1.
    """
    for line in range(rows.size):
        for run in range(starts.size):
            address, inside, start = table[rows[line], stored[run] >> SHIFT], stored[run] & MASK, starts[run]
            if packed:
                for at in range(lengths[run]):
                    out[line, start + at] = _bit(address, inside + at)
            else:
                for at in range(lengths[run]):
                    out[line, start + at] = byte_at(address, inside + at)


@compiled
def count_others(tiles, places, letter):
    """How many of the cells that are kept at these places of a row, whose tiles have these addresses, are other than
    ``letter``."""
    count = 0
    for place in places:
        count += byte_at(tiles[place >> SHIFT], place & MASK) != letter
    return count


@compiled
def differing(table, rows, starts, stored, lengths, tiles, packed, block, found):
    """Set ``found``, bool (rows, tiles), where ``block`` has other cells; ``tiles`` is which of them a run is in."""
    for line in range(rows.size):
        for run in range(starts.size):
            address, inside, start = table[rows[line], stored[run] >> SHIFT], stored[run] & MASK, starts[run]
            cells = block[line, start : start + lengths[run]]
            if packed:
                other = False
                for at in range(cells.size):
                    other |= _bit(address, inside + at) != cells[at]
            else:
                other = _others(address + np.uint64(inside), cells)
            found[line, tiles[run]] |= other


@called
def _others(address, cells):
    """Whether the bytes from an address on are others than ``cells``, looked at together."""
    found = np.uint8(0)
    for at in range(cells.size):
        found |= byte_at(address, at) ^ cells[at]
    return found != 0


@called
def _copy(address, to):
    """Copy the bytes from an address on."""
    for place in range(to.size):
        to[place] = byte_at(address, place)


@compiled
def write(table, rows, touched, sizes, numbers, starts, stored, lengths, tiles, packed, block, made):
    """Fill ``made``, uint8 (new tiles, bytes): copies of those of the ``touched`` tiles that have a number in
    ``numbers``, int64 (rows, touched), with the cells of ``block``. ``sizes`` are the bytes of each touched tile."""
    for line in range(rows.size):
        for tile in range(touched.size):
            if numbers[line, tile] >= 0:
                _copy(table[rows[line], touched[tile]], made[numbers[line, tile], : sizes[tile]])
        for run in range(starts.size):
            number = numbers[line, tiles[run]]
            if number < 0:
                continue
            to, inside, cells = made[number], stored[run] & MASK, block[line, starts[run] : starts[run] + lengths[run]]
            if packed:
                for at in range(cells.size):
                    place = inside + at
                    bit = 128 >> (place & 7)
                    to[place >> 3] = (to[place >> 3] & (255 - bit)) | (bit if cells[at] else 0)
            else:
                to[inside : inside + cells.size] = cells


@compiled
def held(table, starts, found):
    """Set ``found``, bool (arrays,), for the arrays in which tiles of the table lie: of those that begin at these
    addresses, uint64, ascending, each tile is in the last that begins before it."""
    last = 0
    for row in range(table.shape[0]):
        for tile in range(table.shape[1]):
            address = table[row, tile]
            if address < starts[0]:
                continue
            # Tiles side by side are mostly of one array.
            if address < starts[last] or (last + 1 < starts.size and address >= starts[last + 1]):
                last = np.searchsorted(starts, address, side="right") - 1
            found[last] = True


@compiled
def turned(letters, table, out):
    """Rows the other way round in ``out``, uint8 (rows, columns), each letter as ``table``, uint8 (256,), has it."""
    last = letters.shape[1] - 1
    for row in range(letters.shape[0]):
        for column in range(letters.shape[1]):
            out[row, column] = table[letters[row, last - column]]
