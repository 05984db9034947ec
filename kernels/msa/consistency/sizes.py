"""Bytes and work of consistency-based alignment; nothing here computes one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernels.cpu.workers import cores
from kernels.memory import Footprint
from kernels.msa.problem import MsaProblem

LANES, COLUMNS = 16, 16
ENTRY_BYTES, POINTER_BYTES = 4, 4
ENTRIES = 4.0
"""Posteriors that are kept of a letter and another sequence, about."""
COPIES = 2.5
"""Old and new posteriors of both orders, and the new ones as they were found."""
GROWN = 1.5
"""Columns of an alignment, for each letter of the longest sequence, about."""
MODELS = 2


def footprint(problem: MsaProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Bytes of the posteriors, and of the stage that takes most beside them."""
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    n, letters, longest = lengths.size, int(lengths.sum()), int(lengths.max())
    threads = parameters.get("threads") or cores()
    shorter = int(np.sort(lengths)[-2]) if n > 1 else 0
    borders = MODELS * (-(-longest // COLUMNS) + 4) * 5 * 4 * (shorter + 1) * LANES if backend == "cpu" else 0
    merging = 9 * int(GROWN * longest) ** 2
    kept = int(COPIES * (n - 1) * letters * (ENTRIES * ENTRY_BYTES + POINTER_BYTES))
    return Footprint(
        host={"posteriors": kept, "stages": max(borders * min(threads, n), merging)},
        device={"posteriors": kept} if backend == "cuda" else {},
    )


def automatic(problem: MsaProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """A thread a core."""
    return {"threads": cores()}


def work(problem: MsaProblem, parameters: Mapping[str, Any]) -> int:
    """Cells of all pairs."""
    return problem.cells
