"""Pixels that were computed, as pictures that a painter draws."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import ceil, floor

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPaintEngine, QPainter

from antidiag.app.kit.saved_painter import saved

DRAWINGS = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf)
MOST_AT_ONCE = 1 << 14
"""Pixels that go into a drawing at once: it encodes them while no other thread has the interpreter, some 2 ms, and a
window that is painted meanwhile waits for it ten times."""
MOST_PAINTED = 1 << 18
"""Pixels that are painted at once into a picture, which takes less."""
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
    """Draw pixels into a box in bands, as no other thread has the interpreter while Qt draws."""
    (_draw_apart if painter.paintEngine().type() in DRAWINGS else _draw_clipped)(painter, box, pixels, told)


def _draw_apart(painter: QPainter, box: QRectF, pixels: np.ndarray, told: Told) -> None:
    """Draw into a drawing, every band as a picture of its own."""
    lines = pixels.shape[0]
    band = max(MOST_AT_ONCE // pixels.shape[1], 2 * OVERLAP)
    if lines <= band:
        painter.drawImage(box, as_image(pixels))
        return
    each = box.height() / lines
    for top in range(0, lines, band):
        told(top, lines)
        part = pixels[top : top + band + OVERLAP]
        painter.drawImage(QRectF(box.x(), box.y() + top * each, box.width(), len(part) * each), as_image(part))


def _draw_clipped(painter: QPainter, box: QRectF, pixels: np.ndarray, told: Told) -> None:
    """Draw into a picture: all for every band, clipped to it, so that nobody sees where bands meet."""
    image, to_device = as_image(pixels), painter.deviceTransform()
    painted = to_device.mapRect(box)
    bands = ceil(painted.width() * painted.height() / MOST_PAINTED)
    if bands <= 1:
        painter.drawImage(box, image)
        return
    edges = np.linspace(floor(painted.top()), ceil(painted.bottom()), bands + 1).round()
    to_painter, _ = to_device.inverted()
    for number, (top, bottom) in enumerate(pairwise(edges.tolist())):
        told(number, bands)
        with saved(painter):
            band = QRectF(floor(painted.left()), top, ceil(painted.width()) + 1, bottom - top)
            painter.setClipRect(to_painter.mapRect(band), Qt.ClipOperation.IntersectClip)
            painter.drawImage(box, image)
