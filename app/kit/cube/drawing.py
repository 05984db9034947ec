"""Draws the cube with QPainter: parallel projection, turned with the mouse."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPixmap, QPolygonF, QTransform
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.kit.cube.scene import CubeScene, CubeSheet, CubeStroke
from antidiag.app.kit.painting.fonts_and_colours import DARK_INK, LIGHT_INK

FIRST_TURN, TILT = 30.0, 28.0  # first direction of view in degrees: from the right of the front, and from above
LOWEST, HIGHEST = 4.0, 89.0
DEGREES_PER_PIXEL = 0.4
CLOSEST, FARTHEST = 12.0, 0.5
FILL = 0.92
NAME_MARGINS = (18, 4, -8, -14)  # pixels left for the names of the sequences
LETTER_SHARE, SMALLEST_LETTERS = 0.8, 7  # letter size as a share of the line height, and the least in pixels
SIDE_BRIGHTNESS = (1.0, 0.82, 0.68)  # brightness of the sides of a box: top, across i, across j


OnPlane = Callable[[int, float], np.ndarray]


class CubeViewpoint:
    """The direction of view. World axes are (j, -i, -k): i points towards the viewer, k down."""

    def __init__(self) -> None:
        self.turn, self.tilt, self.zoom = FIRST_TURN, TILT, 1.0

    def view_axes(self) -> np.ndarray:
        """Return the directions right, up and towards the viewer as rows, in (i, j, k) of equal unit."""
        a, e = math.radians(self.turn), math.radians(self.tilt)
        world = np.array(
            [
                [math.cos(a), math.sin(a), 0],
                [-math.sin(a) * math.sin(e), math.cos(a) * math.sin(e), math.cos(e)],
                [math.sin(a) * math.cos(e), -math.cos(a) * math.cos(e), math.sin(e)],
            ]
        )
        return np.stack((-world[:, 1], world[:, 0], -world[:, 2]), 1)

    def near_sides(self) -> tuple[bool, bool]:
        """Return whether the last i, and the last j, are on the viewer's side."""
        towards = self.view_axes()[2]
        return bool(towards[0] >= 0), bool(towards[1] >= 0)

    def turn_by(self, right: float, down: float) -> None:
        """Rotate by a drag of so many pixels."""
        self.turn = (self.turn - right * DEGREES_PER_PIXEL + 180) % 360 - 180
        self.tilt = min(max(self.tilt + down * DEGREES_PER_PIXEL, LOWEST), HIGHEST)

    def zoom_by(self, factor: float) -> None:
        """Zoom by a factor, within limits."""
        self.zoom = min(max(self.zoom * factor, FARTHEST), CLOSEST)

    def reset_view(self) -> None:
        """Return to the first rotation and zoom."""
        self.turn, self.tilt, self.zoom = FIRST_TURN, TILT, 1.0


class CubeProjection:
    """Parallel projection from cells to pixels of an area."""

    def __init__(self, scene: CubeScene, eye: CubeViewpoint, area: QRectF) -> None:
        axes, sizes = eye.view_axes(), scene.cell_lengths * np.array(scene.cells)
        extent = np.abs(axes[:2]) @ sizes
        size = FILL * eye.zoom * min(area.width() / extent[0], area.height() / extent[1])
        self._matrix = axes * scene.cell_lengths * size
        self._matrix[1] *= -1
        centre = area.center()
        self._origin = np.array([centre.x(), centre.y()]) - self._matrix[:2] @ (np.array(scene.cells) / 2)

    def project_points(self, places: np.ndarray) -> np.ndarray:
        """Return the pixels of places, (n, 2)."""
        return places @ self._matrix[:2].T + self._origin

    def project_point(self, place: np.ndarray) -> QPointF:
        """Return where a point of the cube is drawn."""
        x, y = self._matrix[:2] @ place + self._origin
        return QPointF(float(x), float(y))

    def project_edge(self, vector: np.ndarray) -> np.ndarray:
        """Return how far right and down an edge runs in pixels."""
        return self._matrix[:2] @ vector

    def nearness(self, place: np.ndarray) -> float:
        """Return how near to the viewer a place is."""
        return float(self._matrix[2] @ place)

    def unproject_to_plane(self, pixel: QPointF, axis: int, place: float) -> np.ndarray:
        """Return the place that a pixel shows on the plane across ``axis``."""
        others = [other for other in range(3) if other != axis]
        wanted = np.array([pixel.x(), pixel.y()]) - self._origin - self._matrix[:2, axis] * place
        found = np.full(3, place)
        try:
            found[others] = np.linalg.solve(self._matrix[:2][:, others], wanted)
        except np.linalg.LinAlgError:  # the plane is seen edge on
            found[others] = -1
        return found


