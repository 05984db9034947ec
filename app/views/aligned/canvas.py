"""The canvas of an alignment: what the mouse and the keys do to what is seen, chosen and edited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from app import theme
from app.kit.background import Latest
from app.views.aligned import keys, paint, tracks, wrapping
from app.views.aligned.picture import Choice, Frame, Picture
from app.views.aligned.wrapping import Blocks

NAMES, LEAST_NAMES, MOST_NAMES = 110, 40, 240
MEASURED = 200
"""Names that are measured for the room that they get."""
GRIP = 4
"""Pixels beside the border of the names in which it is dragged."""
REST_MS = 120
"""How long a picture rests until its fine form is made: while it moves, both cores are for the coarse ones."""
EDITING = frozenset({Qt.Key.Key_Delete, Qt.Key.Key_F2, Qt.Key.Key_F4})
"""Keys without a letter that are typed."""
UNIT = 16
"""Steps of a scroll bar in a cell."""
MOST_STEPS = 2**30
Shift, Control, Alt = (
    Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
)  # fmt: skip


class AlignmentCanvas(QAbstractScrollArea):
    """Shows a picture; ``marked`` draws more over its cells.

    ``pointed((place, column) or None)`` follows the mouse, ``clicked(column)`` is a cell that was clicked alone,
    ``chosen()`` what is chosen or where the cursor is, ``moved()`` what is seen; ``dragged(columns)`` moves the chosen
    cells, ``typed(event)`` is a key that edits, ``searched()`` wants the search, and ``turned()`` says that something
    else begins: what is edited next has nothing to do with what was.
    """

    pointed = Signal(object)
    chosen = Signal()
    moved = Signal()
    dragged = Signal(object)
    typed = Signal(object)
    searched = Signal()
    turned = Signal()
    copied = Signal()
    clicked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Alignment")
        self.viewport().setMouseTracking(True)
        self.picture: Picture | None = None
        self.frame_ = Frame()
        self.tracks: list[str] = []
        self.letters = "all"
        self.wrapped, self._scrolled = False, 0.0
        self.marked: Callable[[QPainter, Picture, Frame], None] | None = None
        self.taxa: frozenset[str] = frozenset()
        self.names_width = NAMES
        self._painted: tuple[Any, np.ndarray] | None = None
        self._press: tuple[str, tuple[int, int], QPointF] | None = None
        self._anchor = (0, 0)
        self._kept: Choice | None = None
        self._moved_by = 0
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
        self.picture, self._kept = picture, None
        self._lay_out()
        if picture is not None and fit:
            self._fitted = False
            self.names_width = self._room_for_names()
            self._lay_out()
            self.frame_.cell_width, self.frame_.cell_height = 11.0, 17.0
            self.frame_.first_column = self.frame_.first_row = 0.0
        self.refresh()

    def _room_for_names(self) -> int:
        """Pixels for the longest of the first names, within bounds."""
        names = self.picture.alignment.names[:MEASURED]
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

    def set_tracks(self, shown: list[str]) -> None:
        self.tracks = shown
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

    def go_to(self, row: int, column: int) -> None:
        """Put the cursor on a cell, and show it."""
        self.turned.emit()
        rows, columns = self.picture.shape
        self.picture.cursor = (min(max(row, 0), rows - 1), min(max(column, 0), columns - 1))
        self._anchor = self.picture.cursor
        self.bring(*self.picture.cursor)
        self.chosen.emit()

    def choose(self, rows: np.ndarray | None, columns: np.ndarray | None) -> None:
        """Choose rows of the alignment, those of them that are shown, and columns, as masks; None for all of them."""
        shown = self._rows_of(self.picture.order)
        columns = np.ones(self.picture.shape[1], bool) if columns is None else np.array(columns, bool)
        self.picture.choice = Choice.of(shown if rows is None else shown & rows, columns)
        self._kept = None
        self.turned.emit()
        self.viewport().update()
        self.chosen.emit()

    def hold_choice(self) -> None:
        """What is chosen stays so, and the next block begins at the cursor."""
        self._kept, self._anchor = self.picture.choice, self.picture.cursor

    def clear_choice(self) -> None:
        self._kept = None
        self.picture.choice = Choice.none(self.picture.alignment.letters.shape)
        self.turned.emit()
        self.viewport().update()
        self.chosen.emit()

    def event(self, event: QEvent) -> bool:
        # While the canvas has the focus these keys are its own, not the window's.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and keys.own(self, event):
            event.accept()
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), QColor(theme.active().panel))
        if self.picture is not None:
            scale = self.viewport().devicePixelRatioF()
            if not self._draw_wrapped(painter, scale):
                self._draw(painter, scale, self._body(scale))
        painter.end()

    def draw(self, painter: QPainter, scale: float) -> None:
        """What is seen, as a figure: in its fine form at once, and the screen stays as it is."""
        if not self._draw_wrapped(painter, scale):
            self._draw(painter, scale, paint.body(self.picture, self.frame_, scale, paint.FINE, self.letters))

    def _draw_wrapped(self, painter: QPainter, scale: float) -> bool:
        """The blocks that are seen; False where the columns are on one line."""
        blocks = self._blocks
        if blocks is not None:
            wrapping.draw(painter, self.picture, blocks, self.viewport().height(), scale, self.tracks, self.letters,
                          self.taxa, self.marked)  # fmt: skip
        return blocks is not None

    def _draw(self, painter: QPainter, scale: float, pixels: np.ndarray) -> None:
        """Cells, which are these pixels, names, tracks and marks."""
        frame = self.frame_
        painter.drawImage(QRectF(frame.left, frame.top, frame.width, frame.height), tracks.as_image(pixels))
        paint.draw_names(painter, self.picture, frame, self.taxa)
        paint.draw_head(painter, self.picture, frame, self.tracks, scale)
        if self.marked is not None:
            self.marked(painter, self.picture, frame)
        paint.draw_marks(painter, self.picture, frame)
        painter.setPen(QColor(theme.active().border))
        painter.drawLine(frame.left - 3, 0, frame.left - 3, frame.top + frame.height)
        painter.drawLine(frame.left, frame.top - 1, frame.left + frame.width, frame.top - 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fitted:
            self.fit()
        else:
            self.refresh()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.picture is None:
            return
        turned, modifiers = event.angleDelta(), event.modifiers()
        notch = turned.y() or turned.x()
        factor = keys.STEP ** (notch / 120)
        if modifiers & Control:
            both = not modifiers & (Shift | Alt)
            across = factor if both or modifiers & Shift else 1.0
            self.zoom(across, factor if both or modifiers & Alt else 1.0, event.position())
            return
        along = turned.x() or (notch if modifiers & Shift else 0)
        down = 0 if modifiers & Shift else turned.y()
        self._scrolled -= down / 120 * 60
        self.frame_.first_column -= along / 120 * 60 / self.frame_.cell_width
        self.frame_.first_row -= down / 120 * 60 / self.frame_.cell_height
        self._settle()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.picture is None:
            return
        self.turned.emit()
        place, where = event.position(), self._where(event.position())
        cell = self._cell(place)
        adding, extending = bool(event.modifiers() & Control), bool(event.modifiers() & Shift)
        if event.button() is Qt.MouseButton.MiddleButton:
            self._press = ("pan", cell, place)
            return
        if event.button() is not Qt.MouseButton.LeftButton or where == "none":
            return
        inside = where == "cells" and not (adding or extending) and self._chosen_at(cell)
        self._press = ("move" if inside else where, cell, place)
        self._moved_by = 0
        if where == "border" or inside:
            return
        self._kept = self.picture.choice if adding else None
        if not extending:
            self._anchor = cell
        self.picture.cursor = cell
        self._choose_to(cell, where, click=not (adding or extending) and where == "cells")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.picture is None:
            return
        place = event.position()
        if self._press is None:
            border = self._where(place) == "border"
            self.viewport().setCursor(Qt.CursorShape.SplitHCursor if border else Qt.CursorShape.ArrowCursor)
            self.pointed.emit(self._cell(place) if self._where(place) == "cells" else None)
            return
        kind, cell, start = self._press
        if kind == "border":
            self.names_width = min(max(int(place.x()) - self._notes_width, LEAST_NAMES), self.viewport().width() // 2)
            self.refresh()
        elif kind == "pan":
            self.frame_.first_column -= (place.x() - start.x()) / self.frame_.cell_width
            self.frame_.first_row -= (place.y() - start.y()) / self.frame_.cell_height
            self._scrolled -= place.y() - start.y()
            self._press = (kind, cell, place)
            self._settle()
        elif kind == "move":
            by = round((place.x() - start.x()) / self.frame_.cell_width)
            if by != self._moved_by:
                self.dragged.emit(by - self._moved_by)
                self._moved_by = by
        else:
            self._scroll_at_edge(place, kind)
            self.picture.cursor = self._cell(place)
            still = kind == "cells" and self.picture.cursor == cell and self._kept is None and self._anchor == cell
            self._choose_to(self.picture.cursor, kind, click=still)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._press and self._press[0] == "cells" and self.picture is not None and self.picture.choice.empty:
            self.clicked.emit(self._press[1][1])
        if self._press and self._press[0] == "move" and not self._moved_by and self.picture is not None:
            self.picture.cursor = self._anchor = self._press[1]
            self.clear_choice()
        self._press = None

    def leaveEvent(self, event: Any) -> None:
        self.pointed.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.picture is None or keys.navigate(self, event):
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copied.emit()
        elif event.text() or event.key() in EDITING:
            self.typed.emit(event)
        else:
            super().keyPressEvent(event)

    def step(self, row: int, column: int, choosing: bool = False) -> None:
        """Put the cursor on another cell; ``choosing``: the cells from where it was are chosen."""
        rows, columns = self.picture.shape
        self.picture.cursor = (min(max(row, 0), rows - 1), min(max(column, 0), columns - 1))
        self.bring(*self.picture.cursor)
        if choosing:
            self._choose_to(self.picture.cursor, "cells")
        else:
            self._anchor = self.picture.cursor
            self.chosen.emit()

    def _choose_to(self, cell: tuple[int, int], where: str, click: bool = False) -> None:
        """Choose from the anchor to a cell; a click alone chooses nothing."""
        shape = self.picture.alignment.letters.shape
        choice = Choice.none(shape)
        if not click:
            (top, bottom), (left, right) = (sorted(pair) for pair in zip(self._anchor, cell, strict=True))
            lines = slice(None) if where == "columns" else slice(top, bottom + 1)
            columns = np.zeros(shape[1], bool)
            columns[slice(None) if where == "names" else slice(left, right + 1)] = True
            choice = (self._kept or choice).add(self._rows_of(self.picture.order[lines]), columns)
        self.picture.choice = choice
        self.viewport().update()
        self.chosen.emit()

    def _chosen_at(self, cell: tuple[int, int]) -> bool:
        return self.picture.choice.holds(int(self.picture.order[cell[0]]), cell[1])

    def _rows_of(self, lines: np.ndarray) -> np.ndarray:
        """A mask of the rows in these lines."""
        rows = np.zeros(len(self.picture.alignment.names), bool)
        rows[self.picture.members(lines)] = True
        return rows

    def _where(self, place: QPointF) -> str:
        """What part of the canvas a place is in: border, names, columns (the head), cells or none."""
        frame, (rows, columns) = self.frame_, self.picture.shape
        if self._blocks is not None:
            frame, place = self._blocks.at(place)
            columns = min(columns, int(frame.first_column) + self._blocks.columns)
        if abs(place.x() - frame.left + 3) <= GRIP:
            return "border"
        if place.y() < frame.top:
            return "columns" if place.x() > frame.left and frame.column(place.x()) < columns else "none"
        if frame.row(place.y()) >= rows:
            return "none"
        return "names" if place.x() < frame.left else "cells" if frame.column(place.x()) < columns else "none"

    def _cell(self, place: QPointF) -> tuple[int, int]:
        frame, (rows, columns) = self.frame_, self.picture.shape
        if self._blocks is not None:
            frame, place = self._blocks.at(place)
        row, column = frame.row(place.y()), frame.column(place.x())
        return min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)

    def _scroll_at_edge(self, place: QPointF, kind: str) -> None:
        """Go on where the mouse is dragged over an edge."""
        frame = self.frame_
        if kind != "names":
            over = min(place.x() - frame.left, 0) + max(place.x() - frame.left - frame.width, 0)
            frame.first_column += over / frame.cell_width / 4
        if kind != "columns":
            over = min(place.y() - frame.top, 0) + max(place.y() - frame.top - frame.height, 0)
            frame.first_row += over / frame.cell_height / 4
        self._scrolled += (min(place.y(), 0) + max(place.y() - self.viewport().height(), 0)) / 4
        self._settle()

    def _settle(self) -> None:
        self.frame_.keep_inside(self.picture.shape)
        self._set_bars()
        self.viewport().update()
        self.moved.emit()

    def _lay_out(self) -> None:
        size = self.viewport().size()
        self.frame_.left, self.frame_.top = self.names_width + self._notes_width, paint.head_height(self.tracks)
        self.frame_.width = max(1, size.width() - self.frame_.left)
        self.frame_.height = max(1, size.height() - self.frame_.top)

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
            lambda monitor: (key, paint.body(picture, seen, scale, paint.FINE, letters, monitor.check))
        )

    def _take_sharp(self, made: tuple[Any, np.ndarray]) -> None:
        if self._painted is not None and self._painted[0] == made[0]:
            self._painted = made
            self.viewport().update()
