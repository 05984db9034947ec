"""Vectors do what NumPy does."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from antidiag.kernels.cpu import lane_moves, simd
from antidiag.kernels.cpu.jit import cached_njit

A = np.array([5, -7, 2**31 - 1, -(2**31), 0, 1, 2, 3, 4, -5, 6, 7, 8, 9, 10, 11], np.int32)
B = np.array([3, -7, 1, 1, 0, -1, 9, 3, -4, 5, 6, -7, 80, 9, 1, 12], np.int32)


@cached_njit
def calculate(a, b, results):
    x, y = simd.load(a, 0), simd.load(b, 0)
    simd.store(results[0], 0, simd.add(x, y))
    simd.store(results[1], 0, simd.subtract(x, y))
    simd.store(results[2], 0, simd.maximum(x, y))
    simd.store(results[3], 0, simd.select_lanes(simd.greater_lanes(x, y), x, simd.splat(np.int32(-1))))
    simd.store(
        results[4],
        0,
        simd.select_lanes(simd.bit_and(simd.equal_lanes(x, y), simd.greater_lanes(x, simd.lane_numbers())), x, y),
    )
    simd.store(results[5], 0, lane_moves.shift_in(x, np.int32(77)))
    simd.store(results[6], 0, simd.shift_left(y, simd.splat(np.int32(4))))
    simd.store(results[7], 0, lane_moves.prefix_maximum(y))
    return lane_moves.last_lane(x), simd.any_lane(simd.equal_lanes(x, y)), simd.any_lane(simd.greater_lanes(x, x))


@cached_njit
def transposed(source, offsets, target):
    lane_moves.transpose_block(source, offsets, 1, target, 16)


@cached_njit
def copied(source, target):
    simd.store(target, 1, simd.load(source, 1))


@cached_njit
def calculate_short(a, b, results, codes):
    x, y = simd.load(a, 1), simd.load(b, 1)
    simd.store(results[0], 0, simd.add(x, y))
    simd.store(results[1], 0, simd.maximum(x, y))
    simd.store(results[2], 0, simd.select_lanes(simd.equal_lanes(x, y), simd.splat_like(x, 7), x))
    simd.store(results[3], 0, lane_moves.shift_in(x, b[0]))
    simd.store(results[4], 0, simd.select_lanes(simd.flag_lanes_after(x, 4), y, x))
    simd.store(codes, 1, x)
    return simd.lane_count(x)


@cached_njit
def shifted(source, target):
    simd.store(target, 0, lane_moves.shift_in_element(simd.load(source, 4), source, 70))


@cached_njit
def stored_last(source, target):
    lane_moves.store_last_lane(target, 1, simd.load(source, 2))


@cached_njit
def copied_some(target, source, count):
    simd.copy_elements(target, 3, source, 40, count)


@cached_njit
def take(words, taken):
    for i in range(taken.size):
        taken[i] = simd.fetch_add(words, 1)


@cached_njit
def write_all(numbers, word, count):
    for i in range(count):
        numbers[i] = i + 1
        simd.store_release(word, 0, i + 1)


@cached_njit
def read_all(numbers, word, count):
    wrong = 0
    while True:
        seen = simd.load_acquire(word, 0)
        if seen and numbers[seen - 1] != seen:
            wrong += 1
        if seen == count:
            return wrong


@cached_njit
def paired(rows, columns, total, found):
    x, y = simd.load(rows, 0), simd.load(columns, 0)
    simd.store(found[0], 0, simd.multiply_add_pairs(simd.load(total, 0), x, y))
    simd.store(found[1], 0, lane_moves.shift_in_last(x, y))
    simd.store(found[2], 0, lane_moves.splat_last(y))


def test_pairs_are_multiplied_and_last_lanes_handed_on() -> None:
    random = np.random.default_rng(2)
    left, right = (random.integers(-(2**15), 2**15, 32).astype(np.int16) for _ in range(2))
    left[:2] = right[:2] = -(2**15)
    total, found = random.integers(-1000, 1000, 16).astype(np.int32), np.zeros((3, 16), np.int32)
    rows, columns = left.view(np.int32), right.view(np.int32)
    paired(rows, columns, total, found)
    products = left.astype(np.int64) * right
    np.testing.assert_array_equal(found[0], (products[::2] + products[1::2] + total).astype(np.int32))
    np.testing.assert_array_equal(found[1], np.append(rows[-1], columns[:-1]))
    np.testing.assert_array_equal(found[2], np.full(16, columns[-1]))


def test_arithmetic_wraps_and_compares_with_signs() -> None:
    results = np.empty((8, 16), np.int32)
    assert calculate(A, B, results) == (11, True, False)
    lanes = np.arange(16)
    expected = [A + B, A - B, np.maximum(A, B), np.where(A > B, A, -1), np.where((A == B) & (lanes < A), A, B)]
    np.testing.assert_array_equal(results[:5], expected)
    np.testing.assert_array_equal(results[5], [77, *A[:-1]])
    np.testing.assert_array_equal(results[6], B * 16)
    np.testing.assert_array_equal(results[7], np.maximum.accumulate(B))


def test_short_lanes_wrap_and_compare_too() -> None:
    random, results = np.random.default_rng(1), np.empty((5, 32), np.int16)
    a, b = (random.integers(-(2**15), 2**15, 34).astype(np.int16) for _ in range(2))
    b[8:12] = a[8:12]
    codes = np.zeros(33, np.uint8)
    assert calculate_short(a, b, results, codes) == 32
    x, y = a[1:33], b[1:33]
    expected = [x + y, np.maximum(x, y), np.where(x == y, 7, x), [b[0], *x[:-1]], [*x[:5], *y[5:]]]
    np.testing.assert_array_equal(results[:5], expected)
    np.testing.assert_array_equal(codes, [0, *(x.astype(np.int64) % 256)])


@pytest.mark.parametrize(("dtype", "lanes"), [(np.int8, 16), (np.int32, 16), (np.int16, 32)])
def test_transpose_turns_rows_into_columns(dtype: type, lanes: int) -> None:
    source = np.random.default_rng(1).integers(-128, 128, 1400).astype(dtype)
    offsets = np.random.default_rng(2).permutation(lanes) * 40
    target = np.zeros(16 + lanes * lanes, dtype)
    transposed(source, offsets, target)
    expected = [source[offsets + 1 + column] for column in range(lanes)]
    np.testing.assert_array_equal(target[16:].reshape(lanes, lanes), expected)
    assert not target[:16].any()


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_what_enters_can_come_from_an_array(dtype: type) -> None:
    source = np.arange(100, dtype=dtype)
    target = np.zeros(34, dtype)
    shifted(source, target)
    lanes = 64 // source.itemsize
    np.testing.assert_array_equal(target[:lanes], [70, *range(4, 3 + lanes)])


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_the_last_quarter_is_stored_alone(dtype: type) -> None:
    """The last lane goes where ``store`` puts it, and nothing is written behind it or far before it."""
    source, target = np.arange(1, 50, dtype=dtype), np.zeros(40, dtype)
    stored_last(source, target)
    lanes = 64 // source.itemsize
    expected = np.zeros_like(target)
    expected[1 + 3 * lanes // 4 : 1 + lanes] = source[2 + 3 * lanes // 4 : 2 + lanes]
    np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize("count", [0, 1, 33])
def test_copies_are_of_so_many_numbers(count: int) -> None:
    target = np.zeros(50, np.int16)
    copied_some(target, np.arange(90, dtype=np.int16), count)
    np.testing.assert_array_equal(target, [0] * 3 + list(range(40, 40 + count)) + [0] * (47 - count))


def test_tickets_are_all_different() -> None:
    words, taken = np.zeros(2, np.int64), np.full((2, 5000), -1)
    threads = [threading.Thread(target=take, args=(words, taken[number])) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(np.sort(taken, axis=None), np.arange(10_000))
    assert words.tolist() == [0, 10_000]


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
