"""What the legend under the matrix says: only what is drawn just now."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from antidiag.app import theme
from antidiag.app.kit import result_text
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.plane import cells, layers, states
from antidiag.app.kit.plane.data import Levels
from antidiag.app.kit.plane.picture import Frame, Picture

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
        far = "" if states.readable(frame, picture) else " (zoom in)"
        found.append(LegendItem("mark", f"sub-paths meet: in H, or in a gap (E, F){far}"))
    found += _borders(picture, frame)
    if picture.shows("boundaries") and _apart(frame, picture, "strips") >= layers.DENSEST_BOUNDARIES:
        found.append(LegendItem("fill", "boundary kept in memory", (colours.boundary,)))
    if picture.shows("recomputed"):
        phases = f"phase {picture.phases[0]}" if len(picture.phases) == 1 else "phases 2 and 3"
        found.append(LegendItem("outline", f"computed again in {phases}", (colours.recomputed,)))
    if frame.shows_cells and picture.block is not None:
        found.append(LegendItem("text", _cell_text(picture, frame)))
    return tuple(found)


def _cell_text(picture: Picture, frame: Frame) -> str:
    _, small = cells.font_sizes(frame, picture, picture.block)
    words = ["large: H; below: E (left), F (right)" if small else "number: H; zoom in for E and F"]
    if cells.room_for_arrows(frame):
        words.append("arrow: where H comes from")
    return "; ".join(words)


def _scores(picture: Picture, levels: Levels, colour_map: str) -> LegendItem:
    low, high, root = levels
    shades = pg.colormap.get(colour_map).map(np.linspace(0, 1, SHADES), mode="qcolor")
    ends = f"H {result_text.score(picture.problem, int(low))} to {result_text.score(picture.problem, int(high))}"
    return LegendItem("gradient", ends + (" (square root)" if root else ""), tuple(shade.name() for shade in shades))


def _borders(picture: Picture, frame: Frame) -> list[LegendItem]:
    """What lines mean: one item a layer, whatever the axes of its borders."""
    colours, found = theme.active(), {}
    for layer, axis, distance in layers.borders(picture):
        if picture.shows(layer):
            far = " (zoom in)" if layers.spacing(frame, axis, distance) < layers.densest(layer) else ""
            unit = {"tiles": "cells", "blocks": "cells"}.get(layer, "columns" if axis else "rows")
            words = f"{BORDERS[layer]}, every {distance:,} {unit}{far}"
            colour = colours.special if layer == "tiles" else colours.strip
            found[layer] = LegendItem("dots" if layer == "chunks" else "line", words, (colour, BEHIND))
    return list(found.values())


def _apart(frame: Frame, picture: Picture, layer: str) -> float:
    """Pixels between the borders of a layer."""
    return min(
        (layers.spacing(frame, axis, d) for name, axis, d in layers.borders(picture) if name == layer),
        default=0,
    )
