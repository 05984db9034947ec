"""The curves of cost over a parameter: right points, followed while the user sets it, and set by a click."""

from dataclasses import dataclass, replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor

from antidiag.app import theme
from antidiag.app.jobs import planning
from antidiag.app.jobs.planning import RunRequest
from antidiag.app.kit.controls.forms import ParameterForm
from antidiag.app.panels.curves import scales
from antidiag.app.panels.curves.panel import NO_PLAN, CurvePanel, point_text
from antidiag.kernels import registry
from antidiag.kernels.cost_estimate import nothing_recomputed
from antidiag.kernels.experiments import cost_curve
from antidiag.kernels.memory import Footprint
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.parameters import StripWidth
from antidiag.kernels.parameters import MethodParameters, Parameter, parameter
from tests.app import fake

REFUSED_FROM = 900
NOTHING = Footprint()
PAIR = Sequence("one", b"ACGT" * 50, SequenceType.DNA), Sequence("two", b"ACGA" * 60, SequenceType.DNA)
CELLS = 200 * 240


@dataclass(frozen=True, kw_only=True)
class ModeParameters(MethodParameters):
    mode: Literal["a", "b"] = parameter("Mode", "", default="a")


@dataclass(frozen=True, kw_only=True)
class CurvedParameters(MethodParameters):
    s: int = parameter("Strip width s", "", minimum=32, maximum=1024, step=32, unit="columns")
    h: int = parameter("Chunk height h", "", minimum=16, step=16, unit="rows")
    mode: Literal["a", "b"] = parameter("Mode", "", default="a")


S, H = CurvedParameters.declared()[:2]


@dataclass(frozen=True, kw_only=True)
class OneWidth(MethodParameters):
    s: int = parameter("S", "", minimum=8, maximum=8)


