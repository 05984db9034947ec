"""Output of products: report rows, JSON fields, and CSV and NPY files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.number_tables import write_array
from antidiag.kernels.method import FileFormat, LabelledRows
from antidiag.kernels.model import Result
from antidiag.kernels.products.matrix import CELLS, SemiringMatrix
from antidiag.kernels.products.problem import ProductProblem

LISTED = 40_000
"""Most numbers of a product whose JSON lists them all."""


def summarise_answer(result: Result) -> str:
    """Return the size of the product in a few words."""
    return SemiringMatrix(result.answer.values, "product").summary


def report_rows(result: Result) -> LabelledRows:
    """Return the rows of the report."""
    there, low, high = _value_extent(result)
    table = [
        ("Product", summarise_answer(result)),
        ("With a path", f"{there:,} of {result.answer.values.size:,} numbers"),
    ]
    return [*table, ("Minimum", f"{low:,.9g}"), ("Maximum", f"{high:,.9g}")] if there else table


def json_fields(result: Result) -> dict[str, Any]:
    """Return the fields of the JSON; a number without a path is null."""
    there, low, high = _value_extent(result)
    problem, values = result.problem, result.answer.values
    fields: dict[str, Any] = {"shape": list(values.shape), "algebra": problem.algebra, "numbers": problem.precision}
    fields |= {"with_a_way": there, "least": low if there else None, "greatest": high if there else None}
    if values.size <= LISTED:
        known = [
            value if leads else None
            for value, leads in zip(values.ravel().tolist(), problem.is_reached(values).ravel().tolist(), strict=True)
        ]
        fields["product"] = np.array(known, object).reshape(values.shape).tolist()
    return fields


def product_matrices(result: Result) -> list[Any]:
    """Return the product as an input of another method."""
    values = result.answer.as_floats(result.problem)
    values.setflags(write=False)
    return [SemiringMatrix(values, f"product of {result.problem.title}")]


def setting_rows(problem: ProductProblem) -> LabelledRows:
    """Return the settings as rows of the report."""
    return [("Algebra", problem.algebra), ("Numbers", problem.precision)]


def option_values(problem: ProductProblem) -> Mapping[str, Any]:
    """Return the options that make this problem."""
    return {"algebra": problem.algebra, "numbers": problem.precision}


def _value_extent(result: Result) -> tuple[int, float, float]:
    """Return how many numbers have a path, and the minimum and maximum of those."""
    flat = result.answer.values.reshape(-1)

    def extent_from(first: int) -> tuple[int, float, float]:
        part = flat[first : first + CELLS]
        known = part[result.problem.is_reached(part)]
        return (known.size, float(known.min()), float(known.max())) if known.size else (0, np.inf, -np.inf)

    found = workers.map_on_threads(extent_from, range(0, flat.size, CELLS))
    return sum(part[0] for part in found), min(part[1] for part in found), max(part[2] for part in found)


def _write_csv(result: Result) -> Iterator[str]:
    values = result.answer.as_floats(result.problem)
    if values.ndim == 3:
        raise InputError(f"{result.problem.title}: a batch of products cannot be saved as CSV; save it as .npy")
    for row in values:
        yield ",".join(f"{value:.17g}" for value in row.tolist()) + "\n"


def _write_npy(path: Path, result: Result) -> None:
    write_array(path, result.answer.as_floats(result.problem))


FORMATS = (
    FileFormat(".npy", "Product as a NumPy array", "product", write_file=_write_npy),
    FileFormat(".csv", "Product as CSV", "product", iterate_lines=_write_csv),
)
