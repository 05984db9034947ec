"""RowSplitter: the tree beside the rows of an alignment, which leaves room for columns where it is narrow."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

LEAST_ROWS_WIDTH = 240
"""Pixels of names and columns below which the tree gets narrower."""


class RowSplitter(QSplitter):
    """Shows a side panel and the rows. The panel keeps its width, and is narrower while the rows have little room."""

    def __init__(self, panel: QWidget, rows: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.addWidget(panel)
        self.addWidget(rows)
        self.setStretchFactor(1, 1)
        self.setCollapsible(1, False)
        self._panel = panel
        self._wanted_width = 0
        self.splitterMoved.connect(self._keep_width)

    def setSizes(self, sizes: Sequence[int]) -> None:
        super().setSizes(sizes)
        self._keep_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_panel()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:  # such as when the panel is shown
            self._fit_panel()
        return done

    def _fit_panel(self) -> None:
        """Give the panel the wanted width as far as the rows keep theirs."""
        shown = self.sizes()
        if self._panel.isHidden() or not shown[0]:
            return
        total = sum(shown)
        wanted = self._wanted_width or self._panel.sizeHint().width()
        width = max(min(wanted, total - LEAST_ROWS_WIDTH), self._panel.minimumWidth())
        if width != shown[0]:
            super().setSizes([width, total - width])

    def _keep_width(self) -> None:
        self._wanted_width = self.sizes()[0]
