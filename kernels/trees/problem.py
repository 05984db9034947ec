"""The tree problem: a distance matrix, the options of its tree, and how the answer is reported."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import newick, tree_files, tree_weights
from antidiag.kernels.io.distance_files import DISTANCE_MATRIX
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import LabelledRows, ProblemInput, ProblemType
from antidiag.kernels.model import Result, have_same_names
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.serialization import stored
from antidiag.kernels.trees import alignment_order, dp_classes, rooting

ONE_MATRIX = ProblemInput(DISTANCE_MATRIX)

DOUBLE_TAXA = 4096
"""Up to so many taxa distances are kept in double precision unless single is requested: it costs little."""

NEIGHBOR_JOINING, UPGMA = "neighbor joining", "UPGMA"
"""Criteria: which tree of the matrix a method makes."""

MOST_SINGLE, MOST_DOUBLE = 1e15, 1e20
"""Largest distances; they stay far below the marks of places without a cluster (1e30 and its multiples)."""

OPTIONS = (
    Parameter("precision", "choice", "Precision",
              "Precision of the stored distances: double up to 4,096 taxa; single beyond, which halves memory and "
              "time. Sums and comparisons use double precision.", default=None, choices=("single", "double")),
    Parameter("negative", "choice", "Negative lengths",
              "What to do with edges of negative length. keep: leave them. zero: set them to 0 and add the length to "
              "the neighbouring edge.", default="keep", choices=("keep", "zero")),
    Parameter("root", "choice", "Root",
              "Position of the root. none: unrooted, with three branches at the top. clustalw: where mean distances "
              "to the leaves on both sides are equal. midpoint: halfway between the two leaves farthest apart. "
              "outgroup: on the edge above one taxon.", default="none", choices=rooting.RULES),
    Parameter("outgroup", "text", "Outgroup", "Taxon above which the root lies, with root outgroup.",
              default=""),
)  # fmt: skip


class JoinedProblem(Protocol):
    """What the joins of a matrix become a tree by: the names of the taxa, and what is done with lengths and root."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the taxa."""

    @property
    def taxa(self) -> int:
        """The number of taxa."""

    @property
    def title(self) -> str:
        """The name of the data."""

    @property
    def negative(self) -> str:
        """What is done with negative lengths."""

    @property
    def root(self) -> str:
        """The rule of the root."""

    @property
    def outgroup(self) -> str:
        """The taxon above which the root lies."""


@stored("tree-problem")
@dataclass(frozen=True)
class TreeProblem:
    """A distance matrix, and the options that define its tree; see OPTIONS."""

    matrix: DistanceMatrix
    precision: str = "double"
    negative: str = "keep"
    root: str = "none"
    outgroup: str = ""

    @property
    def data(self) -> tuple[DistanceMatrix]:
        """The input data of the problem."""
        return (self.matrix,)

    @property
    def taxa(self) -> int:
        """The number of taxa."""
        return len(self.matrix)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the taxa."""
        return self.matrix.names

    @property
    def cells(self) -> int:
        """Pairs that the full search compares: all pairs of r clusters, for r = n .. 2."""
        return (self.taxa**3 - self.taxa) // 6

    @property
    def title(self) -> str:
        """The name of the matrix."""
        return self.matrix.name

    @property
    def size(self) -> str:
        """The size of the matrix, as text."""
        return self.matrix.summary

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type in which distances are kept."""
        return np.dtype(np.float64 if self.precision == "double" else np.float32)


@stored("tree-answer")
@dataclass(frozen=True, eq=False)
class TreeAnswer:
    """A tree, and the order of its joins.

    ``joins`` is int32 (k, 2): the nodes that join s united into node n + s; nodes below n are taxa. For neighbor
    joining k = n - 3, after which the remaining three meet in one node; for UPGMA k = n - 1.
    """

    tree: Tree
    joins: np.ndarray

    def check(self, problem: JoinedProblem) -> None:
        """Raise AssertionError unless every taxon is a leaf once, every edge has a length, and the joins fit the
        tree."""
        tree = self.tree
        assert have_same_names(tree.taxa, problem.names), "the leaves are not the taxa"
        assert np.isfinite(tree.lengths[1:]).all(), "an edge has no length"
        if problem.negative == "zero":
            assert (tree.lengths[1:] >= 0).all(), "an edge has a negative length"
        assert len(np.unique(self.joins)) == self.joins.size, "a node is joined twice"
        made = problem.taxa + np.arange(len(self.joins))[:, None]
        assert (self.joins >= 0).all() and (self.joins < made).all(), "a node is joined before it is made"


