"""Exercises as a student does them."""

import re

import pytest

from antidiag.app.learn.exercise.page import SHEETS, ExercisePage
from antidiag.kernels import registry
from antidiag.kernels.registry import method


@pytest.fixture
def page(qtbot):
    page = ExercisePage(registry.METHODS)
    qtbot.addWidget(page)
    page.resize(970, 650)
    page.show()
    return page


def test_blanks_are_checked_as_they_are_typed(qtbot, page):
    play, first = page.exercise.play, page.cell
    assert first in page.stage.look.blanks
    page.answer.setText("9999")
    assert page.told.text() == "Not yet." and first in page.open
    page.hint()
    page.hint()
    assert page.hints.text().count("\n") == 1
    while page.cell is not None:
        cell = page.cell
        page.answer.setText(play.letter(cell))
        assert page.told.text().startswith("Right") and cell not in page.open
        page.answer.returnPressed.emit()
    assert not page.stage.look.blanks and "All cells" in page.asked.text()
    page.seed.setValue(2)
    assert page.cell is not None and page.exercise.seed == 2


def test_a_prediction_is_made_before_it_is_revealed(page):
    asked = page.prediction
    page.reveal()
    assert "Choose first" in page.verdict.text()
    wrong = (asked.right + 1) % len(asked.options)
    page.options[wrong].setChecked(True)
    page.reveal()
    assert asked.options[asked.right] in page.verdict.text() and page.stage.look.step == asked.step + 1
    page.options[asked.right].setChecked(True)
    page.reveal()
    assert page.verdict.text() == "Right."
    page.next_question()
    assert page.verdict.text() == "" and page.prediction is not asked


def test_every_method_has_exercises_and_a_worksheet(page, tmp_path):
    for one in ("striped-score", "nj-basic", "layered", "nussinov"):
        page.method.setCurrentIndex(page.method.findData(method(one)))
        assert page.exercise.play.title and page.exercise.blanks
        page.write(tmp_path / f"{one}.pdf")
        pages = re.findall(rb"/Type /Page\b", (tmp_path / f"{one}.pdf").read_bytes())
        assert len(pages) == 2 * SHEETS, "a page of tasks and one of solutions for each"
