"""Shortest paths step by step, for teaching: Floyd-Warshall by vertices and by blocks, and repeated squaring."""

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
from antidiag.kernels.text import format_count
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.walkthroughs.animation import (
    GIVEN_STEP,
    Animation,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    FormulaCase,
    HeldData,
    blank_table,
    format_sum,
    numbered_names,
)
from antidiag.kernels.walkthroughs.typed_inputs import count_input, format_table, parse_table, table_input
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

WEIGHTS = table_input(
    "weights",
    "Weights",
    "One row per vertex, separated by ;. A minus sign alone means no edge.",
    "0 3 8 - -; - 0 - 1 7; - 4 0 - -; 2 - 5 0 -; - - - 6 0",
)
THREADS = count_input("threads", "Threads", "Threads that share the cells of a step.", 8, "threads", most=64)
BLOCK = count_input("s", "Block size s", "Rows and columns of a block.", 2, "vertices")
WORKERS = count_input(
    "workers", "Multiprocessors", "Multiprocessors that compute blocks at the same time.", 4, "multiprocessors"
)


class _VersionedMatrix:
    """A matrix whose cells are written several times, with the cases of every version."""

    def __init__(self, made: PathsProblem, layers: int) -> None:
        self.weights = made.graph.weights
        self.n = len(self.weights)
        self.values, self.at, self.who = blank_table((self.n, self.n, layers))
        self.newest = np.zeros((self.n, self.n), int)
        self.cases: dict[Cell, tuple[FormulaCase, ...]] = {}
        self.values[:, :, 0], self.at[:, :, 0] = self.weights, GIVEN_STEP
        self.steps: list[AnimationStep] = []

    def current_value(self, i: int, j: int) -> float:
        """Return the current value of a cell."""
        return float(self.values[i, j, self.newest[i, j]])

    def current_cell(self, i: int, j: int) -> Cell:
        """Return the current version of a cell."""
        return 0, i, j, int(self.newest[i, j])

    def write_minimum(self, i: int, j: int, layer: int, through: list[int], worker: int, keep: bool = True) -> None:
        """Write the minimum of the old value (``keep``) and of the paths through these vertices, by their current
        values."""
        cases = []
        if keep:
            cases.append(
                FormulaCase(
                    f"d({i + 1}, {j + 1})",
                    format_sum(self.current_value(i, j)),
                    self.current_value(i, j),
                    (self.current_cell(i, j),),
                    "as before",
                )
            )
        for k in through:
            if keep and k in (i, j):  # a path through its own end is the old path
                continue
            one, other = self.current_value(i, k), self.current_value(k, j)
            cases.append(
                FormulaCase(
                    f"d({i + 1}, {k + 1}) + d({k + 1}, {j + 1})",
                    format_sum(one, other),
                    one + other,
                    (self.current_cell(i, k), self.current_cell(k, j)),
                    f"through {k + 1}",
                )
            )
        cell = (0, i, j, layer)
        self.cases[cell] = tuple(cases)
        self.values[i, j, layer] = min(case.value for case in cases)
        self.at[i, j, layer], self.who[i, j, layer] = len(self.steps), worker

    def explain_cell(self, cell: Cell) -> CellFormula:
        """Return the formula of a version of a cell."""
        return CellFormula(f"d({cell[1] + 1}, {cell[2] + 1})", "min", self.cases[cell], float(self.values[cell[1:]]))

    def build_play(
        self,
        made: PathsProblem,
        title: str,
        workers: tuple[str, ...],
        cuts: tuple[int, ...],
        rule: str,
        counts: bool = False,
    ) -> Animation:
        """Return the walkthrough; with ``counts`` each path arises only once, so that best paths can be counted."""
        vertices = made.graph.names
        table = AnimationTable(
            "d",
            self.values,
            self.at,
            self.who,
            vertices,
            vertices,
            numbered_names(self.values.shape[2], "version"),
            True,
            cuts=(cuts, cuts),
            formula=rule,
        )
        distances = np.array([[self.current_value(i, j) for j in range(self.n)] for i in range(self.n)])
        return Animation(
            title,
            (table,),
            tuple(self.steps),
            workers,
            self.explain_cell,
            distances,
            "distances\n" + format_table(distances).replace("; ", "\n"),
            tuple(
                self.current_cell(i, j)
                for i in range(self.n)
                for j in range(self.n)
                if counts and i != j and np.isfinite(distances[i, j])
            ),
        )


