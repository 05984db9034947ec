"""The SVG of every view of a result, drawn by two programs."""

from __future__ import annotations

from typing import Any

from tests.app.steps import run
from tests.app.svg_rendering import assert_svg_is_the_image


def test_the_svg_of_each_view_is_its_image(qtbot: Any, ready: Any) -> None:
    run(qtbot, ready)
    drawn = []
    for view_id in ready.viewer.tabs_shown():
        ready.viewer.turn_to(view_id)
        view = ready.viewer.views[view_id]
        if not hasattr(view, "draw_figure"):
            continue
        qtbot.wait(300)
        assert_svg_is_the_image(view.figure_size(), view.draw_figure, share=0.02)
        drawn.append(view_id)
    assert {"matrix", "dotplot"} <= set(drawn), drawn
