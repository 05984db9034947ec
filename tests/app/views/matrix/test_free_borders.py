"""Where an alignment may begin and end: the borders that the matrix marks in every mode."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage, QPainter, QTransform

from antidiag.app import theme as themes
from antidiag.app.kit.plane import layers
from antidiag.app.kit.plane.matrix_picture import MatrixFrame
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.scoring import NO_FREE_ENDS, FreeEnds, Mode, Scoring, match_mismatch
from tests.problems import sequence

CELL, ROWS, COLUMNS = 20, 6, 9
SCORING = Scoring(match_mismatch(2, -4), 4, 2, 24, 1)
MARKED = {
    Mode.LOCAL: (NO_FREE_ENDS, ""),
    Mode.GLOBAL: (NO_FREE_ENDS, ""),
    Mode.OVERLAP: (NO_FREE_ENDS, "top bottom left right"),
    Mode.QUERY_IN_TARGET: (NO_FREE_ENDS, "top bottom"),
    Mode.CUSTOM: (FreeEnds(first_start=True, second_end=True), "bottom left"),
}
"""The chosen ends and the borders that are marked; a local alignment may begin and end in every cell."""


@pytest.mark.parametrize("mode", list(Mode))
def test_the_borders_where_an_alignment_may_begin_or_end_are_marked(qtbot: Any, mode: Mode) -> None:
    chosen, borders = MARKED[mode]
    problem = PairProblem(sequence("A" * ROWS), sequence("A" * COLUMNS), SCORING, mode, chosen)
    marked = draw_marked_borders(problem)
    assert marked == set(borders.split())
    if mode is not Mode.LOCAL:  # and the reference lets paths begin and end there, and nowhere else
        may_end = reference.mark_ends(reference.encode_pair(problem))
        assert ("bottom" in marked) == bool(may_end[-1, 1:-1].all())
        assert ("right" in marked) == bool(may_end[1:-1, -1].all())
        assert not may_end[:-1, :-1].any()


def draw_marked_borders(problem: PairProblem) -> set[str]:
    """Return the borders of which most of the middle has the colour of free borders."""
    width, height = (COLUMNS + 1) * CELL, (ROWS + 1) * CELL
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    half = CELL / 2
    frame = MatrixFrame(QTransform(CELL, 0, 0, CELL, half, half), (0, ROWS + 1), (0, COLUMNS + 1))
    painter = QPainter(image)
    layers._draw_free_borders(painter, frame, SimpleNamespace(problem=problem), themes.active())
    painter.end()
    accent, middle_x, middle_y = QColor(themes.active().accent).rgb(), width // 2 + 3, height // 2 + 3
    places = {
        "top": (middle_x, 0),
        "bottom": (middle_x, height - 1),
        "left": (0, middle_y),
        "right": (width - 1, middle_y),
    }
    return {name for name, (x, y) in places.items() if image.pixel(x, y) == accent}
