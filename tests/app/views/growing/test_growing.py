"""The tree of an alignment as it fills: of a result, and of a job while it runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from antidiag.app.jobs.queue import Job, JobState
from antidiag.app.kit.replay.player import TICKS
from antidiag.app.kit.selection import Selection
from antidiag.app.views.growth.growth_window import GrowthWindow
from antidiag.app.views.growth.view import GrowthView
from antidiag.kernels import engine, registry
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result
from antidiag.kernels.msa.tree_growth import TreeGrowth
from antidiag.kernels.msa.trials import generate_family


@pytest.fixture(scope="module")
def result() -> Result:
    method = registry.find_method("msa-thesis-serial")
    problem = method.problem_type.make_problem(generate_family(6, 25), {})
    return engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False)


def opened(qtbot: Any, result: Result | None) -> GrowthView:
    view = GrowthView(Selection())
    qtbot.addWidget(view)
    view.resize(800, 500)
    view.show()
    view.show_result(result)
    qtbot.waitUntil(lambda: not view.busy)
    return view


def test_nodes_are_stepped_through(qtbot: Any, result: Result) -> None:
    view = opened(qtbot, result)
    assert view.moment_text().endswith("5 of 5 nodes aligned, 0 being aligned")
    view.player.slider.setValue(0)
    told = []
    for _ in range(8):
        qtbot.keyClick(view, Qt.Key.Key_Right)
        told.append(view.moment_text().split(", ")[1])
    assert told[-1] == "5 of 5 nodes aligned" and told[0] == "1 of 5 nodes aligned"
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert "5 of 5" not in view.moment_text()
    assert view.table_text().count("\n") == 6
    assert not view.grab().toImage().isNull()


def test_a_node_that_is_clicked_chooses_its_sequences(qtbot: Any, result: Result) -> None:
    view = opened(qtbot, result)
    view.grab()
    tree = view.picture.growth.tree
    line = view.picture._drawn.lines[view.picture._drawn.owners == 0][0]
    place = QPointF((line[0] + line[2]) / 2, (line[1] + line[3]) / 2)
    view.canvas.pointed.emit(place)
    assert "node of 6 sequences" in view.status.text()
    view.canvas.clicked.emit(place)
    assert view.selection.taxa == set(tree.taxa)


def test_it_plays_to_the_end(qtbot: Any, result: Result) -> None:
    view = opened(qtbot, result)
    view.player.speed_box.setCurrentIndex(0)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert view.player.is_playing and view.player.slider.value() == 0
    view.player.advance(100)
    qtbot.waitUntil(lambda: not view.player.is_playing)
    assert view.player.slider.value() == TICKS
    view.show_result(None)
    assert view.moment_text() == "" and not view.grab().toImage().isNull()


def test_a_job_is_looked_at_while_it_runs(qtbot: Any) -> None:
    job = Job("alignment", "cpu", lambda monitor: None, lambda value: None)
    window = GrowthWindow(job)
    qtbot.addWidget(window)
    window.show()
    assert window.picture is None
    job.state = JobState.RUNNING
    job.monitor.partial_result = TreeGrowth.start_growth(Tree.from_joins(["a", "b", "c"], np.array([[0, 1], [3, 2]])))
    job.progress = (1, 2, "progressive")
    window.update_state()
    assert window._heading.text() == "progressive: 0 of 2 nodes aligned, 0 being aligned"
    node = int(job.monitor.partial_result.inner_nodes[1])
    job.monitor.partial_result.begin_nodes([node])
    job.monitor.partial_result.end_node(node, 5)
    qtbot.waitUntil(lambda: "1 of 2 nodes aligned" in window._heading.text())
    assert not window.grab().toImage().isNull()
    job.state = JobState.DONE
    qtbot.waitUntil(lambda: not window._timer.isActive())
    assert window._heading.text().startswith("done")
