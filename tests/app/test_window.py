"""The window as a person uses it."""

import gzip
import os

import pytest
from PySide6.QtCore import QMimeData, QPointF, QSize, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication

from app import actions, theme
from app.dialogs.preferences import PreferencesDialog
from app.dialogs.shortcuts import ShortcutsDialog
from app.jobs.queue import JobState
from app.layout import SIZE, starting_size
from app.panels.sequence_table import ABOUT, MAKEUP, NAME, ROLE, TYPE
from kernels import memory
from kernels.cuda import devices
from kernels.model import Sequence, SequenceType
from kernels.registry import loading
from tests.app import fake


def cells(window, column):
    model = window.sequences.model
    return [model.index(row, column).data() for row in range(model.rowCount())]


def set_parameter(window, name, value):
    window.method.parameters.editor(name).set_value(value)
    window.method.parameters.changed.emit()


def run(qtbot, window):
    before = len(window.session.entries)
    qtbot.waitUntil(window.method.run_button.isEnabled)
    window.commands["run"].trigger()
    qtbot.waitUntil(lambda: len(window.session.entries) == before + 1)


def test_an_empty_window_says_what_to_do(window):
    assert "Open sequences" in window.empty.title.text()
    assert not window.method.run_button.isEnabled()
    assert "2 sequences" in window.cost.warnings.text()


def test_opening_a_file(qtbot, ready):
    assert cells(ready, NAME) == ["one", "two"]
    assert cells(ready, TYPE) == ["DNA", "DNA"]
    assert cells(ready, ROLE) == ["1", "2"]
    assert cells(ready, MAKEUP) == ["GC 40.0 %", "GC 40.0 %"]
    assert ready.empty.title.text() == "Ready to run"
    assert ready.settings.recent_files()[0].endswith("pair.fa")


def test_opening_several_files_at_once_keeps_their_order(qtbot, window, tmp_path):
    first, second = tmp_path / "b.fa.gz", tmp_path / "a.fa"
    first.write_bytes(gzip.compress(b">z\r\nACGT\r\n"))
    second.write_text(">y\nMEEPQSDPSV\n")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in (first, second)])
    event = QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton,
                       Qt.KeyboardModifier.NoModifier)  # fmt: skip
    window.dropEvent(event)
    qtbot.waitUntil(lambda: cells(window, NAME) == ["z", "y"])
    assert cells(window, TYPE) == ["DNA", "protein"]


def test_pasting_sequences_and_nothing(qtbot, window):
    QGuiApplication.clipboard().setText(">pasted\nACGTTT\n>more\nACGT\n")
    window.commands["paste"].trigger()
    qtbot.waitUntil(lambda: cells(window, NAME) == ["pasted", "more"])
    QGuiApplication.clipboard().setText("  ")
    window.commands["paste"].trigger()
    assert "copy sequences first" in window.jobs.message.text()


def test_a_bad_file_says_where_and_leaves_the_rest_alone(qtbot, ready, tmp_path):
    bad = tmp_path / "bad.fa"
    bad.write_text(">x\nACGT!!\n")
    missing = tmp_path / "missing.fa"
    ready.loader.open_paths([bad, missing])
    qtbot.waitUntil(lambda: [job.state for job in ready.queue.jobs] == [JobState.FAILED] * 2)
    texts = [row.error.text() for row in ready.jobs.rows.values()]
    assert "bad.fa" in texts[0]
    assert "missing.fa" in texts[1]
    assert cells(ready, NAME) == ["one", "two"]
    assert "bad.fa" in ready.jobs.text.toPlainText()
    for row in list(ready.jobs.rows.values()):
        assert row.button.text() == "Dismiss"
        row.button.click()
    assert not ready.jobs.rows


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_what_went_wrong_takes_as_many_lines_as_it_needs(qtbot, window, tmp_path):
    window.resize(1300, 800)
    line = window.jobs._pages.height()
    window.loader.open_paths([tmp_path / f"{'missing' * 5}.fa"])
    qtbot.waitUntil(lambda: [job.state for job in window.queue.jobs] == [JobState.FAILED])
    wide = window.jobs._pages.height()
    assert line <= wide < 2 * line
    window.resize(900, 800)
    qtbot.waitUntil(lambda: window.jobs._pages.height() > wide)
    assert window.jobs._pages.height() < 4 * line


