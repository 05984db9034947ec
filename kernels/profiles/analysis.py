"""What 003 (chapter 4) says of the methods for profiles, as models: launches, products, and what goes through memory.

m and n are the columns of the two profiles, k the side of a block, p the workers.
"""

from __future__ import annotations

from typing import Any

from antidiag.kernels.analysis import ADD_AND_MAX, Model, Parameters, of_a_worker, operations, traffic

SCORES = 3
"""Scores of a cell that go through memory: of the diagonal and of both gaps."""
NUMBER_BYTES = 4
CELL = {backend: SCORES * count for backend, count in ADD_AND_MAX.items()}


def _size(problem: Any) -> tuple[int, int]:
    first, second = problem.profiles
    return len(first), len(second)


def _cells(problem: Any, parameters: Parameters) -> float:
    return float(problem.cells)


def _blocks(problem: Any, parameters: Parameters) -> tuple[int, int]:
    m, n = _size(problem)
    k = int(parameters.get("k") or max(m, n))
    return -(-m // k), -(-n // k)


def block_launches(problem: Any, parameters: Parameters, backend: str, workers: int) -> float:
    """Blocks of k x k cells."""
    rows, columns = _blocks(problem, parameters)
    return float(rows * columns)


def product_launches(problem: Any, parameters: Parameters, backend: str, workers: int) -> float:
    """Products of k rows by all columns."""
    return float(_blocks(problem, parameters)[0])


def wave_rounds(problem: Any, parameters: Parameters, backend: str, workers: int) -> float:
    """Cells that a worker computes one after another: antidiagonals of blocks, in rounds of p blocks of k^2 cells."""
    rows, columns = _blocks(problem, parameters)
    low, high = min(rows, columns), max(rows, columns)
    whole, rest = divmod(low - 1, workers)
    rounds = 2 * (workers * whole * (whole + 1) / 2 + rest * (whole + 1)) + (high - low + 1) * -(-low // workers)
    m, n = _size(problem)
    return rounds * (m / rows) * (n / columns)


def score_bytes(problem: Any, parameters: Parameters) -> float:
    """The matrices of the three scores, written and read."""
    return 2.0 * SCORES * NUMBER_BYTES * problem.cells


def border_bytes(problem: Any, parameters: Parameters) -> float:
    """Borders of blocks, written and read."""
    (rows, columns), (m, n) = _blocks(problem, parameters), _size(problem)
    return 2.0 * NUMBER_BYTES * ((rows - 1) * n + (columns - 1) * m)


def _of(section: str) -> tuple[Model, ...]:
    told = "three sums and their maximum for every cell; what its column score takes is not counted"
    return operations(_cells, CELL, f"003, {section}", told), of_a_worker(_cells, f"003, {section}", "All cells")


ALL = _of("section 4.2")
BLOCKS = (
    Model(
        "launches", "Blocks", "blocks", "Blocks of k x k cells, each a launch.", "003, algorithm 4.1", block_launches
    ),
    *_of("algorithm 4.1"),
    traffic(score_bytes, "003, algorithm 4.1", "Bytes of the scores of all cells, written and read."),
)
PRODUCTS = (
    Model("launches", "Products", "products", "Products of k rows by all columns.", "003, algorithm 4.2",
          product_launches),
    *_of("algorithm 4.2"),
    traffic(lambda problem, parameters: 2.0 * NUMBER_BYTES * problem.cells, "003, algorithm 4.2",
            "Bytes of the scores of all cells, written and read."),
)  # fmt: skip
WAVES = (
    Model("rounds", "Cells of a worker, in rounds", "steps",
          "Antidiagonals of blocks one after another, in rounds of as many blocks as there are workers.",
          "003, section 4.2.2", wave_rounds, grows_with_time=True),
    *_of("section 4.2.2"),
    traffic(border_bytes, "003, section 4.2.2", "Bytes of the borders of blocks, written and read."),
)  # fmt: skip
