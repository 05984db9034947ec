"""The GPUs of this computer, the memory pool and streams of their runs, and the errors that users see when a GPU fails.

CuPy is imported inside functions, because programs without a GPU import this module too.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any

from antidiag.kernels import memory
from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import BackendUnavailable, Cancelled, MemoryRefused, ParameterError

POOLED_SHARE = 32
"""A run of no kind leaves at most one part in so many of the device's memory in the pool: to allocate memory takes
milliseconds."""

LEAST_CAPABILITY = 7, 5
"""The oldest compute capability: alignment of profiles uses mma.m16n8k8, and CUDA 13 compiles for none below."""

_allocated = threading.local()
_last_kinds: dict[int, Hashable] = {}
"""The kind of run that each GPU's memory was last used by."""


ALL_GPUS = -1
"""In place of the number of a GPU: all that there are, where a method can use several."""


@dataclass(frozen=True, slots=True)
class Device:
    """One GPU: ``memory_bytes`` in bytes, ``compute_capability`` such as (9, 0)."""

    index: int
    name: str
    multiprocessors: int
    compute_capability: tuple[int, int]
    memory_bytes: int


@cache
def discover_devices() -> tuple[tuple[Device, ...], str]:
    """Return all usable GPUs, and the reason where there is none."""
    try:
        import cupy
    except ImportError:
        return (), "CuPy is not installed; install the extra cuda12 or cuda13 that fits the NVIDIA driver"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
        found = tuple(_read_device(cupy, index) for index in range(count))
    except (ImportError, OSError, RuntimeError) as error:  # a missing driver, a library that does not load
        return (), f"no usable NVIDIA GPU: {_error_reason(str(error))}"
    if found and all(map(_explain_age, found)):
        return (), _explain_age(found[0])
    return found, "" if found else "no NVIDIA GPU was found"


def _explain_age(device: Device) -> str:
    """Return why a GPU is too old, or "" for one that is not."""
    have, need = (f"{major}.{minor}" for major, minor in (device.compute_capability, LEAST_CAPABILITY))
    too_old = device.compute_capability < LEAST_CAPABILITY
    return f"{device.name} has compute capability {have}; {need} is needed (Turing, 2018)" if too_old else ""


def find_device(index: int) -> Device:
    """Return a GPU by its number; raise BackendUnavailable, with the numbers there are, if it does not exist."""
    found, reason = discover_devices()
    if not found:
        raise BackendUnavailable(f"the GPU cannot be used: {reason}. Choose --backend cpu")
    if not 0 <= index < len(found):
        raise BackendUnavailable(f"there is no GPU {index}; choose one from 0 to {len(found) - 1}")
    if reason := _explain_age(found[index]):
        raise BackendUnavailable(f"GPU {index} cannot be used: {reason}. Choose another one, or --backend cpu")
    return found[index]


def parse_gpus(text: str) -> tuple[int, ...] | int:
    """Return the numbers of GPUs of a text such as 0 or 0,2; ALL_GPUS for all. Raise ParameterError for other texts."""
    if text == "all":
        return ALL_GPUS
    numbers = tuple(int(one) for one in text.split(",") if one.isdecimal())
    if len(numbers) != text.count(",") + 1 or len(set(numbers)) < len(numbers):
        raise ParameterError(f"--device must be the number of a GPU, several such as 0,1, or all; got {text!r}")
    return numbers


def select_gpus(chosen: int | Sequence[int], shares: bool) -> tuple[int, tuple[int, ...]]:
    """Return the GPU of a run, and those that share it: of ALL_GPUS the first one where a method uses only one."""
    if not isinstance(chosen, int):
        return chosen[0], tuple(chosen[1:])
    if chosen != ALL_GPUS:
        return chosen, ()
    count = len(discover_devices()[0])
    return 0, tuple(range(1, count)) if shares else ()


def find_device_number(name: str) -> int | None:
    """Return the number of the first GPU of a name, or None."""
    return next((found.index for found in discover_devices()[0] if found.name == name), None) if name else None


def read_attributes(index: int) -> Mapping[str, int]:
    """Return the attributes of a GPU by the names of the CUDA runtime, such as MaxThreadsPerBlock."""
    find_device(index)
    import cupy

    return cupy.cuda.Device(index).attributes


def free_memory_bytes(index: int) -> int:
    """Return the free bytes of a GPU, with those that this program keeps for its next run."""
    import cupy

    with translate_errors(index), cupy.cuda.Device(index):
        free, _ = cupy.cuda.runtime.memGetInfo()
        return int(free + cupy.get_default_memory_pool().free_bytes() + run_memory_pool().free_bytes())


