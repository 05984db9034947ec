"""TuneWorkspace: the form of a sweep, its plots and the chosen point, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QSplitter, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.jobs.queue import Job, JobQueue
from antidiag.app.kit.background import Latest
from antidiag.app.kit.widgets import Elided, VerticalScroll, label, menu_button, tool_button
from antidiag.app.tune import earlier
from antidiag.app.tune.form import SweepForm
from antidiag.app.tune.measurement import Measurement, of_kept, of_search, of_sweep, task_key
from antidiag.app.tune.model_curves import Curves, ModelCurves
from antidiag.app.tune.papers.job import Place
from antidiag.app.tune.papers.window import PapersWindow
from antidiag.app.tune.plots import geometry, series
from antidiag.app.tune.plots.panel import Plots
from antidiag.app.tune.plots.point import PointPanel
from antidiag.app.tune.plots.points import PointSet
from antidiag.app.tune.polling import polling_timer
from antidiag.app.tune.sweeping import limits_job, sweep_job, task_of, tune_job
from antidiag.kernels import registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.devices import Device
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.experiments import models
from antidiag.kernels.experiments.points import Point, Status
from antidiag.kernels.experiments.results import Kept
from antidiag.kernels.experiments.rooflines.roofline import Roofline
from antidiag.kernels.experiments.sweep import Sweep
from antidiag.kernels.experiments.tuning import Found
from antidiag.kernels.machine import tuned
from antidiag.kernels.method import Method

TAKE_MS = 150
PAUSE_MS = 20
"""Between two things that are painted in turns of their own."""
SIZES, SIZES_NARROW, LEAST = (380, 720, 340), (340, 600, 260), 260
"""Pixels that form, plots and the chosen point begin with, on a wide screen and on another, and the point at least."""
WIDE = 1400
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
        self._backend: BackendChoice = "auto"
        self.papers: PapersWindow | None = None
        self.gpus = 0
        self._limits: list[Job] = []
        self.active: list[Measurement] = []
        """Those that wait or are measured, in the order in which they were started."""
        self.shown = Measurement("")
        self._follows = True
        self.points = PointSet()
        self.form = SweepForm(methods)
        self._model_curves = ModelCurves(self)
        self.plots = Plots(self.points, self._curves)
        self._model_curves.ready.connect(self.plots.redraw)
        self.panel = PointPanel(self.points, self._lengths, lambda: self.shown.why_no_tasks)
        self.title = Elided()
        self.empty = label(EMPTY, "muted", wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.earlier = QMenu(self)
        self.earlier.aboutToShow.connect(self._list_earlier)
        self._restored, self._restoring = False, Latest(self)
        self._restoring.finished.connect(self._restore)
        self._lay_out()
        self._timer = polling_timer(self, TAKE_MS, self._take)
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

    def showEvent(self, event: QShowEvent) -> None:
        """The first time, the sweep that was measured last is shown again, where no other was begun."""
        super().showEvent(event)
        if not self._restored:
            self._restored = True
            self._restoring.request(lambda monitor: earlier.newest())

    def _restore(self, found: tuple[str, Kept] | None) -> None:
        """Plots that nobody has seen yet are laid out and painted in a turn of their own, and are filled then."""

        def fill() -> None:
            if not self.active and not self.points.points:
                self._show(one)
            else:
                self._show_empty()

        if found and not self.active and not self.points.points:
            one = of_kept(*found, self.form.input.data)
            self._make_room(True)
            QTimer.singleShot(PAUSE_MS, self, fill)

    def set_method(self, method: Method, options: Mapping[str, Any]) -> None:
        """The method that Analyse has chosen, and its options."""
        self.form.set_method(method, options)

    def set_data(self, data: tuple[Any, ...]) -> None:
        """What is open for that method."""
        self.form.input.set_data(data, self.form.method.problem if self.form.method else None)

    def set_device(self, backend: BackendChoice, device: int) -> None:
        """The device that is chosen in the tool bar; the sweep follows it when it changes."""
        if (backend, device) != (self._backend, self._device):
            self._device, self._backend = device, backend
            self._follow()

    def set_gpus(self, found: Sequence[Device]) -> None:
        """The GPUs that there are, of which each can be measured on."""
        self.gpus = len(found)
        self.form.devices.set_gpus(found)
        if not self.form.devices.touched:
            self._follow()

    def _follow(self) -> None:
        place = self._place()
        self.form.devices.choose(place.device if place.on_gpu else None)

    def start(self) -> None:
        """Measure the sweep of the form, after those that were started before."""
        try:
            sweep = self._on_device(self.form.sweep())
            one = of_sweep(sweep, [axis.name for axis in self.form.axis_values()])
        except AntidiagError as error:
            self.said.emit(texts.sentence(str(error)), True)
            return
        self._submit(one, sweep_job(sweep, one, self.form.reuse.isChecked(), partial(self._done, one)))

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
        one = of_search(task)
        self._submit(one, tune_job(task, one, self.form.budget.value(), partial(self._found, one)))

    def pause(self) -> None:
        """Stop the sweep that is measured after the call that runs, or let it go on."""
        if (one := self._current()) and one.job:
            self._queue.pause(one.job)

    def cancel(self) -> None:
        """Cancel the sweep that is measured."""
        if (one := self._current()) and one.job:
            self._queue.cancel(one.job)

    def show_papers(self) -> None:
        """The papers' figures, in a window of their own that stays while one works."""
        if self.papers is None:
            self.papers = PapersWindow(self, self._queue, self._place)
            self.papers.said.connect(self.said)
        self.papers.show()
        self.papers.raise_()

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
        self.form.header.addWidget(tool_button("Papers", "Reproduce a paper's figure", self.show_papers))
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
        box.addWidget(self.title)
        box.addWidget(self.empty, 1)
        box.addWidget(self.plots, 1)
        self.sides = {"data": left, "method": self.panel}
        """What is at the left and at the right, and can be hidden; named as the panels there in Analyse."""
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        for widget in (left, middle, self.panel):
            self.splitter.addWidget(widget)
        self.panel.setMinimumWidth(LEAST)
        narrow = self.screen().availableSize().width() < WIDE
        self.splitter.setSizes(list(SIZES_NARROW if narrow else SIZES))
        self.splitter.setHandleWidth(theme.SPACING)
        for index in range(3):
            self.splitter.setStretchFactor(index, int(index == 1))
        outer.addWidget(self.splitter)

    def _place(self) -> Place:
        """Where the tool bar says that methods run."""
        on_gpu = self._backend == "cuda" or (self._backend == "auto" and self.gpus > 0)
        return Place(self._backend, self._device, on_gpu)

    def _on_device(self, sweep: Sweep) -> Sweep:
        return replace(sweep, devices=self.form.devices.gpus() or (self._device,))

    def _submit(self, one: Measurement, job: Job) -> None:
        """Show it where nothing else is measured; otherwise it is shown when its turn comes."""
        one.job = job
        if not self.active:
            self._look_at(one)
        self.active.append(one)
        self._timer.start()
        self._queue.submit(job)
        self._show_state()

    def _current(self) -> Measurement | None:
        """What Pause and Cancel are about: what is on show while it is measured, or else the first that is."""
        if self.shown.active:
            return self.shown
        return next((one for one in self.active if not one.waiting), next(iter(self.active), None))

    def _show(self, one: Measurement) -> None:
        """Show the points of this one and of no other."""
        self.shown = one
        self.plots.settings = one.settings(self.plots.settings)
        self.title.setText(one.title)
        one.points = models.with_limits(one.points)
        self.points.begin(one.title, one.points, one.search)
        self._choose_best()
        self._show_state()

    def _show_state(self) -> None:
        one, waiting = self._current(), sum(other.waiting for other in self.active)
        self.form.set_running(one is not None, one is not None and one.paused, waiting)

    def _take(self) -> None:
        """Show the points that came since the last look."""
        for one in self.active:
            self._take_of(one)

    def _take_of(self, one: Measurement) -> None:
        new = one.take()
        if one is self.shown:
            self.points.add(new)
            if new and self.points.chosen is None:
                self._choose_best()

    def _choose_best(self) -> None:
        self.points.choose(series.best(self.points.points, "compute_ms"))

    def _done(self, one: Measurement, found: tuple[Point, ...]) -> None:
        if one is self.shown:
            self._choose_best()
        self.said.emit(f"{one.title}: {_counted(found)}", False)

    def _found(self, one: Measurement, found: Found) -> None:
        if one is self.shown:
            same = [point for point in self.points.points if found.values.items() <= point.parameters.items()]
            self.points.choose(series.best(same, "compute_ms"))
        values = texts.settings(found.values)
        text = f"Best found: {values}, {found.speedup:.2f} x the automatic values"
        self.said.emit(f"{text}; kept as defaults." if found.kept else f"{text}. {texts.sentence(found.reason)}", False)
        self.tuned_changed.emit()

    def _changed(self, job: Job) -> None:
        """A job of ours has begun, pauses, or goes on; what has begun is shown in the place of what has ended."""
        one = next((one for one in self.active if one.job is job), None)
        if one is None:
            return
        if one.active and not one.waiting and not one.begun:
            one.begun = True
            if self._follows and not self.shown.active:
                self._show(one)
        self._show_state()

    def _ended(self, job: Job) -> None:
        if job in self._limits:
            self._limits.remove(job)
            self.plots.roof.set_measuring(bool(self._limits))
        for one in [one for one in self.active if one.job is job]:
            self._take_of(one)
            self.active.remove(one)
            if not self.active:
                self._timer.stop()
        self._show_state()

    def _use(self, point: Point) -> None:
        self.values_wanted.emit(point.contender, dict(point.given or point.parameters))

    def _lengths(self, point: Point) -> tuple[int, ...] | None:
        task = self.shown.task(point)
        return geometry.shape(task.inputs, geometry.inputs_of(point)) if task else None

    def _curves(self, point: Point, name: str) -> Curves:
        """What the models of a point's method foretell over an axis, as far as it is known by now."""
        key = task_key(point.contender, point.coordinates)
        task = self.shown.tasks.get(key)
        if task is None or point.is_peer:
            return {}
        if name not in {parameter.name for parameter in registry.method(point.contender).parameters}:
            return {}
        return self._model_curves.curves((self.shown.number, key), task, name, self.shown.numbers(name))

    def _show_empty(self) -> None:
        self._make_room(bool(self.points.points))

    def _make_room(self, there: bool) -> None:
        """For plots, or for words in the place of plots."""
        self.empty.setVisible(not there)
        self.plots.setVisible(there)
        self.title.setVisible(there)

    def _list_earlier(self) -> None:
        """The sweeps that wait or are measured, and the newest on disk."""
        earlier.fill(self.earlier, self.active, self._look_at, self._open)

    def _open(self, file: str, kept: Kept) -> None:
        """Show a sweep from disk."""
        self._look_at(of_kept(file, kept, self.form.input.data))

    def _look_at(self, one: Measurement) -> None:
        """Show what the user has chosen; where it has ended, it stays on show whatever begins."""
        self._follows = one.active
        self._show(one)


def _counted(found: Sequence[Point]) -> str:
    """How many points there are, and where it says why others are not, or are wrong."""
    measured = sum(point.measured for point in found)
    wrong = sum(point.status is Status.WRONG for point in found)
    text = f"{measured:,} point{'' if measured == 1 else 's'} measured"
    text += f", {wrong:,} of them with a wrong answer" if wrong else ""
    text += f", {len(found) - measured:,} not" if measured < len(found) else ""
    return f"{text}: the table says why." if wrong or measured < len(found) else f"{text}."
