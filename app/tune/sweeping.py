"""Sweeps and searches as jobs: they run in the lane of their device, so that nothing else runs beside a measurement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from antidiag.app import texts
from antidiag.app.jobs.queue import Job
from antidiag.app.tune.measurement import Measurement
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.experiments import records, results, runner, tuning
from antidiag.kernels.experiments.inputs import Inputs
from antidiag.kernels.experiments.points import Point
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.rooflines.roofline import Roofline
from antidiag.kernels.experiments.runner import Control, Progress
from antidiag.kernels.experiments.sweep import Sweep, Task
from antidiag.kernels.experiments.tuning import Found
from antidiag.kernels.method import Method
from antidiag.kernels.monitor import Monitor


def lane(backends: tuple[str, ...], device: int) -> str:
    """A sweep that may use a GPU waits for runs on it, any other for runs on the CPU."""
    return f"cuda {device}" if "cuda" in backends else "cpu"


def sweep_job(sweep: Sweep, one: Measurement, reuse: bool, done: Callable[[tuple[Point, ...]], None]) -> Job:
    """Measures a sweep; every point is on disk before it is shown."""

    def work(monitor: Monitor) -> tuple[Point, ...]:
        control, one.file = _control(monitor), sweep.id
        return runner.run(sweep, results.of(one.file), control, one.inbox.put, _reporter(control), reuse)

    title = f"Sweep \N{MIDDLE DOT} {one.title}"
    return Job(title, lane(sweep.backends, sweep.devices[0]), work, done, make_monitor=Control, alone=True)


def tune_job(task: Task, one: Measurement, budget_s: float, done: Callable[[Found], None]) -> Job:
    """Searches good parameters; cancelling it ends the search and keeps what was found."""

    def work(monitor: Monitor) -> Found:
        control, one.file = _control(monitor), records.search_id(task)
        store = results.of(one.file)
        return tuning.tune(task, budget_s, control, one.inbox.put, _reporter(control), store=store)

    title = f"{one.title} \N{MIDDLE DOT} {texts.duration(1000 * budget_s)}"
    return Job(title, lane((task.backend,), task.device), work, done, make_monitor=Control, alone=True)


def limits_job(backend: str, device: int, done: Callable[[Roofline], None]) -> Job:
    """Measures the roofline of a device anew, and keeps it."""

    def work(monitor: Monitor) -> Roofline:
        return roofline.of(backend, device, monitor, again=True)

    title = f"GPU {device}" if backend == "cuda" else "the CPU"
    return Job(f"Limits of {title}", lane((backend,), device), work, done, detachable=True, alone=True)


def task_of(
    method: Method, inputs: Inputs, options: Mapping[str, Any], parameters: Mapping[str, Any], backend: BackendChoice,
    device: int = 0,
) -> Task:  # fmt: skip
    """The task that a search varies."""
    return Task(method.id, method.problem.id, inputs, {"method": method.id}, options, parameters, backend, device)


def _control(monitor: Monitor) -> Control:
    assert isinstance(monitor, Control)
    return monitor


def _reporter(control: Control) -> Callable[[Progress], None]:
    """Progress of a sweep as the jobs panel shows it."""

    def report(progress: Progress) -> None:
        control.update(progress.done, progress.total, progress.text)

    return report
