"""Phase 2 on the CPU: the path, tile by tile from its end, between kept rows and columns.

A tile that the path enters is computed again from the kept row above it and the kept column on its left, and this time
keeps two bits a cell (`cpu_words`), by which the path goes back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.clock import now_ns
from antidiag.kernels.cpu.cpu_run import CpuPhase, LoggedCells
from antidiag.kernels.cpu.jit import cached_njit, inline_njit
from antidiag.kernels.cpu.simd import WORD_LANES, load_acquire
from antidiag.kernels.pairwise.bit_parallel.cpu_sweep import ALL_ONES, WordSweep, begin_row
from antidiag.kernels.pairwise.bit_parallel.cpu_words import (
    BITS,
    BLOCK,
    SCRATCH_ROWS,
    compute_block,
    find_strip_matches,
)
from antidiag.kernels.pairwise.bit_parallel.word_sizes import CPU_BLOCK_WORDS as BLOCK_WORDS
from antidiag.kernels.pairwise.bit_parallel.word_sizes import CPU_STRIP as STRIP
from antidiag.kernels.pairwise.bit_parallel.word_sizes import boundary_words, tile_blocks
from antidiag.kernels.pairwise.encoding import Cell
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment

PATH_DIAGONAL, PATH_UP, PATH_LEFT = map(np.uint8, (DIAGONAL, UP, LEFT))


class TileArrays(NamedTuple):
    """Arrays of a tile: the directions of its blocks, inner boundary columns, scratch and match words."""

    detours: np.ndarray
    rises: np.ndarray
    columns: np.ndarray
    scratch: np.ndarray
    words: np.ndarray
    equal: np.ndarray


def make_tile_arrays(sweep: WordSweep) -> TileArrays:
    """Allocate the arrays of a tile."""
    blocks = tile_blocks(sweep.pair.m, sweep.pair.n, sweep.tile)
    return TileArrays(
        detours=np.empty(blocks * BLOCK_WORDS, np.int64),
        rises=np.empty(blocks * BLOCK_WORDS, np.int64),
        columns=np.empty((2, 2, boundary_words(sweep.pair.m)), np.int64),
        scratch=np.empty((4, SCRATCH_ROWS), np.int64),
        words=np.empty(2 * WORD_LANES, np.int64),
        equal=np.empty(sweep.arrays.letter_rows * WORD_LANES, np.int64),
    )


def trace_path(sweep: WordSweep, end: Cell, phase: CpuPhase) -> tuple[Alignment, int]:
    """Return the path to its end cell, in the user's order of the sequences, and the bytes that it took."""
    encoded, tile = sweep.pair.pair, make_tile_arrays(sweep)
    operations = np.empty(sum(end), np.uint8)
    log = np.zeros((sweep.pair.m // sweep.tile + sweep.pair.n // sweep.tile + 4, 6), np.int64)
    found = phase.call(lambda: trace_tiles(sweep.arrays, tile, *end, operations, log, phase.done, sweep.run.stop))
    i, j, begin, count = found
    for top, bottom, left, right, begun_ns, ended_ns in log[:count].tolist():
        phase.log(LoggedCells((top, bottom), (left, right)), 0, begun_ns, 0, ended_ns)
    start, border = encoded.border_path((i, j))
    path = np.concatenate([border, operations[begin:]])
    return encoded.make_alignment(start, end, path), sum(array.nbytes for array in tile) + operations.nbytes


@cached_njit
def trace_tiles(arrays, tile, i, j, operations, log, done, stop):
    """Go back from cell (i, j) to row 0 or column 0; return the cell there, the first operation, and the tiles.

    ``operations`` uint8 is filled from its end. ``log`` int64 (tiles, 6): rows, columns, start and end of each tile.
    """
    total, at, count = i + j, operations.size, 0
    while i > 0 and j > 0:
        begun, bottom, right = now_ns(), i, j
        top = (i - 1) // arrays.tile * arrays.tile
        group = (j - 1 + arrays.padding) // arrays.tile
        first_strip, last_strip = group * (arrays.tile // STRIP), (j - 1 + arrays.padding) // STRIP
        for strip in range(first_strip, last_strip + 1):
            if load_acquire(stop, 0) != 0:
                return i, j, at, count
            _compute_strip(arrays, tile, strip, first_strip, top, i)
        left = max(group * arrays.tile - arrays.padding, 0)
        i, j, at = _walk(arrays, tile, top, left, first_strip, i, j, operations, at)
        log[count, 0], log[count, 1], log[count, 2], log[count, 3] = top, bottom, left, right
        log[count, 4], log[count, 5] = begun, now_ns()
        count += 1
        done[0] = total - i - j
    return i, j, at, count


@inline_njit
def _compute_strip(arrays, tile, strip, first_strip, top, bottom):
    """Compute the rows of a strip in a tile, with directions."""
    group = first_strip * STRIP // arrays.tile
    first, last = max(arrays.bands[strip, 0], top), min(arrays.bands[strip, 1], bottom)
    words, right = tile.words, tile.columns[strip % 2]
    left = tile.columns[(strip + 1) % 2]
    if strip == first_strip:
        left = arrays.columns_kept[arrays.places + group - 1] if strip > 0 else arrays.first_column
    find_strip_matches(
        arrays.columns, strip * STRIP - arrays.padding, arrays.match_starts, arrays.match_codes, arrays.left_is_free,
        tile.equal,
    )  # fmt: skip
    if first == arrays.bands[strip, 0]:
        begin_row(arrays, strip, first, words)
    else:
        for word in range(2 * WORD_LANES):
            words[word] = arrays.rows_kept[top // arrays.tile - 1, strip * 2 * WORD_LANES + word]
    row = first
    while row < last:
        rows = min(BLOCK - row % BLOCK, last - row)
        at = _block_number(arrays, strip - first_strip, row - top) * BLOCK_WORDS
        compute_block(
            arrays.letters, arrays.row_count, tile.equal, words, left, right, row, rows, tile.scratch,
            tile.detours[at : at + BLOCK_WORDS], tile.rises[at : at + BLOCK_WORDS],
        )  # fmt: skip
        row += rows
    for word in range(max(last, top) // BITS, (bottom + BITS - 1) // BITS):
        if word * BITS >= last:
            right[0, word], right[1, word] = ALL_ONES, 0


@inline_njit
def _block_number(arrays, strip, row):
    """Return the number of the block of a row in a strip, both counted from the corner of the tile."""
    return strip * ((min(arrays.tile, arrays.row_count) + BLOCK - 1) // BLOCK) + row // BLOCK


@inline_njit
def _walk(arrays, tile, top, left, first_strip, i, j, operations, at):
    """Go back by the directions of a tile; return the cell on its border and the place of the last operation."""
    while i > top and j > left:
        place = j - 1 + arrays.padding
        strip, bit = place // STRIP, place % BITS
        lane = place % STRIP // BITS
        block_row = max(top + (i - 1 - top) // BLOCK * BLOCK, arrays.bands[strip, 0])
        word = _block_number(arrays, strip - first_strip, i - 1 - top) * BLOCK_WORDS
        word += (i - 1 - block_row + lane) * WORD_LANES + lane
        at -= 1
        if tile.detours[word] >> bit & 1 == 0:
            operations[at] = PATH_DIAGONAL
            i, j = i - 1, j - 1
        elif tile.rises[word] >> bit & 1 == 1:
            operations[at] = PATH_UP
            i -= 1
        else:
            operations[at] = PATH_LEFT
            j -= 1
    return i, j, at
