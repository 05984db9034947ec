"""Tasks: self-contained pieces of work, what they return, and what a worker gives to the function of a task."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from antidiag.kernels.errors import AntidiagError, InputError, ParameterError
from antidiag.kernels.monitor import Monitor

MAX_ATTEMPTS = 3
"""How often a task is tried."""
REPEATED_ERRORS = (InputError, ParameterError)
"""Errors of the data: every worker would repeat them, so that such a task is not tried again."""


class WorkerDied(Exception):
    """The worker that ran a task ended before the task did; ``is_final`` where several have, one after the other."""

    def __init__(self, text: str, is_final: bool = False) -> None:
        super().__init__(text)
        self.is_final = is_final


class ForeignWorker(AntidiagError):
    """A worker runs another version of the program."""


class ExecutorLost(AntidiagError):
    """The scheduler of a cluster, or all its workers, cannot be reached any more."""


@dataclass(frozen=True)
class Task:
    """A piece of work that needs nothing but itself, and that may run twice without harm.

    Fields
    ------
    key
        Name of the task, different from those of all other tasks of a run; the manifest knows it by this name.
    function
        "antidiag.package.module:function", called as ``function(arguments, context)`` (`TaskContext`).
    arguments
        Values that `kernels.executors.messages` can send, or a function that returns them when the task starts, so that
        a million tasks that wait need no memory for their inputs.
    shared
        Large inputs that go to each worker once: name and digest, which `Executor.share` returns.
    needs_gpu
        The task runs on workers with a GPU only.
    seed
        Seed of the random numbers of the task.
    cost
        Expected cost in any unit; of tasks that wait, the most expensive is started first.
    """

    key: str
    function: str
    arguments: Mapping[str, Any] | Callable[[], Mapping[str, Any]] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)
    needs_gpu: bool = False
    seed: int = 0
    cost: float = 1.0

    def load_arguments(self) -> Mapping[str, Any]:
        """Return the arguments."""
        return self.arguments() if callable(self.arguments) else self.arguments


@dataclass(frozen=True)
class TaskContext:
    """What the worker gives to the function of a task.

    Fields
    ------
    monitor
        Says when to stop.
    threads
        The threads that the function may use.
    seed
        The seed of its random numbers.
    shared
        The shared inputs by name.
    gpu_lock
        Is held by a run on the GPU, so that one computes at a time.
    """

    monitor: Monitor
    threads: int = 1
    seed: int = 0
    shared: Mapping[str, Any] = field(default_factory=dict)
    gpu_lock: AbstractContextManager[Any] = field(default_factory=nullcontext)


TaskFunction = Callable[[Mapping[str, Any], TaskContext], Any]


@dataclass(frozen=True)
class TaskOutcome:
    """How a task ended: its value, or the text of its error, and where, how long and in how many attempts it ran.

    ``error_type`` is the name of the error's class ("InputError"), "" for a task that has a value; ``detail`` is the
    traceback of an unexpected error.
    """

    task: Task
    value: Any = None
    error: str = ""
    error_type: str = ""
    detail: str = ""
    worker: str = ""
    seconds: float = 0.0
    attempts: int = 1

    @property
    def is_done(self) -> bool:
        """Return whether the task has a value."""
        return not self.error_type


class TaskFailed(AntidiagError):
    """A task ended with an error; ``outcome`` says which."""

    def __init__(self, outcome: TaskOutcome) -> None:
        super().__init__(outcome.error)
        self.outcome = outcome


@dataclass(frozen=True)
class WorkerInfo:
    """A worker: its name, host, slots (tasks at a time), memory in bytes, GPUs, and version of the program."""

    name: str
    host: str
    slots: int
    memory_bytes: int
    gpus: tuple[str, ...] = ()
    version: str = ""
    problem: str = ""
    """Why this worker is not used; "" for one that is."""


@dataclass
class TaskCounts:
    """How many tasks of a run wait, run, are done and have failed, and how many each worker has done."""

    total: int = 0
    done: int = 0
    failed: int = 0
    running: int = 0
    retried: int = 0
    by_worker: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def count_outcome(self, outcome: TaskOutcome) -> None:
        """Count a task that has ended."""
        with self._lock:
            self.done, self.failed = self.done + outcome.is_done, self.failed + (not outcome.is_done)
            self.retried += outcome.attempts > 1
            if outcome.worker:
                self.by_worker[outcome.worker] = self.by_worker.get(outcome.worker, 0) + 1

    def describe(self) -> str:
        """Return the counts in words: "12 of 40 done, 4 running, 1 failed, on 2 workers"."""
        parts = [f"{self.done:,} of {self.total:,} done"]
        parts += [f"{self.running:,} running"] if self.running else []
        parts += [f"{self.failed:,} failed"] if self.failed else []
        parts += [f"on {len(self.by_worker):,} workers"] if len(self.by_worker) > 1 else []
        return ", ".join(parts)
