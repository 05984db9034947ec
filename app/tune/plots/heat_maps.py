"""Heat maps side by side: one per method and per value of the names that are on neither axis."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QScrollArea, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.controls.widgets import create_label, create_row
from antidiag.app.tune.plots.heat_map import HeatMap
from antidiag.app.tune.plots.heat_map import format_quantity as format_value
from antidiag.kernels.experiments.point_data.plot_data import HeatPanel, LevelLine, PlotSettings
from antidiag.kernels.experiments.point_data.points import MeasuredPoint

MIN_MAP_SIZE = QSize(220, 180)
"""Smallest size of a map in pixels; more maps than fit are scrolled."""
TITLE_HEIGHT = 20


class HeatMaps(QWidget):
    """Maps in a grid, with one colour scale or one each; points without a place on the axes are listed above.

    Where maps differ by two names or more, the values of the last name are side by side, the others below each other.
    """

    clicked = Signal(object)
    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.maps: list[HeatMap] = []
        self.titles: list[QLabel] = []
        self._places: list[tuple[int, int]] = []
        self._shown: tuple[Sequence[HeatPanel], PlotSettings, tuple[str, str]] = ((), PlotSettings(), ("", ""))
        self.shared_scale_box = QCheckBox("One colour scale")
        self.shared_scale_box.setToolTip("Use the same colours in all maps, or a separate scale for each map")
        self.shared_scale_box.setChecked(True)
        self.shared_scale_box.toggled.connect(lambda: self._apply_scale())
        self.levels_label = create_label(kind="muted", wrap=True)
        inner, area = QWidget(), QScrollArea(widgetResizable=True)
        self._grid = QGridLayout(inner)
        self._grid.setContentsMargins(0, 0, 0, 0)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(inner)
        box = column_of(create_row(self.shared_scale_box, self.levels_label, stretch=1), (area, 1), parent=self)
        box.setContentsMargins(0, theme.SPACING, 0, 0)

    def show_panels(
        self, panels: Sequence[HeatPanel], levels: Sequence[LevelLine], settings: PlotSettings, labels: tuple[str, str]
    ) -> None:
        """Draw these maps; ``labels`` name columns and rows, ``levels`` are those of points without a place there."""
        self._shown = panels, settings, labels
        while len(self.maps) < max(len(panels), 1):
            self._add_map()
        self._places = grid_places(panels)
        for number, panel in enumerate(panels):
            line, column = self._places[number]
            self.titles[number].setText(panel.name)
            self._grid.addWidget(self.titles[number], 2 * line, column)
            self._grid.addWidget(self.maps[number], 2 * line + 1, column)
            self._grid.setRowStretch(2 * line + 1, 1)
        for number, each in enumerate(self.maps):
            there = number < len(panels)
            each.setVisible(there)
            self.titles[number].setVisible(there and len(panels) > 1)
        self._apply_scale()
        self.shared_scale_box.setVisible(len(panels) > 1)
        text = "; ".join(f"{level.name}: {format_value(settings.quantity, level.value)}" for level in levels)
        self.levels_label.setText(f"Constant: {text}" if text else "")

    def show_chosen(self, point: MeasuredPoint | None) -> None:
        """Mark the chosen point in all maps."""
        for each in self.maps:
            each.show_chosen(point)

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw all maps into an area of a file."""
        panels = self._shown[0]
        down, across = (1 + max((place[way] for place in self._places), default=0) for way in (0, 1))
        width, height = area.width() / across, area.height() / down
        painter.fillRect(area, QColor(theme.active().panel))
        for number, panel in enumerate(panels):
            line, column = self._places[number]
            box = QRectF(area.left() + column * width, area.top() + line * height, width, height)
            if len(panels) > 1:
                painter.setPen(QColor(theme.active().text))
                painter.drawText(box.adjusted(8, 0, 0, 0), Qt.AlignmentFlag.AlignTop, panel.name)
                box = box.adjusted(0, TITLE_HEIGHT, 0, 0)
            self.maps[number].draw(painter, box)

    def _apply_scale(self) -> None:
        panels, settings, labels = self._shown
        values = [value for panel in panels for _, value in panel.grid.cells.values()]
        ends = (min(values), max(values)) if values and self.shared_scale_box.isChecked() and len(panels) > 1 else None
        for each, panel in zip(self.maps, panels, strict=False):
            each.show_grid(panel.grid, settings, labels, ends)

    def _add_map(self) -> None:
        each, title = HeatMap(), create_label(kind="heading")
        self._grid.addWidget(title, 0, 0)
        self._grid.addWidget(each, 1, 0)
        each.setMinimumSize(MIN_MAP_SIZE)
        each.clicked.connect(self.clicked)
        each.hovered.connect(self.hovered)
        self.maps.append(each)
        self.titles.append(title)


def grid_places(panels: Sequence[HeatPanel]) -> list[tuple[int, int]]:
    """Return line and column of every map: a table if they differ by several names, else about a square."""
    if any(len(panel.name_parts) < 2 for panel in panels):
        across = math.ceil(math.sqrt(len(panels)))
        return [divmod(number, across) for number in range(len(panels))]
    lines = list(dict.fromkeys(panel.name_parts[:-1] for panel in panels))
    columns = list(dict.fromkeys(panel.name_parts[-1] for panel in panels))
    return [(lines.index(panel.name_parts[:-1]), columns.index(panel.name_parts[-1])) for panel in panels]
