"""A refinement step by step: both alignments, what moved, and going along."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from antidiag.app.kit.selection import Selection
from antidiag.app.views.refinement.view import RefinementView
from antidiag.kernels import engine, registry
from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.model import Result
from antidiag.kernels.msa.consistency.given_alignment_trials import insert_random_gaps
from antidiag.kernels.msa.trials import generate_family


@pytest.fixture(scope="module")
def result() -> Result:
    method = registry.find_method("msa-refine")
    problem = method.problem_type.make_problem(
        [insert_random_gaps(generate_family(6, 30), np.random.default_rng(1))], {}
    )
    return engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False)


def opened(qtbot: Any, result: Result | None) -> RefinementView:
    view = RefinementView(Selection())
    qtbot.addWidget(view)
    view.resize(800, 600)
    view.show()
    view.show_result(result)
    qtbot.waitUntil(lambda: not view.busy)
    return view


def test_changes_are_stepped_through(qtbot: Any, result: Result) -> None:
    view = opened(qtbot, result)
    count = len(result.answer.changes)
    assert RefinementView.shows(result) and count > 1
    assert view.change_text().startswith(f"Change 1 of {count}:")
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: view.change_text().startswith(f"Change 2 of {count}:"))
    qtbot.keyClick(view, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: view.change_text().startswith(f"Change 1 of {count}:"))
    assert view.table_text().count("\n") == count + 1
    assert not view.grab().toImage().isNull()


def test_the_last_one_is_the_answer(qtbot: Any, result: Result) -> None:
    view = opened(qtbot, result)
    count, letters = len(result.answer.changes), result.answer.alignment.letters
    view.slider.setValue(count - 1)
    qtbot.waitUntil(lambda: view.change_text().startswith(f"Change {count} of {count}:"))
    np.testing.assert_array_equal(view.after.letters, letters)
    rows = [row[row != GAP].tobytes() for row in view.before.letters]
    assert rows == [row[row != GAP].tobytes() for row in letters]
    chosen: list[int] = []
    view.selection.column_chosen.connect(chosen.append)
    view.after.clicked.emit((2, 5))
    assert chosen == [5] and view.selection.taxa == {result.answer.alignment.names[2]}


def test_both_sides_show_the_same_part(qtbot: Any, result: Result) -> None:
    view = opened(qtbot, result)
    view.before.zoom(2, QPointF(10, 10))
    assert view.after.area == view.before.area and view.after.area.width() < view.after.values.shape[1]
    view.before.zoom(1 / 0.3, QPointF(10, 10))
    assert not view.grab().toImage().isNull(), "letters are drawn"
    view.before.show_all()
    assert view.after.area.width() == view.after.values.shape[1]
    view.show_result(None)
    assert view.change_text() == "" and view.before.values.size == 0
