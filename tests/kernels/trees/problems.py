"""Distance matrices for tests, as strategies of Hypothesis: what kernels.trees.trials draws."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_files import random_tree
from antidiag.kernels.trees import trials
from antidiag.kernels.trees.problem import TreeProblem
from tests.choosing import HypothesisChooser


@st.composite
def matrices(draw: st.DrawFn, most: int = trials.MOST) -> DistanceMatrix:
    """Random, additive with and without noise, with many ties, with identical taxa, or all zero."""
    return trials.drawn_matrix(HypothesisChooser(draw), most)


@st.composite
def problems(draw: st.DrawFn, most: int = trials.MOST) -> TreeProblem:
    """Problems of the trials."""
    return trials.draw_problem(HypothesisChooser(draw), most)


def trees(most: int = 40) -> st.SearchStrategy[Tree]:
    """Random trees with positive lengths."""
    seeds = st.integers(0, 2**32 - 1)
    return st.builds(lambda taxa, seed: random_tree(taxa, np.random.default_rng(seed)), st.integers(4, most), seeds)
