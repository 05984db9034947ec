"""The canvas of an alignment: mouse and keys scroll, select cells and start edits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QWheelEvent

from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture
from antidiag.app.views.aligned.editing.cell_selection import CellSelection
from antidiag.app.views.aligned.widgets import canvas_keys
from antidiag.app.views.aligned.widgets.scroll_plane import ScrollPlane

MIN_NAMES_WIDTH = 40
"""Least pixels for the names."""
GRIP_WIDTH = 4
"""Pixels on either side of the border of the names where the mouse drags it."""
EDITING_KEYS = frozenset({Qt.Key.Key_Delete, Qt.Key.Key_F2, Qt.Key.Key_F4, Qt.Key.Key_F10})
"""Keys without a text that edit."""


class AlignmentCanvas(ScrollPlane):
    """A scrollable alignment with a cursor and selected cells. Signals: ``cell_hovered`` gives the cell under the mouse
    or None, ``column_clicked`` the column of a click that selected nothing, ``selection_changed`` a new selection or
    cursor, ``cells_dragged`` by how many columns to move the selected cells, ``edit_key_pressed`` a key that edits.
    ``gesture_ended`` ends a gesture, so that the next edit is an undo step of its own; ``stop_requested`` is Escape
    while something is ``is_working``."""

    cell_hovered = Signal(object)
    track_hovered = Signal(object)
    selection_changed = Signal()
    cells_dragged = Signal(object)
    edit_key_pressed = Signal(object)
    search_requested = Signal()
    gesture_ended = Signal()
    copy_requested = Signal()
    column_clicked = Signal(int)
    stop_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self._press: tuple[str, tuple[int, int], QPointF] | None = None
        self.anchor = (0, 0)
        self._selection_part = "cells"
        self.is_working: Callable[[], bool] = lambda: False
        self._held_selection: CellSelection | None = None
        self._moved_by = 0

    def show_picture(self, picture: AlignmentPicture | None, fit: bool = True) -> None:
        """Show a picture; ``fit`` starts at its first letters, else the view stays where it is."""
        self._held_selection = None
        super().show_picture(picture, fit)

    def nearest_visible_column(self, column: int) -> int:
        """Return a column, or the one nearest to it that is visible where columns are not wrapped."""
        if self.wrapped:
            return column
        frame, last = self.frame_, self.picture.shape[1] - 1
        first = max(math.ceil(frame.first_column), 0)
        stop = math.floor(frame.first_column + frame.width / frame.cell_width)
        return min(max(min(column, stop - 1), first), last)

    def go_to(self, row: int, column: int) -> None:
        """Put the cursor on a cell and scroll to it."""
        self.gesture_ended.emit()
        self.move_cursor(row, column)

    def select_cells(self, rows: np.ndarray | None, columns: np.ndarray | None) -> None:
        """Select shown rows and columns given as masks; None selects all of them."""
        shown = self._mask_rows(self.picture.order)
        columns = np.ones(self.picture.shape[1], bool) if columns is None else np.array(columns, bool)
        self.picture.cell_selection = CellSelection.select_block(shown if rows is None else shown & rows, columns)
        self._held_selection = None
        self.gesture_ended.emit()
        self.viewport().update()
        self.selection_changed.emit()

    def hold_selection(self) -> None:
        """Keep the selected cells and let the next block begin at the cursor."""
        self._held_selection, self.anchor = self.picture.cell_selection, self.picture.cursor

    def clear_selection(self) -> None:
        """Select nothing."""
        self._held_selection, self._selection_part, self.anchor = None, "cells", self.picture.cursor
        self.picture.cell_selection = CellSelection.select_nothing(self.picture.alignment.letters.shape)
        self.gesture_ended.emit()
        self.viewport().update()
        self.selection_changed.emit()

    def event(self, event: QEvent) -> bool:
        # These keys belong to the focused canvas, not to the window's shortcuts.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and canvas_keys.claims_key(self, event)
        ):
            event.accept()
            return True
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.picture is None:
            return
        turned, modifiers = event.angleDelta(), event.modifiers()
        notch = turned.y() or turned.x()
        factor = canvas_keys.ZOOM_STEP ** (notch / 120)
        if modifiers & canvas_keys.Control:
            both = not modifiers & (canvas_keys.Shift | canvas_keys.Alt)
            across = factor if both or modifiers & canvas_keys.Shift else 1.0
            self.zoom_cells(across, factor if both or modifiers & canvas_keys.Alt else 1.0, event.position())
            return
        along = turned.x() or (notch if modifiers & canvas_keys.Shift else 0)
        down = 0 if modifiers & canvas_keys.Shift else turned.y()
        self._scrolled -= down / 120 * 60
        self.frame_.first_column -= along / 120 * 60 / self.frame_.cell_width
        self.frame_.first_row -= down / 120 * 60 / self.frame_.cell_height
        self._update_view()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.picture is None:
            return
        self.gesture_ended.emit()
        place, where = event.position(), self._part_at(event.position())
        cell = self._cell_at(place)
        adding, extending = bool(event.modifiers() & canvas_keys.Control), bool(event.modifiers() & canvas_keys.Shift)
        if event.button() is Qt.MouseButton.MiddleButton:
            self._press = ("pan", cell, place)
            return
        if event.button() is not Qt.MouseButton.LeftButton or where == "none":
            return
        inside = where == "cells" and not (adding or extending) and self._is_selected(cell)
        self._press = ("move" if inside else where, cell, place)
        self._moved_by = 0
        if where == "border" or inside:
            return
        self._held_selection = self.picture.cell_selection if adding else None
        self._selection_part = where
        if not extending:
            self.anchor = cell
        self.picture.cursor = cell
        self._select_to(cell, where, click=not (adding or extending) and where == "cells")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.picture is None:
            return
        place = event.position()
        if self._press is None:
            border = self._part_at(place) == "border"
            self.viewport().setCursor(Qt.CursorShape.SplitHCursor if border else Qt.CursorShape.ArrowCursor)
            self.cell_hovered.emit(self._cell_at(place) if self._part_at(place) == "cells" else None)
            self.track_hovered.emit(self._track_at(place) if self._part_at(place) == "columns" else None)
            return
        kind, cell, start = self._press
        if kind == "border":
            self.names_width = min(
                max(int(place.x()) - self._notes_width, MIN_NAMES_WIDTH), self.viewport().width() // 2
            )
            self.repaint_all()
        elif kind == "pan":
            self.frame_.first_column -= (place.x() - start.x()) / self.frame_.cell_width
            self.frame_.first_row -= (place.y() - start.y()) / self.frame_.cell_height
            self._scrolled -= place.y() - start.y()
            self._press = (kind, cell, place)
            self._update_view()
        elif kind == "move":
            by = round((place.x() - start.x()) / self.frame_.cell_width)
            if by != self._moved_by:
                self.cells_dragged.emit(by - self._moved_by)
                self._moved_by = by
        else:
            self._scroll_at_edge(place, kind)
            self.picture.cursor = self._cell_at(place)
            still = (
                kind == "cells" and self.picture.cursor == cell and self._held_selection is None and self.anchor == cell
            )
            self._select_to(self.picture.cursor, kind, click=still)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._press is not None and self.picture is not None:
            kind, cell, _ = self._press
            if kind == "cells" and self.picture.cell_selection.is_empty:
                self.column_clicked.emit(cell[1])
            elif kind == "move" and not self._moved_by:
                self.picture.cursor = self.anchor = cell
                self.clear_selection()
        self._press = None

    def leaveEvent(self, event: Any) -> None:
        self.cell_hovered.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.picture is None or canvas_keys.handle_key(self, event):
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif event.text() or event.key() in EDITING_KEYS:
            self.edit_key_pressed.emit(event)
        else:
            super().keyPressEvent(event)

    def cursor_corner(self) -> QPoint:
        """Return the lower right corner of the cursor's cell, where a menu opens."""
        row, column = self.picture.cursor
        blocks, frame = self._wrapped_blocks, self.frame_
        place = blocks.cell_corner(row, column) if blocks else QPointF(frame.column_x(column + 1), frame.row_y(row + 1))
        rect = self.viewport().rect()
        return QPoint(min(max(int(place.x()), 0), rect.right()), min(max(int(place.y()), 0), rect.bottom()))

    def select_whole_lines(self, by_rows: bool) -> None:
        """Extend the selection, or the cursor if nothing is selected, to whole rows or columns."""
        picture, choice = self.picture, self.picture.cell_selection
        line, column = picture.cursor
        self._begin_selection()
        if by_rows:
            some = self._mask_rows(picture.order[line : line + 1]) if choice.is_empty else choice.rows
            self.select_cells(some, None)
        else:
            some = np.arange(picture.shape[1]) == column if choice.is_empty else choice.columns
            self.select_cells(None, some)
        self._selection_part = "names" if by_rows else "columns"

    def move_cursor(self, row: int, column: int, selecting: bool = False) -> None:
        """Move the cursor to a cell; ``selecting`` selects the cells from the anchor to it."""
        rows, columns = self.picture.shape
        if selecting:
            self._begin_selection()
        self.picture.cursor = (min(max(row, 0), rows - 1), min(max(column, 0), columns - 1))
        self.scroll_to(*self.picture.cursor)
        if selecting:
            self._select_to(self.picture.cursor, self._selection_part)
        else:
            self._selection_part = "cells"
            self.anchor = self.picture.cursor
            self.selection_changed.emit()

    def _begin_selection(self) -> None:
        if self.picture.cell_selection.is_empty:
            self.anchor, self._selection_part = self.picture.cursor, "cells"

    def _select_to(self, cell: tuple[int, int], where: str, click: bool = False) -> None:
        """Select from the anchor to a cell; a click alone selects nothing."""
        shape = self.picture.alignment.letters.shape
        choice = CellSelection.select_nothing(shape)
        if not click:
            (top, bottom), (left, right) = (sorted(pair) for pair in zip(self.anchor, cell, strict=True))
            lines = slice(None) if where == "columns" else slice(top, bottom + 1)
            columns = np.zeros(shape[1], bool)
            columns[slice(None) if where == "names" else slice(left, right + 1)] = True
            choice = (self._held_selection or choice).add_block(self._mask_rows(self.picture.order[lines]), columns)
        self.picture.cell_selection = choice
        self.viewport().update()
        self.selection_changed.emit()

    def _is_selected(self, cell: tuple[int, int]) -> bool:
        return self.picture.cell_selection.holds_cell(int(self.picture.order[cell[0]]), cell[1])

    def _mask_rows(self, lines: np.ndarray) -> np.ndarray:
        rows = np.zeros(len(self.picture.alignment.names), bool)
        rows[self.picture.list_rows(lines)] = True
        return rows

    def _part_at(self, position: QPointF) -> str:
        """Return the part of the canvas at a position: border, names, columns (the head), cells or none."""
        frame, (rows, columns) = self.frame_, self.picture.shape
        if self._wrapped_blocks is not None:
            frame, position = self._wrapped_blocks.block_at(position)
            columns = min(columns, int(frame.first_column) + self._wrapped_blocks.block_columns)
        if abs(position.x() - frame.left + 3) <= GRIP_WIDTH:
            return "border"
        if position.y() < frame.top:
            return "columns" if position.x() > frame.left and frame.column_at(position.x()) < columns else "none"
        if frame.row_at(position.y()) >= rows:
            return "none"
        return "names" if position.x() < frame.left else "cells" if frame.column_at(position.x()) < columns else "none"

    def _track_at(self, position: QPointF) -> tuple[str, int] | None:
        """Return the track at a position, and the column; None beside the tracks."""
        column = self._cell_at(position)[1]
        if self._wrapped_blocks is not None:
            _, position = self._wrapped_blocks.block_at(position)
        top = tracks.RULER_HEIGHT
        for name in self.shown_tracks:
            if top <= position.y() < top + tracks.track_height(name):
                return name, column
            top += tracks.track_height(name)
        return None

    def _cell_at(self, position: QPointF) -> tuple[int, int]:
        frame, (rows, columns) = self.frame_, self.picture.shape
        if self._wrapped_blocks is not None:
            frame, position = self._wrapped_blocks.block_at(position)
        row, column = frame.row_at(position.y()), frame.column_at(position.x())
        return min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)

    def _scroll_at_edge(self, place: QPointF, kind: str) -> None:
        """Scroll while the mouse is dragged over an edge."""
        frame = self.frame_
        if kind != "names":
            over = min(place.x() - frame.left, 0) + max(place.x() - frame.left - frame.width, 0)
            frame.first_column += over / frame.cell_width / 4
        if kind != "columns":
            over = min(place.y() - frame.top, 0) + max(place.y() - frame.top - frame.height, 0)
            frame.first_row += over / frame.cell_height / 4
        self._scrolled += (min(place.y(), 0) + max(place.y() - self.viewport().height(), 0)) / 4
        self._update_view()
