"""StructureView: which letters of a folded sequence pair, as arcs and as dots and brackets."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPen

from app import theme
from app.kit.ink import font
from app.kit.legend import LegendItem
from app.kit.letter_canvas import LetterCanvas
from app.kit.painted_view import PaintedView
from app.kit.selection import Selection
from app.kit.widgets import tool_button
from kernels.folding.problem import FoldingAnswer
from kernels.model import Result
from kernels.text import counted

LEFT, GAP = 12, 8
BRACKETS = 18
"""Pixels of the row of dots and brackets under the arcs."""
SHORTEST = 10.0
"""Pixels of the height of an arc between neighbours."""
KINDS = {"CG": "C-G pair", "AU": "A-U pair", "GU": "G-U pair"}


class StructureView(PaintedView):
    """An arc for every pair, the letters below, and the dot-bracket text under them."""

    id = "structure"
    title = "Structure"
    hint = "Point at an arc or a letter to see its pair; wheel to zoom, drag to move, F shows everything"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.line = LetterCanvas(self.draw, LEFT)
        self._pairs = np.empty((0, 2), np.int64)
        self._pointed: int | None = None
        self.tools.addWidget(tool_button("Fit", "Show everything (F)", self.line.fit))
        self.tools.addWidget(tool_button("Copy dot-bracket", "Copy letters and structure as text", self.copy_structure))
        self.lay_out(self.line)
        self.line.pointed.connect(self._on_pointed)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return isinstance(result.answer, FoldingAnswer)

    def show_result(self, result: Result | None) -> None:
        """Show the structure of a result, or nothing."""
        if result is not None and not self.shows(result):
            result = None
        self.result, self._pointed = result, None
        self._pairs = pairs_of(result.answer.partners) if result else np.empty((0, 2), np.int64)
        self._kinds = kinds_of(result.problem.sequence.array, self._pairs) if result else np.empty(0, np.int64)
        self._tools.setEnabled(result is not None)
        self.line.show_sequence(result.problem.sequence if result else None)
        self._describe()
        self.say("")

    def copy_structure(self) -> None:
        """Copy the letters, and below them the dots and brackets."""
        QGuiApplication.clipboard().setText(self.structure_text())
        self.say("Copied the letters and the structure")

    def structure_text(self) -> str:
        """Two lines: letters, dots and brackets."""
        if self.result is None:
            return ""
        return f"{self.result.problem.sequence.letters.decode('ascii')}\n{self.result.answer.dot_bracket}"

    def draw(self, painter: QPainter, area: QRectF) -> None:
        if self.result is None:
            return
        colours = theme.active()
        base = self.base(area)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        first, last = self.line.visible
        seen = (self._pairs[:, 1] >= first) & (self._pairs[:, 0] < last)
        scale = self._scale(area, base)
        inks = self._inks()
        width = 1.0 if self.line.letter_width < 3 else 1.6
        for kind, ink in enumerate(inks):
            painter.setPen(QPen(QColor(ink), width))
            for start, end in self._pairs[seen & (self._kinds == kind)].tolist():
                self._draw_arc(painter, start, end, base, scale)
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.drawLine(QPointF(area.left(), base), QPointF(area.right(), base))
        partner = self._partner(self._pointed)
        if partner is not None:
            painter.setPen(QPen(QColor(colours.accent), 3))
            self._draw_arc(painter, min(self._pointed, partner), max(self._pointed, partner), base, scale)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self.line.draw_ruler(painter, base + 2)
        if self.line.shows_letters:
            self._draw_brackets(painter, base + 2 + self.line.top)

    def base(self, area: QRectF) -> float:
        """The line on which the arcs stand."""
        return area.bottom() - self.line.top - (BRACKETS if self.line.shows_letters else 0) - GAP

    def _scale(self, area: QRectF, base: float) -> float:
        """Pixels of the height of an arc for each pixel of its width: half circles, or flatter where they are wide."""
        widest = max((self._pairs[:, 1] - self._pairs[:, 0]).max(initial=1) * self.line.letter_width, 1)
        return min(0.5, (base - area.top() - GAP) / widest)

    def _draw_arc(self, painter: QPainter, start: int, end: int, base: float, scale: float) -> None:
        left, right = self.line.x_of(start + 0.5), self.line.x_of(end + 0.5)
        height = max((right - left) * scale, min(SHORTEST, base))
        painter.drawArc(QRectF(left, base - height, right - left, 2 * height), 0, 180 * 16)

    def _draw_brackets(self, painter: QPainter, top: float) -> None:
        structure, colours = self.result.answer.dot_bracket, theme.active()
        painter.save()
        painter.setFont(font(min(int(self.line.letter_width * 1.2), 14), bold=True))
        pair = {self._pointed, self._partner(self._pointed)} - {None}
        for letter in range(*self.line.visible):
            box = QRectF(self.line.x_of(letter), top, self.line.letter_width, BRACKETS)
            painter.setPen(QColor(colours.accent if letter in pair else colours.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, structure[letter])
        painter.restore()

    def _inks(self) -> tuple[str, ...]:
        colours = theme.active()
        return colours.series[0], colours.series[1], colours.series[2]

    def _partner(self, letter: int | None) -> int | None:
        partner = int(self.result.answer.partners[letter]) if letter is not None and self.result else -1
        return partner if partner >= 0 else None

    def _on_pointed(self, place: QPointF | None) -> None:
        if self.result is None:
            return
        self._pointed = self.pair_at(place) if place is not None else None
        self.say(self._text(self._pointed) if self._pointed is not None else "")
        self.line.update()

    def pair_at(self, place: QPointF) -> int | None:
        """The letter under a place, or the first letter of the arc next to it."""
        area = QRectF(self.line.rect())
        base = self.base(area)
        if place.y() >= base:
            return self.line.letter_at(place.x())
        scale = self._scale(area, base)
        left, right = (self.line.left + (self._pairs + 0.5 - self.line.span[0]) * self.line.letter_width).T
        half = np.maximum((right - left) / 2, 0.5)
        height = np.maximum((right - left) * scale, SHORTEST)
        away = (place.x() - (left + right) / 2) / half
        top = base - height * np.sqrt(np.maximum(1 - away**2, 0))
        distance = np.where(np.abs(away) <= 1, np.abs(top - place.y()), np.inf)
        if not distance.size or distance.min() > 2 * SHORTEST:
            return None
        return int(self._pairs[distance.argmin(), 0])

    def _text(self, letter: int) -> str:
        letters = self.result.problem.sequence.letters
        words, partner = f"letter {letter + 1:,}: {chr(letters[letter])}", self._partner(letter)
        if partner is None:
            return f"{words}, unpaired"
        return f"{words}, pairs with {partner + 1:,}: {chr(letters[partner])}"

    def _describe(self) -> None:
        if self.result is None:
            self.legend.show_items(())
            return
        counts = np.bincount(self._kinds, minlength=len(KINDS)).tolist()
        items = [
            LegendItem("line", f"{label} ({count:,})", (ink,))
            for label, count, ink in zip(KINDS.values(), counts, self._inks(), strict=True)
            if count
        ]
        loops = f"{counted(len(self._pairs), 'pair')}, loops of {self.result.problem.min_loop} letters or more"
        self.legend.show_items((*items, LegendItem("text", loops)))

    def restyle(self) -> None:
        super().restyle()
        self._describe()


def pairs_of(partners: np.ndarray) -> np.ndarray:
    """First and second letter of each pair, from 0; int64, (pairs, 2)."""
    first = np.flatnonzero(partners > np.arange(partners.size))
    return np.stack((first, partners[first]), axis=1).astype(np.int64)


def kinds_of(letters: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The number of each pair in KINDS; T is U."""
    found = np.zeros(len(pairs), np.int64)
    ends = letters[pairs]
    ends = np.where(ends == ord("T"), ord("U"), ends)
    for number, kind in enumerate(KINDS):
        found[(np.sort(ends, axis=1) == sorted(map(ord, kind))).all(axis=1)] = number
    return found
