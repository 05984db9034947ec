"""Vectors of 16 lanes do what NumPy does."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from kernels import simd
from kernels.jit import compiled

A = np.array([5, -7, 2**31 - 1, -(2**31), 0, 1, 2, 3, 4, -5, 6, 7, 8, 9, 10, 11], np.int32)
B = np.array([3, -7, 1, 1, 0, -1, 9, 3, -4, 5, 6, -7, 80, 9, 1, 12], np.int32)


@compiled
def calculate(a, b, results):
    x, y = simd.load(a, 0), simd.load(b, 0)
    simd.store(results[0], 0, simd.add(x, y))
    simd.store(results[1], 0, simd.subtract(x, y))
    simd.store(results[2], 0, simd.maximum(x, y))
    simd.store(results[3], 0, simd.select(simd.greater(x, y), x, simd.splat(np.int32(-1))))
    simd.store(results[4], 0, simd.select(simd.both(simd.equal(x, y), simd.greater(x, simd.lane_numbers())), x, y))
    simd.store(results[5], 0, simd.shift_in(x, np.int32(77)))
    simd.store(results[6], 0, simd.shift_left(y, simd.splat(np.int32(4))))
    simd.store(results[7], 0, simd.prefix_maximum(y))
    return simd.last_lane(x), simd.any_lane(simd.equal(x, y)), simd.any_lane(simd.greater(x, x))


@compiled
def transposed(source, offsets, target):
    simd.transpose(source, offsets, 1, target, 16)


@compiled
def copied(source, target):
    simd.store(target, 1, simd.load(source, 1))


@compiled
def write_all(numbers, word, count):
    for i in range(count):
        numbers[i] = i + 1
        simd.release(word, 0, i + 1)


@compiled
def read_all(numbers, word, count):
    wrong = 0
    while True:
        seen = simd.acquire(word, 0)
        if seen and numbers[seen - 1] != seen:
            wrong += 1
        if seen == count:
            return wrong


def test_arithmetic_wraps_and_compares_with_signs() -> None:
    results = np.empty((8, 16), np.int32)
    assert calculate(A, B, results) == (11, True, False)
    lanes = np.arange(16)
    expected = [A + B, A - B, np.maximum(A, B), np.where(A > B, A, -1), np.where((A == B) & (lanes < A), A, B)]
    np.testing.assert_array_equal(results[:5], expected)
    np.testing.assert_array_equal(results[5], [77, *A[:-1]])
    np.testing.assert_array_equal(results[6], B * 16)
    np.testing.assert_array_equal(results[7], np.maximum.accumulate(B))


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
def test_transpose_turns_sixteen_rows_into_columns(dtype: type) -> None:
    source = np.random.default_rng(1).integers(-128, 128, 700).astype(dtype)
    offsets = np.random.default_rng(2).permutation(16) * 40
    target = np.zeros(16 + 256, dtype)
    transposed(source, offsets, target)
    expected = [source[offsets + 1 + column] for column in range(16)]
    np.testing.assert_array_equal(target[16:].reshape(16, 16), expected)
    assert not target[:16].any()


def test_loads_widen_with_sign_and_stores_keep_low_bits() -> None:
    narrow = np.arange(-9, 9).astype(np.int8)
    wide = np.zeros(18, np.int32)
    copied(narrow, wide)
    np.testing.assert_array_equal(wide, [0, *range(-8, 8), 0])
    codes = np.zeros(18, np.uint8)
    copied(wide + 256, codes)
    np.testing.assert_array_equal(codes, [0, *(np.arange(-8, 8) % 256), 0])


def test_what_was_written_before_a_release_is_read_after_it() -> None:
    numbers, word = np.zeros(200_000, np.int64), np.zeros(1, np.int64)
    writer = threading.Thread(target=write_all, args=(numbers, word, numbers.size))
    writer.start()
    assert read_all(numbers, word, numbers.size) == 0
    writer.join()
