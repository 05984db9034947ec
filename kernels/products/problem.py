"""Two matrices, or two batches of them, and their product over a semiring of costs or of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.parameters import Parameter, resolve
from antidiag.kernels.products.matrix import KEPT, Matrix
from antidiag.kernels.semiring import FINITE_LIMIT, MAX_PLUS, MIN_PLUS, Semiring
from antidiag.kernels.serialization import stored

LOOKED_AT = 16
"""Rows of a product that an answer computes again when it checks itself."""

OPTIONS = (
    Parameter("algebra", "choice", "Algebra",
              "min-plus: the least of all sums, as of costs; what is infinite leads nowhere. max-plus: the greatest, "
              "as of scores; minus infinity leads nowhere.",
              default=MIN_PLUS.id, choices=(MIN_PLUS.id, MAX_PLUS.id)),
    Parameter("numbers", "choice", "Numbers",
              "The type of the numbers. Whole ones are exact in 32 bits as long as no sum reaches 2^29; all others "
              "have the type of the matrices.",
              default=None, choices=KEPT),
)  # fmt: skip


@stored("product-problem")
@dataclass(frozen=True)
class ProductProblem:
    """Two matrices of shapes (..., m, d) and (..., d, n), with one axis before these where they are batches."""

    first: Matrix
    second: Matrix
    algebra: str = MIN_PLUS.id
    precision: str = "float64"

    @property
    def data(self) -> tuple[Matrix, Matrix]:
        return self.first, self.second

    @property
    def semiring(self) -> Semiring:
        return next(one for one in (MIN_PLUS, MAX_PLUS) if one.id == self.algebra)

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.precision)

    @property
    def batch(self) -> int:
        """How many products these are."""
        return len(self.first) if self.first.values.ndim == 3 else 1

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Rows of the first, its columns, and columns of the second matrix."""
        rows, depth = self.first.values.shape[-2:]
        return rows, depth, self.second.values.shape[-1]

    @property
    def cells(self) -> int:
        rows, depth, columns = self.sizes
        return self.batch * rows * depth * columns

    @property
    def title(self) -> str:
        return f"{self.first.name} x {self.second.name}"

    @property
    def size(self) -> str:
        many = f"{self.batch:,} of " if self.first.values.ndim == 3 else ""
        return f"{many}{' x '.join(f'{size:,}' for size in self.sizes)}, {self.precision}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the product."""
        return *self.first.values.shape[:-1], self.second.values.shape[-1]

    @cached_property
    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Both in the problem's type; what leads nowhere is the semiring's zero."""
        return self.converted(self.first), self.converted(self.second)

    def converted(self, matrix: Matrix) -> np.ndarray:
        if matrix.values.dtype == self.dtype:
            return matrix.values
        if self.precision != "int32" or matrix.values.dtype.kind in "iu":
            return matrix.values.astype(self.dtype)
        return np.where(np.isfinite(matrix.values), matrix.values, self.semiring.zero(self.dtype)).astype(self.dtype)

    def leads(self, values: np.ndarray) -> np.ndarray:
        """Which numbers of a product are sums at all; bool."""
        if self.precision == "int32":
            return np.abs(values) < FINITE_LIMIT
        return np.isfinite(values)


@stored("product-answer")
@dataclass(frozen=True, eq=False)
class ProductAnswer:
    """``values`` of the problem's shape and type. Where no sum is finite they are infinite; in int32, 2^29 or more in
    size."""

    values: np.ndarray

    def floats(self, problem: ProductProblem) -> np.ndarray:
        """The product with NumPy's infinity."""
        if problem.precision != "int32":
            return self.values
        nowhere = float(problem.semiring.zero(np.float64))
        return np.where(problem.leads(self.values), self.values, nowhere)

    def check(self, problem: ProductProblem) -> None:
        """AssertionError where the shape is another, or a row that is computed again."""
        assert self.values.shape == problem.shape, f"a product of shape {self.values.shape}, not {problem.shape}"
        assert self.values.dtype == problem.dtype, f"numbers of {self.values.dtype}, not {problem.dtype}"
        left, right = (values.reshape(problem.batch, *values.shape[-2:]) for values in problem.factors)
        found, semiring = self.values.reshape(problem.batch, *problem.shape[-2:]), problem.semiring
        zero = semiring.zero(problem.dtype)
        random = np.random.default_rng(0)
        for _ in range(LOOKED_AT):
            member, row = int(random.integers(problem.batch)), int(random.integers(problem.sizes[0]))
            terms = left[member, row][:, None] + right[member]
            expected = semiring.addition.reduce(terms, axis=0, initial=zero)
            assert np.array_equal(found[member, row], expected), f"row {row} of product {member} is another"


def build(data: Sequence[Any], options: Mapping[str, Any]) -> ProductProblem:
    """The product of two matrices; InputError where they do not fit each other, ParameterError for the numbers."""
    first, second = data
    values = resolve(OPTIONS, {**options}, defaults(data))
    _refuse_shapes(first, second)
    made = ProductProblem(first, second, values["algebra"], values["numbers"])
    wrong = -np.inf if made.semiring is MIN_PLUS else np.inf
    for matrix in data:
        if _extent(matrix)[0 if wrong < 0 else 1] == wrong:
            raise InputError(f"{matrix.name}: {wrong} is no number over {made.algebra}; only {-wrong} leads nowhere")
    if made.precision == "int32" and not whole(data):
        raise ParameterError(
            "numbers='int32': the matrices have fractions, or sums of 2^29 and more; choose float32 or float64"
        )
    if made.precision == "float32" and sum(_heaviest(matrix) for matrix in data) > float(np.finfo(np.float32).max):
        raise ParameterError("numbers='float32': a sum is more than such a number can be; choose float64")
    return made


def defaults(data: Sequence[Any]) -> Mapping[str, Any]:
    """Whole numbers where all are whole and small; else the type of the matrices."""
    if data and whole(data):
        return {"numbers": "int32"}
    single = bool(data) and all(matrix.values.dtype == np.float32 for matrix in data)
    return {"numbers": "float32" if single else "float64"}


def whole(data: Sequence[Matrix]) -> bool:
    """Whether all finite numbers are whole, and no sum of two reaches 2^29."""
    if sum(_heaviest(matrix) for matrix in data) >= FINITE_LIMIT:
        return False
    return all(all(workers.each(_is_whole, list(matrix.slices()))) for matrix in data)


def _refuse_shapes(first: Matrix, second: Matrix) -> None:
    one, other = first.values.shape, second.values.shape
    if len(one) != len(other) or one[:-2] != other[:-2]:
        raise InputError(f"{first.name} is {first.summary}, and {second.name} {second.summary}; give as many of both")
    if one[-1] != other[-2]:
        raise InputError(
            f"{first.name} has {one[-1]:,} columns, and {second.name} {other[-2]:,} rows; for a product these are equal"
        )


def _is_whole(part: np.ndarray) -> bool:
    finite = part[np.isfinite(part)]
    return part.dtype.kind in "iu" or bool((finite == np.rint(finite)).all())


def _extent(matrix: Matrix) -> tuple[float, float]:
    """The least and the greatest number."""
    found = workers.each(lambda part: (float(part.min()), float(part.max())), list(matrix.slices()))
    return min(low for low, _ in found), max(high for _, high in found)


def _heaviest(matrix: Matrix) -> float:
    """The largest size of a finite number."""

    def of(part: np.ndarray) -> float:
        finite = part if part.dtype.kind in "iu" else part[np.isfinite(part)]
        return max(float(finite.max(initial=0)), -float(finite.min(initial=0)))

    return max(workers.each(of, list(matrix.slices())))
