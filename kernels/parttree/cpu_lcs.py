"""Longest common subsequences of all pairs, many at a time, and the minimum spanning tree over them, compiled.

The distance of two sequences is the number of letters that one must insert and delete to make one the other, over the
length of their longest common subsequence. That length is counted with a word of bits for 32 letters (Hyyro 2004), of
LANES sequences side by side. The tree grows by the sequence that is nearest to it (Prim 1957), so that no matrix is
ever there; of equally long edges that of the lesser numbers comes first, so that there is one tree, whoever makes it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled, inlined
from antidiag.kernels.cpu.simd import (
    acquire,
    add,
    any_lane,
    below_unsigned,
    both,
    either,
    equal,
    greater,
    load,
    maximum,
    ones_of_lanes,
    quotient_bits,
    quotient_may_be,
    select,
    splat,
    store,
    subtract,
)
from antidiag.kernels.parttree.symbols import BITS

LANES = 64
SYMBOLS = 21
"""Twenty letters, and all others, which equal nothing."""
FAR = np.float32(1e6)
"""The distance of sequences without a common letter."""
FAR_BITS = FAR.view(np.int32)
ALL = np.int32(-1)
"""All bits of a word."""
LINE = 16
"""Numbers of 4 bytes in a line of the cache."""
IN_TREE, FARTHEST = np.int32(-1), np.float32(np.inf).view(np.int32)


class Every(NamedTuple):
    """All sequences in order of their lengths: ``codes`` uint8 from offsets[rank] on (int64)."""

    codes: np.ndarray
    offsets: np.ndarray


class Masks(NamedTuple):
    """Sequences that are not in the tree yet, by ascending length in groups of LANES: which places hold a symbol.

    ``bits`` int32 flat: those of group g begin at starts[g] (int64), (symbols, words[g], LANES). All others are a
    number a lane, groups filled up with what is IN_TREE: ``ranks`` and ``lengths`` int32 of the sequence, ``nearest``
    int32 in the tree, and ``least`` int32, the bits of that distance, which are in order as the distances are.
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


