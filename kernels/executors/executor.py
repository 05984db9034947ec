"""The interface of executors, and what all of them do alike: retries, order, cancellation and progress."""

from __future__ import annotations

import threading
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from hashlib import blake2b
from typing import Any, Self

from antidiag.kernels.errors import AntidiagError, Cancelled
from antidiag.kernels.executors.messages import pack_message, unpack_message
from antidiag.kernels.executors.tasks import (
    MAX_ATTEMPTS,
    ExecutorLost,
    ForeignWorker,
    Task,
    TaskCounts,
    TaskOutcome,
    WorkerDied,
    WorkerInfo,
)
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.recovery.interrupted_runs import program_version

LOOK_S = 0.1
"""How often `Executor.map` looks whether it is cancelled."""
STOP_S = 10.0
"""Seconds that cancelled tasks have to stop before `Executor.map` returns without them."""
SLOT_TASKS, SPARE_TASKS = 2, 4
"""Tasks that are started ahead: so many a slot and so many more, so that no worker waits for its next task and no
scheduler holds a million."""


class Executor(ABC):
    """Runs tasks. Use it in a ``with`` block, which ends its workers.

    Attributes
    ----------
    kind : str
        "local", "processes", "gpus" or "dask".
    reads_files : bool
        Whether workers find the files of this machine by their paths.
    counts : TaskCounts
        What the present or last `map` has done; another thread may read it.
    """

    kind = ""
    reads_files = True

    def __init__(self) -> None:
        self.counts = TaskCounts()
        self._run_id = uuid.uuid4().hex
        self._cancelled = threading.Event()
        self._shared: dict[str, bytes] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    @abstractmethod
    def slots(self) -> int:
        """The number of tasks that run at a time."""

    @abstractmethod
    def resources(self) -> tuple[WorkerInfo, ...]:
        """Return the workers, also those that are not used, with the reason."""

    @abstractmethod
    def close(self) -> None:
        """End the workers that this executor started; forget the others."""

    @abstractmethod
    def _start(self, task: Task) -> Future[tuple[Mapping[str, Any], str]]:
        """Start one attempt at a task: the future has the answer of `run_task_message` unpacked, and the worker's name.

        It may have the errors `WorkerDied` and `ExecutorLost`.
        """

    @abstractmethod
    def _cancel_started(self) -> None:
        """Drop the tasks that were started and did not begin, and ask the others to stop."""

    def share(self, value: Any) -> str:
        """Keep a large input that goes to each worker once; return its digest for `Task.shared`."""
        message = pack_message(value)
        digest = blake2b(message, digest_size=16).hexdigest()
        if digest not in self._shared:
            self._shared[digest] = message
            self._share(digest, message)
        return digest

    def _check_connection(self) -> None:  # noqa: B027 (nothing to check in one machine)
        """Raise ExecutorLost if the workers cannot be reached any more."""

    def _share(self, digest: str, message: bytes) -> None:  # noqa: B027 (threads read it from here)
        """Hand a shared input out, where that is done before any task."""

    def cancel(self) -> None:
        """Stop all tasks; their outcomes are cancelled. The executor can be used again."""
        self._cancelled.set()
        self._cancel_started()

    def submit(self, task: Task) -> Future[TaskOutcome]:
        """Start a task, and start it again where it fails or its worker dies, up to `MAX_ATTEMPTS` times.

        The future has an outcome also for a task that failed; it raises Cancelled, ExecutorLost and ForeignWorker only.
        """
        return _Attempts(self._start, task, self._renew()).outcome

    def map(
        self, tasks: Iterable[Task], monitor: Monitor | None = None, in_order: bool = False
    ) -> Iterator[TaskOutcome]:
        """Run tasks, the most expensive first, and yield their outcomes as they are ready; or both ``in_order``.

        In order, few outcomes are held at a time: those of the tasks that were started before the first one ended.
        Raises Cancelled if the monitor is cancelled, ExecutorLost and ForeignWorker; no task runs on afterwards.
        """
        monitor = monitor or Monitor()
        cancelled = self._renew()
        waiting = list(tasks)[::-1] if in_order else sorted(tasks, key=lambda task: task.cost)
        self.counts = counts = TaskCounts(len(waiting))
        running: list[Future[TaskOutcome]] = []
        try:
            while waiting or running:
                while waiting and len(running) < SLOT_TASKS * self.slots + SPARE_TASKS:
                    running.append(_Attempts(self._start, waiting.pop(), cancelled).outcome)
                counts.running = min(len(running), self.slots)
                monitor.update(counts.done + counts.failed, counts.total, counts.describe())
                self._check_connection()
                if cancelled.is_set():
                    raise Cancelled
                awaited = running[:1] if in_order else running
                ended = wait(awaited, LOOK_S, FIRST_COMPLETED).done
                running = [future for future in running if future not in ended]
                for future in ended:
                    outcome = future.result()
                    counts.count_outcome(outcome)
                    yield outcome
            counts.running = 0
            monitor.update(counts.total, counts.total, counts.describe())
        except BaseException as error:
            self.cancel()
            if not isinstance(error, ExecutorLost):
                wait(running, STOP_S)
            raise

    def _renew(self) -> threading.Event:
        """Return the event of the present run; after `cancel` that of a new one."""
        if self._cancelled.is_set():
            self._cancelled, self._run_id = threading.Event(), uuid.uuid4().hex
        return self._cancelled


