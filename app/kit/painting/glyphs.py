"""Letters as grey-scale images, for pictures that are painted pixel by pixel."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QTransform

from antidiag.app import theme
from antidiag.kernels.alignments.column_statistics import CLASS_LETTER

LETTER_SHARE = 0.8  # largest share of a cell's height that its letter takes


@lru_cache(maxsize=32)
def render_glyphs(width: int, height: int) -> np.ndarray:
    """Render the letters of all classes, centred in cells of this size; uint8 (classes, height, width)."""
    font = QFont(theme.fixed_font())
    font.setPixelSize(100)
    wide, tall = QFontMetricsF(font).horizontalAdvance("M"), QFontMetricsF(font).capHeight()
    font.setPixelSize(max(1, int(min(100 * (width + 1) / wide, 100 * LETTER_SHARE * height / tall * 0.85))))
    return np.stack([_render_letter(chr(letter), font, width, height) for letter in CLASS_LETTER.tolist()])


@lru_cache(maxsize=1)
def render_tall_glyphs() -> np.ndarray:
    """Render the letters of all classes, each filling its image, uint8 (classes, 48, 32), for logos."""
    font = QFont(theme.fixed_font())
    font.setPixelSize(64)
    font.setBold(True)
    found = []
    for letter in CLASS_LETTER.tolist():
        path = QPainterPath()
        path.addText(0, 0, font, chr(letter))
        box = path.boundingRect()
        image = _blank_image(32, 48)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = QTransform.fromScale(32 / max(box.width(), 1), 48 / max(box.height(), 1))
        painter.fillPath(scale.map(path.translated(-box.left(), -box.top())), QColor("white"))
        painter.end()
        found.append(_pixel_values(image))
    return np.stack(found)


def _render_letter(letter: str, font: QFont, width: int, height: int) -> np.ndarray:
    image = _blank_image(width, height)
    painter = QPainter(image)
    painter.setFont(font)
    painter.setPen(QColor("white"))
    painter.drawText(QRectF(-width, 0, 3 * width, height), Qt.AlignmentFlag.AlignCenter, letter)
    painter.end()
    return _pixel_values(image)


def _blank_image(width: int, height: int) -> QImage:
    image = QImage(width, height, QImage.Format.Format_Grayscale8)
    image.fill(0)
    return image


def _pixel_values(image: QImage) -> np.ndarray:
    lines = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return lines[:, : image.width()].copy()
