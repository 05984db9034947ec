"""Bytes of a product, and its threads; nothing here computes one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernels.cpu import workers
from kernels.memory import Footprint
from kernels.parameters import typed
from kernels.products.problem import ProductProblem
from kernels.semiring.parameters import ThreadParameters
from kernels.semiring.sizes import padded


def footprint(problem: ProductProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Both factors in the problem's type where they have another, the product, and blocks of all three."""
    item, batch, (rows, depth, columns) = problem.dtype.itemsize, problem.batch, problem.sizes
    host = {
        "factors": sum(matrix.values.size * item for matrix in _converted(problem)),
        "product": batch * rows * columns * item,
    }
    of_one = item * (padded(rows) * padded(depth) + padded(depth) * padded(columns) + padded(rows) * padded(columns))
    if backend == "cpu":
        at_once = min(typed(ThreadParameters, parameters).threads, batch) if batch > 1 else 1
        return Footprint({**_some(host), "blocks": at_once * of_one})
    given = item * batch * (rows * depth + depth * columns)
    return Footprint(_some(host), {"matrices": given, "tiles": batch * of_one})


def automatic(problem: ProductProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """All cores for what is worth it."""
    return {"threads": workers.cores() if problem.cells > 1 << 21 else 1}


def _converted(problem: ProductProblem) -> list[Any]:
    return [matrix for matrix in problem.data if matrix.values.dtype != problem.dtype]


def _some(parts: Mapping[str, int]) -> dict[str, int]:
    return {purpose: count for purpose, count in parts.items() if count}
