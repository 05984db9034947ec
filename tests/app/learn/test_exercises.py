"""Exercises as a student does them."""

import re

import pytest

from antidiag.app.learn.exercise.exercise_page import WORKSHEET_EXERCISES, ExercisePage
from antidiag.kernels import registry
from antidiag.kernels.registry import find_method


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
    page.answer_line.setText("9999")
    assert page.answer_label.text() == "Not yet." and first in page.open_cells
    page.show_hint()
    page.show_hint()
    assert page.hints_label.text().count("\n") == 1
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
