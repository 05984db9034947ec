"""Measurement: one sweep or search, with its own points and the tasks that they were measured by."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from antidiag.app.jobs.queue import ENDED, Job, JobState
from antidiag.app.tune.plots.settings import PlotSettings
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.experiments import records
from antidiag.kernels.experiments.points import Point
from antidiag.kernels.experiments.results import SEARCH, Kept
from antidiag.kernels.experiments.sweep import Sweep, Task


@dataclass
class Inbox:
    """Points on their way from the thread that measures to the window, which empties it now and then."""

    _points: list[Point] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, point: Point) -> None:
        with self._lock:
            self._points.append(point)

    def take(self) -> list[Point]:
        with self._lock:
            found, self._points = self._points, []
            return found


@dataclass(eq=False)
class Measurement:
    """A sweep or a search that waits, is measured, or was.

    ``axes`` are the names on the axes of its plots. ``file`` is the name of its file, which is known when it begins.
    ``job`` is there where it was started in this session. ``why_no_tasks`` says of one from disk why its problems are
    not known. ``number`` tells it from every other one.
    """

    title: str
    axes: tuple[str, ...] = ()
    log_x: bool = False
    points: list[Point] = field(default_factory=list)
    job: Job | None = None
    inbox: Inbox = field(default_factory=Inbox)
    why_no_tasks: str = ""
    tasks: Mapping[str, Task] = field(default_factory=dict)
    around: Task | None = None
    """What a search varies."""
    search: bool = False
    file: str = ""
    begun: bool = False
    number: int = field(default_factory=itertools.count().__next__)

    @property
    def active(self) -> bool:
        """Whether it waits or is measured."""
        return self.job is not None and self.job.state not in ENDED

    @property
    def waiting(self) -> bool:
        return self.job is not None and self.job.state is JobState.WAITING

    @property
    def paused(self) -> bool:
        return self.job is not None and self.job.paused

    def take(self) -> list[Point]:
        """The points that came since this was last asked."""
        new = self.inbox.take()
        self.points += new
        return new

    def task(self, point: Point) -> Task | None:
        """What a point was measured by, as far as it is known."""
        found = self.tasks.get(task_key(point.contender, point.coordinates))
        if found is None and self.around is not None and point.contender == self.around.contender:
            return replace(self.around, parameters=point.given, coordinates=point.coordinates)
        return found

    def numbers(self, name: str) -> list[float]:
        """The numbers on an axis."""
        found = {task.coordinates.get(name) for task in self.tasks.values()}
        return sorted(value for value in found if isinstance(value, (int, float)))

    def settings(self, before: PlotSettings) -> PlotSettings:
        """How its plots begin; those of a search with the first parameter that differs between what it has tried."""
        if self.search:
            return replace(before, x="", y="", log_x=True)
        if not self.axes:
            return before
        first, second = (*self.axes, "")[:2]
        return replace(before, x=first, y=second, log_x=self.log_x)


def of_sweep(sweep: Sweep, axes: Sequence[str]) -> Measurement:
    """A sweep to be measured, its axes in the order of its plots; ParameterError where it makes no sense."""
    tasks = _by_key(sweep.tasks())
    return Measurement(records.title_of(sweep), tuple(axes), _is_log(sweep, axes), tasks=tasks)


def of_search(task: Task) -> Measurement:
    """A search to be made."""
    return Measurement(records.search_title(task), around=task, search=True)


def of_kept(file: str, kept: Kept, there: Sequence[Any]) -> Measurement:
    """One from disk, with the tasks where they can be made again from its record and the data that are ``there``."""
    axes = tuple(str(axis["name"]) for axis in kept.sweep.get("axes", ()))
    search = bool(kept.sweep.get(SEARCH))
    found = Measurement(records.title(kept), axes, points=list(kept.newest), file=file, search=search)
    try:
        sweep = records.sweep_of(kept.sweep, there)
        tasks = sweep.tasks()
    except AntidiagError as error:
        found.why_no_tasks = str(error)
        return found
    if search:
        found.around = tasks[0]
    else:
        found.tasks, found.log_x = _by_key(tasks), _is_log(sweep, axes)
    return found


def task_key(contender: str, coordinates: Mapping[str, Any]) -> str:
    """What a point and the task it was measured by have in common."""
    return repr((contender, sorted((name, str(value)) for name, value in coordinates.items())))


def _by_key(tasks: Iterable[Task]) -> dict[str, Task]:
    return {task_key(task.contender, task.coordinates): task for task in tasks}


def _is_log(sweep: Sweep, axes: Sequence[str]) -> bool:
    return any(axis.logarithmic for axis in sweep.axes if axis.name in axes[:1])
