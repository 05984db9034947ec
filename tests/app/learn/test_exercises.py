"""Exercises as a student does them."""

import re

import pytest

from antidiag.app.learn.exercise.exercise_page import WORKSHEET_EXERCISES, ExercisePage
from antidiag.kernels import registry
from antidiag.kernels.registry import find_method
from antidiag.kernels.walkthroughs import exercises, walkthrough


@pytest.fixture
def page(qtbot):
    page = ExercisePage(registry.METHODS)
    qtbot.addWidget(page)
    page.resize(970, 650)
    page.show()
    return page


def test_blanks_are_checked_as_they_are_typed(qtbot, page):
    play, first = page.exercise.play, page.cell
    assert first in page.animation_view.look.blanks
    assert "the strongest colour is next" in page.animation_view.look.meaning  # the darkest on white, bright on dark
    page.answer_line.setText("9999")
    assert page.answer_label.text() == "Not yet." and first in page.open_cells
    page.show_hint()
    page.show_hint()
    assert page.hints_label.text().startswith("H(i, j) = max") and "look at" in page.hints_label.text()
    while page.cell is not None:
        cell = page.cell
        page.answer_line.setText(play.format_cell(cell))
        assert page.answer_label.text().startswith("Right") and cell not in page.open_cells
        page.answer_line.returnPressed.emit()
    assert not page.animation_view.look.blanks and "All cells" in page.cell_label.text()
    page.seed_box.setValue(2)
    assert page.cell is not None and page.exercise.seed == 2


def test_a_prediction_is_made_before_it_is_revealed(page):
    asked = page.prediction
    page.reveal_answer()
    assert "Choose an option" in page.verdict_label.text()
    wrong = (asked.right + 1) % len(asked.options)
    page.option_buttons[wrong].setChecked(True)
    page.reveal_answer()
    assert asked.options[asked.right] in page.verdict_label.text() and page.animation_view.look.step == asked.step + 1
    page.option_buttons[asked.right].setChecked(True)
    page.reveal_answer()
    assert page.verdict_label.text() == "Right."
    page.next_question()
    assert page.verdict_label.text() == "" and page.prediction is not asked


def test_every_method_has_exercises_and_a_worksheet(page, tmp_path):
    for one in ("striped-score", "nj-basic", "layered", "nussinov"):
        page.method_box.setCurrentIndex(page.method_box.findData(find_method(one)))
        assert page.exercise.play.title and page.exercise.blanks
        page.write_worksheet(tmp_path / f"{one}.pdf")
        pages = re.findall(rb"/Type /Page\b", (tmp_path / f"{one}.pdf").read_bytes())
        assert len(pages) == 2 * WORKSHEET_EXERCISES, "a page of tasks and one of solutions for each"


def test_all_that_is_needed_is_given_and_shown(qtbot, page):
    """A student who sees only the window can compute every blank: costs, the whole recurrence, E and F."""
    page.method_box.setCurrentIndex(page.method_box.findData(find_method("striped-score")))
    for seed in range(1, 30):
        page.seed_box.setValue(seed)
        names = [page.exercise.play.tables[number].name for number in page.exercise.shown_tables]
        if names == ["H", "E", "F"]:  # affine gaps of one piece
            break
    given = page.given_label.text()
    for word in ("Match", "Mismatch", "Gap open", "Gap extend", "First sequence"):
        assert f"{word}: " in given
    assert names == ["H", "E", "F"] and page.given_label.isVisible()
    page.show_hint()
    hint = page.hints_label.text()
    for left in ("H(i, j) = max", "E(i, j) = max", "F(i, j) = max", "c(a, b) = match"):
        assert left in hint
    look, (_, i, j, _) = page.animation_view.look, page.cell
    assert {(1, i, j, 0), (2, i, j, 0)} <= look.blanks, "E and F of the blank would give it away"
    values = dict(page.exercise.values)
    stage = walkthrough.load_walkthrough(find_method("striped-score"))
    assert dict(exercises.describe_inputs(stage, values))["Match"] == f"{values['match']:g}"
    filled = page.exercise.play.find_formula(page.cell).cases[0].sources[0]
    assert filled not in look.blanks or filled in page.open_cells


def test_matrices_of_models_are_given(page):
    page.method_box.setCurrentIndex(page.method_box.findData(find_method("viterbi-serial")))
    given = page.given_label.text()
    assert "Transitions: " in given and "Emissions: " in given and "Initial: " in given
