"""cupy.cuda: devices that are all an "emulated GPU", one unless `Machine` says more."""

from __future__ import annotations

import ctypes
import threading
from types import SimpleNamespace
from typing import Any

from tests.emulator.fake_cupy import streams as texture
from tests.emulator.fake_cupy.device_memory import (
    TOTAL_BYTES,
    MemoryPointer,
    MemoryPool,
    OutOfMemoryError,
    PinnedMemoryPool,
    alloc,
    alloc_pinned_memory,
    bytes_taken,
    using_allocator,
)
from tests.emulator.fake_cupy.kernels import (
    MOST_THREADS,
    MULTIPROCESSORS,
    SHARED_BYTES,
    SHARED_BYTES_OPTIN,
    CompileException,
    LaunchError,
    resident_blocks,
)
from tests.emulator.fake_cupy.streams import Event, Graph, Stream, get_current_stream, get_elapsed_time

__all__ = [
    "CUDARuntimeError",
    "Device",
    "Event",
    "Graph",
    "MemoryPointer",
    "MemoryPool",
    "PinnedMemoryPool",
    "Stream",
    "alloc",
    "alloc_pinned_memory",
    "compiler",
    "driver",
    "get_current_stream",
    "get_elapsed_time",
    "is_available",
    "memory",
    "profiler",
    "runtime",
    "stream",
    "texture",
    "using_allocator",
]
NAME = "emulated GPU"
MAJOR, MINOR = 9, 0


class CUDARuntimeError(RuntimeError):
    """As CuPy's."""


class Machine:
    """The devices that there are; they share one memory, as peers seem to."""

    device_count = 1


_current = threading.local()


class Device:
    """A device; all are alike."""

    compute_capability = f"{MAJOR}{MINOR}"
    attributes = {
        "MultiProcessorCount": MULTIPROCESSORS,
        "MaxSharedMemoryPerBlock": SHARED_BYTES,
        "MaxSharedMemoryPerBlockOptin": SHARED_BYTES_OPTIN,
        "MaxSharedMemoryPerMultiprocessor": 228 << 10,
        "MaxThreadsPerBlock": MOST_THREADS,
        "MaxThreadsPerMultiProcessor": 2048,
        "MaxBlocksPerMultiprocessor": 8,
        "MaxGridDimX": 2**31 - 1,
        "WarpSize": 32,
        "ComputeCapabilityMajor": MAJOR,
        "ComputeCapabilityMinor": MINOR,
        "ClockRate": 1_000_000,
        "L2CacheSize": 4 << 20,
        "CooperativeLaunch": 1,
        "SingleToDoublePrecisionPerfRatio": 2,
    }

    def __init__(self, device: int | None = None) -> None:
        if device is not None and not 0 <= device < Machine.device_count:
            raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
        self.id = _current_device() if device is None else device
        self._outer: list[int] = []

    def __enter__(self) -> Device:
        self._outer.append(_current_device())
        _current.device = self.id
        return self

    def __exit__(self, *error: object) -> None:
        _current.device = self._outer.pop()

    def __int__(self) -> int:
        return self.id

    def use(self) -> None:
        pass

    def synchronize(self) -> None:
        pass

    @property
    def mem_info(self) -> tuple[int, int]:
        return _memory()


def _current_device() -> int:
    return getattr(_current, "device", 0)


def _memory() -> tuple[int, int]:
    return TOTAL_BYTES - bytes_taken(), TOTAL_BYTES


def _properties(device: int) -> dict[str, Any]:
    Device(device)
    return {
        "name": NAME.encode(),
        "multiProcessorCount": MULTIPROCESSORS,
        "major": MAJOR,
        "minor": MINOR,
        "totalGlobalMem": TOTAL_BYTES,
        "sharedMemPerBlock": SHARED_BYTES,
        "sharedMemPerBlockOptin": SHARED_BYTES_OPTIN,
        "sharedMemPerMultiprocessor": 228 << 10,
        "maxThreadsPerBlock": MOST_THREADS,
        "maxThreadsPerMultiProcessor": 2048,
        "warpSize": 32,
        "l2CacheSize": 4 << 20,
        "clockRate": 1_000_000,
    }


def _memcpy_2d(
    target: int, target_pitch: int, source: int, source_pitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    if width > min(target_pitch, source_pitch) and height > 1:
        raise CUDARuntimeError("cudaErrorInvalidPitchValue: invalid pitch argument")
    for row in range(height):
        ctypes.memmove(target + row * target_pitch, source + row * source_pitch, width)


runtime = SimpleNamespace(
    CUDARuntimeError=CUDARuntimeError,
    getDeviceCount=lambda: Machine.device_count,
    getDevice=_current_device,
    deviceCanAccessPeer=lambda own, other: int(own != other),
    deviceEnablePeerAccess=lambda other: None,
    setDevice=Device,
    getDeviceProperties=_properties,
    memGetInfo=_memory,
    deviceSynchronize=lambda: None,
    streamSynchronize=lambda stream: None,
    memcpy2DAsync=_memcpy_2d,
    memcpyHostToDevice=1,
    memcpyDeviceToHost=2,
    driverGetVersion=lambda: 13000,
    runtimeGetVersion=lambda: 13000,
    cudaResourceTypeLinear=2,
    cudaChannelFormatKindSigned=0,
    cudaChannelFormatKindUnsigned=1,
    cudaChannelFormatKindFloat=2,
    cudaAddressModeClamp=1,
    cudaFilterModePoint=0,
    cudaReadModeElementType=0,
)
driver = SimpleNamespace(
    CUDADriverError=LaunchError,
    occupancyMaxActiveBlocksPerMultiprocessor=lambda function, threads, shared: resident_blocks(threads, shared),
)
compiler = SimpleNamespace(CompileException=CompileException)
memory = SimpleNamespace(OutOfMemoryError=OutOfMemoryError, MemoryPointer=MemoryPointer, MemoryPool=MemoryPool)
stream = SimpleNamespace(Stream=Stream, Event=Event, get_current_stream=get_current_stream)
profiler = SimpleNamespace(start=lambda: None, stop=lambda: None)


def is_available() -> bool:
    return True
