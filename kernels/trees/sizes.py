"""Bytes and work of the methods for trees, and the sizes of their pieces; nothing here computes a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.memory import Footprint
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Logged, Share
from antidiag.kernels.trees.parameters import BlockParameters
from antidiag.kernels.trees.problem import TreeProblem

Parameters = Mapping[str, Any]

LANES = 16
SHORTEST_EPOCH = 16
WORKING_NUMBERS = 16
"""Numbers of 8 bytes a taxon that any of the methods keeps beside its matrix."""


def block_side(parameters: Parameters) -> int:
    """Rows and columns of a cell block."""
    return typed(BlockParameters, parameters).side


def folded_rows(taxa: int) -> int:
    """Rows of the folded matrix, MidPoint + 1 (004, section 4.3), that no method needs to hold more than once."""
    return (taxa + 1) // 2 + 1


def epoch_length(clusters: int, epoch: int) -> int:
    """Joins between two passes over the matrix: one in ``epoch`` of the clusters."""
    return max(SHORTEST_EPOCH, clusters // epoch)


def full_work(problem: TreeProblem, parameters: Parameters) -> int:
    """Pairs that are compared; at least 1, for one taxon has none."""
    return max(problem.cells, 1)


def pruned_work(problem: TreeProblem, parameters: Parameters) -> int:
    """Pairs that are read, about: the passes, and some rows a join."""
    return 10 * problem.taxa**2


def pruned_logged(problem: TreeProblem, parameters: Parameters, backend: str) -> Logged:
    """What the events of a run did: on a CPU the ranges are what is read; a GPU tells of the joins alone."""
    if backend == "cuda":
        return Logged((Share(total=problem.cells),), "pairs of all joins, most of which are not read")
    return Logged((Share(),), "distances read")


def square_footprint(problem: TreeProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes where the matrix is square: on the CPU with rows of whole vectors, on the GPU with a row to spare."""
    if backend == "cuda":
        return _footprint(problem, backend, problem.taxa + 1, problem.taxa)
    return _footprint(problem, backend, problem.taxa, -(-problem.taxa // LANES) * LANES)


def basic_footprint(problem: TreeProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes of NJ-basic: places are numbered from 1."""
    return _footprint(problem, backend, problem.taxa + 1, problem.taxa + 1, folding=True)


def compact_footprint(problem: TreeProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes of NJ-compact: half the rows."""
    return _footprint(problem, backend, folded_rows(problem.taxa), problem.taxa + 1, folding=True)


def _footprint(problem: TreeProblem, backend: str, rows: int, columns: int, folding: bool = False) -> Footprint:
    """``folding``: the matrix comes in blocks of rows, whose cells are then put where they belong."""
    size = np.dtype(problem.dtype).itemsize
    parts = {"matrix": rows * columns * size, "sums and joins": WORKING_NUMBERS * 8 * problem.taxa + DEVICE_NUMBERS}
    if backend == "cpu":
        at_once = {"rows on their way": min(CELLS_AT_ONCE, problem.taxa**2) * size} if folding else {}
        return Footprint({**parts, **at_once})
    blocks = {"matrix in blocks": min(STAGING, size * (problem.taxa + 1) ** 2)}
    return Footprint({"joins": parts["sums and joins"]}, {**parts, **(blocks if folding else {})})


CELLS_AT_ONCE = 1 << 18
"""Cells of the rows that are brought together at a time."""
DEVICE_NUMBERS = 1 << 18
"""Bytes of what each block of a GPU finds, and of what its memory is rounded to."""

STAGING = 64 << 20
"""Bytes of the matrix that are on a device at a time, before its cells are put where they belong."""


def no_choice(problem: TreeProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    return {}


def pruned_automatic(problem: TreeProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Threads for the passes."""
    return {"threads": cores()}


def team_automatic(problem: TreeProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Threads for every join, where there is so much to compare that they do not wait for each other."""
    return {"threads": cores() if problem.taxa >= TEAM_TAXA else 1}


TEAM_TAXA = 256
"""Taxa from which threads compare the pairs of a join together."""
