"""The canvas of an alignment: what the mouse and the keys do to what is seen, chosen and edited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QWheelEvent

from antidiag.app.views.aligned import keys
from antidiag.app.views.aligned.picture import Choice, Picture
from antidiag.app.views.aligned.plane import AlignmentPlane

LEAST_NAMES = 40
GRIP = 4
"""Pixels beside the border of the names in which it is dragged."""
EDITING = frozenset({Qt.Key.Key_Delete, Qt.Key.Key_F2, Qt.Key.Key_F4, Qt.Key.Key_F10})
"""Keys without a letter that are typed."""
Shift, Control, Alt = (
    Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
)  # fmt: skip


class AlignmentCanvas(AlignmentPlane):
    """A plane with a cursor and chosen cells.

    ``pointed((place, column) or None)`` follows the mouse, ``clicked(column)`` is a cell that was clicked alone,
    ``chosen()`` what is chosen or where the cursor is; ``dragged(columns)`` moves the chosen cells, ``typed(event)`` is
    a key that edits, ``searched()`` wants the search, and ``turned()`` says that something else begins: what is edited
    next has nothing to do with what was. ``stopped()`` is Escape while something is ``working``.
    """

    pointed = Signal(object)
    chosen = Signal()
    dragged = Signal(object)
    typed = Signal(object)
    searched = Signal()
    turned = Signal()
    copied = Signal()
    clicked = Signal(int)
    stopped = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self._press: tuple[str, tuple[int, int], QPointF] | None = None
        self.anchor = (0, 0)
        self._extends = "cells"
        self.working: Callable[[], bool] = lambda: False
        self._kept: Choice | None = None
        self._moved_by = 0

    def show_picture(self, picture: Picture | None, fit: bool = True) -> None:
        """Another picture, from its first letters where ``fit``, else from where the last one was."""
        self._kept = None
        super().show_picture(picture, fit)

    def go_to(self, row: int, column: int) -> None:
        """Put the cursor on a cell, and show it."""
        self._extends = "cells"
        self.turned.emit()
        rows, columns = self.picture.shape
        self.picture.cursor = (min(max(row, 0), rows - 1), min(max(column, 0), columns - 1))
        self.anchor = self.picture.cursor
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
        self._kept, self.anchor = self.picture.choice, self.picture.cursor

    def clear_choice(self) -> None:
        self._kept, self._extends, self.anchor = None, "cells", self.picture.cursor
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
        self._extends = where
        if not extending:
            self.anchor = cell
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
            still = kind == "cells" and self.picture.cursor == cell and self._kept is None and self.anchor == cell
            self._choose_to(self.picture.cursor, kind, click=still)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._press and self._press[0] == "cells" and self.picture is not None and self.picture.choice.empty:
            self.clicked.emit(self._press[1][1])
        if self._press and self._press[0] == "move" and not self._moved_by and self.picture is not None:
            self.picture.cursor = self.anchor = self._press[1]
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

    def place_of_cursor(self) -> QPoint:
        """Where the cursor's cell ends, for a menu."""
        row, column = self.picture.cursor
        blocks, frame = self._blocks, self.frame_
        place = blocks.corner(row, column) if blocks else QPointF(frame.x(column + 1), frame.y(row + 1))
        rect = self.viewport().rect()
        return QPoint(min(max(int(place.x()), 0), rect.right()), min(max(int(place.y()), 0), rect.bottom()))

    def choose_whole(self, rows: bool) -> None:
        """Choose the whole rows of what is chosen, or the whole columns; of nothing, those of the cursor. Keys that
        choose more go on so."""
        picture, choice = self.picture, self.picture.choice
        line, column = picture.cursor
        self._begin_choice()
        if rows:
            some = self._rows_of(picture.order[line : line + 1]) if choice.empty else choice.rows
            self.choose(some, None)
        else:
            some = np.arange(picture.shape[1]) == column if choice.empty else choice.columns
            self.choose(None, some)
        self._extends = "names" if rows else "columns"

    def step(self, row: int, column: int, choosing: bool = False) -> None:
        """Put the cursor on another cell; ``choosing``: the cells from where it was are chosen."""
        rows, columns = self.picture.shape
        if choosing:
            self._begin_choice()
        self.picture.cursor = (min(max(row, 0), rows - 1), min(max(column, 0), columns - 1))
        self.bring(*self.picture.cursor)
        if choosing:
            self._choose_to(self.picture.cursor, self._extends)
        else:
            self._extends = "cells"
            self.anchor = self.picture.cursor
            self.chosen.emit()

    def _begin_choice(self) -> None:
        """Where nothing is chosen, as after an edit that took it away, keys choose from the cursor on."""
        if self.picture.choice.empty:
            self.anchor, self._extends = self.picture.cursor, "cells"

    def _choose_to(self, cell: tuple[int, int], where: str, click: bool = False) -> None:
        """Choose from the anchor to a cell; a click alone chooses nothing."""
        shape = self.picture.alignment.letters.shape
        choice = Choice.none(shape)
        if not click:
            (top, bottom), (left, right) = (sorted(pair) for pair in zip(self.anchor, cell, strict=True))
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
