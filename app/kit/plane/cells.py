"""The matrix at the level of single cells: values, letters, where each value comes from."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from antidiag.app.kit import result_text
from antidiag.app.kit.ink import DARK_INK, LIGHT_INK, font
from antidiag.app.kit.plane.data import FROM_ABOVE, FROM_DIAGONAL, FROM_LEFT, CellBlock
from antidiag.app.kit.plane.picture import Frame, Picture
from antidiag.app.theme import Theme
from antidiag.kernels.model import SequenceType
from antidiag.kernels.pairwise.model import PairProblem

HEADER = 22
SMALLEST_FONT, EASY_FONT = 8, 11
LEAST_EASY = 56
TOWARDS = {FROM_DIAGONAL: (-1, -1), FROM_ABOVE: (0, -1), FROM_LEFT: (-1, 0)}
ARROWS_FROM = 34


def draw(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    """Grid, values, arrows and path of the visible cells."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    draw_grid(painter, frame)
    path: set[tuple[int, int]] = set()
    if what.path is not None and "path" in what.layers:
        path = {(i, j) for i, j in what.path.sample(frame.rows, frame.columns).tolist()}
        draw_path(painter, frame, path, theme)
    if what.block is not None and what.light_ink is not None:
        _draw_values(painter, frame, what, what.block, what.light_ink, path, theme)
    painter.restore()


def value_texts(what: Picture, cell: tuple[int, int]) -> tuple[str, str, str] | None:
    """H, E and F of a cell as they are printed, or None while they are not known."""
    block = what.block
    if block is None or not block.holds((cell[0], cell[0] + 1), (cell[1], cell[1] + 1)):
        return None
    h, e, f = (result_text.score(what.problem, value, separator="") for value in block.at(cell))
    return h, e, f


def comfortable_size(problem: PairProblem, largest: int) -> float:
    """Pixels of a cell in which H, E and F up to ``largest`` in size, and the letters, are read with ease."""
    text = result_text.score(problem, -largest, separator="")
    return max(2 * QFontMetricsF(font(EASY_FONT)).horizontalAdvance(text) + 12, LEAST_EASY)


def draw_headers(painter: QPainter, frame: Frame, view: QRectF, what: Picture, theme: Theme) -> None:
    """The letters of both sequences along the upper and left edge of the ``view``, which stay when it moves."""
    painter.save()
    painter.setFont(font(13, bold=True))
    protein = SequenceType.PROTEIN in (what.problem.first.type, what.problem.second.type)
    colours = theme.residues(protein)
    top = QRectF(view.left(), view.top(), view.width(), HEADER)
    left = QRectF(view.left(), view.top(), HEADER + 4, view.height())
    painter.fillRect(top, QColor(theme.panel))
    for j in range(*frame.columns):
        box = QRectF(frame.x(j - 0.5), top.top(), frame.width, HEADER)
        _draw_letter(painter, box, what, 1, j, colours, theme)
    painter.fillRect(left, QColor(theme.panel))
    for i in range(*frame.rows):
        box = QRectF(left.left(), frame.y(i - 0.5), left.width(), frame.height)
        _draw_letter(painter, box, what, 0, i, colours, theme)
    painter.fillRect(QRectF(left.left(), top.top(), left.width(), top.height()), QColor(theme.panel))
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.drawLine(top.bottomLeft(), top.bottomRight())
    painter.drawLine(left.topRight(), left.bottomRight())
    painter.restore()


def _draw_letter(painter, box: QRectF, what: Picture, axis: int, position: int, colours, theme: Theme) -> None:
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


def draw_grid(painter: QPainter, frame: Frame) -> None:
    """Lines between the visible cells."""
    area = frame.area
    painter.setPen(QPen(QColor(128, 128, 128, 110), 1))
    for j in range(frame.columns[0] + 1, frame.columns[1]):
        painter.drawLine(QPointF(frame.x(j - 0.5), area.top()), QPointF(frame.x(j - 0.5), area.bottom()))
    for i in range(frame.rows[0] + 1, frame.rows[1]):
        painter.drawLine(QPointF(area.left(), frame.y(i - 0.5)), QPointF(area.right(), frame.y(i - 0.5)))


