"""How large a tree is drawn, so that all of it is seen with its names."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtGui import QFont, QFontMetricsF

from antidiag.app.kit.tree.frame import Frame
from antidiag.app.kit.tree.layout import Layout, Shape
from antidiag.app.views.tree.labels import GAP, LARGEST, text_of
from antidiag.app.views.tree.paint import Picture
from antidiag.kernels.courtesy import in_turns

LEFT, TOP, BOTTOM = 22.0, 14.0, 30.0
"""Pixels beside a whole tree; below it is the scale bar."""
NAMES_SHARE = 0.38
"""Names take no more than this part of the width."""
ROUND_SHARE, LEAST_NAME = 0.26, 36.0
"""The same for names on one side of a round tree, and pixels that they are given at least."""
SAMPLE, HALVINGS, ROUND_MARGIN = 400, 24, 12.0
"""Names that are measured to find out how wide they are."""
COUNTED = 16
"""Letters that the number of taxa adds to the name of a collapsed clade, at most."""
LEAST_TREE = 120.0
"""Pixels of a tree beside names of any length, in a figure."""
HIGHEST_ROW = 60.0
"""Pixels of the highest row of a tree that fits the window."""


def fitting(picture: Picture, width: float, height: float, font: QFont, share: float = NAMES_SHARE) -> Frame:
    """The window that shows the whole tree, and its names, which take no more than this share of the width."""
    layout = picture.layout
    left, top, right, bottom = layout.bounds
    room = min(names_width(layout, font, picture.label_size), share * width) if picture.names else 12.0
    room += picture.offset
    if layout.straight:
        across = max(width - LEFT - room, 40) / ((right - left) or 1)
        above = TOP + (picture.beside.header(font) if picture.beside else 0.0)
        down = max(height - above - BOTTOM, 20) / ((bottom - top) or 1)
        down = min(down, HIGHEST_ROW)
        spare = max(height - above - BOTTOM - down * (bottom - top), 0) / 2
        return Frame(across, down, LEFT - left * across, above + spare - top * down, width, height)
    return _round_fit(picture, width, height, font, share)


def _round_fit(picture: Picture, width: float, height: float, font: QFont, share: float) -> Frame:
    """The largest scale at which nodes and names, sampled where they are many, are inside; found by halving."""
    layout = picture.layout
    tips = np.union1d(layout.tips[:: max(layout.tips.size // SAMPLE, 1)], long_named(layout))
    texts = np.zeros(tips.size)
    if picture.names:
        metrics = QFontMetricsF(_sized(font, picture.label_size))
        texts[:] = [metrics.horizontalAdvance(text_of(layout, tip)) for tip in tips.tolist()]
    most = min(width, height) * (min(share, ROUND_SHARE) if share < 1 else 1.0) - picture.offset / 2
    texts = np.minimum(texts, max(most, LEAST_NAME)) + GAP + ROUND_MARGIN + picture.offset
    along = np.full(tips.size, layout.far[0]) if picture.in_column and layout.shape == Shape.CIRCULAR else None
    cos, sin = np.cos(layout.angle[tips]), np.sin(layout.angle[tips])
    beyond = np.where(layout.collapsed[tips], layout.reach[tips], 0.0)
    x = layout.x[tips] + beyond * cos if along is None else along * cos
    y = layout.y[tips] + beyond * sin if along is None else along * sin
    left, top, right, bottom = layout.bounds
    low, high = 0.0, min(width, height) / (max(right - left, bottom - top) or 1) * 2
    for _ in range(HALVINGS):
        scale = (low + high) / 2
        spans = [(scale * at + texts * direction) for at, direction in ((x, cos), (y, sin))]
        inside = np.ptp(spans[0]) <= width and np.ptp(spans[1]) <= height
        low, high = (scale, high) if inside else (low, scale)
    scale = low
    ends = scale * x + texts * cos, scale * y + texts * sin
    middle = width / 2 - (ends[0].min() + ends[0].max()) / 2, height / 2 - (ends[1].min() + ends[1].max()) / 2
    return Frame(scale, scale, float(middle[0]), float(middle[1]), width, height)


def names_width(layout: Layout, font: QFont, pixels: float = LARGEST) -> float:
    """Pixels that the widest name beside the tree takes, in a font of this size."""
    metrics = QFontMetricsF(_sized(font, pixels))
    widest = max((metrics.horizontalAdvance(text_of(layout, tip)) for tip in long_named(layout).tolist()), default=0.0)
    return widest + GAP + 10


@lru_cache(maxsize=2)
def long_named(layout: Layout) -> np.ndarray:
    """The tips with the longest names, among which is the widest."""
    names = layout.tree.names
    sizes = np.fromiter((len(name) for name in in_turns(names)), np.int64, len(names))
    letters = sizes[layout.tips] + COUNTED * layout.collapsed[layout.tips]
    return layout.tips[np.argsort(-letters, kind="stable")[:SAMPLE]]


def _sized(font: QFont, pixels: float) -> QFont:
    sized = QFont(font)
    sized.setPixelSize(round(pixels))
    return sized
