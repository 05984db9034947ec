"""Products of matrices over (min, +) and (max, +) (003, section 2.3): what shortest paths and Viterbi are made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antidiag.kernels.analysis import ADD_AND_MAX, least
from antidiag.kernels.method import Input, Method, ProblemType
from antidiag.kernels.products import formats, placement, problem, sizes
from antidiag.kernels.products.matrix import MATRIX
from antidiag.kernels.semiring.citation import THESIS
from antidiag.kernels.semiring.parameters import THREADS

PRODUCT = ProblemType(
    id="product",
    label="Product of matrices",
    inputs=(Input(MATRIX, 2, 2),),
    options=problem.OPTIONS,
    build=problem.build,
    defaults=problem.defaults,
    data=formats.data,
    rows=formats.rows,
    answer=formats.answer,
    formats=formats.FORMATS,
    products=formats.products,
    settings=formats.settings,
    option_values=formats.option_values,
    placement=placement.PRODUCTS,
    trials="antidiag.kernels.products.trials:PRODUCTS",
)


def _work(made: Any, parameters: Mapping[str, Any]) -> int:
    return made.cells


METHODS = (
    Method(
        id="minplus-product",
        name="(min,+) product",
        family="tropical",
        summary="The least of all sums a[i, k] + b[k, j], or the greatest; of two matrices, or of many pairs.",
        citation=THESIS.at("section 2.3"),
        problem=PRODUCT,
        parameters=(THREADS,),
        backends={backend: f"antidiag.kernels.products.{backend}:product" for backend in ("cpu", "cuda")},
        returns=frozenset({"product"}),
        footprint=sizes.footprint,
        automatic=sizes.automatic,
        work=_work,
        tiles=sizes.tiles,
        models=least(_work, "003, section 2.3", "sums of two numbers, compared", ADD_AND_MAX),
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 12.0, "cuda": 8000.0},
        staging="antidiag.kernels.products.plays:PRODUCTS",
    ),
)
