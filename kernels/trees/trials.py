"""Trials of the tree methods: matrices of all kinds, textbook joins, permuted and scaled taxa."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.io.distance_matrix import DistanceMatrix, make_distance_matrix, numbered_names
from antidiag.kernels.io.random_distances import additive_distances
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.memory import host_bytes_free
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.trees import reference
from antidiag.kernels.trees.problem import NEIGHBOR_JOINING, UPGMA, JoinedProblem, TreeAnswer, TreeProblem
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, TrialChooser, Trials

MOST, LARGER = 40, 150
"""Taxa of small problems, and of those on which methods are compared: several blocks, epochs and passes."""
KINDS = ("random", "additive", "noisy", "ties", "twins", "zero", "wide")
PRECISIONS = ("single", "double")
ROOTS = ("none", "clustalw", "midpoint", "outgroup")
ROUNDING = {"single": 1e-4, "double": 1e-9}
"""The change of a distance that another order of the taxa may cause, as a share of the largest distance."""
SCALE = 4.0
CHECKED_LEAVES = 300
"""Leaves of a tree read from a file between which lengths are checked, about."""
MAKING_BYTES = 40
"""Bytes per distance while a random matrix is made: some copies in double precision."""
SMALL_BLOCKS = ({"block": "64", "cells": "1"}, {"block": "64", "cells": "4"}, {"block": "256", "cells": "4"})
"""Parameters with a block side of 8, 16 or 32, which cut small problems; on a GPU they are compile-time constants."""


def draw_problem(choose: TrialChooser, largest: int = MOST) -> TreeProblem:
    """Draw a problem."""
    matrix = drawn_matrix(choose, largest)
    precision, negative = choose.choose_one(PRECISIONS), choose.choose_one(("keep", "zero"))
    root = choose.choose_one(ROOTS)
    outgroup = choose.choose_one(matrix.names) if root == "outgroup" else ""
    return TreeProblem(matrix, precision, negative, root, outgroup)


def drawn_matrix(choose: TrialChooser, largest: int = MOST) -> DistanceMatrix:
    """Draw a matrix: random, additive with and without noise, with ties, identical taxa, all zero, or of many
    magnitudes."""
    few, kind = choose.choose_one((True, False)), choose.choose_one(KINDS)
    taxa = choose.draw_integer(1, 6 if few else largest)
    return make_matrix(make_distances(kind, taxa, choose.make_generator()))


def make_distances(kind: str, taxa: int, random: np.random.Generator) -> np.ndarray:
    """Return the distances of one of KINDS."""
    if kind in ("additive", "noisy"):
        return additive_distances(taxa, random, 0.2 if kind == "noisy" else 0.0)
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
    return values


def make_matrix(values: np.ndarray) -> DistanceMatrix:
    """Return the distance matrix of taxa without names of their own."""
    return make_distance_matrix(numbered_names(len(values)), np.array(values, float))


def path_lengths(tree: Tree, leaf_step: int = 1) -> DistanceMatrix:
    """Return the distances between the leaves of a tree along its edges, or between every ``leaf_step``-th of them."""
    leaves = tree.leaves[::leaf_step]
    ways = np.zeros((leaves.size, len(tree)))
    for row, leaf in enumerate(leaves.tolist()):
        ways[row, tree.path(leaf)] = 1
    shared = (ways * np.nan_to_num(tree.lengths)) @ ways.T
    depths = np.diagonal(shared)
    values = depths[:, None] + depths - shared - shared.T
    np.fill_diagonal(values, 0)
    return DistanceMatrix(tree.taxa[::leaf_step], values)


@lru_cache(maxsize=64)
def textbook_trees(problem: TreeProblem) -> Mapping[str, TreeAnswer]:
    """Return the right tree for each criterion."""
    return {NEIGHBOR_JOINING: reference.neighbor_joining(problem), UPGMA: reference.textbook_upgma(problem)}


def check_same(
    problem: JoinedProblem, found: TreeAnswer, expected: TreeAnswer | Mapping[str, TreeAnswer], method: Method
) -> None:
    """Check that joins and lengths are equal to the last bit: sums are made in one order everywhere."""
    right = expected[method.criterion] if isinstance(expected, Mapping) else expected
    np.testing.assert_array_equal(found.joins, right.joins)
    assert found.tree == right.tree, "the trees differ"


def permute_taxa(problem: TreeProblem) -> TreeProblem | None:
    """Return the taxa in another order, or None where two distances are equal: the order decides ties.

    Where negative lengths are moved, the edge that takes them depends on the order of the taxa.
    """
    values, pairs = problem.matrix.values, np.triu_indices(problem.taxa, 1)
    if problem.negative != "keep" or np.unique(values[pairs]).size < pairs[0].size:
        return None
    order = np.random.default_rng(problem.taxa).permutation(problem.taxa)
    names = tuple(problem.matrix.names[taxon] for taxon in order.tolist())
    return replace(problem, matrix=make_distance_matrix(names, values[np.ix_(order, order)]))


def _check_same_paths(problem: TreeProblem, found: TreeAnswer, changed: TreeAnswer, method: Method) -> None:
    """Check that paths between the taxa are equally long, wherever the root is."""
    one, other = path_lengths(found.tree), path_lengths(changed.tree)
    order = [other.names.index(name) for name in one.names]
    tolerance = ROUNDING[problem.precision] * float(problem.matrix.values.max(initial=0))
    np.testing.assert_allclose(other.values[np.ix_(order, order)], one.values, rtol=0, atol=tolerance)


def scale_distances(problem: TreeProblem) -> TreeProblem:
    """Return the problem with scaled distances."""
    return replace(problem, matrix=make_distance_matrix(problem.matrix.names, SCALE * problem.matrix.values))


def _check_scaled_lengths(problem: TreeProblem, found: TreeAnswer, changed: TreeAnswer, method: Method) -> None:
    """Check that joins are equal and lengths scaled: a power of two rounds nothing."""
    np.testing.assert_array_equal(found.joins, changed.joins)
    assert replace(found.tree, lengths=SCALE * found.tree.lengths) == changed.tree, "the lengths are not scaled"


def many_taxa(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a problem in double precision with a matrix in single precision, so that the conversion is measured.

    Raises MemoryRefused where making it takes more memory than this machine has.
    """
    taxa = 16 + 4 * size
    if MAKING_BYTES * taxa**2 > host_bytes_free():
        raise MemoryRefused(f"a matrix of {taxa:,} taxa")
    return random_problem(taxa), thread_parameters(method, 2)


