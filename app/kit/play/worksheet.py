"""Worksheets as PDF: pages of tasks, then pages of solutions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QMarginsF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPageSize, QPainter, QPdfWriter

from antidiag.app.kit.painting.fonts_and_colours import resized_font
from antidiag.app.kit.play.play_picture import PlayPicture
from antidiag.app.kit.play.view_options import PlayLook
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.text import format_count
from antidiag.kernels.walkthroughs import animation_text
from antidiag.kernels.walkthroughs.animation import Animation, format_number
from antidiag.kernels.walkthroughs.exercises import Exercise

DOTS_PER_INCH, MARGIN = 96, 40  # dots per inch, and of the margins
LINE_PIXELS = 17.0
LINE_TO_WRITE_ON = "________"


def save_worksheet(path: Path, exercises: Sequence[Exercise]) -> None:
    """Write all tasks, then all solutions, one page each."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(DOTS_PER_INCH)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle("Exercises")
    painter = QPainter(writer)
    area = QRectF(0, 0, writer.width(), writer.height()).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    pages = [(exercise, solved) for solved in (False, True) for exercise in exercises]
    for at, (exercise, solved) in enumerate(pages):
        if at:
            writer.newPage()
        draw_page(painter, area, exercise, solved)
    painter.end()
    write_bytes(path, [bytes(buffer.data().data())])


def draw_page(painter: QPainter, area: QRectF, exercise: Exercise, solved: bool) -> None:
    """Draw one page: the recurrence, the table with blanks or values, and the questions."""
    y = area.top()
    heading = "Solutions" if solved else "Exercise"
    y = _draw_paragraph(painter, area, y, f"{heading} {exercise.seed}: {exercise.play.title}", 1.5, True)
    typed = "   ".join(f"{label}: {value}" for label, value in exercise.given)
    y = _draw_paragraph(painter, area, y, typed, 0.85)
    tables = [exercise.play.tables[number] for number in exercise.shown_tables]
    for formula in dict.fromkeys(table.formula for table in tables if table.formula):
        y = _draw_paragraph(painter, area, y, formula, 1.0)
    y += LINE_PIXELS / 2
    y = _draw_paragraph(painter, area, y, _task_text(exercise), 1.0) if not solved else y
    picture = QRectF(area.left(), y + LINE_PIXELS, area.width(), 0.5 * area.height())
    blanks = frozenset() if solved or exercise.before else exercise.hidden_cells(exercise.blanks)
    shares = dict.fromkeys(map(exercise.shown_cell, exercise.blanks), 0.4)
    look = PlayLook(step=exercise.step, blanks=blanks, shares=shares, colouring="paths", tables=exercise.shown_tables)
    painter.setFont(_sized_font(1.0))
    PlayPicture(exercise.play, look, picture, LINE_PIXELS, curve=False).draw_all(painter)
    y = picture.bottom() + LINE_PIXELS
    if solved or exercise.before:
        found = [exercise.play.format_cell(cell) if solved else LINE_TO_WRITE_ON for cell in exercise.blanks]
        equations = [
            f"{_formula_left(exercise.play, cell)} = {text}" for cell, text in zip(exercise.blanks, found, strict=True)
        ]
        words = "     ".join(equation.replace(" ", "\u00a0") for equation in equations)
        y = _draw_paragraph(painter, area, y, words, 1.0 if solved else 1.2) + LINE_PIXELS / 2
    for at, asked in enumerate(exercise.predictions, 1):
        y = _draw_paragraph(painter, area, y, f"{at}. {asked.question}", 1.0)
        marks = ("\u25a0" if solved and place == asked.right else "\u25a1" for place in range(len(asked.options)))
        options = "      ".join(f"{mark} {words}" for mark, words in zip(marks, asked.options, strict=True))
        y = _draw_paragraph(painter, area, y, f"    {options}", 1.0) + LINE_PIXELS / 3


def _task_text(exercise: Exercise) -> str:
    """Return what the reader has to compute."""
    count = format_count(len(exercise.blanks), "value")
    if exercise.before:
        heading = animation_text.step_heading(exercise.play, exercise.step + 1)
        return f"These are the tables before a step. Compute its {count}: {heading}"
    return f"Fill in the {count} marked with a question mark."


def _formula_left(play: Animation, cell: tuple[int, int, int, int]) -> str:
    return play.find_formula(cell).left if format_number(play.cell_value(cell)) else ""


def _sized_font(size: float, bold: bool = False) -> QFont:
    return resized_font(QFont(), 13 * size, bold)


def _draw_paragraph(painter: QPainter, area: QRectF, y: float, text: str, size: float, bold: bool = False) -> float:
    """Write a paragraph; return where the next one begins."""
    painter.setFont(_sized_font(size, bold))
    painter.setPen(QColor("#10141a"))
    flags = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop)
    room = QRectF(area.left(), y, area.width(), area.bottom() - y)
    used = painter.boundingRect(room, flags, text)
    painter.drawText(room, flags, text)
    return used.bottom() + 4
