"""The replay of joins gives the numbers of textbooks, and on additive matrices the tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import unroot
from antidiag.kernels.io.tree_files import random_tree
from antidiag.kernels.trees.joining.replay import join_criterion, replay_joins
from tests.trees import ways

# The example of the article on neighbor joining in Wikipedia.
FIVE = np.array([[0, 5, 9, 9, 8], [5, 0, 10, 10, 9], [9, 10, 0, 8, 7], [9, 10, 8, 0, 3], [8, 9, 7, 3, 0]], float)


def joined(values: np.ndarray, average: bool) -> np.ndarray:
    """Joins that take the least of the criterion each time."""
    joins = np.empty((0, 2), np.int64)
    while len(joins) < len(values) - (1 if average else 3):
        last = replay_joins(values, joins, average)[-1]
        i, j = np.unravel_index(np.nanargmin(last.criterion), last.criterion.shape)
        joins = np.vstack([joins, [last.nodes[i], last.nodes[j]]])
    return joins


def distances(tree: Tree) -> tuple[list[str], np.ndarray]:
    names, found = list(tree.taxa), ways(tree)
    return names, np.array([[found.get(frozenset((a, b)), 0.0) for b in names] for a in names])


def test_neighbor_joining_of_five() -> None:
    first, second, last = replay_joins(FIVE, np.array([[0, 1], [5, 2]]))
    assert first.criterion[0, 1] == -50 and first.criterion[3, 4] == -48
    assert first.lengths == (2, 3) and second.lengths == (3, 4)
    assert second.nodes == (5, 2, 3, 4)
    assert second.values[0].tolist() == [0, 7, 7, 6]
    assert last.nodes == (6, 3, 4) and last.pair == ()
    assert last.values[0].tolist() == [0, 4, 3]


@given(st.integers(4, 9), st.integers(0, 1000))
def test_additive_matrices_give_back_their_lengths(taxa: int, seed: int) -> None:
    tree = unroot(random_tree(taxa, np.random.default_rng(seed))).tree
    _, values = distances(tree)
    steps = replay_joins(values, joined(values, False))
    a, b, c = 0, 1, 2
    table = steps[-1].values
    ends = [(table[x, y] + table[x, z] - table[y, z]) / 2 for x, y, z in ((a, b, c), (b, a, c), (c, a, b))]
    lengths = [length for step in steps for length in step.lengths] + ends
    assert sorted(lengths) == pytest.approx(sorted(tree.lengths[1:]))


@given(st.integers(2, 9), st.integers(0, 1000))
def test_upgma_agrees_with_scipy(taxa: int, seed: int) -> None:
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    squareform = pytest.importorskip("scipy.spatial.distance").squareform
    values = squareform(np.random.default_rng(seed).uniform(1, 9, taxa * (taxa - 1) // 2))
    joins = joined(values, True)
    steps = replay_joins(values, joins, True)[:-1]
    made = Tree.from_joins([str(x) for x in range(taxa)], joins, np.array([step.lengths for step in steps]))
    theirs = squareform(hierarchy.cophenet(hierarchy.linkage(squareform(values), "average")))
    for pair, way in ways(made).items():
        assert way == pytest.approx(theirs[tuple(int(name) for name in pair)])


def test_what_is_no_cluster_any_more_is_refused() -> None:
    with pytest.raises(InputError, match="join 2 unites 0 and 2"):
        replay_joins(FIVE, np.array([[0, 1], [0, 2]]))


def test_the_criterion_has_no_diagonal() -> None:
    assert np.isnan(np.diagonal(join_criterion(FIVE))).all()
    assert np.nanmin(join_criterion(FIVE, average=True)) == 3
