"""PapersWindow: measure the tables of the papers on this machine and compare them with the published values."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QSplitter,
    QTabWidget,
    QWidget,
)

from antidiag.app import texts, theme
from antidiag.app.jobs.queue import Job, JobQueue, JobState
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.controls.widgets import ElidedLabel, create_label, create_row, menu_button
from antidiag.app.kit.figures import export
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.tune.measurement import PointInbox, polling_timer
from antidiag.app.tune.papers.paper_figure import PaperFigure
from antidiag.app.tune.papers.paper_list import PaperList
from antidiag.app.tune.plots import table_export
from antidiag.app.tune.plots.point_table import PointTable
from antidiag.app.tune.sweep_jobs import DeviceChoice, reproduce_job
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.experiments.papers import comparison, reproduction
from antidiag.kernels.experiments.papers.paper_tables import PaperTable
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.point_data.tables import ReportTable
from antidiag.kernels.text import format_count

SIZE = 1180, 720
LIST_WIDTH = 390
POLL_MS = 200
STATE_TEXTS = {"waiting": "waiting for other jobs", "cancelling": "cancelling"}


class PapersWindow(QDialog):
    """A list of tables beside the chosen one. ``message_sent(text, error)``: a message for the main window."""

    message_sent = Signal(str, bool)

    def __init__(self, parent: QWidget, queue: JobQueue, place: Callable[[], DeviceChoice]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Reproduce a paper's figure")
        self.resize(*SIZE)
        self._queue, self._choose_device = queue, place
        self._inbox, self._points = PointInbox(), list[MeasuredPoint]()
        self._size_text = ""
        self.compared_table = ReportTable("", (), ())
        self._job: Job | None = None
        self._measured_table: tuple[PaperTable, bool] | None = None
        self.paper_list, self.figure, self.table = PaperList(), PaperFigure(), PointTable()
        self.table.setAccessibleName("Published and measured numbers")
        self.quick_button, self.full_button = QRadioButton("Quick"), QRadioButton("Sizes of the paper")
        self.quick_button.setChecked(True)
        self.reuse_box = QCheckBox("Reuse earlier points")
        self.reuse_box.setToolTip("Skip points that this version has measured with the same settings")
        self.reuse_box.setChecked(True)
        self.effort_label, self.progress_label, self.progress_bar = (
            create_label(kind="muted", wrap=True),
            ElidedLabel(),
            QProgressBar(),
        )
        self.start_button, self.cancel_button = QPushButton("Measure"), QPushButton("Cancel")
        self.start_button.setObjectName("primary")
        for button in (self.start_button, self.cancel_button):
            button.setAutoDefault(False)  # Enter in the list must not start a measurement
        self.tabs, self.notes = QTabWidget(), create_label(kind="muted", wrap=True)
        self._estimates = LatestTask(
            self, self._show_estimate, lambda error: self.effort_label.setText(texts.as_sentence(str(error)))
        )
        self._timer = polling_timer(self, POLL_MS, self._take_points)
        self._lay_out()
        self._connect_signals()
        self.paper_list.setCurrentItem(self.paper_list.topLevelItem(0).child(0))

    def start_job(self) -> None:
        """Measure the chosen table."""
        table, quick, reuse = self.paper_list.chosen_table, self.quick_button.isChecked(), self.reuse_box.isChecked()
        if table is None or self._job:
            return
        self._job = reproduce_job(
            table, quick, self._choose_device(), reuse, self._inbox, self._report_points, self._report_failure
        )
        self._measured_table = (table, quick)
        self._queue.submit(self._job)
        self._timer.start()
        self._show_table()

    def cancel_job(self) -> None:
        """Cancel the measurement; measured points are kept."""
        if self._job:
            self._queue.cancel(self._job)

    def export_table(self, suffix: str) -> str:
        """Return the shown table as CSV, JSON or Markdown."""
        return table_export.table_text(self.compared_table, suffix, id=self.paper_list.chosen_table.id)

    def save_figure(self) -> None:
        """Ask for a file and save the figure as PNG, SVG or PDF."""
        self.tabs.setCurrentIndex(0)
        size = self.figure.file_size()
        export.ask_and_save_figure(
            self, self.paper_list.chosen_table.id, size, self.figure.paint_figure, self.figure.title.text()
        )

    def copy_figure(self) -> None:
        """Copy the figure to the clipboard."""
        self.tabs.setCurrentIndex(0)
        export.copy_figure(self.figure.file_size(), self.figure.paint_figure)

    def save_table(self) -> None:
        """Ask for a file and save the table."""
        table_export.ask_and_save_text(self, "Save table", f"{self.paper_list.chosen_table.id}.csv", self.export_table)

    def copy_markdown(self) -> None:
        """Copy the table to the clipboard as Markdown."""
        QGuiApplication.clipboard().setText(self.export_table(".md"))

    def closeEvent(self, event: QCloseEvent) -> None:
        self._estimates.cancel()
        super().closeEvent(event)

    def _lay_out(self) -> None:
        left, right = QWidget(), QWidget()
        self._lay_out_list(left)
        self._lay_out_pages(right)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(left)
        splitter.addWidget(right)
        splitter.setSizes([LIST_WIDTH, SIZE[0] - LIST_WIDTH])
        splitter.setStretchFactor(1, 1)
        splitter.setHandleWidth(theme.SPACING)
        column_of(splitter, parent=self).setContentsMargins(*4 * [theme.MARGIN])

    def _lay_out_list(self, left: QWidget) -> None:
        self.progress_bar.setTextVisible(False)
        self.progress_bar.setAccessibleName("Progress of the measurement")
        column_of(
            (self.paper_list, 1),
            create_row(self.quick_button, self.full_button, stretch=1),
            self.effort_label,
            self.reuse_box,
            self.progress_label,
            self.progress_bar,
            create_row(self.start_button, self.cancel_button, stretch=0),
            parent=left,
        )

    def _lay_out_pages(self, right: QWidget) -> None:
        page = QWidget()
        column_of((self.table, 1), self.notes, parent=page)
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.figure, "Figure")
        self.tabs.addTab(page, "Table")
        self.tabs.setCornerWidget(menu_button("Export", "Figure and table", table_export.export_menu(self, "table")))
        column_of(self.tabs, parent=right)

    def _connect_signals(self) -> None:
        self.paper_list.table_chosen.connect(self._load_table)
        self.quick_button.toggled.connect(self._load_table)
        self.start_button.clicked.connect(self.start_job)
        self.cancel_button.clicked.connect(self.cancel_job)
        self._queue.changed.connect(self._on_job_changed)
        self._queue.ended.connect(self._on_job_ended)

    def _load_table(self) -> None:
        """Show the stored points of the chosen table and size, and estimate the time to measure it."""
        if self.paper_list.chosen_table is None:
            return
        try:
            self._points = [*reproduction.stored_points(self.paper_list.chosen_table, self.quick_button.isChecked())]
        except AntidiagError as error:
            self._points = []
            self.message_sent.emit(texts.as_sentence(str(error)), True)
        self._show_table()
        self._request_estimate()

    def _show_table(self) -> None:
        table, quick = self.paper_list.chosen_table, self.quick_button.isChecked()
        if table is None:
            return
        compared = comparison.compare_points(table, self._points, quick)
        self.compared_table = comparison.comparison_table(table, compared, quick)
        self.figure.show_table(table, compared, quick)
        self.table.show_table(self.compared_table)
        self.notes.setText("\n".join(self.compared_table.notes))
        self._show_running()

    def _take_points(self) -> None:
        new = self._inbox.take_points()
        if new and self._measured_table == (self.paper_list.chosen_table, self.quick_button.isChecked()):
            self._points += new
            self._show_table()

    def _on_job_changed(self, job: Job) -> None:
        if job is self._job:
            self._show_running()

    def _show_running(self) -> None:
        job = self._job
        self.start_button.setEnabled(job is None and self.paper_list.chosen_table is not None)
        self.cancel_button.setEnabled(job is not None and job.state is not JobState.CANCELLING)
        for widget in (self.progress_bar, self.progress_label):
            widget.setVisible(job is not None)
        if job is not None:
            done, total, words = job.progress
            self.progress_bar.setRange(0, total)
            self.progress_bar.setValue(done)
            table, _ = self._measured_table
            far = STATE_TEXTS.get(job.state) or (
                "paused" if job.is_paused else f"{done} of {total}" if total else "starting"
            )
            self.progress_label.setText(f"{table.title}: {far} {words}".rstrip())

    def _on_job_ended(self, job: Job) -> None:
        if job is self._job:
            self._job = None
            self._timer.stop()
            self._take_points()
            self.paper_list.mark_measured()
            self._show_running()

    def _report_points(self, found: tuple[MeasuredPoint, ...]) -> None:
        wrong = sum(bool(point.reason) for point in found)
        table, _ = self._measured_table
        missing = f", {wrong:,} without a time" if wrong else ""
        self.message_sent.emit(f"{table.title}: {format_count(len(found), 'point')}{missing}.", False)

    def _report_failure(self, job: Job) -> None:
        self.effort_label.setText(texts.as_sentence(job.error))  # the main window may be hidden behind this one
        self.message_sent.emit(texts.as_sentence(job.error), True)

    def _request_estimate(self) -> None:
        table, quick = self.paper_list.chosen_table, self.quick_button.isChecked()
        where = self._choose_device()
        has_sizes = table.scaled in table.axis_names
        size = f"every {table.scaled_text} is {table.scale:g} x the paper's" if quick else "as in the paper"
        self._size_text = f"{'Quick' if quick else 'Full'}: {size if has_sizes else 'no size varies'}."
        self.effort_label.setText(self._size_text)
        self._estimates.request(
            lambda monitor: reproduction.expected_s(table, quick, where.backend, where.device, monitor)
        )

    def _show_estimate(self, seconds: float | None) -> None:
        known = (
            "No time estimate." if seconds is None else f"About {texts.format_duration(1e3 * seconds)} on this machine."
        )
        self.effort_label.setText(f"{self._size_text} {known}")
