"""Longest common subsequences of all pairs, many at a time, and the minimum spanning tree over them, compiled.

The distance of two sequences is the number of letters that one must insert and delete to make one the other, over the
length of their longest common subsequence. That length is counted with a word of bits for 32 letters (Hyyro 2004), of
LANES sequences side by side. The tree grows by the sequence that is nearest to it (Prim 1957), so that no matrix is
ever there; of equally long edges that of the lesser numbers comes first, so that there is one tree, whoever makes it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernels.cpu.jit import compiled, inlined
from kernels.cpu.simd import (
    acquire,
    add,
    below_unsigned,
    both,
    either,
    equal,
    greater,
    load,
    lowest_lane,
    ones_of_lanes,
    quotient_bits,
    release,
    select,
    splat,
    store,
    subtract,
)
from kernels.cpu.waiting import wait_for
from kernels.parttree.symbols import BITS

LANES = 64
SYMBOLS = 21
"""Twenty letters, and all others, which equal nothing."""
FAR = np.float32(1e6)
"""The distance of sequences without a common letter."""
FAR_BITS = FAR.view(np.int32)
ALL = np.int32(-1)
"""All bits of a word."""
IN_TREE, FARTHEST = np.int32(-1), np.int32(2**31 - 1)
LINE = 8
"""Numbers of 8 bytes in a line of the cache: what one thread writes is not beside what another does."""


class Every(NamedTuple):
    """All sequences in order of their lengths: ``codes`` uint8 from offsets[rank] on (int64)."""

    codes: np.ndarray
    offsets: np.ndarray


class Masks(NamedTuple):
    """Sequences that are not in the tree yet, by ascending length in groups of LANES: which places hold a symbol.

    ``bits`` int32 flat: those of group g begin at starts[g] (int64), (symbols, words[g], LANES). All others are a
    number a lane, groups filled up with what is IN_TREE: ``ranks`` and ``lengths`` int32 of the sequence, ``nearest``
    int32 in the tree, and ``least`` int32, the bits of that distance, which are in order as the distances are.
    """

    bits: np.ndarray
    starts: np.ndarray
    words: np.ndarray
    ranks: np.ndarray
    lengths: np.ndarray
    nearest: np.ndarray
    least: np.ndarray


def masks(every: Every, ranks: np.ndarray, nearest: np.ndarray, least: np.ndarray) -> Masks:
    """The masks of some sequences, in ascending order of their ranks."""
    lengths = np.diff(every.offsets)[ranks]
    groups = -(-ranks.size // LANES)
    longest = lengths[np.minimum(np.arange(1, groups + 1) * LANES, ranks.size) - 1] if ranks.size else lengths
    words = np.maximum(-(-longest // BITS), 1)
    starts = np.concatenate([[0], np.cumsum(words * SYMBOLS * LANES)])
    bits = np.zeros(int(starts[-1]), np.int32)
    _fill(every, ranks, starts, words, bits)
    filled = [np.full(groups * LANES, other, np.int32) for other in (0, 0, 0, IN_TREE)]
    for target, source in zip(filled, (ranks, lengths, nearest, least), strict=True):
        target[: ranks.size] = source
    return Masks(bits, starts, words, *filled)


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


@compiled
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


@compiled
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


@compiled
def _nearer(own, group, rank, length, common, low):
    """What a further sequence in the tree changes for a group, with which it has such ``common`` subsequences; the
    least distance of those that are left."""
    one, none, far, out = splat(np.int32(1)), splat(np.int32(0)), splat(FAR_BITS), splat(FARTHEST)
    least = out
    for lane in range(0, LANES, 16):
        shared = load(common, lane)
        some = greater(shared, none)
        apart = subtract(add(splat(length), load(own.lengths, low + lane)), add(shared, shared))
        bits = select(some, quotient_bits(apart, select(some, shared, one)), far)
        known, nearest = load(own.least, low + lane), load(own.nearest, low + lane)
        closer = either(greater(known, bits), both(equal(known, bits), greater(nearest, splat(rank))))
        known = select(closer, bits, known)
        store(own.nearest, low + lane, select(closer, splat(rank), nearest))
        store(own.least, low + lane, known)
        known = select(greater(none, known), out, known)
        least = select(greater(least, known), known, least)
    return lowest_lane(least)


@inlined
def edge_key(one, other):
    """Which of equally long edges comes first."""
    return (np.int64(max(one, other)) << 32) | np.int64(min(one, other))


@inlined
def _first(found, other):
    """Whether the edge ``other`` comes before ``found``, each (bits of its length, key, place or -1)."""
    if other[2] < 0 or found[2] < 0:
        return found[2] < 0
    return other[0] < found[0] or (other[0] == found[0] and other[1] < found[1])


@compiled
def grow(own, every, rank, keys, lengths, first, last, worker, threads, slots, words, done, stop):
    """Steps ``first`` to ``last`` of Prim's algorithm on one of some threads, each of which has a part of the groups.

    A step measures the last sequence of the tree, at first ``rank``, against all that are not in it, and takes the
    nearest one: its edge goes to ``keys`` int64 and ``lengths`` int32 (bits). ``slots`` int64 (2, threads, LINE) is
    what each thread found in this step, and in the one before; ``words`` int64, a line a thread, how many steps it has
    done. Returns the last sequence of the tree.
    """
    row, common = np.empty(own.words[-1] * LANES, np.int32), np.empty(LANES, np.int32)
    for step in range(first, last):
        mine = slots[step % 2, worker]
        mine[0], mine[1], mine[2] = FARTHEST, 0, -1
        length = np.int32(every.offsets[rank + 1] - every.offsets[rank])
        for group in range(worker, own.words.size, threads):
            if acquire(stop, 0) != 0:
                return rank
            common_of(own, every, rank, group, row, common)
            low = group * LANES
            lowest = _nearer(own, group, np.int32(rank), length, common, low)
            if lowest > mine[0] or lowest == FARTHEST:
                continue
            for place in range(low, low + LANES):
                if own.least[place] == lowest:
                    key = edge_key(own.nearest[place], own.ranks[place])
                    if lowest < mine[0] or key < mine[1]:
                        mine[0], mine[1], mine[2] = lowest, key, place
        release(words, LINE * worker, step + 1)
        found = mine
        for other in range(threads):
            if not wait_for(words, LINE * other, step + 1, stop):
                return rank
            if _first(found, slots[step % 2, other]):
                found = slots[step % 2, other]
        place = found[2]
        rank = np.int64(own.ranks[place])
        if place // LANES % threads == worker:
            own.least[place] = IN_TREE
            keys[step], lengths[step] = found[1], found[0]
        if worker == 0:
            done[0] = step + 1
    return rank


@compiled
def joins_of(keys, order, joins):
    """The joins of a spanning tree whose edges are taken in an order, int64; nodes below n are sequences."""
    count = keys.size + 1
    above = np.arange(2 * count)
    for join in range(count - 1):
        key = keys[order[join]]
        one, other = root_of(above, key >> 32), root_of(above, key & np.int64(2**32 - 1))
        joins[join, 0], joins[join, 1] = min(one, other), max(one, other)
        above[one] = above[other] = count + join


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
