"""A page about two results, and the choice of the two where more of them can be held against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.background import Latest
from antidiag.app.kit.widgets import Combo
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor

Pair = tuple[int, int]


def pairs_of(results: Sequence[Result], comparable: Callable[[Result, Result], bool]) -> list[Pair]:
    """The numbers of any two results that can be compared."""
    return [(a, b) for a, b in combinations(range(len(results)), 2) if comparable(results[a], results[b])]


class PairPage(QWidget):
    """``compare(pair, monitor)`` compares two on a thread, ``show(pair, found)`` shows that, ``tell(text)`` words."""

    def __init__(
        self,
        page: QWidget,
        names: Sequence[str],
        pairs: Sequence[Pair],
        compare: Callable[[Pair, Monitor], Any],
        show: Callable[[Pair, Any], None],
        tell: Callable[[str], None],
    ) -> None:
        super().__init__()
        self._compare, self._tell = compare, tell
        self.chosen, self._work = Combo(), Latest(self)
        self.chosen.setAccessibleName("Which two results")
        self.chosen.setToolTip("Which two results are held against each other")
        for pair in pairs:
            self.chosen.addItem(" and ".join(names[number] for number in pair), pair)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(self.chosen)
        box.addWidget(page, 1)
        self.chosen.setVisible(len(pairs) > 1)
        self.chosen.currentIndexChanged.connect(self._request)
        self._work.finished.connect(lambda found: show(self.chosen.currentData(), found))
        self._work.failed.connect(lambda error: tell(f"These two cannot be compared: {error}"))
        self._request()

    @property
    def busy(self) -> bool:
        """Whether two are still being compared."""
        return self._work.busy

    def _request(self) -> None:
        pair = self.chosen.currentData()
        self._tell("Comparing\N{HORIZONTAL ELLIPSIS}")
        self._work.request(lambda monitor: self._compare(pair, monitor))
