"""Rows of an alignment of very many sequences, from the gaps of all nodes of its tree, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.cpu.simd import load_acquire
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.parttree.progressive.cpu_profiles import grow_array

GAP = np.uint8(aligned_sequences.GAP)


class RowLetters(NamedTuple):
    """Letters of the rows: ``letters`` uint8 of row r from offsets[r] on (int64).

    ``copies`` int64 are the rows that have the letters of a leaf, from starts[leaf] on.
    """

    letters: np.ndarray
    offsets: np.ndarray
    copies: np.ndarray
    starts: np.ndarray


class NodeColumns(NamedTuple):
    """The alignment columns of some nodes: ``columns`` int32 from begins[number] on (int64)."""

    columns: np.ndarray
    begins: np.ndarray


@cached_njit
def write_rows(texts, nodes, gaps, gap_ranges, columns, roots, target, stop):
    """Write the rows of the leaves below some nodes to ``target`` uint8 (rows, columns).

    Returns the columns of subtrees that stand for a step, in the order of those steps. Steps are taken from the last
    one on: the columns of a node are known before its children. There are as many ``roots`` as steps without a parent.
    """
    steps, left = nodes.leaf.size, roots.begins.size - 1
    standing, begins, top = np.empty(1 << 12, np.int32), np.empty(128, np.int64), 0
    apart, used, begun = np.empty(1 << 12, np.int32), 0, np.empty(1 << 4, np.int64)
    waiting = 0
    for step in range(steps - 1, -1, -1):
        if load_acquire(stop, 0) != 0:
            break
        leaf, node = nodes.leaf[step], nodes.node[step]
        size = columns[node]
        if top == 0:
            left -= 1
            standing = grow_array(standing, 0, size)
            standing[:size] = roots.columns[roots.begins[left] : roots.begins[left] + size]
            begins[0], top = 0, 1
        start = begins[top - 1]
        if leaf >= 0:
            own = standing[start : start + size]
            for number in range(texts.starts[leaf], texts.starts[leaf + 1]):
                row = texts.copies[number]
                _write_row(texts.letters[texts.offsets[row] : texts.offsets[row] + size], own, target[row])
            top -= 1
            continue
        if leaf < -1:
            apart = grow_array(apart, used, used + size)
            apart[used : used + size] = standing[start : start + size]
            if waiting == begun.size:
                begun = np.append(begun, begun)
            begun[waiting] = used
            waiting, used = waiting + 1, used + size
            top -= 1
            continue
        own = standing[start : start + size].copy()
        first, second, last = gap_ranges[node]
        size_a, size_b = size - _gap_length(gaps, first, second), size - _gap_length(gaps, second, last)
        standing = grow_array(standing, start, start + size_a + size_b)
        _columns_of_side(own, gaps, first, second, standing, start, size_a)
        _columns_of_side(own, gaps, second, last, standing, start + size_a, size_b)
        if top == begins.size:
            begins = np.append(begins, begins)
        begins[top] = start + size_a
        top += 1
    return NodeColumns(apart[:used].copy(), begun[:waiting][::-1].copy())


@inline_njit
def _write_row(letters, row_columns, row):
    """Write one row."""
    row[:] = GAP
    for column in range(row_columns.size):
        row[row_columns[column]] = letters[column]


@inline_njit
def _gap_length(gaps, first, last):
    """Return the total length of some gaps."""
    total = 0
    for at in range(first, last):
        total += gaps[at, 1]
    return total


@inner_njit
def _columns_of_side(node_columns, gaps, first, last, standing, start, size):
    """Write the columns of a node that one side has: all but its gaps."""
    skipped, gap = 0, first
    column = 0
    while column < size:
        until = size
        if gap < last:
            until = gaps[gap, 0]
        for at in range(column, until):
            standing[start + at] = node_columns[at + skipped]
        if gap < last:
            skipped += gaps[gap, 1]
            gap += 1
        column = until