def equal_distances(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a problem with equal distances: no bound helps. The matrix is one number, so that large ones are free."""
    taxa = 16 * size
    values = np.broadcast_to(np.ones((), np.float32), (taxa, taxa))
    return TreeProblem(DistanceMatrix(numbered_names(taxa), values), "single"), thread_parameters(method, 2)


@lru_cache(maxsize=4)
def random_problem(taxa: int) -> TreeProblem:
    """Return a random problem."""
    values = make_distances("random", taxa, np.random.default_rng(taxa)).astype(np.float32)
    return TreeProblem(make_distance_matrix(numbered_names(taxa), values), "double")


def small_block_values(method: Method, backend: str, drawn: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with blocks smaller than the problems, chosen by what was drawn."""
    if "block" not in drawn:
        return drawn
    return {**drawn, **SMALL_BLOCKS[(int(drawn["block"]) + int(drawn["cells"])) % len(SMALL_BLOCKS)]}


def check_read_back(result: Result, data: Sequences[Any]) -> None:
    """Check the leaves of a tree read from a file, and lengths between some of them: a file has fewer digits."""
    (tree,) = data
    assert result.answer.tree.taxa == tree.taxa, "the leaves are others"
    one, other = (path_lengths(each, max(len(tree.taxa) // CHECKED_LEAVES, 1)) for each in (result.answer.tree, tree))
    np.testing.assert_allclose(other.values, one.values, rtol=1e-5, atol=1e-5 * float(one.values.max(initial=0)))


def thread_parameters(method: Method, count: int) -> dict[str, Any]:
    """Return ``threads`` as parameters of a method, or nothing where it has none."""
    return {"threads": count} if "threads" in method.parameters.names() else {}


TREES = Trials(
    draw_problem=draw_problem,
    solve_by_textbook=textbook_trees,
    assert_same_answer=check_same,
    make_large_problem=many_taxa,
    make_long_problem=equal_distances,
    draw_larger_problem=lambda choose: draw_problem(choose, LARGER),
    symmetries=(
        ProblemSymmetry("permuted taxa", permute_taxa, _check_same_paths),
        ProblemSymmetry("scaled distances", scale_distances, _check_scaled_lengths),
    ),
    adjust_values=small_block_values,
    assert_read_back=check_read_back,
)
