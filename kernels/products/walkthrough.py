"""A product over (min, +) or (max, +) step by step, for teaching: tiles of the product, slabs of the factors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.products.matrix import SemiringMatrix
from antidiag.kernels.products.matrix import check_matrix as matrix
from antidiag.kernels.products.problem import ProductAnswer, ProductProblem, build_problem
from antidiag.kernels.semiring import MAX_PLUS, MIN_PLUS
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
    Rule,
    blank_table,
    format_sum,
    numbered_names,
)
from antidiag.kernels.walkthroughs.typed_inputs import (
    choice_input,
    count_input,
    format_table,
    parse_table,
    table_input,
)
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

INPUTS = (
    table_input(
        "first", "First matrix", "Rows separated by ;. A minus sign alone means no path.", "0 3 - 1; 2 0 4 -; - 5 0 2"
    ),
    table_input(
        "second",
        "Second matrix",
        "It needs as many rows as the first matrix has columns.",
        "0 2 7; 1 0 -; 3 1 0; 2 - 4",
    ),
    choice_input("algebra", "Algebra", "Minimum or maximum of the sums.", (MIN_PLUS.id, MAX_PLUS.id)),
)
TILE = count_input("s", "Tile s", "Rows and columns of the product per block of threads.", 2, "numbers")
SLAB = count_input(
    "d", "Slab d", "Columns of the first and rows of the second matrix that are copied at a time.", 2, "numbers"
)
WORKERS = count_input(
    "workers", "Multiprocessors", "Multiprocessors that compute tiles at the same time.", 2, "multiprocessors"
)
LEFT, RIGHT, PRODUCT = range(3)
Tile = tuple[range, range]


def play_product(made: ProductProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough: as many tiles at a time as multiprocessors, each improved slab by slab."""
    factors = [np.asarray(one.values, float) for one in made.data]
    rows, depth, columns = made.sizes
    least = made.algebra == MIN_PLUS.id
    rule: Rule = "min" if least else "max"
    slabs = _cut_range(depth, values["d"])
    table, at, who = blank_table((rows, columns, len(slabs)))
    tiles = [(high, wide) for high in _cut_range(rows, values["s"]) for wide in _cut_range(columns, values["s"])]
    cases: dict[Cell, tuple[FormulaCase, ...]] = {}
    steps: list[AnimationStep] = []
    for first in range(0, len(tiles), values["workers"]):
        here = tiles[first : first + values["workers"]]
        for layer, slab in enumerate(slabs):
            for worker, (high, wide) in enumerate(here):
                for i in high:
                    for j in wide:
                        found = _slab_cases(factors, table, i, j, slab, layer)
                        cases[PRODUCT, i, j, layer] = tuple(found)
                        sums = [case.value for case in found]
                        table[i, j, layer] = min(sums) if least else max(sums)
                        at[i, j, layer], who[i, j, layer] = len(steps), worker
            steps.append(_describe_step(here, slab, layer, len(slabs), rule))
    given = [
        AnimationTable(
            name,
            values[:, :, None],
            np.full((*values.shape, 1), GIVEN_STEP, np.int32),
            np.full((*values.shape, 1), -1, np.int32),
            _number_names(values.shape[0]),
            _number_names(values.shape[1]),
            cuts=cuts,
        )
        for name, values, cuts in zip(
            ("a", "b"),
            factors,
            (((), tuple(slab.start for slab in slabs[1:])), (tuple(slab.start for slab in slabs[1:]), ())),
            strict=True,
        )
    ]
    cuts = tuple(tuple(part.start for part in _cut_range(size, values["s"])[1:]) for size in (rows, columns))
    product = AnimationTable(
        "c",
        table,
        at,
        who,
        _number_names(rows),
        _number_names(columns),
        numbered_names(len(slabs), "slab"),
        versions=True,
        cuts=(cuts[0], cuts[1]),
        formula=f"c(i, j) = {rule} over all k of a(i, k) + b(k, j)",
    )

    def explain(cell: Cell) -> CellFormula:
        return CellFormula(f"c({cell[1] + 1}, {cell[2] + 1})", rule, cases[cell], float(table[cell[1:]]))

    answer = table[:, :, -1]
    return Animation(
        "(min,+) product" if least else "(max,+) product",
        (*given, product),
        tuple(steps),
        numbered_names(values["workers"], "multiprocessor"),
        explain,
        answer,
        "product\n" + format_table(answer).replace("; ", "\n"),
        tuple(
            (PRODUCT, i, j, len(slabs) - 1) for i in range(rows) for j in range(columns) if np.isfinite(answer[i, j])
        ),
    )


