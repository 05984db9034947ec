"""Where the sub-paths of an alignment meet, and in which state: H, or inside a gap (E, F)."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from antidiag.app.kit.plane.picture import Frame, Picture
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP

Mark = tuple[tuple[int, int], str]

DENSEST = 24
"""Pixels between two borders below which the marks would cover each other."""
RADIUS, FONT_PIXELS = 7.0, 10
STATES = {DIAGONAL: "H", UP: "E", LEFT: "F"}
FILLS = {"H": "#ffffff", "E": "#a8d8ff", "F": "#ffd88a"}
INK = "#10141a"


def cuts(what: Picture) -> list[tuple[int, int]]:
    """Axis (0: the borders are rows) and distance of the borders at which the path is cut."""
    found, across = what.cuts, 1 - what.strip_axis
    return [(axis, d) for axis, d in ((what.strip_axis, found.path_columns), (across, found.path_rows)) if d]


def readable(frame: Frame, what: Picture) -> bool:
    """Whether there is room for the marks of some border."""
    return any(distance * (frame.width if axis else frame.height) >= DENSEST for axis, distance in cuts(what))


def marks(frame: Frame, what: Picture) -> list[Mark]:
    """Every visible cell at which one sub-path ends and the next begins, and the state in which it is left."""
    path, found = what.path, {}
    for axis, distance in cuts(what):
        if path is None or distance * (frame.width if axis else frame.height) < DENSEST:
            continue
        low, high = (frame.rows, frame.columns)[axis]
        for border in range(max(low // distance, 1) * distance, high, distance):
            point = path.first_at(axis, border + 1)
            if 0 < point <= path.length:
                cell = path.cell(point - 1)
                found[cell] = STATES[int(path.alignment.operations[point - 1])]
    return list(found.items())


def draw(painter: QPainter, frame: Frame, what: Picture) -> None:
    """A small disc with the letter of the state at each mark; at the edge of the cell where cells are large."""
    font = QFont(painter.font())
    font.setPixelSize(FONT_PIXELS)
    font.setBold(True)
    painter.save()
    painter.setFont(font)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for (i, j), state in marks(frame, what):
        aside = 0.5 if frame.shows_cells else 0
        centre = QPointF(frame.x(j + aside), frame.y(i + aside))
        draw_mark(painter, centre, state)
    painter.restore()


def draw_mark(painter: QPainter, centre: QPointF, state: str) -> None:
    """The disc of a state."""
    box = QRectF(centre.x() - RADIUS, centre.y() - RADIUS, 2 * RADIUS, 2 * RADIUS)
    painter.setPen(QPen(QColor(INK), 1))
    painter.setBrush(QColor(FILLS[state]))
    painter.drawEllipse(box)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, state)
