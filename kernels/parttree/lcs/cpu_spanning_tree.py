"""Longest common subsequences of all pairs, many at a time, and the minimum spanning tree over them, compiled.

The distance of two sequences is the number of letters to insert and delete to make one the other, over the length of
their longest common subsequence. That length is counted with a word of bits for 32 letters (Hyyro 2004), of LANES
sequences side by side. The tree grows by the sequence that is nearest to it (Prim 1957), so no matrix is ever stored;
of equally long edges the one with the smaller numbers comes first, so that every method makes the same tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.cpu.simd import (
    add,
    any_lane,
    bit_and,
    bit_or,
    equal_lanes,
    greater_lanes,
    less_unsigned,
    load,
    load_acquire,
    maximum,
    popcount_lanes,
    quotient_bits,
    quotient_may_be_at_most,
    select_lanes,
    splat,
    store,
    subtract,
)
from antidiag.kernels.parttree.symbols import BITS

LANES = 64
SYMBOLS = 21
"""Twenty letters, and one symbol for all others, which equals nothing."""
NO_COMMON_DISTANCE = np.float32(1e6)
"""The distance of sequences without a common letter."""
NO_COMMON_BITS = NO_COMMON_DISTANCE.view(np.int32)
ALL_BITS = np.int32(-1)
"""All bits of a word."""
CACHE_LINE_NUMBERS = 16
"""Numbers of 4 bytes in a cache line."""
IN_TREE, FARTHEST = np.int32(-1), np.float32(np.inf).view(np.int32)


class SequencesByLength(NamedTuple):
    """All sequences by ascending length: ``codes`` uint8 from offsets[rank] on (int64)."""

    codes: np.ndarray
    offsets: np.ndarray


class SymbolMasks(NamedTuple):
    """Sequences outside the tree, by ascending length in groups of LANES, and which positions hold each symbol.

    ``bits`` int32 is flat: those of group g begin at starts[g] (int64), (symbols, words[g], LANES). All other arrays
    have a number per lane, groups filled up with IN_TREE: ``ranks`` and ``lengths`` int32 of the sequence, ``nearest``
    int32 in the tree, and ``least`` int32, the bits of that distance, which are ordered as the distances are.
    ``firsts`` int64 (groups, 3) is the first edge between the tree and each group: these bits, its key, and the lane
    among all, or -1.
    """

    bits: np.ndarray
    starts: np.ndarray
    words: np.ndarray
    ranks: np.ndarray
    lengths: np.ndarray
    nearest: np.ndarray
    least: np.ndarray
    firsts: np.ndarray


def make_masks(sequences: SequencesByLength, ranks: np.ndarray, nearest: np.ndarray, least: np.ndarray) -> SymbolMasks:
    """Return the masks of some sequences, in ascending order of their ranks."""
    lengths = np.diff(sequences.offsets)[ranks]
    groups = -(-ranks.size // LANES)
    longest = lengths[np.minimum(np.arange(1, groups + 1) * LANES, ranks.size) - 1] if ranks.size else lengths
    words = np.maximum(-(-longest // BITS), 1)
    starts = np.concatenate([[0], np.cumsum(words * SYMBOLS * LANES)])
    bits = _aligned_zeros(int(starts[-1]))
    _fill_masks(sequences, ranks, starts, words, bits)
    filled = [np.full(groups * LANES, other, np.int32) for other in (0, 0, 0, IN_TREE)]
    for target, source in zip(filled, (ranks, lengths, nearest, least), strict=True):
        target[: ranks.size] = source
    ranks, lengths, nearest, least = filled
    return SymbolMasks(bits, starts, words, ranks, lengths, nearest, least, np.empty((groups, 3), np.int64))


def _aligned_zeros(size: int) -> np.ndarray:
    """Return zeros, int32, that begin at a cache line: loads of whole vectors then touch one line each."""
    room = np.zeros(size + CACHE_LINE_NUMBERS, np.int32)
    first = -room.ctypes.data // room.itemsize % CACHE_LINE_NUMBERS
    return room[first : first + size]


def outside_tree(block_masks: SymbolMasks) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sequences outside the tree: ranks, nearest in the tree, and bits of that distance; see
    `SymbolMasks`."""
    left = block_masks.least >= 0
    return block_masks.ranks[left], block_masks.nearest[left], block_masks.least[left]


@cached_njit
def copy_in_order(codes, offsets, order, starts, target):
    """Copy the sequences in an order, each to its place in ``starts``."""
    for at in range(order.size):
        first, last = offsets[order[at]], offsets[order[at] + 1]
        target[starts[at] : starts[at] + last - first] = codes[first:last]