def masks(every: Every, ranks: np.ndarray, nearest: np.ndarray, least: np.ndarray) -> Masks:
    """The masks of some sequences, in ascending order of their ranks."""
    lengths = np.diff(every.offsets)[ranks]
    groups = -(-ranks.size // LANES)
    longest = lengths[np.minimum(np.arange(1, groups + 1) * LANES, ranks.size) - 1] if ranks.size else lengths
    words = np.maximum(-(-longest // BITS), 1)
    starts = np.concatenate([[0], np.cumsum(words * SYMBOLS * LANES)])
    bits = _on_a_line(int(starts[-1]))
    _fill(every, ranks, starts, words, bits)
    filled = [np.full(groups * LANES, other, np.int32) for other in (0, 0, 0, IN_TREE)]
    for target, source in zip(filled, (ranks, lengths, nearest, least), strict=True):
        target[: ranks.size] = source
    ranks, lengths, nearest, least = filled
    return Masks(bits, starts, words, ranks, lengths, nearest, least, np.empty((groups, 3), np.int64))


def _on_a_line(size: int) -> np.ndarray:
    """Zeros, int32, from the start of a line of the cache on: loads of whole vectors then meet one line each."""
    room = np.zeros(size + LINE, np.int32)
    first = -room.ctypes.data // room.itemsize % LINE
    return room[first : first + size]


def left_of(own: Masks) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sequences that are not in the tree: ranks, what is nearest to them, and how near; see Masks."""
    left = own.least >= 0
    return own.ranks[left], own.nearest[left], own.least[left]


@compiled
def arrange(codes, offsets, order, starts, target):
    """The sequences in an order, each from its place in ``starts`` on."""
    for at in range(order.size):
        first, last = offsets[order[at]], offsets[order[at] + 1]
        target[starts[at] : starts[at] + last - first] = codes[first:last]


@compiled
def _fill(every, ranks, starts, words, bits):
    for number in range(ranks.size):
        group, lane, first = number // LANES, number % LANES, every.offsets[ranks[number]]
        for at in range(every.offsets[ranks[number] + 1] - first):
            code = np.int64(every.codes[first + at])
            if code < SYMBOLS - 1:
                place = starts[group] + (code * words[group] + at // BITS) * LANES + lane
                bits[place] |= np.int32(1) << np.int32(at % BITS)


@inlined
def _after(value, there):
    """The word of a row behind a letter, whose places are ``there``."""
    return either(add(value, both(value, there)), both(value, subtract(splat(ALL), there)))


@called
def _common_one(own, every, rank, group, found):
    """`_common` of sequences of one word: all their rows stay in registers."""
    a = b = c = d = splat(ALL)
    base = own.starts[group]
    for at in range(every.offsets[rank], every.offsets[rank + 1]):
        place = base + np.int64(every.codes[at]) * LANES
        a, b = _after(a, load(own.bits, place)), _after(b, load(own.bits, place + 16))
        c, d = _after(c, load(own.bits, place + 32)), _after(d, load(own.bits, place + 48))
    zero = splat(ALL)
    store(found, 0, ones_of_lanes(subtract(zero, a)))
    store(found, 16, ones_of_lanes(subtract(zero, b)))
    store(found, 32, ones_of_lanes(subtract(zero, c)))
    store(found, 48, ones_of_lanes(subtract(zero, d)))


@inlined
def _step(row, at, there, carry):
    """A word of a row behind a letter, with what is carried into it; what it carries on."""
    value = load(row, at)
    shared = both(value, there)
    first = add(value, shared)
    total = add(first, carry)
    one, none = splat(np.int32(1)), splat(np.int32(0))
    carried = select(either(below_unsigned(first, value), below_unsigned(total, first)), one, none)
    store(row, at, either(total, both(value, subtract(splat(ALL), there))))
    return carried


@called
def _common_many(own, every, rank, group, row, found):
    """`_common` of sequences of several words: what one carries goes to the next."""
    words = own.words[group]
    for at in range(0, words * LANES, 16):
        store(row, at, splat(ALL))
    none = splat(np.int32(0))
    for at in range(every.offsets[rank], every.offsets[rank + 1]):
        place = own.starts[group] + np.int64(every.codes[at]) * words * LANES
        a = b = c = d = none
        for word in range(words):
            here, there = word * LANES, place + word * LANES
            a = _step(row, here, load(own.bits, there), a)
            b = _step(row, here + 16, load(own.bits, there + 16), b)
            c = _step(row, here + 32, load(own.bits, there + 32), c)
            d = _step(row, here + 48, load(own.bits, there + 48), d)
    for lane in range(0, LANES, 16):
        total = none
        for word in range(words):
            total = add(total, ones_of_lanes(subtract(splat(ALL), load(row, word * LANES + lane))))
        store(found, lane, total)


@inlined
def common_of(own, every, rank, group, row, found):
    """The longest common subsequences of a sequence and those of a group, into ``found`` int32 (LANES,)."""
    if own.words[group] == 1:
        _common_one(own, every, rank, group, found)
    else:
        _common_many(own, every, rank, group, row, found)


@inlined
def _nearer(own, group, rank, length, common):
    """What a further sequence in the tree changes for a group, with which it has such ``common`` subsequences; whether
    it changes anything."""
    one, far = splat(np.int32(1)), splat(FAR_BITS)
    low, changed = group * LANES, False
    for lane in range(0, LANES, 16):
        shared, known = load(common, lane), load(own.least, low + lane)
        some = maximum(shared, one)
        apart = subtract(add(splat(length), load(own.lengths, low + lane)), add(shared, shared))
        if not any_lane(quotient_may_be(apart, some, known)):
            continue
        bits, nearest = select(greater(one, shared), far, quotient_bits(apart, some)), load(own.nearest, low + lane)
        closer = either(greater(known, bits), both(equal(known, bits), greater(nearest, splat(rank))))
        if any_lane(closer):
            store(own.nearest, low + lane, select(closer, splat(rank), nearest))
            store(own.least, low + lane, select(closer, bits, known))
            changed = True
    return changed


@inlined
def edge_key(one, other):
    """Which of equally long edges comes first."""
    return (np.int64(max(one, other)) << 32) | np.int64(min(one, other))


@called
def _find_first(own, group):
    """Write down the first edge between the tree and a group."""
    least, key, found = np.int64(FARTHEST), np.int64(0), np.int64(-1)
    for place in range(group * LANES, (group + 1) * LANES):
        bits = np.int64(own.least[place])
        if 0 <= bits <= least and bits < FARTHEST:
            other = edge_key(own.nearest[place], own.ranks[place])
            if bits < least or other < key:
                least, key, found = bits, other, np.int64(place)
    own.firsts[group, 0], own.firsts[group, 1], own.firsts[group, 2] = least, key, found


@inlined
def _first_of(own):
    """The group that has the first edge of all, or -1."""
    best = -1
    for group in range(own.words.size):
        if own.firsts[group, 2] < 0:
            continue
        if best >= 0:
            less = own.firsts[group, 0] < own.firsts[best, 0]
            if not less and (own.firsts[group, 0] > own.firsts[best, 0] or own.firsts[group, 1] > own.firsts[best, 1]):
                continue
        best = group
    return best


@inlined
def _before(own, group, other, another):
    """Whether the first edge of a group of one block comes before that of a group of another; -1 is no group."""
    if group < 0 or another < 0:
        return another < 0
    one, two = own.firsts[group], other.firsts[another]
    return one[0] < two[0] or (one[0] == two[0] and one[1] < two[1])


@compiled
def grow(own, other, every, rank, side, keys, lengths, first, last, done, stop):
    """Steps ``first`` to ``last`` of Prim's algorithm between the sequences of two blocks; within one, given twice.

    A step measures the last sequence of the tree, at first ``rank`` of the block ``side`` (0 or 1), against all of the
    other block that are not in it, and takes the nearest one of either: its edge goes to ``keys`` int64 and ``lengths``
    int32 (bits). ``done`` counts pairs. Returns the last sequence of the tree, and its side.
    """
    longest = 1
    for block in (own, other):
        for group in range(block.words.size):
            longest = max(longest, block.words[group])
            _find_first(block, group)
    row, common = np.empty(longest * LANES, np.int32), np.empty(LANES, np.int32)
    left = np.array([np.sum(own.least >= 0), np.sum(other.least >= 0)])
    within = own.bits.ctypes.data == other.bits.ctypes.data
    for step in range(first, last):
        measured = other if side == 0 else own
        length = np.int32(every.offsets[rank + 1] - every.offsets[rank])
        for group in range(measured.words.size):
            if acquire(stop, 0) != 0:
                return rank, side
            common_of(measured, every, rank, group, row, common)
            if _nearer(measured, group, np.int32(rank), length, common):
                _find_first(measured, group)
        done[0] += left[1 - side]
        group, another = _first_of(own), _first_of(other)
        side = 0 if within or _before(own, group, other, another) else 1
        taken = own if side == 0 else other
        found = taken.firsts[group if side == 0 else another]
        keys[step], lengths[step], place = found[1], found[0], found[2]
        rank = np.int64(taken.ranks[place])
        taken.least[place] = IN_TREE
        _find_first(taken, place // LANES)
        left[side] -= 1
        if within:
            left[1] = left[0]
    return rank, side


@compiled
def joins_of(keys, order, joins, used):
    """The joins, int64 (n - 1, 2), that edges make which are taken in an order, those left out that join nothing; nodes
    below n are sequences. ``used`` int64 (n - 1,) becomes the edges that join."""
    count, join = used.size + 1, 0
    above = np.arange(2 * count)
    for edge in order:
        key = keys[edge]
        one, other = root_of(above, key >> 32), root_of(above, key & np.int64(2**32 - 1))
        if one != other:
            joins[join, 0], joins[join, 1] = min(one, other), max(one, other)
            above[one] = above[other] = count + join
            used[join] = edge
            join += 1


@inlined
def root_of(above, node):
    """The root of a node, whose way there is shortened; ``above`` int64 is the parent of each, or itself."""
    root = node
    while above[root] != root:
        root = above[root]
    while above[node] != root:
        following = above[node]
        above[node] = root
        node = following
    return root
