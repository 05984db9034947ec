"""The heat map: bright for the best, and a bar that says what colours mean, in files too."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QFontMetrics

from antidiag.app.kit.figures import export
from antidiag.app.tune.plots import colour_bar
from antidiag.app.tune.plots.colour_bar import STOPS, ColourScale
from antidiag.app.tune.plots.heat_map import HeatMap
from antidiag.kernels.experiments.point_data.plot_data import HeatGrid, PlotSettings
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus

BRIGHT, DARK = STOPS[0], STOPS[-1]
AREA = QSize(600, 400)


def point(number: int) -> MeasuredPoint:
    return MeasuredPoint(f"{number}", "m", "M", {"s": number}, PointStatus.MEASURED)


@pytest.fixture
def heat(qtbot) -> HeatMap:
    heat = HeatMap()
    qtbot.addWidget(heat)
    heat.resize(AREA)
    cells = {(0, column): (point(column), 10.0**column) for column in range(3)}
    heat.show_grid(HeatGrid((1,), (1, 2, 3), cells), PlotSettings(x="s", y="h"), ("s", "h"))
    return heat


@pytest.mark.parametrize(("grow", "best", "worst"), [(False, 1.0, 100.0), (True, 100.0, 1.0)])
def test_the_best_value_is_bright(grow, best, worst):
    scale = ColourScale(1.0, 100.0, grow)
    assert (scale.colour_of(best).name(), scale.colour_of(worst).name()) == (BRIGHT, DARK)


def test_colours_and_marks_go_by_the_logarithm():
    scale = ColourScale(1.0, 100.0, False)
    assert scale.relative_place(10.0) == pytest.approx(0.5)
    assert [value for _, value in scale.tick_marks(3)] == pytest.approx([1, 10, 100])
    assert all(scale.relative_place(value) == pytest.approx(place) for place, value in scale.tick_marks(7))


def test_what_has_no_logarithm_is_spread_evenly():
    scale = ColourScale(0.0, 8.0, False)
    assert scale.relative_place(2.0) == 0.25 and scale.value_at(0.25) == 2.0
    assert [value for _, value in scale.tick_marks(5)] == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("value", [0.0, 5.0])
@pytest.mark.parametrize("grow", [False, True])
def test_of_one_value_alone_all_is_bright(value, grow):
    scale = ColourScale(value, value, grow)
    assert scale.tick_marks(5) == [(0.0, value)] and scale.colour_of(value).name() == BRIGHT


def test_the_bar_is_in_the_picture_of_a_file(heat):
    picture = export.render_image(AREA, heat.draw, scale=1)
    frame = heat._cell_area(QRectF(0, 0, AREA.width(), AREA.height()))
    x = round(frame.right() + colour_bar.GAP + colour_bar.BAR / 2)
    top, middle, bottom = (picture.pixelColor(x, round(y)) for y in (frame.top() + 1, frame.center().y(),
                                                                    frame.bottom() - 2))  # fmt: skip
    for seen, value in ((top, 100.0), (middle, 10.0), (bottom, 1.0)):
        assert _far(seen, heat._scale.colour_of(value)) < 12


def test_cells_leave_room_for_the_bar_and_its_words(heat):
    frame = heat._cell_area(QRectF(heat.rect()))
    needed = colour_bar.bar_width(QFontMetrics(heat.font()), heat._scale, heat._value_text)
    assert math.isclose(heat.width() - frame.right(), needed)
    assert heat.point_at(QPointF(frame.right() + 5, frame.center().y())) is None
    assert heat.point_at(QPointF(frame.right() - 5, frame.center().y())) is heat.grid.cells[0, 2][0]


def _far(one: QColor, other: QColor) -> int:
    return max(abs(a - b) for a, b in zip(one.getRgb(), other.getRgb(), strict=True))


def test_all_cells_have_their_value_without_the_unit_where_that_has_no_room_or_none_has(heat):
    metrics = QFontMetrics(heat.font())
    at = (0, 2)
    expected = {90: "100 ms", 45: "100", 12: None}
    for width, text in expected.items():
        words = heat._cell_texts(metrics, QRectF(0, 0, 3 * width, 60))
        assert words.get(at) == text and len(words) in (0, 3)
    assert heat._cell_texts(metrics, QRectF(0, 0, 900, metrics.height() - 1)) == {}
