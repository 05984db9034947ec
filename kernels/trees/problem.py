"""The tree problem: a distance matrix, and how the tree of it is to be told."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import newick, tree_files, tree_weights
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.distances import DISTANCE_MATRIX
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import Input, ProblemType, Rows
from antidiag.kernels.model import Result, same_names
from antidiag.kernels.parameters import Parameter, resolve
from antidiag.kernels.serialization import stored
from antidiag.kernels.trees import order, placement, rooting

ONE_MATRIX = Input(DISTANCE_MATRIX)

DOUBLE_TAXA = 4096
"""Up to so many taxa distances are kept in double precision unless single is asked for: it costs little."""

NEIGHBOR_JOINING, UPGMA = "neighbor joining", "UPGMA"
"""Criteria: what methods mean by the tree of a matrix."""

MOST_SINGLE, MOST_DOUBLE = 1e15, 1e20
"""Distances stay far below what marks a place without a cluster (1e30 and its multiples)."""

OPTIONS = (
    Parameter("precision", "choice", "Precision",
              f"How distances are kept: double up to {DOUBLE_TAXA:,} taxa, single beyond, where it halves memory and "
              "time. Sums and comparisons are made in double precision.",
              default=None, choices=("single", "double")),
    Parameter("negative", "choice", "Negative lengths",
              "Neighbor joining can give an edge a negative length: keep it, or make it 0 and add it to the edge "
              "beside it, so that their sum stays.",
              default="keep", choices=("keep", "zero")),
    Parameter("root", "choice", "Root",
              "none: the tree of neighbor joining ends in three branches. clustalw: where the mean distances to the "
              "leaves on both sides are equal. midpoint: halfway between the two leaves farthest apart. outgroup: on "
              "the edge of one taxon.",
              default="none", choices=rooting.RULES),
    Parameter("outgroup", "text", "Outgroup", "The taxon that root = outgroup parts from all others.", default=""),
)  # fmt: skip


@stored("tree-problem")
@dataclass(frozen=True)
class TreeProblem:
    """A distance matrix, and what defines its tree; see OPTIONS."""

    matrix: DistanceMatrix
    precision: str = "double"
    negative: str = "keep"
    root: str = "none"
    outgroup: str = ""

    @property
    def data(self) -> tuple[DistanceMatrix]:
        return (self.matrix,)

    @property
    def taxa(self) -> int:
        return len(self.matrix)

    @property
    def cells(self) -> int:
        """Pairs that the full search compares: all pairs of r clusters, for r = n .. 2."""
        return (self.taxa**3 - self.taxa) // 6

    @property
    def title(self) -> str:
        return self.matrix.name

    @property
    def size(self) -> str:
        return self.matrix.summary

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type in which distances are kept."""
        return np.dtype(np.float64 if self.precision == "double" else np.float32)


@stored("tree-answer")
@dataclass(frozen=True, eq=False)
class TreeAnswer:
    """A tree, and the order in which it grew.

    ``joins`` is int32 (k, 2): the nodes that join s united into node n + s; nodes below n are taxa. For neighbor
    joining k = n - 3, after which the three that are left meet in the middle; for UPGMA k = n - 1.
    """

    tree: Tree
    joins: np.ndarray

    def check(self, problem: TreeProblem) -> None:
        """AssertionError unless every taxon is a leaf once, every edge has a length, and the joins fit the tree."""
        tree = self.tree
        assert same_names(tree.taxa, problem.matrix.names), "the leaves are not the taxa"
        assert np.isfinite(tree.lengths[1:]).all(), "an edge has no length"
        if problem.negative == "zero":
            assert (tree.lengths[1:] >= 0).all(), "an edge has a negative length"
        assert len(np.unique(self.joins)) == self.joins.size, "a node is joined twice"
        made = problem.taxa + np.arange(len(self.joins))[:, None]
        assert (self.joins >= 0).all() and (self.joins < made).all(), "a node is joined before it is made"


def build(data: Sequences[DistanceMatrix], options: Mapping[str, Any]) -> TreeProblem:
    """The problem of one matrix; InputError or ParameterError where options do not fit it."""
    ONE_MATRIX.check(len(data))
    (matrix,) = data
    values = dict(resolve(OPTIONS, options))
    values["precision"] = values["precision"] or defaults(data)["precision"]
    if values["root"] == "outgroup":
        if values["outgroup"] not in matrix.names:
            what = f"{values['outgroup']!r} is no taxon of {matrix.name}" if values["outgroup"] else "root is outgroup"
            raise ParameterError(f"outgroup: {what}; name the taxon to be parted, such as {matrix.names[0]}")
    elif values["outgroup"]:
        raise ParameterError("outgroup: a taxon is named, but root is not outgroup; set root to outgroup")
    if values["precision"] == "single" and matrix.greatest > MOST_SINGLE:
        raise InputError(f"{matrix.name}: distances beyond {MOST_SINGLE:g} need double precision")
    if matrix.greatest > MOST_DOUBLE:
        raise InputError(f"{matrix.name}: distances beyond {MOST_DOUBLE:g} cannot be summed; scale them down")
    return TreeProblem(matrix, **values)


def defaults(data: Sequences[DistanceMatrix]) -> Mapping[str, Any]:
    """Double precision for matrices of some thousand taxa."""
    return {"precision": "double" if all(len(matrix) <= DOUBLE_TAXA for matrix in data) else "single"}


def option_values(problem: TreeProblem) -> Mapping[str, Any]:
    return {name: getattr(problem, name) for name in ("precision", "negative", "root", "outgroup")}


def settings(problem: TreeProblem) -> Rows:
    root = f"outgroup {problem.outgroup}" if problem.root == "outgroup" else problem.root
    return [("Precision", problem.precision), ("Negative lengths", problem.negative), ("Root", root)]


def json_fields(result: Result) -> dict[str, Any]:
    """Newick and joins; where the tree has a root, also weights, and steps of an alignment as in `order.spans`."""
    tree: Tree = result.answer.tree
    fields = {"taxa": result.problem.taxa, "newick": newick.newick(tree), "joins": result.answer.joins.tolist()}
    if len(tree) > 1 and tree.degrees[0] == 2:
        fields["weights"] = tree_weights.leaf_weights(tree).tolist()
        fields["weights_of"] = list(tree.taxa)
        fields["alignment_order"] = order.spans(tree).tolist()
    return fields


def rows(result: Result) -> Rows:
    """The answer for people."""
    tree = result.answer.tree
    lengths = tree.lengths[1:]
    told = [("Taxa", f"{result.problem.taxa:,}"), ("Joins", f"{len(result.answer.joins):,}")]
    if lengths.size:
        negative = int((lengths < 0).sum())
        told += [("Sum of lengths", f"{lengths.sum():.6g}"), ("Longest edge", f"{lengths.max():.6g}")]
        told += [("Negative edges", f"{negative:,}")] if negative else []
    return told


TREE_PROBLEM = ProblemType(
    id="tree",
    label="Tree of a distance matrix",
    inputs=(ONE_MATRIX,),
    options=OPTIONS,
    build=build,
    defaults=defaults,
    data=json_fields,
    rows=rows,
    answer=lambda result: result.answer.tree.summary,
    formats=tree_files.FORMATS,
    products=lambda result: [result.answer.tree],
    settings=settings,
    option_values=option_values,
    unit="pairs",
    placement=placement.JOINS,
    trials="antidiag.kernels.trees.trials:TREES",
)
