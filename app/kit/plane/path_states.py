"""Where the sub-paths of an alignment meet, and in which state: H, or in a gap (E, F)."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app.kit.painting.fonts_and_colours import resized_font
from antidiag.app.kit.plane.matrix_picture import MatrixFrame, MatrixPicture
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP

Mark = tuple[tuple[int, int], str]

LEAST_SPACING = 24  # pixels between borders below which marks would overlap
RADIUS, FONT_PIXELS = 7.0, 10
STATES = {DIAGONAL: "H", UP: "E", LEFT: "F"}
FILLS = {"H": "#ffffff", "E": "#a8d8ff", "F": "#ffd88a"}
INK = "#10141a"


def list_path_cuts(picture: MatrixPicture) -> list[tuple[int, int]]:
    """Return axis (0: rows) and distance of the borders at which the path is cut."""
    found, across = picture.cuts, 1 - picture.strip_axis
    return [(axis, d) for axis, d in ((picture.strip_axis, found.path_columns), (across, found.path_rows)) if d]


def fits_marks(frame: MatrixFrame, picture: MatrixPicture) -> bool:
    """Whether the marks of any border fit."""
    return any(
        distance * (frame.column_width if axis else frame.row_height) >= LEAST_SPACING
        for axis, distance in list_path_cuts(picture)
    )


def find_marks(frame: MatrixFrame, picture: MatrixPicture) -> list[Mark]:
    """Return visible cells where sub-paths meet, and the state there."""
    path, found = picture.path, {}
    for axis, distance in list_path_cuts(picture):
        if path is None or distance * (frame.column_width if axis else frame.row_height) < LEAST_SPACING:
            continue
        low, high = (frame.rows, frame.columns)[axis]
        for border in range(max(low // distance, 1) * distance, high, distance):
            point = path.first_point_at(axis, border + 1)
            if 0 < point <= path.length:
                cell = path.cell(point - 1)
                found[cell] = STATES[int(path.alignment.operations[point - 1])]
    return list(found.items())


def draw_marks(painter: QPainter, frame: MatrixFrame, picture: MatrixPicture) -> None:
    """Draw a disc with the state's letter at each mark; at the edge of large cells."""
    painter.save()
    painter.setFont(resized_font(painter.font(), FONT_PIXELS, bold=True))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for (i, j), state in find_marks(frame, picture):
        aside = 0.5 if frame.shows_cells else 0
        centre = QPointF(frame.x(j + aside), frame.y(i + aside))
        draw_mark(painter, centre, state)
    painter.restore()


def draw_mark(painter: QPainter, centre: QPointF, state: str) -> None:
    """Draw the disc of a state."""
    box = QRectF(centre.x() - RADIUS, centre.y() - RADIUS, 2 * RADIUS, 2 * RADIUS)
    painter.setPen(QPen(QColor(INK), 1))
    painter.setBrush(QColor(FILLS[state]))
    painter.drawEllipse(box)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, state)
