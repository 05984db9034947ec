"""The panel of jobs with their progress, and the log."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import texts, theme
from antidiag.app.jobs.queue import Job, JobQueue, JobState
from antidiag.app.kit.controls.widgets import Card, ElidedLabel, create_label, quiet_button

IDLE = "Nothing is running."
HEADING_WIDTH = 44
BAR_STEPS = 1000
COMPILING_AFTER_S = 1
"""Seconds after which a job that has not started to compute is shown as compiling."""
NUMBER_LETTERS = 40
"""Letters for phase, percentage, time left and rate, so that all bars end in one column."""
MAX_ROWS = 4
"""Jobs that are visible without scrolling."""

MESSAGE_MS = 6000
"""How long a message is shown in a low window, in which the panel is hidden otherwise, and one that stays at least."""
LOG_LINES_SEEN = 12
LOG_LINES = 10_000


class JobRow(QWidget):
    """Shows one job: title, bar, numbers, and a button that cancels or dismisses it."""

    def __init__(self, job: Job, queue: JobQueue) -> None:
        super().__init__()
        self.job, self._queue = job, queue
        self.title, self.numbers = ElidedLabel(job.title), create_label(kind="muted")
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.numbers.setMinimumWidth(self.fontMetrics().averageCharWidth() * NUMBER_LETTERS)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, BAR_STEPS)
        self.bar.setAccessibleName(job.title)
        self.error = create_label(kind="error", wrap=True)
        self.button = QPushButton("Cancel")
        self.button.clicked.connect(self._on_button)
        self.pause_button = QPushButton("Pause")
        self.pause_button.setToolTip("Pause after the current measurement, or continue")
        self.pause_button.clicked.connect(self._on_pause)
        self.watch_button = QPushButton("Watch")
        self.watch_button.setToolTip("Show the partial result in a window")
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.MARGIN)
        box.addWidget(self.title, 2)
        box.addWidget(self.bar, 3)
        box.addWidget(self.error, 3)
        box.addWidget(self.numbers)
        box.addWidget(self.watch_button)
        box.addWidget(self.pause_button)
        box.addWidget(self.button)
        self.update_state()

    def update_state(self) -> None:
        """Update the row to the state of the job."""
        job = self.job
        failed = job.state is JobState.FAILED
        self.error.setVisible(failed)
        self.bar.setVisible(not failed)
        self.error.setText(job.error)
        self.numbers.setText(_progress_text(job))
        self.numbers.setVisible(not failed)
        self.button.setText("Dismiss" if failed else "Cancel")
        self.button.setEnabled(job.state is not JobState.CANCELLING)
        self.watch_button.setVisible(job.monitor.partial_result is not None and not failed)
        self.pause_button.setVisible(job.can_pause and not failed)
        self.pause_button.setEnabled(job.state is not JobState.CANCELLING)
        self.pause_button.setText("Continue" if job.is_paused else "Pause")
        running = job.state in (JobState.RUNNING, JobState.CANCELLING)
        self.bar.setRange(0, 0 if running and job.fraction is None else BAR_STEPS)
        self.bar.setValue(round((job.fraction or 0) * BAR_STEPS))

    def _on_button(self) -> None:
        if self.job.state is JobState.FAILED:
            self._queue.dismiss(self.job)
        else:
            self._queue.cancel(self.job)

    def _on_pause(self) -> None:
        self._queue.pause(self.job)


class JobPanel(Card):
    """Shows the jobs or the log; one line high while nothing runs."""

    watch_wanted = Signal(object)
    """Sent with a job that has a partial result to show."""

    def __init__(self, queue: JobQueue) -> None:
        super().__init__("Jobs")
        self._queue = queue
        self.rows: dict[Job, JobRow] = {}
        self._failures: set[str] = set()
        self._is_low = False
        self._staying_message = ""
        self._message_timer = QTimer(self, singleShot=True, interval=MESSAGE_MS)
        self._message_timer.timeout.connect(self._fit_height)
        self.message = ElidedLabel(IDLE)
        self.message.setObjectName("muted")
        self._list = QVBoxLayout()
        self._list.setSpacing(theme.SPACING)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.addWidget(self.message)
        self._list.addStretch(1)
        inner, self._area = QWidget(), QScrollArea()
        inner.setObjectName("scrolled")
        inner.setLayout(self._list)
        self._area.setWidget(inner)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        bar = self._area.verticalScrollBar()
        bar.rangeChanged.connect(lambda _, end: bar.setValue(end))
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setMaximumBlockCount(LOG_LINES)
        self.text.setFont(theme.fixed_font())
        self.text.setAccessibleName("Log")
        self._pages = QStackedWidget()
        self._pages.addWidget(self._area)
        self._pages.addWidget(self.text)
        self.log_button = quiet_button("Log", "Show the log (Ctrl+L)")
        self.log_button.setCheckable(True)
        self.log_button.toggled.connect(self._show_log)
        self.copy_button = quiet_button("Copy log", "Copy the whole log")
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))
        self.copy_button.hide()
        self.header.setStretch(self.header.count() - 1, 0)
        for widget, stretch in ((self._pages, 1), (self.copy_button, 0), (self.log_button, 0)):
            self.header.addWidget(widget, stretch)
        for place in range(self.header.count()):
            item = self.header.itemAt(place)
            if item.widget() is not self._pages:
                item.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._fit_height()
        queue.added.connect(self._add_job)
        queue.changed.connect(self._change)
        queue.removed.connect(self._remove)
        queue.ended.connect(self._log_outcome)

    def show_message(self, text: str, error: bool = False, stays: bool = False) -> None:
        """Show a message of one line and add it to the log.

        One that ``stays`` is shown before the messages of the next seconds; an error is shown alone.
        """
        before = self._staying_message if self._message_timer.isActive() and not error else ""
        self._set_message(f"{before} {text}" if before else text, "error" if error else "muted")
        self._staying_message = text if stays else before
        self.log(text)
        self._message_timer.start()
        self._fit_height()

    def set_low(self, low: bool) -> None:
        """Hide the panel of a low window while it has nothing to say; messages then show it for some seconds."""
        self._is_low = low
        self._fit_height()

    def clear_error(self, *_: object) -> None:
        """Remove the error message, if one is shown."""
        if self.message.objectName() == "error":
            self._set_message(IDLE, "muted")
            self._fit_height()

    def log(self, text: str) -> None:
        """Add a line with the time of day to the log."""
        self.text.appendPlainText(f"{datetime.now().astimezone():%H:%M:%S}  {text}")

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def _show_log(self, shown: bool) -> None:
        self._pages.setCurrentIndex(int(shown))
        self.copy_button.setVisible(shown)
        self.heading.setText("Log" if shown else "Jobs")
        self.log_button.setText("Jobs" if shown else "Log")
        self._fit_height()

    def _fit_height(self) -> None:
        """Fit the height to the rows or the log; a message stays until a job starts or a newer message comes."""
        line = self.log_button.sizeHint().height()  # changes with the style sheet
        self.heading.setMinimumSize(HEADING_WIDTH, line)
        self.message.setFixedHeight(line)
        shown = list(self.rows.values())
        said = self.message.objectName() == "error" or self._message_timer.isActive()
        self.setVisible(not self._is_low or bool(shown) or said or self.log_button.isChecked())
        self.message.setVisible(not shown or self.message.text() != IDLE)
        if self._pages.currentIndex():
            self._pages.setFixedHeight(LOG_LINES_SEEN * self.text.fontMetrics().lineSpacing())
            return
        width = self._area.viewport().width()
        heights = [row.heightForWidth(width) if row.hasHeightForWidth() else row.sizeHint().height() for row in shown]
        heights += [line] * (not self.message.isHidden())
        seen = heights[-MAX_ROWS:]
        self._pages.setFixedHeight(max(sum(seen) + theme.SPACING * (len(seen) - 1), line))

    def _add_job(self, job: Job) -> None:
        self.rows[job] = JobRow(job, self._queue)
        self.rows[job].watch_button.clicked.connect(partial(self.watch_wanted.emit, job))
        self._list.insertWidget(self._list.count() - 2, self.rows[job])
        self._set_message(IDLE, "muted")
        self._fit_height()

    def _change(self, job: Job) -> None:
        if job in self.rows:
            self.rows[job].update_state()
        store = job.monitor.store
        if store and store.failure and store.failure not in self._failures:
            self._failures.add(store.failure)
            self.show_message(
                f"{job.title} keeps running, but cannot be continued after a crash: {store.failure}", error=True
            )

    def _remove(self, job: Job) -> None:
        widget = self.rows.pop(job, None)
        if widget:
            self._drop_row(widget)
        self._fit_height()

    def _drop_row(self, row: QWidget) -> None:
        self._list.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _set_message(self, text: str, kind: str) -> None:
        self.message.setObjectName(kind)
        self.message.style().unpolish(self.message)
        self.message.style().polish(self.message)
        self.message.setText(text)

    def _log_outcome(self, job: Job) -> None:
        time = texts.format_duration(job.elapsed_s * 1000)
        cancelled = f"cancelled; {job.note}" if job.note else "cancelled"
        outcome = {JobState.DONE: f"done in {time}", JobState.CANCELLED: cancelled}.get(
            job.state, f"failed: {job.error}"
        )
        self.log(f"{job.title}: {outcome}")
        if job.state is JobState.CANCELLED:
            self._set_message(f"{job.title}: {cancelled}", "muted")
        self._fit_height()
        if job.detail:
            self.log(job.detail.rstrip())


def _progress_text(job: Job) -> str:
    if job.state is JobState.WAITING:
        return "waiting, paused" if job.is_paused else "waiting"
    if job.state is JobState.CANCELLING:
        return "cancelling"
    now = (job.status() if job.status else "") or job.progress[2]
    parts = ["paused" if job.is_paused else now]
    if job.fraction is not None:
        parts.append(f"{job.fraction:.0%}".replace("%", " %"))
    if job.remaining_s is not None:
        parts.append(f"{texts.format_duration(job.remaining_s * 1000)} left")
    if job.gcups:
        parts.append(texts.format_rate(job.gcups))
    return "   ".join(part for part in parts if part) or _start_text(job)


def _start_text(job: Job) -> str:
    """Return the text of a job without progress: a method compiles its kernels at its first run."""
    slow = job.is_compiling and job.elapsed_s >= COMPILING_AFTER_S
    return "compiling (first run only)" if slow else "starting"
