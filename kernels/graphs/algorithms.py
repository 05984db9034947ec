"""The algorithms for all shortest distances, as data: their work, and their memory beside weights and distances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.semiring.sizes import device_tile, round_to_blocks


def closing_products(n: int) -> int:
    """Return how often a matrix over n vertices is squared until it is closed: paths have n - 1 edges at most."""
    return max(0, n - 2).bit_length()


def side_sizes(problem: PathsProblem) -> tuple[int, int]:
    """Return the numbers of vertices on the two sides of a bipartite graph."""
    second = int(problem.sides.sum())
    return problem.n - second, second


def device_square(problem: PathsProblem) -> int:
    """Return the bytes of a matrix of distances that is padded to whole tiles of a GPU."""
    return round_to_blocks(problem.n, device_tile(problem.dtype.itemsize)) ** 2 * problem.dtype.itemsize


def _no_bytes(problem: PathsProblem) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class PathAlgorithm:
    """An algorithm for all distances.

    Parameters
    ----------
    cells : callable
        Additions and comparisons of a problem's distances.
    tiled_vertices : callable or None
        Vertices of the matrix that is divided into tiles; None where no matrix is.
    host_bytes, device_bytes : callable
        Bytes of a run beside weights and distances, on the CPU and on a GPU.
    purpose : str
        What those bytes are for.
    """

    cells: Callable[[PathsProblem], int]
    tiled_vertices: Callable[[PathsProblem], int] | None = None
    host_bytes: Callable[[PathsProblem], int] = _no_bytes
    device_bytes: Callable[[PathsProblem], int] = _no_bytes
    purpose: str = "blocks"


def _all_vertices(problem: PathsProblem) -> int:
    return problem.n


def _first_side(problem: PathsProblem) -> int:
    return side_sizes(problem)[0]


def _floyd_cells(problem: PathsProblem) -> int:
    return problem.n**3


def _squaring_cells(problem: PathsProblem) -> int:
    return closing_products(problem.n) * problem.n**3


def _bipartite_cells(problem: PathsProblem) -> int:
    n1, n2 = side_sizes(problem)
    return n1 * n1 * n2 + closing_products(n1) * n1**3 + 2 * n1 * n1 * n2 + n1 * n2 * n2


def _blocks_on_host(problem: PathsProblem) -> int:
    return problem.dtype.itemsize * round_to_blocks(problem.n) ** 2


def _serial_sides_on_host(problem: PathsProblem) -> int:
    return 2 * problem.dtype.itemsize * problem.n**2


def _sides_on_host(problem: PathsProblem) -> int:
    n1, n2 = map(round_to_blocks, side_sizes(problem))
    return _serial_sides_on_host(problem) + problem.dtype.itemsize * n2 * (2 * n1 + n2)


def _sides_on_device(problem: PathsProblem) -> int:
    item = problem.dtype.itemsize
    n1, n2 = (round_to_blocks(count, device_tile(item)) for count in side_sizes(problem))
    return item * (4 * n1 * n2 + 2 * n1 * n1 + n2 * n2)


SIDES = "the blocks of two sides"
STEPS = PathAlgorithm(_floyd_cells)
"""Floyd-Warshall, one intermediate vertex after another."""
BLOCKED = PathAlgorithm(_floyd_cells, _all_vertices, _blocks_on_host)
"""Floyd-Warshall in blocks."""
SQUARED = PathAlgorithm(_squaring_cells, _all_vertices, _blocks_on_host, device_square)
"""The matrix is squared until it is closed."""
BIPARTITE = PathAlgorithm(_bipartite_cells, _first_side, _sides_on_host, _sides_on_device, SIDES)
"""The four blocks of a bipartite graph, of which one is squared."""
BIPARTITE_SERIAL = PathAlgorithm(_bipartite_cells, host_bytes=_serial_sides_on_host, purpose=SIDES)
"""The same by products on one thread, without blocks."""