def run_memory_pool() -> Any:
    """Return CuPy's memory pool that all runs use."""
    import cupy

    return _cached_memory_pool(cupy)


def allocate_memory(nbytes: int) -> Any:
    """Allocate device memory, and record the peak, or the bytes that were asked for where memory is too short.

    Inside `use_device`, CuPy allocates all its arrays by this function.
    """
    pool = run_memory_pool()
    try:
        allocated = pool.malloc(nbytes)
    except MemoryError:  # CuPy's OutOfMemoryError is one
        _allocated.asked = pool.total_bytes() + nbytes
        raise
    _allocated.most = max(peak_allocated_bytes(), pool.used_bytes())
    return allocated


def peak_allocated_bytes() -> int:
    """Return the peak of allocated bytes since this thread entered `use_device`."""
    return getattr(_allocated, "most", 0)


@cache
def _cached_memory_pool(cupy: Any) -> Any:
    return cupy.cuda.MemoryPool()


@contextmanager
def use_device(
    index: int, kind: Hashable = None, planned_bytes: int | None = None, peers: tuple[int, ...] = ()
) -> Iterator[None]:
    """Run the block on a GPU, on a stream of its own, with all arrays in the memory pool of runs.

    ``peers`` are other GPUs that a run may use beside it (`peer_indices`); all reach each other's memory.
    ``planned_bytes`` is the estimate of device memory by which a run was allowed, for the error where memory is too
    short.

    The pool keeps the memory of a run of some ``kind`` for the next run of the same kind, and frees it when a run of
    another kind begins. After a run of no kind, or one that failed, it keeps a small share only. The current device and
    stream belong to a thread, so this is entered on the job's own thread.
    """
    import cupy

    from antidiag.kernels.cuda import pinned_transfers

    idle = _idle_streams(cupy, index)
    with _remember_gpus((index, *peers)), translate_errors(index), cupy.cuda.Device(index):
        # The pool hands out freed memory on the stream that freed it only, so streams are used again as well.
        try:
            stream = idle.pop()
        except IndexError:
            stream = cupy.cuda.Stream(non_blocking=True)
        if _last_kinds.get(index) != kind:
            _free_memory(index)  # it may be in pieces that do not fit
        _allow_peers((index, *peers))
        try:
            _allocated.most, _allocated.asked = 0, 0
            _allocated.planned, _allocated.free_before = planned_bytes, free_memory_bytes(index)
            with stream, cupy.cuda.using_allocator(allocate_memory):
                yield
        except BaseException as error:
            kind = None
            pinned_transfers.wait_for_touching()
            workers.end_idle_threads()  # nobody waits for what they do for this run
            _clear_frames(error)
            raise
        finally:
            # A stream that still records a graph would record the next run too. A recording that an error made invalid,
            # or a lost GPU, raises here: that stream is not used again, and the first error is reported.
            with suppress(RuntimeError):
                if not stream.is_capturing():
                    idle.append(stream)
            _last_kinds[index] = kind
            if kind is None:
                _free_memory(index)
            cupy.get_default_memory_pool().free_all_blocks()


def peer_indices() -> tuple[int, ...]:
    """Return the GPUs that the run of this thread may use beside the current one."""
    return _run_gpus()[1:]


def _run_gpus() -> tuple[int, ...]:
    """Return the GPUs of the run of this thread, if there is one."""
    return getattr(_allocated, "gpus", ())


@contextmanager
def _remember_gpus(gpus: tuple[int, ...]) -> Iterator[None]:
    """Let this thread have a run on these GPUs."""
    _allocated.gpus = gpus
    try:
        yield
    finally:
        _allocated.gpus = ()


@contextmanager
def use_peer(index: int) -> Iterator[Any]:
    """Return a stream on a peer; at the end nothing runs on it any more, and the peer's memory is free again."""
    import cupy

    with cupy.cuda.Device(index):
        stream = cupy.cuda.Stream(non_blocking=True)
    try:
        yield stream
    finally:
        with translate_errors(index), cupy.cuda.Device(index):
            stream.synchronize()
            run_memory_pool().free_all_blocks()


def _allow_peers(indices: tuple[int, ...]) -> None:
    """Let kernels of each of these GPUs reach the memory of the others."""
    import cupy

    for own, other in permutations(indices, 2):
        if not cupy.cuda.runtime.deviceCanAccessPeer(own, other):
            raise BackendUnavailable(f"GPU {own} cannot reach the memory of GPU {other}; choose one of them")
        with cupy.cuda.Device(own):
            try:
                cupy.cuda.runtime.deviceEnablePeerAccess(other)
            except cupy.cuda.runtime.CUDARuntimeError as error:
                if "PeerAccessAlreadyEnabled" not in str(error):
                    raise


