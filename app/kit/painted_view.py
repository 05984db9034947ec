"""PaintedView: what views share that paint one picture themselves: tools above, legend and status below, figures."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit import export
from antidiag.app.kit.flow import ToolRow
from antidiag.app.kit.legend import Legend, draw_legend, legend_height
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import Elided, tool_button
from antidiag.kernels.model import Result


class Canvas(QWidget):
    """Paints by a function; tells where the mouse is, and where it was pressed.

    ``moved((down, right))`` follows the arrow keys.
    """

    pointed = Signal(object)
    clicked = Signal(object)
    moved = Signal(object)

    def __init__(self, draw: Callable[[QPainter, QRectF], None]) -> None:
        super().__init__()
        self._draw = draw
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.active().panel))
        self._draw(painter, QRectF(self.rect()))

    def mouseMoveEvent(self, event) -> None:
        self.pointed.emit(event.position())

    def leaveEvent(self, event) -> None:
        self.pointed.emit(None)

    def mousePressEvent(self, event) -> None:
        self.clicked.emit(event.position())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0), Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1)}
        if Qt.Key(event.key()) in steps:
            self.moved.emit(steps[Qt.Key(event.key())])
        else:
            event.ignore()


class PaintedView(QWidget):
    """A canvas with tools above. A view makes its ``canvas`` before it calls `lay_out`, and paints in `draw`."""

    id = ""
    title = ""
    hint = ""

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self._tools = QWidget()
        self.tools = ToolRow(self._tools)
        self.legend, self.status = Legend(), Elided()

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Paint the picture into an area of the canvas, or of a file."""
        raise NotImplementedError

    def lay_out(self, canvas: QWidget) -> None:
        """Put the canvas between tools, to which those for figures are added, and legend."""
        self.canvas = canvas
        self.tools.addWidget(tool_button("Copy", "Copy the figure", self.copy))
        self.tools.addWidget(tool_button("Save\u2026", "Save the figure as PNG or SVG", self.save))
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.SPACING)
        layout.addWidget(self._tools)
        layout.addWidget(canvas, 1)
        layout.addWidget(self.legend)
        layout.addWidget(self.status)
        theme.notifier.changed.connect(self.restyle)

    def restyle(self) -> None:
        """Colours of another theme."""
        self.canvas.update()

    def say(self, text: str) -> None:
        """Say something in the status line; nothing gives what can be done."""
        self.status.setText(text or (self.hint if self.result is not None else ""))

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Title, picture and legend, for a file."""
        line, width = self._line(), area.width() - 2 * theme.MARGIN
        painter.setPen(QColor(theme.active().text))
        shown = painter.fontMetrics().elidedText(self._stamp(), Qt.TextElideMode.ElideRight, int(width))
        painter.drawText(QRectF(theme.MARGIN, 0, width, line), Qt.AlignmentFlag.AlignVCenter, shown)
        picture = QRectF(0, line, self.canvas.width(), self.canvas.height())
        painter.save()
        painter.setClipRect(picture)
        painter.translate(picture.topLeft())
        self.draw(painter, QRectF(0, 0, picture.width(), picture.height()))
        painter.restore()
        draw_legend(painter, QRectF(theme.MARGIN, picture.bottom() + 4, width, area.height()), self.legend.items)

    def figure_size(self) -> QSize:
        legend = legend_height(self.fontMetrics(), self.legend.items, self.canvas.width() - 2 * theme.MARGIN)
        return QSize(self.canvas.width(), self.canvas.height() + self._line() + legend + theme.MARGIN)

    def save(self) -> None:
        """Ask for a file and write the figure as PNG or SVG."""
        export.ask_and_save(self, self.id, self.figure_size(), self.draw_figure, self._stamp())

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        export.copy(self.figure_size(), self.draw_figure)

    def _stamp(self) -> str:
        return texts.stamp(self.result) if self.result else ""

    def _line(self) -> int:
        return self.fontMetrics().height() + theme.MARGIN