def play_warshall(made: PathsProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough of Floyd-Warshall: one vertex after another may be on the paths."""
    found = _VersionedMatrix(made, len(made.graph) + 1)
    n, threads = found.n, values["threads"]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                found.write_minimum(i, j, k + 1, [k], (i * n + j) % threads)
        row = tuple(
            (0, *place)
            for i in range(n)
            for place in ((k, i, int(found.newest[k, i])), (i, k, int(found.newest[i, k])))
        )
        found.steps.append(
            AnimationStep(
                f"Paths may now use vertex {k + 1}. All {n * n} cells are computed at the same time.",
                f"vertex {k + 1}",
                (
                    HeldData("global memory", "the matrix", 4 * n * n),
                    HeldData("registers", "three numbers per thread", 12 * threads),
                ),
                (
                    DataCrossing("read: each cell, and one number of its row and column", "global memory", 12 * n * n),
                    DataCrossing("written: each cell", "global memory", 4 * n * n),
                ),
                marked=row,
                barrier=True,
            )
        )
        found.newest[:] = k + 1
    rule = "d(i, j) = min( d(i, j), d(i, k) + d(k, j) )"
    return found.build_play(made, "FloydWarshall", numbered_names(threads, "thread"), (), rule, counts=True)


def play_blocked(made: PathsProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough by blocks: the diagonal block, then its row and column of blocks, then all others."""
    found = _VersionedMatrix(made, len(made.graph) + 1)
    n, s, workers = found.n, values["s"], values["workers"]
    pieces = [list(range(at, min(at + s, n))) for at in range(0, n, s)]
    for number, inner in enumerate(pieces):
        layer, name = inner[-1] + 1, f"block {number + 1}"
        for k in inner:
            for i in inner:
                for j in inner:
                    found.write_minimum(i, j, k + 1, [k], number % workers)
            found.steps.append(
                AnimationStep(
                    f"Close the diagonal block: paths inside it may now use vertex {k + 1}.",
                    f"{name}, phase 1",
                    (HeldData("shared memory", "the diagonal block", 4 * len(inner) ** 2),),
                    ()
                    if k > inner[0]
                    else (DataCrossing("read: the diagonal block", "global memory", 4 * len(inner) ** 2),),
                    barrier=k == inner[-1],
                )
            )
            for i in inner:
                for j in inner:
                    found.newest[i, j] = k + 1
        others = [piece for piece in pieces if piece is not inner]
        strips = [(inner, piece) for piece in others] + [(piece, inner) for piece in others]
        _relax_blocks(found, strips, inner, layer, workers, f"{name}, phase 2", "its row and its column of blocks", 2)
        rest = [(rows, columns) for rows in others for columns in others]
        _relax_blocks(found, rest, inner, layer, workers, f"{name}, phase 3", "all other blocks", 3)
    cuts = tuple(piece[0] for piece in pieces[1:])
    return found.build_play(
        made,
        "Blocked Floyd-Warshall",
        numbered_names(workers, "multiprocessor"),
        cuts,
        "d(i, j) = min( d(i, j), d(i, k) + d(k, j) for all k of the block )",
    )


def _relax_blocks(
    found: _VersionedMatrix,
    blocks: list[tuple[list[int], list[int]]],
    inner: list[int],
    layer: int,
    workers: int,
    phase: str,
    words: str,
    tiles: int,
) -> None:
    """Compute independent blocks, one per worker, as many at a time as there are workers."""
    for at in range(0, len(blocks), workers):
        here = blocks[at : at + workers]
        for worker, (rows, columns) in enumerate(here):
            for i in rows:
                for j in columns:
                    # A path without an edge in the closed block keeps the old value, where the block is a factor.
                    found.write_minimum(i, j, layer, inner, worker, keep=tiles == 3)
        size = [len(rows) * len(columns) for rows, columns in here]
        found.steps.append(
            AnimationStep(
                f"{format_count(len(here), 'block')} of {words}: a (min, +) product with the closed block's "
                f"{format_count(len(inner), 'vertex', 'vertices')}.",
                phase,
                (HeldData("shared memory", f"{tiles} blocks per multiprocessor", 4 * tiles * max(size)),),
                (
                    DataCrossing("read: blocks", "global memory", 4 * tiles * sum(size)),
                    DataCrossing("written: blocks", "global memory", 4 * sum(size)),
                ),
                barrier=at + workers >= len(blocks),
            )
        )
        for rows, columns in here:
            for i in rows:
                for j in columns:
                    found.newest[i, j] = layer


def play_squaring(made: PathsProblem, values: Mapping[str, Any], title: str, textures: bool) -> Animation:
    """Return the walkthrough of repeated squaring over (min, +): paths of up to 1, 2, 4, ... edges."""
    n, threads = len(made.graph), values["threads"]
    rounds = max(int(np.ceil(np.log2(max(n - 1, 1)))), 1)
    found = _VersionedMatrix(made, rounds + 1)
    for number in range(rounds):
        for i in range(n):
            for j in range(n):
                found.write_minimum(i, j, number + 1, list(range(n)), (i * n + j) % threads, keep=False)
        found.steps.append(
            AnimationStep(
                f"Square {number + 1}: shortest paths of up to {2 ** (number + 1)} edges. Each of {n * n} cells is the "
                f"minimum of {n} sums.",
                f"square {number + 1}",
                (
                    HeldData("shared memory", "a slab of each factor", 8 * n),
                    HeldData("global memory", "both matrices", 8 * n * n),
                ),
                (
                    DataCrossing(
                        f"read: both factors, once per slab{', through textures' * textures}",
                        "global memory",
                        8 * n * n,
                    ),
                    DataCrossing("written: the product", "global memory", 4 * n * n),
                ),
                barrier=True,
            )
        )
        found.newest[:] = number + 1
    return found.build_play(
        made, title, numbered_names(threads, "thread"), (), "d(i, j) = min over all k of d(i, k) + d(k, j)"
    )


def build_typed_problem(values: Mapping[str, Any]) -> PathsProblem:
    """Return the typed graph; raise InputError where it has a negative cycle."""
    return check_cycles(values, problems.build_problem)


def check_cycles(values: Mapping[str, Any], build: Callable[..., PathsProblem]) -> PathsProblem:
    """Return the problem that ``build`` makes of the weights; raise InputError where they have a negative cycle."""
    weights = parse_table(values["weights"], "weights", square=True)
    np.fill_diagonal(weights, np.minimum(np.diag(weights), 0.0))
    made = build([from_weights(weights, name="typed")], {"numbers": "float64"})
    if (np.diag(reference.floyd_warshall(made.graph)) < 0).any():
        raise InputError("weights: there is a negative cycle, so there are no distances; increase one of its weights")
    return made


def draw_weights(choose: TrialChooser) -> dict[str, Any]:
    """Return weights between a few vertices, of which some pairs have no edge."""
    n = choose.draw_integer(1, 6)
    weights = np.array([[choose.choose_one((np.inf, 1, 2, 3, 5, 9)) for _ in range(n)] for _ in range(n)], float)
    np.fill_diagonal(weights, 0)
    return {"weights": format_table(weights)}


def check_distances(play: Animation, answer: PathsAnswer) -> None:
    """Assert that the walkthrough and the method find the same distances."""
    assert answer.distances is not None
    assert np.array_equal(play.answer, np.where(answer.distances >= 2**29, np.inf, answer.distances))


def _declare_walkthrough(play: Callable[..., Animation], *parameters: Parameter) -> Walkthrough:
    return Walkthrough(
        (WEIGHTS,), parameters, build_typed_problem, play, draw_weights, check_distances, lambda made: made.n**3
    )


WARSHALL = _declare_walkthrough(play_warshall, THREADS)
BLOCKED = _declare_walkthrough(play_blocked, BLOCK, WORKERS)
SQUARED = _declare_walkthrough(partial(play_squaring, title="SMemFloyd", textures=False), THREADS)
TEXTURES = _declare_walkthrough(partial(play_squaring, title="TMemFloyd", textures=True), THREADS)
