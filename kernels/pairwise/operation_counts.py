"""Fewest operations of a cell of two sequences, whatever the method, and the time that two-piece gap costs take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.scoring import Mode

LANES = {"cpu": 16, "cuda": 32}

LOCAL_OPERATIONS, OTHER_OPERATIONS = {"cpu": 11.0, "cuda": 5.5}, {"cpu": 9.0, "cuda": 5.5}
SECOND_PIECE_OPERATIONS = {"cpu": 8.0, "cuda": 4.0}
"""Fewest operations of a cell, by mode, and those of a second piece of gap costs. On a CPU: the additions, subtractions
and maxima of the recurrence in strips/cpu_tile_kernels.py, and one maximum for the best score. On a GPU: instructions
of the arithmetic pipe with Hopper's fused add-and-maximum, extraction of the letters' score included."""
TWO_PIECE_TIME, TWO_PIECE_PEROT_TIME = 1.4, 2.5
"""Time of a cell with two-piece gap costs, where it takes 1 with one piece (8 kb pairs, AVX-512: 1.3 to 1.5)."""


def count_least_operations(problem: PairProblem, backend: str) -> float:
    """Return the fewest operations of a cell in 32 bits."""
    operations = LOCAL_OPERATIONS if problem.mode is Mode.LOCAL else OTHER_OPERATIONS
    return operations[backend] + problem.scoring.has_two_pieces * SECOND_PIECE_OPERATIONS[backend]


def count_timed_work(
    problem: PairProblem, parameters: Any, count_work: Callable[[Any, Any], int], two_piece_time: float = TWO_PIECE_TIME
) -> int:
    """Return the work in a unit of which equal amounts take equal time: cells, more of them where gap costs have two
    pieces."""
    work = count_work(problem, parameters)
    return round(work * two_piece_time) if problem.scoring.has_two_pieces else work
