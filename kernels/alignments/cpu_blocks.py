"""Compiled loops over the blocks of an alignment.

Every loop takes the storage of `tiles.Tiles`: ``table``, int32 (rows, blocks), ``array``, uint8 (rows, bytes), and
``blocks``, uint8 (n, bytes of a block). An entry of the table from 0 on is a row of the array, which has the block at
its own place; an entry ``~n`` is block n of ``blocks``. ``stored`` is the place in a row at which a column is kept.

The loops read cells without a common function: one that takes three arrays counts references for each cell, which makes
painting 18 times slower.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit

BLOCK_SHIFT = 10
BLOCK_WIDTH = 1 << BLOCK_SHIFT
"""Cells of a block: of a row, side by side."""
BLOCK_MASK = BLOCK_WIDTH - 1


@inline_njit
def _read_bit(kept, place):
    """Return a bit of a row or a block, the first of a byte the highest."""
    return (kept[place >> 3] >> (7 - (place & 7))) & 1


@cached_njit
def find_runs(places):
    """Return where runs of columns begin, int64: columns that are kept side by side in one block."""
    count = 0
    for column in range(places.size):
        count += column == 0 or places[column] != places[column - 1] + 1 or places[column] & BLOCK_MASK == 0
    starts = np.empty(count, np.int64)
    count = 0
    for column in range(places.size):
        if column == 0 or places[column] != places[column - 1] + 1 or places[column] & BLOCK_MASK == 0:
            starts[count] = column
            count += 1
    return starts


@cached_njit
def gather_cells(table, array, blocks, rows, starts, stored, lengths, packed, out):
    """Copy cells of ``rows`` to ``out``, uint8 (rows, columns): runs of columns, each within one block.

    ``packed``: the cells are bits, and become 0 and 1.
    """
    for line in range(rows.size):
        for run in range(starts.size):
            start = starts[run]
            entry, place = table[rows[line], stored[run] >> BLOCK_SHIFT], stored[run]
            if packed:
                kept = array[entry] if entry >= 0 else blocks[~entry]
                place = place if entry >= 0 else place & BLOCK_MASK
                for offset in range(lengths[run]):
                    out[line, start + offset] = _read_bit(kept, place + offset)
            elif entry >= 0:
                _copy_cells(array[entry, place : place + lengths[run]], out[line, start : start + lengths[run]])
            else:
                place &= BLOCK_MASK
                _copy_cells(blocks[~entry, place : place + lengths[run]], out[line, start : start + lengths[run]])


@inner_njit
def _copy_cells(cells, target):
    """Copy letters side by side."""
    for offset in range(cells.size):
        target[offset] = cells[offset]


@cached_njit
def count_other_letters(table, array, blocks, row, places, letter):
    """Return how many of the cells of a row that are kept at these places are other than ``letter``."""
    count = 0
    for stored in places:
        entry = table[row, stored >> BLOCK_SHIFT]
        count += (array[entry, stored] if entry >= 0 else blocks[~entry, stored & BLOCK_MASK]) != letter
    return count


@cached_njit
def find_changed_blocks(table, array, blocks, rows, starts, stored, lengths, tiles, packed, written, found):
    """Set ``found``, bool (rows, touched blocks), where ``written``, uint8 (rows, columns), has other cells.

    ``tiles`` says in which of the touched blocks each run is.
    """
    for line in range(rows.size):
        for run in range(starts.size):
            cells = written[line, starts[run] : starts[run] + lengths[run]]
            entry, place = table[rows[line], stored[run] >> BLOCK_SHIFT], stored[run]
            kept, place = (array[entry], place) if entry >= 0 else (blocks[~entry], place & BLOCK_MASK)
            if packed:
                other = False
                for offset in range(cells.size):
                    other |= _read_bit(kept, place + offset) != cells[offset]
            else:
                other = _letters_differ(kept[place : place + cells.size], cells)
            found[line, tiles[run]] |= other


@inner_njit
def _letters_differ(old, new):
    """Return whether two runs of letters differ."""
    found = np.uint8(0)
    for offset in range(new.size):
        found |= old[offset] ^ new[offset]
    return found != 0


@cached_njit
def write_blocks(table, array, blocks, rows, touched, numbers, starts, stored, lengths, tiles, packed, written):
    """Fill blocks with copies of those that the table has, changed by the cells of ``written``.

    ``numbers``, int64 (rows, touched blocks), says which block takes each copy, -1 for none.
    """
    block_bytes = blocks.shape[1]
    for line in range(rows.size):
        for place in range(touched.size):
            if numbers[line, place] >= 0:
                target, entry = blocks[numbers[line, place]], table[rows[line], touched[place]]
                if entry < 0:
                    target[:] = blocks[~entry]
                else:
                    first = touched[place] * block_bytes
                    target[:] = blocks[0]  # the array may end within the block
                    for offset in range(min(block_bytes, array.shape[1] - first)):
                        target[offset] = array[entry, first + offset]
        for run in range(starts.size):
            number = numbers[line, tiles[run]]
            if number < 0:
                continue
            target, inside = blocks[number], stored[run] & BLOCK_MASK
            cells = written[line, starts[run] : starts[run] + lengths[run]]
            if packed:
                for offset in range(cells.size):
                    bit = 128 >> ((inside + offset) & 7)
                    byte = (inside + offset) >> 3
                    target[byte] = (target[byte] & (255 - bit)) | (bit if cells[offset] else 0)
            else:
                target[inside : inside + cells.size] = cells


@cached_njit
def reverse_rows(letters, table, out):
    """Write rows in reverse to ``out``, uint8 (rows, columns), each letter as ``table``, uint8 (256,), has it."""
    last = letters.shape[1] - 1
    for row in range(letters.shape[0]):
        for column in range(letters.shape[1]):
            out[row, column] = table[letters[row, last - column]]
