"""What PartTree decides in a group, compiled: pivot, picks, filter, and UPGMA of the references; it counts nothing.

Groups of a level lie one after another: ``members`` int64 are the sequences of group g, ascending, from starts[g] on
(int64). Threads take groups by a ticket.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled, inlined
from antidiag.kernels.cpu.simd import take_ticket
from antidiag.kernels.parttree.problem import FILTER, MEAN_SHARE

MOST = np.uint64(2**64 - 1)
NEAREST_SHARE, EACH_SHARE = 1 - MEAN_SHARE, MEAN_SHARE / 2
SEEDS, LEVELS, SEQUENCES = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03), np.uint64(0x8CB92BA72F3D8DD7)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
BY_30, BY_27, BY_31 = np.uint64(30), np.uint64(27), np.uint64(31)


@compiled
def pivots(totals, members, starts, found):
    """The place in ``members`` of the sequence with the most words of each group, of equal ones the first."""
    for group in range(starts.size - 1):
        best = starts[group]
        for at in range(starts[group] + 1, starts[group + 1]):
            if totals[members[at]] > totals[members[best]]:
                best = at
        found[group] = best


@inlined
def _key(seed, level, sequence):
    """`problem.draw_key`."""
    value = np.uint64(seed) * SEEDS + np.uint64(level) * LEVELS + np.uint64(sequence) * SEQUENCES
    value = (value ^ (value >> BY_30)) * FIRST
    value = (value ^ (value >> BY_27)) * SECOND
    return value ^ (value >> BY_31)


@compiled
def keys_of(seed, level, sequences):
    """The keys of some sequences, uint64."""
    found = np.empty(sequences.size, np.uint64)
    for at in range(sequences.size):
        found[at] = _key(seed, level, sequences[at])
    return found


@compiled
def choose(members, starts, pivot, away, references, seed, level, picks, counts, ticket, stop):
    """The picks of each group, as places in ``members`` by ascending distance, from picks[starts[group]] on.

    ``away`` float64 are the distances from the pivot. ``counts`` int64 is how many there are: 0 for a group whose
    distances are all 0, or not known.
    """
    while stop[0] == 0:
        group = take_ticket(ticket, 0)
        if group >= starts.size - 1:
            return
        start, size = starts[group], starts[group + 1] - starts[group]
        if counts[group] == 0:
            continue
        away[pivot[group]] = -1.0
        ranked = np.argsort(away[start : start + size], kind="mergesort")
        if away[start + ranked[size - 1]] <= 0:
            counts[group] = 0
        elif size <= references:
            counts[group] = size
            for rank in range(size):
                picks[start + rank] = start + ranked[rank]
        else:
            counts[group] = references
            _pick_some(members[start : start + size], ranked, references, seed, level, start, picks)


@called
def _pick_some(members, ranked, references, seed, level, start, picks):
    """The pivot, the farthest, the one of median rank, and of the others those of the least keys."""
    size = ranked.size
    keys = np.empty(size, np.uint64)
    for rank in range(size):
        keys[rank] = _key(seed, level, members[ranked[rank]])
    chosen = np.zeros(size, np.bool_)
    chosen[0] = chosen[size - 1] = True
    count = 2
    if references > 2:
        chosen[1 + (size - 2) // 2] = True
        count = 3
    for rank in range(size):
        if chosen[rank]:
            keys[rank] = MOST
    order = np.argsort(keys, kind="mergesort")
    for at in range(references - count):
        chosen[order[at]] = True
    at = start
    for rank in range(size):
        if chosen[rank]:
            picks[at] = start + ranked[rank]
            at += 1


@compiled
def filtered(matrix, places, starts, away, picks, counts, kept, ticket, stop):
    """The picks that are not too near to one before them that is kept: their numbers, from kept[starts[group]] on.

    ``matrix`` float64 has the distances between the picks of each group, from places[group] on, where they are made
    dense for those that are kept. ``counts`` int64 becomes how many.
    """
    while stop[0] == 0:
        group = take_ticket(ticket, 0)
        if group >= starts.size - 1:
            return
        start, size = starts[group], counts[group]
        if size == 0:
            continue
        apart = matrix[places[group] : places[group] + size * size].reshape((size, size))
        limit = FILTER * away[picks[start + size - 1]]
        dropped = np.zeros(size, np.bool_)
        left = 0
        for i in range(size):
            if dropped[i]:
                continue
            kept[start + left] = i
            left += 1
            for j in range(i + 1, size):
                if apart[i, j] < limit:
                    dropped[j] = True
        flat, at = matrix[places[group] : places[group] + size * size], 0
        for i in range(left):
            for j in range(left):
                flat[at] = flat[kept[start + i] * size + kept[start + j]]
                at += 1
        counts[group] = left


@compiled
def upgma(matrix, places, starts, counts, joins, heights, ticket, stop):
    """Joins of the references of each group, from joins[starts[group]] on: numbers below the count are references.

    The nearest two are joined, of equal ones the first pair, at half their distance; the new one takes the place of the
    first. ``matrix`` is used up.
    """
    while stop[0] == 0:
        group = take_ticket(ticket, 0)
        if group >= starts.size - 1:
            return
        start, size = starts[group], counts[group]
        if size == 0:
            _even(joins, heights, start, starts[group + 1] - start)
            continue
        apart = matrix[places[group] : places[group] + size * size].reshape((size, size))
        nearest, least = np.zeros(size, np.int64), np.full(size, np.inf)
        nodes, alive = np.arange(size), np.arange(size)
        for i in range(size - 1):
            _find(apart, alive, size, i, nearest, least)
        for join in range(size - 1):
            left = size - join
            place = 0
            for at in range(1, left - 1):
                if least[alive[at]] < least[alive[place]]:
                    place = at
            i = alive[place]
            j = nearest[i]
            joins[start + join, 0], joins[start + join, 1] = nodes[i], nodes[j]
            heights[start + join] = apart[i, j] / 2
            nodes[i] = size + join
            _remove(alive, left, j)
            _link(apart, alive, left - 1, i, j, nearest, least)
    return


@called
def _link(apart, alive, left, i, j, nearest, least):
    """Give the joined cluster, at place i, its distances, and find anew what was nearest where that has changed."""
    for at in range(left):
        other = alive[at]
        if other != i:
            one, two = apart[i, other], apart[j, other]
            apart[i, other] = apart[other, i] = min(one, two) * NEAREST_SHARE + (one + two) * EACH_SHARE
    for at in range(left - 1):
        other = alive[at]
        if other == i or nearest[other] == j or nearest[other] == i:
            _find(apart, alive, left, at, nearest, least)
        elif other < i:
            new = apart[other, i]
            if new < least[other] or (new == least[other] and i < nearest[other]):
                nearest[other], least[other] = i, new


@inlined
def _find(apart, alive, left, at, nearest, least):
    """What is nearest to the cluster at alive[at] among those after it."""
    own = alive[at]
    best, where = np.inf, -1
    for later in range(at + 1, left):
        other = alive[later]
        if apart[own, other] < best:
            best, where = apart[own, other], other
    nearest[own], least[own] = where, best


@inlined
def _remove(alive, left, gone):
    """Take one out of those that are left; the others keep their order."""
    at = np.searchsorted(alive[:left], gone)
    for later in range(at, left - 1):
        alive[later] = alive[later + 1]


@called
def _even(joins, heights, start, size):
    """Join two by two, in their order, as often as there are two left."""
    for join in range(size - 1):
        joins[start + join, 0], joins[start + join, 1] = 2 * join, 2 * join + 1
        heights[start + join] = 0.0


@compiled
def shared_out(members, starts, counts, nearest, refs, next_members, next_starts, children):
    """The groups of the next level, and what every reference of this one leads to.

    ``nearest`` int32 is the number of each member's reference in its group (of its own for a reference), ``refs`` int64
    has the sequences that are references, at starts[group]. ``children`` int64 at starts[group] + r is the number of
    the group on the next level, or -1 - the sequence where it is alone. Returns how many groups and members there are.
    """
    groups, filled = 0, 0
    for group in range(starts.size - 1):
        start, end, count = starts[group], starts[group + 1], counts[group]
        if count == 0:
            for at in range(start, end):
                children[at] = -1 - members[at]
            continue
        sizes = np.zeros(count + 1, np.int64)
        for at in range(start, end):
            sizes[nearest[at] + 1] += 1
        places = np.empty(count, np.int64)
        for reference in range(count):
            size = sizes[reference + 1]
            if size == 1:
                children[start + reference] = -1 - refs[start + reference]
                places[reference] = -1
                continue
            children[start + reference] = groups
            places[reference] = filled
            filled += size
            groups += 1
            next_starts[groups] = filled
        for at in range(start, end):
            place = places[nearest[at]]
            if place >= 0:
                next_members[place] = members[at]
                places[nearest[at]] += 1
    return groups, filled
