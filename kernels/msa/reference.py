"""Textbook multiple alignment: distances, tree, and one node after another.

Rows are texts with gaps, and the columns of each node are counted anew.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Outcome, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.pipelines.alignment_nodes import PARTS, AlignmentNode, ScoringRule, make_pair_problem
from antidiag.kernels.msa.pipelines.pipeline import PipelineJob, PipelineTools
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.profiles import reference as profiles
from antidiag.kernels.profiles.problem import LEFT, UP
from antidiag.kernels.profiles.profile import MEANS, PROTEIN
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees import reference as trees
from antidiag.kernels.trees.distances import reference as distances
from antidiag.kernels.trees.distances.problem import DistanceAnswer, problem_matrix

Aligned = Callable[[PipelineJob], tuple[np.ndarray, Tree]]
OnJoin = Callable[[int, int, list[list[str]], list[int], list[str]], None]


def align_reference(aligned: Aligned, problem: MsaProblem, on_join: OnJoin | None = None) -> MsaAnswer:
    """Return the alignment of a method with textbook stages; for about ten short sequences.

    ``on_join`` is called for every join: see `align_along_tree`.
    """
    along_tree = partial(align_along_tree, on_join=on_join)
    job = PipelineJob(problem, PipelineTools(_full_distances, _refuse_ktuples, _join_neighbors, along_tree), CpuRun())
    return job.make_outcome(*aligned(job)).answer


def align_along_tree(
    tree: Tree,
    sequences: Sequences[Sequence],
    weights: Sequences[int],
    alphabet: str,
    rule: ScoringRule,
    phase: CpuPhase,
    on_join: OnJoin | None = None,
) -> np.ndarray:
    """Align along a tree, one node after another.

    ``on_join(node, first leaf, rows of both children, operations, rows)`` is called after each.
    """
    rows: list[str] = []
    kind = _sequence_type(alphabet)

    def below(node: int) -> list[str]:
        """The rows of a node, those of its children aligned."""
        if tree.degrees[node] == 0:
            rows.append("")
            return [sequences[len(rows) - 1].letters.decode("ascii")]
        start = len(rows)
        parts = [below(child) for child in tree.children(node).tolist()]
        nodes = [
            count_columns(part, weights, at, alphabet, rule)
            for part, at in zip(parts, (start, start + len(parts[0])), strict=True)
        ]
        first, second = nodes
        operations = profiles.align_profiles(make_pair_problem(rule, first, second, alphabet, kind)).operations.tolist()
        joined = [
            insert_gaps(row, operations, missing)
            for part, missing in zip(parts, (LEFT, UP), strict=True)
            for row in part
        ]
        if on_join is not None:
            on_join(node, start, parts, operations, joined)
        return joined

    found = below(0)
    return np.array([list(row.encode("ascii")) for row in found], np.uint8)


def insert_gaps(row: str, operations: Sequences[int], missing: int) -> str:
    """Return a row with a gap for each operation that takes no column of it."""
    letters = iter(row)
    return "".join("-" if operation == missing else next(letters) for operation in operations)


def count_columns(
    rows: Sequences[str], weights: Sequences[int], first: int, alphabet: str, rule: ScoringRule
) -> AlignmentNode:
    """Count the columns of rows; ``first`` is the leaf of the first row."""
    kind = _sequence_type(alphabet)
    marks = sum(
        _spread_marks(row, rule.letter_marks(Sequence("row", row.replace("-", "").encode(), kind))) for row in rows
    )
    counts = np.zeros((len(alphabet), len(rows[0])), np.int64)
    for row, weight in zip(rows, weights[first:], strict=False):
        for column, letter in enumerate(row):
            stands_for = letter if letter in alphabet else MEANS[alphabet].get(letter, alphabet[:-1])
            for symbol in stands_for:
                counts[alphabet.index(symbol), column] += weight * PARTS // len(stands_for)
    return AlignmentNode(counts, np.asarray(marks), PARTS * sum(weights[first : first + len(rows)]), first, len(rows))


def _sequence_type(alphabet: str) -> SequenceType:
    """Return the sequence type of an alphabet."""
    return SequenceType.PROTEIN if alphabet == PROTEIN else SequenceType.DNA


def _spread_marks(row: str, marks: np.ndarray) -> np.ndarray:
    """Return the marks of a row's letters in its columns."""
    found: np.ndarray = np.zeros((len(marks), len(row)), np.int32)
    found[:, [column for column, letter in enumerate(row) if letter != "-"]] = marks
    return found


def _full_distances(problem: Any, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute textbook distances of aligned pairs."""
    count = len(problem.sequences)
    values = np.zeros((count, count))
    for i in range(count):
        for j in range(i):
            values[i, j] = values[j, i] = distances.full_distance(problem, i, j)
    return Outcome(DistanceAnswer(problem_matrix(problem, values, "full distances")), {})


def _join_neighbors(problem: Any, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Join by textbook neighbor joining."""
    return Outcome(trees.neighbor_joining(problem), {})


def _refuse_ktuples(problem: Any, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Refuse k-tuple distances."""
    raise NotImplementedError("the textbook has distances of aligned pairs")