def test_a_pipe_is_refused_and_the_next_file_is_read(qtbot, window, pair, tmp_path):
    os.mkfifo(tmp_path / "pipe.fa")
    window.loader.open_paths([tmp_path / "pipe.fa", pair])
    qtbot.waitUntil(lambda: len(window.session.state.sequences) == 2)
    assert "a pipe; save what comes out of it" in window.queue.jobs[0].error


def test_a_run_shows_its_result(qtbot, ready):
    run(qtbot, ready)
    entry = ready.session.entries[0]
    assert ready.viewer.result is entry.result
    assert "one x two" in ready.viewer.stamp.text()
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
    assert ready.answer.plan.parameters["s"] == 64


def test_a_run_that_does_not_fit_is_refused_with_what_would(qtbot, ready):
    set_parameter(ready, "huge", True)
    qtbot.waitUntil(lambda: "memory" in ready.cost.refusal.text())
    assert "of it for boundary columns" in ready.cost.refusal.text()
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
    old = ready.session.entries[0]
    set_parameter(ready, "s", 64)
    ready.sequences.swap_button.click()
    qtbot.waitUntil(lambda: ready.is_stale(old))
    assert ready.viewer.stale.isVisible()
    ready.viewer.stale.click()
    qtbot.waitUntil(lambda: ready.answer is not None and not ready.is_stale(old))
    assert not ready.viewer.stale.isVisible()
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


def test_rename_retype_reorder_duplicate_delete_and_undo(qtbot, ready):
    model, panel = ready.sequences.model, ready.sequences
    model.setData(model.index(0, NAME), "human")
    panel.go_to(0)
    panel.retype(SequenceType.RNA)
    ready.commands["down"].trigger()
    assert cells(ready, NAME) == ["two", "human"]
    assert list(panel.table.rows()) == [1]
    ready.commands["duplicate"].trigger()
    assert cells(ready, NAME) == ["two", "human", "human_copy"]
    panel.table.selectAll()
    panel.delete()
    assert cells(ready, NAME) == []
    for _ in range(5):
        ready.commands["undo"].trigger()
    assert cells(ready, NAME) == ["one", "two"]
    assert cells(ready, TYPE) == ["DNA", "DNA"]
    ready.commands["redo"].trigger()
    assert cells(ready, NAME) == ["human", "two"]


def test_a_type_that_does_not_fit_is_explained(qtbot, window):
    window.session.add([Sequence("p", b"MEEPQSDPSV", SequenceType.PROTEIN)])
    window.sequences.go_to(0)
    window.sequences.retype(SequenceType.DNA)
    assert "choose another type" in window.jobs.message.text()


def test_choosing_inputs_with_the_keys(qtbot, ready):
    ready.session.add([Sequence("three", b"ACGT", SequenceType.DNA)])
    ready.sequences.go_to(2)
    qtbot.keyClick(ready.sequences.table, "2")
    assert cells(ready, ROLE) == ["1", "", "2"]
    assert ready.sequences.names[1].text().startswith("three")


def test_protein_options_follow_the_sequences(qtbot, window):
    window.session.add([Sequence(name, b"MEEPQSDPSV", SequenceType.PROTEIN) for name in "ab"])
    qtbot.waitUntil(window.method.run_button.isEnabled)
    options = window.method.options
    assert options.editor("matrix").currentText() == "auto (BLOSUM62)"
    assert not options.editor("match").isVisible()
    assert "10 + 1 k: 11 for one letter, 20 for ten" in window.method.gap.text()
    options.editor("gap_open").set_value(0)
    options.changed.emit()
    assert "costs 1 k (linear): 1 for one letter" in window.method.gap.text()


def test_a_million_records_do_not_freeze_the_table(qtbot, window):
    letters = b"ACGT" * 25
    found = [Sequence(f"record{number}", letters, SequenceType.DNA) for number in range(1_000_000)]
    looked = []
    original = window.sequences.model._text
    window.sequences.model._text = lambda row, *rest: looked.append(row) or original(row, *rest)
    window.session.add(found)
    window.sequences.table.scrollToBottom()
    QApplication.processEvents()
    assert window.sequences.model.rowCount() == 1_000_000
    assert len(set(looked)) < 200
    assert 999_999 in looked
    asked = []
    window.sequences.model.flags = lambda index: asked.append(index) or Qt.ItemFlag.ItemIsEnabled
    window.sequences.table.selectAll()
    QApplication.processEvents()
    assert len(window.sequences.table.rows()) == 1_000_000
    assert len(asked) < 10_000


