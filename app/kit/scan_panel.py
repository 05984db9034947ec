"""Work that a plot waits for, with its progress shown in the middle of the plot."""

from __future__ import annotations

from time import monotonic
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from antidiag.app import texts
from antidiag.app.kit.background import Latest, Work

PATIENCE_S = 0.1
APPEAR_MS = 150
"""Shorter work is over before one could read what it is."""


class ScanPanel(QFrame):
    """Asks before long work, shows its progress, and lets the user cancel it.

    ``doing`` is what goes on ("Computing the matrix"), ``what`` what comes of it ("The picture of the matrix").
    ``finished(value)`` carries what the work returned.
    """

    finished = Signal(object)

    def __init__(self, over: QWidget, doing: str, what: str) -> None:
        super().__init__(over)
        self.setObjectName("card")
        self.doing, self._what = doing, what
        self._work: Work | None = None
        self._of: Any = None
        self._scans = Latest(self)
        self._text = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._bar = QProgressBar(maximum=1000)
        self.button = QPushButton()
        self.button.clicked.connect(lambda: self._cancel() if self._scans.busy else self._start())
        layout = QVBoxLayout(self)
        for widget in (self._text, self._bar, self.button):
            layout.addWidget(widget)
        self._scans.finished.connect(self._finish)
        self._scans.failed.connect(self._fail)
        self._scans.progressed.connect(self._progress)
        self._started = self._told = 0.0
        self._appear = QTimer(self, singleShot=True, interval=APPEAR_MS)
        self._appear.timeout.connect(self._appear_now)
        over.installEventFilter(self)
        self.setFixedWidth(320)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    @property
    def busy(self) -> bool:
        """Whether the work goes on."""
        return self._scans.busy

    def offer(self, of: Any, work: Work, question: str = "") -> None:
        """Do the work at once, or ask the question first; work of the same object goes on."""
        if self._scans.busy and of == self._of:
            return
        self._of, self._work = of, work
        if question:
            self._scans.cancel()
            self._ask(question, "Compute it")
        else:
            self._start()

    def stop(self) -> None:
        """End the work, and forget it."""
        self._scans.cancel()
        self._appear.stop()
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def _start(self) -> None:
        if self._work is None:
            return
        self._started, self._told = monotonic(), 0.0
        self._say(self.doing, "Cancel", progress=True)
        if not self.isVisible():
            self._appear.start()
        self._scans.request(self._work)

    def _appear_now(self) -> None:
        if self._scans.busy:
            self.show()
            self._place()

    def _cancel(self) -> None:
        self._scans.cancel()
        self._ask(f"{self._what} was not computed.", "Compute it")

    def _ask(self, text: str, button: str) -> None:
        self._appear.stop()
        self._say(text, button, progress=False)
        self.show()
        self._place()

    def _finish(self, found: Any) -> None:
        self._appear.stop()
        self.hide()
        self.finished.emit(found)

    def _fail(self, error: Exception) -> None:
        self._ask(f"{self._what} could not be computed: {error}", "Try again")

    def _progress(self, progress: tuple[int, int, str]) -> None:
        done, total, _ = progress
        now = monotonic()
        if now - self._told < PATIENCE_S or not total:
            return
        self._told = now
        self._bar.setValue(round(1000 * done / total))
        self._text.setText(progress_text(self.doing, done / total, now - self._started))

    def _say(self, text: str, button: str, progress: bool) -> None:
        self._text.setText(text)
        self._bar.setVisible(progress)
        self._bar.setValue(0)
        self._bar.setTextVisible(False)
        self.button.setText(button)

    def _place(self) -> None:
        self.adjustSize()
        over = self.parentWidget()
        self.move((over.width() - self.width()) // 2, max((over.height() - self.height()) // 2, 0))


def progress_text(doing: str, fraction: float, elapsed_s: float) -> str:
    """'Computing the matrix: 40 %, 1.5 s left'; no time before it can be known."""
    left = texts.left_s(fraction, elapsed_s)
    return f"{doing}: {int(100 * fraction)} %" + (f", {texts.duration(1000 * left)} left" if left else "")