class _Attempts:
    """The attempts at one task; ``outcome`` is their future."""

    def __init__(self, start: Callable[[Task], Future[Any]], task: Task, cancelled: threading.Event) -> None:
        self.outcome: Future[TaskOutcome] = Future()
        self._start, self._task, self._cancelled = start, task, cancelled
        self._failures = 0
        self._try_again()

    def _try_again(self) -> None:
        if self._cancelled.is_set():
            self._fail(Cancelled())
            return
        try:
            self._start(self._task).add_done_callback(self._end_attempt)
        except Exception as error:  # also in a thread of a library, which would drop it
            self._fail(error)

    def _end_attempt(self, future: Future[tuple[Mapping[str, Any], str]]) -> None:
        """Take the end of an attempt over as the outcome, or try again."""
        if future.cancelled() or self._cancelled.is_set():
            self._fail(Cancelled())
            return
        try:
            answer, worker = future.result()
        except WorkerDied as error:
            self._count_failure(TaskOutcome(self._task, error=str(error), error_type="WorkerDied"), error.is_final)
            return
        except BaseException as error:
            self._fail(error)
            return
        if answer["state"] == "done":
            self._succeed(answer["value"], answer["seconds"], worker)
        elif answer["state"] == "cancelled":
            self._fail(Cancelled())
        elif answer["state"] == "foreign":
            self._fail(ForeignWorker(describe_foreign(worker, answer["version"])))
        else:
            texts = {"error": answer["error"], "error_type": answer["type"], "detail": answer["detail"]}
            ended = TaskOutcome(self._task, **texts, worker=worker, seconds=answer["seconds"])
            self._count_failure(ended, answer["repeats"])

    def _count_failure(self, ended: TaskOutcome, repeats: bool) -> None:
        self._failures += 1
        if repeats or self._failures >= MAX_ATTEMPTS:
            with suppress(Exception):
                self.outcome.set_result(_with_attempts(ended, self._failures))
        else:
            self._try_again()

    def _succeed(self, value: Any, seconds: float, worker: str) -> None:
        self.outcome.set_result(
            TaskOutcome(self._task, value, worker=worker, seconds=seconds, attempts=self._failures + 1)
        )

    def _fail(self, error: BaseException) -> None:
        self.outcome.set_exception(error)


def _with_attempts(ended: TaskOutcome, attempts: int) -> TaskOutcome:
    """Return the outcome of a failed task with the number of its attempts."""
    again = f" ({attempts} attempts)" if attempts > 1 else ""
    return TaskOutcome(
        ended.task,
        error=f"{ended.error}{again}",
        error_type=ended.error_type,
        detail=ended.detail,
        worker=ended.worker,
        seconds=ended.seconds,
        attempts=attempts,
    )


def describe_foreign(worker: str, version: str) -> str:
    """Return the refusal of a worker that runs another version of the program."""
    return (
        f"worker {worker} runs Antidiag {version or 'of an unknown version'}, and this program is {program_version()}; "
        "install the same version on both"
    )


def unpack_answer(message: bytes) -> Mapping[str, Any]:
    """Return the answer of a worker; bytes that are no answer count as a failure of the task."""
    try:
        answer = unpack_message(message)
        if answer["state"] in ("done", "failed", "cancelled", "foreign"):
            return answer
    except (AntidiagError, KeyError, TypeError) as error:
        return {
            "state": "failed",
            "type": "InputError",
            "error": str(error),
            "detail": "",
            "repeats": False,
            "seconds": 0.0,
        }
    raise ExecutorLost("a worker sent an answer that this version does not know; install the same version on both")
