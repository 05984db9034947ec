"""Sequence logos: the letters of columns on top of each other, as high as they tell, drawn as outlines."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QTransform

from antidiag.app import theme
from antidiag.app.kit.ink import font
from antidiag.kernels.model import SequenceType

GLYPH = 200
"""Pixels of the font whose outlines are stretched."""
SMALLEST = 3
LEAST = 0.6
"""Pixels of the height below which a letter is left out."""


def draw(painter: QPainter, boxes: list[QRectF], heights: np.ndarray, most: float, letters: str, protein: bool) -> None:
    """The columns of a logo, each in its box; ``heights`` are (letters, columns), of which ``most`` fills a box."""
    shades = colours(letters, protein)
    for box, column in zip(boxes, heights.T, strict=True):
        if box.width() > 0:
            _stack(painter, box, column * (box.height() / most), letters, shades)


def draw_aside(
    painter: QPainter, boxes: list[QRectF], heights: np.ndarray, most: float, letters: str, protein: bool
) -> None:
    """As `draw`, of columns below each other: their letters lie on the right, one beside the other."""
    shades = colours(letters, protein)
    for box, column in zip(boxes, heights.T, strict=True):
        right = box.right()
        for place in np.argsort(column, kind="stable").tolist():
            width = float(column[place]) * box.width() / most
            if width >= LEAST:
                right -= width
                _letter(painter, QRectF(right, box.top(), width, box.height()), letters[place], shades)


def colours(letters: str, protein: bool) -> dict[str, QColor]:
    """Colours of letters on the panel: those of the residues, stronger."""
    active = theme.active()
    known = active.residues(protein)
    strong = {letter: QColor(known.get(letter, active.muted)) for letter in letters}
    return {
        letter: colour.darker(150) if active.name == "light" else colour.lighter(165)
        for letter, colour in strong.items()
    }


def is_protein(kind: SequenceType) -> bool:
    return kind == SequenceType.PROTEIN


def _stack(painter: QPainter, box: QRectF, heights: np.ndarray, letters: str, shades: dict[str, QColor]) -> None:
    """The letters of a column, the highest on top."""
    bottom = box.bottom()
    for place in np.argsort(heights, kind="stable").tolist():
        height = float(heights[place])
        if height < LEAST:
            continue
        bottom -= height
        _letter(painter, QRectF(box.left(), bottom, box.width(), height), letters[place], shades)


def _letter(painter: QPainter, area: QRectF, letter: str, shades: dict[str, QColor]) -> None:
    """A letter that fills an area; its colour alone where that is too small."""
    if min(area.width(), area.height()) < SMALLEST:
        painter.fillRect(area, shades[letter])
    else:
        painter.fillPath(_into(area).map(_outline(letter)), shades[letter])


def _into(area: QRectF) -> QTransform:
    """From the unit square into an area, with a hair of room between columns."""
    room = min(0.04 * area.width(), 0.6)
    return QTransform(area.width() - 2 * room, 0, 0, area.height(), area.left() + room, area.top())


@lru_cache(maxsize=128)
def _outline(letter: str) -> QPainterPath:
    """A letter that fills the unit square."""
    path = QPainterPath()
    path.addText(0, 0, font(GLYPH, bold=True), letter)
    bounds = path.boundingRect()
    scale = QTransform.fromTranslate(-bounds.left(), -bounds.top())
    scale *= QTransform.fromScale(1 / max(bounds.width(), 1), 1 / max(bounds.height(), 1))
    return scale.map(path)
