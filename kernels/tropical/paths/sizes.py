"""Sizes of a run for shortest paths: products, cells and bytes, without importing a backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernels import workers
from kernels.memory import Footprint
from kernels.tropical.algebra.layout import padded
from kernels.tropical.paths.problem import PathsProblem


def closing_products(n: int) -> int:
    """Squarings after which a matrix over n vertices changes no more: paths have n - 1 edges at most."""
    return max(0, n - 2).bit_length()


def _sides(problem: PathsProblem) -> tuple[int, int]:
    second = int(problem.sides.sum())
    return problem.n - second, second


def work(problem: PathsProblem, method: str) -> int:
    """Additions and comparisons of numbers."""
    n = problem.n
    if method.startswith("bipartite"):
        n1, n2 = _sides(problem)
        cells = n1 * n1 * n2 + closing_products(n1) * n1**3 + 2 * n1 * n1 * n2 + n1 * n2 * n2
    elif method in ("floyd-smem", "floyd-tmem"):
        cells = closing_products(n) * n**3
    else:
        cells = n**3
    return cells + (n**3 if problem.predecessors else 0)


def parts(problem: PathsProblem, method: str) -> Mapping[str, int]:
    """Bytes of a run, by purpose, in the memory where it computes."""
    item, n = problem.dtype.itemsize, problem.n
    square = padded(n) ** 2 * item
    found = {"weights": n * n * item, "distances": n * n * item}
    if method.startswith("bipartite"):
        n1, n2 = map(padded, _sides(problem))
        found |= {"the blocks of two sides": 3 * item * (n1 * n1 + n2 * n2 + n1 * n2)}
    elif method in ("floyd-smem", "floyd-tmem"):
        found |= {"products": 3 * square}
    elif method == "floyd-blocked":
        found |= {"blocks": square}
    if problem.predecessors:
        found |= {"predecessors": 3 * square + 2 * padded(n) ** 2 * 4}
    return found


def host_bytes(problem: PathsProblem, method: str) -> int:
    return sum(parts(problem, method).values())


def footprint(problem: PathsProblem, method: str, backend: str) -> Footprint:
    """Bytes on the host, and on the device where the run is there; the weights of the graph are there already."""
    if backend == "cpu":
        return Footprint(host=parts(problem, method))
    size, n = problem.dtype.itemsize, problem.n
    host = {"weights": n * n * size, "distances": n * n * size}
    if problem.predecessors:
        host["predecessors"] = n * n * 4
    return Footprint(host=host, device=parts(problem, method))


def automatic(problem: PathsProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """All cores for what is worth it."""
    return {"threads": workers.cores() if problem.n > 128 else 1}
