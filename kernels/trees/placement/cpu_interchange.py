"""Local re-joining of a tree on the CPU: taxa are attached, and neighbours interchanged where that shortens the tree.

The tree is unrooted and binary: leaves are nodes 0 .. n - 1, inner nodes follow, and ``neighbours`` is int32 (nodes,
3); a leaf has one neighbour, in the first column, and an absent neighbour is -1.

An inner edge has two subtrees on each side, A and B, C and D. By balanced minimum evolution (Pauplin 2000; Desper and
Gascuel 2002) the shortest of the three trees of these four subtrees has the least of

    d(A, B) + d(C, D),   d(A, C) + d(B, D),   d(A, D) + d(B, C)

where the distance of two subtrees is a mean over pairs of leaves, in which a leaf at depth t of its subtree weighs
2^-t. A subtree is divided into a few parts, and a leaf stands for each. In all three sums a leaf occurs once, with
equal weight: what is below the subtrees cancels out, so that few leaves suffice.

Distances are computed when they are needed, from packed letters by rows: int64 (rows, planes, words of 64 columns).
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.simd import popcount
from antidiag.kernels.trees.distances.alignment_columns.cpu_columns import (
    BASES,
    GROUP,
    PAIRS,
    WORD,
    compute_distances,
    counter_kind,
    make_buffers,
)

SAMPLED = 6
"""Leaves that stand for a subtree: 6 x 36 pairs of leaves of four subtrees are at most PAIRS."""
SIDES = 4


@cached_njit
def unpack_rows(packed, by_rows):
    """Copy words of groups, int32 (groups, words, planes, 16), to words of rows, int64 (rows, planes, words)."""
    rows, planes, words = by_rows.shape
    for row in range(rows):
        group, lane = row // GROUP, row % GROUP
        for plane in range(planes):
            for word in range(words):
                low = np.int64(packed[group, 2 * word, plane, lane]) & 0xFFFFFFFF
                high = np.int64(0)
                if 2 * word + 1 < packed.shape[1]:
                    high = np.int64(packed[group, 2 * word + 1, plane, lane]) << WORD
                by_rows[row, plane, word] = low | high


@inner_njit
def _count_pair(one, other, counts, pair, kind):
    """Count the columns of two rows, int64 (planes, words), into counts of a pair; see `cpu_columns`."""
    common = first = second = third = np.int64(0)
    if kind == 2:
        for word in range(one.shape[1]):
            both = one[0, word] & other[0, word]
            unlike = np.int64(0)
            for plane in range(1, one.shape[0]):
                unlike |= one[plane, word] ^ other[plane, word]
            common += popcount(both)
            first += popcount(both & unlike)
    else:
        for word in range(one.shape[1]):
            both = one[0, word] & other[0, word]
            across = both & (one[2, word] ^ other[2, word])
            within = both & (one[1, word] ^ other[1, word]) & ~across
            common += popcount(both)
            first += popcount(across)
            second += popcount(within)
            third += popcount(within & one[2, word])
    counts[pair] = common
    counts[PAIRS + pair] = first
    counts[2 * PAIRS + pair] = second
    counts[3 * PAIRS + pair] = third


@inner_njit
def _count_bases_of_pair(one, other, counts, pair):
    """Count the columns with each pair of bases, for LogDet."""
    for own_base in range(BASES):
        for base in range(BASES):
            found = np.int64(0)
            for word in range(one.shape[1]):
                low = one[1, word] ^ np.int64((own_base & 1) - 1)
                high = one[2, word] ^ np.int64((own_base >> 1) - 1)
                their_low = other[1, word] ^ np.int64((base & 1) - 1)
                their_high = other[2, word] ^ np.int64((base >> 1) - 1)
                found += popcount(one[0, word] & other[0, word] & low & high & their_low & their_high)
            counts[(own_base * BASES + base) * PAIRS + pair] = found


@inner_njit
def _find_leaf(neighbours, leaf_count, node, before):
    """Return a leaf of the subtree at a node beyond another one: the way goes to a leaf where there is one."""
    while node >= leaf_count:
        after = -1
        for slot in range(3):
            beside = neighbours[node, slot]
            if beside != before and (after < 0 or (beside < leaf_count <= after)):
                after = beside
        before, node = node, after
    return node


@inner_njit
def _sample_leaves(neighbours, leaf_count, start, before, leaves, weights, parts):
    """Find up to SAMPLED leaves that stand for the subtree at ``start`` beyond ``before``; return how many.

    The subtree is divided, the shallowest part first, into so many parts, each of which has a leaf. ``weights`` become
    2^-depth of the parts, whose sum is 1. ``parts`` is int64 (SAMPLED, 3).
    """
    count = 1
    parts[0, 0], parts[0, 1], parts[0, 2] = start, before, 0
    while count < SAMPLED:
        shallowest = -1
        for at in range(count):
            if parts[at, 0] >= leaf_count and (shallowest < 0 or parts[at, 2] < parts[shallowest, 2]):
                shallowest = at
        if shallowest < 0:
            break
        node, above, depth = parts[shallowest, 0], parts[shallowest, 1], parts[shallowest, 2]
        place = shallowest
        for slot in range(3):
            after = neighbours[node, slot]
            if after != above:
                parts[place, 0], parts[place, 1], parts[place, 2] = after, node, depth + 1
                place = count
        count += 1
    for at in range(count):
        leaves[at] = _find_leaf(neighbours, leaf_count, parts[at, 0], parts[at, 1])
        weights[at] = 0.5 ** parts[at, 2]
    return count


@inner_njit
def _mean_distances(rows, model, leaves, weights, sizes, buffers, means):
    """Compute the mean distances of four subtrees: those of pairs (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)."""
    found, counts, _, _ = buffers
    kind = counter_kind(model[0])
    pair = 0
    for x in range(SIDES):
        for y in range(x + 1, SIDES):
            for i in range(sizes[x]):
                for j in range(sizes[y]):
                    if kind == BASES * BASES:
                        _count_bases_of_pair(rows[leaves[x, i]], rows[leaves[y, j]], counts, pair)
                    else:
                        _count_pair(rows[leaves[x, i]], rows[leaves[y, j]], counts, pair, kind)
                    pair += 1
    compute_distances(counts, model, buffers)
    pair, at = 0, 0
    for x in range(SIDES):
        for y in range(x + 1, SIDES):
            total = 0.0
            for i in range(sizes[x]):
                for j in range(sizes[y]):
                    total += weights[x, i] * weights[y, j] * found[pair]
                    pair += 1
            means[at] = total
            at += 1


@inner_njit
def _others(neighbours, node, beside, both):
    """Write the two neighbours of an inner node other than ``beside``."""
    at = 0
    for slot in range(3):
        if neighbours[node, slot] != beside:
            both[at] = neighbours[node, slot]
            at += 1


@cached_njit
def compare_subtrees(neighbours, leaf_count, rows, model, edges, ends, means, stop):
    """Compute the mean distances of the subtrees at both ends of edges.

    Parameters
    ----------
    neighbours, leaf_count : the tree
    rows : int64 (taxa, planes, words), packed letters of the leaves
    model : `DistanceModel`
    edges : int32 (k, 2); the first node may be a leaf, which is then the subtree A and has no B
    ends : int32 (k, 4), becomes the nodes at which the subtrees A, B, C and D begin
    means : float64 (k, 6), becomes d(A, B), d(A, C), d(A, D), d(B, C), d(B, D) and d(C, D)
    stop : ends it early
    """
    buffers = make_buffers()
    leaves, weights = np.empty((SIDES, SAMPLED), np.int64), np.empty((SIDES, SAMPLED))
    sizes, parts = np.empty(SIDES, np.int64), np.empty((SAMPLED, 3), np.int64)
    for edge in range(edges.shape[0]):
        if stop[0]:
            return
        u, v = edges[edge]
        ends[edge] = u
        if u >= leaf_count:
            _others(neighbours, u, v, ends[edge, :2])
        _others(neighbours, v, u, ends[edge, 2:])
        for side in range(SIDES):
            sizes[side] = 0
            if u < leaf_count and side < 2:
                leaves[side, 0], weights[side, 0], sizes[side] = u, 1.0, 1 - side
            else:
                before = u if side < 2 else v
                start = ends[edge, side]
                sizes[side] = _sample_leaves(neighbours, leaf_count, start, before, leaves[side], weights[side], parts)
        _mean_distances(rows, model, leaves, weights, sizes, buffers, means[edge])


@inner_njit
def _replace(neighbours, node, old, new):
    """Give a node a new neighbour in the place of an old one."""
    for slot in range(3):
        if neighbours[node, slot] == old:
            neighbours[node, slot] = new
            return


@cached_njit
def interchange_subtrees(neighbours, edges, order, choices, most, touched, dirty):
    """Interchange subtrees of at most so many edges in an ``order``, where nothing near has changed; return how many.

    ``touched`` uint8 (nodes,) marks what has changed and must be 0 before; ``dirty`` uint8 (nodes,) marks nodes whose
    edges must be judged again.
    """
    made = 0
    for edge in order:
        u, v = edges[edge]
        one, other = choices[edge]
        if made == most or touched[u] or touched[v]:
            dirty[u] = dirty[v] = 1
            continue
        for node in (u, v):
            for slot in range(3):
                touched[neighbours[node, slot]] = 1
                dirty[neighbours[node, slot]] = 1
        _replace(neighbours, u, one, other)
        _replace(neighbours, v, other, one)
        _replace(neighbours, one, u, v)
        _replace(neighbours, other, v, u)
        made += 1
    return made


@cached_njit
def list_dirty_edges(neighbours, leaf_count, node_count, dirty, edges):
    """Write the inner edges of which an end is dirty to ``edges`` int32 (at least all, 2); return how many."""
    found = 0
    for u in range(leaf_count, node_count):
        for slot in range(3):
            v = neighbours[u, slot]
            if v >= leaf_count and (dirty[u] or dirty[v]) and u < v:
                edges[found, 0], edges[found, 1] = u, v
                found += 1
    return found


@cached_njit
def attach_leaves(neighbours, leaf_count, first, last, nearest, dirty):
    """Attach leaves ``first`` .. ``last`` beside their nearest leaves; leaf q makes the node leaf_count + q - 2."""
    for leaf in range(first, last):
        beside = nearest[leaf]
        node, above = leaf_count + leaf - 2, neighbours[beside, 0]
        _replace(neighbours, above, beside, node)
        neighbours[node, 0], neighbours[node, 1], neighbours[node, 2] = beside, above, leaf
        neighbours[beside, 0] = node
        neighbours[leaf, 0] = node
        dirty[node] = dirty[above] = 1


@inner_njit
def _link(neighbours, one, other):
    """Make two nodes neighbours."""
    for node, beside in ((one, other), (other, one)):
        for slot in range(3):
            if neighbours[node, slot] < 0:
                neighbours[node, slot] = beside
                break


@cached_njit
def link_joins(neighbours, leaf_count, joins, count):
    """Make the tree of ``count`` leaves and the joins of all but three of their clusters, which meet in one node.

    ``joins`` is int32 (count - 3, 2): below ``count`` a leaf, else ``count`` + the number of a join. Two leaves are
    neighbours of each other.
    """
    if count == 2:
        _link(neighbours, 0, 1)
    if count < 3:
        return
    is_left = np.ones(count + joins.shape[0], np.uint8)
    for step in range(joins.shape[0]):
        for cluster in joins[step]:
            node = cluster if cluster < count else leaf_count + cluster - count
            _link(neighbours, leaf_count + step, node)
            is_left[cluster] = 0
    for cluster in np.flatnonzero(is_left):
        _link(neighbours, leaf_count + count - 3, cluster if cluster < count else leaf_count + cluster - count)


@cached_njit
def find_parents(neighbours, leaf_count):
    """Return the parents of all nodes, int32; the root is the neighbour of leaf 0, or leaf 0 where it has none."""
    nodes = neighbours.shape[0]
    parents = np.full(nodes, -1, np.int32)
    stack = np.empty(nodes, np.int32)
    root = max(neighbours[0, 0], 0)
    stack[0], filled = root, 1
    while filled:
        filled -= 1
        node = stack[filled]
        for slot in range(3):
            beside = neighbours[node, slot]
            if beside >= 0 and beside != parents[node]:
                parents[beside] = node
                stack[filled] = beside
                filled += 1
    return parents
