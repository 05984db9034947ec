"""Sequence weights from a guide tree, as in ClustalW (Thompson, Higgins and Gibson 1994)."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.io.tree import Tree


def leaf_weights(tree: Tree) -> np.ndarray:
    """Return a weight for each leaf, in the order of ``tree.leaves``; float64, the largest is 1.

    On the path from a leaf to the root every edge gives its length, shared among the leaves below it. Negative lengths
    count as 0; where all are 0, every weight is 1.
    """
    lengths = np.maximum(np.nan_to_num(tree.lengths), 0)
    weights = tree.from_root(lengths / tree.leaf_counts)[tree.leaves]
    largest = weights.max()
    return weights / largest if largest > 0 else np.ones(weights.size)
