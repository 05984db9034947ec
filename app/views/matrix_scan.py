"""The one pass over the matrix, with its progress shown in the middle of the plot."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app import texts
from app.views import matrix_data
from app.views.background import Latest
from kernels.model import PairProblem

LARGE_CELLS = 2e11
PATIENCE_S = 0.1


class ScanPanel(QFrame):
    """Asks before a long scan, shows its progress, and lets the user cancel it.

    ``finished(scan)`` carries what ``kernels.pairwise.matrix.scan`` returned.
    """

    finished = Signal(object)

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setObjectName("card")
        self._problem: PairProblem | None = None
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
        over.installEventFilter(self)
        self.setFixedWidth(320)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def offer(self, problem: PairProblem) -> None:
        """Scan a problem at once, or ask first where that would take long."""
        if self._scans.busy and problem is self._problem:
            return
        self._problem = problem
        if problem.cells > LARGE_CELLS:
            self._ask(
                f"This matrix has {problem.cells:,} cells. Its picture needs one pass over all of them.", "Compute it"
            )
        else:
            self._start()

    def stop(self) -> None:
        """Forget the problem and end its scan."""
        self._scans.cancel()
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def _start(self) -> None:
        problem = self._problem
        if problem is None:
            return
        self._started, self._told = monotonic(), 0.0
        self._show("Computing the matrix", "Cancel", progress=True)
        self._scans.request(lambda monitor: matrix_data.scan(problem, monitor))

    def _cancel(self) -> None:
        self._scans.cancel()
        self._ask("The picture of the matrix was not computed.", "Compute it")

    def _ask(self, text: str, button: str) -> None:
        self._show(text, button, progress=False)

    def _finish(self, scanned) -> None:
        self.hide()
        self.finished.emit(scanned)

    def _fail(self, error: Exception) -> None:
        self._ask(f"The picture of the matrix could not be computed: {error}", "Try again")

    def _progress(self, progress: tuple[int, int, str]) -> None:
        done, total, _ = progress
        now = monotonic()
        if now - self._told < PATIENCE_S or not total:
            return
        self._told = now
        self._bar.setValue(round(1000 * done / total))
        self._text.setText(progress_text(done / total, now - self._started))

    def _show(self, text: str, button: str, progress: bool) -> None:
        self._text.setText(text)
        self._bar.setVisible(progress)
        self._bar.setValue(0)
        self._bar.setTextVisible(False)
        self.button.setText(button)
        self.show()
        self._place()

    def _place(self) -> None:
        self.adjustSize()
        over = self.parentWidget()
        self.move((over.width() - self.width()) // 2, max((over.height() - self.height()) // 2, 0))


def progress_text(fraction: float, elapsed_s: float) -> str:
    """'Computing the matrix: 40 %, 1.5 s left'; no time before it can be known."""
    left = texts.left_s(fraction, elapsed_s)
    return f"Computing the matrix: {int(100 * fraction)} %" + (f", {texts.duration(1000 * left)} left" if left else "")
