"""Neighbor joining and UPGMA: every method against the textbook's, and that against trees and other programs."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io import distance_files, newick
from antidiag.kernels.io.random_distances import additive_distances
from antidiag.kernels.io.tree_splits import robinson_foulds_distance, tree_splits
from antidiag.kernels.registry import find_method
from antidiag.kernels.trees import reference, trials
from antidiag.kernels.trees.problem import TREE_PROBLEM, TreeAnswer, TreeProblem
from antidiag.kernels.trees.trials import make_matrix, path_lengths
from tests.example_counts import try_examples
from tests.kernels.trees.problems import matrices, problems, trees

NJ = ("nj-serial", "nj-basic", "nj-compact", "nj-pruned")
PARAMETERS = {
    "nj-serial": st.just({}),
    "nj-basic": st.fixed_dictionaries({"block": st.sampled_from(("64", "256")), "cells": st.sampled_from(("1", "4"))}),
    "nj-pruned": st.fixed_dictionaries({"epoch": st.sampled_from((2, 64)), "threads": st.sampled_from((1, 2))}),
}
PARAMETERS["nj-compact"] = PARAMETERS["nj-basic"]


def answer(id: str, problem: TreeProblem, given: dict[str, object] | None = None, backend: str = "cpu") -> TreeAnswer:
    result = engine.execute(engine.plan_run(find_method(id), problem, given or {}, backend))
    result.check(problem)
    return result.answer


def test_taxa_are_permuted_where_no_two_distances_are_equal() -> None:
    """The zeros of the diagonal are no distance: beside them two of three may be equal."""
    assert trials.permute_taxa(TreeProblem(make_matrix([[0, 1, 1], [1, 0, 2], [1, 2, 0]]))) is None
    assert trials.permute_taxa(TreeProblem(make_matrix([[0, 1, 3], [1, 0, 2], [3, 2, 0]]))) is not None


@pytest.mark.parametrize("id", NJ)
@try_examples(40)
@given(data=st.data())
def test_joins_and_lengths_are_the_textbooks(id: str, data: st.DataObject) -> None:
    problem = data.draw(problems())
    found, expected = answer(id, problem, data.draw(PARAMETERS[id])), reference.neighbor_joining(problem)
    np.testing.assert_array_equal(found.joins, expected.joins)
    assert found.tree == expected.tree


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kind", ["random", "additive", "noisy", "ties"])
def test_pruned_joins_as_serial_over_many_epochs(kind: str, precision: str) -> None:
    random = np.random.default_rng(5)
    values = additive_distances(331, random, 0.1 if kind == "noisy" else 0.0)
    if kind in ("random", "ties"):
        values = np.triu(random.random(values.shape), 1)
        values = np.rint(4 * (values + values.T)) if kind == "ties" else values + values.T
    problem = TreeProblem(make_matrix(values), precision)
    expected = answer("nj-serial", problem)
    for epoch in (2, 8, 64):
        found = answer("nj-pruned", problem, {"epoch": epoch})
        np.testing.assert_array_equal(found.joins, expected.joins)
        assert found.tree == expected.tree


def test_passes_are_shared_by_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antidiag.kernels.trees.joining.cpu.SHARED_CELLS", 100)
    problem = TreeProblem(make_matrix(additive_distances(150, np.random.default_rng(1), 0.1)))
    assert answer("nj-pruned", problem, {"threads": 3}).tree == answer("nj-serial", problem).tree


@try_examples(30)
@given(tree=trees())
def test_additive_distances_give_their_tree(tree) -> None:
    found = answer("nj-pruned", TreeProblem(path_lengths(tree)))
    assert robinson_foulds_distance(found.tree, tree) == 0
    again = path_lengths(found.tree)
    order = [again.names.index(name) for name in tree.taxa]
    np.testing.assert_allclose(again.values[np.ix_(order, order)], path_lengths(tree).values, atol=1e-9)


@try_examples(30)
@given(found=matrices())
def test_leaves_of_upgma_are_equally_far_from_the_root(found) -> None:
    tree = reference.textbook_upgma(TreeProblem(found)).tree
    leaves = tree.distances[tree.leaves]
    np.testing.assert_allclose(leaves, leaves[0], rtol=1e-9)


def test_upgma_merges_at_the_heights_of_scipy() -> None:
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    squareform = pytest.importorskip("scipy.spatial.distance").squareform
    found = make_matrix(additive_distances(60, np.random.default_rng(2), 0.2))
    tree = answer("upgma", TreeProblem(found)).tree
    heights = tree.distances[tree.leaves].max() - tree.distances[tree.degrees > 0]
    np.testing.assert_allclose(np.sort(heights) * 2, hierarchy.average(squareform(found.values))[:, 2], rtol=1e-9)


@pytest.mark.parametrize("name", ["decenttree_example.dist", "decenttree_uncorrected.dist"])
def test_splits_are_those_of_scikit_bio(real_data: Path, name: str) -> None:
    skbio = pytest.importorskip("skbio")
    (found,) = distance_files.read_distances(real_data / "matrices" / name)
    theirs = skbio.tree.nj(skbio.DistanceMatrix(np.array(found.values), list(found.names)))
    (expected,) = newick.parse_newick(str(theirs))
    assert tree_splits(answer("nj-pruned", TreeProblem(found)).tree) == tree_splits(expected)


@pytest.mark.parametrize("name", ["decenttree_example.dist", "decenttree_uncorrected.dist"])
def test_splits_are_those_of_biopython(real_data: Path, name: str) -> None:
    from Bio import Phylo
    from Bio.Phylo.TreeConstruction import DistanceMatrix, DistanceTreeConstructor

    (found,) = distance_files.read_distances(real_data / "matrices" / name)
    lower = [row[: i + 1].tolist() for i, row in enumerate(found.values)]
    theirs = DistanceTreeConstructor().nj(DistanceMatrix(list(found.names), lower))
    for clade in theirs.get_nonterminals():
        clade.name = None
    text = io.StringIO()
    Phylo.write(theirs, text, "newick")
    (expected,) = newick.parse_newick(text.getvalue())
    assert tree_splits(answer("nj-pruned", TreeProblem(found)).tree) == tree_splits(expected)


@pytest.mark.parametrize("name", ["decenttree_example.dist", "decenttree_uncorrected.dist"])
def test_splits_are_those_of_quicktree(real_data: Path, name: str) -> None:
    path = real_data / "matrices" / name
    (found,), (expected,) = (
        distance_files.read_distances(path),
        newick.parse_newick(path.with_suffix(".quicktree.nwk").read_text()),
    )
    assert tree_splits(answer("nj-pruned", TreeProblem(found)).tree) == tree_splits(expected)


@pytest.mark.parametrize("id", [*NJ, "upgma"])
@pytest.mark.parametrize("taxa", [1, 2, 3])
def test_few_taxa(id: str, taxa: int) -> None:
    problem = TreeProblem(make_matrix(1 - np.eye(taxa)))
    tree = answer(id, problem).tree
    assert tree.leaves.size == taxa
    np.testing.assert_allclose(path_lengths(tree).values, problem.matrix.values)


def test_negative_lengths_are_kept_or_moved_to_the_edge_beside() -> None:
    values = [[0, 5, 4, 7], [5, 0, 7, 10], [4, 7, 0, 1], [7, 10, 1, 0]]
    kept = answer("nj-pruned", TreeProblem(make_matrix(np.array(values))))
    lifted = answer("nj-pruned", TreeProblem(make_matrix(np.array(values)), negative="zero"))
    assert kept.tree.lengths[1:].min() < 0 <= lifted.tree.lengths[1:].min()
    np.testing.assert_array_equal(kept.joins, lifted.joins)


def test_options_that_do_not_fit_are_refused() -> None:
    found = make_matrix(1 - np.eye(3))
    for options, words in (
        ({"root": "outgroup"}, "root is outgroup; name a taxon"),
        ({"root": "outgroup", "outgroup": "9"}, "'9' is no taxon of"),
        ({"outgroup": "1"}, "root is not outgroup"),
        ({"precision": "half"}, "precision"),
    ):
        with pytest.raises(ParameterError, match=words):
            TREE_PROBLEM.build_problem([found], options)


def test_a_problem_is_built_again_from_its_option_values() -> None:
    problem = TREE_PROBLEM.build_problem([make_matrix(1 - np.eye(3))], {"root": "outgroup", "outgroup": "2"})
    assert TREE_PROBLEM.build_problem([problem.matrix], TREE_PROBLEM.option_values(problem)) == problem
