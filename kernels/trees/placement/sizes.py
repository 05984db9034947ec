"""Memory and work of placed trees: everything grows with the number of taxa, but for the matrix of the backbone."""

from __future__ import annotations

from typing import Any

from antidiag.kernels.memory import Footprint
from antidiag.kernels.trees.distances.sizes import COLUMN_BUFFERS, GROUP_ROWS, ROUNDED, ROW_STEP, WORD_COLUMNS
from antidiag.kernels.trees.parameters import PlacementParameters
from antidiag.kernels.trees.placement.problem import PlacedProblem, PlacedSequencesProblem
from antidiag.kernels.trees.sizes import LANES, WORKING_NUMBERS

TAXON_BYTES = 160
"""Bytes of a taxon: neighbours, edges, what is gained by their interchanges, marks, lengths, and the tree."""
NAME_BYTES = 250
"""Bytes of the two nodes that a taxon is in a tree, with their names."""
JUDGED_PAIRS = 25_000
"""Pairs of leaves that are compared for each taxon while neighbours are interchanged, about."""
CODES_AT_ONCE = 1024
"""Rows whose letters are copied at a time."""


def estimate_memory(problem: PlacedProblem, parameters: PlacementParameters, backend: str) -> Footprint:
    """Return the memory of packed letters, by groups and by rows, of the tree, and of the backbone's matrix."""
    taxa, columns, planes = problem.taxa, problem.columns, problem.planes
    rows = -(-taxa // GROUP_ROWS) * GROUP_ROWS
    packed = 4 * rows * -(-columns // WORD_COLUMNS) * planes
    by_rows = 8 * rows * -(-columns // (2 * WORD_COLUMNS)) * planes
    backbone = min(problem.backbone, taxa)
    matrix = 4 * backbone * -(-backbone // LANES) * LANES + WORKING_NUMBERS * 8 * backbone
    host = {
        "packed letters": packed + by_rows,
        "tree": (TAXON_BYTES + NAME_BYTES) * taxa,
        "backbone": matrix,
        "threads": parameters.threads * COLUMN_BUFFERS,
        "letters at a time": min(CODES_AT_ONCE, rows) * columns,
    }
    if isinstance(problem, PlacedSequencesProblem):
        host["sketches"] = taxa * columns + min(taxa, 4096) * 2 * int(problem.lengths.max(initial=1))
    if backend == "cpu":
        return Footprint(host)
    stride = -(-taxa // ROW_STEP) * ROW_STEP
    words = 4 * stride * -(-columns // WORD_COLUMNS) * planes
    device = {"packed letters": words + ROUNDED, "nearest": 12 * stride + ROUNDED}
    return Footprint({**host, "letters on their way": packed}, device)


def count_work(problem: PlacedProblem, parameters: Any) -> int:
    """Return the columns of all pairs, and of the pairs that decide which neighbours are interchanged."""
    return problem.cells + JUDGED_PAIRS * problem.taxa * problem.columns
