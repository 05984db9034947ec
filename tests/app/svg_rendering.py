"""Compares an SVG figure, drawn by two programs, with the same figure as an image."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QByteArray, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from antidiag.app import theme
from antidiag.app.kit.figures import export

DIFFERENT = 96
"""Difference of a colour above which a pixel counts as different: edges of letters are smoothed differently."""
SHARE = 0.01
"""Usual largest share of pixels that may be different."""
TILE, MARGIN = 48, 60
"""Pixels of a side of a tile, and those by which it may differ: a thin line may lie on one row of pixels or on two."""


def assert_svg_is_the_image(size: QSize, draw: export.Draw, share: float = SHARE) -> str:
    """Fail unless Qt and resvg draw the SVG of a figure as Qt paints the figure; return the SVG.

    ``share`` of the pixels may be different.
    """
    resvg = pytest.importorskip("resvg_py")
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    export.encode_svg(buffer, size, draw, "a figure", None)
    text = bytes(buffer.data().data()).decode()
    wanted = _pixels(export.render_image(size, draw, 1))
    by_resvg = QImage.fromData(QByteArray(bytes(resvg.svg_to_bytes(svg_string=text, dpi=96))), "PNG")
    assert by_resvg.size() == size
    for name, found in (("Qt", _drawn_by_qt(text, size)), ("resvg", by_resvg)):
        _assert_alike(name, wanted, _pixels(found), share)
    return text


def _drawn_by_qt(text: str, size: QSize) -> QImage:
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.active().panel))
    painter = QPainter(image)
    QSvgRenderer(QByteArray(text.encode())).render(painter)
    painter.end()
    return image


def _pixels(image: QImage) -> np.ndarray:
    """Return the colours of an image, int16, shape (height, width, 3)."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    whole = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return whole[:, : 4 * plain.width()].reshape(plain.height(), plain.width(), 4)[:, :, :3].astype(np.int16)


def _assert_alike(name: str, wanted: np.ndarray, found: np.ndarray, share: float) -> None:
    """Compare all pixels, and whether each tile with drawing has about as much of it."""
    different = np.abs(wanted - found).max(axis=2) > DIFFERENT
    assert different.mean() <= share, f"{name}: {100 * different.mean():.1f} % of the pixels are different"
    background = wanted[0, 0]
    for top in range(0, wanted.shape[0], TILE):
        for left in range(0, wanted.shape[1], TILE):
            part = np.s_[top : top + TILE, left : left + TILE]
            inked = [int((np.abs(image[part] - background).max(axis=2) > 40).sum()) for image in (wanted, found)]
            assert inked[1] >= inked[0] / 2 - MARGIN, f"{name}: {inked} pixels are drawn at {left}, {top}"
            assert inked[1] <= 2 * inked[0] + MARGIN, f"{name}: {inked} pixels are drawn at {left}, {top}"
