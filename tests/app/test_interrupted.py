"""Interrupted runs, long pairs and the disk, in the window."""

import numpy as np
import pytest

from antidiag.app.dialogs.preferences import PreferencesDialog
from antidiag.app.jobs.queue import JobState
from antidiag.app.window import Window
from antidiag.kernels import engine, memory, registry
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.recovery import interrupted_runs
from antidiag.kernels.recovery.checkpoint_store import CheckpointWriter
from antidiag.kernels.registry.memory_advice import FittingChange
from antidiag.kernels.scoring import Scoring, match_mismatch
from tests.app import fake
from tests.app.cli.test_interrupted import METHOD, long_pair
from tests.app.cli.test_interrupted import interrupt as interrupt_command
from tests.app.test_window import run, set_parameter
from tests.problems import pair as pair_of

__all__ = ["long_pair"]
METHODS = registry.METHODS

PROBLEM = pair_of("ACGTACGTAA", "ACGTTCGTAA", Scoring(match_mismatch(2, -3), 5, 2))


def interrupt(at=6, **parameters):
    """A run that was cancelled when so many tenths were done."""

    def listen(done, total, phase):
        if done == at:
            raise Cancelled

    with pytest.raises(Cancelled):
        engine.execute(engine.plan_run(fake.make_kept(), PROBLEM, parameters, "cpu"), Monitor(listen), keep_parts=True)


def rows(window):
    return list(window.left.rows.values())


def test_an_interrupted_run_is_there_after_a_restart_and_goes_on(qtbot, make_window):
    interrupt(6, s=64)
    fake.COMPUTED.clear()
    window = make_window()
    qtbot.waitUntil(lambda: len(rows(window)) == 1)
    (row,) = rows(window)
    assert row.title.text() == "Interrupted: Kept \N{MIDDLE DOT} first x second"
    assert row.numbers.text().startswith("60 % done")
    row.resume_button.click()
    window.interrupted._send_runs(tuple(interrupted_runs.list_runs()))
    assert rows(window) == []
    qtbot.waitUntil(lambda: len(window.session.entries) == 1)
    (entry,) = window.session.entries
    assert fake.COMPUTED == [4]
    assert entry.result.problem == PROBLEM
    assert entry.result.parameters["s"] == entry.parameters["s"] == 64
    assert "Continued from 60 %" in entry.result.notes[-1]
    qtbot.waitUntil(lambda: not rows(window))
    assert interrupted_runs.list_runs() == []


def test_a_run_is_discarded_only_if_that_is_meant(qtbot, make_window, monkeypatch):
    interrupt()
    window = make_window()
    qtbot.waitUntil(lambda: len(rows(window)) == 1)
    monkeypatch.setattr(Window, "confirm_discard", lambda self, run: False)
    rows(window)[0].discard_button.click()
    assert len(interrupted_runs.list_runs()) == 1
    monkeypatch.setattr(Window, "confirm_discard", lambda self, run: True)
    rows(window)[0].discard_button.click()
    qtbot.waitUntil(lambda: not rows(window))
    assert interrupted_runs.list_runs() == []


def test_a_cancelled_run_is_offered_at_once(qtbot, ready, monkeypatch):
    monkeypatch.setenv(interrupted_runs.KEEP_AFTER_VARIABLE, "0")
    ready.method.choose(fake_method(ready, "kept"))
    set_parameter(ready, "wait", True)
    qtbot.waitUntil(ready.method.run_button.isEnabled)
    ready.commands["run"].trigger()
    qtbot.waitUntil(lambda: any(run.fraction == 0.5 for run in interrupted_runs.list_runs()))
    ready.commands["cancel"].trigger()
    qtbot.waitUntil(lambda: len(rows(ready)) == 1)
    assert "cancelled; 50 % of this run is kept and can be continued" in ready.jobs.message.text()
    fake.RELEASED.set()
    rows(ready)[0].resume_button.click()
    qtbot.waitUntil(lambda: len(ready.session.entries) == 1)


