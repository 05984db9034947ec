"""Square matrices as heat maps: colours, images and numbers of cells."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from antidiag.app.kit import ink

MAPS = {"viridis": "Viridis", "cividis": "Cividis", "magma": "Magma"}
"""Colour maps that stay in order for colour-blind eyes and in print."""
SHADES = 256
SHARE, NEARLY, SAMPLED = 0.02, 0.4, 1000
"""The share of cells at either end that may lie outside a stretched range, the part of the whole range below which it
is stretched, and rows of a matrix that are looked at for it."""
NUMBER_WIDTH, NUMBER_HEIGHT = 34.0, 15.0
"""Pixels of a cell in which a number can be read."""
NUMBER_FONT = 11
NAME_ROW, NAME_FONT = 8.0, 12.0
"""Pixels of the lowest row that has a name, and of the largest font of names."""


@cache
def colours(name: str) -> np.ndarray:
    """A colour map from the least to the greatest value, uint32 as Qt has it."""
    table = pg.colormap.get(name).getLookupTable(nPts=SHADES, alpha=False).astype(np.uint32)
    return np.uint32(0xFF000000) | table[:, 0] << 16 | table[:, 1] << 8 | table[:, 2]


def swatches(name: str, count: int = 7) -> tuple[str, ...]:
    """Some colours of a map, for a legend."""
    picked = colours(name)[np.linspace(0, SHADES - 1, count).astype(int)]
    return tuple(QColor.fromRgb(int(colour)).name() for colour in picked)


def levels(values: np.ndarray) -> tuple[float, float]:
    """The least and the greatest value of a symmetric matrix beside the diagonal; makes no copy of it."""
    rows = [values[row, :row] for row in range(1, len(values))]
    if not rows:
        return 0.0, 0.0
    return float(min(row.min() for row in rows)), float(max(row.max() for row in rows))


def stretched(values: np.ndarray) -> tuple[float, float]:
    """As `levels`, but between two quantiles where these are so close that nearly all cells would
    have one colour; of a large matrix from a sample of its rows."""
    low, high = levels(values)
    step = max(len(values) // SAMPLED, 1)
    rows = np.arange(1, len(values), step)
    some = np.concatenate([values[row, :row] for row in rows]) if rows.size else np.zeros(1)
    least, most = (float(edge) for edge in np.quantile(some, (SHARE, 1 - SHARE)))
    return (least, most) if 0 < most - least < NEARLY * (high - low) else (low, high)


def shades(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Places in a colour map, float 0 .. 255; NaN stays."""
    return np.clip((values - low) / ((high - low) or 1) * (SHADES - 1), 0, SHADES - 1)


def image(places: np.ndarray, name: str, blank: str) -> QImage:
    """An image with a pixel for each of the ``places`` that `shades` gives; NaN gets the colour ``blank``."""
    known = ~np.isnan(places)
    pixels = np.full(places.shape, QColor(blank).rgb(), np.uint32)
    pixels[known] = colours(name)[places[known].astype(np.uint8)]
    down, across = places.shape
    return QImage(pixels.tobytes(), across, down, 4 * across, QImage.Format.Format_RGB32).copy()


def draw_image(painter: QPainter, area: QRectF, picture: QImage) -> None:
    """Draw an image into an area, each pixel a sharp rectangle."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(area, picture, QRectF(picture.rect()))
    painter.restore()


def text_on(place: float, name: str) -> QColor:
    """The ink that can be read on a colour of a map."""
    return ink.on(QColor.fromRgb(int(colours(name)[int(place)])))


def has_room_for_numbers(width: float, height: float) -> bool:
    return width >= NUMBER_WIDTH and height >= NUMBER_HEIGHT


def draw_number(painter: QPainter, box: QRectF, value: float, place: float, name: str) -> None:
    """Write the value of a cell into it, in a colour that can be read."""
    painter.setPen(text_on(place, name))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, short(value))


def short(value: float) -> str:
    """A number in three digits, with a true minus."""
    return f"{value + 0.0:.3g}".replace("-", "\u2212")  # the sum makes of a negative zero one without a sign


def number_font(font: QFont) -> QFont:
    return _sized(font, NUMBER_FONT)


def name_font(font: QFont, row: float) -> QFont:
    """The font of names beside rows of this height."""
    return _sized(font, min(0.9 * max(row, NAME_ROW), NAME_FONT))


def draw_row_name(painter: QPainter, x: float, middle: float, room: float, text: str) -> None:
    """Write a name to the right of a row."""
    metrics = QFontMetricsF(painter.font())
    box = QRectF(x, middle - metrics.height(), room, 2 * metrics.height())
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


def draw_column_name(painter: QPainter, middle: float, y: float, room: float, text: str) -> None:
    """Write a name under a column, upright."""
    painter.save()
    painter.translate(middle, y)
    painter.rotate(90)
    draw_row_name(painter, 0, 0, room, text)
    painter.restore()


def _sized(font: QFont, pixels: float) -> QFont:
    sized = QFont(font)
    sized.setPixelSize(round(pixels))
    return sized
