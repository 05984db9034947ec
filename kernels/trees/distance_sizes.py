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
        return Footprint(host, {"counts": 4 * matrix, "letters": LETTER_BYTES * sum(lengths)})
    return Footprint(host)


def automatic(problem: Any, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """A thread a core."""
    return {"threads": cores()}
