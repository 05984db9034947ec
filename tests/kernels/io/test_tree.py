"""The tree: numbering, what is derived from it, and making one from parents or joins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.tree import Tree
from tests.trees import trees


def walk(tree: Tree, node: int = 0, depth: int = 0, way: float = 0.0) -> list[tuple[int, int, float, int, int]]:
    """Node, depth, distance, size and leaves of each node below one, by recursion."""
    rows: list[tuple[int, int, float, int, int]] = []
    for child in tree.children(node).tolist():
        rows += walk(tree, child, depth + 1, way + float(tree.lengths[child]))
    leaves = sum(not tree.children(row[0]).size for row in rows) or int(not rows)
    return [(node, depth, way, len(rows) + 1, leaves), *rows]


@given(trees())
def test_arrays_agree_with_a_walk_through_the_tree(tree: Tree) -> None:
    nodes, depths, distances, sizes, leaves = zip(*walk(tree), strict=True)
    assert nodes == tuple(range(len(tree)))
    assert tree.depths.tolist() == list(depths)
    assert tree.distances == pytest.approx(np.array(distances))
    assert tree.sizes.tolist() == list(sizes)
    assert tree.leaf_counts.tolist() == list(leaves)
    assert tree.leaves.tolist() == [node for node in nodes if not tree.children(node).size]


@given(trees())
def test_sums_and_maxima_below_nodes(tree: Tree) -> None:
    values = np.random.default_rng(len(tree)).integers(-9, 9, len(tree))
    below = [values[node : tree.ends[node]] for node in range(len(tree))]
    assert tree.below(values).tolist() == [part.sum() for part in below]
    assert tree.highest_below(values).tolist() == [part.max() for part in below]


@given(trees())
def test_children_keep_the_order_of_their_numbers(tree: Tree) -> None:
    for node in range(len(tree)):
        assert (np.diff(tree.children(node)) > 0).all()
    every = np.arange(len(tree))
    for nodes in (every, every[::-2], every[:0]):
        assert tree.children_of(nodes).tolist() == [child for node in nodes for child in tree.children(node).tolist()]
    again = Tree.from_parents(tree.names, tree.parents, tree.lengths)
    assert again == tree and hash(again) == hash(tree)


def test_joins_give_the_first_node_before_the_second() -> None:
    tree = Tree.from_joins(["a", "b", "c"], np.array([[2, 0], [1, 3]]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert tree.names == ("", "b", "", "c", "a")
    assert tree.parents.tolist() == [-1, 0, 0, 2, 2]
    assert tree.lengths[1:].tolist() == [3.0, 4.0, 1.0, 2.0]
    assert np.isnan(tree.lengths[0])
    assert tree.taxa == ("b", "c", "a") and tree.summary == "3 taxa"


def test_one_taxon_is_a_tree() -> None:
    tree = Tree.from_joins(["a"], np.empty((0, 2)))
    assert tree.taxa == ("a",) and tree.summary == "1 taxon" and tree.depths.tolist() == [0]


@pytest.mark.parametrize("joins", [[[0, 1]], [[0, 1], [2, 2]], [[0, 4], [3, 2]], [[0, 1], [1, 3]], [[-1, 1], [2, 3]]])
def test_joins_that_make_no_tree_are_refused(joins: list[list[int]]) -> None:
    with pytest.raises(InputError, match="joins"):
        Tree.from_joins(["a", "b", "c"], np.array(joins))


@pytest.mark.parametrize("parents", [[], [-1, -1], [-1, 2, 1], [0], [-1, 7], [1, 0]])
def test_parents_that_make_no_tree_are_refused(parents: list[int]) -> None:
    with pytest.raises(InputError):
        Tree.from_parents([""] * len(parents), np.array(parents, int))


@pytest.mark.parametrize("parents", [[-1, 0, 0, 1], [-1, 0, 1, 0, 2], [0, -1], [-1, 0, 1, 0, 1]])
def test_a_numbering_that_is_no_preorder_is_refused(parents: list[int]) -> None:
    with pytest.raises(InputError):
        Tree(("",) * len(parents), np.array(parents), np.zeros(len(parents)))


def test_a_chain_of_a_hundred_thousand_nodes() -> None:
    nodes = 100_000
    shuffle = np.random.default_rng(1).permutation(nodes)
    parents = np.full(nodes, -1)
    parents[shuffle[1:]] = shuffle[:-1]
    tree = Tree.from_parents([""] * nodes, parents, np.ones(nodes))
    assert (tree.depths == np.arange(nodes)).all()
    assert tree.distances[-1] == nodes - 1
    assert (tree.ends == nodes).all()
