"""Random problems for tests of shortest paths: graphs around the sizes of blocks, the definition, symmetries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from antidiag.kernels.graphs import problem, reference
from antidiag.kernels.graphs.graph import Graph, from_weights
from antidiag.kernels.graphs.problem import PRECISIONS, TOLERANCE, PathsAnswer, PathsProblem
from antidiag.kernels.method import Method
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, TrialChooser, Trials, draw_length

BORDERS = (1, 2, 3, 31, 32, 33, 63, 64, 65)
"""Numbers of vertices around the sizes of blocks on the CPU and tiles on a GPU."""
LONGEST, LONGER = 70, 200
Build = Callable[[list[Graph], dict], PathsProblem]


def draw_graph(
    choose: TrialChooser,
    bipartite: bool = False,
    negative: bool = True,
    cycles: bool = False,
    longest: int = LONGEST,
    fractions: bool = False,
) -> Graph:
    """Return a random graph, dense or sparse, of whole weights or hundredths, many of them equal or zero.

    With ``negative``, potentials make some weights negative but no cycle; with ``cycles``, some cycles may be negative.
    """
    n = draw_length(choose, BORDERS, longest)
    most, share, side = (
        choose.choose_one((2, 5, 1000)),
        choose.choose_one((1.0, 0.5, 2 / n)),
        choose.choose_one((0.5, 0.1)),
    )
    shifted, lowered = (
        negative and choose.choose_one((False, True)),
        cycles and choose.choose_one((False, False, False, True)),
    )
    parts, flat = (
        (100, choose.choose_one((False, True))) if fractions and choose.choose_one((False, True)) else (1, False)
    )
    random = choose.make_generator()
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


def draw_problem(choose: TrialChooser, build: Build, bipartite: bool, longest: int = LONGEST) -> PathsProblem:
    """Return a random problem, in any number type, with or without predecessors."""
    graph = draw_graph(choose, bipartite, cycles=True, longest=longest, fractions=True)
    precisions = PRECISIONS if problem.fits_int32(graph) else PRECISIONS[1:]
    return build([graph], {"numbers": choose.choose_one(precisions), "predecessors": choose.choose_one((True, False))})


@lru_cache(maxsize=128)
def solve_by_definition(paths: PathsProblem) -> PathsAnswer:
    """Return the answer by the definition, or any vertex of a negative cycle.

    Hundredths are computed as whole numbers, which are exact.
    """
    whole = from_weights(np.rint(paths.graph.weights * 100))
    distances = reference.floyd_warshall(whole)
    closed = np.flatnonzero(np.diag(distances) < 0)
    if closed.size:
        return PathsAnswer(None, None, (int(closed[0]),))
    before = reference.find_predecessors(whole, distances) if paths.predecessors else None
    distances /= 100
    return PathsAnswer(np.where(distances < paths.limit, distances, np.inf), before)


def check_same_answer(paths: PathsProblem, found: PathsAnswer, expected: PathsAnswer, method: Method) -> None:
    """Assert that two answers are the same: exactly for whole weights, else up to rounding.

    Rounding decides between equally short paths, so predecessors are compared for whole weights only.
    """
    assert bool(found.cycle) == bool(expected.cycle), f"the negative cycle is {found.cycle} instead of {expected.cycle}"
    if found.cycle:
        return
    _check_close(paths, found.as_floats(paths), expected.as_floats(paths))
    if paths.predecessors and _has_whole_weights(paths):
        np.testing.assert_array_equal(found.predecessors, expected.predecessors)


def _has_whole_weights(paths: PathsProblem) -> bool:
    return bool((paths.graph.weights[np.isfinite(paths.graph.weights)] % 1 == 0).all())


def _check_close(paths: PathsProblem, found: np.ndarray, expected: np.ndarray) -> None:
    """Assert that two matrices of distances are equal up to rounding."""
    largest = float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
    allowed = 0.0 if _has_whole_weights(paths) else TOLERANCE[paths.precision] * largest
    np.testing.assert_allclose(found, expected, rtol=0, atol=allowed)


def reverse_vertices(paths: PathsProblem) -> PathsProblem:
    """Return the problem with its vertices in reverse order."""
    return replace(paths, graph=from_weights(paths.graph.weights[::-1, ::-1].copy()))


def reverse_edges(paths: PathsProblem) -> PathsProblem:
    """Return the problem with all edges reversed."""
    return replace(paths, graph=from_weights(paths.graph.weights.T.copy()))


def _check_changed(change: Callable[[np.ndarray], np.ndarray]) -> Callable[..., None]:
    """Return a check that the distances of a changed graph are the changed distances."""

    def same(paths: PathsProblem, found: PathsAnswer, changed: PathsAnswer, method: Method) -> None:
        assert bool(found.cycle) == bool(changed.cycle), f"a negative cycle is {found.cycle}, and {changed.cycle}"
        if not found.cycle:
            _check_close(paths, change(found.as_floats(paths)), changed.as_floats(paths))

    return same


def build_large_problem(method: Method, backend: str, size: int, build: Build, bipartite: bool) -> ProblemAndParameters:
    """Return a large problem that uses every phase: negative weights without a negative cycle, and predecessors."""
    n, random = 16 * size, np.random.default_rng(1)
    weights = random.integers(1, 1000, (n, n)).astype(float)
    potential = random.integers(-50, 50, n)
    weights += potential[:, None] - potential
    if bipartite:
        side = np.arange(n) < n * 3 // 8  # halves would fill their blocks at the same size
        weights[side[:, None] == side] = np.inf
    return build([from_weights(weights)], {"predecessors": True}), {}


def build_long_problem(method: Method, backend: str, size: int, build: Build) -> ProblemAndParameters:
    """Return a problem that takes long: a ring, as the work does not depend on the edges."""
    n = 10 * size
    weights = np.full((n, n), np.inf)
    weights[np.arange(n), np.arange(1, n + 1) % n] = 1
    return build([from_weights(weights)], {}), {}


def unlogged_phases(method: Method, backend: str) -> frozenset[str]:
    """Return the phases without a log: on a GPU, the host searches for negative cycles."""
    return frozenset() if backend == "cpu" else frozenset({"negative cycles"})


def _declare_trials(build: Build, bipartite: bool) -> Trials:
    return Trials(
        draw_problem=partial(draw_problem, build=build, bipartite=bipartite),
        solve_by_textbook=solve_by_definition,
        assert_same_answer=check_same_answer,
        make_large_problem=partial(build_large_problem, build=build, bipartite=bipartite),
        make_long_problem=partial(build_long_problem, build=build),
        draw_larger_problem=partial(draw_problem, build=build, bipartite=bipartite, longest=LONGER),
        symmetries=(
            ProblemSymmetry(
                "the last vertex first", reverse_vertices, _check_changed(lambda distances: distances[::-1, ::-1])
            ),
            ProblemSymmetry("edges the other way", reverse_edges, _check_changed(np.transpose)),
        ),
        phases_without_steps=unlogged_phases,
        # Tables of distances: the program reads them as edge lists, or as distances of sequences.
        unread_suffixes=frozenset({".csv", ".npy"}),
    )


PATHS = _declare_trials(problem.build_problem, False)
BIPARTITE = _declare_trials(problem.build_bipartite, True)
