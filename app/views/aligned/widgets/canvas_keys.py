"""Keys of the alignment canvas that move the cursor, select and zoom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

if TYPE_CHECKING:
    from antidiag.app.views.aligned.widgets.alignment_canvas import AlignmentCanvas

ZOOM_STEP = 1.2
"""The zoom factor of a key or of a notch of the wheel."""
ARROWS = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
CONTROL_KEYS = frozenset(
    {Qt.Key.Key_0, Qt.Key.Key_A, Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus, Qt.Key.Key_F}
)
Shift = Qt.KeyboardModifier.ShiftModifier
Control = Qt.KeyboardModifier.ControlModifier
Alt = Qt.KeyboardModifier.AltModifier


def claims_key(canvas: AlignmentCanvas, event: QKeyEvent) -> bool:
    """Whether the focused canvas takes a key that is also a shortcut of the window."""
    if any(event.matches(standard) for standard in (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)):
        return True
    key = Qt.Key(event.key())
    if key == Qt.Key.Key_Escape:
        return canvas.picture is not None and (canvas.is_working() or not canvas.picture.cell_selection.is_empty)
    if key in ARROWS or key in (Qt.Key.Key_Delete, Qt.Key.Key_F2):
        return True
    return bool(event.modifiers() & Control) and key in CONTROL_KEYS


def handle_key(canvas: AlignmentCanvas, event: QKeyEvent) -> bool:
    """Move, select or zoom by a key; return False for any other key."""
    key, modifiers = Qt.Key(event.key()), event.modifiers()
    if key in ARROWS:
        _handle_arrow(canvas, *ARROWS[key], modifiers)
        return True
    return _handle_movement(canvas, key, modifiers) or _handle_zoom(canvas, key, modifiers)


def _handle_arrow(canvas: AlignmentCanvas, down: int, along: int, modifiers: Qt.KeyboardModifier) -> None:
    (rows, _), (row, column) = canvas.picture.shape, canvas.picture.cursor
    choosing = bool(modifiers & Shift)
    moving = modifiers & Control and along and not canvas.picture.cell_selection.is_empty and not choosing
    if not moving:
        canvas.gesture_ended.emit()
    if modifiers & Alt:
        canvas.zoom_cells(ZOOM_STEP**along, ZOOM_STEP**-down)
    elif not modifiers & Control:
        canvas.move_cursor(row + down, column + along, choosing)
    elif down:
        canvas.move_cursor(0 if down < 0 else rows - 1, column, choosing)
    elif moving:
        canvas.cells_dragged.emit(along)
    else:
        canvas.move_cursor(row, _find_next_edge(canvas, row, column, along), choosing)


def _handle_movement(canvas: AlignmentCanvas, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
    (rows, columns), (row, column) = canvas.picture.shape, canvas.picture.cursor
    frame = canvas.frame_
    page = max(1, int(frame.height / frame.cell_height) - 1)
    far = bool(modifiers & Control)
    targets = {
        Qt.Key.Key_Home: (0 if far else row, 0),
        Qt.Key.Key_End: (rows - 1 if far else row, columns - 1),
        Qt.Key.Key_PageUp: (row - page, column),
        Qt.Key.Key_PageDown: (row + page, column),
    }
    if canvas.wrapped and key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
        columns = int(frame.width / frame.cell_width)
        targets[key] = (row, column + columns if key == Qt.Key.Key_PageDown else column - columns)
    if key not in targets:
        return False
    canvas.gesture_ended.emit()
    canvas.move_cursor(*targets[key], selecting=bool(modifiers & Shift))
    return True


def _handle_zoom(canvas: AlignmentCanvas, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
    if key == Qt.Key.Key_Escape and canvas.is_working():
        canvas.stop_requested.emit()
    elif key == Qt.Key.Key_Escape and not canvas.picture.cell_selection.is_empty:
        canvas.clear_selection()
    elif key == Qt.Key.Key_F8 and modifiers & Shift:
        canvas.hold_selection()
    elif key == Qt.Key.Key_Space and modifiers & (Shift | Control):
        canvas.select_whole_lines(by_rows=bool(modifiers & Shift))
    elif not modifiers & Control:
        return False
    elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
        canvas.zoom_cells(ZOOM_STEP, ZOOM_STEP)
    elif key == Qt.Key.Key_Minus:
        canvas.zoom_cells(1 / ZOOM_STEP, 1 / ZOOM_STEP)
    elif key == Qt.Key.Key_0:
        if modifiers & Shift:
            canvas.zoom_to_letters()
        else:
            canvas.fit_all()
    elif key == Qt.Key.Key_A:
        canvas.select_cells(None, None)
    elif key == Qt.Key.Key_F:
        canvas.search_requested.emit()
    else:
        return False
    return True


def _find_next_edge(canvas: AlignmentCanvas, row: int, column: int, along: int) -> int:
    """Return the next column where letters or gaps begin."""
    picture = canvas.picture
    there = picture.line_letters(row) != ord("-")
    edges = np.flatnonzero(np.diff(there.astype(np.int8))) + 1
    place = int(np.searchsorted(edges, column, "right" if along > 0 else "left"))
    if along > 0:
        return int(edges[place]) if place < edges.size else there.size - 1
    return int(edges[place - 1]) if place > 0 else 0
