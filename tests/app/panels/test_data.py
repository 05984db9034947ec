"""Data that are no sequences: opened, picked, deleted, taken by a run, and made by one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from antidiag.app.panels.data import NAME
from antidiag.app.session.session import Session
from antidiag.app.session.state import State
from antidiag.kernels.model import Sequence, SequenceType
from tests.app import fake

ONE, TWO = fake.Scale("one", 1.0), fake.Scale("two", 2.0)
LETTERS = tuple(Sequence(name, b"ACGT", SequenceType.DNA) for name in "abc")


def test_the_newest_datum_is_taken_until_another_is_picked(qtbot: Any) -> None:
    session = Session()
    session.add(LETTERS)
    session.add_data([ONE])
    session.add_data([TWO])
    assert session.state.inputs(fake.WEIGHING) == (TWO, *LETTERS)
    session.use_datum(0)
    assert session.state.inputs(fake.WEIGHING)[0] is ONE
    session.undo_stack.undo()
    assert session.state.inputs(fake.WEIGHING)[0] is TWO
    session.remove_data([1])
    assert session.state.inputs(fake.WEIGHING)[0] is ONE
    session.undo_stack.undo()
    assert session.state.data == (ONE, TWO)


def test_what_is_missing_is_said() -> None:
    assert State().missing(fake.WEIGHING) == (
        "This method takes 1 scale and sequences; open: 0 of 1 scale, 0 of 1 or more sequences."
    )
    assert State(LETTERS, data=(ONE,)).missing(fake.WEIGHING) == ""


def test_a_subset_follows_its_sequences(qtbot: Any) -> None:
    session = Session()
    session.add(LETTERS)
    session.restrict_rows([2, 0])
    assert [session.state.sequences[row].name for row in session.state.rows(None)] == ["a", "c"]
    session.remove([1])
    assert [session.state.sequences[row].name for row in session.state.rows(None)] == ["a", "c"]
    session.restrict_rows([])
    assert len(session.state.rows(None)) == 2


@pytest.fixture
def weighing(qtbot: Any, ready: Any, tmp_path: Any) -> Any:
    """The window with the method that takes a scale, and nothing but two sequences open."""
    ready.method.choose(ready.methods[2])
    (tmp_path / "three.scale").write_text("scale 3")
    return ready


def test_a_datum_leads_to_a_method_that_takes_it(qtbot: Any, window: Any, tmp_path: Any) -> None:
    (tmp_path / "three.scale").write_text("scale 3")
    assert window.method.method.id == "fake" and not window.method.by_hand
    window.loader.open_paths([tmp_path / "three.scale"])
    qtbot.waitUntil(lambda: window.method.method.id == "weighing")
    assert not window.method.by_hand


def test_a_method_that_was_chosen_by_hand_is_left_for_one_that_takes_what_was_opened(
    qtbot: Any, window: Any, tmp_path: Any
) -> None:
    (tmp_path / "three.scale").write_text("scale 3")
    window.method.choose(window.methods[1])
    window.loader.open_paths([tmp_path / "three.scale"])
    other = window.methods[1].name
    qtbot.waitUntil(
        lambda: f"Switched to Weighing: {other} does not take these data." in window.jobs.text.toPlainText()
    )
    assert window.method.method.id == "weighing" and not window.method.by_hand


def test_a_run_on_a_file_that_holds_no_sequences(qtbot: Any, weighing: Any, tmp_path: Any) -> None:
    assert weighing.data.isVisible() and "*.scale" in weighing.data.hint.text()
    assert not weighing.method.run_button.isEnabled()
    weighing.loader.open_paths([tmp_path / "three.scale"])
    qtbot.waitUntil(weighing.method.run_button.isEnabled)
    assert weighing.data.list.topLevelItem(0).text(NAME) == "three"
    weighing.run()
    qtbot.waitUntil(lambda: bool(weighing.session.entries))
    result = weighing.session.entries[0].result
    result.check(result.problem)
    assert result.answer.value == 120
    assert "120" in weighing.viewer.chips.accessibleName()


def test_what_a_run_made_becomes_an_input(qtbot: Any, weighing: Any, tmp_path: Any) -> None:
    weighing.loader.open_paths([tmp_path / "three.scale"])
    qtbot.waitUntil(weighing.method.run_button.isEnabled)
    weighing.run()
    qtbot.waitUntil(lambda: bool(weighing.session.entries))
    assert weighing.viewer.keep.isVisible()
    weighing.viewer.keep.click()
    assert [datum.name for datum in weighing.session.state.data] == ["three", "made"]
    assert weighing.session.state.inputs(fake.WEIGHING)[0].value == 120
    weighing.data.list.setCurrentItem(weighing.data.list.topLevelItem(0))
    weighing.data.use_button.click()
    assert weighing.session.state.inputs(fake.WEIGHING)[0].value == 3
    weighing.data.show_button.click()
    assert "No view can show three" in weighing.jobs.message.text()


def test_any_number_of_sequences_can_be_narrowed(qtbot: Any, weighing: Any) -> None:
    assert weighing.sequences.names[0].text() == "all 2"
    weighing.sequences.table.selectRow(1)
    weighing.sequences.subset_button.click()
    assert weighing.sequences.names[0].text() == "1 of 2"
    weighing.sequences.all_button.click()
    assert weighing.sequences.names[0].text() == "all 2"


def test_a_sample_of_a_model_and_a_sequence_opens_both(qtbot: Any, window: Any) -> None:
    mixed = [ONE, LETTERS[0], TWO]
    window.loader.open_sample(SimpleNamespace(title="mixed", read_data=lambda: list(mixed)))
    qtbot.waitUntil(lambda: len(window.session.state.data) == 2)
    assert window.session.state.data == (ONE, TWO) and window.session.state.sequences == (LETTERS[0],)
