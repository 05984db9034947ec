"""BestPathsBar: count the best paths of an animation, show one of them, or the cells of nearly best paths."""

from __future__ import annotations

from itertools import islice

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from antidiag.app.kit.boxes import row_of
from antidiag.app.kit.controls.spin_boxes import DoubleSpinBox, SpinBox
from antidiag.app.kit.controls.widgets import create_label
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.text import format_count
from antidiag.kernels.walkthroughs import best_paths
from antidiag.kernels.walkthroughs.animation import Animation, Cell


class BestPathsBar(QWidget):
    """Chooses which cells to colour. ``changed``: another choice.

    Path 0 is the density of all best paths. A margin shows all cells on paths that score within it of the best.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.animation: Animation | None = None
        self.path_count = 0
        self.number_box, self.margin_box, self.count_label = SpinBox(), DoubleSpinBox(), create_label("", "muted")
        self.number_box.setSpecialValueText("all")
        self.number_box.setPrefix("path ")
        self.number_box.setAccessibleName("Best path")
        self.number_box.setToolTip("One best path, or the density of all best paths")
        self.margin_box.setPrefix("within ")
        self.margin_box.setDecimals(2)
        self.margin_box.setRange(0, 1e6)
        self.margin_box.setAccessibleName("Margin")
        self.margin_box.setToolTip("Cells on paths that score within this margin of the best")
        row_of(self.count_label, self.number_box, self.margin_box, parent=self).addStretch(1)
        self.number_box.valueChanged.connect(self.changed)
        self.margin_box.valueChanged.connect(self.changed)

    def show_animation(self, play: Animation | None) -> None:
        """Count the best paths of an animation, or show why it has none."""
        self.animation, self.path_count = play, 0
        try:
            self.path_count = best_paths.count_best_paths(play).total if play else 0
            self.count_label.setText(format_count(self.path_count, "best path"))
        except AntidiagError as error:
            self.count_label.setText(str(error).split(";")[0])
        for box in (self.number_box, self.margin_box):
            with QSignalBlocker(box):
                box.setValue(0)
            box.setEnabled(
                self.path_count > 0 and not (box is self.margin_box and play is not None and play.multiplied)
            )
        self.number_box.setMaximum(min(self.path_count, best_paths.MOST_PATHS))

    @property
    def shares_meaning(self) -> str:
        """The meaning of `cell_shares`, for the legend."""
        if self.number_box.value():
            return f"best path {self.number_box.value():,} of {self.path_count:,}"
        if self.margin_box.value():
            return f"on a path within {self.margin_box.value():g} of the best; darker is better"
        return "share of the best paths through a cell"

    def cell_shares(self) -> dict[Cell, float]:
        """Return the darkness of each cell, 0 to 1."""
        if self.animation is None or not self.path_count:
            return {}
        if self.number_box.value():
            way = next(islice(best_paths.iterate_best_paths(self.animation), self.number_box.value() - 1, None))
            return dict.fromkeys(way, 1.0)
        if self.margin_box.value():
            near = best_paths.cells_near_best(self.animation, self.margin_box.value())
            return {cell: 1 - worse / (self.margin_box.value() * 1.25) for cell, worse in near.items()}
        return best_paths.count_best_paths(self.animation).share
