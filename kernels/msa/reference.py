"""Multiple alignment as one reads it: distances, tree, and the nodes one after another, each by its textbook.

Rows are kept as texts with gaps, and what the columns of a node count is counted in them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Outcome, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.pipeline import Job, Tools
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.msa.progressive import PARTS, Log, Node, Rule, pair_of
from antidiag.kernels.profiles import reference as profiles
from antidiag.kernels.profiles.problem import LEFT, UP
from antidiag.kernels.profiles.profile import MEANS, PROTEIN
from antidiag.kernels.steps import Steps
from antidiag.kernels.trees import reference as trees
from antidiag.kernels.trees.distances import reference as distances
from antidiag.kernels.trees.distances.problem import DistanceAnswer, matrix_of

Aligned = Callable[[Job], tuple[np.ndarray, Tree]]
Told = Callable[[int, int, list[list[str]], list[int], list[str]], None]


def answer(aligned: Aligned, problem: MsaProblem, told: Told | None = None) -> MsaAnswer:
    """The alignment of a method, every stage of it by textbooks; some ten short sequences at most.

    ``told`` hears of every join: see `progressive`.
    """
    tools = Tools(_full, _no_words, _joined, _no_batch, 1, partial(progressive, told=told))
    job = Job(problem, tools)
    return job.outcome(*aligned(job)).answer


def progressive(
    tree: Tree, sequences: Sequences[Sequence], weights: Sequences[int], alphabet: str, rule: Rule,
    align_each: Any, monitor: Monitor, log: Log | None = None, told: Told | None = None,
) -> np.ndarray:  # fmt: skip
    """As `kernels.msa.walk.align`, a node after another.

    ``told(node, first leaf, rows of both children, operations, rows)`` is called after each.
    """
    rows: list[str] = []
    kind = _kind(alphabet)

    def below(node: int) -> list[str]:
        """The rows of a node, those of its children aligned."""
        if tree.degrees[node] == 0:
            rows.append("")
            return [sequences[len(rows) - 1].letters.decode("ascii")]
        start = len(rows)
        parts = [below(child) for child in tree.children(node).tolist()]
        nodes = [
            counted(part, weights, at, alphabet, rule)
            for part, at in zip(parts, (start, start + len(parts[0])), strict=True)
        ]
        first, second = nodes
        operations = profiles.align(pair_of(rule, first, second, alphabet, kind)).operations.tolist()
        joined = [
            gapped(row, operations, missing) for part, missing in zip(parts, (LEFT, UP), strict=True) for row in part
        ]
        if told is not None:
            told(node, start, parts, operations, joined)
        return joined

    found = below(0)
    return np.array([list(row.encode("ascii")) for row in found], np.uint8)


def gapped(row: str, operations: Sequences[int], missing: int) -> str:
    """A row with a gap for each operation that takes no column of it."""
    letters = iter(row)
    return "".join("-" if operation == missing else next(letters) for operation in operations)


def counted(rows: Sequences[str], weights: Sequences[int], first: int, alphabet: str, rule: Rule) -> Node:
    """What the columns of rows count; ``first`` is the leaf of the first of them."""
    kind = _kind(alphabet)
    marks = sum(_spread(row, rule.marks(Sequence("row", row.replace("-", "").encode(), kind))) for row in rows)
    counts = np.zeros((len(alphabet), len(rows[0])), np.int64)
    for row, weight in zip(rows, weights[first:], strict=False):
        for column, letter in enumerate(row):
            stands_for = letter if letter in alphabet else MEANS[alphabet].get(letter, alphabet[:-1])
            for symbol in stands_for:
                counts[alphabet.index(symbol), column] += weight * PARTS // len(stands_for)
    return Node(counts, np.asarray(marks), PARTS * sum(weights[first : first + len(rows)]), first, len(rows))


def _kind(alphabet: str) -> SequenceType:
    return SequenceType.PROTEIN if alphabet == PROTEIN else SequenceType.DNA


def _spread(row: str, marks: np.ndarray) -> np.ndarray:
    """Marks of the letters of a row, in its columns."""
    found: np.ndarray = np.zeros((len(marks), len(row)), np.int32)
    found[:, [column for column, letter in enumerate(row) if letter != "-"]] = marks
    return found


def _full(problem: Any, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    count = len(problem.sequences)
    values = np.zeros((count, count))
    for i in range(count):
        for j in range(i):
            values[i, j] = values[j, i] = distances.full(problem, i, j)
    return Outcome(DistanceAnswer(matrix_of(problem, values, "full distances")), {})


def _joined(problem: Any, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    return Outcome(trees.neighbor_joining(problem), {})


def _no_words(problem: Any, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    raise NotImplementedError("the textbook has distances of aligned pairs")


def _no_batch(*arguments: Any) -> Any:
    raise NotImplementedError("the textbook aligns a node after another")
