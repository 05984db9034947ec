"""What is said of nodes, and which node is beside another."""

from __future__ import annotations

import numpy as np

from antidiag.app.kit.result_text import number
from antidiag.app.kit.tree.layout import Layout
from antidiag.kernels.io.tree import Tree

HINT = (
    "Drag to move, wheel to zoom the rows, Ctrl and wheel the lengths; click a branch to select its taxa, "
    "right click for what can be done"
)
ROUND_HINT = "Drag to move, wheel to zoom; click a branch to select its taxa, right click for what can be done"


def about(tree: Tree, node: int) -> str:
    """One line about a node: name, branch, way to the root, taxa."""
    name, taxa = tree.names[node], int(tree.leaf_counts[node])
    parts = [name] if name else []
    if tree.degrees[node]:
        parts.append(f"{'root' if not node else 'node'} of {taxa:,} tax{'on' if taxa == 1 else 'a'}")
    if node and not np.isnan(tree.lengths[node]):
        parts.append(f"branch {number(round(float(tree.lengths[node]), 6))}")
    if node and tree.distances[node]:
        parts.append(f"{number(round(float(tree.distances[node]), 6))} from the root")
    if node:
        steps = int(tree.depths[node])
        parts.append(f"{steps:,} branch{'es' * (steps != 1)} deep")
    return "   ".join(parts)


def taxa_below(tree: Tree, node: int) -> tuple[str, ...]:
    """Names of the leaves of a clade."""
    low, high = np.searchsorted(tree.leaves, (node, tree.ends[node]))
    return tree.taxa[int(low) : int(high)]


def neighbour(layout: Layout, node: int | None, direction: str) -> int:
    """The node that an arrow key leads to: parent, first child, or the next one above or below.

    Up and down lead to a sibling, or where there is none to the nearest relative of the parent.
    """
    tree = layout.tree
    if node is None or not layout.shown[node]:
        return 0
    if direction == "left":
        return max(int(tree.parents[node]), 0)
    if direction == "right":
        return node + 1 if layout.inner[node] else node
    step = -1 if direction == "up" else 1
    for above in tree.path(node)[:-1]:
        siblings = tree.children(int(tree.parents[above])).tolist()
        place = siblings.index(above) + step
        if 0 <= place < len(siblings):
            return _edge_of(layout, siblings[place], int(tree.depths[node]), step)
    return node


def _edge_of(layout: Layout, node: int, depth: int, step: int) -> int:
    """Down from a node, on the side one comes from, to this depth or as far as it goes."""
    while layout.inner[node] and layout.tree.depths[node] < depth:
        children = layout.tree.children(node)
        node = int(children[0] if step > 0 else children[-1])
    return node