def draw_path(painter: QPainter, frame: Frame, path: set[tuple[int, int]], theme: Theme) -> None:
    """Frames around the cells of a path."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for i, j in path:
        cell = frame.rect((i, i + 1), (j, j + 1))
        if not cell.isEmpty():
            for colour, inset, width in ((QColor(0, 0, 0, 120), 1.5, 3.0), (QColor(theme.path), 1.5, 2.0)):
                painter.setPen(QPen(colour, width))
                painter.drawRect(cell.adjusted(inset, inset, -inset, -inset))


def _draw_values(
    painter: QPainter,
    frame: Frame,
    what: Picture,
    block: CellBlock,
    light_ink: np.ndarray,
    path: set[tuple[int, int]],
    theme: Theme,
) -> None:
    rows = range(max(block.rows[0], frame.rows[0]), min(block.rows[1], frame.rows[1]))
    columns = range(max(block.columns[0], frame.columns[0]), min(block.columns[1], frame.columns[1]))
    sizes = font_sizes(frame, what, block)
    for i in rows:
        for j in columns:
            box = QRectF(frame.x(j - 0.5), frame.y(i - 0.5), frame.width, frame.height)
            place = i - block.rows[0], j - block.columns[0]
            ink = LIGHT_INK if light_ink[place] else DARK_INK
            _draw_cell(painter, box, value_texts(what, (i, j)), sizes, ink)
            if room_for_arrows(frame):
                on_path = (i, j) in path
                _draw_arrow(painter, box, int(block.origin[place]), QColor(theme.path) if on_path else ink)


def font_sizes(frame: Frame, what: Picture, block: CellBlock) -> tuple[int, int]:
    """Pixel sizes of the fonts of H, and of E and F; 0 where they would be too small to read."""
    widest = max((result_text.score(what.problem, int(value), "") for value in (block.h.min(), block.h.max())), key=len)
    known = block.e[block.e > result_text.MINUS_INFINITY], block.f[block.f > result_text.MINUS_INFINITY]
    gaps = [
        result_text.score(what.problem, int(bound), "")
        for values in known
        if values.size
        for bound in (values.min(), values.max())
    ]
    large = _fitting(widest, frame.width - (14 if room_for_arrows(frame) else 4), min(0.36 * frame.height, 20))
    small = _fitting(max([*gaps, "00"], key=len), frame.width / 2 - 5, min(0.22 * frame.height, 0.7 * large, 13))
    return large, small


def room_for_arrows(frame: Frame) -> bool:
    """Whether cells are large enough for an arrow beside their numbers."""
    return min(frame.width, frame.height) >= ARROWS_FROM


def _fitting(text: str, width: float, largest: float) -> int:
    if largest < SMALLEST_FONT:
        return 0
    size = int(largest)
    needed = QFontMetricsF(font(size, bold=True)).horizontalAdvance(text)
    size = int(min(size, size * width / max(needed, 1)))
    return size if size >= SMALLEST_FONT else 0


def _draw_cell(painter: QPainter, box: QRectF, values, sizes: tuple[int, int], ink: QColor) -> None:
    large, small = sizes
    painter.setPen(ink)
    if large:
        painter.setFont(font(large, bold=True))
        share = 0.66 if small else 1.0
        painter.drawText(
            QRectF(box.left(), box.top(), box.width(), box.height() * share), Qt.AlignmentFlag.AlignCenter, values[0]
        )
    if small:
        painter.setFont(font(small))
        low = QRectF(box.left() + 3, box.top(), box.width() - 6, box.height() - 3)
        painter.drawText(low, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, values[1])
        painter.drawText(low, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, values[2])


def _draw_arrow(painter: QPainter, box: QRectF, origin: int, colour: QColor) -> None:
    """A small arrow from the cell towards the neighbour that its H comes from."""
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
