"""PapersWindow: the papers' tables and figures, measured on this machine and shown beside what was published."""

from __future__ import annotations

import json
from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QMenu,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import texts, theme
from antidiag.app.jobs.queue import Job, JobQueue, JobState
from antidiag.app.kit import export
from antidiag.app.kit.background import Latest
from antidiag.app.kit.widgets import Elided, label, menu_button, row
from antidiag.app.tune.measurement import Inbox
from antidiag.app.tune.papers.chooser import PaperList
from antidiag.app.tune.papers.figure import PaperFigure
from antidiag.app.tune.papers.job import Place, reproduce_job
from antidiag.app.tune.plots import saving
from antidiag.app.tune.plots.table import PointTable
from antidiag.app.tune.polling import polling_timer
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.experiments import tables
from antidiag.kernels.experiments.papers import published, reproducing
from antidiag.kernels.experiments.papers.published import PaperTable
from antidiag.kernels.experiments.points import Point
from antidiag.kernels.experiments.tables import Table

SIZE = 1180, 720
LEFT = 390
TAKE_MS = 200
STATES = {"waiting": "waits for other jobs", "cancelling": "is being cancelled"}


class PapersWindow(QDialog):
    """A list of tables at the left, the chosen one as figure and as table at the right; stays open while one works.

    ``said(text, error)`` tells the user of the main window.
    """

    said = Signal(str, bool)

    def __init__(self, parent: QWidget, queue: JobQueue, place: Callable[[], Place]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Reproduce a paper's figure")
        self.resize(*SIZE)
        self._queue, self._place = queue, place
        self._inbox, self._points = Inbox(), list[Point]()
        self._size = ""
        self.compared = Table("", (), ())
        self._job: Job | None = None
        self._measured: tuple[PaperTable, bool] | None = None
        self.tree, self.figure, self.table = PaperList(), PaperFigure(), PointTable()
        self.table.setAccessibleName("Published numbers beside those measured here")
        self.quick, self.full = QRadioButton("Quick"), QRadioButton("The paper's sizes")
        self.quick.setChecked(True)
        self.reuse = QCheckBox("Take what was measured before")
        self.reuse.setToolTip("Points that this version measured with the same settings are not measured again")
        self.reuse.setChecked(True)
        self.effort, self.far, self.bar = label(kind="muted", wrap=True), Elided(), QProgressBar()
        self.start_button, self.cancel_button = QPushButton("Measure"), QPushButton("Cancel")
        self.start_button.setObjectName("primary")
        for button in (self.start_button, self.cancel_button):
            button.setAutoDefault(False)  # Enter in the list is not to measure
        self.tabs, self.notes = QTabWidget(), label(kind="muted", wrap=True)
        self._estimates = Latest(self)
        self._timer = polling_timer(self, TAKE_MS, self._take)
        self._lay_out()
        self._connect()
        self.tree.setCurrentItem(self.tree.topLevelItem(0).child(0))

    @property
    def chosen(self) -> PaperTable | None:
        """The table that is looked at."""
        return self.tree.chosen

    def choose(self, table_id: str) -> None:
        """Look at the table of this identifier."""
        self.tree.choose(table_id)

    def start(self) -> None:
        """Measure what is looked at."""
        table, quick, reuse = self.chosen, self.quick.isChecked(), self.reuse.isChecked()
        if table is None or self._job:
            return
        self._job = reproduce_job(table, quick, self._place(), reuse, self._inbox, self._done, self._failed)
        self._measured = (table, quick)
        self._queue.submit(self._job)
        self._timer.start()
        self._show()

    def cancel(self) -> None:
        """Stop measuring; what is measured by then is kept."""
        if self._job:
            self._queue.cancel(self._job)

    def text(self, suffix: str) -> str:
        """The table that is looked at, as CSV, JSON or Markdown."""
        shown = self.compared
        if suffix == ".md":
            return tables.markdown(shown)
        if suffix == ".json":
            return json.dumps({"id": self.chosen.id, **shown.data()}, indent=1) + "\n"
        if suffix == ".csv":
            return tables.csv_text(shown)
        raise saving.unknown_suffix("tables")

    def save_figure(self) -> None:
        """Ask for a file and save the figure as PNG, SVG or PDF."""
        self.tabs.setCurrentIndex(0)
        size = self.figure.size_of_file()
        export.ask_and_save(self, self.chosen.id, size, self.figure.paint, self.figure.title.text())

    def copy_figure(self) -> None:
        self.tabs.setCurrentIndex(0)
        export.copy(self.figure.size_of_file(), self.figure.paint)

    def save_table(self) -> None:
        """Ask for a file and save the table."""
        saving.ask_and_save(self, "Save table", f"{self.chosen.id}.csv", self.text)

    def copy_markdown(self) -> None:
        QGuiApplication.clipboard().setText(self.text(".md"))

    def closeEvent(self, event: QCloseEvent) -> None:
        """What is being measured goes on, and is there when this is opened again."""
        self._estimates.cancel()
        super().closeEvent(event)

    def _lay_out(self) -> None:
        left, right = QWidget(), QWidget()
        self._lay_out_list(left)
        self._lay_out_pages(right)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(left)
        splitter.addWidget(right)
        splitter.setSizes([LEFT, SIZE[0] - LEFT])
        splitter.setStretchFactor(1, 1)
        splitter.setHandleWidth(theme.SPACING)
        QVBoxLayout(self).addWidget(splitter)

    def _lay_out_list(self, left: QWidget) -> None:
        """The tables, and what is done with the chosen one."""
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress of the measurement")
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.SPACING)
        column.addWidget(self.tree, 1)
        column.addLayout(row(self.quick, self.full, stretch=1))
        for widget in (self.effort, self.reuse, self.far, self.bar):
            column.addWidget(widget)
        column.addLayout(row(self.start_button, self.cancel_button, stretch=0))

    def _lay_out_pages(self, right: QWidget) -> None:
        """The figure and the table."""
        menu = QMenu(self)
        for text, act in (("Save figure...", self.save_figure), ("Copy figure", self.copy_figure),
                          ("Save table...", self.save_table), ("Copy Markdown table", self.copy_markdown)):  # fmt: skip
            menu.addAction(text, act)
        page = QWidget()
        below = QVBoxLayout(page)
        below.addWidget(self.table, 1)
        below.addWidget(self.notes)
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.figure, "Figure")
        self.tabs.addTab(page, "Table")
        self.tabs.setCornerWidget(menu_button("Export", "Figure and table", menu))
        box = QVBoxLayout(right)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.tabs)

    def _connect(self) -> None:
        self.tree.turned.connect(self._turn)
        self.quick.toggled.connect(self._turn)
        self.start_button.clicked.connect(self.start)
        self.cancel_button.clicked.connect(self.cancel)
        self._queue.changed.connect(self._changed)
        self._queue.ended.connect(self._ended)
        self._estimates.finished.connect(self._tell_effort)
        self._estimates.failed.connect(lambda error: self.effort.setText(texts.sentence(str(error))))

    def _turn(self) -> None:
        """Another table, or another size: show what is kept of it, and say how long it would take."""
        if self.chosen is None:
            return
        try:
            self._points = [*reproducing.kept(self.chosen, self.quick.isChecked())]
        except AntidiagError as error:
            self._points = []
            self.said.emit(texts.sentence(str(error)), True)
        self._show()
        self._ask_effort()

    def _show(self) -> None:
        table, quick = self.chosen, self.quick.isChecked()
        if table is None:
            return
        compared = published.compare(table, self._points, quick)
        self.compared = published.as_table(table, compared, quick)
        self.figure.show_table(table, compared, quick)
        self.table.show_table(self.compared)
        self.notes.setText("\n".join(self.compared.notes))
        self._show_running()

    def _take(self) -> None:
        """Draw the points that came, which are on the disk by then."""
        new = self._inbox.take()
        if new and self._measured == (self.chosen, self.quick.isChecked()):
            self._points += new
            self._show()

    def _changed(self, job: Job) -> None:
        if job is self._job:
            self._show_running()

    def _show_running(self) -> None:
        job = self._job
        self.start_button.setEnabled(job is None and self.chosen is not None)
        self.cancel_button.setEnabled(job is not None and job.state is not JobState.CANCELLING)
        for widget in (self.bar, self.far):
            widget.setVisible(job is not None)
        if job is not None:
            done, total, words = job.progress
            self.bar.setRange(0, total)
            self.bar.setValue(done)
            table, _ = self._measured
            far = STATES.get(job.state) or ("paused" if job.paused else f"{done} of {total}" if total else "begins")
            self.far.setText(f"{table.title}: {far} {words}".rstrip())

    def _ended(self, job: Job) -> None:
        if job is self._job:
            self._job = None
            self._timer.stop()
            self._take()
            self.tree.mark_kept()
            self._show_running()

    def _done(self, found: tuple[Point, ...]) -> None:
        wrong = sum(bool(point.reason) for point in found)
        table, _ = self._measured
        self.said.emit(f"{table.title}: {len(found)} points" + (f", {wrong} of them without a time." if wrong else "."),
                       False)  # fmt: skip

    def _failed(self, job: Job) -> None:
        self.effort.setText(texts.sentence(job.error))  # the main window may be hidden behind this one
        self.said.emit(texts.sentence(job.error), True)

    def _ask_effort(self) -> None:
        table, quick = self.chosen, self.quick.isChecked()
        where = self._place()
        size = f"every {table.scaled} is {table.scale:g} of the paper's" if quick else "as in the paper"
        self._size = f"{'Quick' if quick else 'Full'}: {size}."
        self.effort.setText(self._size)

        self._estimates.request(
            lambda monitor: reproducing.expected_s(table, quick, where.backend, where.device, monitor)
        )

    def _tell_effort(self, seconds: float | None) -> None:
        known = "How long it takes is not known." if seconds is None else (
            f"About {texts.duration(1e3 * seconds)} here, by what ran before.")  # fmt: skip
        self.effort.setText(f"{self._size} {known}")
