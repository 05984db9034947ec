"""The tree of an alignment: its rows, the model of their distances, the options of the tree, and replicates."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.alignments.alignment_kind import ALIGNMENT
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.method import LabelledRows, ProblemInput
from antidiag.kernels.model import Result
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.serialization import stored
from antidiag.kernels.trees import problem as tree_problem
from antidiag.kernels.trees.distances.alignment_columns.column_distances import sum_bases
from antidiag.kernels.trees.distances.problem import MODEL, refuse_model
from antidiag.kernels.trees.named_sequences import AlignedRows
from antidiag.kernels.trees.problem import OPTIONS as TREE_OPTIONS
from antidiag.kernels.trees.problem import TreeAnswer

ONE_ALIGNMENT = ProblemInput(ALIGNMENT)
JOIN_COLUMNS = 8000
"""Columns of a pair that take as long as the joins take for it, about, on a CPU and on a GPU."""

BOOTSTRAP = (
    Parameter("bootstrap", "int", "Bootstrap replicates", "Alignments of columns drawn at random, and their trees. The "
              "support of a branch is the percentage of these trees that have it; 0 computes no support.",
              default=0, minimum=0, maximum=100_000, unit="replicates"),
    Parameter("bootstrap_seed", "int", "Bootstrap seed", "Seed of the random columns of the replicates.", default=1,
              minimum=0, maximum=2**31 - 1),
)  # fmt: skip
OPTIONS = (MODEL, *TREE_OPTIONS, *BOOTSTRAP)


@stored("alignment-tree-problem")
@dataclass(frozen=True)
class AlignmentTreeProblem(AlignedRows):
    """The rows of an alignment, and the options that define their tree; see OPTIONS."""

    alignment: AlignedSequences
    model: str = "p"
    precision: str = "double"
    negative: str = "keep"
    root: str = "none"
    outgroup: str = ""
    bootstrap: int = 0
    bootstrap_seed: int = 1

    @property
    def taxa(self) -> int:
        """The number of taxa."""
        return len(self.alignment.names)

    @property
    def cells(self) -> int:
        """Columns of all pairs of rows, for the tree and for each replicate."""
        rows, columns = self.alignment.letters.shape
        return max(rows * (rows - 1) // 2 * columns, 1) * (1 + self.bootstrap)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type in which distances are kept."""
        return np.dtype(np.float64 if self.precision == "double" else np.float32)


@stored("alignment-tree-answer")
@dataclass(frozen=True, eq=False)
class AlignmentTreeAnswer(TreeAnswer):
    """A tree of an alignment; for ``pairs_without`` pairs of rows the model has no distance, and a stated one was used.

    Where there were replicates, the name of an inner node is the support of the branch above it, in per cent.
    """

    pairs_without: int = 0


def draw_columns(problem: AlignmentTreeProblem, replicate: int) -> np.ndarray:
    """Return the columns of a replicate, drawn with replacement, int64 (columns,)."""
    columns = problem.alignment.letters.shape[1]
    random = np.random.default_rng((problem.bootstrap_seed, replicate))
    return np.asarray(random.integers(0, columns, columns))


def count_column_bases(alignment: AlignedSequences) -> np.ndarray:
    """Return how often each base is in each column of an alignment of nucleotides, int64 (columns, 4)."""
    letters = alignment.letters
    counts = [np.bincount(np.asarray(letters[:, column]), minlength=256) for column in range(letters.shape[1])]
    return sum_bases(np.array(counts).reshape(-1, 256))


def count_work(problem: AlignmentTreeProblem, parameters: Any) -> int:
    """Return the columns of all pairs of rows, and what the joins cost beside them."""
    return problem.cells + JOIN_COLUMNS * problem.taxa**2 * (1 + problem.bootstrap)


def build_problem(data: Sequences[AlignedSequences], options: Mapping[str, Any]) -> AlignmentTreeProblem:
    """Return the problem of one alignment; raise InputError or ParameterError where options do not fit it."""
    ONE_ALIGNMENT.check(len(data))
    (alignment,) = data
    values = dict(resolve_values(OPTIONS, options))
    model = values.pop("distance_model")
    refuse_model(alignment, model)
    values["precision"] = values["precision"] or default_options(data)["precision"]
    tree_problem.check_outgroup(values["root"], values["outgroup"], alignment.names, alignment.name)
    return AlignmentTreeProblem(alignment, model, **values)


def default_options(data: Sequences[AlignedSequences]) -> Mapping[str, Any]:
    """Return double precision for alignments of some thousand rows, else single."""
    few = all(len(alignment.names) <= tree_problem.DOUBLE_TAXA for alignment in data)
    return {"precision": "double" if few else "single"}


def option_values(problem: AlignmentTreeProblem) -> Mapping[str, Any]:
    """Return the option values of a problem."""
    names = ("precision", "negative", "root", "outgroup", "bootstrap", "bootstrap_seed")
    return {"distance_model": problem.model, **{name: getattr(problem, name) for name in names}}


def setting_rows(problem: AlignmentTreeProblem) -> LabelledRows:
    """Return the settings of a problem for the report."""
    rows = [("Model", problem.model), *tree_problem.problem_settings(problem)]
    return [*rows, ("Bootstrap replicates", f"{problem.bootstrap:,}")] if problem.bootstrap else rows


def json_fields(result: Result) -> dict[str, Any]:
    """Return the fields of a tree, the model, the replicates, and the pairs without a distance."""
    problem = result.problem
    fields = tree_problem.json_fields(result)
    fields |= {"distance_model": problem.model, "pairs_without_distance": result.answer.pairs_without}
    return fields | (
        {"bootstrap": problem.bootstrap, "bootstrap_seed": problem.bootstrap_seed} if problem.bootstrap else {}
    )


def answer_rows(result: Result) -> LabelledRows:
    """Return the rows of the report of an answer."""
    rows, without = tree_problem.answer_rows(result), result.answer.pairs_without
    if result.problem.bootstrap:
        rows += _support_rows(result.answer)
    return [*rows, ("Pairs without a distance", f"{without:,}")] if without else rows


def _support_rows(answer: AlignmentTreeAnswer) -> LabelledRows:
    """Return how many branches have a high support."""
    tree = answer.tree
    again = int(tree.children(0)[1]) if tree.degrees[0] == 2 else -1  # the other half of the branch that has the root
    nodes = [node for node in np.flatnonzero(tree.degrees).tolist() if tree.names[node] and node != again]
    supports = [float(tree.names[node]) for node in nodes]
    high = sum(support >= HIGH_SUPPORT for support in supports)
    return [("Branches with a support of 95 % or more", f"{high:,} of {len(supports):,}")]


HIGH_SUPPORT = 95.0

ALIGNMENT_TREE = tree_problem.make_tree_problem_type(
    id="alignment-tree",
    label="Tree of an alignment",
    inputs=(ONE_ALIGNMENT,),
    options=OPTIONS,
    build_problem=build_problem,
    default_options=default_options,
    answer_json=json_fields,
    answer_rows=answer_rows,
    setting_rows=setting_rows,
    option_values=option_values,
    work_unit="columns",
    trials_name="antidiag.kernels.trees.alignment_trees.trials:ALIGNMENT_TREES",
)
