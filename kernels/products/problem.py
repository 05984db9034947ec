"""The product of two matrices, or of two batches, over (min, +) or (max, +): the problem and its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.products.matrix import NATIVE_TYPES, SemiringMatrix
from antidiag.kernels.semiring import FINITE_LIMIT, MAX_PLUS, MIN_PLUS, Semiring
from antidiag.kernels.serialization import stored

CHECKED_ROWS = 16
"""Rows of a product that `ProductAnswer.check` computes again."""

OPTIONS = (
    Parameter(
        name="algebra",
        kind="choice",
        label="Algebra",
        help="min-plus: the minimum of all sums, for costs; infinity means no path. max-plus: the maximum, for scores; "
        "minus infinity means no path.",
        default=MIN_PLUS.id,
        choices=(MIN_PLUS.id, MAX_PLUS.id),
    ),
    Parameter(
        name="numbers",
        kind="choice",
        label="Numbers",
        help="Type of the numbers. int32 is exact for whole numbers while no sum reaches 2^29; else the type of the "
        "matrices.",
        default=None,
        choices=NATIVE_TYPES,
    ),
)


@stored("product-problem")
@dataclass(frozen=True)
class ProductProblem:
    """Two matrices, shapes (m, d) and (d, n), or two batches, shapes (k, m, d) and (k, d, n)."""

    first: SemiringMatrix
    second: SemiringMatrix
    algebra: str = MIN_PLUS.id
    precision: str = "float64"

    @property
    def data(self) -> tuple[SemiringMatrix, SemiringMatrix]:
        """The two factors."""
        return self.first, self.second

    @property
    def semiring(self) -> Semiring:
        """Semiring of the product."""
        return next(one for one in (MIN_PLUS, MAX_PLUS) if one.id == self.algebra)

    @property
    def dtype(self) -> np.dtype:
        """Type of the numbers."""
        return np.dtype(self.precision)

    @property
    def batch_size(self) -> int:
        """The number of products."""
        return len(self.first) if self.first.values.ndim == 3 else 1

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Rows of the first matrix, its columns, and columns of the second."""
        rows, depth = self.first.values.shape[-2:]
        return rows, depth, self.second.values.shape[-1]

    @property
    def cells(self) -> int:
        """Number of sums that the definition computes."""
        rows, depth, columns = self.sizes
        return self.batch_size * rows * depth * columns

    @property
    def title(self) -> str:
        """Names of the factors."""
        return f"{self.first.name} x {self.second.name}"

    @property
    def size(self) -> str:
        """Shapes of the factors in words."""
        many = f"{self.batch_size:,} of " if self.first.values.ndim == 3 else ""
        return f"{many}{' x '.join(f'{size:,}' for size in self.sizes)}, {self.precision}"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the product."""
        return *self.first.values.shape[:-1], self.second.values.shape[-1]

    @cached_property
    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Both factors in the problem's type; infinities are the semiring's zero."""
        return self.convert_matrix(self.first), self.convert_matrix(self.second)

    def convert_matrix(self, matrix: SemiringMatrix) -> np.ndarray:
        """Return a matrix in the problem's type."""
        if matrix.values.dtype == self.dtype:
            return matrix.values
        if self.precision != "int32" or matrix.values.dtype.kind in "iu":
            return matrix.values.astype(self.dtype)
        return np.where(np.isfinite(matrix.values), matrix.values, self.semiring.zero_element(self.dtype)).astype(
            self.dtype
        )

    def is_reached(self, values: np.ndarray) -> np.ndarray:
        """Return which numbers of a product are finite sums; bool."""
        if self.precision == "int32":
            return np.abs(values) < FINITE_LIMIT
        return np.isfinite(values)


