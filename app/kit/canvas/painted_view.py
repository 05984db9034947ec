"""The base of views that paint one picture: tools above, legend and status below, figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit import ask
from antidiag.app.kit.controls.flow_layouts import ToolRow
from antidiag.app.kit.controls.widgets import ElidedLabel, tool_button
from antidiag.app.kit.figures import export, framed_figure
from antidiag.app.kit.figures.legend import Legend
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.view_state import ViewState
from antidiag.kernels.model import Result


class PictureCanvas(QWidget):
    """Paints with a function and reports the mouse, and by ``moved((down, right))`` the arrow keys, if wanted."""

    pointed = Signal(object)
    clicked = Signal(object)
    moved = Signal(object)

    def __init__(self, draw: Callable[[QPainter, QRectF], None], arrows: bool = False) -> None:
        super().__init__()
        self._draw, self._arrows = draw, arrows
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
        if self._arrows and Qt.Key(event.key()) in steps:
            self.moved.emit(steps[Qt.Key(event.key())])
        else:
            event.ignore()


class FigureView(QWidget):
    """The base of views with one figure: tools above the canvas, legend and status below, and the figure for a file."""

    id = ""
    title = ""
    hint = ""

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self._tools = QWidget()
        self.tools = ToolRow(self._tools)
        self.legend, self.status = Legend(), ElidedLabel()
        self.view_state = ViewState(lambda: self.has_content)

    @property
    def has_content(self) -> bool:
        """Whether the content is there, so that places in it can be restored."""
        return True

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw title, picture and legend for a file."""
        raise NotImplementedError

    def figure_size(self) -> QSize:
        """Return the size of the exported figure."""
        raise NotImplementedError

    def figure_title(self) -> str:
        """Return the title of the exported figure."""
        raise NotImplementedError

    def apply_theme(self) -> None:
        """Use the colours of another theme."""
        raise NotImplementedError

    def save(self) -> None:
        """Ask for a file and write the figure."""
        name = ask.suggest_name(self.named_subject, self.id, self.id)
        export.ask_and_save_figure(self, name, self.figure_size(), self.draw_figure, self.figure_title())

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        export.copy_figure(self.figure_size(), self.draw_figure)

    @property
    def named_subject(self) -> Any:
        """The result or the datum that files are named after."""
        return self.result

    def add_figure_tools(self) -> None:
        """Add the tools that copy and save the figure."""
        copy_button = tool_button("Copy", "Copy the figure", self.copy)
        save_button = tool_button("Save\u2026", "Save the figure as PNG, SVG or PDF", self.save)
        self.tools.essential = copy_button, save_button
        for button in self.tools.essential:
            self.tools.addWidget(button)

    def stack_parts(self, canvas: QWidget) -> None:
        """Lay out tools, canvas, legend and status, and follow the theme."""
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.SPACING)
        layout.addWidget(self._tools)
        layout.addWidget(canvas, 1)
        layout.addWidget(self.legend)
        layout.addWidget(self.status)
        theme.notifier.changed.connect(self.apply_theme)


class PaintedView(FigureView):
    """A canvas with tools above. A view creates its ``canvas`` before it calls `build_layout`, and paints in `draw`."""

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Paint the picture into an area of the canvas or a file."""
        raise NotImplementedError

    def build_layout(self, canvas: QWidget) -> None:
        """Put the canvas between the tools and the legend, and add the tools for figures."""
        self.canvas = canvas
        self.add_figure_tools()
        self.stack_parts(canvas)

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        self.canvas.update()

    def show_status(self, text: str) -> None:
        """Show a text in the status line; the hint replaces an empty one."""
        self.status.setText(text or (self.hint if self.result is not None else ""))

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw title, picture and legend, for a file."""
        draw = lambda painter, width, height: self.draw(painter, QRectF(0, 0, width, height))  # noqa: E731
        framed_figure.draw_figure(painter, area, self.figure_title(), self.legend.items, draw)

    def figure_size(self) -> QSize:
        """Return the size of the exported figure."""
        return framed_figure.figure_size(self.canvas.width(), self.canvas.height(), self.legend.items)

    def figure_title(self) -> str:
        """Return the title of the exported figure."""
        return texts.origin_line(self.result) if self.result else ""
