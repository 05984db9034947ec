"""The rows of an alignment of very many sequences, from the gaps of all nodes of its tree, compiled."""

from __future__ import annotations

import numpy as np

from kernels.cpu.jit import compiled, inlined


@compiled
def written(letters, letter_offsets, copies, copy_starts, nodes, gaps, places, columns, target):
    """The rows of all sequences, from the gaps of all nodes, into ``target`` uint8 (rows, columns), which holds gaps.

    ``copies`` int64 are the rows that have the letters of a leaf, from copy_starts[leaf] on. Steps are gone through
    from the last one on: where the columns of a node stand in the alignment is known before its children.
    """
    steps = nodes.leaf.size
    depth = 128
    standing, begins = np.empty(1 << 16, np.int32), np.empty(depth, np.int64)
    total = columns[nodes.node[steps - 1]]
    if standing.size < total:
        standing = np.empty(2 * total, np.int32)
    standing[:total] = np.arange(total)
    top, begins[0] = 1, 0
    for back in range(steps):
        step = steps - 1 - back
        start = begins[top - 1]
        size = columns[nodes.node[step]]
        leaf = nodes.leaf[step]
        if leaf >= 0:
            for number in range(copy_starts[leaf], copy_starts[leaf + 1]):
                row = copies[number]
                first = letter_offsets[row]
                for column in range(size):
                    target[row, standing[start + column]] = letters[first + column]
            top -= 1
            continue
        own = standing[start : start + size].copy()
        first, second, last = places[nodes.node[step]]
        size_a = size - _summed(gaps, first, second)
        size_b = size - _summed(gaps, second, last)
        if standing.size < start + size_a + size_b:
            more = np.empty(2 * (start + size_a + size_b), np.int32)
            more[:start] = standing[:start]
            standing = more
        _kept(own, gaps, first, second, standing, start, size_a)
        _kept(own, gaps, second, last, standing, start + size_a, size_b)
        if top + 1 > begins.size:
            begins = np.append(begins, begins)
        begins[top] = start + size_a
        top += 1


@inlined
def _summed(gaps, first, last):
    total = 0
    for at in range(first, last):
        total += gaps[at, 1]
    return total


@compiled
def _kept(own, gaps, first, last, standing, start, size):
    """The columns of a node that one side has: all but its gaps."""
    source, gap = 0, first
    for column in range(size):
        while gap < last and gaps[gap, 0] == column:
            source += gaps[gap, 1]
            gap += 1
        standing[start + column] = own[source]
        source += 1
