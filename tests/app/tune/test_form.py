"""The form of Tune: axes, inputs, what is wrong, and what comes back."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from antidiag.app.tune.axis_editors import NONE
from antidiag.app.tune.inputs import RANDOM, InputEditor
from antidiag.kernels import registry
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments.inputs import Generated, Loaded

UNCHECKED = Qt.CheckState.Unchecked


def test_a_mistyped_axis_is_explained(tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32:x")
    assert "'x' is not a number" in tune.form.problem.text()
    assert not tune.form.start_button.isEnabled()
    tune.form.axes[0].set_value(NONE, "")
    assert tune.form.start_button.isEnabled() and tune.form.count.text() == "1 point"


def test_what_is_wrong_is_seen_where_the_form_scrolls(tune: Any, ready: Any) -> None:
    ready.resize(1280, 720)
    tune.form.axes[0].set_value("s", "33:x")
    assert tune.form.problem.isVisible() and not tune.form.problem.visibleRegion().isEmpty()
    assert ready.rect().contains(ready.mapFromGlobal(tune.form.problem.mapToGlobal(tune.form.problem.rect().center())))


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
    tune.form.axes[0].set_value("s", "32,96")
    tune.form.repeats.setValue(7)
    saved = tune.form.values()
    tune.form.axes[0].set_value(NONE, "")
    tune.form.repeats.setValue(1)
    tune.form.set_values(saved)
    assert (tune.form.axes[0].values.text(), tune.form.repeats.value()) == ("32,96", 7)


def test_a_method_that_takes_no_data_needs_nothing_open(qtbot: Any) -> None:
    form = InputEditor()
    qtbot.addWidget(form)
    form.set_data(())
    with pytest.raises(ParameterError, match="nothing is open"):
        form.inputs()
    form.set_data((), registry.method("matrix-chain").problem)
    assert form.inputs() == Loaded(()) and form.about.text() == "This method takes no data."


@pytest.mark.parametrize(("method", "source", "about", "rows"), [
    ("striped-score", "Related, generated", "mutated DNA, length 300, 10% divergence, seed 1",
     ["Type", "Length", "Divergence", "Seed"]),
    ("layered", "Unrelated, generated", "random DNA, length 300, seed 1", ["Type", "Length", "Seed"]),
    ("distance-6mer", "Related, generated", "9 mutated DNA, length 300, 10% divergence, seed 1",
     ["Type", "Length", "Number", "Divergence", "Seed"]),
    ("nj-pruned", "Generated", "random distance matrix, size 300, seed 1", ["Size", "Seed"]),
    ("floyd-blocked", "Generated", "random graph, size 300, seed 1", ["Size", "Seed"]),
    ("viterbi-tree", "Related, generated", "random hidden Markov model of size 16 and random DNA, length 300, seed 1",
     ["Type", "Length", "Seed"]),
    ("nussinov", "Unrelated, generated", "random DNA, length 300, seed 1", ["Type", "Length", "Seed"]),
])  # fmt: skip
def test_the_form_says_what_is_generated_and_asks_only_what_matters(
    qtbot: Any, method: str, source: str, about: str, rows: list[str]
) -> None:
    form = InputEditor()
    qtbot.addWidget(form)
    form.set_data((), registry.method(method).problem)
    form.source.setCurrentText(source)
    form.source.activated.emit(form.source.currentIndex())
    form.length.setText("300")
    form.count.setValue(9)
    assert form.about.text() == about
    layout = form._form
    assert [layout.itemAt(row, layout.ItemRole.LabelRole).widget().text() for row in range(layout.rowCount())
            if layout.isRowVisible(row)] == rows  # fmt: skip
    assert isinstance(form.inputs(), Generated)


def test_the_source_is_not_forgotten_over_a_method_that_has_others(qtbot: Any) -> None:
    form = InputEditor()
    qtbot.addWidget(form)
    form.set_values({"source": RANDOM})
    offered = {}
    for method in ("distance-alignment", "floyd-blocked", "striped-score"):
        form.set_data((), registry.method(method).problem)
        offered[method] = form.source.currentText()
    assert offered == {
        "distance-alignment": "What is open",
        "floyd-blocked": "Generated",
        "striped-score": "Unrelated, generated",
    }


def test_an_axis_is_not_offered_twice_and_a_click_on_a_name_checks_its_box(qtbot: Any, tune: Any) -> None:
    first, second = tune.form.axes
    first.set_value("s", "32,64")
    assert second.name.findText("s") < 0 and first.name.findText("s") >= 0
    contenders = tune.form.contenders
    item = next(contenders.item(n) for n in range(contenders.count()) if contenders.item(n).checkState() is UNCHECKED)
    box = contenders.visualItemRect(item)
    qtbot.mouseClick(contenders.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert item.checkState() is not UNCHECKED


def test_axes_that_were_set_come_back_and_one_can_be_taken_away(qtbot: Any, tune: Any, make_window: Any) -> None:
    form = tune.form
    form.axis_editors.set_values([["gap_open", "5,10"], ["s", "32,64"], ["match", "2,3"]])
    saved = form.values()
    form.axis_editors.set_values([["s", "32"]])
    form.set_values(saved)
    assert form.values()["axes"] == [["gap_open", "5,10"], ["s", "32,64"], ["match", "2,3"]]
    qtbot.mouseClick(form.axis_editors.rows[2].away, Qt.MouseButton.LeftButton)
    assert [name for name, _ in form.values()["axes"]] == ["gap_open", "s"]
    assert form.count.text() == "4 points"