def test_a_run_that_another_process_goes_on_with_is_an_error(qtbot, make_window):
    interrupt()
    window = make_window()
    qtbot.waitUntil(lambda: len(rows(window)) == 1)
    (found,) = interrupted_runs.list_runs()
    interrupted_runs._take_over_run(found)
    rows(window)[0].resume_button.click()
    qtbot.waitUntil(lambda: bool(window.queue.jobs) and window.queue.jobs[0].state is JobState.FAILED)
    assert "another process is at work in it" in window.queue.jobs[0].error
    assert interrupted_runs.list_runs()[0].fraction == 0.6


def test_a_run_of_another_version_can_only_be_discarded(qtbot, make_window, monkeypatch):
    interrupt()
    monkeypatch.setattr(interrupted_runs, "program_version", lambda: "0.0.0 other")
    window = make_window()
    qtbot.waitUntil(lambda: len(rows(window)) == 1)
    (row,) = rows(window)
    assert not row.resume_button.isEnabled()
    assert row.reason.isVisible() and "another version of the program" in row.reason.text()
    assert row.discard_button.isEnabled()


def test_a_disk_that_fills_up_is_told_while_the_run_goes_on(qtbot, ready, monkeypatch):
    def write(self, number, facts, arrays, wait):
        self.failure = "/here: No space left on device"

    monkeypatch.setattr(CheckpointWriter, "_write_part", write)
    monkeypatch.setenv(interrupted_runs.KEEP_AFTER_VARIABLE, "0")
    ready.method.choose(fake_method(ready, "kept"))
    set_parameter(ready, "wait", True)
    qtbot.waitUntil(ready.method.run_button.isEnabled)
    ready.commands["run"].trigger()
    qtbot.waitUntil(lambda: "No space left on device" in ready.jobs.message.text())
    assert "cannot be continued after a crash" in ready.jobs.message.text()
    fake.RELEASED.set()
    qtbot.waitUntil(lambda: len(ready.session.entries) == 1)
    assert "No space left on device" in ready.session.entries[0].result.notes[-1]


def fake_method(window, identifier):
    return next(method for method in window.methods if method.id == identifier)


@pytest.fixture
def with_long_method(monkeypatch, make_window):
    """A window with a method that is made for pairs of 20 letters and more each."""

    def make():
        usual, other = fake.make(), fake.make("other")
        long = fake.make("long", is_recommended_for=lambda data: len(data) == 2 and min(map(len, data)) >= 20)
        monkeypatch.setattr(registry, "METHODS", (usual, other, long))
        monkeypatch.setattr("tests.app.conftest.Window", lambda found, _: Window(found, (usual, other, long)))
        return make_window()

    return make


@pytest.fixture
def short(tmp_path):
    path = tmp_path / "short.fa"
    path.write_text(">a\nACGTACGT\n>b\nACGTACTT\n")
    return path


def test_a_long_pair_takes_the_method_that_is_made_for_it(qtbot, with_long_method, pair, short):
    window = with_long_method()
    assert window.method.method.id == "fake"
    window.loader.open_paths([pair])
    qtbot.waitUntil(lambda: window.method.method.id == "long")
    assert window.jobs.message.text() == "Switched to Long: it is made for data of this size."
    run(qtbot, window)
    assert window.session.entries[0].result.method == "long"
    window.loader.open_paths([short])
    qtbot.waitUntil(lambda: window.method.method.id == "fake")


def test_a_method_that_was_chosen_by_hand_stays_with_a_hint(qtbot, with_long_method, pair):
    window = with_long_method()
    window.method.chooser.setCurrentIndex(1)
    window.method.chooser.activated.emit(1)
    window.loader.open_paths([pair])
    qtbot.waitUntil(window.method.run_button.isEnabled)
    assert window.method.method.id == "other"
    assert "is made for data of this size" in window.cost.fitting.text()
    window.cost.fitting.linkActivated.emit("0")
    qtbot.waitUntil(window.method.run_button.isEnabled)
    assert window.method.method.id == "long"
    assert window.cost.fitting.isHidden()
    again = with_long_method()
    assert again.method.method.id == "fake"
    again.restore_settings(window.saved_settings())
    assert again.method.method.id == "long"
    assert again.method.by_hand


