"""The axis draws what pyqtgraph's does: every tick, in opaque colours."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QColor, QImage, QPainter
from shiboken6 import delete, isValid

from antidiag.app import theme
from antidiag.app.kit.figures import export
from antidiag.app.kit.plane.matrix_plot import MatrixPlot
from antidiag.app.kit.plots.axis import FastPlot, PlotAxis
from antidiag.app.tune.plots.line_plot import LinePlot
from antidiag.app.views.cube.slice_plot import SlicePlot


@pytest.fixture
def plot(qtbot) -> pg.PlotWidget:
    plot = pg.PlotWidget(axisItems={side: PlotAxis(side) for side in ("bottom", "left")})
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    plot.showGrid(x=True, y=True, alpha=0.5)
    plot.setRange(xRange=(0, 10), yRange=(0, 10))
    plot.show()
    qtbot.waitExposed(plot)
    return plot


def painted(plot: pg.PlotWidget) -> QImage:
    image = QImage(plot.size(), QImage.Format.Format_RGB32)
    image.fill(QColor(theme.active().panel))
    painter = QPainter(image)
    plot.render(painter)
    painter.end()
    return image


def test_every_tick_is_a_line_of_its_level(plot):
    painted(plot)
    image = QImage(400, 300, QImage.Format.Format_RGB32)  # the painter does not keep it alive
    painter = QPainter(image)
    for side in ("bottom", "left"):
        axis = plot.getAxis(side)
        _, ticks, _ = pg.AxisItem.generateDrawSpecs(axis, painter)
        _, lines, _ = axis.generateDrawSpecs(painter)
        ends = [(line.p1().toTuple(), line.p2().toTuple()) for _, group in lines for line in group]
        assert ends == [((start.x(), start.y()), (end.x(), end.y())) for _, start, end in ticks]
        assert 1 < len(lines) < len(ends)
        assert all(pen.color().alpha() == 255 for pen, _ in lines)
    painter.end()


def test_the_grid_is_seen(plot):
    plot.setBackground(theme.active().panel)
    image, axis = painted(plot), plot.getAxis("left")
    painter = QPainter(image)
    _, ((pen, (line, *_)), *_), _ = axis.generateDrawSpecs(painter)
    painter.end()
    start, end = (axis.mapToScene(place).toPoint() for place in (line.p1(), line.p2()))
    seen = {image.pixelColor(x, y).name() for x in range(end.x(), start.x()) for y in range(end.y() - 1, end.y() + 2)}
    assert pen.color().name() in seen and pen.color() != QColor(theme.active().panel)


def test_the_grid_of_a_saved_figure_does_not_cut_its_lines(plot):
    """The axes are drawn a second time, over what covers the edges of the plot: then without their grid."""
    for side in ("bottom", "left"):
        plot.getAxis(side).setZValue(plot.getViewBox().zValue() - 1)
    plot.plot([-5, 15], [5.05, 5.05], pen=pg.mkPen("#ff0000", width=9))
    picture = export.render_image(plot.viewport().size(), partial(export.render_plot, plot=plot), 1)
    inner = plot.getViewBox().sceneBoundingRect()
    row = round(inner.center().y())
    across = {picture.pixelColor(x, row).name() for x in range(round(inner.left()) + 3, round(inner.right()) - 3)}
    assert across == {"#ff0000"}
    assert plot.getAxis("bottom").grid, "as before"


@pytest.mark.parametrize(
    ("height", "named"),
    [
        (30, ["1", "10¹"]),
        (80, ["1", "2", "5", "10¹"]),
        (500, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10¹"]),
    ],
)
def test_of_a_power_of_ten_those_digits_have_words_that_have_room(qtbot, height, named):
    axis = PlotAxis("left")
    axis.setLogMode(y=True)
    axis.setRange(0, 1)
    axis.resize(40, height)
    values = [*np.log10(np.arange(1, 10)), 1.0]
    assert [text for text in axis.logTickStrings(values, 1.0, None) if text] == named


@pytest.mark.parametrize("make", [FastPlot, partial(SlicePlot, 0), LinePlot, partial(MatrixPlot, lambda *_: None)])
def test_no_menu_outlives_its_plot(qtbot, make):
    plot = make()
    menu = plot.getPlotItem().ctrlMenu
    delete(plot)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not isValid(menu)


def labels(axis: pg.AxisItem) -> list:
    """The boxes and texts of the labels that an axis draws."""
    image = QImage(20, 20, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    _, _, words = axis.generateDrawSpecs(painter)
    painter.end()
    return [(box, text) for box, _, text in words if text.strip()]


@pytest.mark.parametrize("length", [60, 16_569, 1_234_567_890])
@pytest.mark.parametrize("width", [130, 300, 517, 900])
def test_labels_of_a_matrix_never_touch_at_any_size_and_zoom(qtbot, width: int, length: int) -> None:
    """Beyond 10,000 they ran together: 14,00015,00016,000."""
    plot = MatrixPlot(lambda *_: None)
    qtbot.addWidget(plot)
    plot.resize(width, width)
    for axis in (plot.getAxis("left"), plot.getAxis("bottom")):
        axis.length = length
    plot.show()
    for share in (1.0, 0.5, 0.13, 0.021, 0.0007):
        seen = max(length * share, 2.0)
        plot.setRange(xRange=(length - seen, length), yRange=(length - seen, length), padding=0)
        QCoreApplication.processEvents()
        for side in ("left", "bottom"):
            found = labels(plot.getAxis(side))
            assert found or width == 130, (side, share)
            for number, (box, text) in enumerate(found):
                for other, more in found[:number]:
                    assert not box.intersects(other), f"{text} and {more} on the {side}, {width} pixels, {share}"


def test_labels_of_two_levels_never_touch(qtbot, plot) -> None:
    plot.getAxis("bottom").setTicks([[(number, f"{number:,} kilobytes") for number in range(11)], [(0.2, "minor")]])
    painted(plot)
    found = labels(plot.getAxis("bottom"))
    assert 2 < len(found) < 11
    assert not any(box.intersects(other) for number, (box, _) in enumerate(found) for other, _ in found[:number])
