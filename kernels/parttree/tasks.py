"""A guide tree as steps, and these as tasks: groups of subtrees that threads align by themselves, and what is above."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.parttree.cpu_profiles import MERGED, MOST_ROWS
from antidiag.kernels.parttree.symbols import Nodes

LEAST = 4
"""Leaves of a subtree that is a task: smaller ones are aligned where they are needed, as their profiles would wait for
long."""
PARTS = 8
"""Groups of subtrees for a thread, so that all are busy until the end."""


def steps_of(joins: np.ndarray, count: int) -> Nodes:
    """The order in which joins are aligned: of two branches the one with more leaves first: few profiles wait."""
    node = np.empty(count + len(joins), np.int64)
    _ordered(joins, count, node)
    return Nodes(np.where(node < count, node, -1), node)


@compiled
def _ordered(joins, count, node):
    total = node.size
    leaves, waiting, top = np.ones(total, np.int64), np.empty(total, np.int64), 1
    for join in range(joins.shape[0]):
        leaves[count + join] = leaves[joins[join, 0]] + leaves[joins[join, 1]]
    waiting[0] = total - 1
    for step in range(total - 1, -1, -1):
        top -= 1
        own = waiting[top]
        node[step] = own
        if own >= count:
            one, other = joins[own - count, 0], joins[own - count, 1]
            if leaves[one] < leaves[other]:
                one, other = other, one
            waiting[top], waiting[top + 1] = one, other
            top += 2


def above(nodes: Nodes, joins: np.ndarray, count: int, made: np.ndarray) -> tuple[Nodes, np.ndarray]:
    """The steps that are left where some nodes are ``made`` (bool) with all that is below them; and of these the ones
    that are taken as ready profiles, in their order."""
    parent = np.full(count + len(joins), -1)
    parent[joins.reshape(-1)] = np.repeat(count + np.arange(len(joins)), 2)
    inside = np.append(made, False)[parent]
    kept = ~inside[nodes.node]
    node = nodes.node[kept]
    leaf, taken = nodes.leaf[kept].copy(), made[node]
    leaf[taken] = -2 - np.arange(int(taken.sum()))
    return Nodes(leaf, node), node[taken]


class Tasks(NamedTuple):
    """``groups`` are the steps of subtrees, ``top`` those above, which take their profiles as ready ones, in the order
    of the groups."""

    groups: list[Nodes]
    top: Nodes


def tasks(nodes: Nodes, threads: int, ready: int = 0) -> Tasks:
    """The steps of a tree for so many threads, where so many profiles are ready before."""
    leaves = int((nodes.leaf != MERGED).sum())
    most = min(leaves // (PARTS * threads), MOST_ROWS)
    if threads == 1 or most < LEAST:
        return Tasks([], nodes)
    firsts, lasts = _subtrees(nodes.leaf, most)
    order = np.argsort(firsts)
    firsts, lasts = firsts[order], lasts[order]
    changes = np.zeros(nodes.leaf.size + 1, np.int64)
    changes[firsts] += 1
    changes[lasts + 1] -= 1
    inside = np.cumsum(changes[:-1]) > 0
    leaf = nodes.leaf.copy()
    leaf[lasts] = -2 - ready - np.arange(lasts.size)
    above = ~inside
    above[lasts] = True
    groups = []
    of_group = np.cumsum((lasts - firsts) // 2 + 1) // most
    for group in np.unique(of_group).tolist():
        own = np.flatnonzero(of_group == group)
        part = slice(int(firsts[own[0]]), int(lasts[own[-1]]) + 1)
        groups.append(Nodes(nodes.leaf[part][inside[part]], nodes.node[part][inside[part]]))
    return Tasks(groups, Nodes(leaf[above], nodes.node[above]))


def roots_of(nodes: Nodes) -> int:
    """How many steps of a group are roots of its subtrees."""
    return int(2 * (nodes.leaf != MERGED).sum()) - nodes.leaf.size


@compiled
def _subtrees(leaf, most):
    """First and last steps of the subtrees of at most so many leaves whose parents have more."""
    steps, found = leaf.size, 0
    firsts, lasts = np.empty(steps, np.int64), np.empty(steps, np.int64)
    begins, sizes, top = np.empty(steps, np.int64), np.empty(steps, np.int64), 0
    for step in range(steps):
        if leaf[step] != MERGED:
            begins[top], sizes[top] = step, 1
            top += 1
            continue
        top -= 1
        if sizes[top - 1] + sizes[top] > most:
            for side, last in ((top - 1, begins[top] - 1), (top, step - 1)):
                if LEAST <= sizes[side] <= most:
                    firsts[found], lasts[found] = begins[side], last
                    found += 1
        sizes[top - 1] += sizes[top]
    return firsts[:found].copy(), lasts[:found].copy()
