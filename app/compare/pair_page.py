"""A page that compares two results, with a box that selects the two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from PySide6.QtWidgets import QWidget

from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.controls.widgets import ElidedComboBox
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor

ResultPair = tuple[int, int]


def find_pairs(results: Sequence[Result], comparable: Callable[[Result, Result], bool]) -> list[ResultPair]:
    """Return the index pairs of results that can be compared."""
    return [(a, b) for a, b in combinations(range(len(results)), 2) if comparable(results[a], results[b])]


class PairPage(QWidget):
    """Compares two results on a thread. ``compare(pair, monitor)`` runs on the thread, ``show(pair, found)`` shows its
    result, ``report(text)`` shows a status."""

    def __init__(
        self,
        page: QWidget,
        names: Sequence[str],
        pairs: Sequence[ResultPair],
        compare: Callable[[ResultPair, Monitor], Any],
        show: Callable[[ResultPair, Any], None],
        report: Callable[[str], None],
    ) -> None:
        super().__init__()
        self._compare, self._tell = compare, report
        self.chosen = ElidedComboBox()
        self._work = LatestTask(
            self,
            lambda found: show(self.chosen.currentData(), found),
            lambda error: report(f"Comparison failed: {error}"),
        )
        self.chosen.setAccessibleName("Results to compare")
        self.chosen.setToolTip("Results to compare")
        for pair in pairs:
            self.chosen.addItem(" and ".join(names[number] for number in pair), pair)
        column_of(self.chosen, (page, 1), parent=self)
        self.chosen.setVisible(len(pairs) > 1)
        self.chosen.currentIndexChanged.connect(self._request_comparison)
        self._request_comparison()

    @property
    def busy(self) -> bool:
        """Whether a comparison is running."""
        return self._work.busy

    def _request_comparison(self) -> None:
        pair = self.chosen.currentData()
        self._tell("Comparing\N{HORIZONTAL ELLIPSIS}")
        self._work.request(lambda monitor: self._compare(pair, monitor))
