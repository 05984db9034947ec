"""Letters and numbers on colours: which ink can be read, and in which font."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtGui import QColor, QFont

from antidiag.app import theme

LIGHT_INK, DARK_INK = QColor("#ffffff"), QColor("#10141a")


def needs_light_ink(lut: np.ndarray) -> np.ndarray:
    """For each colour of a table, whether white letters stand out more than black ones; by WCAG's luminance."""
    linear = (lut[:, :3] / 255) ** 2.2
    return linear @ np.array([0.2126, 0.7152, 0.0722]) < 0.179


def on(colour: QColor) -> QColor:
    """The ink that stands out more on a colour."""
    light = needs_light_ink(np.array([colour.getRgb()]))
    return LIGHT_INK if light[0] else DARK_INK


@lru_cache(maxsize=64)
def font(pixels: int, bold: bool = False) -> QFont:
    """The font of letters and numbers in cells."""
    made = QFont(theme.fixed_font())
    made.setPixelSize(pixels)
    made.setBold(bold)
    return made
