"""Roots, weights and the order of alignment, each against its definition, computed without any cleverness."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import reroot, unroot
from antidiag.kernels.io.tree_splits import robinson_foulds_distance
from antidiag.kernels.io.tree_weights import leaf_weights
from antidiag.kernels.trees import alignment_order
from antidiag.kernels.trees.rooting import RULES, place_root
from antidiag.kernels.trees.trials import path_lengths
from tests.example_counts import try_examples
from tests.kernels.trees.problems import trees


def to_leaves(tree: Tree) -> dict[str, float]:
    """Distance from the root to each leaf."""
    return dict(zip(tree.taxa, tree.distances[tree.leaves].tolist(), strict=True))


def sides(tree: Tree) -> list[list[float]]:
    """Distances from the root to the leaves of each of its branches."""
    own = tree.distances
    return [
        [own[leaf] for leaf in tree.leaves.tolist() if child <= leaf < tree.ends[child]]
        for child in tree.children(0).tolist()
    ]


@try_examples(40)
@given(tree=trees(20))
def test_a_root_changes_no_distance(tree: Tree) -> None:
    unrooted, before = unroot(tree).tree, path_lengths(tree)
    for rule in RULES:
        found = place_root(unrooted, rule, tree.taxa[0])
        after = path_lengths(found)
        places = [after.names.index(name) for name in before.names]
        np.testing.assert_allclose(after.values[np.ix_(places, places)], before.values, atol=1e-12)
        assert robinson_foulds_distance(found, tree) == 0
        assert found.degrees[0] == (3 if rule == "none" else 2)


@try_examples(40)
@given(tree=trees(20))
def test_the_midpoint_is_half_way_between_the_farthest_leaves(tree: Tree) -> None:
    farthest = [max(side) for side in sides(place_root(unroot(tree).tree, "midpoint"))]
    half = path_lengths(tree).values.max() / 2
    assert farthest == pytest.approx([half, half])


@try_examples(40)
@given(tree=trees(14))
def test_clustalws_root_has_equal_means_on_both_sides(tree: Tree) -> None:
    """Of all edges with such a place it is the one with the nearest farthest leaf."""
    tree = unroot(tree).tree
    found = sides(place_root(tree, "clustalw"))
    means, farthest = [float(np.mean(side)) for side in found], max(map(max, found))
    possible = []
    for node in range(1, len(tree)):
        below, above = sides(reroot(tree, node, 0.0).tree)
        if len(below) + len(above) != tree.leaves.size:
            continue
        length = float(tree.lengths[node])
        by_length = [sides(reroot(tree, node, part).tree) for part in (0.0, 1.0)]
        differences = [float(np.mean(first) - np.mean(second)) for first, second in by_length]
        if min(differences) <= 1e-12 and max(differences) >= -1e-12 and length > 0:
            part = differences[0] / (differences[0] - differences[1])
            possible.append(max(map(max, sides(reroot(tree, node, float(np.clip(part, 0, 1))).tree))))
    if possible:
        assert means[0] == pytest.approx(means[1])
        assert farthest == pytest.approx(min(possible))


@given(tree=trees(12))
def test_an_outgroup_is_a_branch_of_the_root(tree: Tree) -> None:
    found = place_root(unroot(tree).tree, "outgroup", tree.taxa[1])
    assert tree.taxa[1] in [found.names[child] for child in found.children(0).tolist()]
    with pytest.raises(ParameterError, match="'nobody' names 0 taxa"):
        place_root(tree, "outgroup", "nobody")


@given(tree=trees(20))
def test_weights_share_every_edge_among_the_leaves_below(tree: Tree) -> None:
    expected = []
    for leaf in tree.leaves.tolist():
        way = [node for node in tree.path(leaf) if node]
        below = [sum(node <= other < tree.ends[node] for other in tree.leaves.tolist()) for node in way]
        expected.append(sum(tree.lengths[node] / count for node, count in zip(way, below, strict=True)))
    np.testing.assert_allclose(leaf_weights(tree), np.array(expected) / max(expected))


def test_weights_of_a_tree_without_lengths_are_equal() -> None:
    tree = Tree.from_joins("abc", np.array([[0, 1], [3, 2]]), np.zeros((2, 2)))
    assert leaf_weights(tree).tolist() == [1, 1, 1]


@given(tree=trees(30))
def test_steps_of_an_alignment_join_what_is_ready(tree: Tree) -> None:
    """Every step takes two neighbouring groups that earlier phases made, and the last one makes all of them one."""
    ready = {(leaf, leaf + 1): 0 for leaf in range(tree.leaves.size)}
    steps = alignment_order.alignment_spans(tree).tolist()
    assert len(steps) == tree.leaves.size - 1
    for phase, first, middle, end in steps:
        assert phase == 1 + max(ready.pop((first, middle)), ready.pop((middle, end)))
        ready[first, end] = phase
    assert list(ready) == [(0, tree.leaves.size)]
    found = alignment_order.alignment_order(tree)
    assert [nodes.size for nodes in alignment_order.group_by_phase(found)] == np.bincount(found.phases)[1:].tolist()
