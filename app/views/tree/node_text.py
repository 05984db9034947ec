"""Descriptions of nodes, and keyboard navigation."""

from __future__ import annotations

import numpy as np

from antidiag.app.kit.results.result_text import format_number
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.trees.tree_layout import TreeLayout

HINT = "Drag to move; wheel zooms rows, Ctrl+wheel lengths; click a branch to select its taxa; right click for a menu"
ROUND_HINT = "Drag to move; wheel zooms; click a branch to select its taxa; right click for a menu"


def describe_node(tree: Tree, node: int) -> str:
    """Return one line about a node: name, branch, distance to the root, taxa, and values of an inner node."""
    name, taxa = tree.names[node], int(tree.leaf_counts[node])
    parts = [name] if name else []
    if tree.degrees[node]:
        parts.append(f"{'root' if not node else 'node'} of {taxa:,} tax{'on' if taxa == 1 else 'a'}")
    if node and not np.isnan(tree.lengths[node]):
        parts.append(f"branch {format_number(round(float(tree.lengths[node]), 6))}")
    if node and tree.distances[node]:
        parts.append(f"{format_number(round(float(tree.distances[node]), 6))} from the root")
    if node:
        steps = int(tree.depths[node])
        parts.append(f"{steps:,} branch{'es' * (steps != 1)} deep")
    if tree.degrees[node]:  # those of taxa are columns beside the tree
        parts += [f"{title} {column[node]}" for title, column in tree.node_values.items() if column[node]]
    return "   ".join(parts)


def taxa_below(tree: Tree, node: int) -> tuple[str, ...]:
    """Return the names of the leaves of a clade."""
    low, high = np.searchsorted(tree.leaves, (node, tree.ends[node]))
    return tree.taxa[int(low) : int(high)]


def find_neighbour(layout: TreeLayout, node: int | None, direction: str) -> int:
    """Return the node that an arrow key leads to: parent, first child, or the next above or below. Up and down lead to
    a sibling, or to the nearest relative of the parent."""
    tree = layout.tree
    if node is None or not layout.shown[node]:
        return 0
    if direction == "left":
        return max(int(tree.parents[node]), 0)
    if direction == "right":
        return node + 1 if layout.has_visible_children[node] else node
    step = -1 if direction == "up" else 1
    for above in tree.path(node)[:-1]:
        siblings = tree.children(int(tree.parents[above])).tolist()
        place = siblings.index(above) + step
        if 0 <= place < len(siblings):
            return _nearest_descendant(layout, siblings[place], int(tree.depths[node]), step)
    return node


def _nearest_descendant(layout: TreeLayout, node: int, depth: int, step: int) -> int:
    """Return the descendant on the near side at this depth, or as deep as there is one."""
    while layout.has_visible_children[node] and layout.tree.depths[node] < depth:
        children = layout.tree.children(node)
        node = int(children[0] if step > 0 else children[-1])
    return node
