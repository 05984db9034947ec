"""Bytes of a product, and its threads; nothing here computes one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.cpu import workers
from antidiag.kernels.cuts import Tiles
from antidiag.kernels.memory import Footprint
from antidiag.kernels.parameters import typed
from antidiag.kernels.products.problem import ProductProblem
from antidiag.kernels.semiring.parameters import ThreadParameters
from antidiag.kernels.semiring.sizes import BLOCK, device_tile, padded


def footprint(problem: ProductProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Both factors in the problem's type where they have another, the product, and blocks of all three."""
    item, batch, (rows, depth, columns) = problem.dtype.itemsize, problem.batch, problem.sizes
    host = {
        "factors": sum(matrix.values.size * item for matrix in _converted(problem)),
        "product": batch * rows * columns * item,
    }
    block = _side(problem, backend)
    m, d, n = (padded(length, block) for length in (rows, depth, columns))
    of_one = item * (m * d + d * n + m * n)
    if backend == "cpu":
        at_once = min(typed(ThreadParameters, parameters).threads, batch) if batch > 1 else 1
        return Footprint({**_some(host), "blocks": at_once * of_one})
    # A factor that is given is there beside its tiles, before those of the product are.
    return Footprint(_some(host), {"tiles": batch * of_one})


def tiles(problem: ProductProblem, backend: str) -> Tiles:
    """The product, or each of a batch."""
    rows, _, columns = problem.sizes
    each = f"{rows:,} x {columns:,}"
    of = f"the product of {each}" if problem.batch == 1 else f"each of {problem.batch:,} products of {each}"
    return Tiles(rows, columns, _side(problem, backend), of)


def _side(problem: ProductProblem, backend: str) -> int:
    """Rows and columns of a tile; a small product has those of a CPU everywhere."""
    rows, _, columns = problem.sizes
    large = max(rows, columns) > BLOCK
    return device_tile(problem.dtype.itemsize) if backend == "cuda" and large else BLOCK


def automatic(problem: ProductProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """All cores for what is worth it."""
    return {"threads": workers.cores() if problem.cells > 1 << 21 else 1}


def _converted(problem: ProductProblem) -> list[Any]:
    return [matrix for matrix in problem.data if matrix.values.dtype != problem.dtype]


def _some(parts: Mapping[str, int]) -> dict[str, int]:
    return {purpose: count for purpose, count in parts.items() if count}
