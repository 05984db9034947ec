"""How products are tried: sizes around blocks and tiles, batches, numbers that lead nowhere, the definition."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from antidiag.kernels.method import Method
from antidiag.kernels.products.matrix import KEPT, Matrix, checked
from antidiag.kernels.products.problem import ProductAnswer, ProductProblem, build
from antidiag.kernels.semiring import MAX_PLUS, MIN_PLUS, reference
from antidiag.kernels.trials import Chance, Choose, Run, Symmetry, Trials

BORDERS = (1, 2, 31, 33, 63, 64, 65)
"""Around blocks of the CPU, and tiles of a GPU."""
LONGEST, LONGER = 70, 200


def draw(choose: Choose, longest: int = LONGEST) -> ProductProblem:
    """Whole numbers or fractions, some of which lead nowhere; one product, or a few."""
    rows, depth, columns = (
        choose.of(BORDERS) if choose.of((True, False)) else choose.integer(1, longest) for _ in range(3)
    )
    batch = choose.of(((), (), (1,), (3,)))
    algebra, precision, parts = choose.of((MIN_PLUS, MAX_PLUS)), choose.of(KEPT), choose.of((1, 100))
    nowhere, random = choose.of((0.0, 0.1, 1.0)), choose.random()

    def made(*shape: int) -> Matrix:
        values = random.integers(-50, 1000, shape) / (parts if precision != "int32" else 1)
        values[random.random(shape) < nowhere] = algebra.zero(np.float64)
        return checked(values.astype(np.float32 if precision == "float32" else np.float64))

    factors = made(*batch, rows, depth), made(*batch, depth, columns)
    return build(factors, {"algebra": algebra.id, "numbers": precision})


@lru_cache(maxsize=128)
def defined(problem: ProductProblem) -> ProductAnswer:
    return ProductAnswer(reference.product(*problem.factors, problem.semiring))


def same(problem: ProductProblem, found: ProductAnswer, expected: ProductAnswer, method: Method) -> None:
    """Every sum has two terms, and is rounded once: equal to the last bit."""
    np.testing.assert_array_equal(found.values, expected.values)


def turned(problem: ProductProblem) -> ProductProblem:
    """The transposed product: factors transposed, the second first."""
    first, second = (checked(np.ascontiguousarray(matrix.values.swapaxes(-1, -2))) for matrix in problem.data)
    return replace(problem, first=second, second=first)


def _same_turned(problem: ProductProblem, found: ProductAnswer, changed: ProductAnswer, method: Method) -> None:
    np.testing.assert_array_equal(changed.values.swapaxes(-1, -2), found.values)


def _square(side: int) -> ProductProblem:
    random = Chance(1).random()
    first, second = (checked(random.integers(0, 1000, (side, side), np.int32)) for _ in range(2))
    return build((first, second), {})


def large(method: Method, backend: str, size: int) -> Run:
    return _square(16 * size), {}


def long(method: Method, backend: str, size: int) -> Run:
    """Much depth: factors of few rows and columns would take little time."""
    return _square(10 * size), {}


PRODUCTS = Trials(
    draw=draw,
    oracle=defined,
    same=same,
    large=large,
    long=long,
    larger=lambda choose: draw(choose, LONGER),
    symmetries=(Symmetry("both transposed, the second first", turned, _same_turned),),
    # Tables and arrays by these names are taken for graphs and distances.
    unread=frozenset({".csv", ".npy"}),
)
