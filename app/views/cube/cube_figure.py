"""The legend of the cube, and its figure for a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from antidiag.app import theme
from antidiag.app.kit.cube import colour_map as cube_colours
from antidiag.app.kit.cube import cube_chunks
from antidiag.app.kit.cube.cube_chunks import CubeChunks
from antidiag.app.kit.cube.scene import CubeOptions
from antidiag.app.kit.figures import export
from antidiag.app.kit.figures.legend import LegendItem, draw_legend, legend_height
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.kit.results import result_text
from antidiag.app.views.cube import cell_texts
from antidiag.app.views.cube import cube_picture as cube_picture
from antidiag.app.views.cube.cube_picture import CubePicture
from antidiag.app.views.cube.slice_plot import SlicePlot
from antidiag.kernels.triple.model import TripleProblem

MOST_WORKERS = 5
GRADIENT = (0, 64, 128, 192, 255)

WRAPPED = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap

Items = tuple[LegendItem, ...]
FigurePart = tuple[
    QSize, Callable[[QPainter, QRectF], None]
]  # a part of a figure: its size, and the function that draws it


def legend_items(
    chunks: CubeChunks,
    options: CubeOptions,
    worker_name: str,
    h_levels: tuple[int, int] | None,
    problem: TripleProblem,
    has_path: bool,
) -> tuple[LegendItem, ...]:
    """Return the legend of what is drawn."""
    active, drawn = theme.active(), []
    if options.chunks:
        drawn += _chunk_items(chunks, options.colouring, worker_name)
    if has_path and options.path:
        drawn.append(LegendItem("line", "path", (active.path, active.panel)))
    if h_levels is not None:
        low, high = (result_text.format_number(problem.scoring.unscale_score(level)) for level in h_levels)
        drawn.append(LegendItem("gradient", f"H from \u2264 {low} to {high}", _gradient_colours()))
    return tuple(drawn)


def _chunk_items(found: CubeChunks, colouring: str, worker_name: str) -> list[LegendItem]:
    active = theme.active()
    count = LegendItem("text", cell_texts.grid_text(found))
    if colouring == "recomputed":
        if not found.recompute_events.size:
            return [count, LegendItem("fill", "no phase 3: this method recomputes nothing", (active.boundary,))]
        cells, whole = (
            cell_texts.count_cells(found.recomputed_boxes),
            int(np.prod([int(size) for size in found.grid.cells])),
        )
        chunks = int(found.is_recomputed.sum())
        share = f"{100 * cells / whole:.1f} % of the cells"
        words = f"recomputed in phase 3: {chunks:,} of {found.count:,} chunks, {share}"
        return [count, LegendItem("fill", words, (active.recomputed,))]
    if colouring == "time":
        first, last = cube_chunks.first_phase_span_ns(found)
        words = f"start in phase 1: {first / 1e6:,.1f} to {last / 1e6:,.1f} ms"
        return [count, LegendItem("gradient", words, _gradient_colours())]
    workers, colours = (
        np.unique(found.worker_of_chunk[found.worker_of_chunk >= 0]).tolist(),
        cube_picture.worker_colours(),
    )
    if not workers:
        return [count]
    if len(workers) > MOST_WORKERS:
        return [count, LegendItem("text", f"{len(workers):,} {worker_name}s in {len(colours)} colours")]
    return [count, *(LegendItem("fill", f"{worker_name} {n}", (colours[n % len(colours)],)) for n in workers)]


def _gradient_colours() -> tuple[str, ...]:
    return tuple(QColor(*colour).name() for colour in cube_colours.colour_table()[list(GRADIENT)].tolist())


def figure_rows(picture: CubePicture, plots: Sequence[SlicePlot]) -> list[list[FigurePart]]:
    """Return cube and slices as they are arranged on the screen, or the cube alone."""
    cube = picture.size(), picture.draw_figure
    if not plots:
        return [[cube]]
    first, second, third = ((plot.viewport().size(), partial(export.render_plot, plot=plot)) for plot in plots)
    return [[cube, third], [first, second]]


def figure_size(metrics: QFontMetrics, title: str, rows: Sequence[Sequence[FigurePart]], legend: Items) -> QSize:
    """Return the size of a figure with title, rows of parts, and legend."""
    width = max(sum(size.width() for size, _ in row) + theme.SPACING * (len(row) - 1) for row in rows)
    height = sum(max(size.height() for size, _ in row) + theme.SPACING for row in rows)
    below = legend_height(metrics, legend, width - 2 * theme.MARGIN)
    return QSize(width, _title_height(metrics, title, width) + height + below + theme.MARGIN)


def draw_figure(
    painter: QPainter, area: QRectF, title: str, rows: Sequence[Sequence[FigurePart]], legend: Items
) -> None:
    """Draw title, rows of parts, and legend into an area of ``figure_size``."""
    width = int(area.width())
    top = float(_title_height(painter.fontMetrics(), title, width))
    painter.setPen(QColor(theme.active().text))
    painter.drawText(QRectF(theme.MARGIN, 0, width - 2 * theme.MARGIN, top), WRAPPED, title)
    for row in rows:
        left = 0
        for size, draw in row:
            with saved_painter_state(painter):
                draw(painter, QRectF(left, top, size.width(), size.height()))
            left += size.width() + theme.SPACING
        top += max(size.height() for size, _ in row) + theme.SPACING
    draw_legend(painter, QRectF(theme.MARGIN, top, width - 2 * theme.MARGIN, area.height()), legend)


def _title_height(metrics: QFontMetrics, title: str, width: int) -> int:
    room = QRect(0, 0, width - 2 * theme.MARGIN, 10 * metrics.height())
    return metrics.boundingRect(room, int(WRAPPED), title).height() + theme.MARGIN
