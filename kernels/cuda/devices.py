"""Which GPUs there are, and why there are none. CuPy is imported here when somebody asks."""

from __future__ import annotations

import atexit
import threading
import time
import traceback
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import BackendUnavailable, Cancelled, MemoryRefused

KEPT_SHARE = 32
"""One part in so many of a device's memory is kept between runs: to take and to give back memory costs milliseconds."""
LEFT_S = 2.0
"""Seconds for which a run leaves more than that to one of the same kind: tens of gigabytes take a tenth of a second to
be given back, for which whoever waits for the answer need not wait too."""
LOOK_S = 0.25
"""How often is looked whether such a run came."""

_taken = threading.local()


@dataclass(frozen=True, slots=True)
class Device:
    """One GPU; memory in bytes, compute capability such as (9, 0)."""

    index: int
    name: str
    multiprocessors: int
    compute_capability: tuple[int, int]
    memory_bytes: int


@cache
def discover() -> tuple[tuple[Device, ...], str]:
    """All GPUs that can be used, and the reason where there are none."""
    try:
        import cupy
    except ImportError:
        return (), "CuPy is not installed; install the extra cuda12 or cuda13 that fits the NVIDIA driver"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
        return tuple(_device(cupy, index) for index in range(count)), "" if count else "no NVIDIA GPU was found"
    except Exception as error:  # a missing driver, a library that does not load
        return (), f"no usable NVIDIA GPU: {_reason(str(error))}"


def device(index: int) -> Device:
    """The GPU of this number; BackendUnavailable says which there are."""
    found, reason = discover()
    if not found:
        raise BackendUnavailable(f"the GPU cannot be used: {reason}. Choose --backend cpu")
    if not 0 <= index < len(found):
        raise BackendUnavailable(f"there is no GPU {index}; GPUs 0 to {len(found) - 1} are there")
    return found[index]


def numbered(name: str) -> int | None:
    """The number of the first GPU of this name; None where it is not here, or no name is given."""
    return next((found.index for found in discover()[0] if found.name == name), None) if name else None


def attributes(index: int) -> Mapping[str, int]:
    """The limits of this GPU by the names of the CUDA runtime, such as MaxThreadsPerBlock."""
    device(index)
    import cupy

    return cupy.cuda.Device(index).attributes


def memory_free(index: int) -> int:
    """Bytes of device memory that are free now, those included that are kept for the next run."""
    import cupy

    with _failures_told(index), cupy.cuda.Device(index):
        free, _ = cupy.cuda.runtime.memGetInfo()
        return int(free + cupy.get_default_memory_pool().free_bytes() + kept_memory().free_bytes())


def kept_memory() -> Any:
    """The memory pool (of CuPy) of all runs, of which a share may stay for the next run when it is freed."""
    import cupy

    return _kept_memory(cupy)


def take(nbytes: int) -> Any:
    """Memory of the current device; CuPy's own arrays are in it as well while a device is in use."""
    pool = kept_memory()
    memory = pool.malloc(nbytes)
    _taken.most = max(most_taken(), pool.used_bytes())
    return memory


def most_taken() -> int:
    """The most bytes that were taken at a time since this thread began to use a device."""
    return getattr(_taken, "most", 0)


@cache
def _kept_memory(cupy: Any) -> Any:
    return cupy.cuda.MemoryPool()


@contextmanager
def use(index: int, kind: Hashable = None) -> Iterator[None]:
    """Run the block on this GPU, on a stream of its own; all but a share of its memory is given back after it.

    Where runs of a ``kind``, which take the same arrays, may follow, that is done some seconds later, or when another
    one begins. The current device and stream belong to a thread, so this is entered on the job's own thread.
    """
    import cupy

    idle, left = _idle_streams(cupy, index), _left(cupy, index)
    with _failures_told(index), cupy.cuda.Device(index):
        # Memory that was freed can be had again on its own stream only, so streams are used again as well.
        try:
            stream = idle.pop()
        except IndexError:
            stream = cupy.cuda.Stream(non_blocking=True)
        left.begin(kind)
        try:
            _taken.most = 0
            with stream, cupy.cuda.using_allocator(take):
                yield
        except BaseException as error:
            kind = None
            workers.end_idle()  # threads that copied: nobody waits for them any more
            _let_go(error)
            raise
        finally:
            # Where a run failed while it recorded a graph, the next would be recorded too. A recording that was made
            # invalid, or a lost GPU, raises here: that stream is not used again, and what was wrong is told as it is.
            with suppress(RuntimeError):
                if not stream.is_capturing():
                    idle.append(stream)
            left.end(kind)
            cupy.get_default_memory_pool().free_all_blocks()


