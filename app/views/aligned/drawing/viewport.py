"""The viewport: the visible part of an alignment, painted on the screen and in figures."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtGui import QColor, QPainter

from antidiag.app import theme
from antidiag.app.views.aligned.drawing import cell_painter, pixel_bands, wrapped_blocks
from antidiag.app.views.aligned.drawing.margin_cache import MarginCache
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture, CellFrame
from antidiag.app.views.aligned.drawing.pixel_bands import ProgressReport, ignore_progress
from antidiag.app.views.aligned.drawing.wrapped_blocks import CellMark, WrappedBlocks
from antidiag.kernels.monitor import Monitor


@dataclass(frozen=True, eq=False)
class Viewport:
    """The visible part of a picture: a frame of which ``height`` pixels are visible, or wrapped ``blocks``. ``tracks``
    are those switched on, ``fitting_tracks`` those with room above the rows. ``letters`` is "all", "differences" or
    "none"; ``taxa`` are marked names; ``marks`` draw over the cells."""

    picture: AlignmentPicture
    frame: CellFrame
    blocks: WrappedBlocks | None
    height: int
    tracks: tuple[str, ...]
    fitting_tracks: tuple[str, ...]
    letters: str = "all"
    taxa: frozenset[str] = frozenset()
    marks: tuple[CellMark, ...] = ()

    def freeze(self) -> Viewport:
        """Return a copy without cursor and matches that later changes of picture and canvas do not affect."""
        blocks = self.blocks and replace(self.blocks, frame=replace(self.blocks.frame))
        picture = copy(self.picture)  # with what it has computed
        picture.tracks, picture.cursor, picture.fixed_row = dict(picture.tracks), (-1, -1), picture.track_row
        picture.matches = picture.matches[:0]
        return replace(self, picture=picture, frame=replace(self.frame), blocks=blocks)

    def draw_figure(self, painter: QPainter, scale: float, monitor: Monitor) -> None:
        """Draw as a figure: readable cells as strokes, others as fine pixels."""
        if self.blocks is not None:
            self.draw_blocks(painter, scale, True, monitor.update)
        else:
            cell_painter.draw_fine(painter, self.picture, self.frame, scale, self.letters, monitor.update)
            cell_painter.draw_names(painter, self.picture, self.frame, self.taxa)
            cell_painter.draw_head(painter, self.picture, self.frame, list(self.fitting_tracks), scale, True)
            self._draw_marks(painter)

    def draw_blocks(
        self, painter: QPainter, scale: float, strokes: bool = False, report: ProgressReport = ignore_progress
    ) -> None:
        """Draw the visible blocks; in figures as ``strokes``."""
        assert self.blocks is not None
        look = list(self.tracks), self.letters, self.taxa, self.marks
        wrapped_blocks.draw_blocks(painter, self.picture, self.blocks, self.height, scale, *look, strokes, report)

    def draw_unwrapped(self, painter: QPainter, scale: float, cells: np.ndarray, margins: MarginCache) -> None:
        """Draw unwrapped: cells from these pixels, cached margins, and marks."""
        pixel_bands.draw_pixels(painter, self.frame.body_box, cells)
        margins.draw_margins(painter, self.picture, self.frame, self.fitting_tracks, self.taxa, scale)
        self._draw_marks(painter)

    def _draw_marks(self, painter: QPainter) -> None:
        """Draw what is over the cells, and the border lines."""
        frame, picture = self.frame, self.picture
        for mark in self.marks:
            mark(painter, picture, frame)
        cell_painter.draw_marks(painter, picture, frame)
        painter.setPen(QColor(theme.active().border))
        painter.drawLine(frame.left - 3, 0, frame.left - 3, frame.top + frame.height)
        painter.drawLine(frame.left, frame.top - 1, frame.left + frame.width, frame.top - 1)
