"""Letters as small pictures of how much ink each pixel takes, for pictures that are painted a pixel at a time."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QTransform

from antidiag.app import theme
from antidiag.kernels.io.aligned_columns import LETTER

SHARE = 0.8
"""Of the height of a cell, what its letter takes at most."""


@lru_cache(maxsize=32)
def glyphs(width: int, height: int) -> np.ndarray:
    """The letters of all classes, centred in cells of so many pixels, uint8 (classes, height, width)."""
    font = QFont(theme.fixed_font())
    font.setPixelSize(100)
    wide, tall = QFontMetricsF(font).horizontalAdvance("M"), QFontMetricsF(font).capHeight()
    font.setPixelSize(max(1, int(min(100 * (width + 1) / wide, 100 * SHARE * height / tall * 0.85))))
    return np.stack([_drawn(chr(letter), font, width, height) for letter in LETTER.tolist()])


@lru_cache(maxsize=1)
def tall_glyphs() -> np.ndarray:
    """The letters of all classes, each filling its whole picture, uint8 (classes, 48, 32), for logos."""
    font = QFont(theme.fixed_font())
    font.setPixelSize(64)
    font.setBold(True)
    found = []
    for letter in LETTER.tolist():
        path = QPainterPath()
        path.addText(0, 0, font, chr(letter))
        box = path.boundingRect()
        image = _blank(32, 48)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = QTransform.fromScale(32 / max(box.width(), 1), 48 / max(box.height(), 1))
        painter.fillPath(scale.map(path.translated(-box.left(), -box.top())), QColor("white"))
        painter.end()
        found.append(_values(image))
    return np.stack(found)


def _drawn(letter: str, font: QFont, width: int, height: int) -> np.ndarray:
    image = _blank(width, height)
    painter = QPainter(image)
    painter.setFont(font)
    painter.setPen(QColor("white"))
    painter.drawText(QRectF(-width, 0, 3 * width, height), Qt.AlignmentFlag.AlignCenter, letter)
    painter.end()
    return _values(image)


def _blank(width: int, height: int) -> QImage:
    image = QImage(width, height, QImage.Format.Format_Grayscale8)
    image.fill(0)
    return image


def _values(image: QImage) -> np.ndarray:
    lines = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return lines[:, : image.width()].copy()
