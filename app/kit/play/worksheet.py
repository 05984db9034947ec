"""Worksheets as PDF: a page of tasks, and a page of solutions, of the exercises of a seed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QMarginsF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPageSize, QPainter, QPdfWriter

from antidiag.app.kit.play.look import Look
from antidiag.app.kit.play.picture import Picture
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.plays import telling
from antidiag.kernels.plays.exercises import Exercise
from antidiag.kernels.plays.model import Play, number
from antidiag.kernels.text import counted

DOTS, MARGIN = 96, 40
"""Dots an inch, and of the margins."""
LINE = 17.0
LINE_TO_WRITE_ON = "________"


def save(path: Path, exercises: Sequence[Exercise]) -> None:
    """Two pages for each exercise: tasks first, then all solutions. Written all or nothing."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(DOTS)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle("Exercises")
    painter = QPainter(writer)
    area = QRectF(0, 0, writer.width(), writer.height()).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    pages = [(exercise, solved) for solved in (False, True) for exercise in exercises]
    for at, (exercise, solved) in enumerate(pages):
        if at:
            writer.newPage()
        draw(painter, area, exercise, solved)
    painter.end()
    write_bytes(path, [bytes(buffer.data().data())])


def draw(painter: QPainter, area: QRectF, exercise: Exercise, solved: bool) -> None:
    """One page: the recurrence, the table with blanks (or their values), and the questions."""
    y = area.top()
    heading = "Solutions" if solved else "Exercise"
    y = _text(painter, area, y, f"{heading} {exercise.seed}: {exercise.play.title}", 1.5, True)
    typed = "   ".join(f"{name} = {value}" for name, value in exercise.values.items() if value not in ("", None))
    y = _text(painter, area, y, typed, 0.85)
    shown = [table for table in exercise.play.tables if table.formula and not table.aside]
    for table in shown:
        y = _text(painter, area, y, table.formula, 1.0)
    y += LINE / 2
    y = _text(painter, area, y, _task(exercise), 1.0) if not solved else y
    picture = QRectF(area.left(), y + LINE, area.width(), 0.5 * area.height())
    blanks = frozenset() if solved or exercise.before else frozenset(exercise.blanks)
    shares = dict.fromkeys(map(exercise.place, exercise.blanks), 0.4)
    look = Look(step=exercise.step, blanks=blanks, shares=shares, colouring="paths")
    painter.setFont(_font(1.0))
    Picture(exercise.play, look, picture, LINE, curve=False).draw(painter)
    y = picture.bottom() + LINE
    if solved or exercise.before:
        found = [exercise.play.letter(cell) if solved else LINE_TO_WRITE_ON for cell in exercise.blanks]
        words = "     ".join(f"{_left(exercise.play, cell)} = {text}".replace(" ", "\u00a0")
                             for cell, text in zip(exercise.blanks, found, strict=True))  # fmt: skip
        y = _text(painter, area, y, words, 1.0 if solved else 1.2) + LINE / 2
    for at, asked in enumerate(exercise.predictions, 1):
        y = _text(painter, area, y, f"{at}. {asked.question}", 1.0)
        marks = ("\u25a0" if solved and place == asked.right else "\u25a1" for place in range(len(asked.options)))
        options = "      ".join(f"{mark} {words}" for mark, words in zip(marks, asked.options, strict=True))
        y = _text(painter, area, y, f"    {options}", 1.0) + LINE / 3


def _task(exercise: Exercise) -> str:
    """What to find."""
    count = counted(len(exercise.blanks), "value")
    if exercise.before:
        told = telling.heading(exercise.play, exercise.step + 1)
        return f"The tables before a step. Its {count} are to be found: {told}"
    return f"Fill in the {count} that are marked with a question mark."


def _left(play: Play, cell: tuple[int, int, int, int]) -> str:
    return play.formula(cell).left if number(play.value(cell)) else ""


def _font(size: float, bold: bool = False) -> QFont:
    font = QFont()
    font.setPixelSize(round(13 * size))
    font.setBold(bold)
    return font


def _text(painter: QPainter, area: QRectF, y: float, text: str, size: float, bold: bool = False) -> float:
    """Write a paragraph; where the next one begins."""
    painter.setFont(_font(size, bold))
    painter.setPen(QColor("#10141a"))
    flags = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop)
    room = QRectF(area.left(), y, area.width(), area.bottom() - y)
    used = painter.boundingRect(room, flags, text)
    painter.drawText(room, flags, text)
    return used.bottom() + 4