class _Left:
    """The memory that runs on a GPU leave, and when it is given back."""

    def __init__(self, index: int) -> None:
        self._index, self._runs, self._lock, self._waits = index, 0, threading.Lock(), False
        self._kind: Hashable = None
        self._until = 0.0
        atexit.register(self._lock.acquire)  # nothing is given back while the program ends

    def begin(self, kind: Hashable) -> None:
        """A run begins: what one of another kind left, which may be in pieces that do not fit, is given back."""
        with self._lock:
            if not self._runs and self._kind != kind:
                self._give_back()
            self._runs += 1

    def end(self, kind: Hashable) -> None:
        """A run has ended, and the next may be of the same kind; None where there is to be none."""
        with self._lock:
            self._runs, self._kind = self._runs - 1, kind
            if kind is None:
                self._give_back()
            elif not self._runs and self._much():
                self._until = time.monotonic() + LEFT_S
                if not self._waits:
                    self._waits = True
                    threading.Thread(target=self._wait, name="antidiag-memory", daemon=True).start()

    def _wait(self) -> None:
        """Until nobody came for long enough: one thread for as many runs as follow each other."""
        while self._waits:
            time.sleep(LOOK_S)
            with self._lock:
                if not self._runs and time.monotonic() >= self._until:
                    self._waits = False
                    self._late()

    def _late(self) -> None:
        """Nobody came. A GPU that was lost meanwhile is told when it is next used."""
        import cupy

        with suppress(cupy.cuda.runtime.CUDARuntimeError), cupy.cuda.Device(self._index):
            self._give_back()

    def _much(self) -> bool:
        return bool(kept_memory().free_bytes() * KEPT_SHARE > device(self._index).memory_bytes)

    def _give_back(self) -> None:
        """On the current device; a share of its memory stays."""
        if self._much():
            kept_memory().free_all_blocks()


@cache
def _left(cupy: Any, index: int) -> _Left:
    return _Left(index)


@contextmanager
def _failures_told(index: int) -> Iterator[None]:
    """Have what a GPU refuses, or fails at, told in errors of ours: MemoryRefused, BackendUnavailable."""
    import cupy

    try:
        yield
    except cupy.cuda.memory.OutOfMemoryError as error:
        _forget_frames(error)
        raise MemoryRefused(
            f"GPU {index} has less memory left than this run needs: another program took it meanwhile; end that, "
            "choose a smaller problem, or --backend cpu"
        ) from error
    except MemoryRefused as error:
        _forget_frames(error)
        raise MemoryRefused(str(error)) from error
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        _forget_frames(error)
        raise BackendUnavailable(
            f"GPU {index} failed in the middle of its work: {_reason(str(error))}. Start the program again, or choose "
            "--backend cpu; if it keeps failing, nvidia-smi tells how the GPU is"
        ) from error


def _let_go(error: BaseException) -> None:
    """Whoever keeps the error would keep what a run had taken, which is in the variables of its functions.

    Functions in functions keep those of the outer ones even then; where a run was cancelled, nobody asks for.
    """
    traceback.clear_frames(error.__traceback__)
    place = error.__traceback__.tb_next if error.__traceback__ else None
    if isinstance(error, Cancelled) and place is not None:
        place.tb_next = None


def _forget_frames(error: BaseException) -> None:
    """What a run had taken is in the variables of its functions, and of functions in these; the error would keep it."""
    traceback.clear_frames(error.__traceback__)
    error.__traceback__ = None


@cache
def _idle_streams(cupy: Any, index: int) -> list[Any]:
    """Streams of a GPU that no run is on."""
    return []


def synchronize(index: int) -> None:
    """Return when this GPU has done all that was asked of it."""
    import cupy

    with _failures_told(index), cupy.cuda.Device(index):
        cupy.cuda.runtime.deviceSynchronize()


def _reason(error: str) -> str:
    if "InsufficientDriver" in error:
        return "there is no NVIDIA driver, or it is too old for the installed CuPy"
    return error.partition("\n")[0]


def _device(cupy: Any, index: int) -> Device:
    properties = cupy.cuda.runtime.getDeviceProperties(index)
    return Device(
        index=index,
        name=properties["name"].decode(),
        multiprocessors=properties["multiProcessorCount"],
        compute_capability=(properties["major"], properties["minor"]),
        memory_bytes=properties["totalGlobalMem"],
    )
