"""Edits of trees keep what they promise: the ways between leaves and the splits."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from Bio import Phylo
from hypothesis import assume, given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.newick import newick_text, parse_newick
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import (
    EditedTree,
    ladderize,
    order_like,
    prune_leaves,
    reroot,
    swap_children,
    unroot,
)
from antidiag.kernels.io.tree_splits import robinson_foulds_distance, split_hashes, tree_splits
from tests.trees import trees, ways


def check_origin(old: Tree, edited: EditedTree) -> None:
    """Every node of the new tree has the name of the node it was."""
    assert edited.origin.shape == (len(edited.tree),)
    for name, origin in zip(edited.tree.names, edited.origin.tolist(), strict=True):
        assert name == (old.names[origin] if origin >= 0 else "")


@given(trees(lone=False), st.data())
def test_reroot_keeps_ways_and_splits(tree: Tree, data: st.DataObject) -> None:
    assume(len(tree) > 1)
    node = data.draw(st.integers(1, len(tree) - 1))
    position = data.draw(st.floats(0, 1))
    edited = reroot(tree, node, position)
    check_origin(tree, edited)
    made = edited.tree
    assert ways(made) == pytest.approx(ways(tree))
    assert tree_splits(made) == tree_splits(tree)
    first, second = made.children(0)
    assert made.names[first] == tree.names[node]
    below = float(tree.lengths[node])
    assert made.lengths[first] == pytest.approx(below * position)
    assert sorted(made.taxa) == sorted(tree.taxa)
    assert second == made.ends[first]


def test_reroot_agrees_with_biopython() -> None:
    text = "((a:1,b:2):3,((c:4,d:5):6,e:7):8,f:9);"
    judge = Phylo.read(io.StringIO(text), "newick")
    judge.root_with_outgroup("d", outgroup_branch_length=2.5)
    tree = parse_newick(text)[0]
    made = reroot(tree, tree.names.index("d"), 0.5).tree
    ours = Phylo.read(io.StringIO(newick_text(made)), "newick")
    for one in "abcdef":
        assert ours.distance(one) == pytest.approx(judge.distance(one))
        for other in "abcdef":
            assert ours.distance(one, other) == pytest.approx(judge.distance(one, other))


def test_support_values_stay_with_their_edges() -> None:
    tree = parse_newick("(((a,b)90,c)80,(d,e)70,f);")[0]
    made = reroot(tree, tree.names.index("a")).tree
    assert newick_text(made) == "(a,(b,(c,((d,e)70,f)80)90));"
    named = parse_newick("(((a,b)ab,c)abc,(d,e)de,f)root;")[0]
    assert newick_text(reroot(named, named.names.index("a")).tree) == "(a,(b,(c,((d,e)de,f)root)abc)ab);"


def test_a_root_left_with_two_neighbours_goes() -> None:
    tree = parse_newick("((a:1,b:2):3,(c:4,d:5):6);")[0]
    assert newick_text(reroot(tree, tree.names.index("a"), 0.25).tree) == "(a:0.25,(b:2.0,(c:4.0,d:5.0):9.0):0.75);"


def test_the_root_has_no_edge() -> None:
    with pytest.raises(InputError, match="no edge"):
        reroot(parse_newick("(a,b);")[0], 0)


@given(trees(lone=False))
def test_unroot_joins_the_two_edges_of_the_root(tree: Tree) -> None:
    edited = unroot(tree)
    check_origin(tree, edited)
    assert ways(edited.tree) == pytest.approx(ways(tree))
    assert tree_splits(edited.tree) == tree_splits(tree)
    if tree.leaves.size > 2:
        assert edited.tree.children(0).size > 2
        assert edited.tree.taxa == tree.taxa


def test_the_last_join_of_three_gives_the_star_in_the_middle() -> None:
    joins, lengths = np.array([[0, 1], [3, 2]]), np.array([[1.0, 2.0], [0.0, 3.0]])
    tree = unroot(Tree.from_joins("abc", joins, lengths)).tree
    assert newick_text(tree) == "(a:1.0,b:2.0,c:3.0);"


@given(trees(), st.data())
def test_swap_turns_the_children_of_one_node(tree: Tree, data: st.DataObject) -> None:
    node = data.draw(st.integers(0, len(tree) - 1))
    edited = swap_children(tree, node)
    check_origin(tree, edited)
    for at, origin in enumerate(edited.origin.tolist()):
        before = [tree.names[child] for child in tree.children(origin)]
        after = [edited.tree.names[child] for child in edited.tree.children(at)]
        assert after == (before[::-1] if origin == node else before)
    place = int(np.flatnonzero(edited.origin == node)[0])
    assert swap_children(edited.tree, place).tree == tree


@given(trees(), st.booleans())
def test_ladderize_sorts_children_by_leaves(tree: Tree, larger_last: bool) -> None:
    edited = ladderize(tree, larger_last=larger_last)
    check_origin(tree, edited)
    made = edited.tree
    assert ways(made) == pytest.approx(ways(tree))
    for node in range(len(made)):
        counts = made.leaf_counts[made.children(node)]
        assert (np.diff(counts) * (1 if larger_last else -1) >= 0).all()
    assert ladderize(made, larger_last=larger_last).tree == made


def test_ladderize_below_a_node_leaves_the_rest() -> None:
    tree = parse_newick("(((x,y),(a,b,c),z)n,((p,q),r));")[0]
    assert newick_text(ladderize(tree, tree.names.index("n")).tree) == "((z,(x,y),(a,b,c))n,((p,q),r));"


@given(trees(lone=False), st.data())
def test_prune_keeps_the_ways_of_the_others(tree: Tree, data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.sampled_from(tree.leaves.tolist()), max_size=tree.leaves.size - 1))
    edited = prune_leaves(tree, sorted(gone))
    check_origin(tree, edited)
    kept = {tree.names[leaf] for leaf in tree.leaves.tolist() if leaf not in gone}
    assert set(edited.tree.taxa) == kept
    assert ways(edited.tree) == pytest.approx({pair: way for pair, way in ways(tree).items() if pair <= kept})
    assert not (edited.tree.degrees == 1).any()


@given(trees(lone=False), st.data())
def test_prune_agrees_with_scikit_bio(tree: Tree, data: st.DataObject) -> None:
    assume(tree.leaves.size > 2)
    kept = data.draw(st.sets(st.sampled_from(tree.taxa), min_size=2))
    skbio = pytest.importorskip("skbio")
    judge = skbio.TreeNode.read([newick_text(tree)], format="newick").shear(sorted(kept), prune=True)
    made = prune_leaves(tree, [leaf for leaf in tree.leaves.tolist() if tree.names[leaf] not in kept]).tree
    found = judge.cophenet()
    for pair, way in ways(made).items():
        assert found[tuple(pair)] == pytest.approx(way)


def test_pruning_everything_or_an_inner_node_is_refused() -> None:
    tree = parse_newick("((a,b),c);")[0]
    with pytest.raises(InputError, match="no taxon"):
        prune_leaves(tree, tree.leaves)
    with pytest.raises(InputError, match="only leaves"):
        prune_leaves(tree, [1])


@given(trees(lone=False))
def test_splits_agree_with_scikit_bio(tree: Tree) -> None:
    assume(tree.leaves.size > 2)
    skbio = pytest.importorskip("skbio")
    judge = skbio.TreeNode.read([newick_text(tree)], format="newick")
    taxa, first = frozenset(tree.taxa), min(tree.taxa)
    theirs = {taxa - side if first in side else side for side in judge.biparts() if 1 < len(side) < len(taxa) - 1}
    assert tree_splits(tree) == theirs
    assert len(split_hashes(tree)) == len(theirs)


@given(trees(nodes=10, lone=False), st.data())
def test_distance_agrees_with_sets_of_splits(tree: Tree, data: st.DataObject) -> None:
    shuffled = dict(zip(tree.taxa, data.draw(st.permutations(tree.taxa)), strict=True))
    other = Tree(tuple(shuffled.get(name, name) for name in tree.names), tree.parents, tree.lengths)
    assert robinson_foulds_distance(tree, other) == len(tree_splits(tree) ^ tree_splits(other))
    assert robinson_foulds_distance(tree, tree) == 0


def test_trees_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(InputError, match="different taxa, such as c, d"):
        robinson_foulds_distance(parse_newick("(a,b,c);")[0], parse_newick("(a,b,d);")[0])
    tree = parse_newick("(a,b,(d,c));")[0]  # files with equal names are read with different ones
    twice = replace(tree, names=tuple("a" if name == "d" else name for name in tree.names))
    with pytest.raises(InputError, match="two taxa are called 'a'"):
        tree_splits(twice)


def test_children_follow_the_order_of_another_tree():
    first = parse_newick("((a:1,b:1):1,(c:1,(d:1,e:1):1):1);")[0]
    turned = parse_newick("(((e:1,d:1):1,c:1):1,(b:1,a:1):1);")[0]
    assert order_like(turned, first.taxa).tree.taxa == first.taxa
    other = parse_newick("((d:1,b:1):1,(c:1,(a:1,e:1):1):1);")[0]
    assert order_like(other, first.taxa).tree.taxa == ("b", "d", "c", "a", "e")
