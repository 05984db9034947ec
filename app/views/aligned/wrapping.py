"""An alignment in blocks of columns below each other, as a text is wrapped: where blocks are, and their painting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from antidiag.app import theme
from antidiag.app.kit.ink import font
from antidiag.app.kit.saved_painter import saved
from antidiag.app.views.aligned import paint, pixels
from antidiag.app.views.aligned.picture import Frame, Picture
from antidiag.kernels.io.aligned import GAP

BETWEEN = 16
"""Pixels between two blocks."""
NUMBERS = 64
"""Pixels at the right for the number of the last letter of each row."""
MOST_NUMBERED = 1 << 24
"""Letters of an alignment whose rows are counted while it is painted, at most."""
TENS = 20
"""Columns of a block from which on there are whole tens of them."""


Mark = Callable[[QPainter, Picture, Frame], None]
"""Draws over the cells of a picture in a frame."""


@dataclass(frozen=True)
class Blocks:
    """Blocks of ``columns`` columns of the ``total``; ``frame`` is where the cells of one are, below its tracks, and
    ``rows`` how many it has. The first pixel on the screen is ``top`` pixels below that of the first block."""

    frame: Frame
    rows: int
    total: int
    top: float

    @property
    def columns(self) -> int:
        fitting = max(int((self.frame.width - NUMBERS) / self.frame.cell_width), 1)
        return fitting // 10 * 10 if fitting >= TENS else fitting

    @property
    def height(self) -> float:
        """Pixels of a block, with what is between it and the next."""
        return self.frame.top + self.rows * self.frame.cell_height + BETWEEN

    @property
    def all_height(self) -> float:
        return -(-self.total // self.columns) * self.height

    def shown(self, height: float) -> range:
        """The blocks that are seen in a window of this height."""
        last = min(int((self.top + height) // self.height) + 1, -(-self.total // self.columns))
        return range(max(int(self.top // self.height), 0), last)

    def frame_of(self, block: int) -> Frame:
        """Where the cells of a block are, as if it were at the top."""
        first = block * self.columns
        count = min(self.columns, self.total - first)
        return replace(self.frame, first_column=first, first_row=0.0, width=round(count * self.frame.cell_width),
                       height=round(self.rows * self.frame.cell_height))  # fmt: skip

    def at(self, place: QPointF) -> tuple[Frame, QPointF]:
        """The frame of the block at a place on the screen, and the place in it."""
        last = -(-self.total // self.columns) - 1
        block = min(max(int((place.y() + self.top) // self.height), 0), last)
        return self.frame_of(block), QPointF(place.x(), place.y() + self.top - block * self.height)

    def corner(self, row: int, column: int) -> QPointF:
        """Where on the screen the right lower corner of a cell is."""
        block = column // self.columns
        frame = self.frame_of(block)
        return QPointF(frame.x(column + 1), frame.y(row + 1) + block * self.height - self.top)

    def top_for(self, row: int, column: int, height: float) -> float:
        """Where to scroll so that a cell is seen: nowhere, if it is."""
        above = column // self.columns * self.height
        y = above + self.frame.top + row * self.frame.cell_height
        if self.top <= y - self.frame.top and y + self.frame.cell_height <= self.top + height:
            return self.top
        return above if self.height <= height else y - height / 2

    def seen(self, height: float) -> Frame:
        """A frame of the columns that are seen, for a map."""
        shown = self.shown(height)
        frame = self.frame_of(shown.start)
        return replace(frame, width=round(len(shown) * self.columns * self.frame.cell_width))


def draw(
    painter: QPainter,
    picture: Picture,
    blocks: Blocks,
    height: float,
    scale: float,
    shown: list[str],
    letters: str,
    taxa: frozenset[str],
    marks: Sequence[Mark],
    strokes: bool = False,
    told: pixels.Told = pixels.quiet,
) -> None:
    """Paint the blocks that are seen, each with its names and tracks; in ``strokes`` as a figure."""
    shown_blocks = blocks.shown(height)
    for number, block in enumerate(shown_blocks):
        told(number, len(shown_blocks))
        frame = blocks.frame_of(block)
        with saved(painter):
            painter.translate(0, block * blocks.height - blocks.top)
            if strokes:
                paint.draw_fine(
                    painter, picture, frame, scale, letters, pixels.part_of(told, number, len(shown_blocks))
                )
            else:
                pixels.draw(painter, frame.box, paint.body(picture, frame, scale, paint.FINE, letters))
            paint.draw_names(painter, picture, frame, taxa)
            paint.draw_head(painter, picture, frame, shown, scale, strokes)
            for mark in marks:
                mark(painter, picture, frame)
            paint.draw_marks(painter, picture, frame)
            if frame.letters and picture.alignment.letters.size <= MOST_NUMBERED:
                _number(painter, picture, frame)


def _number(painter: QPainter, picture: Picture, frame: Frame) -> None:
    """The number, in its sequence, of the last letter of each row of a block."""
    last = round(frame.first_column + frame.width / frame.cell_width)
    painter.setFont(font(11))
    painter.setPen(QColor(theme.active().muted))
    for place in range(picture.order.size):
        row = int(picture.order[place])
        if row not in picture.folds:
            letters = int(np.count_nonzero(picture.alignment.letters[row, :last] != GAP))
            box = QRectF(frame.left + frame.width + 6, frame.y(place), NUMBERS, frame.cell_height)
            text = f"{letters + picture.starts.get(row, 0):,}" if letters else ""
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
