"""Layers over the dot plot: matches as lines, letters of single cells, and the path."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app.kit.painting.fonts_and_colours import cell_font
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.kit.plane import cells as plane_cells
from antidiag.app.kit.plane import layers as plane_layers
from antidiag.app.kit.plane.matrix_picture import MatrixFrame, MatrixPicture
from antidiag.app.theme import Theme
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.pictures.word_windows import DotWindow

LAYERS = {"forward": "Equal words", "reverse": "Reverse complements", "path": "Path", "ends": "Start and end"}
PATH_PIXELS, PATH_OPACITY = 7, 90
THINNEST, WIDEST = 1.6, 5.0
SMALLEST_LETTERED = 20  # pixels of the smallest cell with a letter


@dataclass
class DotLayers:
    """The window to draw over a picture, and the layers that are switched on."""

    picture: MatrixPicture
    window: DotWindow | None = None
    layers: set[str] = field(default_factory=lambda: set(LAYERS))

    @property
    def is_nucleotide(self) -> bool:
        """Whether both sequences are nucleotides, so that words can be reverse complements."""
        return all(sequence.type != SequenceType.PROTEIN for sequence in self.picture.problem.sequences)

    @property
    def shows_runs(self) -> bool:
        """Whether single matches are drawn."""
        return self.window is not None and self.window.runs is not None


def draw_layers(painter: QPainter, frame: MatrixFrame, what: DotLayers, theme: Theme) -> None:
    """Draw all layers that are switched on, from the lowest to the highest."""
    plane_layers.draw_border(painter, frame, theme)
    if frame.shows_cells:
        _draw_cells(painter, frame, what, theme)
    if "path" in what.layers and what.picture.has_layer("path"):
        _draw_path(painter, frame, what.picture, theme)
    if what.shows_runs and not frame.shows_cells:
        _draw_runs(painter, frame, what, theme)


def pointer_colour(theme: Theme) -> QColor:
    """Return the colour of the lines through the cell under the mouse."""
    line = QColor(theme.text)
    line.setAlpha(120)
    return line


def equal_letters(what: DotLayers, frame: MatrixFrame) -> np.ndarray:
    """Return for each visible cell whether its two letters are equal, bool; False at the border."""
    first, second = (
        _cell_letters(sequence, low, high)
        for sequence, (low, high) in zip(what.picture.problem.sequences, (frame.rows, frame.columns), strict=True)
    )
    return (first[:, None] == second[None, :]) & (first[:, None] > 0)


def _cell_letters(sequence: Sequence, low: int, high: int) -> np.ndarray:
    """Return the letters of cells low .. high - 1, with U as T, and 0 for cell 0."""
    found = sequence.letter_array[max(low - 1, 0) : high - 1].copy()
    if sequence.type != SequenceType.PROTEIN:
        found[found == ord("U")] = ord("T")
    return found if low else np.concatenate((np.zeros(1, np.uint8), found))


def _visible_runs(frame: MatrixFrame, what: DotLayers) -> np.ndarray:
    """Return the indices of the visible runs of strands that are switched on."""
    runs = what.window.runs
    seen = (runs.first < frame.rows[1]) & (runs.first + runs.lengths >= frame.rows[0])
    seen &= (runs.second < frame.columns[1]) & (runs.second + runs.lengths >= frame.columns[0])
    on = np.where(runs.reverse, "reverse" in what.layers, "forward" in what.layers)
    return np.flatnonzero(seen & on)


def _draw_runs(painter: QPainter, frame: MatrixFrame, what: DotLayers, theme: Theme) -> None:
    """Draw a line for each run, from the corner of its first cell to the corner of its last."""
    runs, width = what.window.runs, min(frame.column_width, frame.row_height)
    with saved_painter_state(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        visible = _visible_runs(frame, what)
        for strand, colour in ((True, theme.reverse), (False, theme.forward)):
            own = visible[runs.reverse[visible] == strand]
            top, left, lengths = runs.first[own] + 0.5, runs.second[own] + 0.5, runs.lengths[own]
            start, end = (left + lengths, left) if strand else (left, left + lengths)
            ends = np.stack((start, top, end, top + lengths), axis=1).tolist()
            lines = [QLineF(frame.x(x0), frame.y(y0), frame.x(x1), frame.y(y1)) for x0, y0, x1, y1 in ends]
            painter.setPen(QPen(QColor(colour), min(max(0.5 * width, THINNEST), WIDEST), c=Qt.PenCapStyle.FlatCap))
            painter.drawLines(lines)


def _draw_cells(painter: QPainter, frame: MatrixFrame, what: DotLayers, theme: Theme) -> None:
    """Tint cells of equal letters, fill cells of matches, and write letters where there is room."""
    with saved_painter_state(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        equal = np.argwhere(equal_letters(what, frame)) + (frame.rows[0], frame.columns[0])
        inks = dict.fromkeys(map(tuple, equal.tolist()), theme.text)
        tint = QColor(theme.boundary)
        tint.setAlpha(150)
        for cell in inks:
            painter.fillRect(_cell_box(frame, cell), tint)
        for cell, colour in matched_cells(frame, what, theme).items():
            painter.fillRect(_cell_box(frame, cell), QColor(colour))
            inks[cell] = theme.panel
        plane_cells.draw_grid(painter, frame)
        size = min(frame.column_width, frame.row_height)
        if size >= SMALLEST_LETTERED:
            painter.setFont(cell_font(min(int(0.55 * size), 16)))
            for cell, colour in inks.items():
                painter.setPen(QColor(colour))
                letter = chr(what.picture.problem.sequences[0].letters[cell[0] - 1])
                painter.drawText(_cell_box(frame, cell), Qt.AlignmentFlag.AlignCenter, letter)


def matched_cells(frame: MatrixFrame, what: DotLayers, theme: Theme) -> dict[tuple[int, int], str]:
    """Return the visible cells of matches, with the colours of their strands."""
    if not what.shows_runs:
        return {}
    runs, found = what.window.runs, {}
    for number in _visible_runs(frame, what).tolist():
        first, second, length = int(runs.first[number]), int(runs.second[number]), int(runs.lengths[number])
        reverse = bool(runs.reverse[number])
        for i in range(max(first + 1, frame.rows[0]), min(first + length + 1, frame.rows[1])):
            j = second + length - (i - 1 - first) if reverse else second + i - first
            if frame.columns[0] <= j < frame.columns[1]:
                found[i, j] = theme.reverse if reverse else theme.forward
    return found


def _cell_box(frame: MatrixFrame, cell: tuple[int, int]) -> QRectF:
    i, j = cell
    return QRectF(frame.x(j - 0.5), frame.y(i - 0.5), frame.column_width, frame.row_height)


def _draw_path(painter: QPainter, frame: MatrixFrame, what: MatrixPicture, theme: Theme) -> None:
    """Draw the path as a broad translucent line, or as frames around single cells."""
    if frame.shows_cells:
        cells = what.path.sample_cells(frame.rows, frame.columns)
        plane_cells.draw_path(painter, frame, {(i, j) for i, j in cells.tolist()}, theme)
        return
    colour = QColor(theme.path)
    colour.setAlpha(PATH_OPACITY)
    with saved_painter_state(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour, PATH_PIXELS, c=Qt.PenCapStyle.FlatCap, j=Qt.PenJoinStyle.RoundJoin))
        painter.drawPolyline(plane_layers.visible_path_line(frame, what))
