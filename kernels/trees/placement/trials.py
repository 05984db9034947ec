"""Trials of placed trees: small ones, in which no interchange of neighbours makes the tree shorter by the textbook."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.method import Method
from antidiag.kernels.model import SequenceType
from antidiag.kernels.trees import trials as tree_trials
from antidiag.kernels.trees.distances import trials as distance_trials
from antidiag.kernels.trees.distances.alignment_columns.column_distances import (
    count_columns,
    distances_of_columns,
    distances_of_rows,
)
from antidiag.kernels.trees.placement.problem import PlacedAlignmentProblem, PlacedSequencesProblem
from antidiag.kernels.trees.problem import TreeAnswer
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, TrialChooser, Trials

MOST, LARGER = 9, 60
"""Taxa of small problems, whose subtrees have no more leaves than are compared; and of larger ones."""
SLACK = 1e-6


def draw_aligned(choose: TrialChooser, largest: int = MOST) -> PlacedAlignmentProblem:
    """Draw a problem of the rows of an alignment."""
    aligned = distance_trials.draw_aligned(choose, largest)
    names = aligned.alignment.names
    root = choose.choose_one(tree_trials.ROOTS)
    outgroup = choose.choose_one(names) if root == "outgroup" else ""
    backbone, seed = choose.draw_integer(4, 8), choose.draw_integer(0, 9)
    return PlacedAlignmentProblem(aligned.alignment, aligned.model, backbone, seed, root, outgroup)


def draw_sequences(choose: TrialChooser, largest: int = MOST) -> PlacedSequencesProblem:
    """Draw a problem of sequences."""
    kind = choose.choose_one((SequenceType.DNA, SequenceType.PROTEIN))
    letters = "ACGTN" if kind == SequenceType.DNA else "ACDEFX"
    taxa, random = choose.draw_integer(1, largest), choose.make_generator()
    found = distance_trials.random_family(random, taxa, 80, letters, kind)
    bins, backbone = choose.choose_one((64, 128)), choose.draw_integer(4, 8)
    return PlacedSequencesProblem(found, choose.draw_integer(2, 5), bins, backbone, choose.draw_integer(0, 9))


def check_placed(problem: Any, found: TreeAnswer, expected: TreeAnswer | None, method: Method) -> None:
    """Check a tree against another one, or that no interchange of neighbours makes it shorter."""
    if isinstance(expected, TreeAnswer):
        np.testing.assert_array_equal(found.joins, expected.joins)
        assert found.tree == expected.tree, "the trees differ"
    elif 3 < problem.taxa <= MOST:
        _check_no_interchange(problem, found)


def _check_no_interchange(problem: Any, answer: TreeAnswer) -> None:
    """Check that the two sums of the other trees of four subtrees are not smaller, for every inner edge."""
    distances = _textbook_distances(problem)
    beside = _neighbours_of_joins(answer.joins, problem.taxa)

    def weights(node: int, before: int) -> np.ndarray:
        if node < problem.taxa:
            return np.eye(problem.taxa)[node]
        below = [weights(after, node) for after in beside[node] if after != before]
        return 0.5 * (below[0] + below[1])

    for u, v in combinations(range(problem.taxa, len(beside)), 2):
        if v in beside[u]:
            one = [weights(node, u) for node in beside[u] if node != v]
            other = [weights(node, v) for node in beside[v] if node != u]
            (a, b), (c, d) = one, other
            now = a @ distances @ b + c @ distances @ d
            best = min(a @ distances @ c + b @ distances @ d, a @ distances @ d + b @ distances @ c)
            assert now <= best + SLACK, f"edge {u}, {v}: {now}, {best}"


def _neighbours_of_joins(joins: np.ndarray, taxa: int) -> list[list[int]]:
    """Return the neighbours of all nodes of the tree that joins make."""
    nodes = taxa + len(joins) + 1
    beside: list[list[int]] = [[] for _ in range(nodes)]
    left = set(range(taxa + len(joins)))
    for step, pair in enumerate(joins.tolist()):
        for node in pair:
            beside[taxa + step].append(node)
            beside[node].append(taxa + step)
            left.remove(node)
    for node in left:
        beside[nodes - 1].append(node)
        beside[node].append(nodes - 1)
    return beside


@lru_cache(maxsize=64)
def _textbook_distances(problem: Any) -> np.ndarray:
    """Return all distances, float64 (taxa, taxa)."""
    if isinstance(problem, PlacedAlignmentProblem):
        return distances_of_rows(problem.alignment, problem.model)[0]
    from antidiag.kernels.trees.placement.sketches import sketch_sequences  # loads Numba

    codes, taxa = sketch_sequences(problem, np.arange(problem.taxa)), problem.taxa
    values = np.zeros((taxa, taxa))
    for row in range(taxa - 1):
        found, _ = distances_of_columns(count_columns(codes, row), problem.make_model())
        values[row, row + 1 :] = values[row + 1 :, row] = found
    return values


def _many_rows(method: Method, backend: str, size: int) -> ProblemAndParameters:
    alignment: AlignedSequences = distance_trials.random_alignment(64 + 64 * size, 40).alignment
    return PlacedAlignmentProblem(alignment, "p", 64), tree_trials.thread_parameters(method, 2)


def _long_rows(method: Method, backend: str, size: int) -> ProblemAndParameters:
    alignment: AlignedSequences = distance_trials.random_alignment(512, 16 * size).alignment
    return PlacedAlignmentProblem(alignment, "p", 64), tree_trials.thread_parameters(method, 2)


def _sketched(
    make_family: Callable[[Method, str, int], Any],
) -> Callable[[Method, str, int], ProblemAndParameters]:
    return lambda method, backend, size: (
        PlacedSequencesProblem(make_family(method, backend, size), 6, 64, 64),
        tree_trials.thread_parameters(method, 2),
    )


def _silent(method: Method, backend: str) -> frozenset[str]:
    return frozenset({"letters", "backbone", "placement", "lengths"})


ALIGNED = Trials(
    draw_problem=draw_aligned,
    solve_by_textbook=lambda problem: None,
    assert_same_answer=check_placed,
    make_large_problem=_many_rows,
    make_long_problem=_long_rows,
    draw_larger_problem=lambda choose: draw_aligned(choose, LARGER),
    symmetries=(ProblemSymmetry("columns in another order", distance_trials.permute_columns, check_placed),),
    phases_without_steps=_silent,
    assert_read_back=tree_trials.check_read_back,
)
SKETCHED = Trials(
    draw_problem=draw_sequences,
    solve_by_textbook=lambda problem: None,
    assert_same_answer=check_placed,
    make_large_problem=_sketched(distance_trials.large_family),
    make_long_problem=_sketched(lambda method, backend, size: distance_trials.large_family(method, backend, 8 * size)),
    draw_larger_problem=lambda choose: draw_sequences(choose, LARGER),
    phases_without_steps=_silent,
    assert_read_back=tree_trials.check_read_back,
)
