"""Pixels that were computed, as pictures that a painter draws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPaintEngine, QPainter

DRAWINGS = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf)
MOST_AT_ONCE = 1 << 16
"""Pixels that go into a drawing at once: it encodes them while no other thread has the interpreter, some 10 ms."""
OVERLAP = 2
"""Lines that a band reaches under the next one, so that no background shines through where they meet."""

Told = Callable[[int, int], None]
"""Hears now and then how much is done, of how much, and may raise."""


def quiet(done: int, total: int) -> None:
    """Hear nothing."""


def part_of(told: Told, part: int, parts: int) -> Told:
    """Tells ``told`` of one of so many parts of what is done."""
    return lambda done, total: told(part * total + done, parts * total)


def as_image(pixels: np.ndarray) -> QImage:
    """A picture over these very pixels, uint32 (height, width)."""
    height, width = pixels.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)


def draw(painter: QPainter, box: QRectF, pixels: np.ndarray, told: Told = quiet) -> None:
    """Draw pixels into a box; into a drawing in bands, so that the window's thread is not held up for long."""
    lines = pixels.shape[0]
    band = max(MOST_AT_ONCE // pixels.shape[1], 2 * OVERLAP)
    if lines <= band or painter.paintEngine().type() not in DRAWINGS:
        painter.drawImage(box, as_image(pixels))
        return
    each = box.height() / lines
    for top in range(0, lines, band):
        told(top, lines)
        part = pixels[top : top + band + OVERLAP]
        painter.drawImage(QRectF(box.x(), box.y() + top * each, box.width(), len(part) * each), as_image(part))
