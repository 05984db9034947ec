"""The plane on which an alignment is painted: what of it is seen, how large, on one line or wrapped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QSize, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from antidiag.app import theme
from antidiag.app.kit.background import Latest
from antidiag.app.views.aligned import paint, tracks
from antidiag.app.views.aligned.kept import Around
from antidiag.app.views.aligned.picture import Frame, Picture
from antidiag.app.views.aligned.sight import Sight
from antidiag.app.views.aligned.wrapping import Blocks, Mark

NAMES, MOST_NAMES = 124, 240
"""Pixels for the names of rows, at least, which are enough for the titles of tracks, and at most."""
LEAST_ROOM = 68
"""Pixels that tracks leave for rows; of more tracks, those at the top are seen."""
MEASURED = 200
"""Names that are measured for the room that they get."""
REST_MS = 120
"""How long a picture rests until its fine form is made: while it moves, both cores are for the coarse ones."""
UNIT = 16
"""Steps of a scroll bar in a cell."""
MOST_STEPS = 2**30


class AlignmentPlane(QAbstractScrollArea):
    """Shows a picture; ``marks()`` is what draws over its cells now. ``moved()`` says that something else is seen.

    ``wanted`` are the tracks that are switched on, also those that are not of this picture, which are left out where it
    is ``choosy`` and are empty else.
    """

    moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Alignment")
        self.picture: Picture | None = None
        self.frame_ = Frame()
        self.wanted: list[str] = []
        self.choosy = True
        self.letters = "all"
        self.wrapped, self._scrolled = False, 0.0
        self.marks: Callable[[], tuple[Mark, ...]] = tuple
        self.taxa: frozenset[str] = frozenset()
        self.names_width = self._room = NAMES
        self._painted: tuple[Any, np.ndarray] | None = None
        self._around = Around()
        self._sharpening = Latest(self)
        self._sharpening.finished.connect(self._take_sharp)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._sharpen)
        self.horizontalScrollBar().valueChanged.connect(self._on_bars)
        self.verticalScrollBar().valueChanged.connect(self._on_bars)
        self._setting_bars = self._fitted = False

    def sizeHint(self) -> QSize:
        return QSize(800, 500)

    def show_picture(self, picture: Picture | None, fit: bool = True) -> None:
        """Another picture, from its first letters where ``fit``, else from where the last one was."""
        before, self.picture = self.picture, picture
        if picture is not None and (fit or (before is not None and _named(before) != _named(picture))):
            room = self._room_for_names()
            if fit or self.names_width == self._room:  # one that somebody dragged stays
                self.names_width = room
            self._room = room
        self._lay_out()
        if picture is not None and fit:
            self._fitted = False
            self.frame_.cell_width, self.frame_.cell_height = (9.0, 16.0) if self.wrapped else (11.0, 17.0)
            self.frame_.first_column = self.frame_.first_row = 0.0
        self.refresh()

    def _room_for_names(self) -> int:
        """Pixels for the longest of the first names, and of those of collapsed clades, within bounds."""
        folded = [fold.title for fold in self.picture.folds.values()][:MEASURED]
        names = (*self.picture.alignment.names[:MEASURED], *folded)
        widest = max(map(self.fontMetrics().horizontalAdvance, names))
        return min(max(widest + 26, NAMES), MOST_NAMES)

    @property
    def sharp(self) -> bool:
        """Whether what is on the screen is what stays there."""
        return not self._sharpening.busy and not self._rest.isActive()

    def refresh(self) -> None:
        """Paint anew, as after a change of the picture or of the colours."""
        self._painted = None
        self._lay_out()
        if self.picture is not None:
            self.frame_.keep_inside(self.picture.shape)
        self._set_bars()
        self.viewport().update()
        self.moved.emit()

    @property
    def tracks(self) -> list[str]:
        """The tracks that are switched on and can be shown of the picture."""
        every = self.picture is None or not self.choosy
        return [name for name in self.wanted if every or tracks.fits(self.picture, name)]

    def set_tracks(self, shown: list[str]) -> None:
        self.wanted = shown
        self.refresh()

    def wrap(self, on: bool) -> None:
        """Show the columns in blocks below each other, or on one line."""
        self.wrapped, self._fitted = on, False
        if self.picture is not None:
            self.bring(*self.picture.cursor)

    @property
    def seen(self) -> Frame:
        """What is seen, for a map."""
        return self._blocks.seen(self.viewport().height()) if self._blocks is not None else self.frame_

    @property
    def _blocks(self) -> Blocks | None:
        """Where the blocks are, of a picture that is wrapped."""
        if not self.wrapped or self.picture is None:
            return None
        return Blocks(self.frame_, *self.picture.shape, self._scrolled)

    def fit(self) -> None:
        """The whole alignment, also when the canvas gets another size, until something else is looked at."""
        if self.picture is not None:
            self.wrapped = False
            self._lay_out()
            self._fitted = True
            self.frame_.fit_columns(self.picture.shape[1])
            self.frame_.fit_rows(self.picture.shape[0])
            self.refresh()

    def readable(self) -> None:
        """Letters, at the cursor."""
        if self.picture is not None:
            self._fitted = False
            self.frame_.cell_width, self.frame_.cell_height = 11.0, 17.0
            self.bring(*self.picture.cursor)

    def zoom(self, across: float, down: float, at: QPointF | None = None) -> None:
        """Larger or smaller cells, each direction by itself; around a place or the middle."""
        if self.picture is None:
            return
        frame, self._fitted = self.frame_, False
        x = at.x() if at else frame.left + frame.width / 2
        y = at.y() if at else frame.top + frame.height / 2
        frame.zoom(across, down, max(x, frame.left), max(y, frame.top), self.picture.shape)
        self.refresh()

    def bring(self, row: int, column: int) -> None:
        """Scroll so that a cell is seen."""
        frame, shape = self.frame_, self.picture.shape
        if self._blocks is not None:
            self._scrolled = self._blocks.top_for(row, column, self.viewport().height())
            self.refresh()
            return
        across, down = frame.width / frame.cell_width, frame.height / frame.cell_height
        if not frame.first_column <= column <= frame.first_column + across - 1:
            nearer = column - across + 2 if column == frame.first_column + across else column - across / 2
            frame.first_column = nearer
        if not frame.first_row <= row <= frame.first_row + down - 1:
            frame.first_row = row - down / 2
        frame.keep_inside(shape)
        self.refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), QColor(theme.active().panel))
        if self.picture is not None:
            scale, sight = self.viewport().devicePixelRatioF(), self.sight
            if sight.blocks is not None:
                sight.draw_blocks(painter, scale)
            else:
                sight.draw_line(painter, scale, self._body(scale), self._around)
        painter.end()

    @property
    def sight(self) -> Sight:
        """What is seen of the picture."""
        return Sight(self.picture, self.frame_, self._blocks, self.viewport().height(), tuple(self.tracks),
                     tuple(self._tracks_seen), self.letters, self.taxa, self.marks())  # fmt: skip

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fitted:
            self.fit()
        else:
            self.refresh()

    def _settle(self) -> None:
        self.frame_.keep_inside(self.picture.shape)
        self._set_bars()
        self.viewport().update()
        self.moved.emit()

    def _lay_out(self) -> None:
        size, head = self.viewport().size(), paint.head_height(self._tracks_seen)
        self.frame_.left, self.frame_.top = self.names_width + self._notes_width, head
        self.frame_.width = max(1, size.width() - self.frame_.left)
        self.frame_.height = max(1, size.height() - self.frame_.top)

    @property
    def _tracks_seen(self) -> list[str]:
        """The tracks that leave room for rows; blocks below each other have all, as one scrolls through them."""
        seen = list(self.tracks)
        while seen and not self.wrapped and paint.head_height(seen) + LEAST_ROOM > self.viewport().height():
            seen.pop()
        return seen

    @property
    def _notes_width(self) -> int:
        return len(self.picture.notes) * paint.NOTE_WIDTH if self.picture is not None else 0

    def _set_bars(self) -> None:
        if self._blocks is not None:
            self._set_wrapped_bars(self._blocks)
            return
        self._setting_bars = True
        rows, columns = self.picture.shape if self.picture is not None else (0, 0)
        frame = self.frame_
        for bar, count, room, size, first in (
            (self.horizontalScrollBar(), columns, frame.width, frame.cell_width, frame.first_column),
            (self.verticalScrollBar(), rows, frame.height, frame.cell_height, frame.first_row),
        ):
            seen = room / size
            bar.setRange(0, int(min(max(count - seen, 0) * UNIT + 0.01, MOST_STEPS)))
            bar.setPageStep(int(max(seen * UNIT, 1)))
            bar.setSingleStep(UNIT)
            bar.setValue(int(first * UNIT))
        self._setting_bars = False

    def _set_wrapped_bars(self, blocks: Blocks) -> None:
        """One bar of pixels; what is seen stays within all blocks."""
        self._setting_bars = True
        height, bar = self.viewport().height(), self.verticalScrollBar()
        most = int(min(max(blocks.all_height - height, 0), MOST_STEPS))
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
            self.viewport().update()
            self.moved.emit()
            return
        self.frame_.first_column = self.horizontalScrollBar().value() / UNIT
        self.frame_.first_row = self.verticalScrollBar().value() / UNIT
        self.frame_.keep_inside(self.picture.shape)
        self.viewport().update()
        self.moved.emit()

    def _body(self, scale: float) -> np.ndarray:
        """The pixels of the cells: those that are there, or coarse ones while fine ones are made."""
        frame, picture = self.frame_, self.picture
        key = (
            id(picture), picture.version, id(picture.colouring), self.letters, theme.active().name, scale,
            frame.cell_width, frame.cell_height, frame.first_column, frame.first_row, frame.width, frame.height,
        )  # fmt: skip
        if self._painted is None or self._painted[0] != key:
            self._painted = (key, paint.body(picture, frame, scale, paint.COARSE, self.letters))
            if min(frame.cell_width, frame.cell_height) * scale < 1:
                self._rest.start()
            else:
                self._rest.stop()
            self._sharpening.cancel()
        return self._painted[1]

    def _sharpen(self) -> None:
        """Make the fine picture of what is seen, now that it rests."""
        if self._painted is None or self.picture is None:
            return
        key, picture, seen, letters = self._painted[0], self.picture, Frame(**vars(self.frame_)), self.letters
        scale = self.viewport().devicePixelRatioF()
        self._sharpening.request(
            lambda monitor: (key, paint.body(picture, seen, scale, paint.FINE, letters, monitor.update))
        )

    def _take_sharp(self, made: tuple[Any, np.ndarray]) -> None:
        if self._painted is not None and self._painted[0] == made[0]:
            self._painted = made
            self.viewport().update()


def _named(picture: Picture) -> tuple[tuple[str, ...], list[str]]:
    """The names of rows, and of those that share a line."""
    return picture.alignment.names, [fold.title for fold in picture.folds.values()]