@pytest.mark.parametrize("where", ["cost", "empty"])
def test_one_click_takes_what_fits(qtbot, ready, where):
    ready.device.choose("cpu", 0)
    set_parameter(ready, "huge", True)
    qtbot.waitUntil(lambda: bool(ready.answer and ready.answer.fitting))
    assert not ready.method.run_button.isEnabled()
    (fit, *_) = ready.answer.fitting
    assert isinstance(fit, FittingChange)
    if where == "cost":
        ready.cost.fitting.linkActivated.emit("0")
    else:
        assert ready.empty.fit_button.text() == f"Use {fit.change}"
        ready.empty.fit_button.click()
    qtbot.waitUntil(ready.method.run_button.isEnabled)
    assert ready.method.method is fit.plan.method
    assert ready.device.choice() == ("cpu", 0)
    assert not ready.empty.fit_button.isVisible()
    run(qtbot, ready)


def test_the_cost_shows_the_disk_and_its_limit(qtbot, ready, monkeypatch):
    monkeypatch.setenv(interrupted_runs.KEEP_AFTER_VARIABLE, "0")
    monkeypatch.setattr(memory, "disk_bytes_free", lambda: 101 * 2**30)
    assert not ready.cost.rows["Disk"].bar.isVisible()
    ready.method.choose(fake_method(ready, "kept"))
    qtbot.waitUntil(lambda: ready.cost.rows["Disk"].text.text() == "3.0 GiB of 64.0 GiB")
    assert ready.cost.rows["Disk"].bar.isVisible()
    assert "checkpoints, in case of a crash" in ready.cost.rows["Disk"].bar.toolTip()
    ready.commands["preferences"].trigger()
    dialog = ready.findChild(PreferencesDialog)
    assert "101.0 GiB are free in" in dialog.space_label.text()
    assert str(memory.disk_folder()) in dialog.space_label.text()
    dialog.disk.setValue(2)
    assert memory.disk_limit() == 2 * 2**30
    qtbot.waitUntil(lambda: "could not be continued" in ready.cost.notes.text())
    dialog.disk.setValue(200)
    qtbot.waitUntil(lambda: ready.cost.rows["Disk"].text.text() == "3.0 GiB of 100.0 GiB")
    dialog.close()


def test_a_limit_that_cannot_be_kept_is_said(qtbot, window, monkeypatch):
    def refuse(count):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(memory, "set_disk_limit", refuse)
    dialog = PreferencesDialog(window.settings, window)
    qtbot.addWidget(dialog)
    dialog.disk.setValue(5)
    assert dialog.space_label.text() == "The limit could not be saved: Permission denied"


def test_an_alignment_is_finished_in_the_window(qtbot, make_window, long_pair, monkeypatch):
    monkeypatch.setattr(registry, "METHODS", METHODS)
    method = registry.find_method(METHOD)
    found = interrupt_command(long_pair, threads=1)
    window = make_window()
    qtbot.waitUntil(lambda: len(rows(window)) == 1)
    rows(window)[0].resume_button.click()
    qtbot.waitUntil(lambda: len(window.session.entries) == 1)
    result = window.session.entries[0].result
    assert f"Continued from {interrupted_runs.format_percent(found.fraction)}" in result.notes[-1]
    whole = engine.execute(engine.plan_run(method, result.problem, dict(found.parameters), "cpu"))
    assert (result.answer.score, result.answer.end) == (whole.answer.score, whole.answer.end)
    np.testing.assert_array_equal(result.answer.alignment.operations, whole.answer.alignment.operations)
    assert interrupted_runs.list_runs() == []
