"""The SVG of every view that exports a figure, drawn by two programs."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QSize

from antidiag.app.kit.selection import Selection
from antidiag.app.views import view_classes
from antidiag.app.views.tree import tree_export
from antidiag.kernels import engine, registry
from antidiag.kernels.experiments.suites import promised_costs
from tests.app.steps import run
from tests.app.svg_rendering import assert_svg_is_the_image

METHODS = (
    "chunked-alignment-1",
    "layered-bt3",
    "nj-pruned",
    "distance-full",
    "parttree",
    "profile-wavefront",
    "msa",
    "viterbi-serial",
    "hmm-posterior",
    "hmm-baum-welch",
    "floyd-warshall",
    "nussinov",
    "matrix-chain",
    "minplus-product",
)
"""A method of every kind of view."""
SLOW = {"layered-bt3", "parttree", "profile-wavefront", "hmm-baum-welch", "matrix-chain"}
"""Methods with many views, each of which has tests of its own figure."""


def figure_size(view: Any) -> QSize:
    """The size with which a view saves its figure."""
    if hasattr(view, "figure_size"):
        return view.figure_size()
    return tree_export.window_figure_size(
        view.create_figure(), tree_export.frame_with_names(view.create_figure(), view.canvas)
    )


@pytest.mark.parametrize(
    "method_id", [pytest.param(name, marks=(pytest.mark.slow,) * (name in SLOW)) for name in METHODS]
)
def test_the_svg_of_each_view_is_its_image(method_id: str, qtbot: Any, answers: Any) -> None:
    method = registry.find_method(method_id)
    planned = engine.plan_run(method, promised_costs.make_problem(method, 0), backend="cpu")
    result = engine.execute(planned, keep_rate=False, keep_parts=False)
    drawn = []
    for kind in view_classes():
        if not kind.shows(result):
            continue
        view = kind(Selection())
        qtbot.addWidget(view)
        view.resize(900, 600)
        view.show()
        view.show_result(result)
        if not hasattr(view, "draw_figure"):
            continue
        qtbot.waitUntil(lambda view=view: getattr(view, "sharp", True))
        assert_svg_is_the_image(figure_size(view), view.draw_figure, share=0.02)
        drawn.append(kind.id)
    assert drawn


def test_a_view_of_a_window_exports_what_it_shows(qtbot: Any, ready: Any) -> None:
    run(qtbot, ready)
    for view_id in {"matrix", "dotplot"} & set(ready.viewer.tabs_shown()):
        ready.viewer.turn_to(view_id)
        view = ready.viewer.views[view_id]
        qtbot.waitUntil(lambda view=view: view.sharp)
        assert_svg_is_the_image(view.figure_size(), view.draw_figure, share=0.02)
