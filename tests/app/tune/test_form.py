"""The form of Tune: axes, inputs, what is wrong, and what comes back."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from antidiag.app.tune.axis_editors import NO_AXIS
from antidiag.app.tune.input_editor import RANDOM, InputEditor
from antidiag.kernels import registry
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated, Loaded

UNCHECKED = Qt.CheckState.Unchecked


def test_a_mistyped_axis_is_explained(tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32:x")
    assert "'x' is not a number" in tune.form.error_label.text()
    assert not tune.form.start_button.isEnabled()
    tune.form.axis_editors.editors[0].set_value(NO_AXIS, "")
    assert tune.form.start_button.isEnabled() and tune.form.point_count.text() == "1 point"


def test_what_is_wrong_is_seen_where_the_form_scrolls(tune: Any, ready: Any) -> None:
    ready.resize(1280, 720)
    tune.form.axis_editors.editors[0].set_value("s", "33:x")
    assert tune.form.error_label.isVisible() and not tune.form.error_label.visibleRegion().isEmpty()
    assert ready.rect().contains(
        ready.mapFromGlobal(tune.form.error_label.mapToGlobal(tune.form.error_label.rect().center()))
    )


def test_the_list_of_methods_says_whose_they_are(tune: Any) -> None:
    tip = tune.form.contender_label.toolTip()
    assert tip == "Two sequences: choose a method of another problem in Analyse"


def test_a_long_name_is_cut_without_a_bar_below_the_methods(tune: Any, qtbot: Any) -> None:
    methods = tune.form.contenders
    methods.setFixedWidth(90)
    item = methods.item(0)
    item.setText("a name of a method that has no room")
    qtbot.waitUntil(lambda: methods.viewport().width() <= 90)
    methods.doItemsLayout()
    assert methods.horizontalScrollBar().maximum() == 0 and not methods.horizontalScrollBar().isVisible()
    assert 0 < methods.visualItemRect(item).width() <= methods.viewport().width()
    assert methods.visualItemRect(item).height() >= methods.fontMetrics().height()


def test_a_name_that_is_cut_is_in_the_tip(tune: Any) -> None:
    item = tune.form.contenders.item(0)
    assert item.toolTip().startswith(f"{item.text()}\n")


def test_what_was_set_comes_back(tune: Any, ready: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,96")
    tune.form.repeats.setValue(7)
    saved = tune.form.saved_values()
    tune.form.axis_editors.editors[0].set_value(NO_AXIS, "")
    tune.form.repeats.setValue(1)
    tune.form.set_values(saved)
    assert (tune.form.axis_editors.editors[0].values_line.text(), tune.form.repeats.value()) == ("32,96", 7)


def test_a_method_that_takes_no_data_needs_nothing_open(qtbot: Any) -> None:
    form = InputEditor()
    qtbot.addWidget(form)
    form.set_data(())
    with pytest.raises(ParameterError, match="no open data"):
        form.read_inputs()
    form.set_data((), registry.find_method("matrix-chain").problem_type)
    assert form.read_inputs() == Loaded(()) and form.summary_label.text() == "This method needs no data."


@pytest.mark.parametrize(("method", "source", "about", "rows"), [
    ("striped-score", "Generated, related", "mutated DNA, length 300, 10% divergence, seed 1",
     ["Type", "Length", "Divergence", "Seed"]),
    ("layered", "Generated, unrelated", "random DNA, length 300, seed 1", ["Type", "Length", "Seed"]),
    ("distance-6mer", "Generated, related", "9 mutated DNA, length 300, 10% divergence, seed 1",
     ["Type", "Length", "Number", "Divergence", "Seed"]),
    ("nj-pruned", "Generated", "random distance matrix, size 300, seed 1", ["Size", "Seed"]),
    ("floyd-blocked", "Generated", "random graph, size 300, seed 1", ["Size", "Seed"]),
    ("viterbi-tree", "Generated, related", "random hidden Markov model of size 16 and random DNA, length 300, seed 1",
     ["Type", "Length", "Seed"]),
    ("nussinov", "Generated, unrelated", "random DNA, length 300, seed 1", ["Type", "Length", "Seed"]),
])  # fmt: skip
def test_the_form_says_what_is_generated_and_asks_only_what_matters(
    qtbot: Any, method: str, source: str, about: str, rows: list[str]
) -> None:
    form = InputEditor()
    qtbot.addWidget(form)
    form.set_data((), registry.find_method(method).problem_type)
    form.source.setCurrentText(source)
    form.source.activated.emit(form.source.currentIndex())
    form.length.setText("300")
    form.count.setValue(9)
    assert form.summary_label.text() == about
    layout = form._form
    assert [layout.itemAt(row, layout.ItemRole.LabelRole).widget().text() for row in range(layout.rowCount())
            if layout.isRowVisible(row)] == rows  # fmt: skip
    assert isinstance(form.read_inputs(), Generated)


def test_the_source_is_not_forgotten_over_a_method_that_has_others(qtbot: Any) -> None:
    form = InputEditor()
    qtbot.addWidget(form)
    form.set_values({"source": RANDOM})
    offered = {}
    for method in ("distance-alignment", "floyd-blocked", "striped-score"):
        form.set_data((), registry.find_method(method).problem_type)
        offered[method] = form.source.currentText()
    assert offered == {
        "distance-alignment": "Open data",
        "floyd-blocked": "Generated",
        "striped-score": "Generated, unrelated",
    }


def test_an_axis_is_not_offered_twice_and_a_click_on_a_name_checks_its_box(qtbot: Any, tune: Any) -> None:
    first, second = tune.form.axis_editors.editors
    first.set_value("s", "32,64")
    assert second.name_box.findText("s") < 0 and first.name_box.findText("s") >= 0
    contenders = tune.form.contenders
    item = next(contenders.item(n) for n in range(contenders.count()) if contenders.item(n).checkState() is UNCHECKED)
    box = contenders.visualItemRect(item)
    qtbot.mouseClick(contenders.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert item.checkState() is not UNCHECKED


def test_axes_that_were_set_come_back_and_one_can_be_taken_away(qtbot: Any, tune: Any, make_window: Any) -> None:
    form = tune.form
    form.axis_editors.set_values([["gap_open", "5,10"], ["s", "32,64"], ["match", "2,3"]])
    saved = form.saved_values()
    form.axis_editors.set_values([["s", "32"]])
    form.set_values(saved)
    assert form.saved_values()["axes"] == [["gap_open", "5,10"], ["s", "32,64"], ["match", "2,3"]]
    qtbot.mouseClick(form.axis_editors.rows[2].remove_button, Qt.MouseButton.LeftButton)
    assert [name for name, _ in form.saved_values()["axes"]] == ["gap_open", "s"]
    assert form.point_count.text() == "4 points"
