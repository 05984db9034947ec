"""How the methods for trees are tried: matrices of all kinds, the textbook's joins, permuted and scaled taxa."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.io.distance_matrix import DistanceMatrix, checked, numbered
from antidiag.kernels.io.random_distances import additive
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.memory import host_bytes_free
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.trees import reference
from antidiag.kernels.trees.problem import NEIGHBOR_JOINING, UPGMA, TreeAnswer, TreeProblem
from antidiag.kernels.trials import Choose, Run, Symmetry, Trials

MOST, LARGER = 40, 150
"""Taxa of small problems, and of those that the methods are compared on: several blocks, epochs and passes."""
KINDS = ("random", "additive", "noisy", "ties", "twins", "zero", "wide")
PRECISIONS = ("single", "double")
ROUNDING = {"single": 1e-4, "double": 1e-9}
"""What another order of the taxa may do to a distance, as a part of the greatest one."""
SCALE = 4.0
MAKING_BYTES = 40
"""Bytes a distance while a random matrix is made: some copies in double precision."""
SMALL_BLOCKS = ({"block": "64", "cells": "1"}, {"block": "64", "cells": "4"}, {"block": "256", "cells": "4"})
"""A block side of 8, 16 or 32: on a GPU both numbers are constants of kernels, and these cut small problems."""


def draw(choose: Choose, most: int = MOST) -> TreeProblem:
    matrix = drawn_matrix(choose, most)
    precision, negative = choose.of(PRECISIONS), choose.of(("keep", "zero"))
    root = choose.of(("none", "clustalw", "midpoint", "outgroup"))
    outgroup = choose.of(matrix.names) if root == "outgroup" else ""
    return TreeProblem(matrix, precision, negative, root, outgroup)


def drawn_matrix(choose: Choose, most: int = MOST) -> DistanceMatrix:
    """Random, additive with and without noise, with many ties, with identical taxa, all zero, or of many sizes."""
    few, kind = choose.of((True, False)), choose.of(KINDS)
    taxa = choose.integer(1, 6 if few else most)
    return matrix(numbers(kind, taxa, choose.random()))


def numbers(kind: str, taxa: int, random: np.random.Generator) -> np.ndarray:
    """The distances of one of KINDS."""
    if kind in ("additive", "noisy"):
        return additive(taxa, random, 0.2 if kind == "noisy" else 0.0)
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


def matrix(values: np.ndarray) -> DistanceMatrix:
    """The distances of taxa without names of their own."""
    return checked(numbered(len(values)), np.array(values, float))


def path_lengths(tree: Tree, apart: int = 1) -> DistanceMatrix:
    """The distances between the leaves of a tree, or between each ``apart``-th of them, along its edges."""
    leaves = tree.leaves[::apart]
    ways = np.zeros((leaves.size, len(tree)))
    for row, leaf in enumerate(leaves.tolist()):
        ways[row, tree.path(leaf)] = 1
    shared = (ways * np.nan_to_num(tree.lengths)) @ ways.T
    depths = np.diagonal(shared)
    values = depths[:, None] + depths - shared - shared.T
    np.fill_diagonal(values, 0)
    return DistanceMatrix(tree.taxa[::apart], values)


@lru_cache(maxsize=64)
def textbook(problem: TreeProblem) -> Mapping[str, TreeAnswer]:
    """The right tree, for each thing that is meant by the tree of a matrix."""
    return {NEIGHBOR_JOINING: reference.neighbor_joining(problem), UPGMA: reference.upgma(problem)}


def same(
    problem: TreeProblem, found: TreeAnswer, expected: TreeAnswer | Mapping[str, TreeAnswer], method: Method
) -> None:
    """Joins and lengths are equal to the last bit: sums are made in one order everywhere."""
    right = expected[method.criterion] if isinstance(expected, Mapping) else expected
    np.testing.assert_array_equal(found.joins, right.joins)
    assert found.tree == right.tree, "the trees differ"


def permuted(problem: TreeProblem) -> TreeProblem | None:
    """The taxa in another order, where no two distances are equal: ties are decided by the order.

    Where negative lengths are moved, the edge that takes them is the one beside it, in the order of the taxa.
    """
    values, pairs = problem.matrix.values, np.triu_indices(problem.taxa, 1)
    if problem.negative != "keep" or np.unique(values[pairs]).size < pairs[0].size:
        return None
    order = np.random.default_rng(problem.taxa).permutation(problem.taxa)
    names = tuple(problem.matrix.names[taxon] for taxon in order.tolist())
    return replace(problem, matrix=checked(names, values[np.ix_(order, order)]))


def _same_permuted(problem: TreeProblem, found: TreeAnswer, changed: TreeAnswer, method: Method) -> None:
    """The ways between the taxa are equally long, wherever the root is."""
    one, other = path_lengths(found.tree), path_lengths(changed.tree)
    order = [other.names.index(name) for name in one.names]
    tolerance = ROUNDING[problem.precision] * float(problem.matrix.values.max(initial=0))
    np.testing.assert_allclose(other.values[np.ix_(order, order)], one.values, rtol=0, atol=tolerance)


def scaled(problem: TreeProblem) -> TreeProblem:
    return replace(problem, matrix=checked(problem.matrix.names, SCALE * problem.matrix.values))


def _same_scaled(problem: TreeProblem, found: TreeAnswer, changed: TreeAnswer, method: Method) -> None:
    """A power of two rounds nothing."""
    np.testing.assert_array_equal(found.joins, changed.joins)
    assert replace(found.tree, lengths=SCALE * found.tree.lengths) == changed.tree, "the lengths are not scaled"


def large(method: Method, backend: str, size: int) -> Run:
    """In double precision of a matrix in single, so that what is converted is measured; MemoryRefused where making it
    takes more than this machine has."""
    taxa = 16 + 4 * size
    if MAKING_BYTES * taxa**2 > host_bytes_free():
        raise MemoryRefused(f"a matrix of {taxa:,} taxa")
    return random_problem(taxa), _threads(method, 2)


def long(method: Method, backend: str, size: int) -> Run:
    """All distances equal: no bound says anything then. The matrix is one number, so that large ones cost nothing."""
    taxa = 16 * size
    values = np.broadcast_to(np.ones((), np.float32), (taxa, taxa))
    return TreeProblem(DistanceMatrix(numbered(taxa), values), "single"), _threads(method, 2)


@lru_cache(maxsize=4)
def random_problem(taxa: int) -> TreeProblem:
    values = numbers("random", taxa, np.random.default_rng(taxa)).astype(np.float32)
    return TreeProblem(checked(numbered(taxa), values), "double")


def values(method: Method, backend: str, drawn: dict[str, Any]) -> dict[str, Any]:
    """Blocks that are smaller than the problems, chosen by what was drawn."""
    if "block" not in drawn:
        return drawn
    return {**drawn, **SMALL_BLOCKS[(int(drawn["block"]) + int(drawn["cells"])) % len(SMALL_BLOCKS)]}


def read_back(result: Result, data: Sequences[Any]) -> None:
    """The splits and lengths of the tree; files of trees have fewer digits."""
    (tree,) = data
    one, other = path_lengths(result.answer.tree), path_lengths(tree)
    assert one.names == other.names, "the leaves are others"
    np.testing.assert_allclose(other.values, one.values, rtol=1e-5, atol=1e-5 * float(one.values.max(initial=0)))


def _threads(method: Method, count: int) -> dict[str, Any]:
    return {"threads": count} if any(parameter.name == "threads" for parameter in method.parameters) else {}


TREES = Trials(
    draw=draw,
    oracle=textbook,
    same=same,
    large=large,
    long=long,
    larger=lambda choose: draw(choose, LARGER),
    symmetries=(
        Symmetry("permuted taxa", permuted, _same_permuted),
        Symmetry("scaled distances", scaled, _same_scaled),
    ),
    values=values,
    read_back=read_back,
)
