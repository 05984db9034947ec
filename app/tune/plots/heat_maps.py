"""Heat maps side by side: one a method, and one for every value of what is on neither axis."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.widgets import label, row
from antidiag.app.tune.plots.heat_map import HeatMap
from antidiag.app.tune.plots.series import Level, Panel
from antidiag.app.tune.plots.settings import PlotSettings
from antidiag.kernels.experiments.points import Point

LEAST = QSize(220, 180)
"""Pixels of a map at least; of more than fit, some are scrolled to."""
TITLE = 20


class HeatMaps(QWidget):
    """Maps in a grid, on one scale of colours or each on its own; what has no place on the axes is told below.

    Of what differs between them by two names or more, the values of the last one stand side by side, the others below
    each other.
    """

    clicked = Signal(object)
    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.maps: list[HeatMap] = []
        self.titles: list[QLabel] = []
        self._places: list[tuple[int, int]] = []
        self._shown: tuple[Sequence[Panel], PlotSettings, tuple[str, str]] = ((), PlotSettings(), ("", ""))
        self.common = QCheckBox("One scale of colours")
        self.common.setToolTip("The same colour for the same value in all maps; else each has its own scale")
        self.common.setChecked(True)
        self.common.toggled.connect(lambda: self._scale())
        self.told = label(kind="muted", wrap=True)
        inner, area = QWidget(), QScrollArea(widgetResizable=True)
        self._grid = QGridLayout(inner)
        self._grid.setContentsMargins(0, 0, 0, 0)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(inner)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, theme.SPACING, 0, 0)
        box.addLayout(row(self.common, self.told, stretch=1))
        box.addWidget(area, 1)

    def show_panels(
        self, panels: Sequence[Panel], levels: Sequence[Level], settings: PlotSettings, labels: tuple[str, str]
    ) -> None:
        """Draw these maps; ``labels`` name columns and rows, ``levels`` are of points that have no place there."""
        self._shown = panels, settings, labels
        while len(self.maps) < max(len(panels), 1):
            self._add()
        self._places = places(panels)
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
        self._scale()
        self.common.setVisible(len(panels) > 1)
        text = "; ".join(f"{level.name}: {HeatMap.text(settings, level.value)}" for level in levels)
        self.told.setText(f"The same everywhere: {text}" if text else "")

    @property
    def grid(self):
        """What the first map shows."""
        return self.maps[0].grid

    def grid_place(self, number: int) -> tuple[int, int]:
        """Line and column of a map."""
        return self._places[number]

    def show_chosen(self, point: Point | None) -> None:
        for each in self.maps:
            each.show_chosen(point)

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """All maps in an area of a file."""
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
                box = box.adjusted(0, TITLE, 0, 0)
            self.maps[number].draw(painter, box)

    def _scale(self) -> None:
        panels, settings, labels = self._shown
        values = [value for panel in panels for _, value in panel.grid.cells.values()]
        ends = (min(values), max(values)) if values and self.common.isChecked() and len(panels) > 1 else None
        for each, panel in zip(self.maps, panels, strict=False):
            each.show_grid(panel.grid, settings, labels, ends)

    def _add(self) -> None:
        each, title = HeatMap(), label(kind="heading")
        self._grid.addWidget(title, 0, 0)
        self._grid.addWidget(each, 1, 0)
        each.setMinimumSize(LEAST)
        each.clicked.connect(self.clicked)
        each.hovered.connect(self.hovered)
        self.maps.append(each)
        self.titles.append(title)


def places(panels: Sequence[Panel]) -> list[tuple[int, int]]:
    """Line and column of every map: a table where they differ by several names, else about as many lines as columns."""
    if any(len(panel.parts) < 2 for panel in panels):
        across = math.ceil(math.sqrt(len(panels)))
        return [divmod(number, across) for number in range(len(panels))]
    lines = list(dict.fromkeys(panel.parts[:-1] for panel in panels))
    columns = list(dict.fromkeys(panel.parts[-1] for panel in panels))
    return [(lines.index(panel.parts[:-1]), columns.index(panel.parts[-1])) for panel in panels]
