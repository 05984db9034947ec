"""Shortest paths step by step: Floyd and Warshall vertex by vertex, by blocks, and by squaring the matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs import problem as problems
from antidiag.kernels.graphs import reference
from antidiag.kernels.graphs.graph import from_weights
from antidiag.kernels.graphs.problem import PathsAnswer, PathsProblem
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.inputs import table_of, table_text
from antidiag.kernels.plays.model import (
    GIVEN,
    Case,
    Cell,
    Crossing,
    Formula,
    Held,
    Play,
    Step,
    Table,
    added,
    blank,
    names,
)
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.text import counted
from antidiag.kernels.trials import Choose

WEIGHTS = Parameter("weights", "text", "Weights", "A row for each vertex, parted by ;. A minus sign alone is no edge.",
                    default="0 3 8 - -; - 0 - 1 7; - 4 0 - -; 2 - 5 0 -; - - - 6 0")  # fmt: skip
THREADS = Parameter("threads", "int", "Threads", "Those that share the cells of a step.", default=8, minimum=1,
                    maximum=64, unit="threads")  # fmt: skip
BLOCK = Parameter("s", "int", "Block size s", "Rows and columns of a block.", default=2, minimum=1, maximum=16,
                  unit="vertices")  # fmt: skip
WORKERS = Parameter("workers", "int", "Multiprocessors", "Those that compute blocks at the same time.", default=4,
                    minimum=1, maximum=16, unit="multiprocessors")  # fmt: skip


class _Versions:
    """A matrix whose places are written again and again; every version knows its cases."""

    def __init__(self, made: PathsProblem, layers: int) -> None:
        self.weights = made.graph.weights
        self.n = len(self.weights)
        self.values, self.at, self.who = blank((self.n, self.n, layers))
        self.newest = np.zeros((self.n, self.n), int)
        self.cases: dict[Cell, tuple[Case, ...]] = {}
        self.values[:, :, 0], self.at[:, :, 0] = self.weights, GIVEN
        self.steps: list[Step] = []

    def value(self, i: int, j: int) -> float:
        return float(self.values[i, j, self.newest[i, j]])

    def cell(self, i: int, j: int) -> Cell:
        return 0, i, j, int(self.newest[i, j])

    def write(self, i: int, j: int, layer: int, through: list[int], worker: int, keep: bool = True) -> None:
        """The least of what was there (``keep``) and of all ways through these vertices, as their values are now."""
        cases = []
        if keep:
            cases.append(Case(f"d({i + 1}, {j + 1})", added(self.value(i, j)), self.value(i, j), (self.cell(i, j),),
                              "as before"))  # fmt: skip
        for k in through:
            if keep and k in (i, j):  # a way through one of its own ends is that from before
                continue
            one, other = self.value(i, k), self.value(k, j)
            cases.append(Case(f"d({i + 1}, {k + 1}) + d({k + 1}, {j + 1})", added(one, other), one + other,
                              (self.cell(i, k), self.cell(k, j)), f"through {k + 1}"))  # fmt: skip
        cell = (0, i, j, layer)
        self.cases[cell] = tuple(cases)
        self.values[i, j, layer] = min(case.value for case in cases)
        self.at[i, j, layer], self.who[i, j, layer] = len(self.steps), worker

    def take(self, layer: int) -> None:
        """What this step wrote is there from the next one on."""
        self.newest[self.at[:, :, layer] == len(self.steps)] = layer

    def explain(self, cell: Cell) -> Formula:
        return Formula(f"d({cell[1] + 1}, {cell[2] + 1})", "min", self.cases[cell], float(self.values[cell[1:]]))

    def play(
        self,
        made: PathsProblem,
        title: str,
        workers: tuple[str, ...],
        cuts: tuple[int, ...],
        rule: str,
        counts: bool = False,
    ) -> Play:
        """``counts``: every path is made in one way only, so that best paths can be counted."""
        vertices = made.graph.names
        table = Table("d", self.values, self.at, self.who, vertices, vertices,
                      names(self.values.shape[2], "version"), True, cuts=(cuts, cuts), formula=rule)  # fmt: skip
        distances = np.array([[self.value(i, j) for j in range(self.n)] for i in range(self.n)])
        return Play(title, (table,), tuple(self.steps), workers, self.explain, distances,
                    "distances\n" + table_text(distances).replace("; ", "\n"),
                    tuple(self.cell(i, j) for i in range(self.n) for j in range(self.n)
                          if counts and i != j and np.isfinite(distances[i, j])))  # fmt: skip


def warshall(made: PathsProblem, values: Mapping[str, Any]) -> Play:
    """One vertex after another: may a path go through it as well?"""
    found = _Versions(made, len(made.graph) + 1)
    n, threads = found.n, values["threads"]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                found.write(i, j, k + 1, [k], (i * n + j) % threads)
        row = tuple((0, *place) for i in range(n) for place in ((k, i, int(found.newest[k, i])),
                                                                 (i, k, int(found.newest[i, k]))))  # fmt: skip
        found.steps.append(Step(
            f"Vertex {k + 1}: paths may go through it now. All {n * n} cells are computed at once.", f"vertex {k + 1}",
            (Held("global memory", "the matrix", 4 * n * n), Held("registers", "three numbers a thread", 12 * threads)),
            (Crossing("each cell, its row's and its column's number: read", "global memory", 12 * n * n),
             Crossing("each cell: written", "global memory", 4 * n * n)),
            marked=row, barrier=True,
        ))  # fmt: skip
        found.newest[:] = k + 1
    rule = "d(i, j) = min( d(i, j), d(i, k) + d(k, j) )"
    return found.play(made, "FloydWarshall", names(threads, "thread"), (), rule, counts=True)


def blocked(made: PathsProblem, values: Mapping[str, Any]) -> Play:
    """Blocks for vertices: close the block on the diagonal, then its row and column of blocks, then all others."""
    found = _Versions(made, len(made.graph) + 1)
    n, s, workers = found.n, values["s"], values["workers"]
    pieces = [list(range(at, min(at + s, n))) for at in range(0, n, s)]
    for number, inner in enumerate(pieces):
        layer, name = inner[-1] + 1, f"block {number + 1}"
        for k in inner:
            for i in inner:
                for j in inner:
                    found.write(i, j, k + 1, [k], number % workers)
            found.steps.append(Step(
                f"The block on the diagonal is closed: paths inside it may go through vertex {k + 1}.",
                f"{name}, phase 1", (Held("shared memory", "the block on the diagonal", 4 * len(inner) ** 2),),
                () if k > inner[0] else (Crossing("the block on the diagonal: read", "global memory",
                                                  4 * len(inner) ** 2),), barrier=k == inner[-1],
            ))  # fmt: skip
            for i in inner:
                for j in inner:
                    found.newest[i, j] = k + 1
        others = [piece for piece in pieces if piece is not inner]
        strips = [(inner, piece) for piece in others] + [(piece, inner) for piece in others]
        _blocks(found, strips, inner, layer, workers, f"{name}, phase 2", "its row and its column of blocks", 2)
        rest = [(rows, columns) for rows in others for columns in others]
        _blocks(found, rest, inner, layer, workers, f"{name}, phase 3", "all other blocks", 3)
    cuts = tuple(piece[0] for piece in pieces[1:])
    return found.play(made, "Blocked Floyd-Warshall", names(workers, "multiprocessor"), cuts,
                      "d(i, j) = min( d(i, j), d(i, k) + d(k, j) for all k of the block )")  # fmt: skip


def _blocks(
    found: _Versions, blocks: list[tuple[list[int], list[int]]], inner: list[int], layer: int, workers: int, phase: str,
    words: str, tiles: int,
) -> None:  # fmt: skip
    """Blocks that do not need each other, a worker each, as many at once as there are workers."""
    for at in range(0, len(blocks), workers):
        here = blocks[at : at + workers]
        for worker, (rows, columns) in enumerate(here):
            for i in rows:
                for j in columns:
                    # A path of no edge through the closed block keeps what was there, where that is a factor.
                    found.write(i, j, layer, inner, worker, keep=tiles == 3)
        size = [len(rows) * len(columns) for rows, columns in here]
        found.steps.append(Step(
            f"{counted(len(here), 'block')} of {words}: a product over (min, +) with the closed block's "
            f"{counted(len(inner), 'vertex', 'vertices')}.", phase,
            (Held("shared memory", f"{tiles} blocks a multiprocessor", 4 * tiles * max(size)),),
            (Crossing("blocks that are read", "global memory", 4 * tiles * sum(size)),
             Crossing("blocks that are written", "global memory", 4 * sum(size))),
            barrier=at + workers >= len(blocks),
        ))  # fmt: skip
        for rows, columns in here:
            for i in rows:
                for j in columns:
                    found.newest[i, j] = layer


def squared(made: PathsProblem, values: Mapping[str, Any], title: str, textures: bool) -> Play:
    """The matrix times itself over (min, +): paths of up to 1, 2, 4, ... edges; slabs read plainly or as textures."""
    n, threads = len(made.graph), values["threads"]
    rounds = max(int(np.ceil(np.log2(max(n - 1, 1)))), 1)
    found = _Versions(made, rounds + 1)
    for number in range(rounds):
        for i in range(n):
            for j in range(n):
                found.write(i, j, number + 1, list(range(n)), (i * n + j) % threads, keep=False)
        found.steps.append(Step(
            f"Square {number + 1}: shortest paths of up to {2 ** (number + 1)} edges. Each of {n * n} cells takes the "
            f"least of {n} sums.", f"square {number + 1}",
            (Held("shared memory", "a slab of each factor", 8 * n),
             Held("global memory", "both matrices", 8 * n * n)),
            (Crossing(f"both factors, read once for every slab{', through the texture path' * textures}",
                      "global memory", 8 * n * n),
             Crossing("the product: written", "global memory", 4 * n * n)), barrier=True,
        ))  # fmt: skip
        found.newest[:] = number + 1
    return found.play(made, title, names(threads, "thread"), (), "d(i, j) = min over all k of d(i, k) + d(k, j)")


def problem(values: Mapping[str, Any]) -> PathsProblem:
    """The graph that was typed; InputError where a cycle weighs less than nothing."""
    return checked(values, problems.build)


def checked(values: Mapping[str, Any], build: Callable[..., PathsProblem]) -> PathsProblem:
    """The problem that ``build`` makes of the weights; InputError where a cycle weighs less than nothing."""
    weights = table_of(values["weights"], "weights", square=True)
    np.fill_diagonal(weights, np.minimum(np.diag(weights), 0.0))
    made = build([from_weights(weights, name="typed")], {"numbers": "float64"})
    if (np.diag(reference.floyd_warshall(made.graph)) < 0).any():
        raise InputError("weights: going round a cycle costs less than nothing, so there are no distances; change one")
    return made


def draw(choose: Choose) -> dict[str, Any]:
    """A few vertices, of which some pairs have no edge."""
    n = choose.integer(1, 6)
    weights = np.array([[choose.of((np.inf, 1, 2, 3, 5, 9)) for _ in range(n)] for _ in range(n)], float)
    np.fill_diagonal(weights, 0)
    return {"weights": table_text(weights)}


def agrees(play: Play, answer: PathsAnswer) -> None:
    """All distances."""
    assert answer.distances is not None
    assert np.array_equal(play.answer, np.where(answer.distances >= 2**29, np.inf, answer.distances))


def _staging(play: Callable[..., Play], *parameters: Parameter) -> Staging:
    return Staging((WEIGHTS,), parameters, problem, play, draw, agrees, lambda made: made.n**3)


WARSHALL = _staging(warshall, THREADS)
BLOCKED = _staging(blocked, BLOCK, WORKERS)
SQUARED = _staging(partial(squared, title="SMemFloyd", textures=False), THREADS)
TEXTURES = _staging(partial(squared, title="TMemFloyd", textures=True), THREADS)
