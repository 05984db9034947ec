"""What is drawn over the dot plot: matches as lines, the letters of single cells, the path and its ends."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app.kit.ink import font
from antidiag.app.kit.plane import cells as plane_cells
from antidiag.app.kit.plane import layers as plane_layers
from antidiag.app.kit.plane.picture import Frame, Picture
from antidiag.app.theme import Theme
from antidiag.app.views.dotplot.data import Part
from antidiag.kernels.model import Sequence, SequenceType

LAYERS = {
    "forward": "Equal words",
    "reverse": "Reverse complements",
    "path": "Path",
    "ends": "Start and end",
}
PATH_PIXELS, PATH_OPACITY = 7, 90
THINNEST, WIDEST = 1.6, 5.0
LETTERED = 20
"""Pixels of a cell from which on its letter is written into it."""


@dataclass
class Dots:
    """What there is to draw over a picture: the window that was computed last, and what of it is switched on."""

    picture: Picture
    part: Part | None = None
    layers: set[str] = field(default_factory=lambda: set(LAYERS))

    @property
    def nucleotides(self) -> bool:
        """Whether words can be reverse complements of each other."""
        return all(sequence.type != SequenceType.PROTEIN for sequence in self.picture.problem.sequences)

    @property
    def shows_runs(self) -> bool:
        """Whether the matches themselves are there to be drawn."""
        return self.part is not None and self.part.runs is not None


def draw(painter: QPainter, frame: Frame, what: Dots, theme: Theme) -> None:
    """All layers that are switched on, from the lowest to the highest."""
    plane_layers.draw_border(painter, frame, theme)
    with_path = "path" in what.layers and what.picture.has("path")
    if frame.shows_cells:
        _draw_cells(painter, frame, what, theme)
    if with_path:
        _draw_path(painter, frame, what.picture, theme)
    if what.shows_runs and not frame.shows_cells:
        _draw_runs(painter, frame, what, theme)


def ink(theme: Theme) -> QColor:
    """The colour of the lines through the place that is pointed at."""
    line = QColor(theme.text)
    line.setAlpha(120)
    return line


def equal_letters(what: Dots, frame: Frame) -> np.ndarray:
    """Of each visible cell, bool: whether its two letters are equal, which those of the border are not."""
    first, second = (
        _letters(sequence, low, high)
        for sequence, (low, high) in zip(what.picture.problem.sequences, (frame.rows, frame.columns), strict=True)
    )
    return (first[:, None] == second[None, :]) & (first[:, None] > 0)


def _letters(sequence: Sequence, low: int, high: int) -> np.ndarray:
    """The letters of cells low .. high - 1, U as T; 0 for cell 0, which has none."""
    found = sequence.array[max(low - 1, 0) : high - 1].copy()
    if sequence.type != SequenceType.PROTEIN:
        found[found == ord("U")] = ord("T")
    return found if low else np.concatenate((np.zeros(1, np.uint8), found))


def _visible_runs(frame: Frame, what: Dots) -> np.ndarray:
    """Numbers of the runs that are switched on and touch the visible part."""
    runs = what.part.runs
    seen = (runs.first < frame.rows[1]) & (runs.first + runs.lengths >= frame.rows[0])
    seen &= (runs.second < frame.columns[1]) & (runs.second + runs.lengths >= frame.columns[0])
    on = np.where(runs.reverse, "reverse" in what.layers, "forward" in what.layers)
    return np.flatnonzero(seen & on)


def _draw_runs(painter: QPainter, frame: Frame, what: Dots, theme: Theme) -> None:
    """A line for each run, from the corner of its first cell to that of its last."""
    runs, width = what.part.runs, min(frame.width, frame.height)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    visible = _visible_runs(frame, what)
    for strand, colour in ((True, theme.reverse), (False, theme.forward)):
        own = visible[runs.reverse[visible] == strand]
        top, left, lengths = runs.first[own] + 0.5, runs.second[own] + 0.5, runs.lengths[own]
        start, end = (left + lengths, left) if strand else (left, left + lengths)
        lines = [
            QLineF(frame.x(x0), frame.y(y0), frame.x(x1), frame.y(y1))
            for x0, y0, x1, y1 in zip(start.tolist(), top.tolist(), end.tolist(), (top + lengths).tolist(), strict=True)
        ]
        painter.setPen(QPen(QColor(colour), min(max(0.5 * width, THINNEST), WIDEST), c=Qt.PenCapStyle.FlatCap))
        painter.drawLines(lines)
    painter.restore()


def _draw_cells(painter: QPainter, frame: Frame, what: Dots, theme: Theme) -> None:
    """Cells of equal letters are tinted, those of matches filled; letters where there is room."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    equal = np.argwhere(equal_letters(what, frame)) + (frame.rows[0], frame.columns[0])
    inks = dict.fromkeys(map(tuple, equal.tolist()), theme.text)
    tint = QColor(theme.boundary)
    tint.setAlpha(150)
    for cell in inks:
        painter.fillRect(_box(frame, cell), tint)
    for cell, colour in matched_cells(frame, what, theme).items():
        painter.fillRect(_box(frame, cell), QColor(colour))
        inks[cell] = theme.panel
    plane_cells.draw_grid(painter, frame)
    size = min(frame.width, frame.height)
    if size >= LETTERED:
        painter.setFont(font(min(int(0.55 * size), 16)))
        for cell, colour in inks.items():
            painter.setPen(QColor(colour))
            letter = chr(what.picture.problem.first.letters[cell[0] - 1])
            painter.drawText(_box(frame, cell), Qt.AlignmentFlag.AlignCenter, letter)
    painter.restore()


def matched_cells(frame: Frame, what: Dots, theme: Theme) -> dict[tuple[int, int], str]:
    """The visible cells of matches that are switched on, and the colours of their strands."""
    if not what.shows_runs:
        return {}
    runs, found = what.part.runs, {}
    for number in _visible_runs(frame, what).tolist():
        first, second, length = int(runs.first[number]), int(runs.second[number]), int(runs.lengths[number])
        reverse = bool(runs.reverse[number])
        for i in range(max(first + 1, frame.rows[0]), min(first + length + 1, frame.rows[1])):
            j = second + length - (i - 1 - first) if reverse else second + i - first
            if frame.columns[0] <= j < frame.columns[1]:
                found[i, j] = theme.reverse if reverse else theme.forward
    return found


def _box(frame: Frame, cell: tuple[int, int]) -> QRectF:
    i, j = cell
    return QRectF(frame.x(j - 0.5), frame.y(i - 0.5), frame.width, frame.height)


def _draw_path(painter: QPainter, frame: Frame, what: Picture, theme: Theme) -> None:
    """A broad translucent line, through which the matches are seen; frames around single cells."""
    if frame.shows_cells:
        cells = what.path.sample(frame.rows, frame.columns)
        plane_cells.draw_path(painter, frame, {(i, j) for i, j in cells.tolist()}, theme)
        return
    colour = QColor(theme.path)
    colour.setAlpha(PATH_OPACITY)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, PATH_PIXELS, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin))
    painter.drawPolyline(plane_layers.path_line(frame, what))
    painter.restore()
