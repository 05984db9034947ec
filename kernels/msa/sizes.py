"""Bytes and work of multiple alignments; nothing here computes one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernels.cpu.workers import cores
from kernels.memory import Footprint
from kernels.msa.problem import MsaProblem

GROWN = 1.5
"""Columns of an alignment, for each letter of the longest sequence, about."""
SYMBOLS = 21
COLUMN_BYTES = 8 * SYMBOLS * 2
"""Counts of a column, and its frequencies."""


def footprint(problem: MsaProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Bytes of the stage that takes most."""
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    taxa, longest = lengths.size, int(lengths.max())
    stages = (
        {"distances and tree": 2 * 8 * taxa**2, "letters": 16 * int(lengths.sum())},
        {"profiles": COLUMN_BYTES * int(lengths.sum()), "rows": int(GROWN * longest * taxa)},
    )
    return Footprint(max(stages, key=lambda stage: sum(stage.values())))


def automatic(problem: MsaProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """A thread a core."""
    return {"threads": cores()}


def work(problem: MsaProblem, parameters: Mapping[str, Any]) -> int:
    """Cells of all pairs, where their distances are not given, and of all nodes, about."""
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    given = problem.tree is not None or problem.distances is not None
    nodes = int((lengths.size - 1) * (GROWN * lengths.max()) ** 2)
    return max((0 if given else problem.cells) + nodes, 1)
