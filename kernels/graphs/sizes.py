"""Sizes of a run for shortest paths: products, cells and bytes, without importing a backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cuts import Tiles
from antidiag.kernels.graphs.kinds import Kind
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.memory import Footprint
from antidiag.kernels.semiring.sizes import BLOCK, device_tile, padded
from antidiag.kernels.steps import Logged, Share

NARROW = np.dtype(np.int16)
"""In which weights and distances travel that are whole numbers within it."""
NONE = 32767
"""What stands for infinity there."""

PANEL = 512
"""Rows that Floyd-Warshall on a device computes together where it computes while they arrive and leave."""
LEAST, MOST = 4 << 20, 129 << 20
"""Bytes of the distances, in whole tiles, for which that pays, and of pinned memory that is kept for it."""


def closing_products(n: int) -> int:
    """Squarings after which a matrix over n vertices changes no more: paths have n - 1 edges at most."""
    return max(0, n - 2).bit_length()


def narrow(problem: PathsProblem) -> bool:
    """Whether the weights travel to a device as NARROW, and distances that allow it come back so."""
    graph = problem.graph
    return not problem.lifts and graph.whole and graph.lightest >= -NONE and graph.heaviest < NONE


def overlaps(problem: PathsProblem, kind: Kind) -> bool:
    """Whether a run on a device computes while weights arrive and distances leave."""
    side = padded(problem.n, device_tile(problem.dtype.itemsize))
    return kind.blocks and not problem.predecessors and LEAST <= side**2 * problem.dtype.itemsize <= MOST


def _sides(problem: PathsProblem) -> tuple[int, int]:
    second = int(problem.sides.sum())
    return problem.n - second, second


def work(problem: PathsProblem, parameters: Mapping[str, Any], kind: Kind) -> int:
    """Additions and comparisons of numbers."""
    return cells_of_distances(problem, kind) + (problem.n**3 if problem.predecessors else 0)


def cells_of_distances(problem: PathsProblem, kind: Kind) -> int:
    """The same of the distances alone."""
    n = problem.n
    if kind.bipartite:
        n1, n2 = _sides(problem)
        return n1 * n1 * n2 + closing_products(n1) * n1**3 + 2 * n1 * n1 * n2 + n1 * n2 * n2
    return closing_products(n) * n**3 if kind.squares else n**3


def logged(problem: PathsProblem, parameters: Mapping[str, Any], backend: str, kind: Kind) -> Logged:
    """What the events of a run did; looking for negative cycles is no part of the work."""
    return Logged((Share(("distances",), cells_of_distances(problem, kind)), Share(("predecessors",), problem.n**3),
                   Share(total=0)))  # fmt: skip


def device_parts(problem: PathsProblem, kind: Kind) -> Mapping[str, int]:
    """Bytes of a run on a device, by purpose: those of the phase that needs most."""
    item, n = problem.dtype.itemsize, problem.n
    side, narrowed = padded(n, device_tile(item)), narrow(problem)
    square, codes = side**2 * item, n * n * (NARROW.itemsize if narrowed else item)
    in_place = side == n and not narrowed and not problem.predecessors
    phases = {"weights": square if in_place else codes + square}
    # Weights are kept for predecessors; else distances of 16 bits take their place.
    phases["distances"] = square + (codes if problem.predecessors or narrowed else 0)
    if kind.bipartite:
        n1, n2 = (padded(count, device_tile(item)) for count in _sides(problem))
        phases = {
            "weights": codes + item * (n * n + 2 * n1 * n2),
            "the blocks of two sides": item * (4 * n1 * n2 + 2 * n1 * n1 + n2 * n2),
            "distances and their blocks": item * (n * n + n1 * n1 + 2 * n1 * n2 + n2 * n2),
        }
    elif overlaps(problem, kind):
        phases = {"distances, factors and codes": 2 * square + (side**2 * NARROW.itemsize if narrowed else 0)}
    elif kind.squares:
        phases = {"weights": codes + square, "products": 2 * square + (codes if problem.predecessors else 0)}
    if problem.predecessors:
        unpadded = n * n * item if kind.bipartite and side != n else 0
        phases["predecessors"] = codes + unpadded + 3 * square + 4 * side**2
    most = max(phases, key=phases.__getitem__)
    return {most: phases[most]}


def host_parts(problem: PathsProblem, kind: Kind) -> Mapping[str, int]:
    """Bytes of a run on the CPU, by purpose: beside weights and distances, those of the phase that needs most.

    The weights of the graph, in float64, are there already.
    """
    item, n = problem.dtype.itemsize, problem.n
    square, known = padded(n) ** 2, problem.precision == "float64"
    phases = {"blocks": 0}
    if kind.bipartite:
        n1, n2 = map(padded, _sides(problem))
        blocks = 0 if kind.serial else n2 * (2 * n1 + n2)
        phases = {"the blocks of two sides": item * (2 * n * n + blocks)}
    elif kind.blocks or kind.squares:
        phases = {"blocks": item * square}
    if problem.predecessors:
        phases["predecessors"] = square * (3 * item + 4)
    most = max(phases, key=phases.__getitem__)
    found = {"weights": 0 if known else n * n * item, "distances": n * n * item, most: phases[most]}
    found |= lifted_parts(problem)
    return {purpose: count for purpose, count in found.items() if count}


def lifted_parts(problem: PathsProblem) -> Mapping[str, int]:
    """Bytes on the host of weights without negative edges; they are handed over in the problem's type."""
    copy = 0 if problem.precision == "float64" else problem.dtype.itemsize
    return {"weights without negative edges": problem.n**2 * (8 + copy) if problem.lifts else 0}


def host_bytes(problem: PathsProblem, kind: Kind) -> int:
    return sum(host_parts(problem, kind).values())


def footprint(problem: PathsProblem, parameters: Mapping[str, Any], backend: str, kind: Kind) -> Footprint:
    """Bytes on the host, and on the device where the run is there."""
    if backend == "cpu":
        return Footprint(host=host_parts(problem, kind))
    size, n = problem.dtype.itemsize, problem.n
    converted = problem.precision != "float64" and (problem.predecessors or problem.lifts)
    host = {"weights": n * n * size if converted else 0, "distances": n * n * size}
    host |= {purpose: count for purpose, count in lifted_parts(problem).items() if count}
    if problem.predecessors:
        host["predecessors"] = 4 * n * n
    return Footprint(host=host, device=device_parts(problem, kind))


def tiles(problem: PathsProblem, backend: str, kind: Kind) -> Tiles | None:
    """Of the matrix of distances; in a bipartite graph of those on the side whose matrix is squared."""
    if not (kind.blocks or kind.squares or kind.bipartite) or kind.serial:
        return None
    n, of = problem.n, f"distances between {problem.n:,} vertices"
    if kind.bipartite:
        n, _ = _sides(problem)
        of = f"distances between the {n:,} vertices of one side, whose matrix is squared"
    return Tiles(n, n, device_tile(problem.dtype.itemsize) if backend == "cuda" else BLOCK, of)


def automatic(problem: PathsProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """All cores for what is worth it."""
    return {"threads": workers.cores() if problem.n > 128 else 1}
