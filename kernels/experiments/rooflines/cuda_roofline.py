"""The limits of a GPU, measured with the kernels of roofline.cu. Imports CuPy: only where a GPU is measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cupy
import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.kernel_compiler import compile_module as compiled
from antidiag.kernels.monitor import Monitor

SOURCE = Path(__file__).with_name("roofline.cu")
THREADS, BLOCKS_A_MULTIPROCESSOR = 512, 4
CHAINS = 8
LOOPS = 4096
LARGEST_BYTES = 2**30
"""Bytes of each of the three arrays of the triad, where so much memory is free."""
LAUNCHES = 10
"""The fastest of so many launches counts; the first one also wakes the clocks."""


def measure_gpu(device: int, monitor: Monitor) -> tuple[float, float]:
    """Fused add-and-maximum operations and bytes a second of a GPU."""
    with devices.use_device(device):
        module, _ = compiled((SOURCE,), {})
        blocks = BLOCKS_A_MULTIPROCESSOR * devices.find_device(device).multiprocessors
        return _operations_per_s(module, blocks, monitor), _bytes_per_s(module, blocks, device, monitor)


def _operations_per_s(module: cupy.RawModule, blocks: int, monitor: Monitor) -> float:
    results = cupy.empty(blocks * THREADS, cupy.int32)
    kernel = module.get_function("operations")
    arguments = (results, np.int32(-1), np.int32(-1000), np.int32(LOOPS))
    seconds = _fastest_s(lambda: kernel((blocks,), (THREADS,), arguments), monitor, 0)
    return blocks * THREADS * LOOPS * CHAINS / seconds


def _bytes_per_s(module: cupy.RawModule, blocks: int, device: int, monitor: Monitor) -> float:
    count = min(LARGEST_BYTES, devices.free_memory_bytes(device) // 8) // 16
    arrays = [cupy.zeros(4 * count, cupy.float32) for _ in range(3)]
    kernel = module.get_function("triad")
    arguments = (*arrays, np.float32(2), np.int64(count))
    return 3 * 16 * count / _fastest_s(lambda: kernel((blocks,), (THREADS,), arguments), monitor, LAUNCHES)


def _fastest_s(launch: Callable[[], None], monitor: Monitor, ran: int) -> float:
    """Seconds of the fastest launch, by the clock of the device. ``ran`` are the launches of others until now."""
    found = []
    for number in range(LAUNCHES):
        monitor.update(ran + number, 2 * LAUNCHES, "memory" if ran else "operations")
        before, after = cupy.cuda.Event(), cupy.cuda.Event()
        before.record()
        launch()
        after.record()
        after.synchronize()
        found.append(cupy.cuda.get_elapsed_time(before, after) / 1e3)
    return min(found)
