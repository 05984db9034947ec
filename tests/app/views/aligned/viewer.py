"""What tests of the alignment viewer share: a small alignment, the mouse, the keys."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.model import SequenceType

ROWS = ("MKVA-LNDSTCCGHW", "MKVAALNESTC-GHW", "MRIA--NDSTC-GHF", "--IAALNDSPCCGHW", "MKVG-LQDSTCCGYW")
Shift, Control, Alt = (
    Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
)  # fmt: skip


def alignment(*rows: str, kind: SequenceType = SequenceType.PROTEIN) -> AlignedSequences:
    letters = np.array([list(row.encode()) for row in rows or ROWS], np.uint8)
    letters.setflags(write=False)
    notes = Annotations(of_columns=(("SS", "H" * letters.shape[1]),))
    return AlignedSequences(tuple(f"row{n}" for n in range(len(letters))), letters, kind, "some", annotations=notes)


def text(view: AlignmentViewer) -> list[str]:
    return [row.tobytes().decode() for row in view.alignment.letters]


def cell(view: AlignmentViewer, row: int, column: int) -> QPointF:
    frame = view.canvas.frame_
    return QPointF(frame.column_x(column + 0.5), frame.row_y(row + 0.5))


def drag(view: AlignmentViewer, start: QPointF, end: QPointF, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
    target = view.canvas.viewport()
    QTest.mousePress(target, Qt.MouseButton.LeftButton, modifiers, start.toPoint())
    QTest.mouseMove(target, end.toPoint())
    QTest.mouseRelease(target, Qt.MouseButton.LeftButton, modifiers, end.toPoint())


def press(view: AlignmentViewer, key: Any, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(view.canvas, key, modifiers)


def chosen(view: AlignmentViewer) -> tuple[list[int], list[int]]:
    choice = view.picture.cell_selection
    return np.flatnonzero(choice.rows).tolist(), np.flatnonzero(choice.columns).tolist()


def image(view: AlignmentViewer) -> QImage:
    return view.canvas.viewport().grab().toImage()