def chunk_at(scene: CubeScene, on_plane: OnPlane, near: tuple[bool, bool], s: int) -> tuple[int, int] | None:
    """Return row and column of the chunk under the mouse, on the top or a near side. ``on_plane(axis, place)`` gives
    the place under the mouse on a plane."""
    cells = np.array(scene.cells)
    for axis, place in ((2, 0), (0, cells[0] if near[0] else 0), (1, cells[1] if near[1] else 0)):
        found = on_plane(axis, float(place))
        inside = (found >= -1e-6) & (found <= cells + 1e-6)
        if inside.all():
            i, j = (min(int(found[side]), int(cells[side]) - 1) for side in (0, 1))
            return max(i, 0) // s, max(j, 0) // s
    return None


def draw_marks(painter: QPainter, marks: tuple[CubeStroke, ...], projection: CubeProjection) -> None:
    """Draw lines over the picture."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for stroke in marks:
        _draw_stroke(painter, stroke, projection)


def draw_cube(
    painter: QPainter, scene: CubeScene, projection: CubeProjection, names: tuple[str, str, str], eye: CubeViewpoint
) -> None:
    """Draw the whole picture."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for stroke in scene.strokes:
        if stroke.name == "frame" or stroke.name.startswith("projection"):
            _draw_stroke(painter, stroke, projection)
    inner = [sheet for sheet in scene.sheets if sheet.name.startswith("slice")]
    for sheet in sorted(inner, key=lambda sheet: projection.nearness(sheet.corner + (sheet.u + sheet.v) / 2)):
        _draw_sheet(painter, sheet, projection)
    for sheet in scene.sheets:
        if not sheet.name.startswith("slice"):
            _draw_sheet(painter, sheet, projection)
    _draw_boxes(painter, scene.boxes, projection, eye)
    for stroke in scene.strokes:
        if stroke.name != "frame" and not stroke.name.startswith("projection"):
            _draw_stroke(painter, stroke, projection)
    _draw_labels(painter, scene, projection)
    _draw_names(painter, scene, projection, names, eye)


def _draw_sheet(painter: QPainter, sheet: CubeSheet, projection: CubeProjection) -> None:
    height, width = sheet.pixels.shape
    corner, u, v = (
        projection.project_point(sheet.corner),
        projection.project_edge(sheet.u) / width,
        projection.project_edge(sheet.v) / height,
    )
    if abs(u[0] * v[1] - u[1] * v[0]) * width * height < 1:
        return
    painter.save()
    painter.setOpacity(sheet.opacity)
    painter.setTransform(QTransform(u[0], u[1], v[0], v[1], corner.x(), corner.y()), True)
    image = QImage(sheet.pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32)
    painter.drawImage(0, 0, image)
    painter.restore()


def _draw_stroke(painter: QPainter, stroke: CubeStroke, projection: CubeProjection) -> None:
    points = projection.project_points(stroke.points)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    pens = [QPen(QColor(stroke.colour), stroke.width)]
    if stroke.name == "path":
        pens.insert(0, QPen(QColor(theme.active().panel), stroke.width + 2.5))
    for pen in pens:
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        if stroke.pairs:
            ends = zip(points[::2].tolist(), points[1::2].tolist(), strict=True)
            painter.drawLines([QLineF(*first, *last) for first, last in ends])
        else:
            painter.drawPolyline([QPointF(x, y) for x, y in points.tolist()])