def _number_names(size: int) -> tuple[str, ...]:
    return tuple(str(at) for at in range(1, size + 1))


def _cut_range(size: int, width: int) -> list[range]:
    return [range(at, min(at + width, size)) for at in range(0, size, width)]


def _slab_cases(
    factors: list[np.ndarray], table: np.ndarray, i: int, j: int, slab: range, layer: int
) -> list[FormulaCase]:
    """Return the cases of a cell: the best sum before this slab, and the sums of the slab."""
    found = []
    if layer:
        before = float(table[i, j, layer - 1])
        found.append(FormulaCase("the best so far", format_sum(before), before, ((PRODUCT, i, j, layer - 1),)))
    for k in slab:
        one, other = float(factors[LEFT][i, k]), float(factors[RIGHT][k, j])
        found.append(
            FormulaCase(
                f"a({i + 1}, {k + 1}) + b({k + 1}, {j + 1})",
                format_sum(one, other),
                one + other,
                ((LEFT, i, k, 0), (RIGHT, k, j, 0)),
                f"through {k + 1}",
            )
        )
    return found


def _describe_step(here: list[Tile], slab: range, layer: int, slabs: int, rule: str) -> AnimationStep:
    """Return the step that adds a slab to some tiles."""
    word, cells = "minimum" if rule == "min" else "maximum", sum(len(high) * len(wide) for high, wide in here)
    read = sum(len(slab) * (len(high) + len(wide)) for high, wide in here)
    crossings = [DataCrossing("read: slabs of both factors", "global memory", 4 * read)]
    if layer == slabs - 1:
        crossings.append(DataCrossing("written: tiles", "global memory", 4 * cells))
    return AnimationStep(
        f"{format_count(len(here), 'tile')} at a time, slab {layer + 1} of {slabs}: {format_count(cells, 'number')} "
        "take the "
        f"{word} of {format_count(len(slab), 'more sum')}.",
        held=(
            HeldData("registers", "the best sums so far", 4 * cells),
            HeldData("shared memory", "a slab of each factor", 4 * read),
        ),
        crossings=tuple(crossings),
    )


def build_typed_problem(values: Mapping[str, Any]) -> ProductProblem:
    """Return the problem of the typed matrices; raise ParameterError where their sizes do not fit."""
    factors = [parse_table(values[name], name) for name in ("first", "second")]
    if factors[0].shape[1] != factors[1].shape[0]:
        raise ParameterError(
            f"second: {factors[1].shape[0]} rows; the first matrix has {factors[0].shape[1]} columns, give as many rows"
        )
    if values["algebra"] == MAX_PLUS.id:  # no path is smaller than every number
        factors = [np.where(np.isinf(one), -np.inf, one) for one in factors]
    data: tuple[SemiringMatrix, SemiringMatrix] = (matrix(factors[0], "a"), matrix(factors[1], "b"))
    return build_problem(data, {"algebra": values["algebra"], "numbers": "float64"})


def draw_matrices(choose: TrialChooser) -> dict[str, Any]:
    """Return two small matrices, some of whose numbers mean no path."""
    rows, depth, columns = (choose.draw_integer(1, 5) for _ in range(3))

    def made(m: int, n: int) -> str:
        return format_table(
            np.array([[choose.choose_one((0, 1, 2, 3, 5, 9, np.inf)) for _ in range(n)] for _ in range(m)])
        )

    return {
        "first": made(rows, depth),
        "second": made(depth, columns),
        "algebra": choose.choose_one((MIN_PLUS.id, MAX_PLUS.id)),
    }


def check_product(shown: Animation, answer: ProductAnswer) -> None:
    """Assert that the walkthrough and the method find the same product."""
    assert np.array_equal(shown.answer, answer.values)


PRODUCTS = Walkthrough(INPUTS, (TILE, SLAB, WORKERS), build_typed_problem, play_product, draw_matrices, check_product)
