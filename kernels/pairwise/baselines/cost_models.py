"""Cost models of the baselines, from Li et al. 2012 (section III).

m is the shorter length (rows), n the longer one (columns), p the number of workers, c the lanes of a worker, s the side
of a block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import log2
from typing import Any

from antidiag.kernels.cost_estimate import count_all_cells
from antidiag.kernels.cost_models import ONE_OPERATION, CostModel, operations_model, traffic_model
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.operation_counts import LANES, count_least_operations
from antidiag.kernels.pairwise.parameters import AntidiagonalBlocks
from antidiag.kernels.parameters import MethodParameters

SECTION = "Li et al. 2012, section III"
SCORE_BYTES = 4
TOUCHED = 8
"""Values that a cell of Antidiagonal reads (H three times, E, F) and writes (H, E, F) in global memory."""
Value = Callable[[PairProblem, Any, str, int], float]


def _count_blocks(problem: PairProblem, parameters: AntidiagonalBlocks) -> tuple[int, int]:
    s = parameters.s
    return -(-problem.rows // s), -(-problem.columns // s)


def count_antidiagonals(problem: PairProblem, parameters: MethodParameters, backend: str, workers: int) -> float:
    """Return the number of launches, one for each antidiagonal."""
    return float(problem.rows + problem.columns - 1)


def antidiagonal_steps(problem: PairProblem, parameters: MethodParameters, backend: str, workers: int) -> float:
    """Return the steps of all antidiagonals: ceil(length / (p c)) each; the longest ones have m cells."""
    m, n, lanes = problem.rows, problem.columns, workers * LANES[backend]
    whole, rest = divmod(m - 1, lanes)
    shorter = lanes * whole * (whole + 1) / 2 + rest * (whole + 1)  # of lengths 1 to m - 1
    return 2 * shorter + (n - m + 1) * -(-m // lanes)


def count_block_antidiagonals(
    problem: PairProblem, parameters: AntidiagonalBlocks, backend: str, workers: int
) -> float:
    """Return the number of launches, one for each antidiagonal of blocks."""
    rows, columns = _count_blocks(problem, parameters)
    return float(rows + columns - 1)


def block_steps(problem: PairProblem, parameters: AntidiagonalBlocks, backend: str, workers: int) -> float:
    """Return the steps of all antidiagonals of blocks: rounds of p blocks with 2 s - 1 antidiagonals each."""
    rows, columns = _count_blocks(problem, parameters)
    low, high, s = min(rows, columns), max(rows, columns), parameters.s
    whole, rest = divmod(low - 1, workers)
    rounds = 2 * (workers * whole * (whole + 1) / 2 + rest * (whole + 1)) + (high - low + 1) * -(-low // workers)
    return rounds * (2 * s - 1) * -(-s // LANES[backend])


def scan_steps(problem: PairProblem, parameters: MethodParameters, backend: str, workers: int) -> float:
    """Return the steps of all rows: the cells of a lane, and the levels of the prefix maximum."""
    lanes = workers * LANES[backend]
    return problem.rows * (-(-problem.columns // lanes) + log2(max(min(problem.columns, lanes), 2)))


def stored_matrix_bytes(problem: PairProblem, parameters: MethodParameters) -> float:
    """Return the bytes of H, E and F of every cell, written once (section V.C)."""
    return 3.0 * SCORE_BYTES * problem.rows * problem.columns


def block_border_bytes(problem: PairProblem, parameters: AntidiagonalBlocks) -> float:
    """Return the bytes of the blocks' right and bottom borders, H and a gap value a cell, written and read."""
    rows, columns = _count_blocks(problem, parameters)
    return 4.0 * SCORE_BYTES * ((rows - 1) * problem.columns + (columns - 1) * problem.rows)


def published_traffic(problem: PairProblem, parameters: MethodParameters, backend: str, workers: int) -> float:
    """Return the bytes that all cells of Antidiagonal read and write, if no cache holds three antidiagonals."""
    return float(TOUCHED * SCORE_BYTES * problem.rows * problem.columns)


def _launches_model(value: Value, what: str) -> CostModel:
    return CostModel("launches", "Launches", "launches", f"One for each antidiagonal{what}.", SECTION, value)


def _steps_model(value: Value, description: str) -> CostModel:
    return CostModel("steps", "Steps", "steps", description, SECTION, value, grows_with_time=True)


def _operations_model() -> CostModel:
    made = operations_model(count_all_cells, ONE_OPERATION, SECTION, "those of all cells")
    value: Value = lambda problem, parameters, backend, workers: (  # noqa: E731
        problem.cells * count_least_operations(problem, backend)
    )
    return replace(made, value=value)


ANTIDIAGONAL = (
    _launches_model(count_antidiagonals, ""),
    _steps_model(antidiagonal_steps, "Steps of all antidiagonals, one after another."),
    CostModel(
        "published-traffic",
        "Traffic as published",
        "bytes",
        "Bytes that all cells read and write in global memory, without a cache.",
        SECTION,
        published_traffic,
    ),
    _operations_model(),
)
BLOCKED = (
    _launches_model(count_block_antidiagonals, " of blocks"),
    _steps_model(
        block_steps, "Steps of all antidiagonals of blocks, in rounds of as many blocks as there are workers."
    ),
    _operations_model(),
    traffic_model(stored_matrix_bytes, "Li et al. 2012, section V.C", "Bytes of H, E and F of every cell, written."),
)
ENHANCED = (
    *BLOCKED[:3],
    traffic_model(block_border_bytes, SECTION, "Bytes of the right and bottom borders of blocks, written and read."),
)
PEROT = (
    _steps_model(scan_steps, "Steps of all rows: cells of a lane, and levels of the prefix maximum."),
    _operations_model(),
)
