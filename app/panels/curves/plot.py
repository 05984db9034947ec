"""A small plot of memory, work and time against one parameter, on logarithmic scales."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import texts, theme
from antidiag.app.panels.curves.scales import CostLine, CostScale, make_scales, powers_of_two
from antidiag.kernels.experiments.cost_curve import CostCurve, CostPoint, snap_value

FIRST_HEIGHT, HEIGHT, GAP = 58, 42, 6
"""Pixels of the first panel, of each panel below it, and between panels."""
AXIS_HEIGHT, RIGHT, INSET = 20, 10, 6
TICK_WIDTH = 62
DOT = 3.5
LINE_HEIGHT = 14
WAITING_OPACITY = 0.35
TITLE_OPACITY = 210
"""Opacity (0 to 255) of the background of a title."""
REFUSED = "does not fit"


class CurvePlot(QWidget):
    """Draws a `CostCurve` and the present value.

    Dragging sends ``picked(value)``, hovering ``pointed(value or None)``.
    """

    picked = Signal(object)
    pointed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.curve: CostCurve | None = None
        self.present: CostPoint | None = None
        self.waiting = False
        self._scales: tuple[CostScale, ...] = ()
        self._hovered: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.notifier.changed.connect(self._update_scales)

    def show_curve(self, curve: CostCurve | None) -> None:
        """Show a curve; None clears the plot."""
        self.curve, self._hovered = curve, None
        self._update_scales()
        self.updateGeometry()

    def show_present(self, present: CostPoint | None) -> None:
        """Mark the present value and its cost."""
        self.present = present
        self.update()

    def show_waiting(self, waiting: bool) -> None:
        """Draw the curve pale while it belongs to the previous settings."""
        if waiting != self.waiting:
            self.waiting = waiting
            self.update()

    @property
    def scales(self) -> tuple[CostScale, ...]:
        """The scales of the drawn panels."""
        return self._scales

    def sizeHint(self) -> QSize:
        others = max(len(self._scales) - 1, 0)
        return QSize(240, FIRST_HEIGHT + others * (GAP + HEIGHT) + AXIS_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, self.sizeHint().height())

    def value_at(self, x: float) -> int | None:
        """Return the nearest valid value at a horizontal position; None without a curve."""
        if self.curve is None or not self.curve.points:
            return None
        left, right = self._axis_left, self.width() - RIGHT
        share = min(max((x - left) / max(right - left, 1), 0), 1)
        low, high = self._axis_ends
        return snap_value(self.curve.parameter, low * (high / low) ** share, (low, high))

    def x_of(self, value: float) -> float:
        """Return the horizontal position of a value."""
        low, high = self._axis_ends
        left, right = self._axis_left, self.width() - RIGHT
        share = math.log(value / low) / math.log(high / low) if high > low else 0.5
        return left + min(max(share, 0), 1) * (right - left)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._send_pick(self.value_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        value = self.value_at(event.position().x())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._send_pick(value)
        self._point_at(value)

    def leaveEvent(self, event) -> None:
        self._point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move by a point (Left, Right), by a factor of two (Page Down, Page Up), or to an end (Home, End)."""
        key, low_high = event.key(), self._axis_ends if self.curve and self.curve.points else None
        if low_high is None or self.present is None:
            event.ignore()
            return
        now, values = self.present.value, [point.value for point in self.curve.points]
        wanted = {
            Qt.Key.Key_Left: max((v for v in values if v < now), default=values[0]),
            Qt.Key.Key_Right: min((v for v in values if v > now), default=values[-1]),
            Qt.Key.Key_PageDown: now / 2,
            Qt.Key.Key_PageUp: now * 2,
            Qt.Key.Key_Home: low_high[0],
            Qt.Key.Key_End: low_high[1],
        }.get(Qt.Key(key))
        if wanted is None:
            event.ignore()
        else:
            self._send_pick(snap_value(self.curve.parameter, wanted, low_high))

    def focusInEvent(self, event) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event) -> None:
        if self.curve is None or not self._scales:
            return
        painter, colours = QPainter(self), theme.active()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(WAITING_OPACITY if self.waiting else 1)
        panels = self._panel_boxes()
        for panel, scale in panels:
            painter.fillRect(panel, QColor(colours.background))
            self._draw_refused(painter, panel, colours)
            self._draw_scale(painter, panel, scale, colours)
        self._draw_axis(painter, colours)
        self._draw_markers(painter, panels, colours)
        for panel, scale in panels:
            self._draw_title(painter, panel, scale, colours)
            for line in scale.lines:
                self._draw_line(painter, panel, scale, line)
        self._say_refused(painter, panels[0][0], colours)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.RADIUS, theme.RADIUS)

    @property
    def _axis_left(self) -> int:
        return TICK_WIDTH

    @property
    def _axis_ends(self) -> tuple[int, int]:
        return self.curve.points[0].value, self.curve.points[-1].value

    def _update_scales(self) -> None:
        self._scales = make_scales(self.curve) if self.curve is not None and self.curve.points else ()
        self.update()

    def _send_pick(self, value: int | None) -> None:
        if value is not None and (self.present is None or value != self.present.value):
            self.picked.emit(value)

    def _point_at(self, value: int | None) -> None:
        if value != self._hovered:
            self._hovered = value
            self.pointed.emit(value)
            self.update()

    def _panel_boxes(self) -> list[tuple[QRectF, CostScale]]:
        found, top, width = [], 0.0, self.width() - self._axis_left - RIGHT
        for number, scale in enumerate(self._scales):
            height = HEIGHT if number else FIRST_HEIGHT
            found.append((QRectF(self._axis_left, top, width, height), scale))
            top += height + GAP
        return found

    def _draw_scale(self, painter: QPainter, panel: QRectF, scale: CostScale, colours: theme.Theme) -> None:
        """Draw round values at the left and lines across."""
        below = math.inf
        for value, text in scale.ticks:
            y = panel.bottom() - scale.share(value) * panel.height()
            painter.setPen(QPen(QColor(colours.border), 1))
            painter.drawLine(QPointF(panel.left(), y), QPointF(panel.right(), y))
            top = min(max(y - 8, panel.top() - 1), panel.bottom() - 15)
            if below - top < LINE_HEIGHT:
                continue
            below = top
            painter.setPen(QColor(colours.muted))
            place = QRectF(0, top, self._axis_left - 6, 16)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_title(self, painter: QPainter, panel: QRectF, scale: CostScale, colours: theme.Theme) -> None:
        """Draw the title where the curves are low; several names get the colours of their curves."""
        words = [(scale.title, colours.muted)]
        if len(scale.lines) > 1:
            words += [(line.name, line.colour) for line in scale.lines]
        metrics = painter.fontMetrics()
        widths = [metrics.horizontalAdvance(text + " ") for text, _ in words]
        x = panel.right() - INSET - sum(widths) if scale.falls(self.curve) else panel.left() + INSET
        behind = QColor(colours.background)
        behind.setAlpha(TITLE_OPACITY)
        painter.fillRect(QRectF(x - 2, panel.top() + 1, sum(widths), metrics.height()), behind)
        for (text, colour), width in zip(words, widths, strict=True):
            painter.setPen(QColor(colour))
            painter.drawText(QPointF(x, panel.top() + metrics.ascent() + 2), text)
            x += width

    def _draw_refused(self, painter: QPainter, panel: QRectF, colours: theme.Theme) -> None:
        """Shade the values with which a run does not fit in memory."""
        shade = QColor(colours.error)
        shade.setAlpha(40)
        for low, high in self._refused():
            area = QRectF(QPointF(low, panel.top()), QPointF(high, panel.bottom()))
            painter.fillRect(area, shade)

    def _say_refused(self, painter: QPainter, panel: QRectF, colours: theme.Theme) -> None:
        """Write "does not fit" into shaded areas that are wide enough."""
        needed = painter.fontMetrics().horizontalAdvance(REFUSED) + 8
        painter.setPen(QColor(colours.error))
        for low, high in self._refused():
            if high - low > needed:
                area = QRectF(QPointF(low, panel.top()), QPointF(high, panel.bottom() - 3))
                painter.drawText(area, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, REFUSED)

    def _refused(self) -> list[tuple[float, float]]:
        """Return the ranges of the axis, in pixels, in which runs are refused."""
        points = self.curve.points
        places = [self.x_of(point.value) for point in points]
        middles = [(a + b) / 2 for a, b in itertools.pairwise(places)]
        found: list[tuple[float, float]] = []
        borders = [places[0], *middles, places[-1]]
        if len(points) == 1:
            borders = [float(self._axis_left), float(self.width() - RIGHT)]
        for point, low, high in zip(points, borders, borders[1:], strict=False):
            if point.refusal:
                if found and found[-1][1] == low:
                    low = found.pop()[0]
                found.append((low, high))
        return found

    def _draw_axis(self, painter: QPainter, colours: theme.Theme) -> None:
        """Draw as many values as fit under the lowest panel; the present one is highlighted."""
        top, metrics = self.height() - AXIS_HEIGHT, painter.fontMetrics()
        taken: list[tuple[float, float]] = []
        present = self.present.value if self.present else None
        low, high = self._axis_ends
        for value in [*([present] if present else []), low, high, *powers_of_two(low, high)]:
            text = texts.format_number(value) if value >= 100_000 else f"{value:,}"
            width = metrics.horizontalAdvance(text) + 8
            start = min(max(self.x_of(value) - width / 2, 0), self.width() - width)
            if any(start < end and begin < start + width for begin, end in taken):
                continue
            taken.append((start - 4, start + width + 4))
            box = QRectF(start, top + 2, width, AXIS_HEIGHT - 3)
            if value == present:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(colours.accent))
                painter.drawRoundedRect(box, theme.RADIUS, theme.RADIUS)
            painter.setPen(QColor(colours.accent_text if value == present else colours.muted))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _draw_markers(
        self, painter: QPainter, panels: Sequence[tuple[QRectF, CostScale]], colours: theme.Theme
    ) -> None:
        """Draw lines through all panels at the present value and at the hovered one."""
        for value, style, colour in (
            (self._hovered, Qt.PenStyle.DotLine, colours.muted),
            (self.present.value if self.present else None, Qt.PenStyle.SolidLine, colours.accent),
        ):
            if value is not None:
                x = self.x_of(value)
                painter.setPen(QPen(QColor(colour), 1, style))
                painter.drawLine(QPointF(x, panels[0][0].top()), QPointF(x, self.height() - AXIS_HEIGHT + 2))

    def _draw_line(self, painter: QPainter, panel: QRectF, scale: CostScale, line: CostLine) -> None:
        def place(point: CostPoint) -> QPointF:
            return QPointF(self.x_of(point.value), panel.bottom() - scale.share(line.value(point)) * panel.height())

        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(line.colour), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolyline(QPolygonF([place(point) for point in self.curve.points if line.value(point) > 0]))
        if self.present is not None and line.value(self.present) > 0:
            painter.setPen(QPen(QColor(theme.active().panel), 1.5))
            painter.setBrush(QColor(line.colour))
            painter.drawEllipse(place(self.present), DOT, DOT)
