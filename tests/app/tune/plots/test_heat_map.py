"""The heat map: bright for the best, and a bar that says what colours mean, in files too."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QFontMetrics

from antidiag.app.kit import export
from antidiag.app.tune.plots import colour_bar
from antidiag.app.tune.plots.colour_bar import STOPS, Scale
from antidiag.app.tune.plots.heat_map import HeatMap
from antidiag.app.tune.plots.series import Grid
from antidiag.app.tune.plots.settings import PlotSettings
from antidiag.kernels.experiments.points import Point, Status

BRIGHT, DARK = STOPS[0], STOPS[-1]
AREA = QSize(600, 400)


def point(number: int) -> Point:
    return Point(f"{number}", "m", "M", {"s": number}, Status.MEASURED)


@pytest.fixture
def heat(qtbot) -> HeatMap:
    heat = HeatMap()
    qtbot.addWidget(heat)
    heat.resize(AREA)
    cells = {(0, column): (point(column), 10.0**column) for column in range(3)}
    heat.show_grid(Grid((1,), (1, 2, 3), cells), PlotSettings(x="s", y="h"), ("s", "h"))
    return heat


@pytest.mark.parametrize(("grow", "best", "worst"), [(False, 1.0, 100.0), (True, 100.0, 1.0)])
def test_the_best_value_is_bright(grow, best, worst):
    scale = Scale(1.0, 100.0, grow)
    assert (scale.colour(best).name(), scale.colour(worst).name()) == (BRIGHT, DARK)


def test_colours_and_marks_go_by_the_logarithm():
    scale = Scale(1.0, 100.0, False)
    assert scale.place(10.0) == pytest.approx(0.5)
    assert [value for _, value in scale.ticks(3)] == pytest.approx([1, 10, 100])
    assert all(scale.place(value) == pytest.approx(place) for place, value in scale.ticks(7))


def test_what_has_no_logarithm_is_spread_evenly():
    scale = Scale(0.0, 8.0, False)
    assert scale.place(2.0) == 0.25 and scale.value(0.25) == 2.0
    assert [value for _, value in scale.ticks(5)] == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("value", [0.0, 5.0])
@pytest.mark.parametrize("grow", [False, True])
def test_of_one_value_alone_all_is_bright(value, grow):
    scale = Scale(value, value, grow)
    assert scale.ticks(5) == [(0.0, value)] and scale.colour(value).name() == BRIGHT


def test_the_bar_is_in_the_picture_of_a_file(heat):
    picture = export.image(AREA, heat.draw, scale=1)
    frame = heat._frame(QRectF(0, 0, AREA.width(), AREA.height()))
    x = round(frame.right() + colour_bar.GAP + colour_bar.BAR / 2)
    top, middle, bottom = (picture.pixelColor(x, round(y)) for y in (frame.top() + 1, frame.center().y(),
                                                                    frame.bottom() - 2))  # fmt: skip
    for seen, value in ((top, 100.0), (middle, 10.0), (bottom, 1.0)):
        assert _far(seen, heat._scale.colour(value)) < 12


def test_cells_leave_room_for_the_bar_and_its_words(heat):
    frame = heat._frame(QRectF(heat.rect()))
    needed = colour_bar.width(QFontMetrics(heat.font()), heat._scale, heat._text)
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
        words = heat._words(metrics, QRectF(0, 0, 3 * width, 60))
        assert words.get(at) == text and len(words) in (0, 3)
    assert heat._words(metrics, QRectF(0, 0, 900, metrics.height() - 1)) == {}
