"""Wrapped alignments: where the blocks of columns are, and their painting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from antidiag.app import theme
from antidiag.app.kit.painting.fonts_and_colours import cell_font
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.views.aligned.drawing import cell_painter, pixel_bands
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture, CellFrame
from antidiag.kernels.io.aligned_sequences import GAP

BLOCK_SPACING = 16
"""Pixels between two blocks."""
NUMBERS_WIDTH = 64
"""Pixels at the right for the number of the last letter of each row."""
MAX_NUMBERED_LETTERS = 1 << 24
"""Most letters of an alignment whose letters are numbered."""
MIN_TENS_COLUMNS = 20
"""Least columns of a block for it to be cut to a multiple of ten."""


CellMark = Callable[[QPainter, AlignmentPicture, CellFrame], None]
"""Draws over the cells of a picture in a frame."""


@dataclass(frozen=True)
class WrappedBlocks:
    """Blocks of ``block_columns`` of the ``column_count`` columns. ``frame`` is where the cells of one are below its
    tracks, ``row_count`` its number of rows; ``top`` pixels of the first block are scrolled out at the top."""

    frame: CellFrame
    row_count: int
    column_count: int
    top: float

    @property
    def block_columns(self) -> int:
        """Columns of a block."""
        fitting = max(int((self.frame.width - NUMBERS_WIDTH) / self.frame.cell_width), 1)
        return fitting // 10 * 10 if fitting >= MIN_TENS_COLUMNS else fitting

    @property
    def block_height(self) -> float:
        """Pixels of a block and the space below it."""
        return self.frame.top + self.row_count * self.frame.cell_height + BLOCK_SPACING

    @property
    def total_height(self) -> float:
        """Pixels of all blocks."""
        return -(-self.column_count // self.block_columns) * self.block_height

    def visible_blocks(self, height: float) -> range:
        """Return the blocks that are visible in a window of this height."""
        last = min(int((self.top + height) // self.block_height) + 1, -(-self.column_count // self.block_columns))
        return range(max(int(self.top // self.block_height), 0), last)

    def block_frame(self, block: int) -> CellFrame:
        """Return the frame of a block as if it were at the top."""
        first = block * self.block_columns
        count = min(self.block_columns, self.column_count - first)
        width, height = round(count * self.frame.cell_width), round(self.row_count * self.frame.cell_height)
        return replace(self.frame, first_column=first, first_row=0.0, width=width, height=height)

    def block_at(self, place: QPointF) -> tuple[CellFrame, QPointF]:
        """Return the frame of the block at a position, and the position in it."""
        last = -(-self.column_count // self.block_columns) - 1
        block = min(max(int((place.y() + self.top) // self.block_height), 0), last)
        return self.block_frame(block), QPointF(place.x(), place.y() + self.top - block * self.block_height)

    def cell_corner(self, row: int, column: int) -> QPointF:
        """Return the position of the lower right corner of a cell."""
        block = column // self.block_columns
        frame = self.block_frame(block)
        return QPointF(frame.column_x(column + 1), frame.row_y(row + 1) + block * self.block_height - self.top)

    def scroll_for(self, row: int, column: int, height: float) -> float:
        """Return the scroll position that makes a cell visible."""
        above = column // self.block_columns * self.block_height
        y = above + self.frame.top + row * self.frame.cell_height
        if self.top <= y - self.frame.top and y + self.frame.cell_height <= self.top + height:
            return self.top
        return above if self.block_height <= height else y - height / 2

    def visible_frame(self, height: float) -> CellFrame:
        """Return a frame of the visible columns, for a map."""
        shown = self.visible_blocks(height)
        frame = self.block_frame(shown.start)
        return replace(frame, width=round(len(shown) * self.block_columns * self.frame.cell_width))


def draw_blocks(
    painter: QPainter,
    picture: AlignmentPicture,
    blocks: WrappedBlocks,
    height: float,
    scale: float,
    shown: list[str],
    letters: str,
    taxa: frozenset[str],
    marks: Sequence[CellMark],
    strokes: bool = False,
    report: pixel_bands.ProgressReport = pixel_bands.ignore_progress,
) -> None:
    """Paint the visible blocks with their names and tracks; in figures as ``strokes``."""
    visible = blocks.visible_blocks(height)
    for number, block in enumerate(visible):
        block_report = pixel_bands.partial_report(report, number, len(visible))
        block_report(0, 1)
        frame = blocks.block_frame(block)
        with saved_painter_state(painter):
            painter.translate(0, block * blocks.block_height - blocks.top)
            if strokes:
                cell_painter.draw_fine(painter, picture, frame, scale, letters, block_report)
            else:
                pixel_bands.draw_pixels(
                    painter,
                    frame.body_box,
                    cell_painter.paint_cells(picture, frame, scale, cell_painter.FINE_SAMPLES, letters),
                )
            cell_painter.draw_names(painter, picture, frame, taxa)
            cell_painter.draw_head(painter, picture, frame, shown, scale, strokes)
            for mark in marks:
                mark(painter, picture, frame)
            cell_painter.draw_marks(painter, picture, frame)
            if frame.fits_letters and picture.alignment.letters.size <= MAX_NUMBERED_LETTERS:
                _draw_numbers(painter, picture, frame)


def _draw_numbers(painter: QPainter, picture: AlignmentPicture, frame: CellFrame) -> None:
    """Write the number, in its sequence, of the last letter of each row of a block."""
    last = round(frame.first_column + frame.width / frame.cell_width)
    painter.setFont(cell_font(11))
    painter.setPen(QColor(theme.active().muted))
    for place in range(picture.order.size):
        row = int(picture.order[place])
        if row not in picture.folds:
            letters = int(np.count_nonzero(picture.alignment.letters[row, :last] != GAP))
            box = QRectF(frame.left + frame.width + 6, frame.row_y(place), NUMBERS_WIDTH, frame.cell_height)
            text = f"{picture.source_position(row, letters):,}" if letters else ""
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
