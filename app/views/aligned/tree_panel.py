"""The picture of a tree beside the rows of an alignment, in step with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.tree.frame import REACH, STEM, Branches, Frame, branches, line_distances
from antidiag.app.kit.tree.layout import Layout
from antidiag.app.kit.widgets import label
from antidiag.app.views.aligned.canvas import AlignmentCanvas
from antidiag.app.views.aligned.picture import Frame as BodyFrame
from antidiag.kernels.text import counted

WIDTH, LEAST = 170, 60
MARGIN = 6
TIP = "Click a clade to choose its rows, double-click to collapse it; arrow keys go along the tree, Enter collapses"


@dataclass(frozen=True, eq=False)
class Drawing:
    """A layout with the clades that are marked, in so many pixels across, as any thread draws it."""

    layout: Layout
    marked: np.ndarray
    across: int

    def draw(self, painter: QPainter, body: BodyFrame) -> Branches:
        """Draw the tree in step with rows in this frame, and tell its lines."""
        colours = theme.active()
        painter.setClipRect(QRectF(0, body.top, self.across, body.height), Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = self.frame(body)
        drawn = branches(self.layout, frame)
        marked = self.marked[drawn.owners]
        for there, colour, thick in ((~marked, colours.text, 1.0), (marked, colours.accent, 2.0)):
            painter.setPen(QPen(QColor(colour), thick))
            painter.drawLines([QLineF(*line) for line in drawn.lines[there].tolist()])
        self._draw_collapsed(painter, frame, body)
        return drawn

    def _draw_collapsed(self, painter: QPainter, frame: Frame, body: BodyFrame) -> None:
        """A triangle for each collapsed clade, from its root to its farthest leaf."""
        found, half = self.layout, max(body.cell_height * 0.32, 1.0)
        nodes = np.flatnonzero(found.collapsed)
        painter.setPen(Qt.PenStyle.NoPen)
        for node in nodes.tolist():
            y, near, far = frame.py(found.row[node]), frame.px(found.along[node]), frame.px(found.far[node])
            if -half < y < body.top + body.height + half:
                colour = theme.active().accent if self.marked[node] else theme.active().muted
                painter.setBrush(QColor(colour))
                far = max(far, near + 5)
                painter.drawPolygon(QPolygonF([QPointF(near, y), QPointF(far, y - half), QPointF(far, y + half)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def frame(self, body: BodyFrame) -> Frame:
        """Where lines and lengths are, in step with rows in this frame."""
        longest = max(float(self.layout.far[0]), 1e-12)
        across = (self.across - STEM - 2 * MARGIN) / longest
        top = body.top - body.first_row * body.cell_height
        return Frame(across, body.cell_height, STEM + MARGIN, top, self.across, body.top + body.height)


class OutOfOrder(QFrame):
    """Says how much of a tree is not drawn as the rows are in another order, and offers to sort them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.needed = False
        self.setAutoFillBackground(True)
        self._text = label(wrap=True)
        self.button = QPushButton("Sort by tree")
        self.button.setToolTip("Put the rows in the order of the leaves")
        box = QVBoxLayout(self)
        box.addWidget(self._text)
        box.addWidget(self.button)
        self.hide()

    def tell(self, layout: Layout | None) -> None:
        """Say it of this layout, or nothing where all of it is drawn."""
        clades = int(layout.inner.sum()) if layout is not None else 0
        apart = int((layout.inner & layout.apart).sum()) if layout is not None else 0
        self.needed = apart > 0
        self._text.setText(f"{apart:,} of {counted(clades, 'clade')} not drawn: their rows stand apart.")
        self.setVisible(self.needed)


