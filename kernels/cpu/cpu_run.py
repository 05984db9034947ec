"""One run on the CPU: its compilation, phases, threads, step log, progress and cancellation; shared by all families.

A backend with one phase that is shared by threads, and one that is not::

    def striped_score(problem, parameters, monitor, steps):
        run = CpuRun(monitor, steps, threads)
        run.compile_once(compile_fill)
        with run.phase("rows", total=len(chunks)) as phase:
            phase.share_tasks(chunks, lambda worker, chunk: fill_chunk(table, chunk, run.stop), log=cells_of_chunk)
        with run.phase("path"):
            path = walk_back(table)
        return Outcome(path, run.times_ms, table.nbytes)

Compiled code returns early when ``run.stop[0]`` is not 0. Whoever shares work then raises what stopped it.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.compilation import compilation_clock, compile_cancellably
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_finished_compilations: set[tuple[Callable[..., object], tuple[Hashable, ...]]] = set()
"""The calls of `CpuRun.compile_once` that have ended without an error, and their arguments."""


@dataclass(frozen=True, slots=True)
class LoggedCells:
    """The cells of one event in the step log, as half-open ranges, and the strip that they belong to."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    strip: int = 0
    layers: tuple[int, int] = (0, 0)


@dataclass
class CpuRun:
    """Times, step log, threads and the wish to cancel of one run on the CPU.

    Without a monitor and a step log it is silent, as for a tiny problem that only compiles. ``times_ms`` has the time
    of every phase, and apart from them "compilation" and "transfer". ``stop`` is int64, shape (1,).
    """

    monitor: Monitor = field(default_factory=Monitor)
    steps: StepLog = field(default_factory=lambda: StepLog(keeps=False))
    threads: int = 1
    times_ms: dict[str, float] = field(default_factory=lambda: {"compilation": 0.0, "transfer": 0.0})
    stop: np.ndarray = field(default_factory=workers.make_stop_word)
    started_ns: int = field(default_factory=time.perf_counter_ns)
    """The origin of the times in the step log: the start of the first phase."""
    _phase_numbers: dict[str, int] = field(default_factory=dict)
    _counted_ns: int = 0
    """Time on Numba's clock that ``times_ms`` has as compilation already."""

    def compile(self, call: Callable[[], object]) -> None:
        """Run a call that compiles or loads functions; its time is compilation, also inside a phase.

        Raises Cancelled at once when the user cancels; the compiler goes on in the background.
        """
        begun_ns = compilation_clock.spent_ns
        self.times_ms["compilation"] += compile_cancellably(call, self.monitor)
        self._counted_ns += compilation_clock.spent_ns - begun_ns

    def compile_once(self, call: Callable[..., object], *arguments: Hashable) -> None:
        """Run ``call(*arguments)`` as `compile` does, unless this process has finished the same call before.

        So a short run starts no thread to find that all is compiled.
        """
        self.monitor.check()
        if (call, arguments) not in _finished_compilations:
            self.compile(partial(call, *arguments))
            _finished_compilations.add((call, arguments))

    @contextmanager
    def phase(self, name: str, total: int = 1, number: int = 0) -> Iterator[CpuPhase]:
        """Measure a phase, which may be entered again; ``total`` is its amount of work, for the progress.

        Compilation, transfers and other phases inside of it are not counted twice; a function that is compiled only
        here counts as compilation. In the step log phases have their
        ``number``, or are numbered from 1 in the order in which they are first entered.
        """
        begun_ns, counted_ms = time.perf_counter_ns(), sum(self.times_ms.values())
        uncounted_ns = compilation_clock.spent_ns - self._counted_ns
        if not self._phase_numbers:
            self.started_ns = begun_ns
        number = self._phase_numbers.setdefault(name, number or len(self._phase_numbers) + 1)
        yield CpuPhase(self, name, number, max(total, 1), begun_ns)
        compiled_ns = compilation_clock.spent_ns - self._counted_ns - uncounted_ns
        self.times_ms["compilation"] += compiled_ns / 1e6
        self._counted_ns += compiled_ns
        spent_ms = (time.perf_counter_ns() - begun_ns) / 1e6 - (sum(self.times_ms.values()) - counted_ms)
        self.times_ms[name] = self.times_ms.get(name, 0.0) + max(spent_ms, 0.0)


