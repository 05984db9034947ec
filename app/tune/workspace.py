"""TuneWorkspace: the form of a sweep, its plots and the chosen point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QSplitter, QWidget

from antidiag.app import texts, theme
from antidiag.app.jobs.queue import Job, JobQueue
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.controls.drawers import LEFT, RIGHT, FoldingPanels, PanelHolder, SidePanel
from antidiag.app.kit.controls.widgets import ElidedLabel, VerticalScrollArea, create_label, menu_button, tool_button
from antidiag.app.kit.focus import guard_from_wheel
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.tune import sweep_history
from antidiag.app.tune.form import SweepForm
from antidiag.app.tune.measurement import (
    SweepMeasurement,
    load_measurement,
    measure_search,
    measure_sweep,
    polling_timer,
    task_key,
)
from antidiag.app.tune.model_curves import ModelCurvePoints, ModelCurves
from antidiag.app.tune.papers.papers_window import PapersWindow
from antidiag.app.tune.plots import geometry
from antidiag.app.tune.plots.plot_tabs import PlotTabs
from antidiag.app.tune.plots.point_panel import PointPanel
from antidiag.app.tune.plots.point_set import PointSet
from antidiag.app.tune.sweep_jobs import DeviceChoice, limits_job, searched_task, sweep_job, tune_job
from antidiag.kernels import registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.devices import Device
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.experiments.point_data import model_values, plot_data
from antidiag.kernels.experiments.point_data.point_store import StoredPoints
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus
from antidiag.kernels.experiments.rooflines.roofline import Roofline
from antidiag.kernels.experiments.sweeps.parameter_tuning import TuningOutcome
from antidiag.kernels.machine import tuned_values
from antidiag.kernels.method import Method
from antidiag.kernels.text import format_count

POLL_MS = 150
PAUSE_MS = 20
"""Pause between showing the plots and filling them, so that the window stays responsive."""
SIZES, SIZES_NARROW, MIN_PANEL_WIDTH = (380, 720, 340), (340, 600, 260), 260
"""Initial widths of form, plots and chosen point on a wide and on a narrow screen, and the last one's minimum."""
WIDE_SCREEN = 1400
MIN_PLOT_HEIGHT = 330
"""Least pixels of the plots with their tools; they scroll in a lower window."""
EMPTY_TEXT = (
    "No points yet. Choose an axis on the left, such as the strip width s with 32:1024:*2, and start the sweep. "
    "Points appear here as they are measured. Tune searches for good parameters automatically."
)


class PlotHolder(QWidget):
    """Holds the plots as high as the scroll area, but at least MIN_PLOT_HEIGHT; a layout would ask for more."""

    def __init__(self, plots: QWidget) -> None:
        super().__init__()
        self._plots = plots
        plots.setParent(self)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._plots.minimumSizeHint().width(), MIN_PLOT_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._plots.resize(self.size())


