"""Ways: how many best paths a play has, one after another, and the cells of those that are nearly as good."""

from __future__ import annotations

from itertools import islice

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QSpinBox, QWidget

from antidiag.app import theme
from antidiag.app.kit.widgets import label
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.plays import paths
from antidiag.kernels.plays.model import Cell, Play


class WaysBar(QWidget):
    """``changed``: other cells are to be coloured.

    Number 0 shows the density of all best paths; a number shows one of them; a margin shows all cells through which a
    path goes that is at most so much worse, the better the darker.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.play: Play | None = None
        self.total = 0
        self.number, self.margin, self.words = QSpinBox(), QDoubleSpinBox(), label("", "muted")
        self.number.setSpecialValueText("all")
        self.number.setPrefix("path ")
        self.number.setAccessibleName("Best path")
        self.number.setToolTip("One of the best paths, or the density of all of them")
        self.margin.setPrefix("within ")
        self.margin.setDecimals(2)
        self.margin.setRange(0, 1e6)
        self.margin.setAccessibleName("Margin")
        self.margin.setToolTip("Cells of paths that are at most so much worse than the best, from the values forward "
                               "and backward")  # fmt: skip
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.SPACING)
        for widget in (self.words, self.number, self.margin):
            row.addWidget(widget)
        row.addStretch(1)
        self.number.valueChanged.connect(self.changed)
        self.margin.valueChanged.connect(self.changed)

    def show_play(self, play: Play | None) -> None:
        """Count the best paths of a play; what has none is said."""
        self.play, self.total = play, 0
        try:
            self.total = paths.counted(play).total if play else 0
            self.words.setText(f"{self.total:,} best path{'s' * (self.total != 1)}")
        except AntidiagError as error:
            self.words.setText(str(error).split(";")[0])
        for box in (self.number, self.margin):
            box.blockSignals(True)
            box.setValue(0)
            box.setEnabled(self.total > 0 and not (box is self.margin and play is not None and play.multiplied))
            box.blockSignals(False)
        self.number.setMaximum(min(self.total, paths.MOST_WAYS))

    @property
    def meaning(self) -> str:
        """What `shares` says."""
        if self.number.value():
            return f"best path {self.number.value():,} of {self.total:,}"
        if self.margin.value():
            return f"on a path at most {self.margin.value():g} worse than the best; the darker, the nearer"
        return "share of the best paths that go through a cell"

    def shares(self) -> dict[Cell, float]:
        """How dark each cell is, 0 to 1."""
        if self.play is None or not self.total:
            return {}
        if self.number.value():
            way = next(islice(paths.each(self.play), self.number.value() - 1, None))
            return dict.fromkeys(way, 1.0)
        if self.margin.value():
            near = paths.near(self.play, self.margin.value())
            return {cell: 1 - worse / (self.margin.value() * 1.25) for cell, worse in near.items()}
        return paths.counted(self.play).share
