"""Runs, results and sessions in the window as a person uses it."""

import gc

import pytest
import shiboken6
from PySide6.QtWidgets import QApplication, QGraphicsItem

from antidiag.app import file_actions
from antidiag.app.jobs.queue import JobState
from antidiag.app.panels.sequence_table import NAME, ROLE
from antidiag.kernels.machine import compiled_methods
from tests.app import fake
from tests.app.steps import cells, run, set_parameter


def test_a_run_shows_its_result(qtbot, ready):
    run(qtbot, ready)
    entry = ready.session.entries[0]
    assert ready.viewer.result is entry.result
    assert "one x two" in ready.viewer.heading_label.text()
    assert ("s", "128") in ready.viewer.chips.chips and "s = 128" in ready.viewer.chips.toolTip()
    qtbot.waitUntil(lambda: ("identity", "95.0 %") in ready.viewer.chips.chips)
    assert ready.results.table.currentIndex().row() == 0
    assert not ready.is_stale(entry)
    assert "done in" in ready.jobs.text.toPlainText()


def test_the_cost_follows_the_parameters(qtbot, ready):
    assert ready.method.parameters.editor("s").text() == "auto (128)"
    assert ready.cost.values["Cells"].text() == "400"
    assert ready.cost.rows["Main memory"].text.text().startswith("160 B of")
    assert "there is none in tests" in ready.cost.notes.text()
    set_parameter(ready, "s", 64)
    assert not ready.method.run_button.isEnabled()
    qtbot.waitUntil(ready.method.run_button.isEnabled)
    assert ready.answer.plan.parameters.s == 64


def test_what_is_promised_of_the_next_run_follows_the_first_one(qtbot, monkeypatch, tmp_path, make_window, pair):
    monkeypatch.setattr(compiled_methods, "_path", lambda: tmp_path / "compiled.json")
    monkeypatch.setattr(compiled_methods, "_COMPILED", set())
    window = make_window()
    window.loader.open_paths([pair])
    qtbot.waitUntil(window.method.run_button.isEnabled)
    assert "for compiling, once" in window.cost.line.text()
    run(qtbot, window)
    assert window.method.run_button.isEnabled(), "nothing changed that could stop the next run"
    qtbot.waitUntil(lambda: "compiling" not in window.cost.line.text())
    assert window.cost.line.text().startswith("about") and not window.is_stale(window.session.entries[0])


def test_a_run_that_does_not_fit_is_refused_with_what_would(qtbot, ready):
    set_parameter(ready, "huge", True)
    qtbot.waitUntil(lambda: "memory" in ready.cost.refusal.text())
    assert "for boundary columns)" in ready.cost.refusal.text()
    assert "Other on the CPU</a> (needs 160 B of main memory)" in ready.cost.fitting.text()
    assert not ready.method.run_button.isEnabled()
    assert ready.cost.rows["Main memory"].bar.property("wrong") is True
    ready.commands["run"].trigger()
    assert not ready.queue.jobs
    assert "memory" in ready.jobs.message.text()


def test_a_mistyped_parameter_stops_the_run_with_its_range(qtbot, ready):
    editor = ready.method.parameters.editor("s")
    editor.setFocus()
    editor.lineEdit().selectAll()
    qtbot.keyClicks(editor.lineEdit(), "33")
    assert "a multiple of 32" in ready.method.problem.text()
    assert not ready.method.run_button.isEnabled()
    ready.method.reset_button.click()
    qtbot.waitUntil(ready.method.run_button.isEnabled)


def test_a_gpu_that_was_asked_for_and_has_no_version_is_explained(qtbot, ready, monkeypatch):
    monkeypatch.setattr(type(ready.device), "choice", lambda self: ("cuda", 0))
    ready.device.changed.emit()
    qtbot.waitUntil(lambda: "has no backend cuda" in ready.cost.refusal.text())
    assert not ready.method.run_button.isEnabled()


def test_run_waits_for_a_plan_that_is_being_made(qtbot, ready):
    set_parameter(ready, "s", 64)
    assert ready.planner.busy
    ready.commands["run"].trigger()
    qtbot.waitUntil(lambda: len(ready.session.entries) == 1)
    assert ready.session.entries[0].result.parameters["s"] == 64
    qtbot.waitUntil(ready.method.run_button.isEnabled)
    assert len(ready.session.entries) == 1


def test_cancel_a_run_and_start_another(qtbot, ready):
    set_parameter(ready, "wait", True)
    qtbot.waitUntil(ready.method.run_button.isEnabled)
    ready.commands["run"].trigger()
    ready.commands["run"].trigger()
    first, second = ready.queue.jobs
    assert (first.state, second.state) == (JobState.RUNNING, JobState.WAITING)
    ready.commands["cancel"].trigger()
    assert ready.queue.jobs == [first]
    ready.jobs.rows[first].button.click()
    assert ready.jobs.rows[first].numbers.text() == "cancelling"
    qtbot.waitUntil(lambda: not ready.queue.jobs)
    assert not ready.session.entries
    assert "cancelled" in ready.jobs.text.toPlainText()
    set_parameter(ready, "wait", False)
    run(qtbot, ready)


