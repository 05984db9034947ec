"""How the methods for shortest paths are tried: graphs around the borders of blocks, the textbook, other labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from kernels.graphs import problem, reference
from kernels.graphs.graph import Graph, from_weights
from kernels.graphs.problem import PRECISIONS, PathsAnswer, PathsProblem
from kernels.method import Method
from kernels.trials import Choose, Run, Symmetry, Trials

BORDERS = (1, 2, 3, 31, 32, 33, 63, 64, 65)
"""Numbers of vertices around blocks of the CPU, and tiles of a GPU."""
LONGEST, LONGER = 70, 200
Build = Callable[[list[Graph], dict], PathsProblem]


def draw_graph(
    choose: Choose, bipartite: bool = False, negative: bool = True, cycles: bool = False, longest: int = LONGEST
) -> Graph:
    """Whole weights, many equal, zeros among them, dense or sparse.

    ``negative``: some may be, by potentials, so that no cycle is; with ``cycles``, some may close negative ones.
    """
    n = choose.of(BORDERS) if choose.of((True, False)) else choose.integer(1, longest)
    most, share, side = choose.of((2, 5, 1000)), choose.of((1.0, 0.5, 2 / n)), choose.of((0.5, 0.1))
    shifted, lowered = negative and choose.of((False, True)), cycles and choose.of((False, False, False, True))
    random = choose.random()
    weights = random.integers(0, most, (n, n)).astype(float)
    if shifted:
        potential = random.integers(-50, 50, n)
        weights += potential[:, None] - potential
    if lowered:
        weights -= random.integers(0, 2, (n, n))
    weights[random.random((n, n)) > share] = np.inf
    if bipartite:
        second = random.random(n) < side
        weights[second[:, None] == second] = np.inf
    return from_weights(weights)


def draw(choose: Choose, build: Build, bipartite: bool, longest: int = LONGEST) -> PathsProblem:
    """Such a graph, in numbers of any type, with or without predecessors."""
    options = {"numbers": choose.of(PRECISIONS), "predecessors": choose.of((True, False))}
    return build([draw_graph(choose, bipartite, cycles=True, longest=longest)], options)


@lru_cache(maxsize=128)
def best(paths: PathsProblem) -> PathsAnswer:
    """Distances and predecessors as they are defined; of a graph with a negative cycle, any vertex of one."""
    distances = reference.floyd_warshall(paths.graph)
    closed = np.flatnonzero(np.diag(distances) < 0)
    if closed.size:
        return PathsAnswer(None, None, (int(closed[0]),))
    before = reference.predecessors(paths.graph, distances) if paths.predecessors else None
    return PathsAnswer(np.where(distances < paths.limit, distances, np.inf), before)


def same(paths: PathsProblem, found: PathsAnswer, expected: PathsAnswer, method: Method) -> None:
    """Distances are equal, for weights are whole numbers, and so are predecessors where they are asked for."""
    assert bool(found.cycle) == bool(expected.cycle), f"a negative cycle is {found.cycle}, not {expected.cycle}"
    if found.cycle:
        return
    np.testing.assert_array_equal(found.floats(paths), expected.floats(paths))
    if paths.predecessors:
        np.testing.assert_array_equal(found.predecessors, expected.predecessors)


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
            np.testing.assert_array_equal(change(found.floats(paths)), changed.floats(paths))

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
    """On a GPU a slice of a product is a launch, of which nobody knows which multiprocessor computed what."""
    return frozenset() if backend == "cpu" else frozenset({"negative cycles", "distances", "predecessors"})


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
