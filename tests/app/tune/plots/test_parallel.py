"""Parallel coordinates: ranges are chosen by dragging along axes."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt

from antidiag.app.tune.plots.parallel_plot import VALUE_AXIS, ParallelPlot
from antidiag.kernels.experiments.point_data.plot_data import PlotSettings
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun


@pytest.fixture
def plot(qtbot: Any) -> ParallelPlot:
    """Nine points over s and h, each with another time."""
    made = ParallelPlot()
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    points = [
        MeasuredPoint(
            f"{s} {h}", "m", "M", {"s": s, "h": h}, PointStatus.MEASURED, runs=(TimedRun(s + h, {"phase": s + h}),)
        )
        for s in (10, 20, 30)
        for h in (1, 2, 3)
    ]
    made.show_points(points, ["s", "h"], PlotSettings())
    return made


def axis_point(plot: ParallelPlot, axis: int, height: float) -> QPoint:
    """A place on an axis, from 0 (bottom) to 1."""
    inner = plot._plot_area(QRectF(plot.rect()))
    return QPoint(round(inner.left() + axis * inner.width() / 2), round(inner.bottom() - height * inner.height()))


def drag(qtbot: Any, plot: ParallelPlot, axis: int, low: float, high: float) -> None:
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=axis_point(plot, axis, low))
    qtbot.mouseMove(plot, axis_point(plot, axis, (low + high) / 2))
    qtbot.mouseMove(plot, axis_point(plot, axis, high))
    qtbot.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=axis_point(plot, axis, high))


def chosen(plot: ParallelPlot) -> set[str]:
    return {point.key for point in plot.chosen_points}


def test_ranges_of_several_axes_hold_together(qtbot: Any, plot: ParallelPlot) -> None:
    assert len(chosen(plot)) == 9
    drag(qtbot, plot, 0, 0.4, 1.0)
    assert chosen(plot) == {f"{s} {h}" for s in (20, 30) for h in (1, 2, 3)}
    with qtbot.waitSignal(plot.brushed) as told:
        drag(qtbot, plot, 1, 0.6, 0.0)
    assert chosen(plot) == {f"{s} {h}" for s in (20, 30) for h in (1, 2)}
    assert plot.accessibleDescription() == "4 of 9 points are chosen" and told.args is not None
    drag(qtbot, plot, 2, 0.0, 1.0)
    assert set(plot.brushes) == {"s", "h", VALUE_AXIS} and len(chosen(plot)) == 4
    picture = plot.grab().toImage()
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=axis_point(plot, 0, 0.2))
    assert len(chosen(plot)) == 6 and plot.grab().toImage() != picture, "a click on an axis takes its range away"


def test_what_is_left_out_is_not_found_by_the_mouse(qtbot: Any, plot: ParallelPlot) -> None:
    drag(qtbot, plot, 0, 0.9, 1.0)
    places = [plot._line_points(line, QRectF(plot.rect())) for line in plot._lines if line.point.key == "10 1"]
    middle = (places[0][0] * 2 + places[0][1]) / 3
    found = plot.point_at(middle)
    assert found is None or found.key.startswith("30")
