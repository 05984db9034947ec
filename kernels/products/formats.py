"""Products told: for people, as JSON, and as CSV and NPY files."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.method import FileFormat, Rows
from antidiag.kernels.model import Result
from antidiag.kernels.products.matrix import CELLS, Matrix
from antidiag.kernels.products.problem import ProductProblem

LISTED = 40_000
"""The JSON of a product of so many numbers at most lists them all."""


def answer(result: Result) -> str:
    return _matrix(result.answer.values, "product").summary


def rows(result: Result) -> Rows:
    """The answer for people."""
    there, low, high = _extent(result)
    told = [("Product", answer(result)), ("With a way", f"{there:,} of {result.answer.values.size:,} numbers")]
    return [*told, ("Least", f"{low:,.9g}"), ("Greatest", f"{high:,.9g}")] if there else told


def data(result: Result) -> dict[str, Any]:
    """The fields of the JSON; what has no way is null."""
    there, low, high = _extent(result)
    problem, values = result.problem, result.answer.values
    fields: dict[str, Any] = {"shape": list(values.shape), "algebra": problem.algebra, "numbers": problem.precision}
    fields |= {"with_a_way": there, "least": low if there else None, "greatest": high if there else None}
    if values.size <= LISTED:
        known = [value if leads else None for value, leads in zip(
            values.ravel().tolist(), problem.leads(values).ravel().tolist(), strict=True)]  # fmt: skip
        fields["product"] = np.array(known, object).reshape(values.shape).tolist()
    return fields


def products(result: Result) -> list[Any]:
    """The product, for another one."""
    values = result.answer.floats(result.problem)
    values.setflags(write=False)
    return [_matrix(values, f"product of {result.problem.title}")]


def settings(problem: ProductProblem) -> Rows:
    return [("Algebra", problem.algebra), ("Numbers", problem.precision)]


def option_values(problem: ProductProblem) -> Mapping[str, Any]:
    return {"algebra": problem.algebra, "numbers": problem.precision}


def _matrix(values: np.ndarray, name: str) -> Matrix:
    return Matrix(values, name)


def _extent(result: Result) -> tuple[int, float, float]:
    """How many numbers have a way, the least of them and the greatest."""
    flat = result.answer.values.reshape(-1)

    def of(first: int) -> tuple[int, float, float]:
        part = flat[first : first + CELLS]
        known = part[result.problem.leads(part)]
        return (known.size, float(known.min()), float(known.max())) if known.size else (0, np.inf, -np.inf)

    found = workers.each(of, range(0, flat.size, CELLS))
    return sum(part[0] for part in found), min(part[1] for part in found), max(part[2] for part in found)


def _csv(result: Result) -> Iterator[str]:
    values = result.answer.floats(result.problem)
    if values.ndim == 3:
        raise InputError(f"{result.problem.title}: a batch of products is no table; save it as .npy")
    for row in values:
        yield ",".join(f"{value:.17g}" for value in row.tolist()) + "\n"


def _npy(path: Path, result: Result) -> None:
    values = np.ascontiguousarray(result.answer.floats(result.problem))
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(values))
    flat = values.reshape(-1)
    pieces = (flat[at : at + CELLS].tobytes() for at in range(0, flat.size, CELLS))
    write_bytes(path, (piece for part in ((header.getvalue(),), pieces) for piece in part))


FORMATS = (
    FileFormat(".npy", "Product as a NumPy array", "product", write=_npy),
    FileFormat(".csv", "Product as CSV", "product", lines=_csv),
)
