"""The comparison of two alignments of the same sequences in both directions, and how its differences are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from antidiag.app import theme
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture, CellFrame
from antidiag.kernels.alignments import alignment_kind, comparison
from antidiag.kernels.alignments.column_statistics import ColumnCounts, count_columns
from antidiag.kernels.alignments.comparison import AlignmentAgreement
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.monitor import Monitor

MIN_MARKED_CELL = 5.0
"""Least pixels of a cell for letters aligned differently to be underlined."""


@dataclass(frozen=True, eq=False)
class AlignmentComparison:
    """A comparison in both directions. ``other_agreement`` says for each column of the other alignment which of its
    pairs this one has, ``own_agreement`` the reverse; ``other_counts`` are the column counts of the other alignment."""

    alignment: AlignedSequences
    other: AlignedSequences
    other_agreement: AlignmentAgreement
    own_agreement: AlignmentAgreement
    other_counts: ColumnCounts

    @cached_property
    def other_rows(self) -> np.ndarray:
        """The row of the other alignment with the same name as each row here, -1 for none, int64."""
        return _match_names(self.alignment.names, self.other.names)

    @cached_property
    def own_rows(self) -> np.ndarray:
        """The row here with the same name as each row of the other alignment, -1 for none, int64."""
        return _match_names(self.other.names, self.alignment.names)

    @property
    def score_text(self) -> str:
        """SP and TC in words."""
        text = "SP {:.3f}, TC {:.3f} over all columns".format(*self.other_agreement.scores())
        core = comparison.core_columns(self.other)
        if core is not None:
            text += "; SP {:.3f}, TC {:.3f} over core blocks".format(*self.other_agreement.scores(core))
        if self.other_agreement.rows < len(self.other.names):
            text += f" of the {self.other_agreement.rows:,} shared rows"
        whole, paired = int(self.own_agreement.whole.sum()), int((self.own_agreement.pairs > 0).sum())
        return f"{text}; {whole:,} of {paired:,} columns of this alignment are in it"


def compare_alignments(
    alignment: AlignedSequences, other: AlignedSequences, monitor: Monitor | None = None
) -> AlignmentComparison:
    """Compare two alignments in both directions; InputError if they are not of the same sequences."""
    rows = alignment_kind.as_arrays(alignment)
    there = comparison.compare_test_columns(other, rows, monitor)
    here = comparison.compare_test_columns(rows, other, monitor)
    return AlignmentComparison(alignment, other, there, here, count_columns(other.letters, monitor, other.type))


def _match_names(names: tuple[str, ...], others: tuple[str, ...]) -> np.ndarray:
    places = {name: row for row, name in enumerate(others)}
    return np.array([places.get(name, -1) for name in names], np.int64)


def fill_partners(partner: np.ndarray) -> np.ndarray:
    """Return partners of all columns; a column without one gets the partner of the column before."""
    if not (partner >= 0).any():
        return np.zeros(partner.size, np.int64)
    places = np.where(partner >= 0, np.arange(partner.size), -1)
    before = np.maximum.accumulate(places)
    before[before < 0] = int(np.argmax(partner >= 0))
    return partner[before]


def mark_differences(
    painter: QPainter,
    picture: AlignmentPicture,
    frame: CellFrame,
    other: AlignedSequences,
    rows: np.ndarray,
    partner: np.ndarray,
) -> None:
    """Underline letters that the other alignment puts into another column than most of their column."""
    if min(frame.cell_width, frame.cell_height) < MIN_MARKED_CELL:
        return
    (first, last), (left, right) = frame.visible_rows(picture.shape[0]), frame.visible_columns(picture.shape[1])
    colour = QColor(theme.active().error)
    for place in range(first, last):
        row = int(picture.order[place])
        if row in picture.folds or rows[row] < 0:
            continue
        letters = picture.alignment.letters[row]
        there = comparison.matching_columns(letters, other.letters[rows[row]])[left:right]
        for column in np.flatnonzero((letters[left:right] != GAP) & (there != partner[left:right])).tolist():
            underline = QRectF(frame.column_x(left + column), frame.row_y(place + 1) - 2.5, frame.cell_width, 2.5)
            painter.fillRect(underline & frame.body_box, colour)
