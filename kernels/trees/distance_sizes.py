"""Bytes of the methods for distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernels.memory import Footprint
from kernels.trees.distance_problem import AlignedProblem, FullProblem
from kernels.workers import cores

STATE_BYTES = 16 * 16
"""Bytes of a row of 16 pairs: H, F and their counts."""

LETTER_BYTES = 16
"""Bytes a letter: codes, words, and their places."""


BUSY_WARPS, LONE_WARPS = 24, 4
"""Warps a multiprocessor that align pairs of sequences: as many as fit, and few where pairs are long."""
MOST_WARPS = 8192
BORDER_ROOM = 1 << 30
"""Bytes that the borders between the strips of long pairs may take on a GPU."""


def border_warps(longest: int, itemsize: int) -> int:
    """Warps for which there is room to keep H and E of a row of the longest sequence; a whole number of blocks."""
    room = BORDER_ROOM // (2 * itemsize * max(longest, 1))
    return min(MOST_WARPS, max(4, room // 4 * 4))


def footprint(problem: Any, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Bytes of the matrix, of what is counted for each pair, of the letters and of the threads."""
    if isinstance(problem, AlignedProblem):
        rows, columns = problem.alignment.letters.shape
        return Footprint({"distances": 8 * rows * rows, "a row with all others": 6 * rows * columns})
    lengths = [len(sequence) for sequence in problem.sequences]
    matrix = len(lengths) ** 2
    host = {"distances": 16 * matrix, "counts": 8 * matrix, "letters": LETTER_BYTES * sum(lengths)}
    if backend == "cpu" and isinstance(problem, FullProblem):
        host["threads"] = parameters["threads"] * STATE_BYTES * max(lengths)
    if backend == "cuda":
        device = {"counts": 4 * matrix, "letters": LETTER_BYTES * sum(lengths)}
        if isinstance(problem, FullProblem):
            longest = max(lengths)
            device["borders of strips"] = 16 * longest * border_warps(longest, 8)
        return Footprint(host, device)
    return Footprint(host)


def automatic(problem: Any, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """A thread a core."""
    return {"threads": cores()}


def work(problem: Any, parameters: Mapping[str, Any]) -> int:
    """Cells of all pairs; at least 1, for one sequence has none."""
    return max(problem.cells, 1)
