"""A guide tree as steps, and steps in groups of subtrees that threads align independently."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.parttree.progressive.cpu_profiles import MERGED, MOST_ROWS
from antidiag.kernels.parttree.symbols import TreeSteps

LEAST_LEAVES = 4
"""Leaves of a subtree that is a task, at least: the profiles of smaller ones would wait for long."""
GROUPS_PER_THREAD = 8
"""Groups of subtrees for each thread, so that all are busy until the end."""


def order_steps(joins: np.ndarray, count: int) -> TreeSteps:
    """Return the order in which joins are aligned: of two branches the one with more leaves first, so few profiles
    wait."""
    node = np.empty(count + len(joins), np.int64)
    _order_nodes(joins, count, node)
    return TreeSteps(np.where(node < count, node, -1), node)


@cached_njit
def _order_nodes(joins, count, node):
    """Write the nodes of a tree in post-order."""
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


def steps_above(nodes: TreeSteps, joins: np.ndarray, count: int, finished: np.ndarray) -> tuple[TreeSteps, np.ndarray]:
    """Return the steps above some nodes that are ``finished`` (bool), and which of these nodes they take, in their
    order."""
    parent = np.full(count + len(joins), -1)
    parent[joins.reshape(-1)] = np.repeat(count + np.arange(len(joins)), 2)
    inside = np.append(finished, False)[parent]
    kept = ~inside[nodes.node]
    node = nodes.node[kept]
    leaf, taken = nodes.leaf[kept].copy(), finished[node]
    leaf[taken] = -2 - np.arange(int(taken.sum()))
    return TreeSteps(leaf, node), node[taken]


class StepGroups(NamedTuple):
    """Steps of a tree in groups: ``groups`` are subtrees; ``top`` is above them and takes their profiles in order."""

    groups: list[TreeSteps]
    top: TreeSteps


def split_steps(nodes: TreeSteps, threads: int, ready: int = 0) -> StepGroups:
    """Split the steps of a tree for ``threads`` threads; ``ready`` profiles exist before."""
    leaves = int((nodes.leaf != MERGED).sum())
    most = min(leaves // (GROUPS_PER_THREAD * threads), MOST_ROWS)
    if threads == 1 or most < LEAST_LEAVES:
        return StepGroups([], nodes)
    firsts, lasts = _find_subtrees(nodes.leaf, most)
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
        groups.append(TreeSteps(nodes.leaf[part][inside[part]], nodes.node[part][inside[part]]))
    return StepGroups(groups, TreeSteps(leaf[above], nodes.node[above]))


def count_roots(nodes: TreeSteps) -> int:
    """Return how many steps of a group are roots of its subtrees."""
    return int(2 * (nodes.leaf != MERGED).sum()) - nodes.leaf.size


@cached_njit
def _find_subtrees(leaf, leaf_limit):
    """Return the first and last steps of the subtrees of at most ``leaf_limit`` leaves whose parents have more."""
    steps, found = leaf.size, 0
    firsts, lasts = np.empty(steps, np.int64), np.empty(steps, np.int64)
    begins, sizes, top = np.empty(steps, np.int64), np.empty(steps, np.int64), 0
    for step in range(steps):
        if leaf[step] != MERGED:
            begins[top], sizes[top] = step, 1
            top += 1
            continue
        top -= 1
        if sizes[top - 1] + sizes[top] > leaf_limit:
            for side, last in ((top - 1, begins[top] - 1), (top, step - 1)):
                if LEAST_LEAVES <= sizes[side] <= leaf_limit:
                    firsts[found], lasts[found] = begins[side], last
                    found += 1
        sizes[top - 1] += sizes[top]
    return firsts[:found].copy(), lasts[:found].copy()
