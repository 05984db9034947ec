"""After a change of the theme nothing keeps the old colours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.kit.selection import Selection
from antidiag.app.tune.plots.plot_tabs import PlotTabs
from antidiag.app.tune.plots.point_set import PointSet
from antidiag.app.views import view_classes
from antidiag.kernels import engine, registry
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun
from antidiag.kernels.experiments.suites import promised_costs
from tests.app.svg_rendering import _pixels

SHARE = 0.003
"""Share of the pixels that may differ: those around the focus."""


@pytest.fixture(autouse=True)
def _theme_again(qapp: Any) -> Any:
    before = theme.active().name
    yield
    theme.switch(before)


def assert_same_after_change(qtbot: Any, make: Callable[[], QWidget], name: str) -> None:
    """Compare what was made in the light and turned dark with what is made in the dark."""

    def made() -> QWidget:
        widget = make()
        qtbot.addWidget(widget)
        widget.resize(800, 520)
        widget.show()
        settle(widget)
        if isinstance(widget, PlotTabs):
            widget.redraw()  # for the size that it has now
        return widget

    def settle(widget: QWidget) -> None:
        qtbot.wait(60)
        qtbot.waitUntil(lambda: getattr(widget, "sharp", True))

    theme.switch("light")
    changed = made()
    theme.switch("dark")
    settle(changed)
    pictures = [_pixels(widget.grab().toImage()) for widget in (changed, made())]
    different = float((np.abs(pictures[0] - pictures[1]).max(axis=2) > 40).mean())
    assert different <= SHARE, f"{name}: {different:.1%} of the pixels have other colours"


@pytest.mark.parametrize(
    "method_id", ["nj-pruned", *(pytest.param(name, marks=pytest.mark.slow) for name in ("chunked-alignment-1", "msa"))]
)
def test_a_view_of_a_result(qtbot: Any, answers: Any, method_id: str) -> None:
    method = registry.find_method(method_id)
    planned = engine.plan_run(method, promised_costs.make_problem(method, 0), backend="cpu")
    result = engine.execute(planned, keep_rate=False, keep_parts=False)
    for kind in view_classes():
        if kind.shows(result):

            def make(kind: Any = kind) -> QWidget:
                view = kind(Selection())
                view.show_result(result)
                return view

            assert_same_after_change(qtbot, make, kind.id)


@pytest.mark.parametrize("tab", ["Lines", "Parallel", "Phases", "Table"])
def test_the_plots_of_tune(qtbot: Any, tab: str) -> None:
    points = [
        MeasuredPoint(
            f"{method} {s}", method, method, {"s": s, "method": method}, PointStatus.MEASURED,
            runs=(TimedRun(s, {"phase 1": s * (1 + number)}),),
        )
        for number, method in enumerate("ab")
        for s in (1.0, 2.0, 40.0)
    ]  # fmt: skip

    def make() -> QWidget:
        held = PointSet()
        held.show_points("a sweep", points)
        tabs = PlotTabs(held, lambda point, name: {})
        tabs.show_tab(tab)
        return tabs

    assert_same_after_change(qtbot, make, tab)
