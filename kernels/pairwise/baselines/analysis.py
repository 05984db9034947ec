"""What 001 (section III) says of the methods that it compares with, as models.

m is the shorter length (rows), n the longer one (columns), p the workers, c the lanes of a worker, s the side of a
block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import log2

from antidiag.kernels.analysis import ONE, Model, Parameters, operations, traffic
from antidiag.kernels.pairwise.baselines import sizes
from antidiag.kernels.pairwise.least import LANES, LEAST_OPERATIONS
from antidiag.kernels.pairwise.model import PairProblem

SECTION = "001, section III"
SCORE_BYTES = 4
TOUCHED = 8
"""Values that a cell of Antidiagonal reads and writes in global memory: H three times, E and F once, and its own."""
Value = Callable[[PairProblem, Parameters, str, int], float]


def _blocks(problem: PairProblem, parameters: Parameters) -> tuple[int, int]:
    s = int(parameters["s"])
    return -(-problem.rows // s), -(-problem.columns // s)


def antidiagonals(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """Launches, one an antidiagonal."""
    return float(problem.rows + problem.columns - 1)


def antidiagonal_steps(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """Steps of all antidiagonals: each takes ceil(length / (p c)), and the longest ones have m cells."""
    m, n, lanes = problem.rows, problem.columns, workers * LANES[backend]
    whole, rest = divmod(m - 1, lanes)
    shorter = lanes * whole * (whole + 1) / 2 + rest * (whole + 1)  # of lengths 1 to m - 1
    return 2 * shorter + (n - m + 1) * -(-m // lanes)


def block_antidiagonals(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """Launches, one an antidiagonal of blocks."""
    rows, columns = _blocks(problem, parameters)
    return float(rows + columns - 1)


def block_steps(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """Steps of all antidiagonals of blocks: rounds of p blocks, of 2 s - 1 antidiagonals of up to s cells each."""
    rows, columns = _blocks(problem, parameters)
    low, high, s = min(rows, columns), max(rows, columns), int(parameters["s"])
    whole, rest = divmod(low - 1, workers)
    rounds = 2 * (workers * whole * (whole + 1) / 2 + rest * (whole + 1)) + (high - low + 1) * -(-low // workers)
    return rounds * (2 * s - 1) * -(-s // LANES[backend])


def scan_steps(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """Steps of all rows: the cells of a lane, and the levels of the prefix maximum."""
    lanes = workers * LANES[backend]
    return problem.rows * (-(-problem.columns // lanes) + log2(max(min(problem.columns, lanes), 2)))


def all_values(problem: PairProblem, parameters: Parameters) -> float:
    """H, E and F of every cell, written (section V.C)."""
    return 3.0 * SCORE_BYTES * problem.rows * problem.columns


def border_values(problem: PairProblem, parameters: Parameters) -> float:
    """The right and bottom borders of blocks, H and a gap value of each cell, written and read."""
    rows, columns = _blocks(problem, parameters)
    return 4.0 * SCORE_BYTES * ((rows - 1) * problem.columns + (columns - 1) * problem.rows)


def published_traffic(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """What every cell of Antidiagonal reads and writes; a cache that holds three antidiagonals takes it."""
    return float(TOUCHED * SCORE_BYTES * problem.rows * problem.columns)


def _launches(value: Value, what: str) -> Model:
    return Model("launches", "Launches", "launches", f"One for each antidiagonal{what}.", SECTION, value)


def _steps(value: Value, told: str) -> Model:
    return Model("steps", "Steps", "steps", told, SECTION, value, grows_with_time=True)


def _operations() -> Model:
    made = operations(sizes.work, ONE, SECTION, "those of all cells")
    value: Value = lambda problem, parameters, backend, workers: (  # noqa: E731
        problem.cells * LEAST_OPERATIONS[backend][problem.mode]
    )
    return replace(made, value=value)


ANTIDIAGONAL = (
    _launches(antidiagonals, ""),
    _steps(antidiagonal_steps, "Steps of all antidiagonals, one after another."),
    Model("published-traffic", "Traffic as published", "bytes",
          "What every cell reads and writes in global memory, where no cache holds it.", SECTION, published_traffic),
    _operations(),
)  # fmt: skip
BLOCKED = (
    _launches(block_antidiagonals, " of blocks"),
    _steps(block_steps, "Steps of all antidiagonals of blocks, in rounds of as many blocks as there are workers."),
    _operations(),
    traffic(all_values, "001, section V.C", "Bytes of H, E and F of every cell, written."),
)
ENHANCED = (
    *BLOCKED[:3],
    traffic(border_values, SECTION, "Bytes of the right and bottom borders of blocks, written and read."),
)
PEROT = (_steps(scan_steps, "Steps of all rows: cells of a lane, and levels of the prefix maximum."), _operations())