class TuneWorkspace(QWidget):
    """Measures points and shows them.

    ``values_wanted(method_id, parameters)``: use a point's values in Analyse. ``message_sent(text, error)``: show a
    message to the user.
    """

    values_wanted = Signal(str, object)
    tuned_changed = Signal()
    message_sent = Signal(str, bool)

    def __init__(self, queue: JobQueue, methods: Sequence[Method]) -> None:
        super().__init__()
        self._queue = queue
        self._device = 0
        self._backend: BackendChoice = "auto"
        self.papers_window: PapersWindow | None = None
        self.gpu_count = 0
        self._limit_jobs: list[Job] = []
        self.active_measurements: list[SweepMeasurement] = []
        """Measurements that wait or run, in the order in which they were started."""
        self.shown_measurement = SweepMeasurement("")
        self._shows_next_measurement = True
        self.points = PointSet()
        self.form = SweepForm(methods)
        self._model_curves = ModelCurves(self)
        self.plots = PlotTabs(self.points, self._model_curves_of)
        self._model_curves.ready.connect(self.plots.redraw)
        self.panel = PointPanel(self.points, self._input_lengths, lambda: self.shown_measurement.why_no_tasks)
        self.title = ElidedLabel()
        self.empty_label = create_label(EMPTY_TEXT, "muted", wrap=True)
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.history_menu = QMenu(self)
        self.history_menu.aboutToShow.connect(
            lambda: sweep_history.fill_menu(
                self.history_menu, self.active_measurements, self._select_measurement, self._open_stored
            )
        )
        self._restore_thread = LatestTask(self, self._show_restored)
        self._restore_requested = False
        self._lay_out()
        self._timer = polling_timer(self, POLL_MS, self._take_all_points)
        self.form.start_button.clicked.connect(self.start_sweep)
        self.form.pause_button.clicked.connect(self.pause_or_resume)
        self.form.cancel_button.clicked.connect(self.cancel_measurement)
        self.form.tune_button.clicked.connect(self.start_search)
        self.panel.use_wanted.connect(self._use_values)
        self.plots.roofline.measure_wanted.connect(self.measure_limits)
        self.points.changed.connect(self._update_empty_label)
        queue.ended.connect(self._on_job_ended)
        queue.changed.connect(self._on_job_changed)
        self._update_empty_label()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._restore_requested:
            self._restore_requested = True
            self._restore_thread.request(lambda monitor: sweep_history.newest_sweep())

    def _show_restored(self, found: tuple[str, StoredPoints] | None) -> None:
        """Show the newest stored sweep, unless another one was begun; plots are laid out first and filled later."""

        def fill() -> None:
            if self.active_measurements or self.points.points:
                self._update_empty_label()
            else:
                self._show_measurement(measurement)

        if found and not self.active_measurements and not self.points.points:
            measurement = load_measurement(*found, self.form.input_editor.open_data)
            self._show_plots(True)
            QTimer.singleShot(PAUSE_MS, self, fill)

    def set_method(self, method: Method, options: Mapping[str, Any]) -> None:
        """Take the method that is chosen in Analyse, and its options."""
        self.form.set_method(method, options)

    def set_data(self, data: Sequence[Any]) -> None:
        """Take the open data of that method."""
        self.form.input_editor.set_data(data, self.form.method.problem_type if self.form.method else None)

    def set_device(self, backend: BackendChoice, device: int) -> None:
        """Take the device that is chosen in the tool bar; the form follows each change."""
        if (backend, device) != (self._backend, self._device):
            self._device, self._backend = device, backend
            self._follow_tool_bar()

    def set_gpus(self, found: Sequence[Device]) -> None:
        """Offer these GPUs for measurements."""
        self.gpu_count = len(found)
        self.form.devices.set_gpus(found)
        if not self.form.devices.user_has_chosen:
            self._follow_tool_bar()

    def _follow_tool_bar(self) -> None:
        place = self._device_choice()
        self.form.devices.choose_device(place.device if place.uses_gpu else None)

    def start_sweep(self) -> None:
        """Queue the sweep of the form."""
        try:
            sweep = replace(self.form.read_sweep(), devices=self.form.devices.chosen_gpus() or (self._device,))
            measurement = measure_sweep(sweep, [axis.name for axis in self.form.read_axes()])
        except AntidiagError as error:
            self.message_sent.emit(texts.as_sentence(str(error)), True)
            return
        done = partial(self._report_sweep, measurement)
        self._submit_measurement(measurement, sweep_job(sweep, measurement, self.form.reuse.isChecked(), done))

    def start_search(self) -> None:
        """Queue a search for good parameters of the chosen method on the input of the form."""
        method = self.form.method
        if method is None:
            return
        try:
            inputs, backend = self.form.input_editor.read_inputs(), self.form.devices.chosen_backends()[0]
            task = searched_task(method, inputs, self.form.options, backend, self._device)
        except AntidiagError as error:
            self.message_sent.emit(texts.as_sentence(str(error)), True)
            return
        measurement = measure_search(task)
        done = partial(self._report_search, measurement)
        self._submit_measurement(measurement, tune_job(task, measurement, self.form.budget.value(), done))

    def pause_or_resume(self) -> None:
        """Pause the running sweep after its present call, or resume it."""
        if (measurement := self._current_measurement()) and measurement.job:
            self._queue.pause(measurement.job)

    def cancel_measurement(self) -> None:
        """Cancel the running sweep."""
        if (measurement := self._current_measurement()) and measurement.job:
            self._queue.cancel(measurement.job)

    def show_papers(self) -> None:
        """Show the window of the papers' figures."""
        if self.papers_window is None:
            self.papers_window = PapersWindow(self, self._queue, self._device_choice)
            self.papers_window.message_sent.connect(self.message_sent)
        self.papers_window.show()
        self.papers_window.raise_()

    def measure_limits(self) -> None:
        """Queue a measurement of the limits of the form's devices; the jobs panel shows its progress."""
        if self._limit_jobs:
            return
        for backend in self.form.devices.chosen_backends():
            found = backend if backend != "auto" else "cuda" if devices.discover_devices()[0] else "cpu"
            self._limit_jobs.append(self._queue.submit(limits_job(found, self._device, self._show_limits)))
        self.plots.roofline.set_measuring(True)

    def _show_limits(self, found: Roofline) -> None:
        self.points.replace_points(model_values.update_limits)
        self.message_sent.emit(f"The limits of {found.device} were measured and saved.", False)

    def reset_tuned(self) -> None:
        """Delete the tuned values of the chosen method."""
        if self.form.method:
            count = tuned_values.delete_tuned(self.form.method.id)
            self.tuned_changed.emit()
            self.message_sent.emit(f"Deleted {format_count(count, 'tuned set')} of values.", False)

    def _lay_out(self) -> None:
        menu = menu_button("Earlier sweeps", "Open a sweep that was measured before", self.history_menu)
        self.form.header.addWidget(tool_button("Papers", "Reproduce a paper's figure", self.show_papers))
        self.form.header.addWidget(menu)
        left, middle, inner = QWidget(), QWidget(), QWidget()
        column_of(self.form, parent=inner)
        column_of((VerticalScrollArea(inner), 1), self.form.buttons, parent=left)
        guard_from_wheel(left)
        self.empty_label.setContentsMargins(6 * theme.MARGIN, 0, 6 * theme.MARGIN, 0)
        self._plot_area = VerticalScrollArea(PlotHolder(self.plots))
        column_of(self.title, (self.empty_label, 1), (self._plot_area, 1), parent=middle)
        self.panel.setMinimumWidth(MIN_PANEL_WIDTH)
        self.sides = {"data": PanelHolder(left), "method": PanelHolder(self.panel)}
        """The side panels that can be hidden, by the names of those of Analyse."""
        panels = [
            SidePanel(name, self.sides[name], side, width)
            for name, side, width in (("data", LEFT, SIZES_NARROW[0]), ("method", RIGHT, SIZES_NARROW[2]))
        ]
        self.folding = FoldingPanels(self, panels, (RIGHT, LEFT))
        """The side panels, which fold into drawers where the plots would be narrow."""
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        for widget in (self.sides["data"], middle, self.sides["method"]):
            self.splitter.addWidget(widget)
        narrow = self.screen().availableSize().width() < WIDE_SCREEN
        self.splitter.setSizes(list(SIZES_NARROW if narrow else SIZES))
        self.splitter.setHandleWidth(theme.SPACING)
        for index in range(3):
            self.splitter.setStretchFactor(index, int(index == 1))
        column_of(self.splitter, parent=self)

    def _device_choice(self) -> DeviceChoice:
        on_gpu = self._backend == "cuda" or (self._backend == "auto" and self.gpu_count > 0)
        return DeviceChoice(self._backend, self._device, on_gpu)

    def _submit_measurement(self, measurement: SweepMeasurement, job: Job) -> None:
        """Queue a job, and show its measurement now if nothing else is active, else when it begins."""
        measurement.job = job
        if not self.active_measurements:
            self._select_measurement(measurement)
        self.active_measurements.append(measurement)
        self._timer.start()
        self._queue.submit(job)
        self._show_state()

    def _current_measurement(self) -> SweepMeasurement | None:
        """Return what Pause and Cancel act on: the shown measurement if it is active, else the first active one."""
        if self.shown_measurement.is_active:
            return self.shown_measurement
        return min(self.active_measurements, key=lambda measurement: measurement.is_waiting, default=None)

    def _show_measurement(self, measurement: SweepMeasurement) -> None:
        self.shown_measurement = measurement
        self.plots.settings = measurement.initial_settings(self.plots.settings)
        self.title.setText(measurement.title)
        measurement.points = model_values.update_limits(measurement.points)
        self.points.show_points(measurement.title, measurement.points, measurement.is_search)
        self._choose_best()
        self._show_state()

    def _show_state(self) -> None:
        measurement, waiting = self._current_measurement(), sum(other.is_waiting for other in self.active_measurements)
        self.form.set_running(measurement is not None, measurement is not None and measurement.is_paused, waiting)

    def _take_all_points(self) -> None:
        for measurement in self.active_measurements:
            self._take_points(measurement)

    def _take_points(self, measurement: SweepMeasurement) -> None:
        new = measurement.take_new_points()
        if measurement is self.shown_measurement:
            self.points.add_points(new)
            if new and self.points.chosen is None:
                self._choose_best()

    def _choose_best(self) -> None:
        self.points.choose_point(plot_data.best_point(self.points.points, "compute_ms"))

    def _report_sweep(self, measurement: SweepMeasurement, found: tuple[MeasuredPoint, ...]) -> None:
        if measurement is self.shown_measurement:
            self._choose_best()
        self.message_sent.emit(f"{measurement.title}: {_count_text(found)}", False)

    def _report_search(self, measurement: SweepMeasurement, found: TuningOutcome) -> None:
        if measurement is self.shown_measurement:
            same = [point for point in self.points.points if found.values.items() <= point.parameters.items()]
            self.points.choose_point(plot_data.best_point(same, "compute_ms"))
        values = texts.format_settings(found.values)
        text = f"Best values found: {values}, {found.speedup_ratio:.2f} x the speed of the automatic values"
        end = "; saved as defaults." if found.kept else f". {texts.as_sentence(found.reason)}"
        self.message_sent.emit(text + end, False)
        self.tuned_changed.emit()

    def _on_job_changed(self, job: Job) -> None:
        """Update the state of a job; a measurement that begins is shown in the place of one that has ended."""
        measurement = next((measurement for measurement in self.active_measurements if measurement.job is job), None)
        if measurement is None:
            return
        if measurement.is_active and not measurement.is_waiting and not measurement.has_begun:
            measurement.has_begun = True
            if self._shows_next_measurement and not self.shown_measurement.is_active:
                self._show_measurement(measurement)
        self._show_state()

    def _on_job_ended(self, job: Job) -> None:
        if job in self._limit_jobs:
            self._limit_jobs.remove(job)
            self.plots.roofline.set_measuring(bool(self._limit_jobs))
        for measurement in [measurement for measurement in self.active_measurements if measurement.job is job]:
            self._take_points(measurement)
            self.active_measurements.remove(measurement)
            if not self.active_measurements:
                self._timer.stop()
        self._show_state()

    def _use_values(self, point: MeasuredPoint) -> None:
        self.values_wanted.emit(point.contender, dict(point.given or point.parameters))

    def _input_lengths(self, point: MeasuredPoint) -> tuple[int, ...] | None:
        task = self.shown_measurement.find_task(point)
        return geometry.input_lengths(task.inputs, geometry.input_count(point)) if task else None

    def _model_curves_of(self, point: MeasuredPoint, name: str) -> ModelCurvePoints:
        """Return what the models of a point's method predict over an axis, as far as it is known by now."""
        key = task_key(point.contender, point.coordinates)
        task = self.shown_measurement.tasks.get(key)
        if task is None or point.is_peer:
            return {}
        if name not in registry.find_method(point.contender).parameters.names():
            return {}
        return self._model_curves.request_curves(
            (self.shown_measurement.number, key), task, name, self.shown_measurement.axis_numbers(name)
        )

    def _update_empty_label(self) -> None:
        self._show_plots(bool(self.points.points))

    def _show_plots(self, visible: bool) -> None:
        self.empty_label.setVisible(not visible)
        self.plots.setVisible(visible)
        self._plot_area.setVisible(visible)
        self.title.setVisible(visible)

    def _open_stored(self, file: str, kept: StoredPoints) -> None:
        self._select_measurement(load_measurement(file, kept, self.form.input_editor.open_data))

    def _select_measurement(self, measurement: SweepMeasurement) -> None:
        """Show what the user has chosen; a measurement that has ended stays when another one begins."""
        self._shows_next_measurement = measurement.is_active
        self._show_measurement(measurement)


def _count_text(found: Sequence[MeasuredPoint]) -> str:
    """Say how many points were measured, how many have a wrong answer, and how many failed."""
    measured = sum(point.has_times for point in found)
    wrong = sum(point.status is PointStatus.WRONG for point in found)
    text = f"{format_count(measured, 'point')} measured"
    text += f" ({wrong:,} with a wrong answer)" if wrong else ""
    text += f", {len(found) - measured:,} not measured" if measured < len(found) else ""
    return f"{text}; see the table." if wrong or measured < len(found) else f"{text}."
