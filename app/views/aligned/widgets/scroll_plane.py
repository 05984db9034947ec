"""The scrollable area of an alignment: scroll position, cell size, one line or wrapped, and its painting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QSize, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from antidiag.app import theme
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.drawing import cell_painter
from antidiag.app.views.aligned.drawing.margin_cache import MarginCache
from antidiag.app.views.aligned.drawing.picture import MAX_CELL, AlignmentPicture, CellFrame
from antidiag.app.views.aligned.drawing.viewport import Viewport
from antidiag.app.views.aligned.drawing.wrapped_blocks import CellMark, WrappedBlocks

MIN_NAMES_WIDTH, MAX_NAMES_WIDTH = 124, 240
"""Least pixels for the names of rows, enough for titles of tracks, and most."""
MIN_ROWS_HEIGHT = 68
"""Pixels that tracks leave for rows; lower tracks are dropped if they do not fit."""
MEASURED_NAMES = 200
"""Most names that are measured for the width of the names."""
REST_MS = 120
"""Milliseconds without a change before the fine picture is made; meanwhile both cores serve coarse ones."""
MATCH_MARGIN = 3
"""Columns that stay visible on both sides of a match, where there is space."""
STEPS_PER_CELL = 16
"""Steps of a scroll bar per cell."""
MAX_STEPS = 2**30
FIRST_LETTER_SIZES = {True: (9.0, 16.0), False: (11.0, 17.0)}
"""Width and height of a cell in pixels where an alignment is shown first, wrapped into blocks or not."""


class ScrollPlane(QAbstractScrollArea):
    """Shows a picture; ``view_moved`` is sent when another part is visible. ``cell_marks()`` returns what draws over
    the cells. ``wanted_tracks`` are the tracks switched on; those that do not fit the alignment are left out if
    ``hides_unfit_tracks``, else stay empty."""

    view_moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Alignment")
        self.picture: AlignmentPicture | None = None
        self.frame_ = CellFrame()
        self.wanted_tracks: list[str] = []
        self.hides_unfit_tracks = True
        self.letters = "all"
        self.wrapped, self._scrolled = False, 0.0
        self._letter_sizes = dict(FIRST_LETTER_SIZES)
        self.cell_marks: Callable[[], tuple[CellMark, ...]] = tuple
        self.marked_taxa: frozenset[str] = frozenset()
        self.names_width = self._default_names_width = MIN_NAMES_WIDTH
        self._painted: tuple[Any, np.ndarray] | None = None
        self._around = MarginCache()
        self._sharpening = LatestTask(self, self._take_sharp)
        self._rest_timer = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest_timer.timeout.connect(self._start_sharpening)
        self.horizontalScrollBar().valueChanged.connect(self._on_bars)
        self.verticalScrollBar().valueChanged.connect(self._on_bars)
        self._setting_bars = self._fitted = False

    def sizeHint(self) -> QSize:
        return QSize(800, 500)

    def show_picture(self, picture: AlignmentPicture | None, fit: bool = True) -> None:
        """Show a picture; ``fit`` starts at its first letters, else the view stays where it is."""
        before, self.picture = self.picture, picture
        if picture is not None and (fit or (before is not None and _line_names(before) != _line_names(picture))):
            room = self._measure_names()
            if fit or self.names_width == self._default_names_width:  # a width set by dragging stays
                self.names_width = room
            self._default_names_width = room
        self._update_layout()
        if picture is not None and fit:
            self._fitted = False
            self.frame_.cell_width, self.frame_.cell_height = self._letter_sizes[self.wrapped]
            self.frame_.first_column = self.frame_.first_row = 0.0
        self.repaint_all()

    def _measure_names(self) -> int:
        folded = [fold.title for fold in self.picture.folds.values()][:MEASURED_NAMES]
        names = (*self.picture.alignment.names[:MEASURED_NAMES], *folded)
        widest = max(map(self.fontMetrics().horizontalAdvance, names))
        return min(max(widest + 26, MIN_NAMES_WIDTH), MAX_NAMES_WIDTH)

    @property
    def is_sharp(self) -> bool:
        """Whether the final picture is on the screen."""
        return not self._sharpening.busy and not self._rest_timer.isActive()

    def repaint_all(self) -> None:
        """Paint again after a change of the picture or the colours."""
        self._painted = None
        self._update_layout()
        self._update_view()

    @property
    def shown_tracks(self) -> list[str]:
        """The tracks that are switched on and fit the picture."""
        every = self.picture is None or not self.hides_unfit_tracks
        return [name for name in self.wanted_tracks if every or tracks.fits_alignment(self.picture, name)]

    def set_tracks(self, shown: list[str]) -> None:
        """Switch these tracks on and others off."""
        self.wanted_tracks = shown
        self.repaint_all()

    def set_wrapped(self, on: bool) -> None:
        """Show the columns in blocks, or on one line."""
        self.wrapped, self._fitted = on, False
        if self.picture is not None:
            self.scroll_to(*self.picture.cursor)

    @property
    def visible_frame(self) -> CellFrame:
        """The visible part, for a map."""
        return (
            self._wrapped_blocks.visible_frame(self.viewport().height())
            if self._wrapped_blocks is not None
            else self.frame_
        )

    @property
    def _wrapped_blocks(self) -> WrappedBlocks | None:
        if not self.wrapped or self.picture is None:
            return None
        return WrappedBlocks(self.frame_, *self.picture.shape, self._scrolled)

    def fit_all(self) -> None:
        """Show the whole alignment, also after a resize, until something else is done."""
        if self.picture is not None:
            self.wrapped = False
            self._update_layout()
            self._fitted = True
            self.frame_.fit_columns(self.picture.shape[1])
            self.frame_.fit_rows(self.picture.shape[0])
            self.repaint_all()

    def list_letter_sizes(self) -> dict[str, list[float]]:
        """Return the sizes of cells with letters that the user has chosen, which other alignments begin with."""
        return {"wrapped" if wrapped else "line": list(size) for wrapped, size in self._letter_sizes.items()}

    def restore_letter_sizes(self, sizes: dict[str, list[float]]) -> None:
        """Begin with these sizes of cells, as far as letters fit into them."""
        for wrapped, name in ((True, "wrapped"), (False, "line")):
            width, height = map(float, sizes.get(name, self._letter_sizes[wrapped]))
            if CellFrame(width, height).fits_letters and max(width, height) <= MAX_CELL:
                self._letter_sizes[wrapped] = width, height

    def list_place(self) -> list[float]:
        """Return what is visible: width and height of cells, first column and row, pixels scrolled and of the names,
        and whether the whole alignment is fitted."""
        frame = self.frame_
        place = frame.cell_width, frame.cell_height, frame.first_column, frame.first_row, self._scrolled
        return [*map(float, place), self.names_width, int(self._fitted)]

    def restore_place(self, place: list[float]) -> None:
        """Show what `list_place` returned."""
        width, height, column, row, scrolled, names, fitted = place
        frame = self.frame_
        frame.cell_width, frame.cell_height = min(max(width, 1e-6), MAX_CELL), min(max(height, 1e-6), MAX_CELL)
        frame.first_column, frame.first_row, self._scrolled = float(column), float(row), float(scrolled)
        self.names_width = min(max(int(names), MIN_NAMES_WIDTH), MAX_NAMES_WIDTH * 4)
        if fitted:
            self.fit_all()
        else:
            self._fitted = False
            self.repaint_all()

    def zoom_to_letters(self) -> None:
        """Show letters at the cursor."""
        if self.picture is not None:
            self._fitted = False
            self.frame_.cell_width, self.frame_.cell_height = self._letter_sizes[False]
            self.scroll_to(*self.picture.cursor)

    def zoom_cells(self, width_factor: float, height_factor: float, position: QPointF | None = None) -> None:
        """Scale cells by these factors around a position or the middle."""
        if self.picture is None:
            return
        frame, self._fitted = self.frame_, False
        x = position.x() if position else frame.left + frame.width / 2
        y = position.y() if position else frame.top + frame.height / 2
        frame.zoom_at(width_factor, height_factor, max(x, frame.left), max(y, frame.top), self.picture.shape)
        if frame.fits_letters:
            self._letter_sizes[self.wrapped] = frame.cell_width, frame.cell_height
        self.repaint_all()

    def scroll_to(self, row: int, column: int) -> None:
        """Scroll until a cell is visible."""
        frame, shape = self.frame_, self.picture.shape
        if self._wrapped_blocks is not None:
            self._scrolled = self._wrapped_blocks.scroll_for(row, column, self.viewport().height())
            self.repaint_all()
            return
        across, down = frame.width / frame.cell_width, frame.height / frame.cell_height
        if not frame.first_column <= column <= frame.first_column + across - 1:
            nearer = column - across + 2 if column == frame.first_column + across else column - across / 2
            frame.first_column = nearer
        if not frame.first_row <= row <= frame.first_row + down - 1:
            frame.first_row = row - down / 2
        frame.keep_inside(shape)
        self.repaint_all()

    def scroll_to_span(self, first: int, last: int) -> None:
        """Scroll columns ``first`` to ``last``, the latter excluded, into sight with MATCH_MARGIN columns around them.

        A span that does not fit is shown from its first column. Wrapped blocks break spans and stay as they are.
        """
        frame = self.frame_
        if self.wrapped or self.picture is None:
            return
        across = frame.width / frame.cell_width
        margin = min(MATCH_MARGIN, max((across - (last - first)) / 2, 0))
        frame.first_column = min(max(frame.first_column, last + margin - across), first - margin)
        frame.keep_inside(self.picture.shape)
        self.repaint_all()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), QColor(theme.active().panel))
        if self.picture is not None:
            scale, sight = self.viewport().devicePixelRatioF(), self.visible_part
            if sight.blocks is not None:
                sight.draw_blocks(painter, scale)
            else:
                sight.draw_unwrapped(painter, scale, self._cell_pixels(scale), self._around)
        painter.end()

    @property
    def visible_part(self) -> Viewport:
        """The visible part of the picture with everything its painting needs."""
        tracks_on, seen, height = tuple(self.shown_tracks), tuple(self._tracks_seen), self.viewport().height()
        where = self.picture, self.frame_, self._wrapped_blocks, height
        return Viewport(*where, tracks_on, seen, self.letters, self.marked_taxa, self.cell_marks())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fitted:
            self.fit_all()
        else:
            self.repaint_all()

    def _update_view(self) -> None:
        if self.picture is not None:
            self.frame_.keep_inside(self.picture.shape)
        self._set_bars()
        self.viewport().update()
        self.view_moved.emit()

    def _update_layout(self) -> None:
        size, head = self.viewport().size(), cell_painter.head_height(self._tracks_seen)
        self.frame_.left, self.frame_.top = self.names_width + self._notes_width, head
        self.frame_.width = max(1, size.width() - self.frame_.left)
        self.frame_.height = max(1, size.height() - self.frame_.top)

    @property
    def _tracks_seen(self) -> list[str]:
        seen = list(self.shown_tracks)
        while seen and not self.wrapped and cell_painter.head_height(seen) + MIN_ROWS_HEIGHT > self.viewport().height():
            seen.pop()
        return seen

    @property
    def _notes_width(self) -> int:
        return len(self.picture.notes) * cell_painter.NOTE_WIDTH if self.picture is not None else 0

    def _set_bars(self) -> None:
        if self._wrapped_blocks is not None:
            self._set_wrapped_bars(self._wrapped_blocks)
            return
        self._setting_bars = True
        rows, columns = self.picture.shape if self.picture is not None else (0, 0)
        frame = self.frame_
        for bar, count, room, size, first in (
            (self.horizontalScrollBar(), columns, frame.width, frame.cell_width, frame.first_column),
            (self.verticalScrollBar(), rows, frame.height, frame.cell_height, frame.first_row),
        ):
            seen = room / size
            bar.setRange(0, int(min(max(count - seen, 0) * STEPS_PER_CELL + 0.01, MAX_STEPS)))
            bar.setPageStep(int(max(seen * STEPS_PER_CELL, 1)))
            bar.setSingleStep(STEPS_PER_CELL)
            bar.setValue(int(first * STEPS_PER_CELL))
        self._setting_bars = False

    def _set_wrapped_bars(self, blocks: WrappedBlocks) -> None:
        """Set one scroll bar in pixels, within all blocks."""
        self._setting_bars = True
        height, bar = self.viewport().height(), self.verticalScrollBar()
        most = int(min(max(blocks.total_height - height, 0), MAX_STEPS))
        self._scrolled = min(max(self._scrolled, 0), most)
        self.frame_.first_row = self.frame_.first_column = 0.0
        self.horizontalScrollBar().setRange(0, 0)
        bar.setRange(0, most)
        bar.setPageStep(height)
        bar.setSingleStep(round(blocks.frame.cell_height))
        bar.setValue(int(self._scrolled))
        self._setting_bars = False

    def _on_bars(self) -> None:
        if self._setting_bars or self.picture is None:
            return
        if self.wrapped:
            self._scrolled = float(self.verticalScrollBar().value())
        else:
            self.frame_.first_column = self.horizontalScrollBar().value() / STEPS_PER_CELL
            self.frame_.first_row = self.verticalScrollBar().value() / STEPS_PER_CELL
            self.frame_.keep_inside(self.picture.shape)
        self.viewport().update()
        self.view_moved.emit()

    def _cell_pixels(self, scale: float) -> np.ndarray:
        """Return the pixels of the cells: cached ones, or coarse ones until fine ones are made."""
        frame, picture = self.frame_, self.picture
        content = id(picture), picture.version, id(picture.colouring), self.letters, theme.active().name
        key = (*content, scale, replace(frame, left=0, top=0))
        if self._painted is None or self._painted[0] != key:
            self._painted = (
                key,
                cell_painter.paint_cells(picture, frame, scale, cell_painter.COARSE_SAMPLES, self.letters),
            )
            if min(frame.cell_width, frame.cell_height) * scale < 1:
                self._rest_timer.start()
            else:
                self._rest_timer.stop()
            self._sharpening.cancel()
        return self._painted[1]

    def _start_sharpening(self) -> None:
        """Make the fine picture now that nothing moves."""
        if self._painted is None or self.picture is None:
            return
        key, picture, seen, letters = self._painted[0], self.picture, replace(self.frame_), self.letters
        scale = self.viewport().devicePixelRatioF()
        self._sharpening.request(
            lambda monitor: (
                key,
                cell_painter.paint_cells(picture, seen, scale, cell_painter.FINE_SAMPLES, letters, monitor.update),
            )
        )

    def _take_sharp(self, made: tuple[Any, np.ndarray]) -> None:
        if self._painted is not None and self._painted[0] == made[0]:
            self._painted = made
            self.viewport().update()


def _line_names(picture: AlignmentPicture) -> tuple[tuple[str, ...], list[str]]:
    return picture.alignment.names, [fold.title for fold in picture.folds.values()]
