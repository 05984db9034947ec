"""The page of the comparison window that shows two alignments of the same sequences against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from PySide6.QtWidgets import QWidget

from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.controls.widgets import ElidedComboBox
from antidiag.app.kit.selection import Selection
from antidiag.kernels.errors import InputError
from antidiag.kernels.model import Result
from antidiag.kernels.msa.problem import MsaAnswer


class AlignmentPage(QWidget):
    """One of two multiple alignments with the other below: scores of the comparison, marks, and steps between
    differences, as the viewer has them."""

    def __init__(self, results: Sequence[Result], names: Sequence[str], pairs: Sequence[tuple[int, int]]) -> None:
        from antidiag.app.views.aligned.view import AlignmentViewer  # most of what the window loads

        super().__init__()
        self._alignments = [
            replace(result.answer.alignment, name=name) if isinstance(result.answer, MsaAnswer) else None
            for result, name in zip(results, names, strict=True)
        ]
        self.chosen, self.viewer = ElidedComboBox(), AlignmentViewer(Selection(self))
        self.chosen.setAccessibleName("Alignments to compare")
        for pair in pairs:
            self.chosen.addItem(" and ".join(names[number] for number in pair), pair)
        self.chosen.setVisible(len(pairs) > 1)
        self.chosen.currentIndexChanged.connect(self._show_pair)
        column_of(self.chosen, (self.viewer, 1), parent=self)
        self._show_pair()

    def _show_pair(self) -> None:
        first, second = (self._alignments[number] for number in self.chosen.currentData())
        self.viewer.show_alignment(first)
        try:
            self.viewer.comparison.compare_with(second, visible=True)
        except InputError as error:
            self.viewer.show_status(str(error))


def make_alignment_page(results: Sequence[Result], names: Sequence[str]) -> AlignmentPage | None:
    """Return the page for these results; None without two multiple alignments of the same rows."""
    pairs = [
        pair for pair in combinations(range(len(results)), 2) if _are_comparable(*(results[number] for number in pair))
    ]
    return AlignmentPage(results, names, pairs) if pairs else None


def _are_comparable(first: Result, second: Result) -> bool:
    answers = first.answer, second.answer
    if not all(isinstance(answer, MsaAnswer) for answer in answers):
        return False
    one, other = (frozenset(answer.alignment.names) for answer in answers)
    return one == other
