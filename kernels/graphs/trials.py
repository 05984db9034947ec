"""How the methods for shortest paths are tried: graphs around the borders of blocks, the textbook, other labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from antidiag.kernels.graphs import problem, reference
from antidiag.kernels.graphs.digits import TOLERANCE
from antidiag.kernels.graphs.graph import Graph, from_weights
from antidiag.kernels.graphs.problem import PRECISIONS, PathsAnswer, PathsProblem
from antidiag.kernels.method import Method
from antidiag.kernels.trials import Choose, Run, Symmetry, Trials

BORDERS = (1, 2, 3, 31, 32, 33, 63, 64, 65)
"""Numbers of vertices around blocks of the CPU, and tiles of a GPU."""
LONGEST, LONGER = 70, 200
Build = Callable[[list[Graph], dict], PathsProblem]


def draw_graph(
    choose: Choose, bipartite: bool = False, negative: bool = True, cycles: bool = False, longest: int = LONGEST,
    fractions: bool = False,
) -> Graph:  # fmt: skip
    """Weights whole or in hundredths, many equal, zeros among them, dense or sparse.

    ``negative``: some may be, by potentials, so that no cycle is, though many may weigh nothing; with ``cycles``, some
    may close negative ones.
    """
    n = choose.of(BORDERS) if choose.of((True, False)) else choose.integer(1, longest)
    most, share, side = choose.of((2, 5, 1000)), choose.of((1.0, 0.5, 2 / n)), choose.of((0.5, 0.1))
    shifted, lowered = negative and choose.of((False, True)), cycles and choose.of((False, False, False, True))
    parts, flat = (100, choose.of((False, True))) if fractions and choose.of((False, True)) else (1, False)
    random = choose.random()
    weights = random.integers(0, 1 if flat else most, (n, n)).astype(float)
    if shifted:
        potential = random.integers(-50 * parts, 50 * parts, n)
        weights += potential[:, None] - potential
    if lowered:
        weights -= random.integers(0, 2, (n, n))
    weights[random.random((n, n)) > share] = np.inf
    if bipartite:
        second = random.random(n) < side
        weights[second[:, None] == second] = np.inf
    return from_weights(weights / parts)


def draw(choose: Choose, build: Build, bipartite: bool, longest: int = LONGEST) -> PathsProblem:
    """Such a graph, in numbers of any type, with or without predecessors."""
    graph = draw_graph(choose, bipartite, cycles=True, longest=longest, fractions=True)
    precisions = PRECISIONS if problem.whole(graph) else PRECISIONS[1:]
    return build([graph], {"numbers": choose.of(precisions), "predecessors": choose.of((True, False))})


@lru_cache(maxsize=128)
def best(paths: PathsProblem) -> PathsAnswer:
    """Distances and predecessors as they are defined; of a graph with a negative cycle, any vertex of one.

    Hundredths are counted as whole numbers, which are exact.
    """
    whole = from_weights(np.rint(paths.graph.weights * 100))
    distances = reference.floyd_warshall(whole)
    closed = np.flatnonzero(np.diag(distances) < 0)
    if closed.size:
        return PathsAnswer(None, None, (int(closed[0]),))
    before = reference.predecessors(whole, distances) if paths.predecessors else None
    distances /= 100
    return PathsAnswer(np.where(distances < paths.limit, distances, np.inf), before)


def same(paths: PathsProblem, found: PathsAnswer, expected: PathsAnswer, method: Method) -> None:
    """Distances of whole weights are equal, and so are predecessors where they are asked for; others are rounded.

    What is rounded decides between equally short paths; answers check theirs themselves.
    """
    assert bool(found.cycle) == bool(expected.cycle), f"a negative cycle is {found.cycle}, not {expected.cycle}"
    if found.cycle:
        return
    _close(paths, found.floats(paths), expected.floats(paths))
    if paths.predecessors and _whole(paths):
        np.testing.assert_array_equal(found.predecessors, expected.predecessors)


def _whole(paths: PathsProblem) -> bool:
    return bool((paths.graph.weights[np.isfinite(paths.graph.weights)] % 1 == 0).all())


def _close(paths: PathsProblem, found: np.ndarray, expected: np.ndarray) -> None:
    """Numbers of the same graph, one way or another; sums of fractions are rounded."""
    largest = float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
    allowed = 0.0 if _whole(paths) else TOLERANCE[paths.precision] * largest
    np.testing.assert_allclose(found, expected, rtol=0, atol=allowed)


def relabelled(paths: PathsProblem) -> PathsProblem:
    """The last vertex first."""
    return replace(paths, graph=from_weights(paths.graph.weights[::-1, ::-1].copy()))


def turned(paths: PathsProblem) -> PathsProblem:
    """Every edge the other way."""
    return replace(paths, graph=from_weights(paths.graph.weights.T.copy()))


def _same_as(change: Callable[[np.ndarray], np.ndarray]) -> Callable[..., None]:
    """The distances of a changed graph are distances changed alike; ties of paths may be decided otherwise."""

    def same(paths: PathsProblem, found: PathsAnswer, changed: PathsAnswer, method: Method) -> None:
        assert bool(found.cycle) == bool(changed.cycle), f"a negative cycle is {found.cycle}, and {changed.cycle}"
        if not found.cycle:
            _close(paths, change(found.floats(paths)), changed.floats(paths))

    return same


def large(method: Method, backend: str, size: int, build: Build, bipartite: bool) -> Run:
    """Every phase takes part: negative weights, of which no cycle is, and predecessors."""
    n, random = 16 * size, np.random.default_rng(1)
    weights = random.integers(1, 1000, (n, n)).astype(float)
    potential = random.integers(-50, 50, n)
    weights += potential[:, None] - potential
    if bipartite:
        side = np.arange(n) < n * 3 // 8  # halves would fill up their blocks at the same size
        weights[side[:, None] == side] = np.inf
    return build([from_weights(weights)], {"predecessors": True}), {}


def long(method: Method, backend: str, size: int, build: Build) -> Run:
    """A ring, which is made in no time: what is computed does not depend on the edges."""
    n = 10 * size
    weights = np.full((n, n), np.inf)
    weights[np.arange(n), np.arange(1, n + 1) % n] = 1
    return build([from_weights(weights)], {}), {}


def unlogged(method: Method, backend: str) -> frozenset[str]:
    """On a GPU the negative cycles are looked for on the host."""
    return frozenset() if backend == "cpu" else frozenset({"negative cycles"})


def _trials(build: Build, bipartite: bool) -> Trials:
    return Trials(
        draw=partial(draw, build=build, bipartite=bipartite),
        oracle=best,
        same=same,
        large=partial(large, build=build, bipartite=bipartite),
        long=partial(long, build=build),
        larger=partial(draw, build=build, bipartite=bipartite, longest=LONGER),
        symmetries=(
            Symmetry("the last vertex first", relabelled, _same_as(lambda distances: distances[::-1, ::-1])),
            Symmetry("edges the other way", turned, _same_as(np.transpose)),
        ),
        unlogged=unlogged,
        # Tables of distances: a graph would be a list of edges, and distances of sequences are not negative.
        unread=frozenset({".csv", ".npy"}),
    )


PATHS = _trials(problem.build, False)
BIPARTITE = _trials(problem.build_bipartite, True)