def _draw_boxes(painter: QPainter, boxes: np.ndarray, projection: CubeProjection, eye: CubeViewpoint) -> None:
    """Draw boxes with their three visible sides, far ones first."""
    if not len(boxes):
        return
    near, colour = eye.near_sides(), QColor(theme.active().recomputed)
    centres = (boxes[:, 0::2] + boxes[:, 1::2]) / 2
    painter.setPen(QPen(colour.darker(170), 0.8))
    for box in boxes[np.argsort([projection.nearness(centre) for centre in centres], kind="stable")]:
        low, high = box[0::2].astype(float), box[1::2].astype(float)
        i_near, j_near = high[0] if near[0] else low[0], high[1] if near[1] else low[1]
        for shade, (axis, place) in enumerate(((2, low[2]), (0, i_near), (1, j_near))):
            a, b = (other for other in range(3) if other != axis)
            corners = np.tile(low, (4, 1))
            corners[:, axis] = place
            corners[[1, 2], a], corners[[2, 3], b] = high[a], high[b]
            fill = QColor.fromHsvF(colour.hueF(), colour.saturationF(), colour.valueF() * SIDE_BRIGHTNESS[shade], 0.75)
            painter.setBrush(fill)
            painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in projection.project_points(corners).tolist()]))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _draw_labels(painter: QPainter, scene: CubeScene, projection: CubeProjection) -> None:
    """Draw labels as large as their room allows; none that are unreadable."""
    painter.save()
    font, usual = painter.font(), painter.fontMetrics().height()
    for word in scene.words:
        # Half of the room's extent: a word in the middle of a rhombus must keep away from its corners.
        down, right = (np.abs(projection.project_edge(word.room * side)) for side in np.eye(3)[:2])
        across, high = (down + right) / 2
        size = min(usual, 1.1 * high, 1.5 * across / len(word.text)) * LETTER_SHARE
        if size < SMALLEST_LETTERS:
            continue
        font.setPixelSize(round(size))
        painter.setFont(font)
        painter.setPen(LIGHT_INK if word.light else DARK_INK)
        centre = projection.project_point(word.place)
        painter.drawText(QRectF(centre.x() - 60, centre.y() - 20, 120, 40), Qt.AlignmentFlag.AlignCenter, word.text)
    painter.restore()


def _draw_names(
    painter: QPainter, scene: CubeScene, projection: CubeProjection, names: tuple[str, str, str], eye: CubeViewpoint
) -> None:
    """Draw the names along three edges: i and j at the near bottom edges, k at the left edge."""
    i, j, k = scene.cells
    near = eye.near_sides()
    i_near, j_near = (i if near[0] else 0), (j if near[1] else 0)
    uprights = [np.array([a, b, k / 2]) for a in (0, i) for b in (0, j)]
    left = min(uprights, key=lambda place: projection.project_point(place).x())
    edges = (np.array([i / 2, j_near, k]), np.array([i_near, j / 2, k]), left)
    painter.setPen(QColor(theme.active().text))
    middle = projection.project_point(np.array([i, j, k]) / 2)
    for name, edge in zip(names, edges, strict=True):
        at = projection.project_point(edge)
        box = QRectF(0, 0, painter.fontMetrics().horizontalAdvance(name) + 2, painter.fontMetrics().height())
        painter.save()
        if edge is left:
            painter.translate(at.x() - box.height() / 2 - 4, at.y())
            painter.rotate(-90)
            box.moveCenter(QPointF(0, 0))
        else:
            side = 1 if at.x() > middle.x() else -1
            box.moveCenter(QPointF(at.x() + side * (box.width() / 2 + 2), at.y() + box.height() / 2 + 2))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)
        painter.restore()