def footprint(problem, parameters, backend):
    """Falls with s; more than there is from REFUSED_FROM on."""
    return Footprint({"all": 2**60 if parameters.s > REFUSED_FROM else 2**30 // parameters.s})


def recomputed(problem, parameters):
    return parameters.s * parameters.h


def work(problem, parameters):
    return problem.cells + recomputed(problem, parameters)


METHOD = fake.make(
    "curved",
    parameters=CurvedParameters,
    choose_parameters=lambda problem, backend, multiprocessors: {"s": 128, "h": 64},
    cost={"estimate_memory": footprint, "count_work": work, "count_recomputed": recomputed},
)


def answer(method=METHOD, data=PAIR, **parameters):
    return planning.plan_request(RunRequest(method, data, {}, parameters))


@pytest.fixture
def form(qtbot):
    form = ParameterForm()
    qtbot.addWidget(form)
    form.set_parameters(METHOD.parameters.declared())
    form.show()
    return form


@pytest.fixture
def panel(qtbot, form):
    panel = CurvePanel(form)
    qtbot.addWidget(panel)
    panel.resize(320, 300)
    panel.show()
    return panel


def show(qtbot, panel, **parameters):
    panel.show_answer(answer(**parameters))
    qtbot.waitUntil(lambda: not panel.busy and panel.plot.curve is not None)


@pytest.mark.parametrize("parameter", [S, H])
def test_every_point_is_what_a_run_with_its_value_would_cost(parameter):
    curve = cost_curve.compute_curve(answer(h=32).plan, {"h": 32}, parameter, Monitor())
    others = {"s": 128, "h": 32}
    assert curve.unit == "cells"
    for point in curve.points:
        values = CurvedParameters(**others | {parameter.name: point.value})
        assert point.host_bytes == footprint(None, values, "cpu").host_bytes
        assert point.work == CELLS + values.s * values.h
        assert point.recomputed == values.s * values.h / CELLS
        assert bool(point.refusal) == (values.s > REFUSED_FROM)
        assert point.time_ms == pytest.approx(curve.points[0].time_ms * point.work / curve.points[0].work)


@given(
    st.integers(0, 300), st.integers(1, 64), st.integers(0, 400), st.integers(1, 5000) | st.none(),
    st.integers(0, 400),
)  # fmt: skip
def test_values_can_be_set_and_reach_from_end_to_end(minimum, step, steps, usual, present):
    parameter = Parameter("p", "int", "P", "", minimum=minimum, maximum=minimum + step * (steps + 1), step=step)
    values = cost_curve.curve_values(parameter, usual, minimum + step * min(present, steps) or None)
    assert list(values) == sorted(set(values))
    assert all(parameter.validate(value) > 0 for value in values)
    low, high = cost_curve.curve_bounds(parameter, usual or 0)
    assert values[0] == low and values[-1] >= high
    assert all(cost_curve.snap_value(parameter, value, (low, high)) == value for value in (low, high))


@given(st.floats(1e-3, 1e12), st.floats(1.2, 1e6), st.sampled_from((10, 1024)))
def test_ticks_are_few_and_round_and_inside(low, factor, base):
    ticks = scales.ticks_between(low, low * factor, base)
    assert len(ticks) <= scales.MAX_TICKS
    assert all(low <= tick <= low * factor for tick in ticks) and ticks == sorted(ticks)


def test_memory_what_is_computed_again_and_time_are_drawn(qtbot, panel):
    show(qtbot, panel)
    assert [scale.title for scale in panel.plot.scales] == ["main memory", "recomputed cells", "expected time"]
    assert panel.readout.text().startswith("128 columns: 8.0 MiB, 17 % recomputed, ")
    assert [panel.chooser.itemText(k) for k in range(panel.chooser.count())] == ["Strip width s", "Chunk height h"]


def test_work_beyond_the_cells_is_not_computed_again_unless_a_method_says_so(qtbot, panel):
    panel.show_answer(answer(replace(METHOD, cost=replace(METHOD.cost, count_recomputed=nothing_recomputed))))
    qtbot.waitUntil(lambda: not panel.busy and panel.plot.curve is not None)
    assert [scale.title for scale in panel.plot.scales] == ["main memory", "cells", "expected time"]
    assert "recomputed" not in panel.readout.text()


@pytest.mark.parametrize("strips", [256, 1024])
def test_a_strip_wider_than_the_pair_is_computed_again_once(strips):
    """A pair of 200 x 240 letters: a wider strip has nothing more to compute again."""
    method = registry.find_method("striped-alignment")
    found = cost_curve.make_point(answer(method, s=strips).plan, "s")
    assert found.recomputed == 1 and point_text(StripWidth.declared()[0], found).split(", ")[1] == "100 % recomputed"


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_present_point_lies_on_its_curve(qtbot, panel, name):
    theme.switch(name)
    try:
        show(qtbot, panel, s=256)
        plot = panel.plot
        (area, scale), *_ = plot._panel_boxes()
        x = plot.x_of(256)
        y = area.bottom() - scale.share(plot.present.host_bytes) * area.height()
        assert plot.value_at(x) == 256
        found = QColor(plot.grab().toImage().pixel(round(x), round(y)))
        assert found.name() == theme.active().accent
    finally:
        theme.switch("light")


def test_a_click_takes_the_value_and_a_drag_follows(qtbot, panel, form):
    show(qtbot, panel)
    edits = []
    form.changed.connect(lambda: edits.append(form.values().get("s")))
    places = [QPoint(round(panel.plot.x_of(value)), 20) for value in (512, 64)]
    qtbot.mousePress(panel.plot, Qt.MouseButton.LeftButton, pos=places[0])
    assert panel.readout.text().startswith("512 columns: 2.0 MiB")
    qtbot.waitUntil(lambda: edits == [512])
    assert form.editor("s").value() == 512
    qtbot.mouseMove(panel.plot, places[1])
    panel.plot.picked.emit(64)
    qtbot.waitUntil(lambda: edits[-1] == 64)


def test_keys_step_double_and_go_to_the_ends(qtbot, panel, form):
    show(qtbot, panel)
    keys = (Qt.Key.Key_PageUp, 256), (Qt.Key.Key_Home, 32), (Qt.Key.Key_End, 1024), (Qt.Key.Key_PageDown, 512)
    for key, value in keys:
        qtbot.keyClick(panel.plot, key)
        assert panel.plot.present.value == value
        qtbot.waitUntil(lambda value=value: form.editor("s").value() == value)
    qtbot.keyClick(panel.plot, Qt.Key.Key_Left)
    assert panel.plot.present.value < 512


def test_it_follows_the_parameter_that_is_being_set(qtbot, panel, form):
    show(qtbot, panel)
    panel._follow_focus(None, form.editor("h"))
    qtbot.waitUntil(lambda: not panel.busy)
    assert panel.plot.curve.parameter is H and panel.chooser.currentText() == "Chunk height h"
    panel._follow_focus(None, form.editor("mode"))
    assert panel.plot.curve.parameter is H


def test_the_value_along_the_axis_does_not_change_the_curve_but_others_do(qtbot, panel):
    show(qtbot, panel)
    first = panel.plot.curve
    show(qtbot, panel, s=512)
    assert panel.plot.curve is first and panel.plot.present.value == 512
    panel.show_answer(answer(s=512, h=320))
    assert panel.plot.waiting
    qtbot.waitUntil(lambda: panel.plot.curve is not first and not panel.busy)
    assert not panel.plot.waiting
    assert panel.plot.present.recomputed == 512 * 320 / CELLS


def test_after_a_run_that_taught_another_rate_the_curve_is_drawn_again(qtbot, panel):
    show(qtbot, panel)
    before, found = panel.plot.curve, answer()
    slower = replace(found, plan=replace(found.plan, time_ms=1000.0))
    panel.show_answer(slower)
    assert panel.plot.waiting
    qtbot.waitUntil(lambda: not panel.busy)
    assert panel.plot.curve is not before
    assert panel.plot.present == panel.plot.curve.at(128)


def test_values_with_which_a_run_does_not_fit_are_shaded(qtbot, panel):
    show(qtbot, panel, s=960)
    assert "does not fit" in panel.readout.text() and "host memory" in panel.readout.toolTip()
    ((low, high),) = panel.plot._refused()
    assert low < panel.plot.x_of(960) < high == panel.plot.x_of(1024)
    assert panel.plot.x_of(REFUSED_FROM - 100) < low


def test_without_a_plan_the_last_curves_stay_faintly_and_it_says_why(qtbot, panel):
    show(qtbot, panel)
    panel.show_answer(answer(s=33))
    assert panel.plot.waiting and panel.plot.curve is not None and "; got 33" in panel.readout.text()
    panel.show_answer(None)
    assert panel.readout.text() == NO_PLAN


def test_curves_of_another_method_do_not_stay(qtbot, panel):
    show(qtbot, panel)
    panel.forget()
    assert panel.plot.curve is None and panel.readout.text() == ""
    panel.show_answer(None)
    assert panel.isHidden()


def test_folded_away_it_works_nothing_out(qtbot, form):
    panel, told = CurvePanel(form, closed=True), []
    qtbot.addWidget(panel)
    panel.folded.connect(told.append)
    panel.show_answer(answer())
    assert not panel.busy and panel.plot.isHidden()
    panel.fold.click()
    qtbot.waitUntil(lambda: panel.plot.curve is not None)
    panel.fold.click()
    assert told == [False, True]


def test_a_method_without_such_parameters_has_no_curves(qtbot, panel):
    show(qtbot, panel)
    panel.show_answer(
        answer(fake.make("plain", parameters=ModeParameters, cost={"estimate_memory": lambda *_: NOTHING}))
    )
    assert panel.isHidden()


def test_in_the_window_a_click_plans_again(qtbot, ready):
    qtbot.waitUntil(lambda: not ready.planner.busy and not ready.curves.busy)
    ready.curves.plot.picked.emit(512)
    qtbot.waitUntil(lambda: ready.answer is not None and ready.answer.plan.parameters.s == 512)
    assert ready.method.parameters.values()["s"] == 512
    assert ready.curves.plot.present.value == 512


def test_an_unusual_curve_is_painted(qtbot, panel):
    """One point only, and nothing that changes."""
    method = fake.make(
        "one", parameters=OneWidth, choose_parameters=lambda *_: {"s": 8}, cost={"estimate_memory": lambda *_: NOTHING}
    )
    panel.show_answer(answer(method))
    qtbot.waitUntil(lambda: not panel.busy and panel.plot.curve is not None)
    assert panel.plot.scales == ()
    assert not panel.plot.grab().isNull()
