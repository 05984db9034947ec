"""Cost models of profile methods (Hanif 2014, chapter 4): launches, products, and memory traffic.

m and n are the columns of the two profiles, k is the side of a block, p the number of workers.
"""

from __future__ import annotations

from typing import Any

from antidiag.kernels.cost_estimate import count_all_cells
from antidiag.kernels.cost_models import (
    ADD_AND_MAX,
    CostModel,
    operations_model,
    traffic_model,
    worker_share_model,
)
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.profiles.parameters import ProfileBlockParameters

SCORES = 3
"""Scores of a cell that go through memory: the pair and both gaps."""
NUMBER_BYTES = 4
CELL = {backend: SCORES * count for backend, count in ADD_AND_MAX.items()}


def _profile_lengths(problem: Any) -> tuple[int, int]:
    """Return the columns of both profiles."""
    first, second = problem.profiles
    return len(first), len(second)


def _count_blocks(problem: Any, parameters: MethodParameters) -> tuple[int, int]:
    """Return the number of blocks in both directions."""
    m, n = _profile_lengths(problem)
    k = getattr(parameters, "k", max(m, n))
    return -(-m // k), -(-n // k)


def count_block_launches(problem: Any, parameters: ProfileBlockParameters, backend: str, workers: int) -> float:
    """Count blocks of k x k cells."""
    rows, columns = _count_blocks(problem, parameters)
    return float(rows * columns)


def count_product_launches(problem: Any, parameters: MethodParameters, backend: str, workers: int) -> float:
    """Count products of k rows by all columns."""
    return float(_count_blocks(problem, parameters)[0])


def count_wave_rounds(problem: Any, parameters: ProfileBlockParameters, backend: str, workers: int) -> float:
    """Count the cells of a worker, one after another: antidiagonals of blocks in rounds of p blocks of k^2 cells."""
    rows, columns = _count_blocks(problem, parameters)
    low, high = min(rows, columns), max(rows, columns)
    whole, rest = divmod(low - 1, workers)
    rounds = 2 * (workers * whole * (whole + 1) / 2 + rest * (whole + 1)) + (high - low + 1) * -(-low // workers)
    m, n = _profile_lengths(problem)
    return rounds * (m / rows) * (n / columns)


def count_score_bytes(problem: Any, parameters: MethodParameters) -> float:
    """Count the bytes of the three score matrices, written and read."""
    return 2.0 * SCORES * NUMBER_BYTES * problem.cells


def count_border_bytes(problem: Any, parameters: ProfileBlockParameters) -> float:
    """Count the bytes of block borders, written and read."""
    (rows, columns), (m, n) = _count_blocks(problem, parameters), _profile_lengths(problem)
    return 2.0 * NUMBER_BYTES * ((rows - 1) * n + (columns - 1) * m)


def _common_models(section: str) -> tuple[CostModel, ...]:
    """Return the models that all methods of a section share."""
    note = "three sums and their maximum for every cell; what its column score takes is not counted"
    return operations_model(count_all_cells, CELL, f"Hanif 2014, {section}", note), worker_share_model(
        count_all_cells, f"Hanif 2014, {section}", "All cells"
    )


ALL = _common_models("section 4.2")
BLOCKS = (
    CostModel(
        "launches",
        "Blocks",
        "blocks",
        "Blocks of k x k cells, each a launch.",
        "Hanif 2014, algorithm 4.1",
        count_block_launches,
    ),
    *_common_models("algorithm 4.1"),
    traffic_model(
        count_score_bytes, "Hanif 2014, algorithm 4.1", "Bytes of the scores of all cells, written and read."
    ),
)
PRODUCTS = (
    CostModel(
        "launches",
        "Products",
        "products",
        "Products of k rows by all columns.",
        "Hanif 2014, algorithm 4.2",
        count_product_launches,
    ),
    *_common_models("algorithm 4.2"),
    traffic_model(
        lambda problem, parameters: 2.0 * NUMBER_BYTES * problem.cells,
        "Hanif 2014, algorithm 4.2",
        "Bytes of the scores of all cells, written and read.",
    ),
)
WAVES = (
    CostModel(
        "rounds",
        "Cells of a worker, in rounds",
        "steps",
        "Antidiagonals of blocks one after another, in rounds of as many blocks as there are workers.",
        "Hanif 2014, section 4.2.2",
        count_wave_rounds,
        grows_with_time=True,
    ),
    *_common_models("section 4.2.2"),
    traffic_model(count_border_bytes, "Hanif 2014, section 4.2.2", "Bytes of the borders of blocks, written and read."),
)
