"""What PartTree decides within a group, compiled: pivot, picks, filter, and UPGMA of the references.

Groups of a level lie one after another: ``members`` int64 are the sequences of group g, ascending, from starts[g] on
(int64). Threads take groups by a ticket.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.cpu.simd import fetch_add
from antidiag.kernels.parttree.problem import FILTER_SHARE, MEAN_SHARE

HIGHEST_KEY = np.uint64(2**64 - 1)
NEAREST_SHARE, EACH_SHARE = 1 - MEAN_SHARE, MEAN_SHARE / 2
SEEDS, LEVELS, SEQUENCES = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03), np.uint64(0x8CB92BA72F3D8DD7)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
BY_30, BY_27, BY_31 = np.uint64(30), np.uint64(27), np.uint64(31)


@cached_njit
def find_pivots(totals, members, starts, pivot_positions):
    """Write the position in ``members`` of the sequence with the most words of each group, the first of equal ones."""
    for group in range(starts.size - 1):
        best = starts[group]
        for at in range(starts[group] + 1, starts[group + 1]):
            if totals[members[at]] > totals[members[best]]:
                best = at
        pivot_positions[group] = best


@inline_njit
def _draw_key(seed, level, sequence):
    """Return the key of `problem.draw_key`."""
    value = np.uint64(seed) * SEEDS + np.uint64(level) * LEVELS + np.uint64(sequence) * SEQUENCES
    value = (value ^ (value >> BY_30)) * FIRST
    value = (value ^ (value >> BY_27)) * SECOND
    return value ^ (value >> BY_31)


@cached_njit
def draw_keys(seed, level, sequences):
    """Return the random keys of some sequences, uint64."""
    found = np.empty(sequences.size, np.uint64)
    for at in range(sequences.size):
        found[at] = _draw_key(seed, level, sequences[at])
    return found


@cached_njit
def pick_references(members, starts, pivot, pivot_distances, references, seed, level, picks, counts, ticket, stop):
    """Write the picks of each group, as positions in ``members`` by ascending distance, from picks[starts[group]] on.

    ``pivot_distances`` float64 are the distances from the pivot. ``counts`` int64 becomes the number of picks: 0 for a
    group whose distances are all 0, or unknown.
    """
    while stop[0] == 0:
        group = fetch_add(ticket, 0)
        if group >= starts.size - 1:
            return
        start, size = starts[group], starts[group + 1] - starts[group]
        if counts[group] == 0:
            continue
        pivot_distances[pivot[group]] = -1.0
        ranked = np.argsort(pivot_distances[start : start + size], kind="mergesort")
        if pivot_distances[start + ranked[size - 1]] <= 0:
            counts[group] = 0
        elif size <= references:
            counts[group] = size
            for rank in range(size):
                picks[start + rank] = start + ranked[rank]
        else:
            counts[group] = references
            _pick_by_keys(members[start : start + size], ranked, references, seed, level, start, picks)


@inner_njit
def _pick_by_keys(members, ranked, references, seed, level, start, picks):
    """Pick the pivot, the farthest, the one of median rank, and of the others those of the smallest keys."""
    size = ranked.size
    keys = np.empty(size, np.uint64)
    for rank in range(size):
        keys[rank] = _draw_key(seed, level, members[ranked[rank]])
    chosen = np.zeros(size, np.bool_)
    chosen[0] = chosen[size - 1] = True
    count = 2
    if references > 2:
        chosen[1 + (size - 2) // 2] = True
        count = 3
    for rank in range(size):
        if chosen[rank]:
            keys[rank] = HIGHEST_KEY
    order = np.argsort(keys, kind="mergesort")
    for at in range(references - count):
        chosen[order[at]] = True
    at = start
    for rank in range(size):
        if chosen[rank]:
            picks[at] = start + ranked[rank]
            at += 1


@cached_njit
def filter_picks(matrix, matrix_starts, starts, pivot_distances, picks, counts, kept_picks, ticket, stop):
    """Write the numbers of the picks that are not too near to a kept one, from kept[starts[group]] on.

    ``matrix`` float64 has the distances between the picks of each group, from places[group] on; those of kept picks are
    moved together. ``counts`` int64 becomes the number of kept picks.
    """
    while stop[0] == 0:
        group = fetch_add(ticket, 0)
        if group >= starts.size - 1:
            return
        start, size = starts[group], counts[group]
        if size == 0:
            continue
        apart = matrix[matrix_starts[group] : matrix_starts[group] + size * size].reshape((size, size))
        limit = FILTER_SHARE * pivot_distances[picks[start + size - 1]]
        dropped = np.zeros(size, np.bool_)
        left = 0
        for i in range(size):
            if dropped[i]:
                continue
            kept_picks[start + left] = i
            left += 1
            for j in range(i + 1, size):
                if apart[i, j] < limit:
                    dropped[j] = True
        flat, at = matrix[matrix_starts[group] : matrix_starts[group] + size * size], 0
        for i in range(left):
            for j in range(left):
                flat[at] = flat[kept_picks[start + i] * size + kept_picks[start + j]]
                at += 1
        counts[group] = left


@cached_njit
def join_references(matrix, matrix_starts, starts, counts, joins, heights, ticket, stop):
    """Write the joins of the references of each group, from joins[starts[group]] on; numbers below the count are
    references.

    The nearest two are joined, the first pair of equal ones, at half their distance; the new cluster takes the position
    of the first. ``matrix`` is overwritten.
    """
    while stop[0] == 0:
        group = fetch_add(ticket, 0)
        if group >= starts.size - 1:
            return
        start, size = starts[group], counts[group]
        if size == 0:
            _join_evenly(joins, heights, start, starts[group + 1] - start)
            continue
        apart = matrix[matrix_starts[group] : matrix_starts[group] + size * size].reshape((size, size))
        nearest, least = np.zeros(size, np.int64), np.full(size, np.inf)
        nodes, alive = np.arange(size), np.arange(size)
        for i in range(size - 1):
            _find_nearest(apart, alive, size, i, nearest, least)
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
            _remove_cluster(alive, left, j)
            _update_linkage(apart, alive, left - 1, i, j, nearest, least)
    return


@inner_njit
def _update_linkage(distances, alive, alive_count, i, j, nearest, least):
    """Write the distances of the joined cluster at position i, and find nearest clusters again where they changed."""
    for at in range(alive_count):
        other = alive[at]
        if other != i:
            one, two = distances[i, other], distances[j, other]
            distances[i, other] = distances[other, i] = min(one, two) * NEAREST_SHARE + (one + two) * EACH_SHARE
    for at in range(alive_count - 1):
        other = alive[at]
        if other == i or nearest[other] == j or nearest[other] == i:
            _find_nearest(distances, alive, alive_count, at, nearest, least)
        elif other < i:
            new = distances[other, i]
            if new < least[other] or (new == least[other] and i < nearest[other]):
                nearest[other], least[other] = i, new


@inline_njit
def _find_nearest(distances, alive, alive_count, position, nearest, least):
    """Find the nearest cluster after the one at alive[at]."""
    own = alive[position]
    best, where = np.inf, -1
    for later in range(position + 1, alive_count):
        other = alive[later]
        if distances[own, other] < best:
            best, where = distances[own, other], other
    nearest[own], least[own] = where, best


@inline_njit
def _remove_cluster(alive, alive_count, gone):
    """Remove a cluster from those that are alive; the others keep their order."""
    at = np.searchsorted(alive[:alive_count], gone)
    for later in range(at, alive_count - 1):
        alive[later] = alive[later + 1]


@inner_njit
def _join_evenly(joins, heights, start, size):
    """Join members two by two, in their order, until one is left."""
    for join in range(size - 1):
        joins[start + join, 0], joins[start + join, 1] = 2 * join, 2 * join + 1
        heights[start + join] = 0.0


@cached_njit
def distribute_members(members, starts, counts, nearest, refs, next_members, next_starts, children):
    """Write the groups of the next level, and what every reference of this level leads to.

    ``nearest`` int32 is the number of each member's reference in its group (its own for a reference), ``refs`` int64
    the sequences that are references, from starts[group] on. ``children`` int64 at starts[group] + r is the number of
    the group on the next level, or -1 - the sequence where it is alone. Returns the number of groups and of members.
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
