"""Sequence logos: the letters of columns, as high as their information, drawn as outlines."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QTransform

from antidiag.app import theme
from antidiag.app.kit.painting.fonts_and_colours import cell_font
from antidiag.kernels.model import SequenceType

OUTLINE_PIXELS = 200  # pixels of the font whose outlines are scaled
SMALLEST = 3
LEAST_HEIGHT = 0.6  # height in pixels below which a letter is left out


def draw_logo(
    painter: QPainter, boxes: list[QRectF], heights: np.ndarray, most: float, letters: str, protein: bool
) -> None:
    """Draw the columns of a logo into boxes; ``heights`` are (letters, columns), of which ``most`` fills a box."""
    shades = letter_colours(letters, protein)
    for box, column in zip(boxes, heights.T, strict=True):
        if box.width() > 0:
            _draw_stack(painter, box, column * (box.height() / most), letters, shades)


def draw_sideways_logo(
    painter: QPainter, boxes: list[QRectF], heights: np.ndarray, most: float, letters: str, protein: bool
) -> None:
    """Draw a logo of rows: the letters of each lie side by side at the right of its box."""
    shades = letter_colours(letters, protein)
    for box, column in zip(boxes, heights.T, strict=True):
        right = box.right()
        for place in np.argsort(column, kind="stable").tolist():
            width = float(column[place]) * box.width() / most
            if width >= LEAST_HEIGHT:
                right -= width
                _draw_letter(painter, QRectF(right, box.top(), width, box.height()), letters[place], shades)


def letter_colours(letters: str, protein: bool) -> dict[str, QColor]:
    """Return stronger variants of the residue colours."""
    active = theme.active()
    known = active.residues(protein)
    strong = {letter: QColor(known.get(letter, active.muted)) for letter in letters}
    return {
        letter: colour.darker(150) if active.name == "light" else colour.lighter(165)
        for letter, colour in strong.items()
    }


def is_protein(kind: SequenceType) -> bool:
    """Return whether a type of letters is protein."""
    return kind == SequenceType.PROTEIN


def _draw_stack(painter: QPainter, box: QRectF, heights: np.ndarray, letters: str, shades: dict[str, QColor]) -> None:
    """Draw the letters of a column, the highest on top."""
    bottom = box.bottom()
    for place in np.argsort(heights, kind="stable").tolist():
        height = float(heights[place])
        if height < LEAST_HEIGHT:
            continue
        bottom -= height
        _draw_letter(painter, QRectF(box.left(), bottom, box.width(), height), letters[place], shades)


def _draw_letter(painter: QPainter, area: QRectF, letter: str, shades: dict[str, QColor]) -> None:
    """Draw a letter that fills an area, or its colour alone where it is too small."""
    if min(area.width(), area.height()) < SMALLEST:
        painter.fillRect(area, shades[letter])
    else:
        painter.fillPath(_unit_to_area(area).map(_letter_outline(letter)), shades[letter])


def _unit_to_area(area: QRectF) -> QTransform:
    """Return the transform from the unit square into an area with a small margin."""
    room = min(0.04 * area.width(), 0.6)
    return QTransform(area.width() - 2 * room, 0, 0, area.height(), area.left() + room, area.top())


@lru_cache(maxsize=128)
def _letter_outline(letter: str) -> QPainterPath:
    """Return a letter that fills the unit square."""
    path = QPainterPath()
    path.addText(0, 0, cell_font(OUTLINE_PIXELS, bold=True), letter)
    bounds = path.boundingRect()
    scale = QTransform.fromTranslate(-bounds.left(), -bounds.top())
    scale *= QTransform.fromScale(1 / max(bounds.width(), 1), 1 / max(bounds.height(), 1))
    return scale.map(path)
