"""Draws computed pixels in bands, so that other threads run between them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import ceil, floor

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPaintEngine, QPainter

from antidiag.app.kit.painting.saved_painter import saved_painter_state

VECTOR_ENGINES = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf)
MAX_VECTOR_PIXELS = 1 << 14
"""Pixels drawn at once into SVG or PDF. Qt encodes them in 2 ms while it holds the interpreter lock, and painting the
window meanwhile waits for it ten times."""
MAX_RASTER_PIXELS = 1 << 18
"""Pixels drawn at once into an image, which is faster."""
OVERLAP_LINES = 2
"""Lines that a band reaches under the next one, so that no background shows between them."""

ProgressReport = Callable[[int, int], None]
"""Takes progress (done, total); may raise to cancel."""


def ignore_progress(done: int, total: int) -> None:
    """Ignore progress."""


def partial_report(report: ProgressReport, part: int, parts: int) -> ProgressReport:
    """Return a function that reports the progress of one of several equal parts."""
    return lambda done, total: report(part * total + done, parts * total)


def wrap_image(pixels: np.ndarray) -> QImage:
    """Return an image over these pixels, uint32 (height, width), without a copy."""
    height, width = pixels.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)


def draw_pixels(painter: QPainter, box: QRectF, pixels: np.ndarray, report: ProgressReport = ignore_progress) -> None:
    """Draw pixels into a box in bands, because Qt holds the interpreter lock while it draws."""
    (_draw_vector_bands if painter.paintEngine().type() in VECTOR_ENGINES else _draw_raster_bands)(
        painter, box, pixels, report
    )


def _draw_vector_bands(painter: QPainter, box: QRectF, pixels: np.ndarray, report: ProgressReport) -> None:
    """Draw into SVG or PDF, each band as an image of its own."""
    lines = pixels.shape[0]
    band = max(MAX_VECTOR_PIXELS // pixels.shape[1], 2 * OVERLAP_LINES)
    if lines <= band:
        painter.drawImage(box, wrap_image(pixels))
        return
    each = box.height() / lines
    for top in range(0, lines, band):
        report(top, lines)
        part = pixels[top : top + band + OVERLAP_LINES]
        painter.drawImage(QRectF(box.x(), box.y() + top * each, box.width(), len(part) * each), wrap_image(part))


def _draw_raster_bands(painter: QPainter, box: QRectF, pixels: np.ndarray, report: ProgressReport) -> None:
    """Draw into an image: the whole once per band, clipped to it, so that bands meet without seams."""
    image, to_device = wrap_image(pixels), painter.deviceTransform()
    painted = to_device.mapRect(box)
    bands = ceil(painted.width() * painted.height() / MAX_RASTER_PIXELS)
    if bands <= 1:
        painter.drawImage(box, image)
        return
    edges = np.linspace(floor(painted.top()), ceil(painted.bottom()), bands + 1).round()
    to_painter, _ = to_device.inverted()
    for number, (top, bottom) in enumerate(pairwise(edges.tolist())):
        report(number, bands)
        with saved_painter_state(painter):
            band = QRectF(floor(painted.left()), top, ceil(painted.width()) + 1, bottom - top)
            painter.setClipRect(to_painter.mapRect(band), Qt.ClipOperation.IntersectClip)
            painter.drawImage(box, image)
