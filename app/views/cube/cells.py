"""The seven ways into a cell of the cube, as seven small cards; the one that is taken stands out."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme
from antidiag.app.kit import result_text
from antidiag.kernels.model import SequenceType
from antidiag.kernels.triple.model import LETTER, ORDER, Cell, TripleProblem
from antidiag.kernels.triple.pictures import slices
from antidiag.kernels.triple.pictures.slices import Candidate, Values

LINES = 5.2
"""Height of a card in lines of text; with affine gaps there are two more."""


class Candidates(QWidget):
    """A card for each candidate of a cell: the letters of its column, the sum, and where it comes from."""

    def __init__(self) -> None:
        super().__init__()
        self.cell: Cell | None = None
        self.found: tuple[Candidate | None, ...] = ()
        self.taken: Candidate | None = None
        self._problem: TripleProblem | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Candidates of the cell")

    def sizeHint(self) -> QSize:
        lines = LINES + 2 * (self._problem is not None and self._problem.affine)
        return QSize(400, round(lines * self.fontMetrics().height()) + 6)

    def show_cell(self, values: Values | None, cell: Cell | None) -> None:
        """The candidates of a cell; None: nothing."""
        self.cell = cell if values is not None else None
        self._problem = values.problem if values is not None else None
        self.found = slices.candidates(values, cell) if values is not None and cell is not None else ()
        self.taken = slices.winner(self.found)
        self.setToolTip("\n".join(self.lines()))
        self.setAccessibleDescription("; ".join(self.lines()))
        self.updateGeometry()
        self.update()

    def lines(self) -> list[str]:
        """The candidates in words, one a line."""
        told = []
        for move, candidate in zip(ORDER, self.found, strict=bool(self.found)) if self.found else ():
            letters = " ".join(self._letters(move))
            if candidate is None:
                told.append(f"{letters}: outside the cube")
            else:
                won = ", taken" if candidate is self.taken else ""
                after = f", {self._after(candidate)}" if candidate.after is not None else ""
                told.append(f"{letters}: from {place(candidate.before)}{after}: {self.sum_text(candidate)}{won}")
        return told

    def sum_text(self, candidate: Candidate) -> str:
        """'312 + 12 = 324'; with affine gaps also what opens: '312 \u2212 22 + 12 = 302'."""
        return " ".join((*self._terms(candidate), f"= {self._score(candidate.value)}"))

    def _terms(self, candidate: Candidate) -> tuple[str, str]:
        """The value of the cell before, and what the column adds to it."""
        opening = f"{result_text.MINUS} {self._score(candidate.opening)} " if candidate.opening else ""
        sign = result_text.MINUS if candidate.column < 0 else "+"
        return self._score(candidate.best_before), f"{opening}{sign} {self._score(abs(candidate.column))}"

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.found or self._problem is None:
            return
        width = (self.width() - theme.SPACING * 6) / 7
        for number, (move, candidate) in enumerate(zip(ORDER, self.found, strict=True)):
            box = QRectF(number * (width + theme.SPACING), 1, width, self.height() - 2)
            self._draw_card(painter, box, move, candidate)

    def _draw_card(self, painter: QPainter, box: QRectF, move: int, candidate: Candidate | None) -> None:
        active, line = theme.active(), self.fontMetrics().height()
        won = candidate is not None and candidate is self.taken
        painter.setPen(QPen(QColor(active.accent if won else active.border), 2 if won else 1))
        painter.setBrush(QColor(active.selection if won else active.panel))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), theme.RADIUS, theme.RADIUS)
        self._draw_letters(painter, QRectF(box.left(), box.top() + 4, box.width(), line + 2), move)
        value = 2 if self._problem.affine else 1
        for number, words in enumerate(self.card_lines(candidate)):
            lit = won and number in (value, value + 1)
            told = active.accent if lit else active.text if number == value else active.muted
            painter.setPen(QColor(told))
            area = QRectF(box.left() + 3, box.top() + 7 + (1 + number) * (line + 1), box.width() - 6, line)
            shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(area.width()))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, shown)

    def card_lines(self, candidate: Candidate | None) -> list[str]:
        """What a card says below its letters, in lines that a narrow card has room for."""
        if candidate is None:
            return ["outside"]
        tied = self.taken is not None and candidate.value == self.taken.value
        standing = "taken" if candidate is self.taken else "equal" if tied else ""
        terms = self._terms(candidate)
        sums = terms if candidate.after is not None else (" ".join(terms),)
        return [*sums, f"= {self._score(candidate.value)}", standing, self._after(candidate)]

    def _after(self, candidate: Candidate) -> str:
        """The state that the cell before is best left from: which letters its last column has."""
        if candidate.after is None:
            return ""
        return f"after {' '.join('x' if candidate.after & bit else '-' for bit in LETTER)}"

    def _draw_letters(self, painter: QPainter, box: QRectF, move: int) -> None:
        letters = self._letters(move)
        protein = self._problem.first.type == SequenceType.PROTEIN
        residues = theme.active().residues(protein)
        size = box.height()
        left = box.center().x() - 1.5 * size
        for number, letter in enumerate(letters):
            place_ = QRectF(left + number * size, box.top(), size, size)
            if letter in residues:
                painter.fillRect(place_.adjusted(1, 0, -1, 0), QColor(residues[letter]))
            painter.setPen(QColor(theme.active().text if letter != "-" else theme.active().muted))
            painter.drawText(place_, Qt.AlignmentFlag.AlignCenter, letter)

    def _letters(self, move: int) -> list[str]:
        """The column of a move before the cell; '.' where there is no letter."""
        return [
            "-" if not move & bit else chr(sequence.letters[at - 1]) if at else "."
            for sequence, at, bit in zip(self._problem.sequences, self.cell, LETTER, strict=True)
        ]

    def _score(self, value: int) -> str:
        return result_text.number(self._problem.scoring.unscaled(value))


def place(cell: Cell) -> str:
    """'(54, 59, 60)' with thousands separated."""
    return f"({', '.join(f'{value:,}' for value in cell)})"
