"""A product over (min, +) or (max, +) step by step: tiles of the product, slab by slab of the factors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.errors import ParameterError
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
    Rule,
    Step,
    Table,
    added,
    blank,
    names,
)
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.products.matrix import Matrix
from antidiag.kernels.products.matrix import checked as matrix
from antidiag.kernels.products.problem import ProductAnswer, ProductProblem, build
from antidiag.kernels.semiring import MAX_PLUS, MIN_PLUS
from antidiag.kernels.text import counted
from antidiag.kernels.trials import Choose

INPUTS = (
    Parameter("first", "text", "First matrix", "Rows parted by ;. A minus sign alone leads nowhere.",
              default="0 3 - 1; 2 0 4 -; - 5 0 2"),
    Parameter("second", "text", "Second matrix", "As many rows as the first has columns.",
              default="0 2 7; 1 0 -; 3 1 0; 2 - 4"),
    Parameter("algebra", "choice", "Algebra", "The least of all sums, or the greatest.", default=MIN_PLUS.id,
              choices=(MIN_PLUS.id, MAX_PLUS.id)),
)  # fmt: skip
TILE = Parameter("s", "int", "Tile s", "Rows and columns of the product that a block computes.", default=2, minimum=1,
                 maximum=16, unit="numbers")  # fmt: skip
SLAB = Parameter("d", "int", "Slab d", "Columns of the first, and rows of the second matrix, that are copied together.",
                 default=2, minimum=1, maximum=16, unit="numbers")  # fmt: skip
WORKERS = Parameter("workers", "int", "Multiprocessors", "Those that compute tiles at the same time.", default=2,
                    minimum=1, maximum=16, unit="multiprocessors")  # fmt: skip
LEFT, RIGHT, PRODUCT = range(3)
Tile = tuple[range, range]


def play(made: ProductProblem, values: Mapping[str, Any]) -> Play:
    """Tiles of s x s numbers, as many at once as there are multiprocessors; the best sum so far grows slab by slab."""
    factors = [np.asarray(one.values, float) for one in made.data]
    rows, depth, columns = made.sizes
    least = made.algebra == MIN_PLUS.id
    rule: Rule = "min" if least else "max"
    slabs = _parts(depth, values["d"])
    table, at, who = blank((rows, columns, len(slabs)))
    tiles = [(high, wide) for high in _parts(rows, values["s"]) for wide in _parts(columns, values["s"])]
    cases: dict[Cell, tuple[Case, ...]] = {}
    steps: list[Step] = []
    for first in range(0, len(tiles), values["workers"]):
        here = tiles[first : first + values["workers"]]
        for layer, slab in enumerate(slabs):
            for worker, (high, wide) in enumerate(here):
                for i in high:
                    for j in wide:
                        found = _ways(factors, table, i, j, slab, layer)
                        cases[PRODUCT, i, j, layer] = tuple(found)
                        sums = [case.value for case in found]
                        table[i, j, layer] = min(sums) if least else max(sums)
                        at[i, j, layer], who[i, j, layer] = len(steps), worker
            steps.append(_step(here, slab, layer, len(slabs), rule))
    given = [Table(name, values[:, :, None], np.full((*values.shape, 1), GIVEN, np.int32),
                   np.full((*values.shape, 1), -1, np.int32), _numbers(values.shape[0]), _numbers(values.shape[1]),
                   cuts=cuts)
             for name, values, cuts in zip(("a", "b"), factors, (
                 ((), tuple(slab.start for slab in slabs[1:])), (tuple(slab.start for slab in slabs[1:]), ())),
                 strict=True)]  # fmt: skip
    cuts = tuple(tuple(part.start for part in _parts(size, values["s"])[1:]) for size in (rows, columns))
    product = Table("c", table, at, who, _numbers(rows), _numbers(columns), names(len(slabs), "slab"), versions=True,
                    cuts=(cuts[0], cuts[1]), formula=f"c(i, j) = {rule} over all k of a(i, k) + b(k, j)")  # fmt: skip

    def explain(cell: Cell) -> Formula:
        return Formula(f"c({cell[1] + 1}, {cell[2] + 1})", rule, cases[cell], float(table[cell[1:]]))

    answer = table[:, :, -1]
    return Play("(min,+) product" if least else "(max,+) product", (*given, product), tuple(steps),
                names(values["workers"], "multiprocessor"), explain, answer,
                "product\n" + table_text(answer).replace("; ", "\n"),
                tuple((PRODUCT, i, j, len(slabs) - 1) for i in range(rows) for j in range(columns)
                      if np.isfinite(answer[i, j])))  # fmt: skip


def _numbers(size: int) -> tuple[str, ...]:
    return tuple(str(at) for at in range(1, size + 1))


def _parts(size: int, width: int) -> list[range]:
    return [range(at, min(at + width, size)) for at in range(0, size, width)]


def _ways(factors: list[np.ndarray], table: np.ndarray, i: int, j: int, slab: range, layer: int) -> list[Case]:
    """What was best before this slab, and the sums of it."""
    found = []
    if layer:
        before = float(table[i, j, layer - 1])
        found.append(Case("the best so far", added(before), before, ((PRODUCT, i, j, layer - 1),)))
    for k in slab:
        one, other = float(factors[LEFT][i, k]), float(factors[RIGHT][k, j])
        found.append(Case(f"a({i + 1}, {k + 1}) + b({k + 1}, {j + 1})", added(one, other), one + other,
                          ((LEFT, i, k, 0), (RIGHT, k, j, 0)), f"by way of {k + 1}"))  # fmt: skip
    return found


def _step(here: list[Tile], slab: range, layer: int, slabs: int, rule: str) -> Step:
    """A slab of some tiles."""
    word, cells = "least" if rule == "min" else "greatest", sum(len(high) * len(wide) for high, wide in here)
    read = sum(len(slab) * (len(high) + len(wide)) for high, wide in here)
    crossings = [Crossing("slabs of both factors, read", "global memory", 4 * read)]
    if layer == slabs - 1:
        crossings.append(Crossing("tiles, written", "global memory", 4 * cells))
    return Step(
        f"{counted(len(here), 'tile')} at once, slab {layer + 1} of {slabs}: {counted(cells, 'number')} take the "
        f"{word} of {counted(len(slab), 'more sum')}.",
        held=(Held("registers", "the best sums so far", 4 * cells), Held("shared memory", "a slab of each factor",
                                                                        4 * read)),
        crossings=tuple(crossings),
    )  # fmt: skip


def problem(values: Mapping[str, Any]) -> ProductProblem:
    """The two matrices that were typed; ParameterError where they do not fit."""
    factors = [table_of(values[name], name) for name in ("first", "second")]
    if factors[0].shape[1] != factors[1].shape[0]:
        raise ParameterError(f"second: {factors[1].shape[0]} rows; the first matrix has {factors[0].shape[1]} columns, "
                             "give as many rows")  # fmt: skip
    if values["algebra"] == MAX_PLUS.id:  # what leads nowhere is less than all
        factors = [np.where(np.isinf(one), -np.inf, one) for one in factors]
    data: tuple[Matrix, Matrix] = (matrix(factors[0], "a"), matrix(factors[1], "b"))
    return build(data, {"algebra": values["algebra"], "numbers": "float64"})


def draw(choose: Choose) -> dict[str, Any]:
    """Two small matrices, a few numbers of which lead nowhere."""
    rows, depth, columns = (choose.integer(1, 5) for _ in range(3))

    def made(m: int, n: int) -> str:
        return table_text(np.array([[choose.of((0, 1, 2, 3, 5, 9, np.inf)) for _ in range(n)] for _ in range(m)]))

    return {"first": made(rows, depth), "second": made(depth, columns),
            "algebra": choose.of((MIN_PLUS.id, MAX_PLUS.id))}  # fmt: skip


def agrees(shown: Play, answer: ProductAnswer) -> None:
    """Every number."""
    assert np.array_equal(shown.answer, answer.values)


PRODUCTS = Staging(INPUTS, (TILE, SLAB, WORKERS), problem, play, draw, agrees)