def test_the_window_answers_while_a_run_is_going(qtbot, ready):
    set_parameter(ready, "wait", True)
    qtbot.waitUntil(ready.method.run_button.isEnabled)
    ready.commands["run"].trigger()
    row = ready.jobs.rows[ready.queue.jobs[0]]
    qtbot.waitUntil(lambda: "phase 1" in row.numbers.text() and "left" in row.numbers.text())
    ready.sequences.swap_button.click()
    assert cells(ready, ROLE) == ["2", "1"]
    fake.RELEASED.set()
    qtbot.waitUntil(lambda: bool(ready.session.entries))
    assert ready.session.entries[0].result.problem.title == "one x two"
    assert ready.is_stale(ready.session.entries[0]) or ready.planner.busy


@pytest.mark.parametrize(("how", "text"), [("input", "record X: letter '!'"), ("bug", "ZeroDivisionError")])
def test_errors_of_a_run_are_told(qtbot, ready, how, text):
    set_parameter(ready, "fail", how)
    qtbot.waitUntil(ready.method.run_button.isEnabled)
    ready.commands["run"].trigger()
    qtbot.waitUntil(lambda: ready.queue.jobs[0].state is JobState.FAILED)
    assert text in ready.jobs.rows[ready.queue.jobs[0]].error.text()
    assert ("Traceback" in ready.jobs.text.toPlainText()) == (how == "bug")


def test_an_older_result_is_marked_and_its_settings_come_back(qtbot, ready):
    run(qtbot, ready)
    QApplication.processEvents()  # the layout rests
    old, place = ready.session.entries[0], ready.viewer.places.geometry()
    set_parameter(ready, "s", 64)
    ready.sequences.swap_button.click()
    qtbot.waitUntil(lambda: ready.is_stale(old))
    assert ready.viewer.stale_button.isVisible()
    assert ready.viewer.places.geometry() == place, "the message does not move the view"
    ready.viewer.stale_button.click()
    qtbot.waitUntil(lambda: ready.answer is not None and not ready.is_stale(old))
    assert not ready.viewer.stale_button.isVisible()
    assert cells(ready, ROLE) == ["1", "2"]


def test_results_are_chosen_deleted_and_brought_back(qtbot, ready):
    run(qtbot, ready)
    set_parameter(ready, "s", 64)
    run(qtbot, ready)
    new, old = ready.session.entries
    assert ready.viewer.result is new.result
    ready.results.table.selectRow(1)
    assert ready.viewer.result is old.result
    ready.commands["delete_result"].trigger()
    assert ready.session.entries == (new,)
    assert ready.viewer.result is new.result
    ready.commands["undo"].trigger()
    assert ready.session.entries == (new, old)
    assert ready.viewer.result is old.result


def test_switching_methods_remembers_the_settings_of_each(qtbot, ready):
    set_parameter(ready, "s", 64)
    ready.method.choose(ready.methods[1])
    assert ready.method.parameters.editor("s").value() is None
    ready.method.choose(ready.methods[0])
    assert ready.method.parameters.editor("s").value() == 64


def test_saving_an_alignment_and_a_session(qtbot, ready, make_window, tmp_path):
    ready.commands["save_result"].trigger()
    assert "no result to save" in ready.jobs.message.text()
    run(qtbot, ready)
    file_actions.save_result(ready, tmp_path / "out.fasta", ready.viewer.result)
    file_actions.save_session(ready, tmp_path / "mine")
    qtbot.waitUntil(lambda: not ready.queue.jobs)
    assert (tmp_path / "out.fasta").read_text().startswith(">one")
    other = make_window()
    other.loader.open_paths([tmp_path / "mine.antidiag"])
    qtbot.waitUntil(lambda: bool(other.session.entries))
    assert cells(other, NAME) == ["one", "two"]


def graphics_items() -> list[QGraphicsItem]:
    gc.collect()
    # By type: asking a weak proxy for its class fails once its object is gone.
    return [item for item in gc.get_objects() if issubclass(type(item), QGraphicsItem) and shiboken6.isValid(item)]


@pytest.mark.slow
def test_no_part_of_a_picture_is_left_without_a_scene(qtbot, ready):
    """At the end of the process Qt would destroy it in any order, and crash."""
    before = {id(item) for item in graphics_items()}  # what other tests left
    run(qtbot, ready)
    for view_id in ready.viewer.tabs_shown():
        ready.viewer.turn_to(view_id)
    items = [item for item in graphics_items() if id(item) not in before]
    assert items and not [type(item).__name__ for item in items if item.scene() is None]
