"""The executor of worker processes of this machine: all GPUs, or the CPU, with no library but this program."""

from __future__ import annotations

import os
import platform
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from antidiag.kernels import ROOT
from antidiag.kernels.errors import BackendUnavailable
from antidiag.kernels.executors.executor import Executor, unpack_answer
from antidiag.kernels.executors.task_runner import pack_task
from antidiag.kernels.executors.tasks import Task, WorkerDied, WorkerInfo
from antidiag.kernels.executors.worker_process import read_frame, write_frame
from antidiag.kernels.processors import count_processors
from antidiag.kernels.recovery.interrupted_runs import program_version

VISIBLE = "CUDA_VISIBLE_DEVICES"
PIPE_BYTES = 2**18
"""Bytes that a pipe to or from a process holds, where the system lets one choose: large answers pass in fewer parts."""
END_S = 5.0
"""Seconds that a worker process has to end."""

Answer = tuple[Mapping[str, Any], str]


class ProcessExecutor(Executor):
    """Runs tasks in worker processes, one task at a time in each; a process that dies is started again.

    Parameters
    ----------
    visible : sequence of str
        The GPUs that each process sees, as of CUDA_VISIBLE_DEVICES: "0", or "" for the CPU alone.
    names : sequence of str
        The names of the processes.
    """

    kind = "processes"

    def __init__(self, visible: Sequence[str], names: Sequence[str]) -> None:
        super().__init__()
        if getattr(sys, "frozen", False):
            raise BackendUnavailable("the packaged program starts no worker processes; install antidiag with pip")
        self._folder = tempfile.TemporaryDirectory(prefix="antidiag-shared-")
        self._tasks: queue.SimpleQueue[tuple[bytes, Future[Answer]] | None] = queue.SimpleQueue()
        self._threads_per_task = max(count_processors() // len(names), 1)
        folder = Path(self._folder.name)
        self._workers = [
            _ProcessWorker(name, own, folder, self._tasks) for name, own in zip(names, visible, strict=True)
        ]

    @property
    def slots(self) -> int:
        """The number of tasks that run at a time: one a process."""
        return len(self._workers)

    def resources(self) -> tuple[WorkerInfo, ...]:
        """Return the processes."""
        memory, version = psutil.virtual_memory().total, program_version()
        return tuple(WorkerInfo(one.name, platform.node(), 1, memory, version=version) for one in self._workers)

    def close(self) -> None:
        """Stop all tasks and end the processes."""
        self.cancel()
        for _ in self._workers:
            self._tasks.put(None)
        for worker in self._workers:
            worker.join()
        self._folder.cleanup()

    def _share(self, digest: str, message: bytes) -> None:
        (Path(self._folder.name) / digest).write_bytes(message)

    def _start(self, task: Task) -> Future[Answer]:
        future: Future[Answer] = Future()
        self._tasks.put((pack_task(task, self._run_id, self._threads_per_task), future))
        return future

    def _cancel_started(self) -> None:
        with suppress(queue.Empty):
            while (waiting := self._tasks.get_nowait()) is not None:
                waiting[1].cancel()
        for worker in self._workers:
            worker.stop_task()


class _ProcessWorker:
    """A thread that hands tasks to one process, and starts it anew after its death."""

    def __init__(self, name: str, visible: str, folder: Path, tasks: queue.SimpleQueue[Any]) -> None:
        self.name, self._visible = name, visible
        self._folder, self._tasks = folder, tasks
        self._process: subprocess.Popen[bytes] | None = None
        self._busy: Future[Answer] | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._serve, name=self.name, daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait for the thread, which ends its process."""
        self._thread.join(END_S)

    def stop_task(self) -> None:
        """End the process if it runs a task, which is then cancelled."""
        with self._lock:
            if self._busy is not None and self._process is not None:
                self._process.kill()

    def _serve(self) -> None:
        while (item := self._tasks.get()) is not None:
            message, future = item
            if not future.set_running_or_notify_cancel():
                continue
            with self._lock:
                self._busy = future
            answer = self._run_task(message)
            with self._lock:
                self._busy = None
            if answer is None:
                future.set_exception(WorkerDied(f"the process {self.name} died while it ran this task"))
            else:
                future.set_result((unpack_answer(answer), self.name))
        self._end_process()

    def _run_task(self, message: bytes) -> bytes | None:
        """Return the answer of the process, or None if it died."""
        if self._process is None or self._process.poll() is not None:
            with self._lock:
                self._process = self._start_process()
        assert self._process.stdin and self._process.stdout
        try:
            write_frame(self._process.stdin, message)  # type: ignore[arg-type]
            answer = read_frame(self._process.stdout)  # type: ignore[arg-type]
        except OSError:
            answer = None
        if answer is None:
            self._end_process()
        return answer

    def _start_process(self) -> subprocess.Popen[bytes]:
        """Start the process, which sees its own GPUs alone."""
        paths = [str(ROOT.parent), *filter(None, [os.environ.get("PYTHONPATH", "")])]
        environment = {**os.environ, VISIBLE: self._visible, "PYTHONPATH": os.pathsep.join(paths)}
        command = [sys.executable, "-m", "antidiag.kernels.executors.worker_process", str(self._folder)]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, pipesize=PIPE_BYTES)

    def _end_process(self) -> None:
        """End the process, if there is one."""
        if self._process is None:
            return
        with suppress(OSError, subprocess.TimeoutExpired):
            self._process.stdin.close()  # type: ignore[union-attr]
            self._process.wait(0.5)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(END_S)
        self._process.stdout.close()  # type: ignore[union-attr]
