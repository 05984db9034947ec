"""The local executor: tasks run on threads of this process."""

from __future__ import annotations

import platform
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psutil

from antidiag.kernels.cuda import devices
from antidiag.kernels.executors.executor import Executor, unpack_answer
from antidiag.kernels.executors.task_runner import cancel_run, pack_task, run_task_message
from antidiag.kernels.executors.tasks import Task, WorkerInfo
from antidiag.kernels.processors import count_processors
from antidiag.kernels.recovery.interrupted_runs import program_version


class LocalExecutor(Executor):
    """Runs tasks on threads of this process; the processors are shared out among the slots.

    Parameters
    ----------
    slots : int, optional
        Tasks at a time; by default one a processor.
    """

    kind = "local"

    def __init__(self, slots: int | None = None) -> None:
        super().__init__()
        self._slots = slots or count_processors()
        self._threads = ThreadPoolExecutor(self._slots, "task")
        self._started: set[Future[Any]] = set()
        self._lock = threading.Lock()

    @property
    def slots(self) -> int:
        """The number of tasks that run at a time."""
        return self._slots

    def resources(self) -> tuple[WorkerInfo, ...]:
        """Return this process as the only worker."""
        gpus = tuple(gpu.name for gpu in devices.discover_devices()[0])
        memory = psutil.virtual_memory().total
        return (WorkerInfo("this process", platform.node(), self._slots, memory, gpus, program_version()),)

    def close(self) -> None:
        """Stop all tasks and end the threads."""
        self.cancel()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _start(self, task: Task) -> Future[tuple[Mapping[str, Any], str]]:
        if task.needs_gpu:
            devices.find_device(0)
        message = pack_task(task, self._run_id, max(count_processors() // self._slots, 1))
        future = self._threads.submit(self._run, message)
        with self._lock:
            self._started.add(future)
        future.add_done_callback(self._forget)
        return future

    def _run(self, message: bytes) -> tuple[Mapping[str, Any], str]:
        return unpack_answer(run_task_message(message, self._shared.__getitem__)), "this process"

    def _forget(self, future: Future[Any]) -> None:
        with self._lock:
            self._started.discard(future)

    def _cancel_started(self) -> None:
        cancel_run(self._run_id)
        with self._lock:
            started = list(self._started)
        for future in started:
            future.cancel()
