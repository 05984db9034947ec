"""The path of a hidden Markov model as a person looks at it: from far away, and down to the trellis."""

from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QGuiApplication

from antidiag.app import theme
from antidiag.app.kit.selection import Selection
from antidiag.app.views.hmm import states_drawing
from antidiag.app.views.hmm.states import StatesView
from antidiag.kernels.hmm import reference, state_columns
from antidiag.kernels.hmm.model.problem import HmmProblem, make_answer
from antidiag.kernels.hmm.model.state_annotations import Feature
from antidiag.kernels.hmm.sums.problem import PosteriorAnswer
from antidiag.kernels.monitor import Monitor
from tests.app.views import examples, made

LENGTH = 90
PROBLEM = HmmProblem(made.two_states(), made.nucleotides(made.mixed(LENGTH)))
PATH = reference.find_best_path(PROBLEM)


@cache
def viterbi():
    """The result of the path. Its probability is summed by compiled code, which no process loads to collect tests."""
    return made.result("viterbi-serial", PROBLEM, make_answer(PROBLEM, PATH))


def island():
    """The one feature of the path."""
    (found,) = state_columns.find_features(viterbi())
    return found


@pytest.fixture
def view(qtbot):
    view = StatesView(Selection())
    qtbot.addWidget(view)
    view.resize(700, 420)
    view.show()
    return view


def shown(qtbot, view, result):
    view.show_result(result)
    settle(qtbot, view)


def settle(qtbot, view):
    qtbot.waitUntil(lambda: view.sharp)
    QGuiApplication.processEvents()


def words(view):
    return " | ".join(item.text for item in view.legend.items)


def test_it_shows_states_and_nothing_else():
    assert StatesView.shows(viterbi())
    assert not StatesView.shows(examples.result(examples.problem("ACGT", "ACGA")))


def test_the_island_is_an_annotation_of_the_sequence(qtbot, view):
    shown(qtbot, view, viterbi())
    feature = island()
    assert feature.label == "island" and abs(feature.start - 30) < 4 and abs(feature.end - 60) < 4
    assert "island" in words(view)
    box = view.plane
    x = round(box.x_of((feature.start + feature.end) / 2))
    top, height = states_drawing.row_layout(QRectF(box.rect()), box, view.states)
    image = box.grab().toImage()
    y = round(top + 2 * height + states_drawing.GAP + 3)
    assert QColor(image.pixel(x, y)).name() == theme.active().phases[0]
    assert QColor(image.pixel(round(box.x_of(10)), y)).name() != theme.active().phases[0]


@pytest.mark.parametrize("width", [560, 700, 1300])
def test_near_by_the_trellis_has_costs_and_winners(qtbot, view, width):
    view.resize(width, 420)
    shown(qtbot, view, viterbi())
    assert not states_drawing.shows_trellis(view.plane, view.states)
    assert view.go_to("40")
    settle(qtbot, view)
    assert states_drawing.shows_trellis(view.plane, view.states)
    stretch = view.states.columns
    for letter in range(stretch.first + 1, stretch.last):
        state, column = PATH[letter], letter - stretch.first
        assert stretch.winners[column, state] == PATH[letter - 1]
    assert "best path to the state" in words(view)
    state = int(PATH[39])
    top, height = states_drawing.row_layout(QRectF(view.plane.rect()), view.plane, view.states)
    view.plane.pointed.emit(QPointF(view.plane.x_of(39.5), top + (state + 0.5) * height))
    text = view.status.text()
    assert text.startswith(f"letter 40: {PROBLEM.sequence.letters[39:40].decode()}")
    assert f"in state {PROBLEM.hmm.states[state]}" in text and "best predecessor" in text


def test_next_and_previous_lead_to_features(qtbot, view):
    shown(qtbot, view, viterbi())
    view.next_button.click()
    assert view.status.text().startswith(f"island: {island().start + 1}\u2013{island().end}")
    low, high = view.plane.span
    assert low <= island().start and island().end <= high < LENGTH
    view.next_button.click()
    assert "no next feature" in view.status.text()


def test_places_that_are_none_are_said_so(qtbot, view):
    shown(qtbot, view, viterbi())
    before = view.plane.span
    assert not view.go_to("0") and not view.go_to("x") and not view.go_to("91")
    assert view.plane.span == before and "from 1 to 90" in view.status.text()


def test_a_posterior_is_a_heat_map_of_probabilities(qtbot, view):
    posterior = np.zeros((LENGTH, 2))
    posterior[:, 0] = np.linspace(0, 1, LENGTH)
    posterior[:, 1] = 1 - posterior[:, 0]
    shown(qtbot, view, made.result("hmm-posterior", PROBLEM, PosteriorAnswer(-100.0, posterior)))
    assert np.allclose(view.states.columns.values, posterior.T)
    assert "probability 0 to 1" in words(view)
    top, _ = states_drawing.row_layout(QRectF(view.plane.rect()), view.plane, view.states)
    view.plane.pointed.emit(QPointF(view.plane.x_of(LENGTH - 0.5), top + 2))
    assert "rich has probability 1" in view.status.text()


def test_from_far_away_a_column_has_the_shade_of_its_best_letter():
    whole = state_columns.compute_columns(viterbi(), (0, LENGTH), LENGTH, Monitor())
    far = state_columns.compute_columns(viterbi(), (0, LENGTH), 9, Monitor())
    assert (far.shades == whole.shades.reshape(2, 9, 10).max(axis=2)).all()


@pytest.mark.parametrize("letters", ["", "A", "ACGTACGT"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_short_sequences_and_impossible_ones_are_painted(qtbot, view, letters, colours):
    theme.switch(colours)
    try:
        problem = HmmProblem(made.two_states(), made.nucleotides(letters))
        shown(
            qtbot, view, made.result("viterbi-serial", problem, make_answer(problem, reference.find_best_path(problem)))
        )
        assert not view.plane.grab().isNull()
        shown(qtbot, view, made.result("viterbi-serial", problem, make_answer(problem, None)))
        assert not view.plane.grab().isNull()
    finally:
        theme.switch("light")


def test_features_are_found_by_letter():
    states = states_drawing.DrawnStates(viterbi(), (Feature(2, 5, "a"), Feature(8, 9, "b")))
    assert [states.feature_at(k) for k in (1, 2, 4, 5, 8, 9)] == [None, 0, 0, None, 1, None]
