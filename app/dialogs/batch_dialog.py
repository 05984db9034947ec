"""The window of a batch: files or a folder, where to run, and a table that fills."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import texts, theme
from antidiag.app.dialogs.batch_table import ANSWER, HEADERS, BatchModel
from antidiag.app.dialogs.executor_chooser import ExecutorChooser
from antidiag.app.jobs.queue import Job, JobState
from antidiag.app.kit import ask
from antidiag.app.kit.controls.widgets import ElidedLabel, create_label, create_row, style_as_list
from antidiag.app.settings import Settings
from antidiag.kernels.batch_runs.batch import MANIFEST, Batch, run_batch
from antidiag.kernels.batch_runs.batch_items import BatchItem, list_items
from antidiag.kernels.batch_runs.batch_summary import BatchRow
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.method import Method
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.registry import result_saving

LANE = "batch"
REFRESH_MS = 200
SIZE = 900, 620
COLUMN_LETTERS = (22, 13, 16, 8, 10, 10, 12, 18)
"""Letters of the columns before the last, which takes what is left."""
PROMPT = "Drop a folder or files here, or choose them. Every file is a run of its own."


@dataclass(frozen=True)
class BatchMethod:
    """The method of a batch, and the options and parameters that were set by hand."""

    method: Method
    options: Mapping[str, Any]
    parameters: Mapping[str, Any]

    @property
    def label(self) -> str:
        """The method and its settings in words."""
        settings = texts.format_settings({**self.options, **self.parameters})
        return f"{self.method.name} ({self.method.id})" + (f" \N{MIDDLE DOT} {settings}" if settings else "")


class BatchDialog(QDialog):
    """Runs a method on many files and shows how each ends; it stays open beside the window."""

    job_made = Signal(object)
    """Sent with the job that runs the batch."""
    cancel_wanted = Signal(object)
    """Sent with the job that is to be cancelled."""
    open_wanted = Signal(object)
    """Sent with the file of a result that is to be opened."""

    def __init__(
        self, wanted: BatchMethod, gpus: Sequence[str], settings: Settings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Batch of files")
        self.setAcceptDrops(True)
        self.resize(*SIZE)
        self._wanted, self._inputs = wanted, list[Path]()
        self._job: Job | None = None
        self._ended: deque[BatchRow | list[BatchItem]] = deque()
        self.model, self.table = BatchModel(), QTableView()
        self.inputs, self.folder, self.formats = ElidedLabel(PROMPT), QLineEdit(), QComboBox()
        self.resume = QCheckBox("Continue: run only what is not done in this folder")
        self.executor = ExecutorChooser(gpus, settings)
        self.status = create_label(kind="muted", wrap=True)
        self.start_button, self.cancel_button = QPushButton("Start"), QPushButton("Cancel")
        self.open_button = QPushButton("Open result")
        self._lay_out()
        self._connect()
        self._timer = QTimer(self)
        self._timer.setInterval(REFRESH_MS)
        self._timer.timeout.connect(self._take_rows)
        self._update_state()

    def set_inputs(self, paths: Sequence[Path]) -> None:
        """Run on these files, and on those in folders; propose a folder for the results."""
        self._inputs = [Path(path) for path in paths]
        first = self._inputs[0]
        count = f" and {len(self._inputs) - 1:,} more" if len(self._inputs) > 1 else ""
        self.inputs.setText(f"{first}{count}")
        name = first.name if first.is_dir() else first.parent.name
        self.folder.setText(str(first.parent / f"{name or 'batch'}-{self._wanted.method.id}"))
        self._update_state()

    def start(self) -> None:
        """Start the batch as a job, or show why it cannot start."""
        try:
            choice, folder = self.executor.choice(), Path(self.folder.text()).expanduser()
        except AntidiagError as error:
            self._show_status(texts.write_for_window(str(error)), "error")
            return
        self.executor.remember()
        backend, device = self.executor.backend
        inputs, resumes, suffix = list(self._inputs), self.resume.isChecked(), self.formats.currentData()
        settings = {**self._wanted.options, **self._wanted.parameters}

        def work(monitor: Monitor) -> int:
            items = list_items(inputs)
            self._ended.append(items)
            batch = Batch(
                self._wanted.method.id, tuple(items), settings, {}, (suffix,), folder, backend=backend, device=device
            )
            return self._run(batch, choice, reporter.follow(monitor), resumes)

        reporter = _Reporter()
        title = f"Batch \N{MIDDLE DOT} {self._wanted.method.name} \N{MIDDLE DOT} {self.inputs.text()}"
        self._job = Job(title, LANE, work, self._finish, self._fail, status=lambda: reporter.text)
        self._show_status("", "muted")
        self._timer.start()
        self.job_made.emit(self._job)
        self._update_state()

    def _run(self, batch: Batch, choice: ExecutorChoice, monitor: Monitor, resumes: bool) -> int:
        """Run a batch on the job's thread; return how many items failed."""
        batch.check()
        failed = 0
        with choice.open() as executor:
            for row in run_batch(batch, executor, monitor, resumes):
                self._ended.append(row)
                failed += not row.is_done
        return failed

    def _finish(self, failed: int) -> None:
        self._take_rows()
        count = f"{failed:,} of {len(self.model.items):,} failed; failures.tsv lists them. " if failed else "All done. "
        self._show_status(f"{count}Results and summary.tsv are in {self.folder.text()}", "error" if failed else "muted")
        self._stop()

    def _fail(self, job: Job) -> None:
        self._take_rows()
        self._show_status(job.error, "error")
        self._stop()

    def _stop(self) -> None:
        self._timer.stop()
        self._job = None
        self._update_state()

    def _take_rows(self) -> None:
        """Show the items and rows that the job's thread has queued."""
        rows: list[BatchRow] = []
        with contextlib.suppress(IndexError):
            while True:
                found = self._ended.popleft()
                if isinstance(found, list):
                    self.model.begin(found)
                else:
                    rows.append(found)
        self.model.add_rows(rows)
        job = self._job
        if job is not None and job.state is JobState.CANCELLED:
            self._show_status("Cancelled. What is done is kept; Continue runs the others.", "muted")
            self._stop()
        elif job is not None and job.status is not None and job.status():
            self._show_status(job.status(), "muted")

    def _open(self, index: QModelIndex) -> None:
        row = self.model.row_of(index.row())
        if row is None:
            self._show_status("This item has not ended yet.", "muted")
        elif row.error:
            self._show_status(row.error, "error")
        else:
            self.open_wanted.emit(row.outputs[0])

    def _open_chosen(self) -> None:
        for index in self.table.selectionModel().selectedRows():
            self._open(index)

    def _copy(self) -> None:
        """Copy the chosen rows, or all, as a table with tabs."""
        numbers = [index.row() for index in self.table.selectionModel().selectedRows()] or range(len(self.model.items))
        lines = ["\t".join(self.model.cell_text(one, column) for column in range(len(HEADERS))) for one in numbers]
        QGuiApplication.clipboard().setText("\n".join(["\t".join(HEADERS), *lines]) + "\n")

    def _choose_inputs(self) -> None:
        folder = ask.open_folder(self, "Folder of the input files")
        if folder is not None:
            self.set_inputs([folder])

    def _choose_files(self) -> None:
        if paths := ask.open_paths(self, "Input files", "All files (*)"):
            self.set_inputs(paths)

    def _choose_folder(self) -> None:
        folder = ask.open_folder(self, "Folder of the results")
        if folder is not None:
            self.folder.setText(str(folder))
            self._update_state()

    def _update_state(self) -> None:
        running = self._job is not None
        there = bool(self.folder.text()) and (Path(self.folder.text()).expanduser() / MANIFEST).is_file()
        self.resume.setVisible(there)
        if not running:
            self.resume.setChecked(there)
        self.start_button.setEnabled(not running and bool(self._inputs) and bool(self.folder.text().strip()))
        self.cancel_button.setEnabled(running)
        for widget in (self.executor, self.folder, self.formats, self.resume):
            widget.setEnabled(not running)

    def _cancel(self) -> None:
        if self._job is not None:
            self.cancel_wanted.emit(self._job)

    def _show_status(self, text: str, kind: str) -> None:
        self.status.setObjectName(kind)
        self.status.style().polish(self.status)
        self.status.setText(text)

    def _lay_out(self) -> None:
        for suffix, label in result_saving.result_suffixes(self._wanted.method).items():
            self.formats.addItem(f"{label} ({suffix})", suffix)
        folder_button, files_button = QPushButton("Folder\u2026"), QPushButton("Files\u2026")
        out_button = QPushButton("Folder\u2026")
        folder_button.clicked.connect(self._choose_inputs)
        files_button.clicked.connect(self._choose_files)
        out_button.clicked.connect(self._choose_folder)
        out_button.setAccessibleName("Choose the folder of the results")
        form = QFormLayout()
        form.setVerticalSpacing(theme.MARGIN)
        form.addRow("Method", ElidedLabel(self._wanted.label))
        form.addRow("Input", create_row(self.inputs, folder_button, files_button, stretch=0))
        form.addRow("Results", create_row(self.folder, out_button, stretch=0))
        form.addRow("", self.resume)
        form.addRow("Format", self.formats)
        form.addRow("Where to run", self.executor)
        self.folder.setAccessibleName("Folder of the results")
        self.table.setModel(self.model)
        self.table.setAccessibleName("Runs of the batch")
        style_as_list(self.table)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(ANSWER, QHeaderView.ResizeMode.Stretch)
        letter = self.fontMetrics().averageCharWidth()
        for column, letters in enumerate(COLUMN_LETTERS):
            header.resizeSection(column, letters * letter)
        box = QVBoxLayout(self)
        box.setContentsMargins(2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN)
        box.addLayout(form)
        box.addWidget(self.table, 1)
        box.addWidget(self.status)
        box.addLayout(create_row(QWidget(), self.open_button, self.cancel_button, self.start_button, stretch=0))
        self.start_button.setDefault(True)

    def _connect(self) -> None:
        self.start_button.clicked.connect(self.start)
        self.cancel_button.clicked.connect(self._cancel)
        self.open_button.clicked.connect(self._open_chosen)
        self.table.doubleClicked.connect(self._open)
        self.folder.textChanged.connect(self._update_state)
        QShortcut(QKeySequence.StandardKey.Copy, self.table, self._copy, context=Qt.ShortcutContext.WidgetShortcut)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self._job is None and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.set_inputs([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()


class _Reporter:
    """Keeps the counts of a running batch as text ("12 of 40 done, 4 tasks running") for the status of its job."""

    def __init__(self) -> None:
        self.text = ""

    def follow(self, monitor: Monitor) -> Monitor:
        """Return a monitor that reports to another and keeps the phase here."""
        return _CountMonitor(monitor, self)


class _CountMonitor(CancelOnlyMonitor):
    def __init__(self, source: Monitor, reporter: _Reporter) -> None:
        super().__init__(source)
        self._reporter = reporter

    def update(self, done: int, total: int, phase: str = "") -> None:
        """Report the number of items, and keep how many run and where."""
        self._reporter.text = phase
        self._source.update(done, total, "running")
