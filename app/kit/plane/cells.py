"""Draws the matrix at the level of cells: values, letters, predecessors."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from antidiag.app.kit.painting.fonts_and_colours import DARK_INK, LIGHT_INK, cell_font
from antidiag.app.kit.plane.matrix_picture import MatrixFrame, MatrixPicture
from antidiag.app.kit.results import result_text
from antidiag.app.theme import Theme
from antidiag.kernels.alignments.cell_origins import FROM_ABOVE, FROM_DIAGONAL, FROM_LEFT
from antidiag.kernels.model import SequenceType
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.registry.matrix_values import MatrixCellBlock

HEADER = 22
SMALLEST_FONT, EASY_FONT = 8, 11
LEAST_EASY = 56
TOWARDS = {FROM_DIAGONAL: (-1, -1), FROM_ABOVE: (0, -1), FROM_LEFT: (-1, 0)}
ARROW_PIXELS = 34


def draw_cells(painter: QPainter, frame: MatrixFrame, picture: MatrixPicture, theme: Theme) -> None:
    """Draw grid, values, arrows and path of the visible cells."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    draw_grid(painter, frame)
    path: set[tuple[int, int]] = set()
    if picture.path is not None and "path" in picture.layers:
        path = {(i, j) for i, j in picture.path.sample_cells(frame.rows, frame.columns).tolist()}
        draw_path(painter, frame, path, theme)
    if picture.block is not None and picture.light_ink is not None:
        _draw_values(painter, frame, picture, path, theme)
    painter.restore()


def cell_values(picture: MatrixPicture, cell: tuple[int, int]) -> tuple[str, str, str] | None:
    """Return H, E and F of a cell as text, or None while they are unknown."""
    block = picture.block
    if block is None or not block.contains((cell[0], cell[0] + 1), (cell[1], cell[1] + 1)):
        return None
    h, e, f = (result_text.format_score(picture.problem, value, separator="") for value in block.values_at(cell))
    return h, e, f


def comfortable_size(problem: PairProblem, largest: int) -> float:
    """Return the cell size in pixels at which H, E, F and the letters are easy to read."""
    text = result_text.format_score(problem, -largest, separator="")
    return max(2 * QFontMetricsF(cell_font(EASY_FONT)).horizontalAdvance(text) + 12, LEAST_EASY)


def draw_headers(painter: QPainter, frame: MatrixFrame, view: QRectF, picture: MatrixPicture, theme: Theme) -> None:
    """Draw the letters of both sequences along the upper and left edge of the ``view``."""
    painter.save()
    painter.setFont(cell_font(13, bold=True))
    protein = SequenceType.PROTEIN in (picture.problem.first.type, picture.problem.second.type)
    colours = theme.residues(protein)
    top = QRectF(view.left(), view.top(), view.width(), HEADER)
    left = QRectF(view.left(), view.top(), HEADER + 4, view.height())
    painter.fillRect(top, QColor(theme.panel))
    for j in range(*frame.columns):
        box = QRectF(frame.x(j - 0.5), top.top(), frame.column_width, HEADER)
        _draw_letter(painter, box, picture, 1, j, colours, theme)
    painter.fillRect(left, QColor(theme.panel))
    for i in range(*frame.rows):
        box = QRectF(left.left(), frame.y(i - 0.5), left.width(), frame.row_height)
        _draw_letter(painter, box, picture, 0, i, colours, theme)
    painter.fillRect(QRectF(left.left(), top.top(), left.width(), top.height()), QColor(theme.panel))
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.drawLine(top.bottomLeft(), top.bottomRight())
    painter.drawLine(left.topRight(), left.bottomRight())
    painter.restore()