def test_saving_an_alignment_and_a_session(qtbot, ready, make_window, tmp_path):
    ready.commands["save_result"].trigger()
    assert "no result to save" in ready.jobs.message.text()
    run(qtbot, ready)
    actions.save_result(ready, tmp_path / "out.fasta", ready.viewer.result)
    actions.save_session(ready, tmp_path / "mine")
    qtbot.waitUntil(lambda: not ready.queue.jobs)
    assert (tmp_path / "out.fasta").read_text().startswith(">one")
    other = make_window()
    other.loader.open_paths([tmp_path / "mine.antidiag"])
    qtbot.waitUntil(lambda: bool(other.session.entries))
    assert cells(other, NAME) == ["one", "two"]


def test_command_search_finds_and_does(qtbot, ready):
    search = actions.open_search(ready)
    qtbot.addWidget(search)
    qtbot.keyClicks(search.line, "dark theme")
    assert search.list.count() == 1
    qtbot.keyClick(search.line, Qt.Key.Key_Return)
    assert theme.active().name == "dark"
    assert ready.settings.text("theme") == "dark"
    again = actions.open_search(ready)
    qtbot.addWidget(again)
    qtbot.keyClicks(again.line, "two")
    qtbot.keyClick(again.line, Qt.Key.Key_Return)
    assert list(ready.sequences.table.rows()) == [1]
    ready.commands["light"].trigger()
    assert theme.active().name == "light"


def test_gaps_of_an_alignment_are_counted_over_all_rows(qtbot, window, tmp_path):
    rows = "".join(f">row{number}\nAC{'-' * (number % 7)}GT{'.' * 100}\n" for number in range(1, 2001))
    (tmp_path / "rows.afa").write_text(rows)
    window.loader.open_paths([tmp_path / "rows.afa"])
    qtbot.waitUntil(lambda: len(window.session.state.sequences) == 2000)
    gaps = sum(number % 7 + 100 for number in range(1, 2001))
    assert f"{gaps:,} gaps removed from 2,000 sequences" in window.jobs.text.toPlainText()
    assert window.jobs.message.text() == f"{gaps:,} gaps removed from 2,000 sequences"


def test_the_limit_of_packed_files_is_kept(qtbot, window, monkeypatch):
    dialog = PreferencesDialog(window.settings, window)
    qtbot.addWidget(dialog)
    assert dialog.unpacked.value() == 1
    dialog.unpacked.setValue(5)
    assert memory.unpacked_limit() == 5 * 2**30
    assert PreferencesDialog(window.settings, window).unpacked.value() == 5

    def refuse(count):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(memory, "set_unpacked_limit", refuse)
    dialog.unpacked.setValue(6)
    assert dialog.room.text() == "This limit cannot be kept: Permission denied"


def test_preferences_are_kept(qtbot, window):
    dialog = PreferencesDialog(window.settings, window)
    qtbot.addWidget(dialog)
    dialog.scale.setCurrentIndex(dialog.scale.findData(150))
    dialog.scale.activated.emit(0)
    assert window.settings.number("scale") == 150


def test_references_and_command_lines_are_copied(qtbot, ready):
    ready.commands["bibtex"].trigger()
    assert "@inproceedings{fake2020" in QGuiApplication.clipboard().text()
    ready.commands["command_line"].trigger()
    assert "no result to repeat" in ready.jobs.message.text()
    set_parameter(ready, "s", 64)
    run(qtbot, ready)
    ready.commands["command_line"].trigger()
    line = QGuiApplication.clipboard().text()
    assert line.startswith("python main.py run fake ")
    assert "--record one --record two" in line
    assert "-p s=64" in line


def test_switching_methods_remembers_the_settings_of_each(qtbot, ready):
    set_parameter(ready, "s", 64)
    ready.method.choose(ready.methods[1])
    assert ready.method.parameters.editor("s").value() is None
    ready.method.choose(ready.methods[0])
    assert ready.method.parameters.editor("s").value() == 64


