"""Distance matrices for tests: strategies of Hypothesis, and trees that they come from."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from kernels.distances import DistanceMatrix, additive, checked, numbered
from kernels.tree import Tree
from kernels.tree_files import random_tree
from kernels.trees.problem import TreeProblem


def matrix(values: np.ndarray) -> DistanceMatrix:
    return checked(numbered(len(values)), np.array(values, float))


def path_lengths(tree: Tree) -> DistanceMatrix:
    """The distances between the leaves of a tree, along its edges."""
    lengths = np.nan_to_num(tree.lengths)
    ways = np.zeros((tree.leaves.size, len(tree)), bool)
    for row, leaf in enumerate(tree.leaves.tolist()):
        ways[row, tree.path(leaf)] = True
    values = np.array([(ways ^ way) @ lengths for way in ways])
    return checked(tree.taxa, (values + values.T) / 2)


@st.composite
def matrices(draw: st.DrawFn, most: int = 40) -> DistanceMatrix:
    """Random, additive with and without noise, with many ties, with identical taxa, or all zero."""
    taxa = draw(st.one_of(st.integers(1, 6), st.integers(1, most)))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(("random", "additive", "noisy", "ties", "twins", "zero", "wide")))
    if kind in ("additive", "noisy"):
        return matrix(additive(taxa, random, 0.2 if kind == "noisy" else 0.0))
    upper = np.triu(random.random((taxa, taxa)), 1)
    values = upper + upper.T
    if kind == "ties":
        values = np.rint(3 * values)
    if kind == "zero":
        values[...] = 0
    if kind == "wide":
        values = 10 ** (8 * values - 4)
        np.fill_diagonal(values, 0)
        values = (values + values.T) / 2
    if kind == "twins":
        picked = np.sort(random.integers(0, max(taxa // 3, 1), taxa))
        values = values[np.ix_(picked, picked)]
    return matrix(values)


@st.composite
def problems(draw: st.DrawFn, most: int = 40) -> TreeProblem:
    negative = draw(st.sampled_from(("keep", "zero")))
    root = draw(st.sampled_from(("none", "clustalw", "midpoint")))
    return TreeProblem(draw(matrices(most)), draw(st.sampled_from(("single", "double"))), negative, root)


def trees(most: int = 40) -> st.SearchStrategy[Tree]:
    """Random trees with positive lengths."""
    seeds = st.integers(0, 2**32 - 1)
    return st.builds(lambda taxa, seed: random_tree(taxa, np.random.default_rng(seed)), st.integers(4, most), seeds)
