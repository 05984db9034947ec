"""The plots of a sweep as tabs, and the controls that say what they show."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QCursor, QFontMetrics, QGuiApplication, QPainter
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QMenu,
    QScrollArea,
    QStackedWidget,
    QTabWidget,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit import export
from antidiag.app.kit.flow import Flow, together
from antidiag.app.kit.legend import Legend, draw_legend, legend_height
from antidiag.app.kit.widgets import Combo, Elided, Line, label, menu_button
from antidiag.app.tune.plots import saving, series
from antidiag.app.tune.plots.bars import PhaseBars
from antidiag.app.tune.plots.heat_maps import HeatMaps
from antidiag.app.tune.plots.lines import Curve, LinePlot, default_settings, model_curves
from antidiag.app.tune.plots.nothing import why_no_lines
from antidiag.app.tune.plots.parallel import ParallelPlot
from antidiag.app.tune.plots.point import facts, told
from antidiag.app.tune.plots.points import PointSet
from antidiag.app.tune.plots.rooflines import RooflineView
from antidiag.app.tune.plots.settings import PlotSettings
from antidiag.app.tune.plots.table import PointTable
from antidiag.kernels.experiments import points as point_text
from antidiag.kernels.experiments import tables
from antidiag.kernels.experiments.points import Point

Curves = Callable[[Point, str], Mapping[str, Sequence[tuple[float, float]]]]
NONE = "none"
LINES, HEAT, PARALLEL, PHASES, ROOF, TABLE = range(6)
AUTOMATIC = "automatic"
FILTER_WIDTH = 170
WIDTHS = {"Quantity": 18, "Horizontal axis": 9, "Second axis": 9, "Baseline of speedups": 12, "Colour by": 9}
"""Letters that a list has room for."""


class Plots(QWidget):
    """Lines, heat map, phases and table of the points; all of them choose the same point."""

    def __init__(self, points: PointSet, curve_of: Curves) -> None:
        super().__init__()
        self._points, self._curve_of = points, curve_of
        self.settings = PlotSettings()
        self._stale: set[int] = set()
        self.lines, self.heat, self.bars, self.table = LinePlot(), HeatMaps(), PhaseBars(), PointTable()
        self.roof, self.parallel = RooflineView(), ParallelPlot()
        self.no_lines, self._lines_page = label(kind="muted", wrap=True), QStackedWidget()
        self.filter = Line()
        self.filter.setPlaceholderText("Filter: s=64 cpu")
        self.filter.setToolTip("Only points that have all these words: names of methods, cpu, cuda, s=64")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName("Filter of the points")
        self.legend, self.told = Legend(), Elided()
        self.told.setObjectName("muted")
        self._boxes = self.quantity, self.across, self.second, self.baseline, self.colour = [Combo() for _ in WIDTHS]
        for box, name in zip(self._boxes, WIDTHS, strict=True):
            box.setAccessibleName(name)
            box.setToolTip(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(WIDTHS[name])
        self.log_x, self.log_y, self.models = QCheckBox("log x"), QCheckBox("log y"), QCheckBox("models")
        self.models.setToolTip("The papers' analysis as curves, scaled to the measured points")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self._lay_out()
        self._connect()
        self.refresh()

    @property
    def measured(self) -> tuple[Point, ...]:
        """The points that were measured, as far as the filter has them."""
        words = self.filter.text().lower().split()
        return tuple(point for point in self._points.measured if all(word in _told_of(point) for word in words))

    def refresh(self) -> None:
        """The points are others, or the colours."""
        found = self._points.points
        moving = series.names(found)
        self.settings = self._suited(self.settings, moving)
        self._fill_controls(found, moving)
        self.redraw()

    def use(self, settings: PlotSettings) -> None:
        """Show with other settings."""
        self.settings = settings
        self.redraw()

    def show_tab(self, title: str) -> None:
        """Turn to the tab with this title."""
        titles = [self.tabs.tabText(index) for index in range(self.tabs.count())]
        self.tabs.setCurrentIndex(titles.index(title))

    def save_figure(self) -> None:
        """Ask for a file and save the plot that is looked at, or the lines behind a table, as PNG, SVG or PDF."""
        self._turn_to_a_plot()
        export.ask_and_save(self, "sweep", self.figure_size(), self.paint, self._points.title)

    def copy_figure(self) -> None:
        self._turn_to_a_plot()
        export.copy(self.figure_size(), self.paint)

    def save_table(self) -> None:
        """Ask for a file and save all points as CSV, JSON or Markdown."""
        saving.ask_and_save(self, "Save points", "sweep.csv", self.text)

    def text(self, suffix: str) -> str:
        """All points as a text: CSV and JSON hold everything, Markdown what people read."""
        found, over = self._points.points, self.settings.over
        if suffix == ".md":
            return tables.markdown(tables.summary(found, self._points.title, over))
        if suffix == ".json":
            return json.dumps(tables.everything(found, over).data(), indent=1) + "\n"
        if suffix == ".csv":
            return tables.csv_text(tables.everything(found, over))
        raise saving.unknown_suffix("points")

    def _turn_to_a_plot(self) -> None:
        if self.tabs.currentIndex() == TABLE:
            self.tabs.setCurrentIndex(LINES)

    def copy_markdown(self) -> None:
        QGuiApplication.clipboard().setText(self.text(".md"))

    def _lay_out(self) -> None:
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidget(self.bars)
        self.no_lines.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.no_lines.setContentsMargins(6 * theme.MARGIN, 0, 6 * theme.MARGIN, 0)
        for page in (self.lines, self.no_lines):
            self._lines_page.addWidget(page)
        for widget, name in (
            (self._lines_page, "Lines"),
            (self.heat, "Heat map"),
            (self.parallel, "Parallel"),
            (scroll, "Phases"),
            (self.roof, "Roofline"),
            (self.table, "Table"),
        ):
            self.tabs.addTab(widget, name)
        self.filter.setFixedWidth(FILTER_WIDTH)
        self.tabs.setCornerWidget(together(self.filter))  # which is as wide as it says
        menu = QMenu(self)
        menu.addAction("Save figure...", self.save_figure)
        menu.addAction("Copy figure", self.copy_figure)
        menu.addAction("Save points...", self.save_table)
        menu.addAction("Copy Markdown table", self.copy_markdown)
        controls = QWidget()
        lines = Flow(controls)
        named = {"over": self.across, "and": self.second, "baseline": self.baseline, "colour by": self.colour}
        over, second, baseline, colour = (
            together(label(name, "muted"), box, spacing=theme.SPACING) for name, box in named.items()
        )
        checks = together(self.log_x, self.log_y, self.models, spacing=theme.SPACING)
        export_button = menu_button("Export", "Figures and tables", menu)
        for part in (self.quantity, over, second, export_button, baseline, colour, checks):
            lines.addWidget(part)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(controls)
        box.addWidget(self.tabs, 1)
        box.addWidget(self.legend)
        box.addWidget(self.told)

    def _connect(self) -> None:
        self._points.changed.connect(self.refresh)
        self._points.chosen_changed.connect(self._show_chosen)
        theme.notifier.changed.connect(self.redraw)
        for plot in (self.lines, self.heat, self.parallel, self.bars, self.roof):
            plot.clicked.connect(self._points.choose)
            plot.hovered.connect(self._tell)
        self.table.chosen.connect(self._choose_row)
        for box in self._boxes:
            box.activated.connect(self._read_controls)
        for check in (self.log_x, self.log_y, self.models):
            check.clicked.connect(self._read_controls)
        self.tabs.currentChanged.connect(self._draw_tab)
        self.filter.textChanged.connect(self.redraw)

    def _fill_controls(self, found: Sequence[Point], moving: Sequence[str]) -> None:
        """Offer what these points have, ``moving`` among them; what was chosen stays chosen."""
        _fill(self.quantity, series.quantities(found), self.settings.quantity)
        # Of the first point of a sweep nothing differs yet, and its axes are known all the same.
        axes = dict.fromkeys(name for name in (*moving, self.settings.x, self.settings.y) if name)
        _fill(self.across, {name: name for name in axes}, self.settings.x)
        _fill(self.second, {"": NONE, **{name: name for name in axes if name != self.settings.x}}, self.settings.y)
        _fill(self.baseline, {"": NONE, **series.baselines(found, moving)}, self.settings.baseline)
        shades = {name: name for name in series.shades(found, moving) if name != self.settings.x}
        _fill(self.colour, {"": AUTOMATIC, **shades}, self.settings.colour)

    def _read_controls(self) -> None:
        asked = replace(
            self.settings, quantity=self.quantity.currentData() or "compute_ms", x=self.across.currentData() or "",
            y=self.second.currentData() or "", baseline=self.baseline.currentData() or "",
            log_x=self.log_x.isChecked(), log_y=self.log_y.isChecked(), models=self.models.isChecked(),
            colour=self.colour.currentData() or "",
        )  # fmt: skip
        found = self._points.points
        moving = series.names(found)
        self.settings = self._suited(asked, moving)
        self._fill_controls(found, moving)
        self.redraw()

    def _suited(self, asked: PlotSettings, moving: Sequence[str]) -> PlotSettings:
        """What was asked for, as far as the points have it."""
        found, search = self._points.points, self._points.search
        words = series.quantity_text(found, asked.quantity)
        return replace(default_settings(found, asked, moving), scatter=search, words=words)

    def redraw(self) -> None:
        """Draw the tab that is looked at now, and the others when they are."""
        self._stale, settings = {LINES, HEAT, PARALLEL, PHASES, ROOF, TABLE}, self.settings
        for check, on in (
            (self.log_x, settings.log_x), (self.log_y, settings.log_y), (self.models, settings.models)
        ):  # fmt: skip
            check.setChecked(on)
        self.tabs.setTabEnabled(HEAT, bool(self.measured and settings.x and settings.y) and settings.x != settings.y)
        self._draw_tab()

    def _draw_tab(self) -> None:
        index = self.tabs.currentIndex()
        if index in self._stale:
            self._stale.discard(index)
            (
                self._draw_lines,
                self._draw_heat,
                self._draw_parallel,
                self._draw_bars,
                self._draw_roof,
                self._fill_table,
            )[index]()
            self._show_chosen_in(index)
        self._show_legend()

    def _draw_lines(self) -> None:
        settings = self.settings
        measured, quantity, over = self.measured, settings.quantity, settings.over
        lines = self._series(quantity)
        best = series.best(measured, quantity, over) if settings.scatter else None
        curves: Sequence[Curve] = ()
        if settings.models:
            curves = model_curves(lines, quantity, lambda point: self._curve_of(point, settings.x))
        beside = series.levels(measured, [settings.x], quantity, over) if settings.x else []
        self.lines.show_lines(lines, settings, settings.x, curves, best, beside)
        self.no_lines.setText("" if lines else why_no_lines(self._points.measured, measured, settings))
        self._lines_page.setCurrentWidget(self.lines if lines else self.no_lines)

    def _series(self, quantity: str) -> tuple[series.Series, ...]:
        """What is drawn in one colour, and joined where the points are those of a sweep."""
        settings = self.settings
        split = () if settings.scatter else settings.split
        return series.lines(self.measured, settings.x, quantity, split, settings.over, settings.colour)

    def _draw_heat(self) -> None:
        settings, axes = self.settings, (self.settings.x, self.settings.y)
        found = series.panels(self.measured, *axes, settings.quantity, settings.split, settings.over)
        beside = series.levels(self.measured, axes, settings.quantity, settings.over)
        self.heat.show_panels(found, beside, settings, axes)

    def _draw_parallel(self) -> None:
        names = [name for name in series.varied(self.measured) if name != "cells"]
        self.parallel.show_points(self.measured, names, self.settings)

    def _draw_bars(self) -> None:
        settings = self.settings
        names = [settings.x, *settings.split] if settings.x else settings.split
        self.bars.show_points(self.measured, names)

    def _draw_roof(self) -> None:
        self.roof.show_points(self.measured, self._series("compute_ms"))

    def _fill_table(self) -> None:
        self.table.show_table(tables.summary(self._points.points, "", self.settings.over, every=True))

    def _choose_row(self, row: int) -> None:
        self._points.choose(self._points.points[row])

    def _show_chosen(self) -> None:
        for index in {LINES, HEAT, PARALLEL, PHASES, ROOF, TABLE} - self._stale:
            self._show_chosen_in(index)

    def _show_chosen_in(self, index: int) -> None:
        chosen = self._points.chosen
        if index == LINES:
            self.lines.show_chosen(chosen, self.settings)
        elif index == TABLE:  # it has a row for every point
            rows = (row for row, point in enumerate(self._points.points) if point is chosen)
            self.table.show_chosen(next(rows, -1))
        elif index == ROOF:
            self.roof.show_chosen(chosen)
        else:
            plots: dict[int, HeatMaps | ParallelPlot | PhaseBars] = {HEAT: self.heat, PARALLEL: self.parallel}
            plots.get(index, self.bars).show_chosen(chosen)

    def _show_legend(self) -> None:
        index = self.tabs.currentIndex()
        items = {LINES: self.lines.items, PHASES: self.bars.items, ROOF: self.roof.items}
        self.legend.show_items(items.get(index, ()))

    def _tell(self, point: Point | None) -> None:
        """One line about the point under the mouse, and everything about it in a tip beside the mouse."""
        if point is None:
            self.told.setText("")
            QToolTip.hideText()
            return
        names = dict.fromkeys((self.settings.x, self.settings.y, *self.settings.split))
        places = [series.label(point, [name]) for name in names if name and name != "method"]
        found = series.values([*self.measured], self.settings.quantity, self.settings.over).get(id(point))
        quantity, _, unit = self.settings.label.partition(", ")
        value = told(self.settings.quantity, found) if found else ""
        unit = f", {unit}" if unit and unit not in ("ms", "bytes") else ""
        self.told.setText(f"{', '.join([point.name, *places])}{f': {quantity} {value}{unit}' if value else ''}")
        lines = [f"{name.strip()}: {text}" for name, text in facts(point)]
        QToolTip.showText(QCursor.pos(), "\n".join(lines), self)

    def figure_size(self) -> QSize:
        """The plot that is looked at as large as it is seen, and its legend below."""
        size = (self.roof.plot if self.tabs.currentIndex() == ROOF else self.tabs.currentWidget()).size()
        metrics = QFontMetrics(QGuiApplication.font())
        return size + QSize(0, legend_height(metrics, self.legend.items, size.width() - 2 * theme.MARGIN))

    def paint(self, painter: QPainter, area: QRectF) -> None:
        """The plot that is looked at, with its legend, into an area."""
        items = self.legend.items
        height = legend_height(painter.fontMetrics(), items, area.width() - 2 * theme.MARGIN)
        inner = area.adjusted(0, 0, 0, -height)
        index = self.tabs.currentIndex()
        if index in (HEAT, PARALLEL):
            (self.heat if index == HEAT else self.parallel).draw(painter, inner)
        elif index == PHASES:
            self.bars.draw(painter, inner)
        else:
            export.render_plot(painter, inner, self.roof.plot if index == ROOF else self.lines)
        draw_legend(painter, QRectF(area.left() + theme.MARGIN, inner.bottom(), area.width(), height), items)


def _told_of(point: Point) -> str:
    """What a filter looks through: the method, where it ran, and every value, as "s=64" too."""
    values = {**point.parameters, **point.coordinates}
    pairs = " ".join(f"{name}={point_text.text(value)}" for name, value in values.items())
    return f"{point.name} {point.contender} {point.backend} {point.device} {pairs} ".lower()


def _fill(box: QComboBox, choices: Mapping[str, str], chosen: str) -> None:
    box.blockSignals(True)
    if choices != {box.itemData(place): box.itemText(place) for place in range(box.count())}:
        box.clear()
        for name, text in choices.items():
            box.addItem(text, name)
    box.setCurrentIndex(max(box.findData(chosen), 0))
    box.blockSignals(False)
