"""Memory, tiles and automatic parameters of a product, without importing a backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.cpu import workers
from antidiag.kernels.memory import Footprint
from antidiag.kernels.products.problem import ProductProblem
from antidiag.kernels.semiring.sizes import BLOCK, device_tile, round_to_blocks
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.table_cuts import TableTiles


def estimate_footprint(problem: ProductProblem, parameters: ThreadParameters, backend: str) -> Footprint:
    """Return the bytes of a run: factors that are converted, the product, and blocks of all three matrices."""
    item, batch, (rows, depth, columns) = problem.dtype.itemsize, problem.batch_size, problem.sizes
    host = {
        "factors": sum(matrix.values.size * item for matrix in _matrices_to_convert(problem)),
        "product": batch * rows * columns * item,
    }
    block = _tile_side(problem, backend)
    m, d, n = (round_to_blocks(length, block) for length in (rows, depth, columns))
    bytes_per_product = item * (m * d + d * n + m * n)
    if backend == "cpu":
        at_once = min(parameters.threads, batch) if batch > 1 else 1
        return Footprint({**_without_zeros(host), "blocks": at_once * bytes_per_product})
    # An unpadded factor is freed before the tiles of the product are allocated.
    return Footprint(_without_zeros(host), {"tiles": batch * bytes_per_product})


def find_tiles(problem: ProductProblem, backend: str) -> TableTiles:
    """Return the tiles of the product, or of each product of a batch."""
    rows, _, columns = problem.sizes
    each = f"{rows:,} x {columns:,}"
    of = f"the product of {each}" if problem.batch_size == 1 else f"each of {problem.batch_size:,} products of {each}"
    return TableTiles(rows, columns, _tile_side(problem, backend), of)


def _tile_side(problem: ProductProblem, backend: str) -> int:
    """Return the side of a tile; a small product has the tiles of the CPU on a GPU too."""
    rows, _, columns = problem.sizes
    large = max(rows, columns) > BLOCK
    return device_tile(problem.dtype.itemsize) if backend == "cuda" and large else BLOCK


def automatic_parameters(problem: ProductProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Return the automatic parameters: all cores, but one thread for a small product."""
    return {"threads": workers.count_processors() if problem.cells > 1 << 21 else 1}


def _matrices_to_convert(problem: ProductProblem) -> list[Any]:
    return [matrix for matrix in problem.data if matrix.values.dtype != problem.dtype]


def _without_zeros(parts: Mapping[str, int]) -> dict[str, int]:
    return {purpose: count for purpose, count in parts.items() if count}
