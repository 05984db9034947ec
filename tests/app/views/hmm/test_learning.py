"""The view of a model that was learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antidiag.app import views
from antidiag.app.kit.selection import Selection
from antidiag.app.views.hmm.learning import LearningView
from antidiag.kernels.hmm.sums.problem import LearningAnswer, LearningProblem
from tests.app.views import made

BEFORE = made.two_states()
AFTER = replace(BEFORE, name="two (learned)", transitions=np.array([[0.7, 0.3], [0.1, 0.9]]))
PROBLEM = LearningProblem(BEFORE, (made.nucleotides(made.mixed(60)),))
RESULT = made.result("hmm-baum-welch", PROBLEM, LearningAnswer(AFTER, (-90.0, -80.5, -80.25)))


@pytest.fixture
def view(qtbot):
    made_ = LearningView(Selection())
    qtbot.addWidget(made_)
    made_.show_result(RESULT)
    return made_


def test_the_rise_of_the_probability_is_drawn(view):
    rounds, values = view.line.getData()
    assert rounds.tolist() == [0, 1, 2] and values.tolist() == [-90.0, -80.5, -80.25]
    assert "in 2 iterations" in view.summary.text()


def test_learned_and_original_tables_stand_side_by_side(view):
    table = view.model
    assert table.headings == ("start", "\N{RIGHTWARDS ARROW} rich", "\N{RIGHTWARDS ARROW} poor", *"ACGT")
    assert (table.rowCount(), table.columnCount()) == (2, 7)
    assert table.data(table.index(0, 1)) == "0.7 (0.9)"
    assert table.data(table.index(1, 2)) == "0.9 (0.9)"
    lines = view.copy_text().splitlines()
    assert lines[1].split("\t")[:4] == ["learned", "rich", "0.5", "0.7"]
    assert lines[3].split("\t")[:4] == ["before", "rich", "0.5", "0.9"]


def test_it_shows_what_was_learned_and_nothing_else(view):
    other = made.result("hmm-forward", PROBLEM, object())
    assert LearningView in views.view_classes() and LearningView.shows(RESULT) and not LearningView.shows(other)
    view.show_result(None)
    assert view.copy_text() == "" and not view.summary.text()
