"""The legend of the cube, the range of its colours, and the figure for a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from app import theme
from app.views import cube_data, cube_picture, cube_words, texts
from app.views.cube_data import Chunks
from app.views.cube_scene import Shown
from app.views.pieces import LegendItem, draw_legend, legend_height
from kernels.triple.model import TripleProblem

MOST_WORKERS = 5
LOW_SHARE = 20
"""Per cent of the cells whose H gets the darkest colour: far from the path H falls without end."""
GRADIENT = (0, 64, 128, 192, 255)

Drawer = Callable[[QPainter, QRectF], None]


def levels(planes: Mapping[int, np.ndarray]) -> tuple[int, int]:
    """The values of H between which colours are spread."""
    if not planes:
        return 0, 1
    low = min(int(np.percentile(plane[:: 1 + plane.shape[0] // 512], LOW_SHARE)) for plane in planes.values())
    return low, max(int(plane.max()) for plane in planes.values())


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
        low, high = (texts.number(problem.scoring.unscaled(level)) for level in h_levels)
        drawn.append(LegendItem("gradient", f"H from {low} and less to {high}", _gradient()))
    return tuple(drawn)


def _chunk_items(found: Chunks, colouring: str, worker_name: str) -> list[LegendItem]:
    active = theme.active()
    count = LegendItem("text", cube_words.grid_text(found))
    if colouring == "recomputed":
        if not found.again.size:
            return [count, LegendItem("fill", "no phase 3: this method computes nothing again", (active.boundary,))]
        cells, whole = cube_words.cells_of(found.boxes), int(np.prod([int(size) for size in found.grid.cells]))
        chunks = int(found.recomputed.sum())
        share = f"{100 * cells / whole:.1f} % of the cells"
        told = f"computed again in phase 3: {chunks:,} of {found.count:,} chunks, {share}"
        return [count, LegendItem("fill", told, (active.recomputed,))]
    if colouring == "time":
        first, last = cube_data.span_ns(found)
        told = f"start in phase 1: {first / 1e6:,.1f} to {last / 1e6:,.1f} ms"
        return [count, LegendItem("gradient", told, _gradient())]
    workers, colours = np.unique(found.worker[found.worker >= 0]).tolist(), cube_picture.worker_colours()
    if not workers:
        return [count]
    if len(workers) > MOST_WORKERS:
        return [count, LegendItem("text", f"{len(workers):,} {worker_name}s in {len(colours)} colours")]
    return [count, *(LegendItem("fill", f"{worker_name} {n}", (colours[n % len(colours)],)) for n in workers)]


def _gradient() -> tuple[str, ...]:
    return tuple(QColor(*colour).name() for colour in cube_picture.lut()[list(GRADIENT)].tolist())


def figure_size(metrics: QFontMetrics, part: QSize, legend: tuple[LegendItem, ...]) -> QSize:
    """Size of a figure of two by two parts with title and legend."""
    width = 2 * part.width() + theme.SPACING
    height = legend_height(metrics, legend, width - 2 * theme.MARGIN)
    return QSize(width, _title_height(metrics) + 2 * part.height() + theme.SPACING + height + theme.MARGIN)


def draw_figure(
    painter: QPainter, area: QRectF, title: str, part: QSize, drawers: Sequence[Drawer], legend: tuple[LegendItem, ...]
) -> None:
    """Two by two parts with title and legend, in an area of ``figure_size``."""
    line, width = _title_height(painter.fontMetrics()), area.width() - 2 * theme.MARGIN
    painter.setPen(QColor(theme.active().text))
    shown = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, int(width))
    painter.drawText(QRectF(theme.MARGIN, 0, width, line), Qt.AlignmentFlag.AlignVCenter, shown)
    for number, draw in enumerate(drawers):
        down, across = divmod(number, 2)
        left, top = across * (part.width() + theme.SPACING), line + down * (part.height() + theme.SPACING)
        painter.save()
        draw(painter, QRectF(left, top, part.width(), part.height()))
        painter.restore()
    bottom = line + 2 * part.height() + theme.SPACING + 4
    draw_legend(painter, QRectF(theme.MARGIN, bottom, width, area.height()), legend)


def _title_height(metrics: QFontMetrics) -> int:
    return metrics.height() + theme.MARGIN
