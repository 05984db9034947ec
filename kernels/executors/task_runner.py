"""Running of tasks on a worker: a message with a task comes in, a message with its value or its error goes out.

These functions raise nothing, because an error would be pickled on its way to the caller.
"""

from __future__ import annotations

import importlib
import platform
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import psutil

from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import AntidiagError, Cancelled, InputError
from antidiag.kernels.executors.messages import pack_message, unpack_message
from antidiag.kernels.executors.tasks import REPEATED_ERRORS, Task, TaskContext, TaskFunction
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.recovery.interrupted_runs import program_version

PACKAGE = "antidiag."
"""Tasks call functions of this program alone."""
MAX_SHARED = 4
"""Shared inputs that a worker keeps unpacked."""
MAX_CANCELLED_RUNS = 64

_GPU_LOCK = threading.Lock()
_cancelled_runs: OrderedDict[str, None] = OrderedDict()
_shared: OrderedDict[str, Any] = OrderedDict()
_shared_lock = threading.Lock()

FetchShared = Callable[[str], bytes]
"""Returns the message with the shared input of a digest."""


class RunMonitor(Monitor):
    """Is cancelled when the run that a task belongs to is cancelled on this worker."""

    def __init__(self, run_id: str) -> None:
        super().__init__()
        self._run_id = run_id

    @property
    def is_cancelled(self) -> bool:
        """Return whether the task or its run was asked to stop."""
        return super().is_cancelled or self._run_id in _cancelled_runs


def cancel_run(run_id: str) -> bytes:
    """Ask all tasks of a run on this worker to stop."""
    _cancelled_runs[run_id] = None
    while len(_cancelled_runs) > MAX_CANCELLED_RUNS:
        _cancelled_runs.popitem(last=False)
    return b""


def find_function(name: str) -> TaskFunction:
    """Import the function of a task. Raise InputError for one that is not of this program."""
    module, _, function = name.partition(":")
    if not module.startswith(PACKAGE):
        raise InputError(f"{name} is no function of this program; tasks call functions of antidiag only")
    return getattr(importlib.import_module(module), function)


def pack_task(task: Task, run_id: str, threads: int) -> bytes:
    """Return a task as a message for `run_task_message`."""
    return pack_message(
        {
            "version": program_version(),
            "run": run_id,
            "threads": threads,
            "function": task.function,
            "arguments": pack_message(dict(task.load_arguments())),
            "shared": dict(task.shared),
            "seed": task.seed,
        }
    )


def run_task_message(message: bytes, fetch_shared: FetchShared) -> bytes:
    """Run the task of a message and return a message: "state" is done, failed, cancelled or foreign."""
    begun = time.monotonic()
    try:
        packed = unpack_message(message)
        if packed["version"] != program_version():
            return pack_message({"state": "foreign", "version": program_version()})
        function = find_function(packed["function"])  # its module declares the types of its arguments
        shared = {name: _find_shared(digest, fetch_shared) for name, digest in packed["shared"].items()}
        context = TaskContext(RunMonitor(packed["run"]), packed["threads"], packed["seed"], shared, _GPU_LOCK)
        value = function(unpack_message(packed["arguments"]), context)
        return pack_message({"state": "done", "value": value, "seconds": time.monotonic() - begun})
    except Cancelled:
        return pack_message({"state": "cancelled"})
    except BaseException as error:
        return pack_message({**describe_error(error), "seconds": time.monotonic() - begun})


def describe_error(error: BaseException) -> Mapping[str, Any]:
    """Return an error as plain values; "repeats" is whether every worker would raise it."""
    known = isinstance(error, AntidiagError)
    return {
        "state": "failed",
        "type": type(error).__name__,
        "error": str(error) if known else f"unexpected error: {type(error).__name__}: {error}",
        "detail": "" if known else "".join(traceback.format_exception(error)),
        "repeats": isinstance(error, REPEATED_ERRORS),
    }


def describe_worker() -> bytes:
    """Return a message about this process: host, memory in bytes, GPUs and version of the program."""
    found, _ = devices.discover_devices()
    return pack_message(
        {
            "version": program_version(),
            "host": platform.node(),
            "memory_bytes": psutil.virtual_memory().total,
            "gpus": [gpu.name for gpu in found],
        }
    )


def _find_shared(digest: str, fetch_shared: FetchShared) -> Any:
    """Return a shared input, which is fetched and unpacked once a process."""
    with _shared_lock:
        if digest in _shared:
            _shared.move_to_end(digest)
            return _shared[digest]
        value = _shared[digest] = unpack_message(fetch_shared(digest))
        while len(_shared) > MAX_SHARED:
            _shared.popitem(last=False)
        return value
