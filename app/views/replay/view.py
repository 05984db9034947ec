"""ReplayView: a run of any size played again over its table, as it was measured, slowed down."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit import export
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import Flow
from antidiag.app.kit.painted_view import Canvas
from antidiag.app.kit.replay import data, picture
from antidiag.app.kit.replay.data import Replay
from antidiag.app.kit.replay.player import Player
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import Elided, tool_button
from antidiag.kernels.experiments.counters import counters
from antidiag.kernels.model import Result

FIGURE = QSize(1200, 800)
HINT = "Space plays; the curve below counts parts under way. All times are those that were measured."


class ReplayView(QWidget):
    """A table that fills as it was computed: lit where somebody is at work, in the colour of the worker where done."""

    id = "replay"
    title = "Replay"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.replay: Replay | None = None
        self.player = Player()
        self.status, self.canvas = Elided(), Canvas(lambda painter, area: self.draw(painter, area))
        self._work = Latest(self)
        self._lay_out()
        self._work.finished.connect(self._take)
        self._work.failed.connect(lambda error: self.status.setText(str(error)))
        self.player.moved.connect(self._tell)
        theme.notifier.changed.connect(self.canvas.update)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return result.steps.count > 0

    @property
    def time_ns(self) -> float:
        """The time that is shown, since the start of the run."""
        if self.replay is None:
            return 0.0
        return self.replay.start_ns + self.player.share * (self.replay.end_ns - self.replay.start_ns)

    def show_result(self, result: Result | None) -> None:
        """Take the step log of a result; it is laid out on a thread."""
        self.player.rewind()
        self.result = result if result is not None and self.shows(result) else None
        self.replay = None
        self.canvas.update()
        if self.result is not None:
            taken = self.result
            self.status.setText("Laying out the step log \u2026")
            self._work.request(lambda monitor: data.replay(taken.steps, counters(taken)))

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """The table at the time that is shown, and the curve."""
        if self.replay is not None:
            picture.draw(painter, area, self.replay, self.time_ns)

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Title and picture, for a file."""
        line = painter.fontMetrics().height()
        painter.setPen(QColor(theme.active().text))
        painter.drawText(QRectF(8, 4, area.width() - 16, line), texts.stamp(self.result) if self.result else "")
        self.draw(painter, area.adjusted(8, line + 10, -8, -8))

    def save(self) -> None:
        """Ask for a file and write the picture of this moment."""
        export.ask_and_save(self, self.id, FIGURE, self.draw_figure, texts.stamp(self.result) if self.result else "")

    def copy(self) -> None:
        export.copy(FIGURE, self.draw_figure)

    def keyPressEvent(self, event) -> None:
        if not self.player.key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _take(self, found: Replay | None) -> None:
        self.replay = found
        self._tell()

    def _tell(self) -> None:
        if self.replay is None:
            self.status.setText("" if self.result is None else "This log has no parts of a table to show")
        else:
            self.status.setText(f"{self.player.slower(self.replay.end_ns - self.replay.start_ns)} {HINT}")
        self.canvas.update()

    def _lay_out(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        holder = QWidget()
        tools = Flow(holder)
        tools.addWidget(self.player)
        tools.addWidget(tool_button("Copy", "Copy the picture", self.copy))
        tools.addWidget(tool_button("Save\u2026", "Save the picture of this moment as PNG, SVG or PDF", self.save))
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        for widget, stretch in ((holder, 0), (self.canvas, 1), (self.status, 0)):
            box.addWidget(widget, stretch)
