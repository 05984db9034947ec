"""Views that have nothing to show of a result are not offered."""

from __future__ import annotations

from typing import Any

from antidiag.app.kit.selection import Selection
from antidiag.app.views import view_classes
from antidiag.app.views.run.timeline import TimelineView
from antidiag.kernels import engine, registry
from antidiag.kernels.experiments.suites import promised_costs
from antidiag.kernels.model import Result


def run(method_id: str, size: int = 0) -> Result:
    method = registry.find_method(method_id)
    problem = promised_costs.make_problem(method, size)
    return engine.execute(engine.plan_run(method, problem, backend="cpu"), keep_rate=False, keep_parts=False)


def offered(result: Result) -> set[str]:
    return {kind.id for kind in view_classes() if kind.shows(result)}


def test_an_alignment_along_parttree_has_no_growth_and_no_replay(qtbot: Any) -> None:
    """Its log has one event for each stage, which were called strips."""
    result = run("msa-parttree")
    views = offered(result)
    assert {"aligned", "tree", "timeline"} <= views and not {"growth", "replay"} & views
    timeline = TimelineView(Selection())
    qtbot.addWidget(timeline)
    timeline.show_result(result)
    assert "2 steps" in timeline.summary.text() and "strip" not in timeline.summary.text()
    assert timeline._colour.itemText(1) == "Colour by step"


def test_a_progressive_alignment_has_its_growth_and_its_replay() -> None:
    assert {"growth", "replay", "timeline"} <= offered(run("msa-thesis", 1))