def build_problem(data: Sequences[DistanceMatrix], options: Mapping[str, Any]) -> TreeProblem:
    """Return the problem of one matrix; raise InputError or ParameterError where options do not fit it."""
    ONE_MATRIX.check(len(data))
    (matrix,) = data
    values = dict(resolve_values(OPTIONS, options))
    values["precision"] = values["precision"] or default_options(data)["precision"]
    check_outgroup(values["root"], values["outgroup"], matrix.names, matrix.name)
    if values["precision"] == "single" and matrix.max_distance > MOST_SINGLE:
        raise InputError(f"{matrix.name}: distances beyond {MOST_SINGLE:g} need double precision")
    if matrix.max_distance > MOST_DOUBLE:
        raise InputError(f"{matrix.name}: distances beyond {MOST_DOUBLE:g} cannot be summed; scale them down")
    return TreeProblem(matrix, **values)


def check_outgroup(root: str, outgroup: str, names: Sequences[str], source: str) -> None:
    """Raise ParameterError where the outgroup is no taxon, or the root is not to be placed by it."""
    if root == "outgroup" and outgroup not in names:
        named = f"outgroup {outgroup!r} is no taxon of {source}"
        reason = named if outgroup else "outgroup is empty, but root is outgroup"
        raise ParameterError(f"{reason}; name a taxon, such as {names[0]}")
    if outgroup and root != "outgroup":
        raise ParameterError("outgroup names a taxon, but root is not outgroup; set root to outgroup")


def default_options(data: Sequences[DistanceMatrix]) -> Mapping[str, Any]:
    """Return double precision for matrices of some thousand taxa, else single."""
    return {"precision": "double" if all(len(matrix) <= DOUBLE_TAXA for matrix in data) else "single"}


def option_values(problem: TreeProblem) -> Mapping[str, Any]:
    """Return the option values of a problem."""
    return {name: getattr(problem, name) for name in ("precision", "negative", "root", "outgroup")}


def problem_settings(problem: Any) -> LabelledRows:
    """Return the settings of a problem for the report."""
    root = f"outgroup {problem.outgroup}" if problem.root == "outgroup" else problem.root
    return [("Precision", problem.precision), ("Negative lengths", problem.negative), ("Root", root)]


def json_fields(result: Result) -> dict[str, Any]:
    """Return Newick and joins; for a rooted tree also weights, and alignment steps as in `alignment_spans`."""
    tree: Tree = result.answer.tree
    fields = {"taxa": result.problem.taxa, "newick": newick.newick_text(tree), "joins": result.answer.joins.tolist()}
    if len(tree) > 1 and tree.degrees[0] == 2:
        fields["weights"] = tree_weights.leaf_weights(tree).tolist()
        fields["weights_of"] = list(tree.taxa)
        fields["alignment_order"] = alignment_order.alignment_spans(tree).tolist()
    return fields


def answer_rows(result: Result) -> LabelledRows:
    """Return the rows of the report of an answer."""
    tree = result.answer.tree
    lengths = tree.lengths[1:]
    found = [("Taxa", f"{result.problem.taxa:,}"), ("Joins", f"{len(result.answer.joins):,}")]
    if lengths.size:
        negative = int((lengths < 0).sum())
        found += [("Sum of lengths", f"{lengths.sum():.6g}"), ("Longest edge", f"{lengths.max():.6g}")]
        found += [("Negative edges", f"{negative:,}")] if negative else []
    return found


def make_tree_problem_type(**declared: Any) -> ProblemType:
    """Return a problem type whose answer is a tree: it is shown, written and used by other methods as trees are.

    Parameters
    ----------
    **declared
        The other fields of `kernels.method.ProblemType`; ``dp_classification`` is that of joins by default.
    """
    return ProblemType(
        format_answer=lambda result: result.answer.tree.summary,
        file_formats=tree_files.TREE_FORMATS,
        extract_data=lambda result: [result.answer.tree],
        **{"dp_classification": dp_classes.JOINS, **declared},
    )


TREE_PROBLEM = make_tree_problem_type(
    id="tree",
    label="Tree of a distance matrix",
    inputs=(ONE_MATRIX,),
    options=OPTIONS,
    build_problem=build_problem,
    default_options=default_options,
    answer_json=json_fields,
    answer_rows=answer_rows,
    setting_rows=problem_settings,
    option_values=option_values,
    work_unit="pairs",
    trials_name="antidiag.kernels.trees.trials:TREES",
)
