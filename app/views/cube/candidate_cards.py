"""The seven candidates for the value of a cell of the cube, as seven small cards; the chosen one is highlighted."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme
from antidiag.app.kit.results import result_text
from antidiag.kernels.model import SequenceType
from antidiag.kernels.triple.model import LETTER_BITS, MOVE_ORDER, Cell, TripleProblem
from antidiag.kernels.triple.pictures import slices
from antidiag.kernels.triple.pictures.slices import Candidate, CubeValues

CARD_LINES = 5.2  # height of a card in lines of text; affine gaps need two more


class CandidateCards(QWidget):
    """A card for each candidate of a cell: its alignment column, its sum, and the cell it comes from."""

    def __init__(self) -> None:
        super().__init__()
        self.cell: Cell | None = None
        self.candidates: tuple[Candidate | None, ...] = ()
        self.chosen: Candidate | None = None
        self._problem: TripleProblem | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Candidates of the cell")

    def sizeHint(self) -> QSize:
        lines = CARD_LINES + 2 * (self._problem is not None and self._problem.has_affine_gaps)
        return QSize(400, round(lines * self.fontMetrics().height()) + 6)

    def show_cell(self, values: CubeValues | None, cell: Cell | None) -> None:
        """Show the candidates of a cell, or nothing."""
        self.cell = cell if values is not None else None
        self._problem = values.problem if values is not None else None
        self.candidates = slices.list_candidates(values, cell) if values is not None and cell is not None else ()
        self.chosen = slices.choose_winner(self.candidates)
        self.setToolTip("\n".join(self.candidate_lines()))
        self.setAccessibleDescription("; ".join(self.candidate_lines()))
        self.updateGeometry()
        self.update()

    def candidate_lines(self) -> list[str]:
        """Return one line of text for each candidate."""
        found = []
        for move, candidate in (
            zip(MOVE_ORDER, self.candidates, strict=bool(self.candidates)) if self.candidates else ()
        ):
            letters = " ".join(self._column_letters(move))
            if candidate is None:
                found.append(f"{letters}: outside the cube")
            else:
                won = ", chosen" if candidate is self.chosen else ""
                after = f", {self._gap_state_text(candidate)}" if candidate.after is not None else ""
                found.append(f"{letters}: from {format_cell(candidate.before)}{after}: {self.sum_text(candidate)}{won}")
        return found

    def sum_text(self, candidate: Candidate) -> str:
        """Return a text such as '312 + 12 = 324', or with a gap opening '312 \u2212 22 + 12 = 302'."""
        return " ".join((*self._sum_terms(candidate), f"= {self._score_text(candidate.value)}"))

    def _sum_terms(self, candidate: Candidate) -> tuple[str, str]:
        """Return the value of the previous cell and the score of the column as text."""
        opening = f"{result_text.MINUS} {self._score_text(candidate.opening)} " if candidate.opening else ""
        sign = result_text.MINUS if candidate.column < 0 else "+"
        return self._score_text(candidate.best_before), f"{opening}{sign} {self._score_text(abs(candidate.column))}"

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.candidates or self._problem is None:
            return
        width = (self.width() - theme.SPACING * 6) / 7
        for number, (move, candidate) in enumerate(zip(MOVE_ORDER, self.candidates, strict=True)):
            box = QRectF(number * (width + theme.SPACING), 1, width, self.height() - 2)
            self._draw_card(painter, box, move, candidate)

    def _draw_card(self, painter: QPainter, box: QRectF, move: int, candidate: Candidate | None) -> None:
        active, line = theme.active(), self.fontMetrics().height()
        won = candidate is not None and candidate is self.chosen
        painter.setPen(QPen(QColor(active.accent if won else active.border), 2 if won else 1))
        painter.setBrush(QColor(active.selection if won else active.panel))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), theme.RADIUS, theme.RADIUS)
        self._draw_letters(painter, QRectF(box.left(), box.top() + 4, box.width(), line + 2), move)
        value = 2 if self._problem.has_affine_gaps else 1
        for number, words in enumerate(self.card_lines(candidate)):
            lit = won and number in (value, value + 1)
            painter.setPen(QColor(active.accent if lit else active.text if number == value else active.muted))
            area = QRectF(box.left() + 3, box.top() + 7 + (1 + number) * (line + 1), box.width() - 6, line)
            shorter = words, words.removeprefix("= ")  # in a narrow card only the value; the tooltip has all
            fitting = (text for text in shorter if painter.fontMetrics().horizontalAdvance(text) <= area.width())
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, next(fitting, ""))

    def card_lines(self, candidate: Candidate | None) -> list[str]:
        """Return the short lines of text below the letters of a card."""
        if candidate is None:
            return ["outside"]
        tied = self.chosen is not None and candidate.value == self.chosen.value
        standing = "chosen" if candidate is self.chosen else "equal" if tied else ""
        terms = self._sum_terms(candidate)
        sums = terms if candidate.after is not None else (" ".join(terms),)
        return [*sums, f"= {self._score_text(candidate.value)}", standing, self._gap_state_text(candidate)]

    def _gap_state_text(self, candidate: Candidate) -> str:
        """Return the gap state of the previous cell, as the letters and gaps of its last column."""
        if candidate.after is None:
            return ""
        return f"after {' '.join('x' if candidate.after & bit else '-' for bit in LETTER_BITS)}"

    def _draw_letters(self, painter: QPainter, box: QRectF, move: int) -> None:
        letters = self._column_letters(move)
        protein = self._problem.first.type == SequenceType.PROTEIN
        residues = theme.active().residues(protein)
        size = min(box.height(), box.width() / 3.2)
        left = box.center().x() - 1.5 * size
        for number, letter in enumerate(letters):
            place_ = QRectF(left + number * size, box.top(), size, box.height())
            if letter in residues:
                painter.fillRect(place_.adjusted(1, 0, -1, 0), QColor(residues[letter]))
            painter.setPen(QColor(theme.active().text if letter != "-" else theme.active().muted))
            painter.drawText(place_, Qt.AlignmentFlag.AlignCenter, letter)

    def _column_letters(self, move: int) -> list[str]:
        """Return the alignment column of a move into the cell; '.' where there is no letter."""
        return [
            "-" if not move & bit else chr(sequence.letters[end - 1]) if end else "."
            for sequence, end, bit in zip(self._problem.sequences, self.cell, LETTER_BITS, strict=True)
        ]

    def _score_text(self, value: int) -> str:
        return result_text.format_number(self._problem.scoring.unscale_score(value))


def format_cell(cell: Cell) -> str:
    """Return a cell as '(54, 59, 60)', with thousands separators."""
    return f"({', '.join(f'{value:,}' for value in cell)})"
