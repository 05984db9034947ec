"""The order in which a guide tree has sequences aligned, and what can be aligned at once (003, section 4.4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.io.tree import Tree


class Order(NamedTuple):
    """Inner nodes in post-order, int64, and the phase of each, int64: all of one phase can be aligned at once."""

    nodes: np.ndarray
    phases: np.ndarray


def alignment_order(tree: Tree) -> Order:
    """Inner nodes, children before parents, left before right; a node is one phase after the later of its children.

    Leaves are ready before phase 1.
    """
    from antidiag.kernels.trees.cpu_order import heights  # a compiler is not loaded by who only reads a tree

    # Nodes after which the last leaf below them is the same stand below each other: the deeper one comes first.
    ends, nodes = tree.ends, np.arange(len(tree))
    post = np.lexsort((-nodes, ends))
    inner = post[tree.degrees[post] > 0]
    return Order(inner, heights(tree.parents)[inner])


def by_phase(order: Order) -> list[np.ndarray]:
    """The nodes of each phase, in post-order."""
    last = np.cumsum(np.bincount(order.phases))
    return np.split(order.nodes[np.argsort(order.phases, kind="stable")], last[1:-1]) if last.size > 1 else []


def spans(tree: Tree) -> np.ndarray:
    """The steps of `alignment_order` for a binary tree as int64 (steps, 4): phase, first, middle, end.

    A step aligns leaves first..middle with leaves middle..end, half-open, in the order of ``tree.leaves``.
    """
    nodes, phases = alignment_order(tree)
    before = np.cumsum(tree.degrees == 0) - (tree.degrees == 0)
    first, counts = before[nodes], tree.leaf_counts
    return np.stack([phases, first, first + counts[nodes + 1], first + counts[nodes]], axis=1)
