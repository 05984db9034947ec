"""The rows of an alignment of very many sequences, from the gaps of all nodes of its tree, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled, inlined
from antidiag.kernels.cpu.simd import acquire
from antidiag.kernels.io import aligned

GAP = np.uint8(aligned.GAP)


class Texts(NamedTuple):
    """``letters`` uint8 of row r from offsets[r] on (int64); ``copies`` int64 are the rows that have the letters of a
    leaf, from starts[leaf] on."""

    letters: np.ndarray
    offsets: np.ndarray
    copies: np.ndarray
    starts: np.ndarray


class Standing(NamedTuple):
    """Where the columns of some nodes are in the alignment: ``columns`` int32 from begins[number] on (int64)."""

    columns: np.ndarray
    begins: np.ndarray


@compiled
def written(texts, nodes, gaps, places, columns, roots, target, stop):
    """The rows of the leaves below some nodes, into ``target`` uint8 (rows, columns); where the columns of subtrees are
    that stand for a step, as Standing in the order of those steps.

    Steps are gone through from the last one on: where the columns of a node stand is known before its children. There
    are as many ``roots`` as the steps have nodes without a parent.
    """
    steps, left = nodes.leaf.size, roots.begins.size - 1
    standing, begins, top = np.empty(1 << 12, np.int32), np.empty(128, np.int64), 0
    apart, used, begun = np.empty(1 << 12, np.int32), 0, np.empty(1 << 4, np.int64)
    waiting = 0
    for step in range(steps - 1, -1, -1):
        if acquire(stop, 0) != 0:
            break
        leaf, node = nodes.leaf[step], nodes.node[step]
        size = columns[node]
        if top == 0:
            left -= 1
            standing = _with_room(standing, 0, size)
            standing[:size] = roots.columns[roots.begins[left] : roots.begins[left] + size]
            begins[0], top = 0, 1
        start = begins[top - 1]
        if leaf >= 0:
            own = standing[start : start + size]
            for number in range(texts.starts[leaf], texts.starts[leaf + 1]):
                row = texts.copies[number]
                _write(texts.letters[texts.offsets[row] : texts.offsets[row] + size], own, target[row])
            top -= 1
            continue
        if leaf < -1:
            apart = _with_room(apart, used, used + size)
            apart[used : used + size] = standing[start : start + size]
            if waiting == begun.size:
                begun = np.append(begun, begun)
            begun[waiting] = used
            waiting, used = waiting + 1, used + size
            top -= 1
            continue
        own = standing[start : start + size].copy()
        first, second, last = places[node]
        size_a, size_b = size - _summed(gaps, first, second), size - _summed(gaps, second, last)
        standing = _with_room(standing, start, start + size_a + size_b)
        _kept(own, gaps, first, second, standing, start, size_a)
        _kept(own, gaps, second, last, standing, start + size_a, size_b)
        if top == begins.size:
            begins = np.append(begins, begins)
        begins[top] = start + size_a
        top += 1
    return Standing(apart[:used].copy(), begun[:waiting][::-1].copy())


@inlined
def _write(letters, own, row):
    row[:] = GAP
    for column in range(own.size):
        row[own[column]] = letters[column]


@called
def _with_room(numbers, filled, size):
    """An array of at least so many numbers, with what is in it."""
    if numbers.size >= size:
        return numbers
    more = np.empty(2 * size, np.int32)
    more[:filled] = numbers[:filled]
    return more


@inlined
def _summed(gaps, first, last):
    total = 0
    for at in range(first, last):
        total += gaps[at, 1]
    return total


@called
def _kept(own, gaps, first, last, standing, start, size):
    """The columns of a node that one side has: all but its gaps."""
    skipped, gap = 0, first
    column = 0
    while column < size:
        until = size
        if gap < last:
            until = gaps[gap, 0]
        for at in range(column, until):
            standing[start + at] = own[at + skipped]
        if gap < last:
            skipped += gaps[gap, 1]
            gap += 1
        column = until
