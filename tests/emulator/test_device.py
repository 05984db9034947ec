"""The emulated device: what works on it as on a GPU, and what it reports."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels.cuda.kernel_compiler import compile_module
from tests.emulator.emulation import order

HERE = Path(__file__).parent
LANES = 32
SEEDS = (0, 1, 2)


@pytest.fixture(scope="module")
def cupy(emulated):
    import cupy

    return cupy


@pytest.fixture
def kernel(cupy):
    """``kernel(name, grid, block, *arguments, shared=0)`` launches a kernel of example.cu or arithmetic.cu."""

    def launch(name, grid, block, *arguments, file="example.cu", shared=0, seed=0):
        compiled, _ = compile_module((HERE / file,), {})
        with order(seed):
            compiled.get_function(name)((grid,), (block,), arguments, shared_mem=shared)

    return launch


@pytest.fixture(scope="module")
def launch_error(emulated):
    from tests.emulator.fake_cupy.kernels import LaunchError

    return LaunchError


@pytest.mark.parametrize("seed", SEEDS)
def test_a_sum_by_shuffles(cupy, kernel, seed):
    values = np.random.default_rng(1).integers(-100, 100, 128).astype(np.int32)
    sums = cupy.empty(4, np.int32)
    kernel("sum_by_shuffles", 1, 128, cupy.asarray(values), sums, seed=seed)
    np.testing.assert_array_equal(sums.get(), values.reshape(4, LANES).sum(1))


@pytest.mark.parametrize("seed", SEEDS)
def test_exchanges_between_lanes(cupy, kernel, seed):
    values = np.random.default_rng(2).integers(0, 20, LANES).astype(np.int32)
    results = cupy.zeros((9, LANES), np.uint32)
    kernel("exchanges", 1, LANES, cupy.asarray(values), results, seed=seed)
    there, lane = values[:31], np.arange(31)
    lower = lane < 16
    ballot = sum(int(value % 2) << index for index, value in enumerate(there))
    halves = there[:16], there[16:]
    votes = [int((half == 5).any()) + 2 * int((half < 16).all()) for half in halves]
    same = [sum(1 << other for other in range(31) if there[other] % 3 == there[own] % 3) for own in range(31)]
    expected = [
        np.full(31, there[3]),
        there[lane // 8 * 8 + 3],
        np.where(lane % 16 < 2, there, there[lane - 2]),
        there[np.minimum(lane ^ 1, 30)],
        np.full(31, ballot),
        np.where(lower, *votes),
        np.array(same),
        np.where(lower, *(half.sum() for half in halves)),
        np.full(31, -int(there.min())),
    ]
    found = results.get()[:, :31]
    found[3, 30] = expected[3][30]  # its neighbour has ended: the device leaves the value open
    np.testing.assert_array_equal(found, np.array(expected).astype(np.uint32))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_barrier_and_shared_memory_of_every_block(cupy, kernel, seed):
    values = np.random.default_rng(3).integers(-9, 9, (50, 96)).astype(np.int32)
    reversed_, negative = cupy.empty(values.shape, np.int32), cupy.empty(50, np.int32)
    kernel("reverse", 50, 96, cupy.asarray(values), reversed_, negative, shared=4 * 96, seed=seed)
    np.testing.assert_array_equal(reversed_.get(), values[:, ::-1])
    np.testing.assert_array_equal(negative.get(), (values < 0).sum(1))


@pytest.mark.parametrize("seed", SEEDS)
def test_blocks_wait_for_each_other_by_tickets(cupy, kernel, seed):
    blocks = 200
    ticket, sums = cupy.zeros(1, np.uint32), cupy.zeros(blocks, np.uint64)
    kernel("chain", blocks, 64, ticket, sums, seed=seed)
    np.testing.assert_array_equal(sums.get(), np.cumsum(np.arange(1, blocks + 1)))


def test_a_loop_over_a_volatile_word_gives_way(cupy, kernel):
    done = cupy.zeros(8, np.int32)
    kernel("wait_for_the_next_block", 8, 1, done)
    assert done.get().all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_missing_barrier_shows(cupy, kernel, seed):
    results = cupy.zeros(LANES, np.int32)
    kernel("race", 1, LANES, results, seed=seed)
    assert (results.get() != np.roll(np.arange(LANES), -1)).any()


@pytest.mark.parametrize(("fence", "expected"), [(0, {0, 7}), (1, {7})])
def test_a_missing_fence_shows(cupy, kernel, fence: int, expected: set[int]):
    found = set()
    for seed in range(1, 30):
        words = cupy.zeros(3, np.uint64)
        kernel("hand_over", 2, 1, words, words[1:], words[2:], np.int32(fence), seed=seed)
        found.add(int(words[2]))
    assert found == expected


def test_a_deadlock_names_operations_lines_and_threads(kernel, launch_error):
    with pytest.raises(launch_error) as found:
        kernel("deadlock", 3, LANES)
    report = str(found.value)
    assert report.startswith("deadlock in kernel deadlock: no thread can go on")
    line = next(number for number, text in enumerate(lines("example.cu"), 1) if "__shfl_sync(WARP, 1, 0)" in text)
    assert f"81 wait for __shfl_sync of mask ffffffff at example.cu:{line}" in report
    assert f"15 wait for __syncthreads at example.cu:{line - 1}" in report
    assert "block (0, 0, 0), thread (5, 0, 0)" in report


def lines(file: str) -> list[str]:
    return (HERE / file).read_text().splitlines()


def test_polling_for_ever_is_a_deadlock(cupy, kernel, launch_error):
    with pytest.raises(launch_error, match="deadlock in kernel poll_for_ever: its threads poll, and none writes"):
        kernel("poll_for_ever", 1, 2, cupy.zeros(1, np.uint64))


def test_an_endless_loop_ends(cupy, kernel, launch_error, monkeypatch):
    from tests.emulator.fake_cupy.kernels import settings

    monkeypatch.setattr(settings, "seconds", 0.2)
    with pytest.raises(launch_error, match=r"an endless loop .*in kernel loop_for_ever, block \(0, 0, 0\), thread \(0"):
        kernel("loop_for_ever", 1, 2, cupy.zeros(1, np.int32), file="arithmetic.cu")


def test_lanes_that_meet_at_different_operations(kernel, launch_error):
    with pytest.raises(launch_error, match="lanes of one mask meet at __syncwarp and __any_sync at example"):
        kernel("different_operations", 1, LANES)


@pytest.mark.parametrize(
    ("name", "arguments", "report"),
    [
        ("read", (8,), "access to 0 bytes beyond an array of 32 bytes at example.cu"),
        ("read", (1008,), "access to 4000 bytes beyond an array of 32 bytes"),
        ("write", (10,), "access to 8 bytes beyond an array of 32 bytes"),
        ("divide", (), "a division by zero"),
        ("shift", (), "a shift by too many bits"),
        ("recurse", (), "the stack of a thread is full"),
    ],
)
def test_a_wrong_access_or_operation_ends_the_launch(cupy, kernel, launch_error, name, arguments, report):
    values = cupy.asarray(np.array([1, 0, 0, 0, 0, 0, 0, 0], np.int32))
    if name == "shift":
        values[1] = 32
    given = (values, cupy.empty(1, np.int32)) if name == "read" else (values,)
    with pytest.raises(launch_error, match=report) as found:
        kernel(name, 1, 1, *given, *map(np.int32, arguments))
    assert f"in kernel {name}, block (0, 0, 0), thread (0, 0, 0)" in str(found.value)


def test_a_null_pointer_and_a_misaligned_one(cupy, kernel, launch_error):
    result = cupy.empty(4, np.int32)
    with pytest.raises(launch_error, match="a null pointer"):
        kernel("read", 1, 1, np.uint64(0), result, np.int32(3))
    with pytest.raises(launch_error, match="a misaligned access"):
        kernel("read_four", 1, 1, cupy.zeros(8, np.int32)[1:], result)


def test_shared_memory_ends_where_the_launch_says(kernel, launch_error):
    kernel("write_shared", 2, 1, np.int32(3), shared=16)
    with pytest.raises(launch_error, match="4 bytes beyond the dynamic shared memory of 16 bytes"):
        kernel("write_shared", 2, 1, np.int32(5), shared=16)


def test_writing_just_before_an_array_is_found_when_it_is_freed(cupy, kernel, launch_error):
    values = cupy.zeros(4, np.int32)
    kernel("write", 1, 1, values, np.int32(-1))
    del values
    with pytest.raises(launch_error, match="just before or behind an array of 16 bytes"):
        kernel("write", 1, 1, cupy.zeros(1, np.int32), np.int32(0))


def test_an_assertion_names_the_thread(kernel, launch_error):
    with pytest.raises(launch_error, match=r"assertion failed: threadIdx.x < limit .* thread \(3, 0, 0\)"):
        kernel("fail_to_assert", 1, 4, np.int32(3))  # thread 3 alone fails


def test_a_launch_after_a_failed_one_works(cupy, kernel, launch_error):
    with pytest.raises(launch_error):
        kernel("deadlock", 1, LANES)
    test_blocks_wait_for_each_other_by_tickets(cupy, kernel, 0)


def test_arguments_fit_the_parameters(cupy, kernel, launch_error):
    result, pointer = cupy.empty(1, np.float64), cupy.asarray(np.array([4], np.int32))
    right = [np.int32(1), np.float32(0.5), 2, pointer, result]
    kernel("take", 1, 1, *right)
    assert result.get() == 7.5
    for place, wrong in ((0, 1), (0, np.float32(1)), (1, 0.5), (1, np.int32(1)), (2, np.int32(1)), (3, 1.0)):
        with pytest.raises(launch_error, match=f"argument {place}: a parameter of"):
            kernel("take", 1, 1, *right[:place], wrong, *right[place + 1 :])
    with pytest.raises(launch_error, match="takes 5 arguments, 4 were given"):
        kernel("take", 1, 1, *right[:4])


def test_a_kernel_is_described_however_often_while_no_thread_runs(kernel, cupy):
    compiled, _ = compile_module((HERE / "example.cu",), {})
    for _ in range(600):
        assert len(compiled.parameters("take")) == 5


def test_a_launch_that_no_device_takes(kernel, launch_error):
    for block, shared in ((2048, 0), (0, 0), (32, 49 << 10)):
        with pytest.raises(launch_error, match="no device takes|dynamic shared memory"):
            kernel("deadlock", 1, block, shared=shared)


def test_intrinsics_on_words(cupy, kernel):
    a, b, c = words = np.random.default_rng(4).integers(-(2**31), 2**31, (3, 1000))
    found = results_of(cupy, kernel, "in_words", words, 14)
    total = (a + b).astype(np.int32).astype(np.int64)
    unsigned = a.astype(np.int32).view(np.uint32)
    bits = [f"{value:032b}" for value in unsigned]
    expected = [
        *(np.maximum(total, c), np.maximum(np.maximum(total, c), 0), np.minimum(total, c)),
        *(words.max(0), words.min(0), np.maximum(words.max(0), 0)),
        [text.count("1") for text in bits],
        [32 - len(text.lstrip("0")) for text in bits],
        [32 - len(text.rstrip("0")) + 1 if "1" in text else 0 for text in bits],
        (a & 0xFFFF) | (b & 0xFFFF) << 16,
        (unsigned >> 16).astype(np.uint8).view(np.int8),
        a * b >> 32,
        b << 8 | unsigned >> 24,
        [int(text[::-1], 2) for text in bits],
    ]
    np.testing.assert_array_equal(found, [np.asarray(row, np.int64).astype(np.int32) for row in expected])


def test_intrinsics_on_halves(cupy, kernel):
    words = np.random.default_rng(5).integers(-(2**31), 2**31, (3, 1000))
    words[0, :200] = words[1, :200]
    found = results_of(cupy, kernel, "in_halves", words, 16)
    halves = words.astype(np.int32).view(np.int16)
    a, b, c = halves.astype(np.int64)
    u, v, _ = halves.view(np.uint16).astype(np.int64)
    ones = [(word & 1).astype(np.int32).view(np.int16) for word in words[:2]]
    total = (a + b).astype(np.int16)
    expected = [
        *(a + b, a - b, np.maximum(a, b), np.minimum(a, b), np.maximum(u, v)),
        *(np.maximum(np.maximum(a, b), c), np.minimum(np.minimum(a, b), c), halves.max(0, initial=0)),
        *(np.maximum(total, c), np.maximum(np.maximum(total, c), 0), np.minimum(total, c)),
        *(np.clip(a + b, -(2**15), 2**15 - 1), np.maximum(u - v, 0), -(a > b).astype(int), ones[0] == ones[1]),
        np.abs(u - v),
    ]
    expected = [np.asarray(row, np.int64).astype(np.int16).view(np.int32) for row in expected]
    np.testing.assert_array_equal(found, expected)


def results_of(cupy, kernel, name: str, words: np.ndarray, rows: int) -> np.ndarray:
    results = cupy.empty((rows, words.shape[1]), np.int32)
    on_device = (cupy.asarray(row.astype(np.int32)) for row in words)
    kernel(name, 8, 128, *on_device, results, np.int32(words.shape[1]), file="arithmetic.cu")
    return results.get()


@pytest.mark.parametrize("seed", SEEDS)
def test_atomics(cupy, kernel, seed):
    values = cupy.asarray(np.array([0, 0, 9, 0, 0, 0], np.uint32))
    kernel("atomics", 5, 40, values, file="arithmetic.cu", seed=seed)
    total = 200 * 199 // 2
    assert values.get().tolist() == [total, 199, 0, 2**32 - 1, 0, total]


def test_a_texture_is_0_outside(cupy, kernel):
    from cupy.cuda import runtime, texture

    values, results = cupy.asarray(np.array([3, 4, 5], np.int32)), cupy.empty(6, np.int32)
    channel = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindSigned)
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeLinear, arr=values, chDesc=channel, sizeInBytes=12)
    kernel("fetch", 1, 6, texture.TextureObject(resource, texture.TextureDescriptor()), results, file="arithmetic.cu")
    assert results.get().tolist() == [0, 3, 4, 5, 0, 0]
