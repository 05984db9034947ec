"""MeasuredRuns: run the chosen methods on one problem, and replay their measured timelines on one clock."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.controls.flow_layouts import FlowLayout
from antidiag.app.kit.controls.spin_boxes import SpinBox
from antidiag.app.kit.controls.widgets import create_label, tool_button
from antidiag.app.kit.replay.side_by_side import SideBySideReplay
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.kernels.experiments.measuring import paired_runs
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.registry.lectures import LARGEST_SIZE, SIZE

BACKEND_LABELS = {"cpu": "on the CPU", "auto": "on a GPU, if there is one"}
RUN_LABEL, CANCEL_LABEL = "Run", "Cancel"


class MeasuredRuns(QWidget):
    """Runs of one or two methods on a random problem of a chosen size. ``runs_ended``: they are complete or failed."""

    runs_ended = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.methods: tuple[Method, ...] = ()
        self.results: tuple[Result, ...] = ()
        self.size_box, self.backend_box = SpinBox(), QComboBox()
        self.status_label, self.replays = create_label("", "muted", wrap=True), SideBySideReplay()
        self.size_box.setRange(1, LARGEST_SIZE)
        self.size_box.setValue(SIZE)
        self.size_box.setPrefix("size ")
        self.size_box.setAccessibleName("Size")
        self.size_box.setToolTip("Size of the random problem; larger problems take longer")
        for name, words in BACKEND_LABELS.items():
            self.backend_box.addItem(words, name)
        self.backend_box.setAccessibleName("Device")
        self._work = LatestTask(self, self._show_results, self._show_failure, self._show_progress)
        self.replays.shown.connect(self._emit_ended)
        holder = QWidget()
        tools = FlowLayout(holder)
        self.button = tool_button(
            RUN_LABEL, "Run the methods and replay the measured timelines, or cancel", self.run_or_cancel
        )
        for widget in (self.button, self.size_box, self.backend_box):
            tools.addWidget(widget)
        column_of(holder, self.status_label, (self.replays, 1), parent=self)

    @property
    def is_busy(self) -> bool:
        """Whether methods run or their replay is being prepared."""
        return self._work.busy or self.replays.busy

    def show_methods(self, methods: Sequence[Method]) -> None:
        """Choose the methods to run, and clear the runs of others."""
        if tuple(methods) != self.methods:
            self.clear_runs()
            self.methods = tuple(methods)
            names = " and ".join(method.name for method in self.methods)
            self.replays.status.setText(f"Press Run to measure {names} and replay the runs here.")

    def clear_runs(self) -> None:
        """Cancel the runs and clear the page."""
        self.cancel_runs()
        self.methods, self.results = (), ()
        self.replays.show_runs(())
        self.status_label.setText("")

    def run_or_cancel(self) -> None:
        """Run the methods, or cancel the runs."""
        if self._work.busy:
            self.cancel_runs()
            self.status_label.setText("Cancelled. Press Run to start again.")
        else:
            self.run_methods()

    def cancel_runs(self) -> None:
        """Cancel the runs and drop their results."""
        self._work.cancel()
        self.button.setText(RUN_LABEL)

    def run_methods(self) -> None:
        """Run all methods one after another on a background thread."""
        methods, size, backend = self.methods, self.size_box.value(), self.backend_box.currentData()
        if methods:
            self.status_label.setText("Running \u2026")
            self.button.setText(CANCEL_LABEL)
            self._work.request(
                lambda monitor: tuple(
                    paired_runs.run_in_turn(
                        methods, paired_runs.make_paired_problem(methods[0], size), backend, monitor
                    )
                )
            )

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self.cancel_runs()

    def _show_progress(self, progress: tuple[int, int, str]) -> None:
        done, total, name = progress
        self.status_label.setText(f"Running {name} \u2026 {done / max(total, 1):.0%}")

    def _show_failure(self, error: Exception) -> None:
        self.status_label.setText(str(error))
        self.button.setText(RUN_LABEL)
        self.runs_ended.emit()

    def _show_results(self, results: tuple[Result, ...]) -> None:
        self.results = results
        self.button.setText(RUN_LABEL)
        self.status_label.setText(paired_runs.describe_runs(results))
        names = [method.name for method in self.methods]
        self.replays.show_results(list(zip(names, results, strict=True)))

    def _emit_ended(self) -> None:
        if self.results:
            self.runs_ended.emit()
