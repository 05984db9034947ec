"""One sweep or search with its points and tasks, and how points come from the thread that measures."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from PySide6.QtCore import QObject, QTimer

from antidiag.app.jobs.queue import ENDED, Job, JobState
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.experiments.point_data.plot_data import PlotSettings
from antidiag.kernels.experiments.point_data.point_store import SEARCH_KEY, StoredPoints
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.sweeps import sweep_records
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask, Sweep

IDLE_RATIO = 8
"""A poll comes at the earliest after so many times the duration of the last one."""


@dataclass
class PointInbox:
    """Points on their way from the measuring thread to the window, which polls it."""

    _points: list[MeasuredPoint] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add_point(self, point: MeasuredPoint) -> None:
        """Add a point; any thread may call this."""
        with self._lock:
            self._points.append(point)

    def take_points(self) -> list[MeasuredPoint]:
        """Remove and return all points."""
        with self._lock:
            found, self._points = self._points, []
            return found


@dataclass(eq=False)
class SweepMeasurement:
    """A sweep or a search that waits, runs or has ended.

    ``axes`` are the axes of its plots, ``file`` is the stem of its file once it runs, ``job`` is its present job,
    ``why_no_tasks`` says why the tasks of a stored sweep are unknown, and ``number`` is unique.
    """

    title: str
    axes: tuple[str, ...] = ()
    log_x: bool = False
    points: list[MeasuredPoint] = field(default_factory=list)
    job: Job | None = None
    inbox: PointInbox = field(default_factory=PointInbox)
    why_no_tasks: str = ""
    tasks: Mapping[str, MeasurementTask] = field(default_factory=dict)
    searched_task: MeasurementTask | None = None
    """The task whose parameters a search varies."""
    is_search: bool = False
    file: str = ""
    has_begun: bool = False
    number: int = field(default_factory=itertools.count().__next__)

    @property
    def is_active(self) -> bool:
        """Whether it waits or runs."""
        return self.job is not None and self.job.state not in ENDED

    @property
    def is_waiting(self) -> bool:
        """Whether its job has not begun."""
        return self.job is not None and self.job.state is JobState.WAITING

    @property
    def is_paused(self) -> bool:
        """Whether the user paused it."""
        return self.job is not None and self.job.is_paused

    def take_new_points(self) -> list[MeasuredPoint]:
        """Move new points from the inbox to the measurement, and return them."""
        new = self.inbox.take_points()
        self.points += new
        return new

    def find_task(self, point: MeasuredPoint) -> MeasurementTask | None:
        """Return the task of a point, or None where it is unknown."""
        found = self.tasks.get(task_key(point.contender, point.coordinates))
        if found is None and self.searched_task is not None and point.contender == self.searched_task.contender:
            return replace(self.searched_task, parameters=point.given, coordinates=point.coordinates)
        return found

    def axis_numbers(self, name: str) -> list[float]:
        """Return the numbers on an axis in ascending order."""
        found = {task.coordinates.get(name) for task in self.tasks.values()}
        return sorted(value for value in found if isinstance(value, (int, float)))

    def initial_settings(self, previous: PlotSettings) -> PlotSettings:
        """Return the first settings of its plots; a search starts with the first parameter that differs."""
        if self.is_search:
            return replace(previous, x="", y="", log_x=True)
        if not self.axes:
            return previous
        first, second = (*self.axes, "")[:2]
        return replace(previous, x=first, y=second, log_x=self.log_x)


def measure_sweep(sweep: Sweep, axes: Sequence[str]) -> SweepMeasurement:
    """Return a measurement of a sweep, its axes in the order of its plots; raise ParameterError where it is invalid."""
    tasks = _tasks_by_key(sweep.make_tasks())
    return SweepMeasurement(
        sweep_records.make_sweep_title(sweep), tuple(axes), _is_logarithmic(sweep, axes), tasks=tasks
    )


def measure_search(task: MeasurementTask) -> SweepMeasurement:
    """Return a measurement of a search."""
    return SweepMeasurement(sweep_records.search_title(task), searched_task=task, is_search=True)


def load_measurement(file: str, kept: StoredPoints, open_data: Sequence[Any]) -> SweepMeasurement:
    """Return a stored measurement, with its tasks where its record and the open data ``open_data`` suffice."""
    axes = tuple(str(axis["name"]) for axis in kept.sweep.get("axes", ()))
    search = bool(kept.sweep.get(SEARCH_KEY))
    found = SweepMeasurement(
        sweep_records.stored_title(kept), axes, points=list(kept.newest_points), file=file, is_search=search
    )
    try:
        sweep = sweep_records.sweep_from_json(kept.sweep, open_data)
        tasks = sweep.make_tasks()
    except AntidiagError as error:
        found.why_no_tasks = str(error)
        return found
    if search:
        found.searched_task = tasks[0]
    else:
        found.tasks, found.log_x = _tasks_by_key(tasks), _is_logarithmic(sweep, axes)
    return found


def task_key(contender: str, coordinates: Mapping[str, Any]) -> str:
    """Return the key that a point shares with its task."""
    return repr((contender, sorted((name, str(value)) for name, value in coordinates.items())))


def _tasks_by_key(tasks: Iterable[MeasurementTask]) -> dict[str, MeasurementTask]:
    return {task_key(task.contender, task.coordinates): task for task in tasks}


def _is_logarithmic(sweep: Sweep, axes: Sequence[str]) -> bool:
    return any(axis.logarithmic for axis in sweep.axes if axis.name in axes[:1])


def polling_timer(parent: QObject, least_ms: int, poll: Callable[[], None]) -> QTimer:
    """Return a timer that calls ``poll`` every ``least_ms``, or less often where a call takes long."""
    timer = QTimer(parent, interval=least_ms)

    def measured_poll() -> None:
        began = time.perf_counter()
        poll()
        timer.setInterval(max(least_ms, round(IDLE_RATIO * (time.perf_counter() - began) * 1e3)))

    timer.timeout.connect(measured_poll)
    return timer
