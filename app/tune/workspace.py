"""TuneWorkspace: the form of a sweep, its plots and the chosen point, put together."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QMenu, QSplitter, QVBoxLayout, QWidget

from app import texts, theme
from app.jobs import Job, JobQueue, JobState
from app.panels.widgets import VerticalScroll, label
from app.tune import geometry, series
from app.tune.foretold import Curves, Foretold
from app.tune.form import SweepForm
from app.tune.plots import Plots
from app.tune.point import PointPanel
from app.tune.points import PointSet
from app.tune.sweeping import Inbox, limits_job, sweep_job, task_of, tune_job
from app.views.pieces import menu_button
from kernels import registry, tuned
from kernels.cuda import devices
from kernels.errors import AntidiagError
from kernels.experiments import models, results
from kernels.experiments.points import Point
from kernels.experiments.roofline import Roofline
from kernels.experiments.runner import Control
from kernels.experiments.sweep import Sweep, Task
from kernels.experiments.tuning import Found
from kernels.method import Method

TAKE_MS, SHARE = 150, 8
LEFT, MIDDLE, RIGHT, LEAST = 380, 720, 340, 260
MOST_KEPT = 12
EMPTY = (
    "No points yet. Choose an axis at the left, such as the strip width s over 32:1024:*2, and start the sweep: "
    "points appear here as they are measured. Tune looks for good parameters by itself."
)


class TuneWorkspace(QWidget):
    """Measures points and shows them.

    ``values_wanted(method_id, parameters)`` asks Analyse to take a point's values; ``said(text, error)`` tells the
    user.
    """

    values_wanted = Signal(str, object)
    tuned_changed = Signal()
    said = Signal(str, bool)

    def __init__(self, queue: JobQueue, methods: Sequence[Method]) -> None:
        super().__init__()
        self._queue, self._methods = queue, tuple(methods)
        self._device = 0
        self._tasks: dict[str, Task] = {}
        self._job: Job | None = None
        self._limits: list[Job] = []
        self._inbox = Inbox()
        self.points = PointSet()
        self.form = SweepForm(methods)
        self._foretold = Foretold(self)
        self.plots = Plots(self.points, self._curves)
        self._foretold.ready.connect(self.plots.redraw)
        self.panel = PointPanel(self.points, self._lengths)
        self.empty = label(EMPTY, "muted", wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.earlier = QMenu(self)
        self.earlier.aboutToShow.connect(self._list_earlier)
        self._lay_out()
        self._timer = QTimer(self)
        self._timer.setInterval(TAKE_MS)
        self._timer.timeout.connect(self._take)
        self.form.start_wanted.connect(self.start)
        self.form.pause_wanted.connect(self.pause)
        self.form.cancel_wanted.connect(self.cancel)
        self.form.tune_wanted.connect(self.tune)
        self.panel.use_wanted.connect(self._use)
        self.plots.roof.measure_wanted.connect(self.measure_limits)
        self.points.changed.connect(self._show_empty)
        queue.ended.connect(self._ended)
        queue.changed.connect(self._changed)
        self._show_empty()

    def set_method(self, method: Method, options: Mapping[str, Any]) -> None:
        """The method that Analyse has chosen, and its options."""
        self.form.set_method(method, options)

    def set_data(self, data: tuple[Any, ...]) -> None:
        """What is open for that method."""
        self.form.input.set_data(data, self.form.method.problem if self.form.method else None)

    def set_device(self, backend: str, device: int) -> None:
        """The device that is chosen in the tool bar."""
        self._device = device
        if backend in ("cpu", "cuda"):
            self.form.cpu.setChecked(backend == "cpu")
            self.form.cuda.setChecked(backend == "cuda")

    def start(self) -> None:
        """Measure the sweep of the form."""
        try:
            sweep = self.form.sweep()
            self._tasks = {task_key(task.contender, task.coordinates): task for task in sweep.tasks()}
        except AntidiagError as error:
            self.said.emit(texts.sentence(str(error)), True)
            return
        names = [axis.name for axis in self.form.axis_values()]
        first, second = (*names, "", "")[:2]
        logarithmic = any(axis.logarithmic for axis in sweep.axes if axis.name == first)
        self.plots.settings = replace(self.plots.settings, x=first, y=second, log_x=logarithmic)
        self.points.begin(sweep.title)
        self._submit(sweep_job(self._on_device(sweep), self._inbox, self.form.reuse.isChecked(), self._done))

    def tune(self) -> None:
        """Search good parameters of the chosen method on the input of the form."""
        method = self.form.method
        if method is None:
            return
        try:
            task = task_of(
                method, self.form.input.inputs(), self.form.options, {}, self.form.backends()[0], self._device
            )
        except AntidiagError as error:
            self.said.emit(texts.sentence(str(error)), True)
            return
        self._tasks = {}
        self.plots.settings = replace(self.plots.settings, x="", y="", log_x=True)
        self.points.begin(f"Tune {method.name}", search=True)
        budget = self.form.budget.value()
        self._submit(tune_job(task, method, budget, self._inbox, self._found))

    def pause(self) -> None:
        """Stop after the call that runs, or go on."""
        if self._job is None or not isinstance(self._job.monitor, Control):
            return
        control = self._job.monitor
        control.go_on() if control.paused else control.pause()
        self.form.set_running(True, control.paused)

    def cancel(self) -> None:
        if self._job:
            self._queue.cancel(self._job)

    def measure_limits(self) -> None:
        """Measure the limits of the devices of the form anew; the jobs panel shows how far it is, and cancels it."""
        if self._limits:
            return
        for backend in self.form.backends():
            found = backend if backend != "auto" else "cuda" if devices.discover()[0] else "cpu"
            self._limits.append(self._queue.submit(limits_job(found, self._device, self._show_limits)))
        self.plots.roof.set_measuring(True)

    def _show_limits(self, found: Roofline) -> None:
        self.points.renew(models.with_limits)
        self.said.emit(f"The limits of {found.device} are measured and kept.", False)

    def reset_tuned(self) -> None:
        """Forget what was tuned for the chosen method."""
        if self.form.method:
            count = tuned.reset(self.form.method.id)
            self.tuned_changed.emit()
            self.said.emit(f"{count} tuned set{'' if count == 1 else 's'} of values forgotten.", False)

    def _lay_out(self) -> None:
        menu = menu_button("Earlier sweeps", "Points of sweeps that were measured before", self.earlier)
        self.form.header.addWidget(menu)
        left, middle = QWidget(), QWidget()
        column, box, outer = QVBoxLayout(left), QVBoxLayout(middle), QVBoxLayout(self)
        for layout in (column, box, outer):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(theme.SPACING)
        inner = QWidget()
        around = QVBoxLayout(inner)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(self.form)
        column.addWidget(VerticalScroll(inner), 1)
        column.addLayout(self.form.buttons)
        self.empty.setContentsMargins(6 * theme.MARGIN, 0, 6 * theme.MARGIN, 0)
        box.addWidget(self.empty, 1)
        box.addWidget(self.plots, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        for widget in (left, middle, self.panel):
            self.splitter.addWidget(widget)
        self.panel.setMinimumWidth(LEAST)
        self.splitter.setSizes([LEFT, MIDDLE, RIGHT])
        self.splitter.setHandleWidth(theme.SPACING)
        for index in range(3):
            self.splitter.setStretchFactor(index, int(index == 1))
        outer.addWidget(self.splitter)

    def _on_device(self, sweep: Sweep) -> Sweep:
        return replace(sweep, devices=(self._device,))

    def _submit(self, job: Job) -> None:
        self._job = job
        self._timer.start()
        self._queue.submit(job)
        self.form.set_running(True)

    def _take(self) -> None:
        """Show the points that came since the last look; the longer that takes, the later is the next look."""
        began = time.perf_counter()
        self.points.add(self._inbox.take())
        if self.points.points and self.points.chosen is None:
            self.points.choose(series.best(self.points.points, "compute_ms"))
        self._timer.setInterval(max(TAKE_MS, round(SHARE * (time.perf_counter() - began) * 1e3)))

    def _done(self, found: tuple[Point, ...]) -> None:
        self._take()
        self.points.choose(series.best(self.points.points, "compute_ms"))
        wrong = [point for point in found if point.reason]
        text = f"{len(found):,} points measured" + (f", {len(wrong):,} of them not: see the table" if wrong else "")
        self.said.emit(f"{text}.", False)

    def _found(self, found: Found) -> None:
        self._take()
        values = texts.settings(found.values)
        text = f"Best found: {values}, {found.speedup:.2f} x the automatic values"
        self.said.emit(f"{text}; kept as defaults." if found.kept else f"{text}. {texts.sentence(found.reason)}", False)
        self.tuned_changed.emit()

    def _changed(self, job: Job) -> None:
        if job is self._job and job.state is JobState.RUNNING:
            paused = isinstance(job.monitor, Control) and job.monitor.paused
            self.form.set_running(True, paused)

    def _ended(self, job: Job) -> None:
        if job in self._limits:
            self._limits.remove(job)
            self.plots.roof.set_measuring(bool(self._limits))
        if job is self._job:
            self._job = None
            self._timer.stop()
            self._take()
            self.form.set_running(False)

    def _use(self, point: Point) -> None:
        self.values_wanted.emit(point.contender, dict(point.given or point.parameters))

    def _lengths(self, point: Point) -> tuple[int, ...] | None:
        task = self._tasks.get(task_key(point.contender, point.coordinates))
        return geometry.shape(task.inputs) if task else None

    def _curves(self, point: Point, name: str) -> Curves:
        """What the models of a point's method foretell over an axis, as far as it is known by now."""
        key = task_key(point.contender, point.coordinates)
        task = self._tasks.get(key)
        if task is None or point.is_peer:
            return {}
        if name not in {parameter.name for parameter in registry.method(point.contender).parameters}:
            return {}
        over = {other.coordinates[name] for other in self._tasks.values() if name in other.coordinates}
        return self._foretold.curves(key, task, name, sorted(over))

    def _show_empty(self) -> None:
        there = bool(self.points.points)
        self.empty.setVisible(not there)
        self.plots.setVisible(there)

    def _list_earlier(self) -> None:
        """The newest sweeps on disk."""
        self.earlier.clear()
        files = sorted(results.folder().glob(f"*{results.SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in files[:MOST_KEPT]:
            kept = results.read(path)
            title = str(kept.sweep.get("title") or path.stem)
            self.earlier.addAction(f"{title} ({len(kept.newest):,} points)", partial(self._open, title, kept.newest))
        if not files:
            self.earlier.addAction("None yet").setEnabled(False)

    def _open(self, title: str, points: Sequence[Point]) -> None:
        self._tasks = {}
        self.points.begin(title, models.with_limits(points))


def task_key(contender: str, coordinates: Mapping[str, Any]) -> str:
    """What a point and the task it was measured by have in common."""
    return repr((contender, sorted((name, str(value)) for name, value in coordinates.items())))
