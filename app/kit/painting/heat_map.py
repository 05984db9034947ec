"""Square matrices as heat maps: colours, images and numbers of cells."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from antidiag.app.kit.painting import fonts_and_colours

# Colour maps that keep their order for colour-blind eyes and in print.
COLOUR_MAPS = {"viridis": "Viridis", "cividis": "Cividis", "magma": "Magma"}
SHADES = 256
# Share of cells at either end outside a stretched range, part of the range that calls for it, and sampled rows.
CLIPPED_SHARE, NEARLY, SAMPLED = 0.02, 0.4, 1000
NUMBER_WIDTH, NUMBER_HEIGHT = 34.0, 15.0  # pixels of a cell with a readable number
NUMBER_FONT = 11
NAME_ROW, NAME_FONT = 8.0, 12.0  # pixels of the lowest row with a name, and of the largest font


@cache
def map_colours(name: str) -> np.ndarray:
    """Return a colour map from the least to the greatest value, uint32 as Qt has it."""
    table = pg.colormap.get(name).getLookupTable(nPts=SHADES, alpha=False).astype(np.uint32)
    return np.uint32(0xFF000000) | table[:, 0] << 16 | table[:, 1] << 8 | table[:, 2]


def legend_colours(name: str) -> tuple[str, ...]:
    """Return some colours of a map for a legend."""
    picked = map_colours(name)[np.linspace(0, SHADES - 1, 7).astype(int)]
    return tuple(QColor.fromRgb(int(colour)).name() for colour in picked)


def value_range(values: np.ndarray) -> tuple[float, float]:
    """Return the least and the greatest value off the diagonal of a symmetric matrix, without a copy."""
    rows = [values[row, :row] for row in range(1, len(values))]
    if not rows:
        return 0.0, 0.0
    return float(min(row.min() for row in rows)), float(max(row.max() for row in rows))


def stretched_range(values: np.ndarray) -> tuple[float, float]:
    """Return the value range, or two quantiles if nearly all cells would share a colour; large matrices are sampled."""
    low, high = value_range(values)
    step = max(len(values) // SAMPLED, 1)
    rows = np.arange(1, len(values), step)
    some = np.concatenate([values[row, :row] for row in rows]) if rows.size else np.zeros(1)
    least, most = (float(edge) for edge in np.quantile(some, (CLIPPED_SHARE, 1 - CLIPPED_SHARE)))
    return (least, most) if 0 < most - least < NEARLY * (high - low) else (low, high)


def map_positions(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return positions in a colour map, float 0 .. 255; NaN stays."""
    return np.clip((values - low) / ((high - low) or 1) * (SHADES - 1), 0, SHADES - 1)


def render_image(places: np.ndarray, name: str, blank: str) -> QImage:
    """Return an image with a pixel for each of the ``places`` from `map_positions`; NaN gets the colour ``blank``."""
    known = ~np.isnan(places)
    pixels = np.full(places.shape, QColor(blank).rgb(), np.uint32)
    pixels[known] = map_colours(name)[places[known].astype(np.uint8)]
    down, across = places.shape
    return QImage(pixels.tobytes(), across, down, 4 * across, QImage.Format.Format_RGB32).copy()


def draw_sharp_image(painter: QPainter, area: QRectF, picture: QImage) -> None:
    """Draw an image into an area, each pixel a sharp rectangle."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(area, picture, QRectF(picture.rect()))
    painter.restore()


def text_colour(place: float, name: str) -> QColor:
    """Return the text colour that is readable on a colour of a map."""
    return fonts_and_colours.text_colour_on(QColor.fromRgb(int(map_colours(name)[int(place)])))


def fits_numbers(width: float, height: float) -> bool:
    """Return whether cells of this size have room for numbers."""
    return width >= NUMBER_WIDTH and height >= NUMBER_HEIGHT


def draw_number(painter: QPainter, box: QRectF, value: float, place: float, name: str) -> None:
    """Write the value of a cell into it, in a readable colour."""
    painter.setPen(text_colour(place, name))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, short_number(value))


def short_number(value: float) -> str:
    """Format a number with three digits and a true minus."""
    return f"{value + 0.0:.3g}".replace("-", "\u2212")  # adding 0.0 removes the sign of -0.0


def number_font(font: QFont) -> QFont:
    """Return the font of numbers in cells."""
    return fonts_and_colours.resized_font(font, NUMBER_FONT)


def name_font(font: QFont, row: float) -> QFont:
    """Return the font of names beside rows of this height."""
    return fonts_and_colours.resized_font(font, min(0.9 * max(row, NAME_ROW), NAME_FONT))


def draw_row_name(painter: QPainter, x: float, middle: float, room: float, text: str) -> None:
    """Write a name to the right of a row."""
    metrics = QFontMetricsF(painter.font())
    box = QRectF(x, middle - metrics.height(), room, 2 * metrics.height())
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


def draw_column_name(painter: QPainter, middle: float, y: float, room: float, text: str) -> None:
    """Write a name upright under a column."""
    painter.save()
    painter.translate(middle, y)
    painter.rotate(90)
    draw_row_name(painter, 0, 0, room, text)
    painter.restore()
