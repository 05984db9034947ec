"""The order in which a guide tree has sequences aligned, and what can be aligned in parallel (Hanif, section 4.4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.io.tree import Tree


class AlignmentOrder(NamedTuple):
    """Inner nodes in post-order, int64, and the phase of each, int64: nodes of one phase can be aligned in parallel."""

    nodes: np.ndarray
    phases: np.ndarray


def alignment_order(tree: Tree) -> AlignmentOrder:
    """Return inner nodes, children before parents, left before right, and their phases.

    A node is one phase after the later of its children; leaves are ready before phase 1.
    """
    from antidiag.kernels.trees.cpu_node_heights import node_heights  # loads Numba, which reading a tree does not need

    # Nodes that end with the same leaf are ancestors of each other: the deeper one comes first.
    ends, nodes = tree.ends, np.arange(len(tree))
    post = np.lexsort((-nodes, ends))
    inner = post[tree.degrees[post] > 0]
    return AlignmentOrder(inner, node_heights(tree.parents)[inner])


def group_by_phase(order: AlignmentOrder) -> list[np.ndarray]:
    """Return the nodes of each phase, in post-order."""
    last = np.cumsum(np.bincount(order.phases))
    return np.split(order.nodes[np.argsort(order.phases, kind="stable")], last[1:-1]) if last.size > 1 else []


def alignment_spans(tree: Tree) -> np.ndarray:
    """Return the steps of `alignment_order` for a binary tree as int64 (steps, 4): phase, first, middle, end.

    A step aligns leaves first..middle with leaves middle..end, half-open, in the order of ``tree.leaves``.
    """
    nodes, phases = alignment_order(tree)
    before = np.cumsum(tree.degrees == 0) - (tree.degrees == 0)
    first, counts = before[nodes], tree.leaf_counts
    return np.stack([phases, first, first + counts[nodes + 1], first + counts[nodes]], axis=1)