def test_closing_asks_while_a_job_runs(qtbot, ready, monkeypatch):
    set_parameter(ready, "wait", True)
    qtbot.waitUntil(ready.method.run_button.isEnabled)
    ready.commands["run"].trigger()
    asked = []
    monkeypatch.setattr(type(ready), "confirm_close", lambda self, jobs: asked.append(jobs) or len(asked) > 1)
    assert not ready.close()
    assert ready.isVisible()
    assert ready.close()
    assert asked == [1, 1]


def test_the_device_list_says_why_there_is_no_gpu(qtbot, window):
    qtbot.waitUntil(lambda: "No GPU" in window.device.itemText(2))
    assert "there is none in tests" in window.device.itemText(2)
    assert not window.device.model().item(2).isEnabled()
    assert window.device.itemText(0) == "Automatic \N{MIDDLE DOT} CPU (no GPU found)"


def test_the_device_list_names_gpus_with_their_free_memory(qtbot, make_window, monkeypatch):
    gpu = devices.Device(0, "NVIDIA H200", 132, (9, 0), 141_000_000_000)
    window = make_window()
    qtbot.waitUntil(lambda: "No GPU" in window.device.itemText(2))
    monkeypatch.setattr(devices, "discover", lambda: ((gpu,), ""))
    monkeypatch.setattr(devices, "memory_free", lambda index: 138_000_000_000)
    window.device.look()
    qtbot.waitUntil(lambda: "H200" in window.device.itemText(2))
    assert window.device.itemText(2) == "GPU 0 \N{MIDDLE DOT} NVIDIA H200 \N{MIDDLE DOT} 138 of 141 GB free"
    assert "H200" in window.device.itemText(0)
    window.device.choose("cuda", 0)
    assert window.device.choice() == ("cuda", 0)


def test_a_gpu_that_was_asked_for_and_has_no_version_is_explained(qtbot, ready, monkeypatch):
    monkeypatch.setattr(type(ready.device), "choice", lambda self: ("cuda", 0))
    ready.device.changed.emit()
    qtbot.waitUntil(lambda: "has no backend cuda" in ready.cost.refusal.text())
    assert not ready.method.run_button.isEnabled()


def test_what_was_opened_last_goes_into_the_next_run(qtbot, ready, tmp_path):
    pair = tmp_path / "next.fa"
    pair.write_text(">three\nACGTT\n>four\nACGTA\n")
    ready.loader.open_paths([pair])
    qtbot.waitUntil(lambda: cells(ready, ROLE) == ["", "", "1", "2"])
    ready.commands["undo"].trigger()
    assert cells(ready, ROLE) == ["1", "2"]


def test_two_files_opened_together_are_a_pair_and_one_alone_is_the_second_of_the_next(qtbot, ready, tmp_path):
    files = []
    for name in ("three", "four"):
        files.append(tmp_path / f"{name}.fa")
        files[-1].write_text(f">{name}\nACGTT\n")
    ready.loader.open_paths(files[:1])
    qtbot.waitUntil(lambda: cells(ready, ROLE) == ["", "1", "2"])
    ready.loader.open_paths(files[::-1])
    qtbot.waitUntil(lambda: cells(ready, NAME)[3:] == ["four", "three"])
    assert cells(ready, ROLE) == ["", "", "", "1", "2"]


def test_run_waits_for_a_plan_that_is_being_made(qtbot, ready):
    set_parameter(ready, "s", 64)
    assert ready.planner.busy
    ready.commands["run"].trigger()
    qtbot.waitUntil(lambda: len(ready.session.entries) == 1)
    assert ready.session.entries[0].result.parameters["s"] == 64
    qtbot.waitUntil(ready.method.run_button.isEnabled)
    assert len(ready.session.entries) == 1


def test_the_jobs_panel_is_low_while_nothing_runs(qtbot, ready):
    idle = ready.jobs.height()
    set_parameter(ready, "wait", True)
    qtbot.waitUntil(ready.method.run_button.isEnabled)
    for _ in range(3):
        ready.commands["run"].trigger()
    qtbot.waitUntil(lambda: ready.jobs.height() > idle)
    ready.commands["cancel_all"].trigger()
    qtbot.waitUntil(lambda: not ready.queue.jobs)
    qtbot.waitUntil(lambda: ready.jobs.height() == idle)
    assert "cancelled" in ready.jobs.message.text()
    ready.commands["log"].trigger()
    qtbot.waitUntil(lambda: ready.jobs.height() > idle)


