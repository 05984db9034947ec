"""A card over a plot that shows the progress of background work and can cancel it."""

from __future__ import annotations

from time import monotonic
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from antidiag.app import texts
from antidiag.app.kit.boxes import row_of
from antidiag.app.kit.controls.widgets import ElidedLabel
from antidiag.app.kit.tasks.latest_task import LatestTask, Work

UPDATE_INTERVAL_S = 0.1
APPEAR_MS = 150  # shorter work shows no card
LINE_APPEAR_MS = 300  # a line moves the widgets below it


class ProgressCard(QFrame):
    """Asks before long work, unless ``asks`` is False, shows its progress, and can cancel it. ``finished(value)``
    carries the result, ``failed(error)`` the reason why there is none.

    ``doing`` names the activity ("Computing the matrix"), ``outcome`` its result ("The picture of the matrix"). A card
    lies over a widget; where there is none, it is a line for a layout.
    """

    finished = Signal(object)
    failed = Signal(object)
    asks = True

    def __init__(self, over: QWidget | None, doing: str, outcome: str) -> None:
        super().__init__(over)
        self.doing, self._outcome, self._over = doing, outcome, over
        self._work: Work | None = None
        self._owner: Any = None
        self._task = LatestTask(self, self._on_finish, self._on_failure, self._on_progress)
        self._bar = QProgressBar(maximum=1000, textVisible=False)
        self.button = QPushButton()
        self.button.clicked.connect(lambda: self._cancel_and_ask() if self._task.busy else self._start_work())
        self._started_s = self._updated_s = 0.0
        self._appear = QTimer(self, singleShot=True, interval=APPEAR_MS if over else LINE_APPEAR_MS)
        self._appear.timeout.connect(self._show_if_busy)
        if over is None:
            self._text: QLabel = ElidedLabel()
            self._bar.setFixedWidth(160)
            row_of((self._text, 1), self._bar, self.button, parent=self)
        else:
            self.setObjectName("card")
            self._text = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
            layout = QVBoxLayout(self)
            for widget in (self._text, self._bar, self.button):
                layout.addWidget(widget)
            over.installEventFilter(self)
            self.setFixedWidth(320)
        self.hide()

    @property
    def message(self) -> str:
        """The shown message."""
        return self._text.text()

    @property
    def busy(self) -> bool:
        """Whether the work is running."""
        return self._task.busy

    def start_or_ask(self, owner: Any, work: Work, question: str = "") -> None:
        """Start the work, or ask the question first; work for the same owner continues."""
        if self._task.busy and owner == self._owner:
            return
        self._owner, self._work = owner, work
        if question and self.asks:
            self._task.cancel()
            self.show_message(question, "Compute it")
        else:
            self._start_work()

    def cancel_work(self) -> None:
        """Cancel the work and hide the card."""
        self._task.cancel()
        self._appear.stop()
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._centre_card()
        return False

    def _start_work(self) -> None:
        if self._work is None:
            return
        self._started_s, self._updated_s = monotonic(), 0.0
        self._set_content(self.doing, "Cancel", progress=True)
        if not self.isVisible():
            self._appear.start()
        self._task.request(self._work)

    def _show_if_busy(self) -> None:
        if self._task.busy:
            self.show()
            self._centre_card()

    def _cancel_and_ask(self) -> None:
        self._task.cancel()
        self.show_message(f"{self._outcome} was not computed.", "Compute it")

    def show_message(self, text: str, button: str = "") -> None:
        """Show why nothing is computed, with a button that starts the work."""
        self._appear.stop()
        self._set_content(text, button, progress=False)
        self.show()
        self._centre_card()

    def _on_finish(self, found: Any) -> None:
        self._appear.stop()
        self.hide()
        self.finished.emit(found)

    def _on_failure(self, error: Exception) -> None:
        self.show_message(f"{self._outcome} could not be computed: {error}", "Try again")
        self.failed.emit(error)

    def _on_progress(self, progress: tuple[int, int, str]) -> None:
        done, total, _ = progress
        now = monotonic()
        if now - self._updated_s < UPDATE_INTERVAL_S or not total:
            return
        self._updated_s = now
        self._bar.setValue(round(1000 * done / total))
        self._text.setText(progress_text(self.doing, done / total, now - self._started_s))

    def _set_content(self, text: str, button: str, progress: bool) -> None:
        self._text.setText(text)
        self._bar.setVisible(progress)
        self._bar.setValue(0)
        self.button.setText(button)
        self.button.setVisible(bool(button))

    def _centre_card(self) -> None:
        if self._over is not None:
            self.adjustSize()
            room = self._over.size() - self.size()
            self.move(room.width() // 2, max(room.height() // 2, 0))


def progress_text(doing: str, fraction: float, elapsed_s: float) -> str:
    """Return "Computing the matrix: 40 %, 1.5 s left", without a time before it is known."""
    left = texts.remaining_s(fraction, elapsed_s)
    return f"{doing}: {int(100 * fraction)} %" + (f", {texts.format_duration(1000 * left)} left" if left else "")
