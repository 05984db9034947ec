"""Trees that Hypothesis draws, and what is known of them without the code under test."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from antidiag.kernels.io.tree import Tree

NODES = 14
NASTY = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).map(str.strip).filter(bool)


@st.composite
def trees(draw: st.DrawFn, nodes: int = NODES, lone: bool = True, names: st.SearchStrategy[str] | None = None) -> Tree:
    """Any rooted, ordered tree; with ``lone`` also nodes that have one child. All nodes have different names."""
    parents = [-1, *(draw(st.integers(0, node - 1)) for node in range(1, draw(st.integers(1, nodes))))]
    if not lone:
        for node in range(len(parents)):
            if parents.count(node) == 1:
                parents.append(node)
    lengths = draw(st.lists(st.floats(0, 10), min_size=len(parents), max_size=len(parents)))
    shuffle = np.array(draw(st.permutations(range(len(parents)))))
    place = np.argsort(shuffle)
    moved = np.array([-1 if parents[node] < 0 else place[parents[node]] for node in shuffle])
    labels = [f"n{node}" for node in shuffle]
    if names is not None:
        labels = draw(st.lists(names, min_size=len(parents), max_size=len(parents), unique=True))
    return Tree.from_parents(labels, moved, np.array(lengths)[shuffle])


def ways(tree: Tree) -> dict[frozenset[str], float]:
    """Length of the way between every two leaves, by their names; edges without a length count nothing."""
    leaves = [(tree.names[leaf], tree.path(leaf)) for leaf in tree.leaves.tolist()]
    found = {}
    for at, (name, path) in enumerate(leaves):
        for other, other_path in leaves[:at]:
            apart = set(path) ^ set(other_path)
            found[frozenset((name, other))] = float(np.nansum([tree.lengths[node] for node in sorted(apart)]))
    return found
