"""The scale at which the whole tree is visible with its names."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtGui import QFont, QFontMetricsF

from antidiag.app.kit.painting.fonts_and_colours import resized_font
from antidiag.app.kit.tree.visible_branches import TreeFrame
from antidiag.app.views.tree.tip_labels import GAP, LARGEST, tip_text
from antidiag.app.views.tree.tree_painter import TreePicture
from antidiag.kernels.trees.tree_layout import TreeLayout, TreeShape

LEFT, TOP, BOTTOM = 22.0, 14.0, 30.0  # pixels beside a whole tree; the scale bar is below it
NAMES_SHARE = 0.38  # largest part of the width for names
ROUND_SHARE, LEAST_NAME = 0.26, 36.0  # part of the width for names beside a round tree, and their least pixels
SAMPLE, HALVINGS, ROUND_MARGIN = 400, 24, 12.0  # names that are measured to find the widest
COUNTED = 16  # letters that the number of taxa adds to the name of a collapsed clade
LEAST_TREE = 120.0  # pixels of a tree beside long names in a figure
HIGHEST_ROW = 60.0  # pixels of the highest row of a tree that fits the window


def fit_tree(picture: TreePicture, width: float, height: float, font: QFont, share: float = NAMES_SHARE) -> TreeFrame:
    """Return the window that shows the whole tree; names take at most ``share`` of the width."""
    layout = picture.layout
    left, top, right, bottom = layout.bounds
    room = min(longest_name_width(layout, font, picture.label_size), share * width) if picture.names else 12.0
    room += picture.names_offset
    if layout.is_straight:
        across = max(width - LEFT - room, 40) / ((right - left) or 1)
        above = TOP + (picture.shown_columns.header_height(font) if picture.shown_columns else 0.0)
        down = max(height - above - BOTTOM, 20) / ((bottom - top) or 1)
        down = min(down, HIGHEST_ROW)
        spare = max(height - above - BOTTOM - down * (bottom - top), 0) / 2
        return TreeFrame(across, down, LEFT - left * across, above + spare - top * down, width, height)
    return _fit_round_tree(picture, width, height, font, share)


def _fit_round_tree(picture: TreePicture, width: float, height: float, font: QFont, share: float) -> TreeFrame:
    """Return the largest scale at which sampled nodes and names are inside, by bisection."""
    layout = picture.layout
    tips = np.union1d(layout.tips[:: max(layout.tips.size // SAMPLE, 1)], longest_named_tips(layout))
    texts = np.zeros(tips.size)
    if picture.names:
        metrics = QFontMetricsF(resized_font(font, picture.label_size))
        texts[:] = [metrics.horizontalAdvance(tip_text(layout, tip)) for tip in tips.tolist()]
    most = min(width, height) * (min(share, ROUND_SHARE) if share < 1 else 1.0) - picture.names_offset / 2
    texts = np.minimum(texts, max(most, LEAST_NAME)) + GAP + ROUND_MARGIN + picture.names_offset
    along = np.full(tips.size, layout.far[0]) if picture.aligns_names and layout.shape == TreeShape.CIRCULAR else None
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
    return TreeFrame(scale, scale, float(middle[0]), float(middle[1]), width, height)


def longest_name_width(layout: TreeLayout, font: QFont, pixels: float = LARGEST) -> float:
    """Return the pixels of the widest name beside the tree in a font of this size."""
    metrics = QFontMetricsF(resized_font(font, pixels))
    widest = max(
        (metrics.horizontalAdvance(tip_text(layout, tip)) for tip in longest_named_tips(layout).tolist()), default=0.0
    )
    return widest + GAP + 10


@lru_cache(maxsize=2)
def longest_named_tips(layout: TreeLayout) -> np.ndarray:
    """Return the tips with the longest names."""
    names = layout.tree.names
    sizes = np.fromiter((len(name) for name in names), np.int64, len(names))
    letters = sizes[layout.tips] + COUNTED * layout.collapsed[layout.tips]
    return layout.tips[np.argsort(-letters, kind="stable")[:SAMPLE]]
