"""Draws a tree beside the rows of an alignment, in step with them."""

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
from antidiag.app.kit.controls.widgets import create_label
from antidiag.app.kit.tree.visible_branches import (
    STEM,
    TreeFrame,
    VisibleBranches,
    find_visible_branches,
)
from antidiag.app.views.aligned.drawing.picture import CellFrame as BodyFrame
from antidiag.app.views.aligned.widgets.alignment_canvas import AlignmentCanvas
from antidiag.kernels.text import format_count
from antidiag.kernels.trees.tree_layout import TreeLayout

FIRST_WIDTH, MIN_WIDTH = 170, 60
"""Pixels of the width at first, and at least."""
MARGIN = 6
TIP = "Click a clade to select its rows, double-click to collapse it. Arrow keys walk the tree, Enter collapses."


@dataclass(frozen=True, eq=False)
class TreeDrawing:
    """A layout with marked clades in so many pixels across; any thread can draw it."""

    layout: TreeLayout
    marked: np.ndarray
    panel_width: int

    def draw(self, painter: QPainter, body: BodyFrame) -> VisibleBranches:
        """Draw the tree in step with the rows in a frame, and return its lines."""
        colours = theme.active()
        painter.setClipRect(QRectF(0, body.top, self.panel_width, body.height), Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = self.tree_frame(body)
        drawn = find_visible_branches(self.layout, frame)
        marked = self.marked[drawn.owners]
        for there, colour, thick in ((~marked, colours.text, 1.0), (marked, colours.accent, 2.0)):
            painter.setPen(QPen(QColor(colour), thick))
            painter.drawLines([QLineF(*line) for line in drawn.lines[there].tolist()])
        self._draw_collapsed(painter, frame, body)
        return drawn

    def _draw_collapsed(self, painter: QPainter, frame: TreeFrame, body: BodyFrame) -> None:
        """Draw a triangle for each collapsed clade, from its root to its farthest leaf."""
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

    def tree_frame(self, body: BodyFrame) -> TreeFrame:
        """Return the frame of the tree in step with the rows in a frame."""
        longest = max(float(self.layout.far[0]), 1e-12)
        across = (self.panel_width - STEM - 2 * MARGIN) / longest
        top = body.top - body.first_row * body.cell_height
        return TreeFrame(across, body.cell_height, STEM + MARGIN, top, self.panel_width, body.top + body.height)


class TreeOrderNotice(QFrame):
    """A notice that part of the tree is not drawn because of the row order, with a button that sorts the rows."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.is_needed = False
        self.setAutoFillBackground(True)
        self._text = create_label(wrap=True)
        self.button = QPushButton("Sort by tree")
        self.button.setToolTip("Sort the rows by the leaves of the tree")
        box = QVBoxLayout(self)
        box.addWidget(self._text)
        box.addWidget(self.button)
        self.hide()

    def show_for(self, layout: TreeLayout | None) -> None:
        """Show the notice for a layout, or hide it if all of the tree is drawn."""
        clades = int(layout.has_visible_children.sum()) if layout is not None else 0
        apart = int((layout.has_visible_children & layout.apart).sum()) if layout is not None else 0
        self.is_needed = apart > 0
        self._text.setText(f"{apart:,} of {format_count(clades, 'clade')} not drawn: their rows are not adjacent.")
        self.setVisible(self.is_needed)


class TreePanel(QWidget):
    """Shows a layout whose leaves are the lines of a canvas. Signals: ``clade_clicked(node)`` for a clicked clade,
    ``clade_toggled(node)`` to collapse or expand one, ``sort_requested()`` to sort the rows by the leaves."""

    clade_clicked = Signal(int)
    clade_toggled = Signal(int)
    sort_requested = Signal()

    def __init__(self, canvas: AlignmentCanvas) -> None:
        super().__init__()
        self._canvas = canvas
        self._layout: TreeLayout | None = None
        self._marked = np.zeros(0, bool)
        self._drawn: VisibleBranches | None = None
        self._hovered: int | None = None
        self.current: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.setMinimumWidth(MIN_WIDTH)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Tree of the rows")
        self.setToolTip(TIP)
        self.notice = TreeOrderNotice(self)
        self.notice.button.clicked.connect(self.sort_requested)
        theme.notifier.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(FIRST_WIDTH, 400)

    def show_layout(self, layout: TreeLayout | None) -> None:
        """Show a tree, or nothing; the current clade stays if the tree is the same."""
        if layout is None or self._layout is None or layout.tree is not self._layout.tree:
            self.current = None
        self._layout, self._hovered = layout, None
        self._marked = np.zeros(len(layout.tree) if layout else 0, bool)
        self.notice.show_for(layout)
        self.setMinimumWidth(max(MIN_WIDTH, self.notice.minimumSizeHint().width() if self.notice.is_needed else 0))
        self._place_notice()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_notice()

    def _place_notice(self) -> None:
        self.notice.setGeometry(0, 0, self.width(), self.notice.heightForWidth(self.width()))

    def mark_clades(self, nodes: np.ndarray) -> None:
        """Mark clades, given as a mask of all nodes."""
        self._marked = nodes
        self.update()

    def set_current(self, node: int) -> None:
        """Set the clade that keys act on."""
        self.current = node
        self.update()

    def node_at(self, place: QPointF) -> int | None:
        """Return the clade whose branch is under a position."""
        return self._drawn.node_at(place.x(), place.y()) if self._drawn is not None else None

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
    def drawing(self) -> TreeDrawing | None:
        """What figures draw; None without a tree of the rows."""
        return TreeDrawing(self._layout, self._marked, self.width()) if self._layout is not None else None

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
            self.clade_clicked.emit(node)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        node = self.node_at(event.position())
        if node is not None:
            self.clade_toggled.emit(node)

    def wheelEvent(self, event: QWheelEvent) -> None:
        QApplication.sendEvent(self._canvas.viewport(), event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._layout is None:
            return
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.current is not None:
            self.clade_toggled.emit(self.current)
        elif (node := self._next_clade(key)) is not None:
            self.clade_clicked.emit(node)
        else:
            QApplication.sendEvent(self._canvas, event)  # End, say, goes to the last column
            event.accept()

    def _next_clade(self, key: Qt.Key) -> int | None:
        """Return the clade that an arrow leads to: left the parent, right the first child, up and down siblings."""
        tree, node = self._layout.tree, self.current
        arrows = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)
        if key not in arrows or node is None:
            return 0 if key in arrows else None
        if key == Qt.Key.Key_Left:
            return int(max(tree.parents[node], 0))
        if key == Qt.Key.Key_Right:
            return node + 1 if self._layout.has_visible_children[node] else node
        siblings = tree.children(int(tree.parents[node])).tolist() if node else [0]
        at = siblings.index(node) + (1 if key == Qt.Key.Key_Down else -1)
        return int(siblings[min(max(at, 0), len(siblings) - 1)])
