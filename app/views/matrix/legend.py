"""The legend of the matrix: what is drawn now."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from antidiag.app import theme
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.plane import cells, layers, path_states
from antidiag.app.kit.plane.matrix_picture import MatrixFrame, MatrixPicture
from antidiag.app.kit.results import result_text
from antidiag.kernels.registry.matrix_values import Levels
from antidiag.kernels.scoring import NO_FREE_ENDS

SHADES = 9
BORDERS = {
    "strips": "strip border",
    "chunks": "chunk border",
    "blocks": "block border",
    "tiles": "special row or column",
}
BEHIND = "#440154"  # dark ground of the swatch of strip borders, which are white


def legend_items(
    picture: MatrixPicture, frame: MatrixFrame, levels: Levels | None, colour_map: str
) -> tuple[LegendItem, ...]:
    """Return the legend of the visible layers; ``levels`` are the scores at both ends of the colours."""
    colours = theme.active()
    found = [_score_item(picture, levels, colour_map)] if levels else []
    if picture.shows_layer("path"):
        found.append(LegendItem("line", "path", (colours.path,)))
    if picture.shows_layer("states"):
        far = "" if path_states.fits_marks(frame, picture) else " (zoom in)"
        found.append(LegendItem("mark", f"partial paths meet: in H, or in a gap (E, F){far}"))
    if layers.free_borders(picture) != NO_FREE_ENDS:
        found.append(
            LegendItem("fill", "an alignment may start (top, left) or end (bottom, right) here", (colours.accent,))
        )
    found += _border_items(picture, frame)
    if picture.shows_layer("boundaries") and _border_distance(frame, picture, "strips") >= layers.DENSEST_BOUNDARIES:
        found.append(LegendItem("fill", "boundary kept in memory", (colours.boundary,)))
    if picture.shows_layer("recomputed"):
        phases = f"phase {picture.phases[0]}" if len(picture.phases) == 1 else "phases 2 and 3"
        found.append(LegendItem("outline", f"recomputed in {phases}", (colours.recomputed,)))
    if picture.shows_layer("skipped"):
        found.append(LegendItem("fill", "skipped by pruning", (colours.panel,)))
    if frame.shows_cells and picture.block is not None:
        found.append(LegendItem("text", _cell_text(picture, frame)))
    return tuple(found)


def _cell_text(picture: MatrixPicture, frame: MatrixFrame) -> str:
    _, small = cells.value_font_sizes(frame, picture, picture.block)
    words = ["large: H; below: E (left), F (right)" if small else "number: H; zoom in for E and F"]
    if cells.fits_arrows(frame):
        words.append("arrow: predecessor of H")
    return "; ".join(words)


def _score_item(picture: MatrixPicture, levels: Levels, colour_map: str) -> LegendItem:
    low, high, root = levels
    shades = pg.colormap.get(colour_map).map(np.linspace(0, 1, SHADES), mode="qcolor")
    ends = (
        f"H {result_text.format_score(picture.problem, int(low))} to "
        f"{result_text.format_score(picture.problem, int(high))}"
    )
    return LegendItem("gradient", ends + (" (square root)" if root else ""), tuple(shade.name() for shade in shades))


def _border_items(picture: MatrixPicture, frame: MatrixFrame) -> list[LegendItem]:
    colours, found = theme.active(), {}
    for layer, axis, distance in layers.list_borders(picture):
        if picture.shows_layer(layer):
            far = " (zoom in)" if layers.border_spacing(frame, axis, distance) < layers.least_spacing(layer) else ""
            unit = {"tiles": "cells", "blocks": "cells"}.get(layer, "columns" if axis else "rows")
            words = f"{BORDERS[layer]}, every {distance:,} {unit}{far}"
            colour = colours.special if layer == "tiles" else colours.strip
            found[layer] = LegendItem("dots" if layer == "chunks" else "line", words, (colour, BEHIND))
    return list(found.values())


def _border_distance(frame: MatrixFrame, picture: MatrixPicture, layer: str) -> float:
    return min(
        (layers.border_spacing(frame, axis, d) for name, axis, d in layers.list_borders(picture) if name == layer),
        default=0,
    )