def test_the_window_fits_a_small_screen():
    assert starting_size(QSize(1280, 720)).width() < 1280
    assert starting_size(QSize(1280, 720)).height() < 720
    assert starting_size(QSize(3840, 2160)) == SIZE


def test_the_table_says_what_a_sequence_is_and_drops_columns_before_names(ready):
    table, model = ready.sequences.table, ready.sequences.model
    assert model.index(0, NAME).data(ABOUT) == "first record"
    assert "first record" in ready.sequences.names[0].text()
    ready.resize(1600, 900)
    for width, hidden in ((230, [TYPE, MAKEUP]), (600, [])):
        ready.analyse.resizeDocks([ready.docks["data"]], [width], Qt.Orientation.Horizontal)
        QApplication.processEvents()
        assert [column for column in (TYPE, MAKEUP) if table.isColumnHidden(column)] == hidden
        assert not table.isColumnHidden(NAME)
    metrics = table.fontMetrics()
    assert table.columnWidth(MAKEUP) > metrics.horizontalAdvance("GC 44.4 %")


def test_panels_collapse_float_and_come_back(qtbot, ready):
    run(qtbot, ready)
    width = ready.viewer.width()
    for name in ("data_panel", "results_panel", "method_panel"):
        ready.commands[name].trigger()
        assert not ready.commands[name].isChecked()
    qtbot.waitUntil(lambda: ready.viewer.width() > width + 300)
    assert all(dock.isHidden() for dock in ready.docks.values())
    ready.commands["widest"].trigger()
    assert not any(dock.isHidden() for dock in ready.docks.values())
    ready.docks["results"].float_button.click()
    assert ready.docks["results"].isFloating() and ready.results.table.isVisible()
    ready.commands["docks"].trigger()
    assert not ready.docks["results"].isFloating() and ready.commands["method_panel"].isChecked()


def test_a_view_stands_beside_the_others_and_in_a_window_of_its_own(qtbot, ready):
    run(qtbot, ready)
    shown, places = ready.viewer.tabs_shown(), ready.viewer.places
    ready.viewer.turn_to("summary")
    ready.commands["beside"].trigger()
    assert places.placed() == {"summary": "beside"} and places.beside.isVisible()
    assert [view.id for view in places.seen()] == [
        ready.viewer.tabs_shown()[ready.viewer.tabs.currentIndex()],
        "summary",
    ]
    run(qtbot, ready)
    assert places.seen()[-1].id == "summary" and set(ready.viewer.tabs_shown()) == set(shown)
    places.back_button.click()
    assert not places.beside.isVisible() and not places.placed()
    ready.viewer.turn_to("timeline")
    ready.commands["apart"].trigger()
    window = places._windows["timeline"]
    assert window.isVisible() and "timeline" in ready.viewer.tabs_shown()
    window.close()
    assert not places.placed() and ready.viewer.tabs_shown() == shown


def test_all_keys_are_listed_and_found(qtbot, ready):
    ready.commands["shortcuts"].trigger()
    dialog = ready.findChild(ShortcutsDialog)
    assert ("Run", "Ctrl+R") in dialog.shown()
    dialog.filter.setText("gap")
    assert ("Insert or remove a gap", "Space, Backspace") in dialog.shown() and ("Run", "Ctrl+R") not in dialog.shown()
    dialog.close()


def test_settings_made_for_one_kind_of_letters_do_not_follow_to_another(qtbot, ready, tmp_path):
    def gap():
        return ready.method.options.editor("gap_open").value()

    ready.method.options.editor("gap_open").set_value(9)
    ready.method.options.changed.emit()
    assert gap() == 9
    proteins = tmp_path / "proteins.fa"
    proteins.write_text(">p\nMEEPQSDPSVEPPLSQ\n>q\nMEEPQSDLSVEPPLSQ\n")
    ready.loader.open_paths([proteins])
    qtbot.waitUntil(lambda: cells(ready, ROLE) == ["", "", "1", "2"])
    qtbot.waitUntil(lambda: gap() is None)
    ready.session.choose(0, 0)
    ready.session.choose(1, 1)
    qtbot.waitUntil(lambda: gap() == 9)


def test_every_kind_of_data_is_in_the_open_dialog(window):
    offered = actions.open_filter()
    for kind in loading.kinds():
        assert all(f"*{suffix}" in offered.split(";;")[0] for suffix in kind.suffixes)
    assert "Scales (*.scale)" in offered and "*.antidiag" in offered
