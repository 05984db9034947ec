"""PaperFigure: a table of a paper as a figure of published and measured values, on the screen and in files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QPainter
from PySide6.QtWidgets import QApplication, QComboBox, QStackedWidget, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.widgets import ElidedLabel, create_label
from antidiag.app.kit.figures import captions, export
from antidiag.app.kit.figures.legend import Legend, draw_legend, legend_height
from antidiag.app.tune.papers.paper_plot import PaperPlot
from antidiag.app.tune.plots.heat_map import HeatMap
from antidiag.app.tune.plots.point_plot import LAYOUTS, settle_axes
from antidiag.kernels.experiments.papers import figure_data
from antidiag.kernels.experiments.papers.comparison import PaperComparison
from antidiag.kernels.experiments.papers.figure_data import FigureData
from antidiag.kernels.experiments.papers.paper_tables import PaperTable
from antidiag.kernels.experiments.point_data.plot_data import HeatGrid, PlotSettings
from antidiag.kernels.experiments.point_data.points import MeasuredPoint

FILE_SIZE = QSize(960, 560)
HEADINGS = ("published", "here")


class PaperFigure(QWidget):
    """The figure with legend and caption, and lists above it to choose what it shows."""

    def __init__(self) -> None:
        super().__init__()
        self.table: PaperTable | None = None
        self._compared: Sequence[PaperComparison] = ()
        self._quick = False
        self.figure: FigureData | None = None
        self.choice_boxes: dict[str, QComboBox] = {}
        self.title, self.hover_label = ElidedLabel(), ElidedLabel()
        self.title.setObjectName("heading")
        self.hover_label.setObjectName("muted")
        self.plot, self.heat_maps, self.legend = PaperPlot(), (HeatMap(), HeatMap()), Legend()
        self.headings = tuple(create_label(kind="muted") for _ in HEADINGS)
        self.caption_label = create_label(kind="muted", wrap=True)
        self._choices, self._pages = row_of(), QStackedWidget()
        self._lay_out()
        for plot in (self.plot, *self.heat_maps):
            plot.hovered.connect(self._show_hovered)
        theme.notifier.changed.connect(self.redraw)

    def show_table(self, table: PaperTable, compared: Sequence[PaperComparison], quick: bool) -> None:
        """Draw the published and the measured values of a table."""
        if table is not self.table:
            self.table = table
            self._offer_choices(figure_data.open_choices(table), figure_data.default_choices(table))
        self._compared, self._quick = compared, quick
        self.redraw()

    def redraw(self) -> None:
        """Draw the figure with the present choices and colours."""
        if self.table is None:
            return
        keep = {name: box.currentData() for name, box in self.choice_boxes.items()}
        self.figure = figure = figure_data.build_figure(self.table, self._compared, self._quick, keep)
        self.title.setText(figure.title)
        self.caption_label.setText("\n".join(figure.caption))
        self._pages.setCurrentIndex(1 if figure.grids else 0)
        if figure.grids:
            self._show_grids(figure.grids, figure)
        else:
            self.plot.show_figure(figure)
        self.legend.show_items(() if figure.grids else self.plot.legend_items)

    def file_size(self) -> QSize:
        """Return the size of the figure with title, legend and caption."""
        around = QRectF(0, 0, self._pages.width(), 0)
        return QSize(
            self._pages.width(), self._pages.height() + round(sum(self._part_heights(self.fontMetrics(), around)))
        )

    def paint_figure(self, painter: QPainter, area: QRectF) -> None:
        """Paint title, plot, legend and caption into an area of ``file_size``."""
        colours, line = theme.active(), painter.fontMetrics().height()
        above, legend, below = self._part_heights(painter.fontMetrics(), area)
        inner = area.adjusted(0, above, 0, -legend - below)
        painter.fillRect(area, QColor(colours.panel))
        if self.figure.grids:
            self._paint_grids(painter, inner, line)
        else:
            export.render_plot(painter, QRectF(self.plot.viewport().rect()).translated(inner.topLeft()), self.plot)
        captions.draw_title(painter, area, self.figure.title)
        room = area.width() - 2 * theme.MARGIN
        draw_legend(painter, QRectF(area.left() + theme.MARGIN, inner.bottom(), room, legend), self.legend.items)
        captions.draw_caption(painter, area, self.caption_label.text())

    def _part_heights(self, metrics: QFontMetrics, area: QRectF) -> tuple[float, float, float]:
        legend = legend_height(metrics, self.legend.items, int(area.width()) - 2 * theme.MARGIN)
        below = captions.caption_height(metrics, self.caption_label.text(), area.width())
        return captions.title_height(metrics), legend, below

    def _paint_grids(self, painter: QPainter, inner: QRectF, line: float) -> None:
        for number, (heat, heading) in enumerate(zip(self.heat_maps, self.headings, strict=True)):
            half = inner.adjusted(number * inner.width() / 2, 0, (number - 1) * inner.width() / 2, 0)
            heat.draw(painter, half.adjusted(0, line, 0, 0))
            painter.setPen(QColor(theme.active().muted))
            top = QRectF(half.left() + theme.MARGIN, half.top(), half.width(), line)
            painter.drawText(top, Qt.AlignmentFlag.AlignVCenter, heading.text())

    def _lay_out(self) -> None:
        pair = QWidget()
        halves = zip(self.heat_maps, self.headings, strict=True)
        row_of(*((column_of(heading, (heat, 1)), 1) for heat, heading in halves), parent=pair)
        for page in (self.plot, pair):
            self._pages.addWidget(page)
        column_of(
            self.title, self._choices, (self._pages, 1), self.legend, self.caption_label, self.hover_label, parent=self
        )

    def _offer_choices(self, choices: Mapping[str, Sequence[str]], chosen: Mapping[str, str]) -> None:
        while (item := self._choices.takeAt(0)) is not None:
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self.choice_boxes = {}
        for name, values in choices.items():
            box = self.choice_boxes[name] = QComboBox()
            box.setAccessibleName(name)
            for value in values:
                box.addItem(value.replace("x", " x ") if name == "length" else value, value)
            box.setCurrentIndex(box.findData(chosen[name]))
            box.activated.connect(self.redraw)
            self._choices.addWidget(create_label("show" if name in ("note", "panel") else name, "muted"))
            self._choices.addWidget(box)
        self._choices.addStretch(1)

    def _show_grids(self, grids: tuple[HeatGrid, HeatGrid], figure: FigureData) -> None:
        settings = PlotSettings(quantity=figure.quantity)
        for heat, grid, heading, where in zip(self.heat_maps, grids, self.headings, HEADINGS, strict=True):
            heat.show_grid(grid, settings, (figure.x_label, figure.y_label))
            heading.setText(f"{where} (best value framed)" if grid.cells else f"{where}: not measured yet")

    def _show_hovered(self, point: MeasuredPoint | None) -> None:
        self.hover_label.setText(point.notes[0] if point else "")


def save_paper_figure(path: Path, table: PaperTable, compared: Sequence[PaperComparison], quick: bool) -> None:
    """Write a figure in light colours as PNG, SVG or PDF, its panels below each other; raise InputError on failure."""
    application = QGuiApplication.instance() or QApplication(["antidiag"])
    assert isinstance(application, QApplication)
    theme.apply(application, "light")
    parts = [_hidden_figure(table, compared, quick, kept) for kept in figure_data.figure_panels(table)]
    sizes = [part.file_size() for part in parts]
    size = QSize(max(item.width() for item in sizes), sum(item.height() for item in sizes))

    def paint(painter: QPainter, area: QRectF) -> None:
        top = area.top()
        for part, height in zip(parts, (item.height() for item in sizes), strict=True):
            part.paint_figure(painter, QRectF(area.left(), top, area.width(), height))
            top += height

    export.save_figure(path, size, paint, table.title)
    for part in parts:
        part.deleteLater()


def _hidden_figure(
    table: PaperTable, compared: Sequence[PaperComparison], quick: bool, kept: Mapping[str, str]
) -> PaperFigure:
    """Return a laid out figure of the size of a file that is not shown."""
    figure = PaperFigure()
    figure.show_table(table, compared, quick)
    for name, value in kept.items():
        figure.choice_boxes[name].setCurrentIndex(figure.choice_boxes[name].findData(value))
    figure.redraw()
    figure.resize(FILE_SIZE)
    for _ in range(LAYOUTS):
        settle_axes(figure, figure.plot)
        figure.redraw()
    return figure
