"""Two profiles as the plane of two sequences, and their columns at its borders as logos and letters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app.kit.painting import sequence_logo
from antidiag.app.kit.painting.fonts_and_colours import cell_font
from antidiag.app.theme import Theme
from antidiag.kernels.model import Sequence
from antidiag.kernels.profiles.column_scores import sequence_logo as columns
from antidiag.kernels.profiles.column_scores.scoring import ColumnScoring, ProfileSpan
from antidiag.kernels.profiles.problem import ProfileProblem, ProfileSequenceProblem
from antidiag.kernels.profiles.profile import Profile
from antidiag.kernels.scoring import FreeEnds, Mode

AnyProfileProblem = ProfileProblem | ProfileSequenceProblem
LOGO_PIXELS, LETTERS = 34, 18  # pixels of the logos along a border, and of the letters beside the table
BORDER = LOGO_PIXELS + LETTERS
READABLE_PIXELS = 9  # pixels of a column from which its letter is written
LEAST_STACK = 3


@dataclass(frozen=True, eq=False)
class ProfilePlane:
    """The problem as a plane of two sequences: the consensus of each profile."""

    problem: AnyProfileProblem
    swapped: bool = False

    @property
    def profiles(self) -> tuple[Profile, Profile]:
        """The two profiles."""
        return self.problem.profiles

    @cached_property
    def sequences(self) -> tuple[Sequence, Sequence]:
        """The consensus sequences of the two profiles."""
        first, second = (Sequence(one.name, one.consensus.encode("ascii"), one.type) for one in self.profiles)
        return first, second

    @property
    def first(self) -> Sequence:
        """The consensus of the first profile."""
        return self.sequences[0]

    @property
    def second(self) -> Sequence:
        """The consensus of the second profile."""
        return self.sequences[1]

    @property
    def columns(self) -> int:
        """Columns of the table, along which strips are cut."""
        return len(self.second)

    @property
    def scoring(self) -> ColumnScoring:
        """How columns are scored."""
        return self.problem.scoring

    @property
    def mode(self) -> Mode:
        """Whether scores begin at 0 or at a border."""
        return Mode.LOCAL if self.problem.span is ProfileSpan.LOCAL else Mode.GLOBAL

    @property
    def free_ends(self) -> FreeEnds:
        """The ends whose columns may stay unaligned at no cost."""
        return self.problem.free_ends

    @property
    def is_reversed(self) -> bool:
        """Profiles have no other strand."""
        return False

    def describe_column(self, axis: int, place: int) -> str:
        """Return a column in a few letters: "G 0.64 A 0.21"; for a sequence its letter."""
        profile = self.profiles[axis]
        if not place:
            return f"before {profile.name}"
        found = columns.frequent_symbols(profile, place - 1, 3)
        return found[0][0] if len(found) == 1 else " ".join(f"{symbol} {share:.2f}" for symbol, share in found)


def draw_profile_borders(
    painter: QPainter,
    x: tuple[float, float],
    y: tuple[float, float],
    spans: tuple[tuple[int, int], tuple[int, int]],
    view: QRectF,
    plane: ProfilePlane,
    hovered: tuple[int, int] | None,
    theme: Theme,
) -> None:
    """Draw the columns of the first profile along the left edge of the ``view``, those of the second along the top.
    ``x`` and ``y`` are the pixels of cell 0 and of one cell; ``spans`` are the visible rows and columns."""
    painter.save()
    top = QRectF(view.left(), view.top(), view.width(), BORDER)
    left = QRectF(view.left(), view.top(), BORDER, view.height())
    for axis, scale, area in ((1, x, top), (0, y, left)):
        painter.fillRect(area, QColor(theme.panel))
        _Border(painter, plane, axis, *scale, spans[axis], area, theme).draw(hovered)
    painter.fillRect(QRectF(left.left(), top.top(), BORDER, BORDER), QColor(theme.panel))
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.drawLine(top.bottomLeft(), top.bottomRight())
    painter.drawLine(left.topRight(), left.bottomRight())
    painter.restore()


@dataclass(frozen=True)
class _Border:
    """The columns of one profile along an edge of the plane; ``axis`` 0 runs down, 1 to the right."""

    painter: QPainter
    plane: ProfilePlane
    axis: int
    zero: float
    each: float
    span: tuple[int, int]
    area: QRectF
    theme: Theme

    def draw(self, hovered: tuple[int, int] | None) -> None:
        """Draw logos and letters, or bars where columns are narrow."""
        painter, profile = self.painter, self.plane.profiles[self.axis]
        first, last = max(self.span[0], 1), self.span[1]
        if first >= last:
            return
        if self.each < LEAST_STACK:
            self._draw_bars(profile, first, last)
            return
        heights = columns.logo_heights(profile, first - 1, last - 1)
        edges = (self.zero + self.each * (np.arange(first, last) - 0.5)).tolist()
        readable = self.each >= READABLE_PIXELS
        boxes = [self._box(edge, 1, (LOGO_PIXELS if readable else BORDER - 2) - 1) for edge in edges]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_logo = sequence_logo.draw_logo if self.axis else sequence_logo.draw_sideways_logo
        protein = sequence_logo.is_protein(profile.type)
        draw_logo(painter, boxes, heights, columns.maximum_information(profile), profile.alphabet[:-1], protein)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if readable:
            self._draw_letters(range(first, last), edges)
        if hovered is not None and first <= hovered[self.axis] < last:
            painter.setPen(QPen(QColor(self.theme.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self._box(edges[hovered[self.axis] - first], 0, BORDER))

    def _box(self, edge: float, inset: float, depth: float) -> QRectF:
        """Return the box of a column that begins at ``edge``, ``inset`` pixels from the outer side of the border."""
        if self.axis:
            return QRectF(edge, self.area.top() + inset, self.each, depth)
        return QRectF(self.area.left() + inset, edge, depth, self.each)

    def _draw_letters(self, positions: range, edges: list[float]) -> None:
        """Write the letters of the consensus next to the table."""
        painter, sequence = self.painter, self.plane.sequences[self.axis]
        colours = self.theme.residues(sequence_logo.is_protein(sequence.type))
        painter.setFont(cell_font(int(min(self.each * 1.1, 13)), bold=True))
        for position, edge in zip(positions, edges, strict=True):
            box = self._box(edge, LOGO_PIXELS, LETTERS)
            letter = chr(sequence.letters[position - 1])
            if letter in colours:
                painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), QColor(colours[letter]))
            painter.setPen(QColor(self.theme.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)

    def _draw_bars(self, profile: Profile, first: int, last: int) -> None:
        """Draw the information content of the columns as bars: the largest of those that share a pixel."""
        bits = columns.logo_heights(profile, first - 1, last - 1).sum(axis=0)[None, :]
        start, length = self.zero + self.each * (first - 0.5), self.each * bits.shape[1]
        pixels = max(min(int(length), bits.shape[1]), 1)
        heights = columns.group_maxima(bits, pixels)[0] / columns.maximum_information(profile) * (BORDER - 3)
        width = length / pixels
        for number, height in enumerate(heights.tolist()):
            edge = start + number * width
            bar = QRectF(edge, self.area.bottom() - height, max(width, 1), height)
            if not self.axis:
                bar = QRectF(self.area.right() - height, edge, height, max(width, 1))
            self.painter.fillRect(bar, QColor(self.theme.accent))
