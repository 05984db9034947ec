"""Bytes and work of multiple alignments; nothing here computes one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.memory import Footprint
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.scoring import Scoring, named_matrix
from antidiag.kernels.steps import Logged, Share
from antidiag.kernels.trees.distances import sizes as distances
from antidiag.kernels.trees.distances.problem import FullProblem

GROWN = 1.5
"""Columns of an alignment, for each letter of the longest sequence, about."""
SYMBOLS = 21
COLUMN_BYTES = 8 * SYMBOLS * 2
"""Counts of a column, and what is made of them on the way to the next node."""
DEVICE_COLUMN_BYTES = 80
"""Factors and costs of a column on a device."""
QUEUE, QUEUES = 5 * 2**10, 5 * 2**18
"""Bytes on a device of what a launch is told, and of what memory is rounded to: of a taxon, and at most."""
ONE_STRIP = 512
"""Letters of the second longest sequence up to which no pair has borders between strips on a device."""
TOGETHER = 2**30
"""Bytes of the borders of the alignments that are on a device at a time, at most; of a cell an eighth of a byte."""


def footprint(problem: MsaProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Bytes of the stage that takes most."""
    lengths = problem.lengths
    taxa, letters, longest = lengths.size, int(lengths.sum()), int(lengths.max())
    host = (
        {"distances and tree": 2 * 8 * taxa**2, "letters": 16 * letters},
        {"profiles": COLUMN_BYTES * letters, "rows": int(GROWN * longest * taxa)},
    )
    device = (
        {"tree": 8 * (taxa + 1) * taxa},
        _of_distances(problem, parameters, backend),
        {"columns": DEVICE_COLUMN_BYTES * letters, "borders": min(taxa * longest**2 // 16, TOGETHER)},
    )
    return Footprint(
        _most(host), {**_most(device), "queues and tables": min(QUEUE * taxa, QUEUES)} if backend == "cuda" else {}
    )


def _most(stages: tuple[Mapping[str, int], ...]) -> Mapping[str, int]:
    return max(stages, key=lambda stage: sum(stage.values()))


def _of_distances(problem: MsaProblem, parameters: Mapping[str, Any], backend: str) -> Mapping[str, int]:
    """Bytes on a device of the distances of aligned pairs, where these are not given."""
    if backend != "cuda" or problem.tree is not None or problem.distances is not None:
        return {}
    pairs = FullProblem(problem.sequences, Scoring(named_matrix("BLOSUM62"), 0, 0))
    told = distances.footprint(pairs, parameters, backend).device
    if sorted(map(len, problem.sequences))[-2:][0] <= ONE_STRIP:
        return {name: count for name, count in told.items() if name != "borders of strips"}
    return told


def automatic(problem: MsaProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """A thread a core."""
    return {"threads": cores()}


def work(problem: MsaProblem, parameters: Mapping[str, Any]) -> int:
    """Cells of all pairs, where their distances are not given, and of all nodes, about."""
    given = problem.tree is not None or problem.distances is not None
    return max((0 if given else problem.cells) + _cells_of_nodes(problem), 1)


def logged(problem: MsaProblem, parameters: Mapping[str, Any], backend: str) -> Logged:
    """What the events of a run did: the tree is made of distances, not of cells."""
    return Logged((Share(("distances",), problem.cells), Share(("alignment",), _cells_of_nodes(problem)),
                   Share(total=0)), "cells of pairs and, about, of nodes")  # fmt: skip


def _cells_of_nodes(problem: MsaProblem) -> int:
    """Those of all nodes, about."""
    lengths = problem.lengths
    return int((lengths.size - 1) * (GROWN * lengths.max()) ** 2)
