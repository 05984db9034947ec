"""Work, memory and tiles of a run for shortest paths, without importing a backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.cpu import workers
from antidiag.kernels.graphs import algorithms
from antidiag.kernels.graphs.algorithms import PathAlgorithm, device_square
from antidiag.kernels.graphs.problem import PathsAnswer, PathsProblem
from antidiag.kernels.memory import Footprint
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.semiring.sizes import BLOCK, device_tile, round_to_blocks
from antidiag.kernels.steps import LoggedWork, WorkShare
from antidiag.kernels.table_cuts import TableTiles

SMALL_GRAPH = 128
"""Vertices up to which one thread is as fast as several."""


def count_cells(problem: PathsProblem, parameters: MethodParameters, algorithm: PathAlgorithm) -> int:
    """Return the additions and comparisons of a run."""
    return algorithm.cells(problem) + (problem.n**3 if problem.predecessors else 0)


def count_completed_cells(
    problem: PathsProblem, parameters: MethodParameters, answer: PathsAnswer, algorithm: PathAlgorithm
) -> int:
    """Return the additions and comparisons that a run did: none where a negative cycle ended it."""
    return 0 if answer.cycle else count_cells(problem, parameters, algorithm)


def logged_cells(
    problem: PathsProblem, parameters: MethodParameters, backend: str, algorithm: PathAlgorithm
) -> LoggedWork:
    """Return the cells of each phase of the log; the search for negative cycles counts as none."""
    return LoggedWork(
        (
            WorkShare(("distances",), algorithm.cells(problem)),
            WorkShare(("predecessors",), problem.n**3),
            WorkShare(total=0),
        )
    )


def device_parts(problem: PathsProblem, algorithm: PathAlgorithm) -> Mapping[str, int]:
    """Return the bytes of a run on a GPU in the phase that needs most, by purpose."""
    square = device_square(problem)
    edges = square if problem.predecessors else 0
    distances = edges + square + algorithm.device_bytes(problem)
    predecessors = 3 * square + 4 * square // problem.dtype.itemsize if problem.predecessors else 0
    if predecessors > distances:
        return {"predecessors": predecessors}
    return {f"distances and {algorithm.purpose}" if algorithm.device_bytes(problem) else "distances": distances}


def host_parts(problem: PathsProblem, algorithm: PathAlgorithm) -> Mapping[str, int]:
    """Return the bytes of a run on the CPU, by purpose: beside weights and distances, those of the largest phase.

    The weights of the graph, in float64, are in memory already.
    """
    item, n = problem.dtype.itemsize, problem.n
    parts = {"weights": 0 if problem.precision == "float64" else n * n * item, "distances": n * n * item}
    blocks = algorithm.host_bytes(problem)
    predecessors = round_to_blocks(n) ** 2 * (3 * item + 4) if problem.predecessors else 0
    parts |= {"predecessors": predecessors} if predecessors > blocks else {algorithm.purpose: blocks}
    parts |= lifted_parts(problem)
    return {purpose: count for purpose, count in parts.items() if count}


def lifted_parts(problem: PathsProblem) -> Mapping[str, int]:
    """Return the host's bytes of weights without negative edges, in float64 and in the problem's type."""
    copy = 0 if problem.precision == "float64" else problem.dtype.itemsize
    return {"weights without negative edges": problem.n**2 * (8 + copy) if problem.needs_lifting else 0}


def host_bytes(problem: PathsProblem, algorithm: PathAlgorithm) -> int:
    """Return the bytes of a run on the CPU."""
    return sum(host_parts(problem, algorithm).values())


def estimate_footprint(
    problem: PathsProblem, parameters: MethodParameters, backend: str, algorithm: PathAlgorithm
) -> Footprint:
    """Return the bytes of a run on the host, and on the GPU where it runs there."""
    if backend == "cpu":
        return Footprint(host=host_parts(problem, algorithm))
    size, n = problem.dtype.itemsize, problem.n
    converted = problem.precision != "float64" and (problem.predecessors or problem.needs_lifting)
    host = {"weights": n * n * size if converted else 0, "distances": n * n * size}
    host |= {purpose: count for purpose, count in lifted_parts(problem).items() if count}
    if problem.predecessors:
        host["predecessors"] = 4 * n * n
    return Footprint(host=host, device=device_parts(problem, algorithm))


def find_tiles(problem: PathsProblem, backend: str, algorithm: PathAlgorithm) -> TableTiles | None:
    """Return the tiles of the matrix of distances; in a bipartite graph, of the side whose matrix is squared."""
    if algorithm.tiled_vertices is None:
        return None
    n = algorithm.tiled_vertices(problem)
    of = f"distances between {n:,} vertices"
    if algorithm is algorithms.BIPARTITE:
        of = f"distances between the {n:,} vertices of one side, whose matrix is squared"
    return TableTiles(n, n, device_tile(problem.dtype.itemsize) if backend == "cuda" else BLOCK, of)


def automatic_parameters(problem: PathsProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Return the automatic parameters: all cores, but one thread for a small graph."""
    return {"threads": workers.count_processors() if problem.n > SMALL_GRAPH else 1}
