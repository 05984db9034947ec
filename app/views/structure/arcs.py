"""Arcs: the pairs of a structure as arcs over its letters, with dot-bracket notation below."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit.canvas.letter_canvas import LetterCanvas
from antidiag.app.kit.painting.fonts_and_colours import cell_font
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.views.structure.displayed_structure import DisplayedStructure, kind_colours

LEFT, GAP = 12, 8
BRACKETS = 18  # height in pixels of the dot-bracket row
SHORTEST = 10.0  # height in pixels of an arc between neighbours
LOWEST_PANE = 130  # smallest height in pixels at which arcs can be distinguished


class ArcsPane(LetterCanvas):
    """An arc for every pair, the letters, and the dot-bracket notation."""

    letter_pointed = Signal(object)
    """Sends the letter, or the first letter of the arc, under the mouse, or None."""

    def __init__(self) -> None:
        super().__init__(self.draw, LEFT)
        self.setAccessibleName("Arcs of the structure")
        self.setMinimumHeight(LOWEST_PANE)
        self.shown: DisplayedStructure | None = None
        self._lit: int | None = None
        self.pointed.connect(self._on_pointed)

    def show_structure(self, shown: DisplayedStructure | None) -> None:
        """Show another structure; the visible part stays if the sequence is the same."""
        another = shown is None or shown.sequence is not self.sequence
        self.shown = shown
        if another:
            self._lit = None
            self.show_sequence(shown.sequence if shown else None)
        self.update()

    def highlight_letter(self, letter: int | None) -> None:
        """Highlight a letter and its partner."""
        self._lit = letter
        self.update()

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw the pairs as arcs over the letters."""
        if self.shown is None:
            return
        shown, colours, base = self.shown, theme.active(), self.base_line(area)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        first, last = self.visible_range
        seen = (shown.pairs[:, 1] >= first) & (shown.pairs[:, 0] < last)
        scale = self.height_scale(area, base)
        width = 1.0 if self.letter_width < 3 else 1.6
        for kind, ink in enumerate(kind_colours()):
            painter.setPen(QPen(QColor(ink), width))
            for start, end in shown.pairs[seen & (shown.pair_kinds == kind)].tolist():
                self._draw_arc(painter, start, end, base, scale)
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.drawLine(QPointF(area.left(), base), QPointF(area.right(), base))
        partner = shown.partner_of(self._lit)
        if partner is not None:
            painter.setPen(QPen(QColor(colours.accent), 3))
            self._draw_arc(painter, min(self._lit, partner), max(self._lit, partner), base, scale)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for letter in {self._lit, partner} - {None}:
            painter.fillRect(
                QRectF(self.x_of(letter), base + 1, max(self.letter_width, 2), self.content_top),
                QColor(colours.selection),
            )
        self.draw_ruler(painter, base + 2)
        if self.shows_letters:
            self._draw_brackets(painter, base + 2 + self.content_top)

    def base_line(self, area: QRectF) -> float:
        """Return the y coordinate of the base of the arcs."""
        return area.bottom() - self.content_top - (BRACKETS if self.shows_letters else 0) - GAP

    def height_scale(self, area: QRectF, base: float) -> float:
        """Return height / width of the arcs: half circles, or flatter where they are wide."""
        widest = max((self.shown.pairs[:, 1] - self.shown.pairs[:, 0]).max(initial=1) * self.letter_width, 1)
        return min(0.5, (base - area.top() - GAP) / widest)

    def letter_of(self, place: QPointF) -> int | None:
        """Return the letter at a position, or the first letter of the nearest arc."""
        area = QRectF(self.rect())
        base = self.base_line(area)
        if place.y() >= base:
            return self.letter_at(place.x())
        scale, pairs = self.height_scale(area, base), self.shown.pairs
        left, right = (self.left + (pairs + 0.5 - self.span[0]) * self.letter_width).T
        half = np.maximum((right - left) / 2, 0.5)
        height = np.maximum((right - left) * scale, SHORTEST)
        away = (place.x() - (left + right) / 2) / half
        top = base - height * np.sqrt(np.maximum(1 - away**2, 0))
        distance = np.where(np.abs(away) <= 1, np.abs(top - place.y()), np.inf)
        if not distance.size or distance.min() > 2 * SHORTEST:
            return None
        return int(pairs[distance.argmin(), 0])

    def _draw_arc(self, painter: QPainter, start: int, end: int, base: float, scale: float) -> None:
        left, right = self.x_of(start + 0.5), self.x_of(end + 0.5)
        height = max((right - left) * scale, min(SHORTEST, base))
        painter.drawArc(QRectF(left, base - height, right - left, 2 * height), 0, 180 * 16)

    def _draw_brackets(self, painter: QPainter, top: float) -> None:
        shown, colours = self.shown, theme.active()
        with saved_painter_state(painter):
            painter.setFont(cell_font(min(int(self.letter_width * 1.2), 14), bold=True))
            pair = {self._lit, shown.partner_of(self._lit)} - {None}
            for letter in range(*self.visible_range):
                partner = int(shown.partners[letter])
                sign = "." if partner < 0 else "(" if partner > letter else ")"
                box = QRectF(self.x_of(letter), top, self.letter_width, BRACKETS)
                painter.setPen(QColor(colours.accent if letter in pair else colours.text))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, sign)

    def _on_pointed(self, place: QPointF | None) -> None:
        if self.shown is not None:
            self.letter_pointed.emit(self.letter_of(place) if place is not None else None)
