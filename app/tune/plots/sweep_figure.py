"""The plot of a sweep as a file: lines over one axis of numbers, heat maps over two, else bars of the phases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QPainter
from PySide6.QtWidgets import QApplication

from antidiag.app import theme
from antidiag.app.kit.figures import captions, export
from antidiag.app.tune.plots.plot_tabs import PHASES, PlotTabs
from antidiag.app.tune.plots.point_plot import LAYOUTS, settle_axes
from antidiag.app.tune.plots.point_set import PointSet
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.point_data import plot_data
from antidiag.kernels.experiments.point_data.plot_data import SPEEDUP, PlotSettings
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.sweeps.sweep_axes import SweepAxis

FILE_SIZE = QSize(960, 560)


def save_sweep_figure(
    path: Path, points: Sequence[MeasuredPoint], title: str, axes: Sequence[SweepAxis] = (), baseline: str = ""
) -> None:
    """Write the plot that Tune draws of a sweep in light colours as PNG, SVG or PDF.

    With a ``baseline`` (``NAME=VALUE``) speedups are drawn. Raises InputError if no point was measured, or if the file
    cannot be written.
    """
    measured = [point for point in points if point.has_times]
    if not measured:
        raise InputError(f"{path}: no point was measured, so there is nothing to draw")
    application = QGuiApplication.instance() or QApplication(["antidiag"])
    assert isinstance(application, QApplication)
    theme.apply(application, "light")
    tabs = _hidden_tabs(measured, title, _first_settings(axes, baseline))
    caption = "Measured on " + ", ".join(dict.fromkeys(f"{one.device} ({one.backend})" for one in measured)) + "."
    metrics = QFontMetrics(QGuiApplication.font())
    above, below = captions.title_height(metrics), captions.caption_height(metrics, caption, FILE_SIZE.width())
    size = tabs.figure_size() + QSize(0, above + below)

    def paint(painter: QPainter, area: QRectF) -> None:
        painter.fillRect(area, QColor(theme.active().panel))
        tabs.paint_figure(painter, area.adjusted(0, above, 0, -below))
        captions.draw_title(painter, area, title)
        captions.draw_caption(painter, area, caption)

    export.save_figure(path, size, paint, title)
    tabs.deleteLater()


def _first_settings(axes: Sequence[SweepAxis], baseline: str) -> PlotSettings:
    """Return the settings with the axes of the sweep that have several values, those of numbers first.

    Methods and devices are no axes of a plot: they have a colour each.
    """
    several = [axis for axis in axes if len(axis.values) > 1 and axis.role in ("parameter", "option", "input")]
    ordered = sorted(several, key=lambda axis: not any(_is_number(value) for value in axis.values))
    names = [axis.name for axis in ordered[:2]] + ["", ""]
    return PlotSettings(
        x=names[0],
        y=names[1],
        quantity=SPEEDUP if baseline else "compute_ms",
        baseline=baseline,
        log_x=bool(ordered) and ordered[0].logarithmic,
    )


def _is_number(value: Any) -> bool:
    """Return whether a value has a place on an axis of numbers, as several lengths have too."""
    return isinstance(value, tuple) or plot_data.number_of(value) is not None


def _hidden_tabs(measured: Sequence[MeasuredPoint], title: str, settings: PlotSettings) -> PlotTabs:
    """Return laid out plots that are not shown, turned to the one that suits the points."""
    points = PointSet()
    points.show_points(title, measured)
    tabs = PlotTabs(points, lambda point, name: {})
    tabs.resize(FILE_SIZE)
    tabs.apply_settings(settings)
    tabs.show_tab("Heat map" if settings.y and tabs.has_grid else "Lines" if tabs.has_lines else "Phases")
    settle_axes(tabs, tabs.line_plot)
    if tabs.tabs.currentIndex() == PHASES:  # bars have a height of their own
        tabs.resize(
            FILE_SIZE.width(), tabs.height() - tabs.tabs.currentWidget().height() + tabs.phase_bars.minimumHeight()
        )
    for _ in range(LAYOUTS):
        settle_axes(tabs, tabs.line_plot)
        tabs.apply_settings(tabs.settings)
    return tabs
