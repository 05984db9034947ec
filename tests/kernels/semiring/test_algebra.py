"""Products over semirings: the fast ones equal the definition, number for number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.semiring import MIN_PLUS, PLUS_TIMES, SEMIRINGS, Semiring, cpu, cpu_blocks, reference
from antidiag.kernels.semiring.cpu_blocks import Layout
from tests.example_counts import try_examples

SIZES = st.one_of(st.sampled_from((1, 15, 16, 17, 63, 64, 65)), st.integers(0, 80))
TYPES = (np.float32, np.float64, np.int32)


def matrix(shape: tuple[int, ...], zero: float, type: type, seed: int) -> np.ndarray:
    """Small whole numbers, many equal, a fifth of them the semiring's zero: sums are exact in every type."""
    random = np.random.default_rng(seed)
    numbers = random.integers(-9, 10, shape).astype(type)
    numbers[random.random(shape) < 0.2] = zero
    return numbers


def same(found: np.ndarray, expected: np.ndarray) -> None:
    """Equal, where numbers near an integer's infinity are infinite, as negative costs leave them."""
    if found.dtype == np.int32:
        found, expected = (np.clip(numbers, -(1 << 29), 1 << 29) for numbers in (found, expected))
    np.testing.assert_array_equal(found, expected)


def multiply(
    a: np.ndarray, b: np.ndarray, semiring: Semiring = MIN_PLUS, threads: int = 1, layout: Layout = "tiles"
) -> np.ndarray:
    """The product on the CPU."""
    with CpuRun(threads=threads).phase("product") as phase:
        return cpu.multiply_matrices(a, b, semiring, phase, layout)


def indexed_product(a: np.ndarray, b: np.ndarray, threads: int) -> tuple[np.ndarray, np.ndarray]:
    """The (min, +) product on the CPU, and the smallest k of every minimum."""
    zero = MIN_PLUS.zero_element(a.dtype)
    left, right = (cpu_blocks.block_matrix(one, zero) for one in (a, b))
    c = cpu_blocks.filled_blocks(a.shape[0], b.shape[1], zero, a.dtype)
    indices = np.full(c.data.size, -1, np.int32)
    with CpuRun(threads=threads).phase("product") as phase:
        cpu.add_indexed_product(left, right, c, indices, phase)
    return cpu_blocks.unblock_matrix(c), cpu_blocks.unblock_matrix(c, indices)


@pytest.mark.parametrize("semiring", SEMIRINGS, ids=lambda semiring: semiring.id)
@pytest.mark.parametrize("type", TYPES)
@try_examples(25)
@given(m=SIZES, d=SIZES, n=SIZES, threads=st.integers(1, 3), layout=st.sampled_from(("tiles", "rows")),
       seed=st.integers(0, 999))  # fmt: skip
def test_product_is_the_definition(semiring, type, m, d, n, threads, layout, seed) -> None:
    zero = semiring.zero_element(type)
    a, b = matrix((m, d), zero, type, seed), matrix((d, n), zero, type, seed + 1)
    same(multiply(a, b, semiring, threads, layout), reference.multiply_by_definition(a, b, semiring))


@pytest.mark.parametrize("type", TYPES)
@try_examples(25)
@given(m=SIZES, d=SIZES, n=SIZES, threads=st.integers(1, 3), seed=st.integers(0, 999))
def test_indexed_product_names_the_smallest_winner(type, m, d, n, threads, seed) -> None:
    d = d or 1
    a, b = (np.abs(matrix(shape, MIN_PLUS.zero_element(type), type, seed)) for shape in ((m, d), (d, n)))
    values, indices = indexed_product(a, b, threads)
    expected, winners = reference.multiply_with_indices(a, b)
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(indices, winners)


def test_ordinary_product_is_numpys() -> None:
    a, b = matrix((70, 90), 0, np.float64, 1), matrix((90, 66), 0, np.float64, 2)
    np.testing.assert_array_equal(multiply(a, b, PLUS_TIMES), a @ b)


@pytest.mark.parametrize("semiring", SEMIRINGS, ids=lambda semiring: semiring.id)
def test_products_associate_and_the_identity_changes_nothing(semiring: Semiring) -> None:
    a, b, c = (matrix((9, 9), semiring.zero_element(np.float64), np.float64, seed) for seed in range(3))
    left = multiply(multiply(a, b, semiring), c, semiring)
    np.testing.assert_array_equal(left, multiply(a, multiply(b, c, semiring), semiring))
    np.testing.assert_array_equal(multiply(a, semiring.identity_matrix(9, np.float64), semiring), a)