@cached_njit
def _fill_masks(sequences, ranks, starts, words, bits):
    """Set the bits of all masks."""
    for number in range(ranks.size):
        group, lane, first = number // LANES, number % LANES, sequences.offsets[ranks[number]]
        for at in range(sequences.offsets[ranks[number] + 1] - first):
            code = np.int64(sequences.codes[first + at])
            if code < SYMBOLS - 1:
                place = starts[group] + (code * words[group] + at // BITS) * LANES + lane
                bits[place] |= np.int32(1) << np.int32(at % BITS)


@inline_njit
def _next_row_word(value, letter_bits):
    """Return the word of a row after a letter that is at the bits ``letter_bits``."""
    return bit_or(add(value, bit_and(value, letter_bits)), bit_and(value, subtract(splat(ALL_BITS), letter_bits)))


@inner_njit
def _lcs_one_word(block_masks, sequences, rank, group, common_lengths):
    """Write the longest common subsequences with sequences of one word: all their rows stay in registers."""
    a = b = c = d = splat(ALL_BITS)
    base = block_masks.starts[group]
    for at in range(sequences.offsets[rank], sequences.offsets[rank + 1]):
        place = base + np.int64(sequences.codes[at]) * LANES
        a, b = _next_row_word(a, load(block_masks.bits, place)), _next_row_word(b, load(block_masks.bits, place + 16))
        c = _next_row_word(c, load(block_masks.bits, place + 32))
        d = _next_row_word(d, load(block_masks.bits, place + 48))
    zero = splat(ALL_BITS)
    store(common_lengths, 0, popcount_lanes(subtract(zero, a)))
    store(common_lengths, 16, popcount_lanes(subtract(zero, b)))
    store(common_lengths, 32, popcount_lanes(subtract(zero, c)))
    store(common_lengths, 48, popcount_lanes(subtract(zero, d)))


@inline_njit
def _next_row_word_with_carry(row, position, letter_bits, carry):
    """Advance a word of a row by a letter, with the carry into it, and return the carry out of it."""
    value = load(row, position)
    shared = bit_and(value, letter_bits)
    first = add(value, shared)
    total = add(first, carry)
    one, none = splat(np.int32(1)), splat(np.int32(0))
    carried = select_lanes(bit_or(less_unsigned(first, value), less_unsigned(total, first)), one, none)
    store(row, position, bit_or(total, bit_and(value, subtract(splat(ALL_BITS), letter_bits))))
    return carried


@inner_njit
def _lcs_many_words(block_masks, sequences, rank, group, row, common_lengths):
    """Write the longest common subsequences with sequences of several words, with carries between words."""
    words = block_masks.words[group]
    for at in range(0, words * LANES, 16):
        store(row, at, splat(ALL_BITS))
    none = splat(np.int32(0))
    for at in range(sequences.offsets[rank], sequences.offsets[rank + 1]):
        place = block_masks.starts[group] + np.int64(sequences.codes[at]) * words * LANES
        a = b = c = d = none
        for word in range(words):
            here, there = word * LANES, place + word * LANES
            a = _next_row_word_with_carry(row, here, load(block_masks.bits, there), a)
            b = _next_row_word_with_carry(row, here + 16, load(block_masks.bits, there + 16), b)
            c = _next_row_word_with_carry(row, here + 32, load(block_masks.bits, there + 32), c)
            d = _next_row_word_with_carry(row, here + 48, load(block_masks.bits, there + 48), d)
    for lane in range(0, LANES, 16):
        total = none
        for word in range(words):
            total = add(total, popcount_lanes(subtract(splat(ALL_BITS), load(row, word * LANES + lane))))
        store(common_lengths, lane, total)


@inline_njit
def lcs_lengths(block_masks, sequences, rank, group, row, common_lengths):
    """Write the longest common subsequences of a sequence and those of a group to ``common_lengths`` int32 (LANES,)."""
    if block_masks.words[group] == 1:
        _lcs_one_word(block_masks, sequences, rank, group, common_lengths)
    else:
        _lcs_many_words(block_masks, sequences, rank, group, row, common_lengths)


@inline_njit
def _update_nearest(block_masks, group, rank, length, common):
    """Update the nearest sequences of a group by one more in the tree, and return whether any changed."""
    one, far = splat(np.int32(1)), splat(NO_COMMON_BITS)
    low, changed = group * LANES, False
    for lane in range(0, LANES, 16):
        shared, known = load(common, lane), load(block_masks.least, low + lane)
        some = maximum(shared, one)
        apart = subtract(add(splat(length), load(block_masks.lengths, low + lane)), add(shared, shared))
        if not any_lane(quotient_may_be_at_most(apart, some, known)):
            continue
        bits = select_lanes(greater_lanes(one, shared), far, quotient_bits(apart, some))
        nearest = load(block_masks.nearest, low + lane)
        closer = bit_or(
            greater_lanes(known, bits), bit_and(equal_lanes(known, bits), greater_lanes(nearest, splat(rank)))
        )
        if any_lane(closer):
            store(block_masks.nearest, low + lane, select_lanes(closer, splat(rank), nearest))
            store(block_masks.least, low + lane, select_lanes(closer, bits, known))
            changed = True
    return changed


@inline_njit
def edge_key(first, second):
    """Return the key that orders equally long edges."""
    return (np.int64(max(first, second)) << 32) | np.int64(min(first, second))


@inner_njit
def _find_first_edge(block_masks, group):
    """Write the first edge between the tree and a group."""
    least, key, found = np.int64(FARTHEST), np.int64(0), np.int64(-1)
    for place in range(group * LANES, (group + 1) * LANES):
        bits = np.int64(block_masks.least[place])
        if 0 <= bits <= least and bits < FARTHEST:
            other = edge_key(block_masks.nearest[place], block_masks.ranks[place])
            if bits < least or other < key:
                least, key, found = bits, other, np.int64(place)
    block_masks.firsts[group, 0], block_masks.firsts[group, 1], block_masks.firsts[group, 2] = least, key, found


@inline_njit
def _first_group(block_masks):
    """Return the group that has the first edge of all, or -1."""
    best = -1
    for group in range(block_masks.words.size):
        if block_masks.firsts[group, 2] < 0:
            continue
        if best >= 0:
            less = block_masks.firsts[group, 0] < block_masks.firsts[best, 0]
            if not less and (
                block_masks.firsts[group, 0] > block_masks.firsts[best, 0]
                or block_masks.firsts[group, 1] > block_masks.firsts[best, 1]
            ):
                continue
        best = group
    return best


@inline_njit
def _edge_precedes(first_masks, group, second_masks, another):
    """Return whether the first edge of a group of one block precedes that of a group of another; -1 is no group."""
    if group < 0 or another < 0:
        return another < 0
    one, two = first_masks.firsts[group], second_masks.firsts[another]
    return one[0] < two[0] or (one[0] == two[0] and one[1] < two[1])


@cached_njit
def grow_tree(first_masks, second_masks, sequences, rank, side, keys, lengths, first, last, done, stop):
    """Make steps ``first`` to ``last`` of Prim's algorithm between the sequences of two blocks, or within one given
    twice.

    A step measures the last sequence of the tree, at first ``rank`` of the block ``side`` (0 or 1), against all of the
    other block that are outside, and takes the nearest one of either: its edge goes to ``keys`` int64 and ``lengths``
    int32 (bits). ``done`` counts pairs. Returns the last sequence of the tree, and its side.
    """
    longest = 1
    for block in (first_masks, second_masks):
        for group in range(block.words.size):
            longest = max(longest, block.words[group])
            _find_first_edge(block, group)
    row, common = np.empty(longest * LANES, np.int32), np.empty(LANES, np.int32)
    left = np.array([np.sum(first_masks.least >= 0), np.sum(second_masks.least >= 0)])
    within = first_masks.bits.ctypes.data == second_masks.bits.ctypes.data
    for step in range(first, last):
        measured = second_masks if side == 0 else first_masks
        length = np.int32(sequences.offsets[rank + 1] - sequences.offsets[rank])
        for group in range(measured.words.size):
            if load_acquire(stop, 0) != 0:
                return rank, side
            lcs_lengths(measured, sequences, rank, group, row, common)
            if _update_nearest(measured, group, np.int32(rank), length, common):
                _find_first_edge(measured, group)
        done[0] += left[1 - side]
        group, another = _first_group(first_masks), _first_group(second_masks)
        side = 0 if within or _edge_precedes(first_masks, group, second_masks, another) else 1
        taken = first_masks if side == 0 else second_masks
        found = taken.firsts[group if side == 0 else another]
        keys[step], lengths[step], place = found[1], found[0], found[2]
        rank = np.int64(taken.ranks[place])
        taken.least[place] = IN_TREE
        _find_first_edge(taken, place // LANES)
        left[side] -= 1
        if within:
            left[1] = left[0]
    return rank, side


@cached_njit
def joins_of_edges(keys, order, joins, used):
    """Write the joins, int64 (n - 1, 2), of edges taken in an order; edges that join nothing are skipped.

    Nodes below n are sequences. ``used`` int64 (n - 1,) becomes the edges that join.
    """
    count, join = used.size + 1, 0
    above = np.arange(2 * count)
    for edge in order:
        key = keys[edge]
        one, other = find_root(above, key >> 32), find_root(above, key & np.int64(2**32 - 1))
        if one != other:
            joins[join, 0], joins[join, 1] = min(one, other), max(one, other)
            above[one] = above[other] = count + join
            used[join] = edge
            join += 1


@inline_njit
def find_root(above, node):
    """Return the root of a node and shorten the way there; ``above`` int64 is the parent of each node, or itself."""
    root = node
    while above[root] != root:
        root = above[root]
    while above[node] != root:
        following = above[node]
        above[node] = root
        node = following
    return root
