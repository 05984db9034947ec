"""The tree of an alignment in pieces: the tree itself, and replicates of the bootstrap, some in each piece."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.run_splitting import RunPiece
from antidiag.kernels.trees.alignment_trees.problem import AlignmentTreeAnswer, AlignmentTreeProblem
from antidiag.kernels.trees.alignment_trees.split_support import compute_support
from antidiag.kernels.trees.joining.tree_from_joins import make_joined_tree

TREE = "tree"


def list_replicates(problem: AlignmentTreeProblem, least: int) -> list[RunPiece]:
    """Return the piece of the tree, and pieces of replicates; the cost of a replicate is 1."""
    size = max(problem.bootstrap // max(least, 1), 1)
    firsts = range(0, problem.bootstrap, size)
    pieces = [(first, min(first + size, problem.bootstrap)) for first in firsts]
    return [
        RunPiece(TREE, {"first": 0, "last": 0}, size + 1.0),
        *(RunPiece("replicates", {"first": first, "last": last}, float(last - first)) for first, last in pieces),
    ]


def pack_joined_tree(joined: Iterable[np.ndarray], pairs_without: int) -> Mapping[str, Any]:
    """Return the value of the piece of the tree: what `make_joined_tree` takes."""
    joins, records, last_nodes, distances = joined
    return {
        "joins": joins,
        "records": records,
        "last_nodes": last_nodes,
        "distances": distances,
        "pairs_without": int(pairs_without),
    }


def join_replicates(problem: AlignmentTreeProblem, pieces: Iterable[tuple[RunPiece, Any]], monitor: Monitor) -> Outcome:
    """Return the tree with the support of all replicates, whose joins are int32 (replicates, joins, 2)."""
    found = list(pieces)
    tree = next(value for piece, value in found if piece.name == TREE)
    replicates = chain.from_iterable(value for piece, value in found if piece.name != TREE)
    names = compute_support(tree["joins"], problem.taxa, replicates) if problem.bootstrap else None
    joined = (tree["joins"], tree["records"], tree["last_nodes"], tree["distances"])
    answer = make_joined_tree(problem, *joined, inner_names=names)
    return Outcome(AlignmentTreeAnswer(answer.tree, answer.joins, tree["pairs_without"]), {})