@stored("product-answer")
@dataclass(frozen=True, eq=False)
class ProductAnswer:
    """The product, in the problem's shape and type.

    Where no sum is finite, a number is infinite, or in int32 at least 2^29 in size.
    """

    values: np.ndarray

    def as_floats(self, problem: ProductProblem) -> np.ndarray:
        """Return the product with NumPy's infinity."""
        if problem.precision != "int32":
            return self.values
        nowhere = float(problem.semiring.zero_element(np.float64))
        return np.where(problem.is_reached(self.values), self.values, nowhere)

    def check(self, problem: ProductProblem) -> None:
        """Raise AssertionError where the shape, the type, or a row that is computed again differs."""
        assert self.values.shape == problem.shape, f"the shape is {self.values.shape} instead of {problem.shape}"
        assert self.values.dtype == problem.dtype, f"the type is {self.values.dtype} instead of {problem.dtype}"
        left, right = (values.reshape(problem.batch_size, *values.shape[-2:]) for values in problem.factors)
        found, semiring = self.values.reshape(problem.batch_size, *problem.shape[-2:]), problem.semiring
        zero = semiring.zero_element(problem.dtype)
        random = np.random.default_rng(0)
        for _ in range(CHECKED_ROWS):
            member, row = int(random.integers(problem.batch_size)), int(random.integers(problem.sizes[0]))
            terms = left[member, row][:, None] + right[member]
            expected = semiring.addition.reduce(terms, axis=0, initial=zero)
            assert np.array_equal(found[member, row], expected), f"row {row} of product {member} differs"


def build_problem(data: Sequence[Any], options: Mapping[str, Any]) -> ProductProblem:
    """Return the problem of two matrices.

    Raises InputError where their sizes or infinities do not fit, ParameterError where the number type does not.
    """
    first, second = data
    values = resolve_values(OPTIONS, {**options}, default_options(data))
    _refuse_shapes(first, second)
    made = ProductProblem(first, second, values["algebra"], values["numbers"])
    wrong = -np.inf if made.semiring is MIN_PLUS else np.inf
    for matrix in data:
        if _value_range(matrix)[0 if wrong < 0 else 1] == wrong:
            raise InputError(
                f"{matrix.name}: {made.algebra} does not allow {wrong}; only {-wrong} may mean that there is no path"
            )
    if made.precision == "int32" and not fits_int32(data):
        raise ParameterError("numbers must be float32 or float64: the matrices have fractions, or sums of 2^29 or more")
    if made.precision == "float32" and sum(_largest_size(matrix) for matrix in data) > float(np.finfo(np.float32).max):
        raise ParameterError("numbers must be float64: a sum overflows float32")
    return made


def default_options(data: Sequence[Any]) -> Mapping[str, Any]:
    """Return the default options: int32 where all numbers are whole and small, else the type of the matrices."""
    if data and fits_int32(data):
        return {"numbers": "int32"}
    single = bool(data) and all(matrix.values.dtype == np.float32 for matrix in data)
    return {"numbers": "float32" if single else "float64"}


def fits_int32(data: Sequence[SemiringMatrix]) -> bool:
    """Return whether all finite numbers are whole, and no sum of two reaches 2^29."""
    if sum(_largest_size(matrix) for matrix in data) >= FINITE_LIMIT:
        return False
    return all(all(workers.map_on_threads(_is_whole, list(matrix.value_slices()))) for matrix in data)


def _refuse_shapes(first: SemiringMatrix, second: SemiringMatrix) -> None:
    one, other = first.values.shape, second.values.shape
    if len(one) != len(other) or one[:-2] != other[:-2]:
        raise InputError(
            f"{first.name} is {first.summary}, but {second.name} is {second.summary}; both need as many matrices"
        )
    if one[-1] != other[-2]:
        raise InputError(
            f"{first.name} has {one[-1]:,} columns, but {second.name} has {other[-2]:,} rows; these must be equal"
        )


def _is_whole(part: np.ndarray) -> bool:
    finite = part[np.isfinite(part)]
    return part.dtype.kind in "iu" or bool((finite == np.rint(finite)).all())


def _value_range(matrix: SemiringMatrix) -> tuple[float, float]:
    """Return the minimum and the maximum."""
    found = workers.map_on_threads(lambda part: (float(part.min()), float(part.max())), list(matrix.value_slices()))
    return min(low for low, _ in found), max(high for _, high in found)


def _largest_size(matrix: SemiringMatrix) -> float:
    """Return the largest size of a finite number."""

    def largest_in(part: np.ndarray) -> float:
        finite = part if part.dtype.kind in "iu" else part[np.isfinite(part)]
        return max(float(finite.max(initial=0)), -float(finite.min(initial=0)))

    return max(workers.map_on_threads(largest_in, list(matrix.value_slices())))
