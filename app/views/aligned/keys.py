"""Keys of the canvas of an alignment that move the cursor, choose and zoom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from antidiag.app.views.aligned.picture import Frame, Picture

STEP = 1.2
"""How much larger cells become by a key or a notch of the wheel."""
ARROWS = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
LETTERS = frozenset({Qt.Key.Key_0, Qt.Key.Key_A, Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus, Qt.Key.Key_F})
EDITING = frozenset({Qt.Key.Key_Delete, Qt.Key.Key_F2})
Shift, Control, Alt = (
    Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
)  # fmt: skip


class Canvas(Protocol):
    """What keys act on."""

    picture: Picture | None
    frame_: Frame
    wrapped: bool
    dragged: Any
    turned: Any
    searched: Any
    stopped: Any
    working: Callable[[], bool]

    def step(self, row: int, column: int, choosing: bool = False) -> None: ...
    def zoom(self, across: float, down: float) -> None: ...
    def fit(self) -> None: ...
    def readable(self) -> None: ...
    def choose(self, rows: np.ndarray | None, columns: np.ndarray | None) -> None: ...
    def clear_choice(self) -> None: ...
    def hold_choice(self) -> None: ...
    def choose_whole(self, rows: bool) -> None: ...


def own(canvas: Canvas, event: QKeyEvent) -> bool:
    """Whether a key is the canvas's own where the window has it as a shortcut too."""
    if any(event.matches(standard) for standard in (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)):
        return True
    key = Qt.Key(event.key())
    if key == Qt.Key.Key_Escape:
        return canvas.picture is not None and (canvas.working() or not canvas.picture.choice.empty)
    return (
        key in ARROWS
        or key in (Qt.Key.Key_Delete, Qt.Key.Key_F2)
        or (bool(event.modifiers() & Control) and key in LETTERS)
    )


def navigate(canvas: Canvas, event: QKeyEvent) -> bool:
    """Move, choose or zoom; False for a key that does none of it."""
    key, modifiers = Qt.Key(event.key()), event.modifiers()
    if key in ARROWS:
        _arrow(canvas, *ARROWS[key], modifiers)
        return True
    return _moved(canvas, key, modifiers) or _zoomed(canvas, key, modifiers)


def _arrow(canvas: Canvas, down: int, along: int, modifiers: Qt.KeyboardModifier) -> None:
    (rows, _), (row, column) = canvas.picture.shape, canvas.picture.cursor
    choosing = bool(modifiers & Shift)
    moving = modifiers & Control and along and not canvas.picture.choice.empty and not choosing
    if not moving:
        canvas.turned.emit()
    if modifiers & Alt:
        canvas.zoom(STEP**along, STEP**-down)
    elif not modifiers & Control:
        canvas.step(row + down, column + along, choosing)
    elif down:
        canvas.step(0 if down < 0 else rows - 1, column, choosing)
    elif moving:
        canvas.dragged.emit(along)
    else:
        canvas.step(row, _next_edge(canvas, row, column, along), choosing)


def _moved(canvas: Canvas, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
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
    canvas.turned.emit()
    canvas.step(*targets[key], choosing=bool(modifiers & Shift))
    return True


def _zoomed(canvas: Canvas, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
    if key == Qt.Key.Key_Escape and canvas.working():
        canvas.stopped.emit()
    elif key == Qt.Key.Key_Escape and not canvas.picture.choice.empty:
        canvas.clear_choice()
    elif key == Qt.Key.Key_F8 and modifiers & Shift:
        canvas.hold_choice()
    elif key == Qt.Key.Key_Space and modifiers & (Shift | Control):
        canvas.choose_whole(rows=bool(modifiers & Shift))
    elif not modifiers & Control:
        return False
    elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
        canvas.zoom(STEP, STEP)
    elif key == Qt.Key.Key_Minus:
        canvas.zoom(1 / STEP, 1 / STEP)
    elif key == Qt.Key.Key_0:
        if modifiers & Shift:
            canvas.readable()
        else:
            canvas.fit()
    elif key == Qt.Key.Key_A:
        canvas.choose(None, None)
    elif key == Qt.Key.Key_F:
        canvas.searched.emit()
    else:
        return False
    return True


def _next_edge(canvas: Canvas, row: int, column: int, along: int) -> int:
    """The next column in which letters begin or gaps do."""
    picture = canvas.picture
    there = picture.letters_at(row) != ord("-")
    edges = np.flatnonzero(np.diff(there.astype(np.int8))) + 1
    place = int(np.searchsorted(edges, column, "right" if along > 0 else "left"))
    if along > 0:
        return int(edges[place]) if place < edges.size else there.size - 1
    return int(edges[place - 1]) if place > 0 else 0
