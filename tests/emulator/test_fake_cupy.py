"""The emulator's CuPy: as strict as the real one where host code could go wrong."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels.cuda import devices


@pytest.fixture(scope="module")
def cupy(emulated):
    import cupy

    return cupy


def test_the_device_is_found(emulated):
    (found,), reason = devices.discover_devices()
    assert (found.name, found.multiprocessors, found.compute_capability) == ("emulated GPU", 4, (9, 0))
    assert devices.free_memory_bytes(0) <= found.memory_bytes == 8 * 2**30 and not reason


def test_arrays_go_to_the_device_and_come_back(cupy):
    values = np.arange(12, dtype=np.int32).reshape(3, 4)
    array = cupy.asarray(values)
    values[:] = 0
    assert array.get().tolist() == np.arange(12).reshape(3, 4).tolist()
    assert isinstance(array, cupy.ndarray) and array.get() is not array.get()
    array[1:, 2] = 7
    assert array[1].get().tolist() == [4, 5, 7, 7]
    assert int(array[2, 3]) == 11 and array[2, 3].shape == ()


def test_slices_share_memory_and_know_their_address(cupy):
    array = cupy.zeros((4, 8), np.int32)
    part = array[1:, 2:]
    assert part.data.ptr == array.data.ptr + 4 * (8 + 2)
    part.fill(3)
    assert array.get().sum() == 3 * 3 * 6
    array[2].data.memset_async(0xFF, array[2].nbytes, cupy.cuda.get_current_stream())
    assert (array.get()[2] == -1).all() and (array.get()[3, 2:] == 3).all()
    with pytest.raises(ValueError, match="memset of 36 bytes, and 32 are there"):
        array[3].data.memset(0, 36)


def test_rectangles_are_copied(cupy):
    array, found = cupy.asarray(np.arange(24, dtype=np.int32).reshape(4, 6)), np.zeros((2, 3), np.int32)
    pointers = found.ctypes.data, 12, array[1:, 2:].data.ptr
    copy, to_host = cupy.cuda.runtime.memcpy2DAsync, cupy.cuda.runtime.memcpyDeviceToHost
    copy(*pointers, array.strides[0], 12, 2, to_host, 0)
    assert found.tolist() == [[8, 9, 10], [14, 15, 16]]
    with pytest.raises(cupy.cuda.runtime.CUDARuntimeError, match="pitch"):
        copy(*pointers, 8, 12, 2, to_host, 0)


def test_memory_is_not_zero_before_it_is_written(cupy):
    assert (cupy.empty(100, np.uint8).get() == 0xCB).all()


def test_numpy_takes_no_array_of_the_device(cupy):
    array = cupy.zeros(3)
    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(array)
    for operands in ((array, np.zeros(3)), (np.zeros(3), array)):
        with pytest.raises(TypeError, match="Unsupported type"):
            operands[0] + operands[1]
    with pytest.raises(ValueError, match="Unsupported dtype"):
        cupy.empty(3, np.dtype([("a", "i4")]))
    with pytest.raises(TypeError, match="cannot be set"):
        array.set(np.zeros(3, np.int32))


def test_arithmetic_is_numpys(cupy):
    array = cupy.arange(5, dtype=np.int32)
    assert ((array + 1) * array).get().tolist() == [0, 2, 6, 12, 20]
    array += cupy.ones(5, np.int32)
    assert cupy.cumsum(array).get().tolist() == [1, 3, 6, 10, 15] and int(array.max()) == 5
    assert cupy.concatenate([array[:1], array[3:]]).get().tolist() == [1, 4, 5]
    with pytest.raises(AttributeError, match="has no 'fft'"):
        _ = cupy.fft


def test_the_pool_counts_as_cupys_does(cupy):
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.total_bytes()
    arrays = [cupy.empty(size, np.uint8) for size in (1, 513, 0)]
    assert pool.total_bytes() - before == 512 + 1024
    del arrays
    again = cupy.empty(600, np.uint8)
    assert pool.total_bytes() - before == 512 + 1024 and pool.free_bytes() == 512
    del again
    pool.free_all_blocks()
    assert pool.total_bytes() == before
    with pytest.raises(cupy.cuda.memory.OutOfMemoryError):
        cupy.empty(9 * 2**30, np.uint8)


def test_a_graph_repeats_what_was_captured(cupy):
    text = 'extern "C" __global__ void increase(int* a) { a[threadIdx.x] += threadIdx.x; }'
    kernel = cupy.RawModule(code=text).get_function("increase")
    array = cupy.zeros(4, np.int32)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        stream.begin_capture()
        kernel((1,), (4,), (array,))
        graph = stream.end_capture()
        assert not array.get().any()
        for _ in range(3):
            graph.launch(stream)
    assert array.get().tolist() == [0, 3, 6, 9]


CONSTANT = """
__constant__ int table[4];
extern "C" __global__ void twice(int* results) { results[threadIdx.x] = 2 * table[threadIdx.x]; }
"""


def test_constant_memory_is_filled_by_the_host(cupy):
    module = cupy.RawModule(code=CONSTANT)
    table = cupy.ndarray((4,), np.int32, module.get_global("table"))
    table.set(np.array([1, 2, 3, 5], np.int32))
    results = cupy.empty(4, np.int32)
    module.get_function("twice")((1,), (4,), (results,))
    assert results.get().tolist() == [2, 4, 6, 10]
    with pytest.raises(RuntimeError, match="there is no variable none"):
        module.get_global("none")
