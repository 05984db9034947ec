"""Memory and work of progressive alignments, estimated without running them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.memory import Footprint
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.profiles.sizes import estimate_one_of_many
from antidiag.kernels.scoring import Scoring, named_matrix
from antidiag.kernels.steps import LoggedWork, WorkShare
from antidiag.kernels.trees.distances import sizes as distances
from antidiag.kernels.trees.distances.problem import FullProblem
from antidiag.kernels.trees.parameters import PairParameters

GROWN = 1.5
"""Approximate columns of an alignment per letter of the longest sequence."""
NODE_SPREAD = 1.2
"""Approximate cells of a node over the square of the mean length."""
SYMBOLS = 21
COLUMN_BYTES = 8 * SYMBOLS * 2
"""Counts of a column, and their copies on the way to the next node."""
QUEUE, QUEUES = 2**10, 5 * 2**18
"""Device bytes of launch arguments and of rounding, for each taxon, and their maximum."""
LOWEST_NODES = 0.45
"""Approximate nodes of two sequences, of as many as there are taxa, which are aligned at a time; half at most."""
ONE_STRIP = 512
"""Maximum letters of the second longest sequence for which no pair has borders between strips on a device."""
TOGETHER = 2**30
"""Maximum bytes of the alignments on a device at a time, unless a single one takes more."""


def estimate_memory(problem: MsaProblem, parameters: MethodParameters, backend: str) -> Footprint:
    """Estimate the bytes of the stage that takes most."""
    lengths = problem.lengths
    taxa, letters, longest = lengths.size, int(lengths.sum()), int(lengths.max())
    host = (
        {"distances and tree": 2 * 8 * taxa**2, "letters": 16 * letters},
        {"profiles": COLUMN_BYTES * letters, "rows": int(GROWN * longest * taxa)},
    )
    device = (
        {"tree": 8 * (taxa + 1) * taxa},
        _distance_bytes(problem) if backend == "cuda" else {},
        {"nodes": _node_bytes(problem)},
    )
    return Footprint(
        _largest_stage(host),
        {**_largest_stage(device), "queues and tables": min(QUEUE * taxa, QUEUES)} if backend == "cuda" else {},
    )


def _largest_stage(stages: tuple[Mapping[str, int], ...]) -> Mapping[str, int]:
    """Return the stage of most bytes."""
    return max(stages, key=lambda stage: sum(stage.values()))


def _distance_bytes(problem: MsaProblem) -> Mapping[str, int]:
    """Estimate the device bytes of distances of aligned pairs, unless they are given."""
    if problem.tree is not None or problem.distances is not None:
        return {}
    pairs = FullProblem(problem.sequences, Scoring(named_matrix("BLOSUM62"), 0, 0))
    found = distances.distance_footprint(pairs, PairParameters(threads=1), "cuda").device
    if sorted(problem.lengths.tolist())[-2:][0] <= ONE_STRIP:
        return {name: count for name, count in found.items() if name != "borders of strips"}
    return found


def _node_bytes(problem: MsaProblem) -> int:
    """Estimate the device bytes of the nodes that are aligned at a time: all of two sequences, or the last one."""
    taxa, mean, columns = problem.lengths.size, int(problem.lengths.mean()), int(GROWN * problem.lengths.max())
    lowest = int(LOWEST_NODES * taxa) * estimate_one_of_many(SYMBOLS, mean, mean)
    return max(min(lowest, TOGETHER), estimate_one_of_many(SYMBOLS, columns, columns))


def count_cells(problem: MsaProblem, parameters: MethodParameters) -> int:
    """Count the cells of all pairs, unless distances are given, and estimate those of all nodes."""
    given = problem.tree is not None or problem.distances is not None
    return max((0 if given else problem.cells) + _count_node_cells(problem), 1)


def count_done_cells(problem: MsaProblem, parameters: MethodParameters, answer: MsaAnswer) -> int:
    """Count the cells of all pairs, unless distances are given, and those of all nodes of the guide tree."""
    given = problem.tree is not None or problem.distances is not None
    return max((0 if given else problem.cells) + count_merged_cells(answer), 1)


def count_merged_cells(answer: MsaAnswer) -> int:
    """Count the cells of all nodes: the columns of one child times those of the other, as the answer has them."""
    tree, alignment = answer.tree, answer.alignment
    if tree is None:
        return 0
    rows = {name: row for row, name in enumerate(alignment.names)}
    filled: dict[int, np.ndarray] = {}
    cells = 0
    for node in range(len(tree) - 1, -1, -1):
        own = filled.pop(node, None)
        if own is None:
            own = alignment.letters[rows[tree.names[node]]] != GAP
        above = int(tree.parents[node])
        if above in filled:
            cells += int(np.count_nonzero(own)) * int(np.count_nonzero(filled[above]))
            own = own | filled[above]
        if above >= 0:
            filled[above] = own
    return cells


def logged_work(problem: MsaProblem, parameters: MethodParameters, backend: str) -> LoggedWork:
    """Return the work of each stage; the tree is made of distances, not of cells."""
    return LoggedWork(
        (
            WorkShare(("distances",), problem.cells),
            WorkShare(("alignment",), _count_node_cells(problem)),
            WorkShare(total=0),
        ),
        "cells of pairs and, about, of nodes",
    )


def _count_node_cells(problem: MsaProblem) -> int:
    """Estimate the cells of all nodes."""
    lengths = problem.lengths
    return int(NODE_SPREAD * (lengths.size - 1) * float(lengths.mean()) ** 2)
