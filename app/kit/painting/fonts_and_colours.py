"""Fonts, and text colours that are readable on a background."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtGui import QColor, QFont

from antidiag.app import theme

LIGHT_INK, DARK_INK = QColor("#ffffff"), QColor("#10141a")


def needs_light_text(lut: np.ndarray) -> np.ndarray:
    """Return for each colour of a table whether white text is more readable than black (WCAG luminance)."""
    linear = (lut[:, :3] / 255) ** 2.2
    return linear @ np.array([0.2126, 0.7152, 0.0722]) < 0.179


def text_colour_on(colour: QColor) -> QColor:
    """Return the more readable text colour on a colour."""
    light = needs_light_text(np.array([colour.getRgb()]))
    return LIGHT_INK if light[0] else DARK_INK


@lru_cache(maxsize=64)
def cell_font(pixels: int, bold: bool = False) -> QFont:
    """Return the font of letters and numbers in cells."""
    made = QFont(theme.fixed_font())
    made.setPixelSize(pixels)
    made.setBold(bold)
    return made


theme.notifier.changed.connect(cell_font.cache_clear)  # the user may have chosen another font


def resized_font(base: QFont, pixels: float, bold: bool = False) -> QFont:
    """Return a copy of a font with a height in pixels."""
    font = QFont(base)
    font.setPixelSize(max(round(pixels), 1))
    font.setBold(bold)
    return font


def mix_colours(under: QColor | str, over: QColor | str, share: float) -> QColor:
    """Return the opaque colour that has ``share`` of ``over`` and the rest of ``under``."""
    low, high = QColor(under), QColor(over)
    channels = ((low.redF(), high.redF()), (low.greenF(), high.greenF()), (low.blueF(), high.blueF()))
    return QColor.fromRgbF(*(a + (b - a) * share for a, b in channels))
