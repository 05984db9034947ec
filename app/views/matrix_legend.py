"""What the legend under the matrix says: only what is drawn just now."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from app import theme
from app.views import matrix_cells, matrix_layers, matrix_states, texts
from app.views.matrix_data import Levels
from app.views.matrix_picture import Frame, Picture
from app.views.pieces import LegendItem

SHADES = 9
BORDERS = {
    "strips": "strip border",
    "chunks": "chunk border",
    "blocks": "block border",
    "tiles": "special row or column",
}
BEHIND = "#440154"
"""The darkest colour of the usual map, behind the swatch of the strip borders, which are white."""


def items(picture: Picture, frame: Frame, levels: Levels | None, colour_map: str) -> tuple[LegendItem, ...]:
    """Swatches and words for the layers that are on; ``levels`` are the scores at both ends of the colours."""
    colours = theme.active()
    found = [_scores(picture, levels, colour_map)] if levels else []
    if picture.shows("path"):
        found.append(LegendItem("line", "path", (colours.path,)))
    if picture.shows("states"):
        far = "" if matrix_states.readable(frame, picture) else " (zoom in)"
        found.append(LegendItem("mark", f"sub-paths meet: in H, or in a gap (E, F){far}"))
    found += _borders(picture, frame)
    if picture.shows("boundaries") and _apart(frame, picture, "strips") >= matrix_layers.DENSEST_BOUNDARIES:
        found.append(LegendItem("fill", "boundary kept in memory", (colours.boundary,)))
    if picture.shows("recomputed"):
        phases = f"phase {picture.phases[0]}" if len(picture.phases) == 1 else "phases 2 and 3"
        found.append(LegendItem("outline", f"computed again in {phases}", (colours.recomputed,)))
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


def _borders(picture: Picture, frame: Frame) -> list[LegendItem]:
    """What lines mean: one item a layer, whatever the axes of its borders."""
    colours, found = theme.active(), {}
    for layer, axis, distance in matrix_layers.borders(picture):
        if picture.shows(layer):
            far = " (zoom in)" if matrix_layers.spacing(frame, axis, distance) < matrix_layers.densest(layer) else ""
            unit = {"tiles": "cells", "blocks": "cells"}.get(layer, "columns" if axis else "rows")
            words = f"{BORDERS[layer]}, every {distance:,} {unit}{far}"
            colour = colours.special if layer == "tiles" else colours.strip
            found[layer] = LegendItem("dots" if layer == "chunks" else "line", words, (colour, BEHIND))
    return list(found.values())


def _apart(frame: Frame, picture: Picture, layer: str) -> float:
    """Pixels between the borders of a layer."""
    return min(
        (matrix_layers.spacing(frame, axis, d) for name, axis, d in matrix_layers.borders(picture) if name == layer),
        default=0,
    )
