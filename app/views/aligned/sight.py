"""What is seen of an alignment, on one line or wrapped, and its painting: on the screen, and in figures."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtGui import QColor, QPainter

from antidiag.app import theme
from antidiag.app.views.aligned import paint, pixels, wrapping
from antidiag.app.views.aligned.kept import Around
from antidiag.app.views.aligned.picture import Frame, Picture
from antidiag.app.views.aligned.pixels import Told, quiet
from antidiag.app.views.aligned.wrapping import Blocks, Mark
from antidiag.kernels.monitor import Monitor


@dataclass(frozen=True, eq=False)
class Sight:
    """A picture in a frame, of which ``height`` pixels are seen, or in ``blocks``.

    ``tracks`` are those that are switched on, and ``tracks_seen`` those that have room above the rows. ``letters`` are
    "all", "differences" or "none", ``taxa`` names that are marked, and ``marks`` what is drawn over the cells.
    """

    picture: Picture
    frame: Frame
    blocks: Blocks | None
    height: int
    tracks: tuple[str, ...]
    tracks_seen: tuple[str, ...]
    letters: str = "all"
    taxa: frozenset[str] = frozenset()
    marks: tuple[Mark, ...] = ()

    def frozen(self) -> Sight:
        """The same without the cursor, whatever becomes of the picture and of the canvas."""
        blocks = self.blocks and replace(self.blocks, frame=replace(self.blocks.frame))
        picture = copy(self.picture)  # with what it has computed
        picture.tracks, picture.cursor, picture.told = dict(picture.tracks), (-1, -1), picture.row
        return replace(self, picture=picture, frame=replace(self.frame), blocks=blocks)

    def draw(self, painter: QPainter, scale: float, monitor: Monitor) -> None:
        """All of it as a figure: what can be read in strokes, and the rest in its fine form."""
        if self.blocks is not None:
            self.draw_blocks(painter, scale, True, monitor.update)
        else:
            paint.draw_fine(painter, self.picture, self.frame, scale, self.letters, monitor.update)
            paint.draw_names(painter, self.picture, self.frame, self.taxa)
            paint.draw_head(painter, self.picture, self.frame, list(self.tracks_seen), scale, True)
            self._draw_marks(painter)

    def draw_blocks(self, painter: QPainter, scale: float, strokes: bool = False, told: Told = quiet) -> None:
        """The blocks that are seen, in ``strokes`` as a figure."""
        assert self.blocks is not None
        wrapping.draw(painter, self.picture, self.blocks, self.height, scale, list(self.tracks), self.letters,
                      self.taxa, self.marks, strokes, told)  # fmt: skip

    def draw_line(self, painter: QPainter, scale: float, cells: np.ndarray, around: Around) -> None:
        """Cells, which are these pixels, names and tracks as they are kept, and marks."""
        pixels.draw(painter, self.frame.box, cells)
        around.draw(painter, self.picture, self.frame, self.tracks_seen, self.taxa, scale)
        self._draw_marks(painter)

    def _draw_marks(self, painter: QPainter) -> None:
        """What is over the cells, and the lines beside them."""
        frame, picture = self.frame, self.picture
        for mark in self.marks:
            mark(painter, picture, frame)
        paint.draw_marks(painter, picture, frame)
        painter.setPen(QColor(theme.active().border))
        painter.drawLine(frame.left - 3, 0, frame.left - 3, frame.top + frame.height)
        painter.drawLine(frame.left, frame.top - 1, frame.left + frame.width, frame.top - 1)
