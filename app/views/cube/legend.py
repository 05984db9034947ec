"""The legend of the cube, the range of its colours, and the figure for a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from antidiag.app import theme
from antidiag.app.kit import export, result_text
from antidiag.app.kit.cube import colours as cube_colours
from antidiag.app.kit.cube import data
from antidiag.app.kit.cube.data import Chunks
from antidiag.app.kit.cube.scene import Shown
from antidiag.app.kit.legend import LegendItem, draw_legend, legend_height
from antidiag.app.views.cube import picture as cube_picture
from antidiag.app.views.cube import text
from antidiag.app.views.cube.picture import CubePicture
from antidiag.app.views.cube.slices import SlicePlot
from antidiag.kernels.triple.model import TripleProblem

MOST_WORKERS = 5
GRADIENT = (0, 64, 128, 192, 255)

WRAPPED = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap

Items = tuple[LegendItem, ...]
Part = tuple[QSize, Callable[[QPainter, QRectF], None]]
"""A part of a figure: its size, and what draws it."""


def items(
    found: Chunks,
    shown: Shown,
    worker_name: str,
    h_levels: tuple[int, int] | None,
    problem: TripleProblem,
    has_path: bool,
) -> tuple[LegendItem, ...]:
    """What is drawn just now."""
    active, drawn = theme.active(), []
    if shown.chunks:
        drawn += _chunk_items(found, shown.colouring, worker_name)
    if has_path and shown.path:
        drawn.append(LegendItem("line", "path", (active.path, active.panel)))
    if h_levels is not None:
        low, high = (result_text.number(problem.scoring.unscaled(level)) for level in h_levels)
        drawn.append(LegendItem("gradient", f"H from {low} and less to {high}", _gradient()))
    return tuple(drawn)


def _chunk_items(found: Chunks, colouring: str, worker_name: str) -> list[LegendItem]:
    active = theme.active()
    count = LegendItem("text", text.grid_text(found))
    if colouring == "recomputed":
        if not found.recomputing.size:
            return [count, LegendItem("fill", "no phase 3: this method computes nothing again", (active.boundary,))]
        cells, whole = text.cells_of(found.boxes), int(np.prod([int(size) for size in found.grid.cells]))
        chunks = int(found.recomputed.sum())
        share = f"{100 * cells / whole:.1f} % of the cells"
        told = f"computed again in phase 3: {chunks:,} of {found.count:,} chunks, {share}"
        return [count, LegendItem("fill", told, (active.recomputed,))]
    if colouring == "time":
        first, last = data.span_ns(found)
        told = f"start in phase 1: {first / 1e6:,.1f} to {last / 1e6:,.1f} ms"
        return [count, LegendItem("gradient", told, _gradient())]
    workers, colours = np.unique(found.worker[found.worker >= 0]).tolist(), cube_picture.worker_colours()
    if not workers:
        return [count]
    if len(workers) > MOST_WORKERS:
        return [count, LegendItem("text", f"{len(workers):,} {worker_name}s in {len(colours)} colours")]
    return [count, *(LegendItem("fill", f"{worker_name} {n}", (colours[n % len(colours)],)) for n in workers)]


def _gradient() -> tuple[str, ...]:
    return tuple(QColor(*colour).name() for colour in cube_colours.lut()[list(GRADIENT)].tolist())


def figure_rows(picture: CubePicture, plots: Sequence[SlicePlot]) -> list[list[Part]]:
    """Cube and slices, across i, j and k, as they stand on the screen; the cube alone where there are no slices."""
    cube = picture.size(), picture.draw_figure
    if not plots:
        return [[cube]]
    first, second, third = ((plot.viewport().size(), partial(export.render_plot, plot=plot)) for plot in plots)
    return [[cube, third], [first, second]]


def figure_size(metrics: QFontMetrics, title: str, rows: Sequence[Sequence[Part]], legend: Items) -> QSize:
    """Size of a figure of rows of parts with title and legend."""
    width = max(sum(size.width() for size, _ in row) + theme.SPACING * (len(row) - 1) for row in rows)
    height = sum(max(size.height() for size, _ in row) + theme.SPACING for row in rows)
    below = legend_height(metrics, legend, width - 2 * theme.MARGIN)
    return QSize(width, _title_height(metrics, title, width) + height + below + theme.MARGIN)


def draw_figure(painter: QPainter, area: QRectF, title: str, rows: Sequence[Sequence[Part]], legend: Items) -> None:
    """Rows of parts, each in its own size, with title and legend, in an area of ``figure_size``."""
    width = int(area.width())
    top = float(_title_height(painter.fontMetrics(), title, width))
    painter.setPen(QColor(theme.active().text))
    painter.drawText(QRectF(theme.MARGIN, 0, width - 2 * theme.MARGIN, top), WRAPPED, title)
    for row in rows:
        left = 0
        for size, draw in row:
            painter.save()
            draw(painter, QRectF(left, top, size.width(), size.height()))
            painter.restore()
            left += size.width() + theme.SPACING
        top += max(size.height() for size, _ in row) + theme.SPACING
    draw_legend(painter, QRectF(theme.MARGIN, top, width - 2 * theme.MARGIN, area.height()), legend)


def _title_height(metrics: QFontMetrics, title: str, width: int) -> int:
    room = QRect(0, 0, width - 2 * theme.MARGIN, 10 * metrics.height())
    return metrics.boundingRect(room, int(WRAPPED), title).height() + theme.MARGIN
