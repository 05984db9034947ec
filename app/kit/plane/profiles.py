"""Two profiles as the plane's views take two sequences, and their columns at its borders: logos, and letters.

Where single cells are seen a column has its logo and the letter of its consensus; where they are not, what it tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app.kit import logo
from antidiag.app.kit.ink import font
from antidiag.app.theme import Theme
from antidiag.kernels.model import Sequence
from antidiag.kernels.profiles import columns
from antidiag.kernels.profiles.problem import ProfileProblem, ProfileSequenceProblem
from antidiag.kernels.profiles.profile import Profile
from antidiag.kernels.profiles.scoring import ColumnScoring, Span
from antidiag.kernels.scoring import Mode

Problem = ProfileProblem | ProfileSequenceProblem
LOGO, LETTERS = 34, 18
"""Pixels of the logos along a border, and of the letters between them and the table."""
BORDER = LOGO + LETTERS
READABLE = 9
"""Pixels of a column from which its letter is written."""
LEAST_STACK = 3


@dataclass(frozen=True, eq=False)
class ProfilePlane:
    """The problem as a plane of two sequences, which are the consensus of each profile."""

    problem: Problem
    swapped: bool = False

    @property
    def profiles(self) -> tuple[Profile, Profile]:
        return self.problem.profiles

    @cached_property
    def sequences(self) -> tuple[Sequence, Sequence]:
        first, second = (Sequence(one.name, one.consensus.encode("ascii"), one.type) for one in self.profiles)
        return first, second

    @property
    def first(self) -> Sequence:
        return self.sequences[0]

    @property
    def second(self) -> Sequence:
        return self.sequences[1]

    @property
    def columns(self) -> int:
        """Columns of the table, along which strips are cut."""
        return len(self.second)

    @property
    def scoring(self) -> ColumnScoring:
        return self.problem.scoring

    @property
    def mode(self) -> Mode:
        """Whether scores begin at 0, or are those of a border."""
        return Mode.LOCAL if self.problem.span is Span.LOCAL else Mode.GLOBAL

    def text(self, axis: int, place: int) -> str:
        """A column in a few letters: 'G 0.64 A 0.21'; of a sequence its letter."""
        profile = self.profiles[axis]
        if not place:
            return f"before {profile.name}"
        found = columns.leading(profile, place - 1, 3)
        return found[0][0] if len(found) == 1 else " ".join(f"{symbol} {share:.2f}" for symbol, share in found)


def draw(
    painter: QPainter, x: tuple[float, float], y: tuple[float, float], spans: tuple[tuple[int, int], tuple[int, int]],
    view: QRectF, plane: ProfilePlane, hovered: tuple[int, int] | None, theme: Theme,
) -> None:  # fmt: skip
    """The columns of the first profile along the left edge of the ``view``, those of the second along the upper one.

    ``x`` and ``y`` are pixels of cell 0 and from one cell to the next; ``spans`` the rows and columns that are seen.
    """
    painter.save()
    top = QRectF(view.left(), view.top(), view.width(), BORDER)
    left = QRectF(view.left(), view.top(), BORDER, view.height())
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.fillRect(top, QColor(theme.panel))
    _along(painter, plane, 1, x, spans[1], top, hovered, theme)
    painter.fillRect(left, QColor(theme.panel))
    _along(painter, plane, 0, y, spans[0], left, hovered, theme)
    painter.fillRect(QRectF(left.left(), top.top(), BORDER, BORDER), QColor(theme.panel))
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.drawLine(top.bottomLeft(), top.bottomRight())
    painter.drawLine(left.topRight(), left.bottomRight())
    painter.restore()


def _along(
    painter: QPainter, plane: ProfilePlane, axis: int, scale: tuple[float, float], span: tuple[int, int], area: QRectF,
    hovered: tuple[int, int] | None, theme: Theme,
) -> None:  # fmt: skip
    """One border: ``axis`` 0 runs down, 1 to the right."""
    profile, (zero, each) = plane.profiles[axis], scale
    first, last = max(span[0], 1), span[1]
    if first >= last:
        return
    if each < LEAST_STACK:
        _bars(painter, profile, axis, scale, (first, last), area, theme)
        return
    letters = profile.alphabet[:-1]
    heights = columns.logo(profile, first - 1, last - 1)
    edges = zero + each * (np.arange(first, last) - 0.5)
    readable = each >= READABLE
    room = LOGO if readable else BORDER - 2
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_one = logo.draw if axis else logo.draw_aside
    boxes = [
        QRectF(at, area.top() + 1, each, room - 1) if axis else QRectF(area.left() + 1, at, room - 1, each)
        for at in edges.tolist()
    ]
    draw_one(painter, boxes, heights, columns.most_bits(profile), letters, logo.is_protein(profile.type))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    if readable:
        _letters(painter, plane, axis, each, (first, last), edges, area, theme)
    if hovered is not None and first <= hovered[axis] < last:
        at = float(edges[hovered[axis] - first])
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(at, area.top(), each, BORDER) if axis else QRectF(area.left(), at, BORDER, each))


def _letters(
    painter: QPainter, plane: ProfilePlane, axis: int, each: float, span: tuple[int, int], edges: np.ndarray,
    area: QRectF, theme: Theme,
) -> None:  # fmt: skip
    """The letters of the consensus, next to the table."""
    sequence = plane.sequences[axis]
    colours = theme.residues(logo.is_protein(sequence.type))
    painter.setFont(font(int(min(each * 1.1, 13)), bold=True))
    for place, at in zip(range(*span), edges.tolist(), strict=True):
        box = QRectF(at, area.top() + LOGO, each, LETTERS) if axis else QRectF(area.left() + LOGO, at, LETTERS, each)
        letter = chr(sequence.letters[place - 1])
        if letter in colours:
            painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), QColor(colours[letter]))
        painter.setPen(QColor(theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)


def _bars(
    painter: QPainter, profile: Profile, axis: int, scale: tuple[float, float], span: tuple[int, int], area: QRectF,
    theme: Theme,
) -> None:  # fmt: skip
    """What the columns tell, the most of those that share a pixel."""
    zero, each = scale
    told = columns.logo(profile, span[0] - 1, span[1] - 1).sum(axis=0)[None, :]
    start, length = zero + each * (span[0] - 0.5), each * told.shape[1]
    pixels = max(min(int(length), told.shape[1]), 1)
    heights = columns.strongest(told, pixels)[0] / columns.most_bits(profile) * (BORDER - 3)
    colour = QColor(theme.accent)
    wide = length / pixels
    for number, height in enumerate(heights.tolist()):
        at = start + number * wide
        bar = (
            QRectF(at, area.bottom() - height, max(wide, 1), height)
            if axis
            else QRectF(area.right() - height, at, height, max(wide, 1))
        )
        painter.fillRect(bar, colour)
