"""Memory and work of the tree methods, and the sizes of their blocks; nothing here computes a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.memory import Footprint
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.steps import LoggedWork, WorkShare
from antidiag.kernels.trees.parameters import CellBlockParameters, PrunedParameters
from antidiag.kernels.trees.problem import TreeProblem

LANES = 16
SHORTEST_EPOCH = 16
WORKING_NUMBERS = 16
"""Numbers of 8 bytes per taxon that any of the methods keeps in addition to its matrix."""


def folded_rows(taxa: int) -> int:
    """Return the rows of the folded matrix, MidPoint + 1 (Liu, Schmidt and Maskell 2009, section 4.3)."""
    return (taxa + 1) // 2 + 1


def epoch_length(clusters: int, epoch: int) -> int:
    """Return the joins between two passes over the matrix: one in ``epoch`` of the clusters."""
    return max(SHORTEST_EPOCH, clusters // epoch)


def full_work(problem: TreeProblem, parameters: MethodParameters) -> int:
    """Return the pairs that are compared; at least 1, for one taxon has none."""
    return max(problem.cells, 1)


def pruned_work(problem: TreeProblem, parameters: PrunedParameters) -> int:
    """Return the pairs that are read, about: the passes, and some rows per join."""
    return 10 * problem.taxa**2


def pruned_logged(problem: TreeProblem, parameters: PrunedParameters, backend: str) -> LoggedWork:
    """Return what the events of a run did: on a CPU the ranges that are read; a GPU logs the joins only."""
    if backend == "cuda":
        return LoggedWork((WorkShare(total=problem.cells),), "pairs of all joins, most of which are not read")
    return LoggedWork((WorkShare(),), "distances read")


def square_footprint(problem: TreeProblem, parameters: MethodParameters, backend: str) -> Footprint:
    """Return the memory with a square matrix: on the CPU rows of whole vectors, on the GPU one extra row."""
    if backend == "cuda":
        return _matrix_footprint(problem, backend, problem.taxa + 1, problem.taxa)
    return _matrix_footprint(problem, backend, problem.taxa, -(-problem.taxa // LANES) * LANES)


def basic_footprint(problem: TreeProblem, parameters: CellBlockParameters, backend: str) -> Footprint:
    """Return the memory of NJ-basic, whose places are numbered from 1."""
    found = _matrix_footprint(problem, backend, problem.taxa + 1, problem.taxa + 1, folding=True)
    return _add_host_joining(found, problem, parameters, backend)


def compact_footprint(problem: TreeProblem, parameters: CellBlockParameters, backend: str) -> Footprint:
    """Return the memory of NJ-compact, which has half the rows."""
    found = _matrix_footprint(problem, backend, folded_rows(problem.taxa), problem.taxa + 1, folding=True)
    return _add_host_joining(found, problem, parameters, backend)


def count_cell_blocks(taxa: int, side: int) -> int:
    """Return the cell blocks of the triangle of all pairs (Liu, Schmidt and Maskell 2009, equation 3)."""
    blocks = -(-taxa // side)
    return blocks * (blocks + 1) // 2


def _add_host_joining(
    found: Footprint, problem: TreeProblem, parameters: CellBlockParameters, backend: str
) -> Footprint:
    """Add what the published mapping needs: the matrix on the host, and what each cell block found."""
    if backend == "cpu" or not parameters.is_published:
        return found
    pairs = PAIR_BYTES * count_cell_blocks(problem.taxa, parameters.side)
    host = {"matrix": problem.dtype.itemsize * problem.taxa**2, "pairs of blocks": 3 * pairs}
    return Footprint({**found.host, **host}, {**found.device, "pairs of blocks": pairs})


def _matrix_footprint(problem: TreeProblem, backend: str, rows: int, columns: int, folding: bool = False) -> Footprint:
    """Return the memory with such a matrix; ``folding``: it is filled from blocks of rows."""
    size = np.dtype(problem.dtype).itemsize
    parts = {"matrix": rows * columns * size, "sums and joins": WORKING_NUMBERS * 8 * problem.taxa + DEVICE_NUMBERS}
    if backend == "cpu":
        at_once = {"rows on their way": min(CELLS_AT_ONCE, problem.taxa**2) * size} if folding else {}
        return Footprint({**parts, **at_once})
    blocks = {"matrix in blocks": min(STAGING, size * (problem.taxa + 1) ** 2)}
    return Footprint({"joins": parts["sums and joins"]}, {**parts, **(blocks if folding else {})})


PAIR_BYTES = 16
"""Bytes of the best pair that a cell block found (SlotPair in joins_published.cu)."""
CELLS_AT_ONCE = 1 << 18
"""Cells of the rows that are copied at a time."""
DEVICE_NUMBERS = 1 << 18
"""Bytes of what each block of a GPU finds, and of rounding its memory."""

STAGING = 64 << 20
"""Bytes of the matrix that are staged on a device at a time."""


def team_automatic(problem: TreeProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Choose threads for every join, where it has enough pairs that they need not wait for each other."""
    return {"threads": count_processors() if problem.taxa >= TEAM_TAXA else 1}


TEAM_TAXA = 256
"""Taxa from which threads compare the pairs of a join together."""