class CubeCanvas(QWidget):
    """Shows a scene. Drag to turn, wheel to zoom, double click to reset."""

    hovered = Signal(object)
    turned = Signal()

    def __init__(self, eye: CubeViewpoint) -> None:
        super().__init__()
        self.eye = eye
        self.scene: CubeScene | None = None
        self.grip: QPointF | None = None
        self.marks: tuple[CubeStroke, ...] = ()
        self._cached_pixmap: QPixmap | None = None
        self._cache_key: tuple[Any, ...] = ()
        self.names = ("", "", "")
        self.s = 1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Cube")
        self.setMinimumSize(160, 120)

    def show_scene(self, scene: CubeScene | None, names: tuple[str, str, str], s: int) -> None:
        """Show a scene with the names of its axes and the strip width."""
        self.scene, self.names, self.s = scene, names, s
        self.update()

    def show_marks(self, marks: tuple[CubeStroke, ...]) -> None:
        """Draw these lines over the scene."""
        self.marks = marks
        self.update()

    def current_projection(self) -> CubeProjection:
        """Return the projection of the present viewpoint and size."""
        return CubeProjection(self.scene, self.eye, QRectF(self.rect()).adjusted(*NAME_MARGINS))

    def chunk_under(self, pixel: QPointF) -> tuple[int, int] | None:
        """Return row and column of the chunk under a pixel."""
        on_plane = partial(self.current_projection().unproject_to_plane, pixel)
        return chunk_at(self.scene, on_plane, self.eye.near_sides(), self.s)

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw the picture in an area, for a file."""
        projection = CubeProjection(self.scene, self.eye, area.adjusted(*NAME_MARGINS))
        draw_cube(painter, self.scene, projection, self.names, self.eye)

    def paintEvent(self, event) -> None:
        """Draw the scene once and cache it, so that marks follow the mouse quickly."""
        ratio = self.devicePixelRatioF()
        drawn = self.scene, self.names, theme.active(), self.size(), ratio, self.eye.turn, self.eye.tilt, self.eye.zoom
        if self._cached_pixmap is None or self._cache_key != drawn:
            self._cache_key = drawn
            self._cached_pixmap = QPixmap((self.size().toSizeF() * ratio).toSize())
            self._cached_pixmap.setDevicePixelRatio(ratio)
            self._cached_pixmap.fill(QColor(theme.active().panel))
            if self.scene is not None:
                painter = QPainter(self._cached_pixmap)
                painter.setFont(self.font())
                draw_cube(painter, self.scene, self.current_projection(), self.names, self.eye)
                painter.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._cached_pixmap)
        if self.scene is not None:
            draw_marks(painter, self.marks, self.current_projection())

    def mousePressEvent(self, event) -> None:
        self.grip = event.position()

    def mouseReleaseEvent(self, event) -> None:
        self.grip = None

    def mouseMoveEvent(self, event) -> None:
        if self.grip is not None and event.buttons() & Qt.MouseButton.LeftButton:
            moved, self.grip = event.position() - self.grip, event.position()
            self.eye.turn_by(moved.x(), moved.y())
            self._update_view()
        elif self.scene is not None:
            self.hovered.emit(self.chunk_under(event.position()))

    def mouseDoubleClickEvent(self, event) -> None:
        self.eye.reset_view()
        self._update_view()

    def wheelEvent(self, event) -> None:
        self.eye.zoom_by(1.0015 ** event.angleDelta().y())
        self._update_view()
        event.accept()

    def keyPressEvent(self, event) -> None:
        keys = Qt.Key
        moves = {keys.Key_Left: (-12, 0), keys.Key_Right: (12, 0), keys.Key_Up: (0, 12), keys.Key_Down: (0, -12)}
        if event.key() in moves:
            self.eye.turn_by(*moves[event.key()])
            self._update_view()
        else:
            event.ignore()

    def leaveEvent(self, event) -> None:
        self.hovered.emit(None)

    def _update_view(self) -> None:
        self.turned.emit()
        self.update()
