"""Trials of the trees of alignments: the textbook's joins of the textbook's distances; replicates by sets of taxa."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import make_distance_matrix
from antidiag.kernels.method import Method
from antidiag.kernels.trees import reference
from antidiag.kernels.trees import trials as tree_trials
from antidiag.kernels.trees.alignment_trees.problem import AlignmentTreeAnswer, AlignmentTreeProblem, draw_columns
from antidiag.kernels.trees.distances import trials as distance_trials
from antidiag.kernels.trees.distances.alignment_columns.column_distances import distances_of_rows
from antidiag.kernels.trees.problem import NEIGHBOR_JOINING, TreeAnswer, TreeProblem
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, TrialChooser, Trials

MOST, LARGER = 12, 40
"""Rows of small problems, which the textbook joins for every replicate, and of those on which methods are compared."""


def draw_problem(choose: TrialChooser, largest: int = MOST) -> AlignmentTreeProblem:
    """Draw a problem."""
    aligned = distance_trials.draw_aligned(choose, largest)
    names = aligned.alignment.names
    root = choose.choose_one(tree_trials.ROOTS)
    return AlignmentTreeProblem(
        aligned.alignment,
        aligned.model,
        choose.choose_one(tree_trials.PRECISIONS),
        choose.choose_one(("keep", "zero")),
        root,
        choose.choose_one(names) if root == "outgroup" else "",
        choose.choose_one((0, 0, 1, 5)),
        choose.draw_integer(0, 9),
    )


@lru_cache(maxsize=64)
def textbook_trees(problem: AlignmentTreeProblem) -> Mapping[str, AlignmentTreeAnswer]:
    """Return the right tree, with the support of its branches."""
    answer, without = _join_by_textbook(problem, problem.alignment)
    if problem.bootstrap:
        answer = _add_support(problem, answer)
    return {NEIGHBOR_JOINING: AlignmentTreeAnswer(answer.tree, answer.joins, without)}


def _join_by_textbook(problem: AlignmentTreeProblem, alignment: AlignedSequences) -> tuple[TreeAnswer, int]:
    values, without = distances_of_rows(alignment, problem.model)
    matrix = make_distance_matrix(alignment.names, values, alignment.name)
    options = problem.precision, problem.negative, problem.root, problem.outgroup
    return reference.neighbor_joining(TreeProblem(matrix, *options)), without


def _add_support(problem: AlignmentTreeProblem, answer: TreeAnswer) -> TreeAnswer:
    """Return the tree whose inner nodes are named by the share of replicates that have the split above them."""
    trees = []
    for number in range(problem.bootstrap):
        letters = np.ascontiguousarray(problem.alignment.letters[:, draw_columns(problem, number)])
        drawn, _ = _join_by_textbook(problem, replace(problem.alignment, letters=letters))
        trees.append(set(_splits(drawn)))
    tree, taxa = answer.tree, set(problem.names)
    names = list(tree.names)
    for node in range(1, len(tree)):
        below = frozenset(tree.names[leaf] for leaf in range(node, int(tree.ends[node])) if not tree.degrees[leaf])
        if tree.degrees[node] and 1 < len(below) < len(taxa) - 1:
            found = sum(bool({below, frozenset(taxa - below)} & splits) for splits in trees)
            names[node] = str(int(np.rint(100 * found / len(trees))))
    return TreeAnswer(replace(tree, names=tuple(names)), answer.joins)


def _splits(answer: TreeAnswer) -> list[frozenset[str]]:
    """Return the taxa below every inner node of a tree."""
    tree = answer.tree
    return [
        frozenset(tree.names[leaf] for leaf in range(node, int(tree.ends[node])) if not tree.degrees[leaf])
        for node in np.flatnonzero(tree.degrees).tolist()
    ]


def check_same(problem: AlignmentTreeProblem, found: AlignmentTreeAnswer, expected: Any, method: Method) -> None:
    """Check joins, lengths, support and the number of pairs without a distance, to the last bit."""
    right = expected[NEIGHBOR_JOINING] if isinstance(expected, Mapping) else expected
    tree_trials.check_same(problem, found, right, method)
    assert found.pairs_without == right.pairs_without


def permute_columns(problem: AlignmentTreeProblem) -> AlignmentTreeProblem | None:
    """Return the columns in another order, which change nothing; None with replicates, which draw other columns."""
    return None if problem.bootstrap else distance_trials.permute_columns(problem)


def many_rows(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return many rows of few columns."""
    return _random_problem(16 + 4 * size, 40), tree_trials.thread_parameters(method, 2)


def long_rows(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return some rows of many columns."""
    return _random_problem(512, 16 * size), tree_trials.thread_parameters(method, 2)


@lru_cache(maxsize=4)
def _random_problem(rows: int, columns: int) -> AlignmentTreeProblem:
    return AlignmentTreeProblem(distance_trials.random_alignment(rows, columns).alignment, "p", "single")


ALIGNMENT_TREES = Trials(
    draw_problem=draw_problem,
    solve_by_textbook=textbook_trees,
    assert_same_answer=check_same,
    make_large_problem=many_rows,
    make_long_problem=long_rows,
    draw_larger_problem=lambda choose: draw_problem(choose, LARGER),
    symmetries=(ProblemSymmetry("columns in another order", permute_columns, check_same),),
    phases_without_steps=lambda method, backend: frozenset({"bootstrap"}),
    assert_read_back=tree_trials.check_read_back,
)
