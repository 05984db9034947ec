"""Longest common subsequences of all pairs, many at a time, and single linkage over them, compiled.

The distance of two sequences is the number of letters that one must insert and delete to make one the other, over the
length of their longest common subsequence. That length is counted with a word of bits for 32 letters (Hyyro 2004), of
LANES sequences side by side. Rows of distances are made in blocks, by threads, and taken over by SLINK (Sibson 1973) in
their order, so that no matrix is ever there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernels.cpu.jit import compiled, inlined
from kernels.cpu.simd import release, take_ticket
from kernels.cpu.waiting import wait_for
from kernels.parttree.symbols import BITS

LANES = 64
ROWS = 16
"""Rows of a block."""
SYMBOLS = 21
"""Twenty letters, and all others, which equal nothing."""
FAR = np.float32(1e6)
"""The distance of sequences without a common letter."""
ALL_BITS = np.uint32(2**32 - 1)
TICKET, DONE = 0, 8


class Masks(NamedTuple):
    """Sequences by ascending length in groups of LANES: which places of each hold a symbol.

    ``bits`` uint32 flat: those of group g begin at starts[g] (int64), (symbols, words[g], LANES). ``lengths`` int32 are
    those of all sequences, ``codes`` uint8 their symbols from offsets[i] on.
    """

    bits: np.ndarray
    starts: np.ndarray
    words: np.ndarray
    lengths: np.ndarray
    codes: np.ndarray
    offsets: np.ndarray


def masks(codes: np.ndarray, offsets: np.ndarray) -> Masks:
    """The masks of sequences that are in order of their lengths."""
    lengths = np.diff(offsets)
    groups = -(-lengths.size // LANES)
    longest = lengths[np.minimum(np.arange(1, groups + 1) * LANES, lengths.size) - 1] if lengths.size else lengths
    words = np.maximum(-(-longest // BITS), 1)
    starts = np.concatenate([[0], np.cumsum(words * SYMBOLS * LANES)])
    bits = np.zeros(int(starts[-1]), np.uint32)
    _fill(codes, offsets, starts, words, bits)
    return Masks(bits, starts, words, lengths.astype(np.int32), codes, offsets)


@compiled
def _fill(codes, offsets, starts, words, bits):
    for sequence in range(offsets.size - 1):
        group, lane = sequence // LANES, sequence % LANES
        for at in range(offsets[sequence + 1] - offsets[sequence]):
            code = np.int64(codes[offsets[sequence] + at])
            if code < SYMBOLS - 1:
                place = starts[group] + (code * words[group] + at // BITS) * LANES + lane
                bits[place] |= np.uint32(1) << np.uint32(at % BITS)


@compiled
def _step_one(row, bits):
    """One letter against the first word of LANES sequences, the only one they have."""
    for lane in range(LANES):
        value = row[lane]
        both = value & bits[lane]
        row[lane] = np.uint32(value + both) | np.uint32(value - both)


@compiled
def _step_many(row, bits, carry, words):
    """One letter against several words of LANES sequences; ``carry`` goes from word to word."""
    for lane in range(LANES):
        carry[lane] = 0
    for word in range(words):
        own, there = row[word * LANES : (word + 1) * LANES], bits[word * LANES : (word + 1) * LANES]
        for lane in range(LANES):
            value = own[lane]
            both = value & there[lane]
            first = np.uint32(value + both)
            total = np.uint32(first + carry[lane])
            carry[lane] = np.uint32(first < value) | np.uint32(total < first)
            own[lane] = total | np.uint32(value - both)


@inlined
def _ones(word):
    """Bits of a word that are set."""
    word = np.uint32(word - ((word >> np.uint32(1)) & np.uint32(0x55555555)))
    word = np.uint32((word & np.uint32(0x33333333)) + ((word >> np.uint32(2)) & np.uint32(0x33333333)))
    word = np.uint32((word + (word >> np.uint32(4))) & np.uint32(0x0F0F0F0F))
    return np.uint32(word * np.uint32(0x01010101)) >> np.uint32(24)


@compiled
def lengths_of(own, sequence, group, row, carry, found, stop):
    """The longest common subsequences of a sequence and those of a group, into ``found`` uint32 (LANES,)."""
    words = own.words[group]
    size = words * LANES
    bits = own.bits[own.starts[group] : own.starts[group + 1]]
    for at in range(size):
        row[at] = ALL_BITS
    for at in range(own.offsets[sequence], own.offsets[sequence + 1]):
        code = np.int64(own.codes[at])
        if code == SYMBOLS - 1:
            continue
        if stop[0] != 0:
            return
        if words == 1:
            _step_one(row, bits[code * LANES : (code + 1) * LANES])
        else:
            _step_many(row, bits[code * size : (code + 1) * size], carry, words)
    for lane in range(LANES):
        found[lane] = 0
    for word in range(words):
        there = row[word * LANES : (word + 1) * LANES]
        for lane in range(LANES):
            found[lane] += _ones(~there[lane])


@compiled
def slink(own, rows, words, nearest, heights, done, stop):
    """Single linkage, shared by threads: ``words`` int64 hold the ticket of blocks and how many SLINK has taken over.

    ``rows`` float32 (ROWS, n) is this thread's. ``nearest`` int32 and ``heights`` float32 become SLINK's pointer
    representation.
    """
    count = own.lengths.size
    row, carry = np.empty(own.words[-1] * LANES, np.uint32), np.empty(LANES, np.uint32)
    common = np.empty(LANES, np.uint32)
    while stop[0] == 0:
        block = take_ticket(words, TICKET)
        first, last = block * ROWS, min((block + 1) * ROWS, count)
        if first >= count:
            return
        for group in range((last - 1) // LANES + 1):
            low, high = group * LANES, min((group + 1) * LANES, count)
            for sequence in range(first, last):
                lengths_of(own, sequence, group, row, carry, common, stop)
                length, target = own.lengths[sequence], rows[sequence - first]
                for at in range(low, high):
                    shared = np.int32(common[at - low])
                    if shared > 0:
                        target[at] = np.float32(length + own.lengths[at] - 2 * shared) / np.float32(shared)
                    else:
                        target[at] = FAR
            if stop[0] != 0:
                return
        if not wait_for(words, DONE, block, stop):
            return
        for sequence in range(first, last):
            _link(sequence, rows[sequence - first], nearest, heights)
        done[0] = last
        release(words, DONE, block + 1)


@compiled
def _link(own, row, nearest, heights):
    """SLINK's step: a further sequence, whose distances to those before it are ``row``, which is used up."""
    nearest[own], heights[own] = own, np.float32(np.inf)
    for at in range(own):
        target, height, away = nearest[at], heights[at], row[at]
        row[target] = min(row[target], max(height, away))
        if height >= away:
            heights[at], nearest[at] = away, own
    for at in range(own):
        if heights[at] >= heights[nearest[at]]:
            nearest[at] = own


@compiled
def joins_of(nearest, heights, order, joins, levels):
    """The joins of a pointer representation; ``order`` int64 sorts the heights. Nodes below n are sequences."""
    count = nearest.size
    above = np.arange(2 * count)
    for join in range(count - 1):
        one, other = order[join], nearest[order[join]]
        one, other = _root(above, one), _root(above, other)
        joins[join, 0], joins[join, 1] = min(one, other), max(one, other)
        levels[join] = heights[order[join]]
        above[one] = above[other] = count + join


@inlined
def _root(above, node):
    root = node
    while above[root] != root:
        root = above[root]
    while above[node] != root:
        following = above[node]
        above[node] = root
        node = following
    return root