class TreePanel(QWidget):
    """Shows a layout whose rows are the lines of a canvas. ``chosen(node)`` is a clade that was clicked,
    ``toggled(node)`` one that is to be collapsed or opened; ``sorted()`` wants the rows in the order of the leaves."""

    chosen = Signal(int)
    toggled = Signal(int)
    sorted = Signal()

    def __init__(self, canvas: AlignmentCanvas) -> None:
        super().__init__()
        self._canvas = canvas
        self._layout: Layout | None = None
        self._marked = np.zeros(0, bool)
        self._drawn: Branches | None = None
        self._hovered: int | None = None
        self.current: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.setMinimumWidth(LEAST)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Tree of the rows")
        self.setToolTip(TIP)
        self.notice = OutOfOrder(self)
        self.notice.button.clicked.connect(self.sorted)
        theme.notifier.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 400)

    def show_layout(self, layout: Layout | None) -> None:
        """Show a tree, or nothing; the current clade stays where the tree is the one before."""
        if layout is None or self._layout is None or layout.tree is not self._layout.tree:
            self.current = None
        self._layout, self._hovered = layout, None
        self._marked = np.zeros(len(layout.tree) if layout else 0, bool)
        self.notice.tell(layout)
        self.setMinimumWidth(max(LEAST, self.notice.minimumSizeHint().width() if self.notice.needed else 0))
        self._place_notice()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_notice()

    def _place_notice(self) -> None:
        """Across the top, as high as its words are at this width."""
        self.notice.setGeometry(0, 0, self.width(), self.notice.heightForWidth(self.width()))

    def mark(self, nodes: np.ndarray) -> None:
        """Mark clades, by a mask of all nodes."""
        self._marked = nodes
        self.update()

    def set_current(self, node: int) -> None:
        """The clade that keys act on."""
        self.current = node
        self.update()

    def node_at(self, place: QPointF) -> int | None:
        """The clade whose branch is under a place."""
        if self._drawn is None or not len(self._drawn.lines):
            return None
        found = line_distances(self._drawn.lines, place.x(), place.y())
        nearest = int(found.argmin())
        return int(self._drawn.owners[nearest]) if found[nearest] <= REACH else None

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.active().panel))
        if (drawing := self.drawing) is not None:
            colours = theme.active()
            lines = self._drawn = drawing.draw(painter, self._canvas.frame_)
            for node, colour in ((self._hovered, colours.warning), (self.current, colours.accent)):
                if node is not None:
                    painter.setPen(QPen(QColor(colour), 2.5))
                    painter.drawLines([QLineF(*line) for line in lines.lines[lines.owners == node].tolist()])
        painter.end()

    @property
    def drawing(self) -> Drawing | None:
        """What figures draw of it; None where there is no tree of the rows."""
        return Drawing(self._layout, self._marked, self.width()) if self._layout is not None else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        node = self.node_at(event.position())
        if node != self._hovered:
            self._hovered = node
            self.update()

    def leaveEvent(self, event: object) -> None:
        self._hovered = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        node = self.node_at(event.position())
        if node is not None and event.button() is Qt.MouseButton.LeftButton:
            self.chosen.emit(node)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        node = self.node_at(event.position())
        if node is not None:
            self.toggled.emit(node)

    def wheelEvent(self, event: QWheelEvent) -> None:
        QApplication.sendEvent(self._canvas.viewport(), event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._layout is None:
            return
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.current is not None:
            self.toggled.emit(self.current)
        elif (node := self._next(key)) is not None:
            self.chosen.emit(node)
        else:
            super().keyPressEvent(event)

    def _next(self, key: Qt.Key) -> int | None:
        """The clade that an arrow leads to: left to the parent, right to the first child, up and down to siblings."""
        tree, node = self._layout.tree, self.current
        arrows = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)
        if key not in arrows or node is None:
            return 0 if key in arrows else None
        if key == Qt.Key.Key_Left:
            return int(max(tree.parents[node], 0))
        if key == Qt.Key.Key_Right:
            return node + 1 if self._layout.inner[node] else node
        siblings = tree.children(int(tree.parents[node])).tolist() if node else [0]
        at = siblings.index(node) + (1 if key == Qt.Key.Key_Down else -1)
        return int(siblings[min(max(at, 0), len(siblings) - 1)])
