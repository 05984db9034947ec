"""What the legend under the matrix says: only what is drawn just now."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from app import theme
from app.views import matrix_cells, matrix_layers, texts
from app.views.matrix_data import Levels
from app.views.matrix_layers import Frame, Picture
from app.views.pieces import LegendItem

SHADES = 9
BEHIND = "#440154"
"""The darkest colour of the usual map, behind the swatch of the strip borders, which are white."""


def items(picture: Picture, frame: Frame, levels: Levels | None, colour_map: str) -> tuple[LegendItem, ...]:
    """Swatches and words for the layers that are on; ``levels`` are the scores at both ends of the colours."""
    colours, on = theme.active(), picture.layers
    found = [_scores(picture, levels, colour_map)] if levels else []
    if "path" in on and picture.path is not None and picture.path.length:
        found.append(LegendItem("line", "path", (colours.path,)))
    if picture.strip_width:
        found += _strips(picture, frame)
    if "recomputed" in on and len(picture.recomputed):
        found.append(LegendItem("outline", "computed again in phase 3", (colours.recomputed,)))
    if frame.shows_cells and picture.block is not None:
        found.append(LegendItem("text", _cell_words(picture, frame)))
    return tuple(found)


def _cell_words(picture: Picture, frame: Frame) -> str:
    _, small = matrix_cells.font_sizes(frame, picture, picture.block)
    words = ["large: H; below: E (left), F (right)" if small else "number: H; zoom in for E and F"]
    if matrix_cells.room_for_arrows(frame):
        words.append("arrow: where H comes from")
    return "; ".join(words)


def _scores(picture: Picture, levels: Levels, colour_map: str) -> LegendItem:
    low, high, root = levels
    shades = pg.colormap.get(colour_map).map(np.linspace(0, 1, SHADES), mode="qcolor")
    ends = f"H {texts.score(picture.problem, int(low))} to {texts.score(picture.problem, int(high))}"
    return LegendItem("gradient", ends + (" (square root)" if root else ""), tuple(shade.name() for shade in shades))


def _strips(picture: Picture, frame: Frame) -> list[LegendItem]:
    spacing = matrix_layers.strip_spacing(frame, picture)
    colours, found = theme.active(), []
    if "strips" in picture.layers:
        far = " (zoom in)" if spacing < matrix_layers.DENSEST_STRIPS else ""
        unit = "rows" if picture.problem.swapped else "columns"
        words = f"strip border, every {picture.strip_width:,} {unit}{far}"
        found.append(LegendItem("line", words, (colours.strip, BEHIND)))
    if "boundaries" in picture.layers and spacing >= matrix_layers.DENSEST_BOUNDARIES:
        found.append(LegendItem("fill", "boundary kept in memory", (colours.boundary,)))
    if "chunks" in picture.layers and picture.chunk_height:
        far = " (zoom in)" if matrix_layers.chunk_spacing(frame, picture) < matrix_layers.DENSEST_STRIPS else ""
        unit = "columns" if picture.problem.swapped else "rows"
        words = f"chunk border, every {picture.chunk_height:,} {unit}{far}"
        found.append(LegendItem("dots", words, (colours.strip, BEHIND)))
    return found