def _draw_letter(painter, box: QRectF, what: MatrixPicture, axis: int, position: int, colours, theme: Theme) -> None:
    if not position:
        return
    letter = chr(what.problem.sequences[axis].letters[position - 1])
    if letter in colours:
        painter.fillRect(box.adjusted(1, 1, -1, -1), QColor(colours[letter]))
    hovered = what.hovered is not None and what.hovered[axis] == position
    if hovered:
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.drawRect(box.adjusted(1, 1, -1, -1))
    painter.setPen(QColor(theme.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)


def draw_grid(painter: QPainter, frame: MatrixFrame) -> None:
    """Draw lines between the visible cells."""
    area = frame.visible_area
    painter.setPen(QPen(QColor(128, 128, 128, 110), 1))
    for j in range(frame.columns[0] + 1, frame.columns[1]):
        painter.drawLine(QPointF(frame.x(j - 0.5), area.top()), QPointF(frame.x(j - 0.5), area.bottom()))
    for i in range(frame.rows[0] + 1, frame.rows[1]):
        painter.drawLine(QPointF(area.left(), frame.y(i - 0.5)), QPointF(area.right(), frame.y(i - 0.5)))


def draw_path(painter: QPainter, frame: MatrixFrame, path: set[tuple[int, int]], theme: Theme) -> None:
    """Draw frames around the cells of a path."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for i, j in path:
        cell = frame.visible_rect((i, i + 1), (j, j + 1))
        if not cell.isEmpty():
            for colour, inset, width in ((QColor(0, 0, 0, 120), 1.5, 3.0), (QColor(theme.path), 1.5, 2.0)):
                painter.setPen(QPen(colour, width))
                painter.drawRect(cell.adjusted(inset, inset, -inset, -inset))


def _draw_values(
    painter: QPainter, frame: MatrixFrame, what: MatrixPicture, path: set[tuple[int, int]], theme: Theme
) -> None:
    block, light_ink = what.block, what.light_ink
    rows = range(max(block.rows[0], frame.rows[0]), min(block.rows[1], frame.rows[1]))
    columns = range(max(block.columns[0], frame.columns[0]), min(block.columns[1], frame.columns[1]))
    sizes = value_font_sizes(frame, what, block)
    for i in rows:
        for j in columns:
            box = QRectF(frame.x(j - 0.5), frame.y(i - 0.5), frame.column_width, frame.row_height)
            place = i - block.rows[0], j - block.columns[0]
            ink = LIGHT_INK if light_ink[place] else DARK_INK
            _draw_cell(painter, box, cell_values(what, (i, j)), sizes, ink)
            if fits_arrows(frame):
                on_path = (i, j) in path
                _draw_arrow(painter, box, int(block.origin[place]), QColor(theme.path) if on_path else ink)


def value_font_sizes(frame: MatrixFrame, picture: MatrixPicture, block: MatrixCellBlock) -> tuple[int, int]:
    """Return the font sizes of H, and of E and F, in pixels; 0 if they would be unreadable."""
    widest = max(
        (result_text.format_score(picture.problem, int(value), "") for value in (block.h.min(), block.h.max())), key=len
    )
    known = block.e[block.e > result_text.MINUS_INFINITY], block.f[block.f > result_text.MINUS_INFINITY]
    bounds = [int(bound) for values in known if values.size for bound in (values.min(), values.max())]
    gaps = [result_text.format_score(picture.problem, bound, "") for bound in bounds]
    large = _fitting_font_size(
        widest, frame.column_width - (14 if fits_arrows(frame) else 4), min(0.36 * frame.row_height, 20)
    )
    small = _fitting_font_size(
        max([*gaps, "00"], key=len), frame.column_width / 2 - 5, min(0.22 * frame.row_height, 0.7 * large, 13)
    )
    return large, small


def fits_arrows(frame: MatrixFrame) -> bool:
    """Whether cells are large enough for an arrow beside the numbers."""
    return min(frame.column_width, frame.row_height) >= ARROW_PIXELS


def _fitting_font_size(text: str, width: float, largest: float) -> int:
    if largest < SMALLEST_FONT:
        return 0
    size = int(largest)
    needed = QFontMetricsF(cell_font(size, bold=True)).horizontalAdvance(text)
    size = int(min(size, size * width / max(needed, 1)))
    return size if size >= SMALLEST_FONT else 0


def _draw_cell(painter: QPainter, box: QRectF, values, sizes: tuple[int, int], ink: QColor) -> None:
    large, small = sizes
    painter.setPen(ink)
    if large:
        painter.setFont(cell_font(large, bold=True))
        share = 0.66 if small else 1.0
        painter.drawText(
            QRectF(box.left(), box.top(), box.width(), box.height() * share), Qt.AlignmentFlag.AlignCenter, values[0]
        )
    if small:
        painter.setFont(cell_font(small))
        low = QRectF(box.left() + 3, box.top(), box.width() - 6, box.height() - 3)
        painter.drawText(low, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, values[1])
        painter.drawText(low, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, values[2])


def _draw_arrow(painter: QPainter, box: QRectF, origin: int, colour: QColor) -> None:
    """Draw an arrow towards the predecessor of H."""
    if origin not in TOWARDS:
        return
    dx, dy = TOWARDS[origin]
    size = min(box.width(), box.height())
    tip = box.center() + QPointF(dx * (box.width() / 2 - 2), dy * (box.height() / 2 - 2))
    length = np.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    head = max(size * 0.09, 3)
    base = tip - QPointF(ux, uy) * head * 1.5
    wing = QPointF(-uy, ux) * head * 0.75
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(QPolygonF([tip, base + wing, base - wing]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
