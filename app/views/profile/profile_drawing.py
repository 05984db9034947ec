"""Drawing of a profile: a logo, and below it the frequencies of the same columns as a heat map."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit.canvas.letter_canvas import LetterCanvas
from antidiag.app.kit.painting import heat_map, sequence_logo
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.kernels.profiles.column_scores import sequence_logo as columns
from antidiag.kernels.profiles.profile import Profile

LEFT = 34  # pixels on the left for the symbols and the scale of the logo
GAP = 8
LOGO_SHARE = 0.4
LEAST_LOGO, LEAST_ROW = 48.0, 7.0
READABLE_ROW = 9.0


@dataclass
class DrawnProfile:
    """A profile and the parts that are drawn; ``hovered`` is the column and the symbol under the mouse."""

    profile: Profile
    parts: set[str] = field(default_factory=lambda: {"logo", "heat", "numbers"})
    map_name: str = "viridis"
    hovered: tuple[int, int | None] | None = None


@dataclass(frozen=True)
class ProfileAreas:
    """Rectangles of the logo and the heat map, empty where they are not drawn."""

    logo: QRectF
    heat: QRectF

    def symbol_at(self, y: float, symbols: int) -> int | None:
        """Return the row of the heat map at a pixel, or None."""
        inside = self.heat.height() > 0 and self.heat.top() <= y < self.heat.bottom()
        return int((y - self.heat.top()) / self.heat.height() * symbols) if inside else None


def split_area(canvas: LetterCanvas, shown: DrawnProfile, height: float) -> ProfileAreas:
    """Return the areas of logo and heat map below the ruler, within ``height`` pixels."""
    top, left = canvas.content_top + 2, float(canvas.left)
    width, room = max(canvas.width() - left - 8, 1), max(height - top - 4, 1)
    both = {"logo", "heat"} <= shown.parts
    high = 0.0
    if "logo" in shown.parts:
        high = max(min(LOGO_SHARE * room, room - LEAST_ROW * len(shown.profile.alphabet)), LEAST_LOGO) if both else room
    gap = GAP if both else 0
    below = max(room - high - gap, 0) if "heat" in shown.parts else 0.0
    return ProfileAreas(QRectF(left, top, width, high), QRectF(left, top + high + gap, width, below))


def draw_profile(painter: QPainter, canvas: LetterCanvas, shown: DrawnProfile, height: float, pointer: bool) -> None:
    """Draw logo and heat map of the visible columns."""
    place = split_area(canvas, shown, height)
    first, last = canvas.visible_range
    if first >= last:
        return
    with saved_painter_state(painter):
        painter.setClipRect(QRectF(canvas.left, 0, place.logo.width(), height), Qt.ClipOperation.IntersectClip)
        if place.logo.height() > 0:
            _draw_logo(painter, canvas, shown, place.logo, first, last)
        if place.heat.height() > 0:
            _draw_heat(painter, canvas, shown, place.heat, first, last)
        if pointer and shown.hovered is not None:
            _draw_pointer(painter, canvas, shown, place)
    _draw_scale(painter, shown, place.logo)
    _draw_symbols(painter, shown, place.heat)


def _draw_logo(
    painter: QPainter, canvas: LetterCanvas, shown: DrawnProfile, area: QRectF, first: int, last: int
) -> None:
    profile, wide = shown.profile, canvas.letter_width
    heights = columns.logo_heights(profile, first, last)
    groups = min(last - first, max(int(area.width()), 1))
    edges = canvas.x_of(first) + wide * (last - first) / groups * np.arange(groups + 1)
    if groups < last - first:  # several columns per pixel: show the one with the most information
        bits = heights.sum(axis=0)
        starts = np.arange(groups) * bits.size // groups
        ends = np.append(starts[1:], bits.size)
        best = [a + int(bits[a:b].argmax()) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        heights = heights[:, best]
    boxes = [QRectF(a, area.top(), b - a, area.height()) for a, b in pairwise(edges.tolist())]
    letters, protein = profile.alphabet[:-1], sequence_logo.is_protein(profile.type)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, wide >= 3)
    sequence_logo.draw_logo(painter, boxes, heights, columns.maximum_information(profile), letters, protein)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(QColor(theme.active().border), 1))
    painter.drawLine(area.bottomLeft(), area.bottomRight())


def _draw_heat(
    painter: QPainter, canvas: LetterCanvas, shown: DrawnProfile, area: QRectF, first: int, last: int
) -> None:
    values = shown.profile.frequencies[:, first:last]
    pixels = max(int(area.width() * 2), 1)
    if values.shape[1] > pixels:
        values = columns.group_maxima(values, pixels)
    places = heat_map.map_positions(values, 0.0, 1.0)
    target = QRectF(canvas.x_of(first), area.top(), canvas.x_of(last) - canvas.x_of(first), area.height())
    heat_map.draw_sharp_image(painter, target, heat_map.render_image(places, shown.map_name, theme.active().panel))
    high = area.height() / len(shown.profile.alphabet)
    if "numbers" in shown.parts and heat_map.fits_numbers(canvas.letter_width, high):
        painter.setFont(heat_map.number_font(painter.font()))
        for row, column in np.argwhere(values > 0).tolist():
            box = QRectF(canvas.x_of(first + column), area.top() + row * high, canvas.letter_width, high)
            heat_map.draw_number(painter, box, float(values[row, column]), float(places[row, column]), shown.map_name)
    painter.setPen(QPen(QColor(theme.active().border), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(target.intersected(area))


def _draw_pointer(painter: QPainter, canvas: LetterCanvas, shown: DrawnProfile, place: ProfileAreas) -> None:
    assert shown.hovered is not None
    column, symbol = shown.hovered
    painter.setPen(QPen(QColor(theme.active().accent), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    left, wide = canvas.x_of(column), canvas.letter_width
    for area in (place.logo, place.heat):
        if area.height() > 0:
            painter.drawRect(QRectF(left, area.top(), max(wide, 2), area.height()))
    if symbol is not None and wide >= 3:
        high = place.heat.height() / len(shown.profile.alphabet)
        painter.drawRect(QRectF(left, place.heat.top() + symbol * high, wide, high))


def _draw_scale(painter: QPainter, shown: DrawnProfile, area: QRectF) -> None:
    if area.height() <= 0:
        return
    most, line = columns.maximum_information(shown.profile), painter.fontMetrics().height()
    step = 1 if area.height() / most >= line + 2 else 2
    painter.setPen(QColor(theme.active().muted))
    painter.drawLine(area.topLeft() + QPointF(-3, 0), area.bottomLeft() + QPointF(-3, 0))
    for bits in range(0, int(most) + 1, step):
        y = area.bottom() - bits / most * area.height()
        painter.drawLine(QPointF(area.left() - 6, y), QPointF(area.left() - 3, y))
        box = QRectF(0, min(max(y - line / 2, area.top()), area.bottom() - line), area.left() - 9, line)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(bits))


def _draw_symbols(painter: QPainter, shown: DrawnProfile, area: QRectF) -> None:
    alphabet = shown.profile.alphabet
    high = area.height() / len(alphabet)
    if high < READABLE_ROW:
        return
    with saved_painter_state(painter):
        painter.setFont(heat_map.name_font(painter.font(), high))
        painter.setPen(QColor(theme.active().text))
        for row, symbol in enumerate(alphabet):
            box = QRectF(0, area.top() + row * high, area.left() - 9, high)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, symbol)