class CpuPhase:
    """One phase of a run: shares its work among threads, logs what they did, and reports progress.

    ``done`` counts finished work, int64, one number for each thread of the run, which compiled code may raise itself.
    """

    def __init__(self, run: CpuRun, name: str, number: int, total: int, begun_ns: int) -> None:
        self.run, self.name, self.number, self.total, self.begun_ns = run, name, number, total, begun_ns
        self.done = np.zeros(max(run.threads, 1), np.int64)

    @property
    def elapsed_ms(self) -> float:
        """Return the milliseconds since the phase was entered."""
        return (time.perf_counter_ns() - self.begun_ns) / 1e6

    def report(self, done: int | None = None) -> None:
        """Report ``done``, or the sum of ``self.done``, as the progress; raise Cancelled when the user cancelled."""
        done = int(self.done.sum()) if done is None else done
        self.run.monitor.update(min(done, self.total), self.total, self.name)

    def log(self, cells: LoggedCells, worker: int, begun_ns: int, waited_ns: int = 0, ended_ns: int = 0) -> None:
        """Log cells that a worker computed from ``begun_ns`` to ``ended_ns`` (time.perf_counter_ns), or until now."""
        ended_ns = (ended_ns or time.perf_counter_ns()) - self.run.started_ns
        begun_ns -= self.run.started_ns
        self.run.steps.add(
            self.number, cells.strip, cells.rows, cells.columns, worker, begun_ns, ended_ns, cells.layers, waited_ns
        )

    def share(self, work: Callable[[int], None], report: Callable[[], None] | None = None, threads: int = 0) -> None:
        """Run ``work(worker)`` once on each thread of the run, or on so many, until all have returned.

        ``report`` replaces the report of ``done``; it runs every 50 ms on the calling thread. What it or a worker
        raises sets ``run.stop`` and is raised here after all workers have returned. One worker of a run that nobody
        attends is the calling thread, because handing the work over takes longer than such a run.
        """
        threads, report = threads or self.run.threads, report or self.report
        if threads > 1 or self.run.monitor.is_attended:
            workers.share_work(work, threads, self.run.stop, report)
        else:
            work(0)
            report()

    def call(self, work: Callable[[], Answer]) -> Answer:
        """Return ``work()``, which runs on one thread while the caller reports progress and hears of Cancel."""
        answers: list[Answer] = []

        def run_it(worker: int) -> None:
            answers.append(work())
            self.done[worker] = self.total

        self.share(run_it, threads=1)
        return answers[0]

    def share_tasks(
        self,
        tasks: Sequence[Task],
        compute: Callable[[int, Task], object],
        log: Callable[[Task], LoggedCells] | None = None,
        report: Callable[[], None] | None = None,
        sizes: Sequence[int] | None = None,
    ) -> None:
        """Run ``compute(worker, task)`` for all tasks; each thread takes the next task as soon as it is free.

        ``sizes`` are the amounts of work of the tasks, 1 if they are None; ``report`` is that of `share`.
        """
        numbers = itertools.count()

        def work(worker: int) -> None:
            while (number := next(numbers)) < len(tasks) and self._compute(worker, tasks[number], compute, log):
                self.done[worker] += 1 if sizes is None else sizes[number]

        self.share(work, report, min(self.run.threads, max(len(tasks), 1)))

    def share_rounds(
        self,
        rounds: Sequence[Sequence[Task]],
        compute: Callable[[int, Task], object],
        log: Callable[[Task], LoggedCells] | None = None,
    ) -> None:
        """Run ``compute(worker, task)`` for all tasks of one round after another, such as antidiagonals of blocks.

        A round begins when all tasks of the round before are finished.
        """
        barrier = threading.Barrier(self.run.threads)

        def work(worker: int) -> None:
            try:
                for tasks in rounds:
                    for task in tasks[worker :: self.run.threads]:
                        if not self._compute(worker, task, compute, log):
                            barrier.abort()
                            return
                        self.done[worker] += 1
                    barrier.wait()
            except threading.BrokenBarrierError:
                return
            except BaseException:
                barrier.abort()
                raise

        self.share(work)

    def _compute(
        self,
        worker: int,
        task: Task,
        compute: Callable[[int, Task], object],
        log: Callable[[Task], LoggedCells] | None,
    ) -> bool:
        """Compute and log a task; False where the run was stopped, before or meanwhile."""
        if self.run.stop[0]:
            return False
        begun_ns = time.perf_counter_ns()
        compute(worker, task)
        if self.run.stop[0]:
            return False
        if log is not None:
            self.log(log(task), worker, begun_ns)
        return True
