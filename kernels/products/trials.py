"""Random problems for tests of products: sizes around blocks and tiles, batches, infinities, the definition."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from antidiag.kernels.method import Method
from antidiag.kernels.products.matrix import NATIVE_TYPES, SemiringMatrix, check_matrix
from antidiag.kernels.products.problem import ProductAnswer, ProductProblem, build_problem
from antidiag.kernels.semiring import MAX_PLUS, MIN_PLUS, reference
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, RandomChooser, TrialChooser, Trials

BORDERS = (1, 2, 31, 33, 63, 64, 65)
"""Sizes around blocks of the CPU and tiles of a GPU."""
LONGEST, LONGER = 70, 200


def draw_problem(choose: TrialChooser, longest: int = LONGEST) -> ProductProblem:
    """Return a random problem of whole numbers or fractions, some infinite; one product, or a few."""
    rows, depth, columns = (
        choose.choose_one(BORDERS) if choose.choose_one((True, False)) else choose.draw_integer(1, longest)
        for _ in range(3)
    )
    batch = choose.choose_one(((), (), (1,), (3,)))
    algebra, precision, parts = (
        choose.choose_one((MIN_PLUS, MAX_PLUS)),
        choose.choose_one(NATIVE_TYPES),
        choose.choose_one((1, 100)),
    )
    nowhere, random = choose.choose_one((0.0, 0.1, 1.0)), choose.make_generator()

    def made(*shape: int) -> SemiringMatrix:
        values = random.integers(-50, 1000, shape) / (parts if precision != "int32" else 1)
        values[random.random(shape) < nowhere] = algebra.zero_element(np.float64)
        return check_matrix(values.astype(np.float32 if precision == "float32" else np.float64))

    factors = made(*batch, rows, depth), made(*batch, depth, columns)
    return build_problem(factors, {"algebra": algebra.id, "numbers": precision})


@lru_cache(maxsize=128)
def solve_by_definition(problem: ProductProblem) -> ProductAnswer:
    """Return the answer by the definition."""
    return ProductAnswer(reference.multiply_by_definition(*problem.factors, problem.semiring))


def check_same_answer(problem: ProductProblem, found: ProductAnswer, expected: ProductAnswer, method: Method) -> None:
    """Assert that two answers are equal bit for bit: every sum has two terms and is rounded once."""
    np.testing.assert_array_equal(found.values, expected.values)


def transpose_problem(problem: ProductProblem) -> ProductProblem:
    """Return the problem of the transposed product: transposed factors in reverse order."""
    first, second = (check_matrix(np.ascontiguousarray(matrix.values.swapaxes(-1, -2))) for matrix in problem.data)
    return replace(problem, first=second, second=first)


def _check_transposed(problem: ProductProblem, found: ProductAnswer, changed: ProductAnswer, method: Method) -> None:
    np.testing.assert_array_equal(changed.values.swapaxes(-1, -2), found.values)


def _build_square(side: int) -> ProductProblem:
    random = RandomChooser(1).make_generator()
    first, second = (check_matrix(random.integers(0, 1000, (side, side), np.int32)) for _ in range(2))
    return build_problem((first, second), {})


def build_large_problem(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a large problem."""
    return _build_square(16 * size), {}


def build_deep_problem(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a problem that takes long; with few rows and columns it would not."""
    return _build_square(10 * size), {}


PRODUCTS = Trials(
    draw_problem=draw_problem,
    solve_by_textbook=solve_by_definition,
    assert_same_answer=check_same_answer,
    make_large_problem=build_large_problem,
    make_long_problem=build_deep_problem,
    draw_larger_problem=lambda choose: draw_problem(choose, LONGER),
    symmetries=(ProblemSymmetry("both transposed, the second first", transpose_problem, _check_transposed),),
    # The program reads tables and arrays with these endings as graphs and distances.
    unread_suffixes=frozenset({".csv", ".npy"}),
)
