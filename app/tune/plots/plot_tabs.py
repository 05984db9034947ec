"""The plots of a sweep as tabs, and the controls above them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QCursor, QFontMetrics, QGuiApplication, QPainter
from PySide6.QtWidgets import QCheckBox, QComboBox, QScrollArea, QStackedWidget, QTabWidget, QToolTip, QWidget

from antidiag.app import theme
from antidiag.app.kit import ask
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.controls.flow_layouts import FlowLayout, group_widgets
from antidiag.app.kit.controls.widgets import ElidedComboBox, ElidedLabel, UndoLineEdit, create_label, menu_button
from antidiag.app.kit.figures import export
from antidiag.app.kit.figures.legend import Legend, draw_legend, legend_height
from antidiag.app.kit.focus import mark_search_field
from antidiag.app.tune.plots import table_export
from antidiag.app.tune.plots.heat_maps import HeatMaps
from antidiag.app.tune.plots.line_plot import (
    LinePlot,
    ModelCurve,
    default_settings,
    model_curves,
    suits_log,
    values_by_place,
)
from antidiag.app.tune.plots.parallel_plot import ParallelPlot
from antidiag.app.tune.plots.phase_bars import PointPhaseBars
from antidiag.app.tune.plots.point_panel import format_spread, point_facts
from antidiag.app.tune.plots.point_set import PointSet
from antidiag.app.tune.plots.point_table import PointTable
from antidiag.app.tune.plots.roofline_view import RooflineView
from antidiag.kernels import registry
from antidiag.kernels.experiments.point_data import plot_data, tables
from antidiag.kernels.experiments.point_data import points as point_text
from antidiag.kernels.experiments.point_data.plot_data import PlotSettings
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.sweeps import sweep_axes

CurvesOfPoint = Callable[[MeasuredPoint, str], Mapping[str, Sequence[tuple[float, float]]]]
NO_CHOICE = "none"
AXIS_ADVICE = "Choose an axis on the left, such as the strip width s with 32:1024:*2, and start the sweep"
TABS = ("Lines", "Heat map", "Parallel", "Phases", "Roofline", "Table")
LINES, HEAT, PARALLEL, PHASES, ROOF, TABLE = range(6)
AUTOMATIC = "automatic"
FILTER_WIDTH = 170
BOX_WIDTHS = {"Quantity": 18, "Horizontal axis": 9, "Second axis": 9, "Baseline of speedups": 12, "Colour by": 9}
"""Letters that a list has space for, by its accessible name."""


class PlotTabs(QWidget):
    """All plots and the table of the points; they share the chosen point."""

    def __init__(self, points: PointSet, curve_of: CurvesOfPoint) -> None:
        super().__init__()
        self._points, self._curve_of = points, curve_of
        self.settings = PlotSettings()
        self._outdated_tabs: set[int] = set()
        self.line_plot, self.heat_maps, self.phase_bars, self.table = (
            LinePlot(),
            HeatMaps(),
            PointPhaseBars(),
            PointTable(),
        )
        self.roofline, self.parallel_plot = RooflineView(), ParallelPlot()
        self.no_lines, self._lines_page = create_label(kind="muted", wrap=True), QStackedWidget()
        self.filter_line = UndoLineEdit()
        self.filter_line.setPlaceholderText("Filter: s=64 cpu")
        self.filter_line.setToolTip("Show only points that match all words: names of methods, cpu, cuda, s=64")
        self.filter_line.setClearButtonEnabled(True)
        mark_search_field(self.filter_line)
        self.filter_line.setAccessibleName("Filter of the points")
        self.legend, self.hover_label = Legend(), ElidedLabel()
        self.hover_label.setObjectName("muted")
        self._boxes = self.quantity_box, self.x_box, self.y_box, self.baseline_box, self.colour_box = [
            ElidedComboBox() for _ in BOX_WIDTHS
        ]
        for box, name in zip(self._boxes, BOX_WIDTHS, strict=True):
            box.setAccessibleName(name)
            box.setToolTip(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(BOX_WIDTHS[name])
        self.log_x_box, self.log_y_box, self.models_box = QCheckBox("log x"), QCheckBox("log y"), QCheckBox("models")
        self._chosen_scales: set[str] = set()
        """The scales that the user chose; the others follow the points."""
        self._automatic_scales: set[str] = set()
        """The scales that are logarithmic because of the points."""
        self._checks = {"log_x": self.log_x_box, "log_y": self.log_y_box, "models": self.models_box}
        self.models_box.setToolTip("Predictions of the papers' cost models, scaled to the measured points")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self._lay_out()
        self._connect_signals()
        self.refresh()

    @property
    def filtered_points(self) -> tuple[MeasuredPoint, ...]:
        """The measured points that pass the filter."""
        words = self.filter_line.text().lower().split()
        return tuple(point for point in self._points.measured if all(word in _searchable_text(point) for word in words))

    @property
    def has_grid(self) -> bool:
        """Whether the points have two axes of numbers, for a heat map."""
        return self.tabs.isTabEnabled(HEAT)

    @property
    def has_lines(self) -> bool:
        """Whether some points have a place on an axis of numbers."""
        return bool(self._series_of(self.settings.quantity))

    def refresh(self) -> None:
        """Update controls and plots for other points."""
        self.apply_settings(self.settings)

    def apply_settings(self, settings: PlotSettings) -> None:
        """Draw with these settings as far as the points allow them."""
        found, moving = self._points.points, plot_data.varying_names(self._points.points)
        words = plot_data.quantity_text(found, settings.quantity)
        suited = default_settings(found, settings, moving)
        self.settings = replace(suited, scatter=self._points.is_search, model_label=words)
        usual = self._usual_scales()
        log_x, log_y = (usual.get(name, getattr(self.settings, name)) for name in ("log_x", "log_y"))
        self.settings = replace(self.settings, log_x=log_x, log_y=log_y)
        self._fill_controls(found, moving)
        self.redraw()

    def _usual_scales(self) -> dict[str, bool]:
        """Return the scales that the user did not choose: logarithmic where the values spread far."""
        lines = self._series_of(self.settings.quantity)
        values = {
            "log_x": [place for line in lines for place in line.x],
            "log_y": [spread.median for line in lines for spread in line.spreads],
        }
        own = {name: found for name, found in values.items() if name not in self._chosen_scales and found}
        given = {name for name in own if getattr(self.settings, name) and name not in self._automatic_scales}
        places: dict[str, list[list[float]]] = {"log_x": [], "log_y": values_by_place(lines)}
        found = {name: suits_log(numbers, places[name]) for name, numbers in own.items() if name not in given}
        self._automatic_scales = {name for name, is_log in found.items() if is_log}
        return found

    def show_tab(self, title: str) -> None:
        """Select the tab with this title."""
        self.tabs.setCurrentIndex(TABS.index(title))

    @property
    def _file_name(self) -> str:
        """The name that files are proposed to have, without suffix: what was measured, and on what."""
        return ask.join_name(*self._points.title.split(" \N{MIDDLE DOT} ")[:2], "sweep")

    def save_figure(self) -> None:
        """Ask for a file and save the shown plot (the lines for the table) as PNG, SVG or PDF."""
        self._leave_table_tab()
        export.ask_and_save_figure(self, self._file_name, self.figure_size(), self.paint_figure, self._points.title)

    def copy_figure(self) -> None:
        """Copy the shown plot to the clipboard."""
        self._leave_table_tab()
        export.copy_figure(self.figure_size(), self.paint_figure)

    def save_table(self) -> None:
        """Ask for a file and save all points as CSV, JSON or Markdown."""
        table_export.ask_and_save_text(self, "Save points", f"{self._file_name}.csv", self.export_points)

    def export_points(self, suffix: str) -> str:
        """Return all points as text: everything in CSV and JSON, a summary in Markdown."""
        found, over = self._points.points, self.settings.baseline_query
        if suffix == ".md":
            return table_export.table_text(tables.summary_table(found, self._points.title, over), suffix)
        return table_export.table_text(tables.full_table(found, over), suffix)

    def _leave_table_tab(self) -> None:
        if self.tabs.currentIndex() == TABLE:
            self.tabs.setCurrentIndex(LINES)

    def copy_markdown(self) -> None:
        """Copy a Markdown table of the points to the clipboard."""
        QGuiApplication.clipboard().setText(self.export_points(".md"))

    def _lay_out(self) -> None:
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidget(self.phase_bars)
        self.no_lines.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.no_lines.setContentsMargins(6 * theme.MARGIN, 0, 6 * theme.MARGIN, 0)
        for page in (self.line_plot, self.no_lines):
            self._lines_page.addWidget(page)
        pages = self._lines_page, self.heat_maps, self.parallel_plot, scroll, self.roofline, self.table
        for widget, name in zip(pages, TABS, strict=True):
            self.tabs.addTab(widget, name)
        self.filter_line.setFixedWidth(FILTER_WIDTH)
        self.tabs.setCornerWidget(group_widgets(self.filter_line))  # a corner widget alone ignores the fixed width
        menu = table_export.export_menu(self, "points")
        controls = QWidget()
        lines = FlowLayout(controls)
        named = {"against": self.x_box, "and": self.y_box, "baseline": self.baseline_box, "colour by": self.colour_box}
        over, second, baseline, colour = (
            group_widgets(create_label(name, "muted"), box, spacing=theme.SPACING) for name, box in named.items()
        )
        checks = group_widgets(self.log_x_box, self.log_y_box, self.models_box, spacing=theme.SPACING)
        export_button = menu_button("Export", "Figures and tables", menu)
        for part in (self.quantity_box, over, second, export_button, baseline, colour, checks):
            lines.addWidget(part)
        column_of(controls, (self.tabs, 1), self.legend, self.hover_label, parent=self)

    def _connect_signals(self) -> None:
        self._points.changed.connect(self.refresh)
        self._points.chosen_changed.connect(self._show_chosen)
        theme.notifier.changed.connect(self.redraw)
        for plot in (self.line_plot, self.heat_maps, self.parallel_plot, self.phase_bars, self.roofline):
            plot.clicked.connect(self._points.choose_point)
            plot.hovered.connect(self._show_hovered)
        self.parallel_plot.brushed.connect(self.hover_label.setText)
        self.table.chosen.connect(lambda row: self._points.choose_point(self._points.points[row]))
        for box in self._boxes:
            box.activated.connect(self._read_controls)
        for name, check in self._checks.items():
            check.clicked.connect(lambda _, name=name: self._chosen_scales.add(name))
            check.clicked.connect(self._read_controls)
        self.tabs.currentChanged.connect(self._draw_tab)
        self.filter_line.textChanged.connect(self.redraw)

    def _fill_controls(self, found: Sequence[MeasuredPoint], varying: Sequence[str]) -> None:
        """Offer the names of these points, ``varying`` among them; the choices stay."""
        _fill_box(self.quantity_box, plot_data.quantity_labels(found), self.settings.quantity)
        # The first point of a sweep differs in nothing yet, but its axes are known.
        axes = dict.fromkeys(name for name in (*varying, self.settings.x, self.settings.y) if name)
        _fill_box(self.x_box, {name: name for name in axes}, self.settings.x)
        _fill_box(
            self.y_box, {"": NO_CHOICE, **{name: name for name in axes if name != self.settings.x}}, self.settings.y
        )
        _fill_box(
            self.baseline_box, {"": NO_CHOICE, **plot_data.baseline_choices(found, varying)}, self.settings.baseline
        )
        shades = {name: name for name in plot_data.colour_names(found, varying) if name != self.settings.x}
        _fill_box(self.colour_box, {"": AUTOMATIC, **shades}, self.settings.colour)

    def _read_controls(self) -> None:
        wanted = replace(
            self.settings,
            quantity=self.quantity_box.currentData() or "compute_ms",
            x=self.x_box.currentData() or "",
            y=self.y_box.currentData() or "",
            baseline=self.baseline_box.currentData() or "",
            colour=self.colour_box.currentData() or "",
            log_x=self.log_x_box.isChecked(),
            log_y=self.log_y_box.isChecked(),
            models=self.models_box.isChecked(),
        )
        self.apply_settings(wanted)

    def redraw(self) -> None:
        """Draw the shown tab now, and the others when they are shown."""
        self._outdated_tabs, settings = {LINES, HEAT, PARALLEL, PHASES, ROOF, TABLE}, self.settings
        for name, check in self._checks.items():
            check.setChecked(getattr(settings, name))
        self.tabs.setTabEnabled(
            HEAT, bool(self.filtered_points and settings.x and settings.y) and settings.x != settings.y
        )
        self._draw_tab()

    def _draw_tab(self) -> None:
        index = self.tabs.currentIndex()
        if index in self._outdated_tabs:
            self._outdated_tabs.discard(index)
            plots = self._draw_lines, self._draw_heat, self._draw_parallel, self._draw_bars, self._draw_roof
            (*plots, self._fill_table)[index]()
            self._show_chosen_in(index)
        self._show_legend()

    def _draw_lines(self) -> None:
        settings = self.settings
        measured, quantity, over = self.filtered_points, settings.quantity, settings.baseline_query
        lines = self._series_of(quantity)
        best = plot_data.best_point(measured, quantity, over) if settings.scatter else None
        curves: Sequence[ModelCurve] = ()
        if settings.models:
            curves = model_curves(lines, quantity, lambda point: self._curve_of(point, settings.x))
        beside = plot_data.build_levels(measured, [settings.x], quantity, over) if settings.x else []
        self.line_plot.show_lines(lines, settings, self._axis_label(settings.x), curves, best, beside)
        self.no_lines.setText("" if lines else why_no_lines(self._points.measured, measured, settings))
        self._lines_page.setCurrentWidget(self.line_plot if lines else self.no_lines)

    def _series_of(self, quantity: str) -> tuple[plot_data.PointSeries, ...]:
        """Return the points by colour; those of a sweep are joined to lines."""
        settings = self.settings
        split = () if settings.scatter else settings.split
        return plot_data.group_into_series(
            self.filtered_points, settings.x, quantity, split, settings.baseline_query, settings.colour
        )

    def _draw_heat(self) -> None:
        settings, axes = self.settings, (self.settings.x, self.settings.y)
        found = plot_data.build_panels(
            self.filtered_points, *axes, settings.quantity, settings.split, settings.baseline_query
        )
        beside = plot_data.build_levels(self.filtered_points, axes, settings.quantity, settings.baseline_query)
        labels = self._axis_label(settings.x), self._axis_label(settings.y)
        self.heat_maps.show_panels(found, beside, settings, labels)

    def _axis_label(self, name: str) -> str:
        """Return the label and the unit of an axis of these points."""
        contenders = {point.contender for point in self._points.points}
        return sweep_axes.axis_label(name, [method for method in registry.METHODS if method.id in contenders])

    def _draw_parallel(self) -> None:
        names = [name for name in plot_data.comparable_names(self.filtered_points) if name != "cells"]
        self.parallel_plot.show_points(self.filtered_points, names, self.settings)

    def _draw_bars(self) -> None:
        settings = self.settings
        names = [settings.x, *settings.split] if settings.x else settings.split
        self.phase_bars.show_points(self.filtered_points, names)

    def _draw_roof(self) -> None:
        self.roofline.show_points(self.filtered_points, self._series_of("compute_ms"))

    def _fill_table(self) -> None:
        self.table.show_table(
            tables.summary_table(self._points.points, "", self.settings.baseline_query, all_points=True)
        )

    def _show_chosen(self) -> None:
        for index in {LINES, HEAT, PARALLEL, PHASES, ROOF, TABLE} - self._outdated_tabs:
            self._show_chosen_in(index)

    def _show_chosen_in(self, index: int) -> None:
        chosen = self._points.chosen
        if index == TABLE:
            rows = (row for row, point in enumerate(self._points.points) if point is chosen)
            self.table.show_chosen(next(rows, -1))
        else:
            (self.line_plot, self.heat_maps, self.parallel_plot, self.phase_bars, self.roofline)[index].show_chosen(
                chosen
            )

    def _show_legend(self) -> None:
        index = self.tabs.currentIndex()
        items = {
            LINES: self.line_plot.legend_items,
            PHASES: self.phase_bars.legend_items,
            ROOF: self.roofline.legend_items,
        }
        self.legend.show_items(items.get(index, ()))

    def _show_hovered(self, point: MeasuredPoint | None) -> None:
        if point is None:
            self.hover_label.setText("")
            QToolTip.hideText()
            return
        names = dict.fromkeys((self.settings.x, self.settings.y, *self.settings.split))
        places = [plot_data.point_label(point, [name]) for name in names if name and name != "method"]
        found = plot_data.point_spreads(
            [*self.filtered_points], self.settings.quantity, self.settings.baseline_query
        ).get(id(point))
        quantity, _, unit = self.settings.quantity_label.partition(", ")
        value = format_spread(self.settings.quantity, found) if found else ""
        unit = f", {unit}" if unit and unit not in ("ms", "bytes") else ""
        self.hover_label.setText(f"{', '.join([point.name, *places])}{f': {quantity} {value}{unit}' if value else ''}")
        lines = [f"{name.strip()}: {text}" for name, text in point_facts(point)]
        QToolTip.showText(QCursor.pos(), "\n".join(lines), self)

    def figure_size(self) -> QSize:
        """Return the size of the shown plot with its legend below."""
        size = (self.roofline.plot if self.tabs.currentIndex() == ROOF else self.tabs.currentWidget()).size()
        metrics = QFontMetrics(QGuiApplication.font())
        return size + QSize(0, legend_height(metrics, self.legend.items, size.width() - 2 * theme.MARGIN))

    def paint_figure(self, painter: QPainter, area: QRectF) -> None:
        """Paint the shown plot with its legend into an area."""
        items = self.legend.items
        height = legend_height(painter.fontMetrics(), items, area.width() - 2 * theme.MARGIN)
        inner = area.adjusted(0, 0, 0, -height)
        index = self.tabs.currentIndex()
        if index in (HEAT, PARALLEL):
            (self.heat_maps if index == HEAT else self.parallel_plot).draw(painter, inner)
        elif index == PHASES:
            self.phase_bars.draw(painter, inner)
        else:
            export.render_plot(painter, inner, self.roofline.plot if index == ROOF else self.line_plot)
        draw_legend(painter, QRectF(area.left() + theme.MARGIN, inner.bottom(), area.width(), height), items)


def _searchable_text(point: MeasuredPoint) -> str:
    """Return the text that the filter searches: method, device, and every value as "s=64"."""
    values = {**point.parameters, **point.coordinates}
    pairs = " ".join(f"{name}={point_text.format_value(value)}" for name, value in values.items())
    return f"{point.name} {point.contender} {point.backend} {point.device} {pairs} ".lower()


def _fill_box(box: QComboBox, choices: Mapping[str, str], chosen: str) -> None:
    with QSignalBlocker(box):
        if choices != {box.itemData(place): box.itemText(place) for place in range(box.count())}:
            box.clear()
            for name, text in choices.items():
                box.addItem(text, name)
        box.setCurrentIndex(max(box.findData(chosen), 0))


def why_no_lines(measured: Sequence[MeasuredPoint], filtered: Sequence[MeasuredPoint], settings: PlotSettings) -> str:
    """Explain why no measured point is on the plot and what to do; ``filtered`` are the points that pass the filter."""
    if not measured:
        return "No point was measured; see the reasons in Table."
    if not filtered:
        return "No point matches the filter at the upper right; remove some of its words."
    if settings.quantity == plot_data.SPEEDUP and not settings.baseline:
        return "A speedup needs a baseline; choose one above."
    if not plot_data.point_spreads(filtered, settings.quantity, settings.baseline_query):
        return f"No point has a value of {settings.quantity_label}; choose another quantity above."
    if settings.x:
        return f"The values of {settings.x} are not numbers; choose another axis above, or see Parallel or Table."
    if len(filtered) == 1:
        return f"One point makes no line. {AXIS_ADVICE}. The panel on the right shows the values of this point."
    return f"These points do not differ in any number. {AXIS_ADVICE}, or compare them in Phases and Table."