def _free_memory(index: int) -> None:
    """Free what the pool keeps on the current device, if that is more than a small share of its memory."""
    if run_memory_pool().free_bytes() * POOLED_SHARE > find_device(index).memory_bytes:
        run_memory_pool().free_all_blocks()


@contextmanager
def translate_errors(index: int) -> Iterator[None]:
    """Turn CUDA's errors on a GPU into MemoryRefused and BackendUnavailable, which say what to do."""
    import cupy

    try:
        yield
    except cupy.cuda.memory.OutOfMemoryError as error:
        _drop_traceback(error)
        raise MemoryRefused(_explain_shortage(index)) from error
    except MemoryRefused as error:
        _drop_traceback(error)
        raise MemoryRefused(str(error)) from error
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        _drop_traceback(error)
        raise BackendUnavailable(_explain_failure(index, str(error))) from error


def _explain_failure(index: int, error: str) -> str:
    """Return which GPU of the run failed, with the error that was found on one of them, and what to do."""
    failed = next(filter(_has_failed, (index, *_run_gpus())), index)
    others = ",".join(str(other) for other in _run_gpus() if other != failed)
    without = f" with --device {others}" if others else ""
    return (
        f"GPU {failed} failed in the middle of its work: {_error_reason(error)}. Start the program again{without}, or "
        "choose --backend cpu; if it fails again, check the GPU with nvidia-smi"
    )


def _has_failed(index: int) -> bool:
    """Return whether a GPU answers nothing but an error."""
    import cupy

    try:
        with cupy.cuda.Device(index):
            cupy.cuda.runtime.memGetInfo()
    except RuntimeError:
        return True
    return False


def _explain_shortage(index: int) -> str:
    """Return why a run on this thread found too little memory: it was planned wrongly, or taken before it began."""
    planned, free = getattr(_allocated, "planned", None), getattr(_allocated, "free_before", 0)
    needed = memory.format_bytes(getattr(_allocated, "asked", 0))
    if planned is None:
        return (
            f"GPU {index} has too little free memory: at least {needed} are needed. Choose a smaller problem, or "
            "--backend cpu"
        )
    estimate = memory.format_bytes(planned)
    if free < planned:
        return (
            f"GPU {index} has too little free memory: this run needs {estimate}, and {memory.format_bytes(free)} were "
            "free when it began, because another program has taken memory since it was planned. End that program, "
            "choose a smaller problem, or --backend cpu"
        )
    return (
        f"the memory estimate of this run was wrong: it was {estimate} on GPU {index}, and the run needed at least "
        f"{needed} ({memory.format_bytes(free)} were free when it began). Choose a smaller problem, or --backend cpu, "
        "and please report this error with the problem"
    )


def _clear_frames(error: BaseException) -> None:
    """Drop the variables that a traceback keeps, because device arrays are among them.

    Closures keep variables even then, so the error of a cancelled run, whose traceback nobody reads, loses its frames.
    """
    traceback.clear_frames(error.__traceback__)
    place = error.__traceback__.tb_next if error.__traceback__ else None
    if isinstance(error, Cancelled) and place is not None:
        place.tb_next = None


def _drop_traceback(error: BaseException) -> None:
    """Drop a traceback and its variables, because device arrays are among them."""
    traceback.clear_frames(error.__traceback__)
    error.__traceback__ = None


@cache
def _idle_streams(cupy: Any, index: int) -> list[Any]:
    """Return the list of streams of a GPU that no run uses."""
    return []


def wait_for_device(index: int) -> None:
    """Wait until a GPU has finished all its work."""
    import cupy

    with translate_errors(index), cupy.cuda.Device(index):
        cupy.cuda.runtime.deviceSynchronize()


def _error_reason(error: str) -> str:
    if "InsufficientDriver" in error:
        return "there is no NVIDIA driver, or it is too old for the installed CuPy"
    return error.partition("\n")[0]


def _read_device(cupy: Any, index: int) -> Device:
    properties = cupy.cuda.runtime.getDeviceProperties(index)
    return Device(
        index=index,
        name=properties["name"].decode(),
        multiprocessors=properties["multiProcessorCount"],
        compute_capability=(properties["major"], properties["minor"]),
        memory_bytes=properties["totalGlobalMem"],
    )
