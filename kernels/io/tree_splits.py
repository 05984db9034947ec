"""Splits of trees, which compare two trees whatever their roots and the order of their children.

Every edge of a tree splits its taxa into two sets. Trees are the same when they have the same splits; the number of
splits in one of them only is the distance of Robinson and Foulds (1981).
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.tree import Tree


def tree_splits(tree: Tree) -> frozenset[frozenset[str]]:
    """Return the splits with at least two taxa on both sides, each as the side without the first name in the alphabet.

    It takes memory for n sets of up to n names; `split_hashes` is for large trees.
    """
    taxa = _unique_taxa(tree)
    ends = np.cumsum(tree.degrees == 0)
    everything, first = frozenset(taxa), min(taxa)
    found = set()
    for node in _inner_edges(tree):
        side = frozenset(taxa[ends[node] - (tree.degrees[node] == 0) : ends[tree.ends[node] - 1]])
        found.add(everything - side if first in side else side)
    return frozenset(found)


def split_hashes(tree: Tree) -> np.ndarray:
    """Return the splits with at least two taxa on both sides as sorted 128-bit hashes, uint64 (splits, 2).

    A taxon is a random bit pattern made from its name, and a side the exclusive or of its taxa; a split is the side
    whose pattern is smaller. Two different splits of trees with a million taxa get the same hash with a probability
    below 1e-25.
    """
    patterns = np.zeros((len(tree) + 1, 2), np.uint64)
    digests = b"".join(blake2b(name.encode(), digest_size=16).digest() for name in _unique_taxa(tree))
    patterns[tree.leaves + 1] = np.frombuffer(digests, np.uint64).reshape(-1, 2)
    running = np.bitwise_xor.accumulate(patterns, axis=0)
    edges = _inner_edges(tree)
    side = running[tree.ends[edges]] ^ running[edges]
    other = side ^ running[-1]
    smaller = (side[:, 0] < other[:, 0]) | ((side[:, 0] == other[:, 0]) & (side[:, 1] <= other[:, 1]))
    return np.unique(np.where(smaller[:, None], side, other), axis=0)


def robinson_foulds_distance(first: Tree, second: Tree) -> int:
    """Return the number of splits that are in one tree only (Robinson and Foulds 1981).

    InputError where the trees have different taxa.
    """
    if set(first.taxa) != set(second.taxa):
        missing = sorted(set(first.taxa) ^ set(second.taxa))[:3]
        raise InputError(
            f"{first.name} and {second.name} have different taxa, such as {', '.join(missing)}; compare trees "
            "of the same taxa"
        )
    both = np.concatenate([split_hashes(first), split_hashes(second)])
    _, counts = np.unique(both, axis=0, return_counts=True)
    return int((counts == 1).sum())


def _inner_edges(tree: Tree) -> np.ndarray:
    """Return the nodes below edges that separate two taxa or more from two or more."""
    return np.flatnonzero((tree.leaf_counts > 1) & (tree.leaf_counts < tree.leaves.size - 1))


def _unique_taxa(tree: Tree) -> tuple[str, ...]:
    taxa = tree.taxa
    if len(set(taxa)) < len(taxa):
        seen: set[str] = set()
        twice = next(name for name in taxa if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise InputError(
            f"{tree.name}: two taxa are called {twice!r}; trees are compared by name, so make names unique"
        )
    return taxa
