"""The window itself, its menus, panels and settings, as a person uses it."""

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from antidiag.app import actions, theme
from antidiag.app.dialogs.preferences import PreferencesDialog
from antidiag.app.dialogs.shortcuts import ShortcutsDialog
from antidiag.app.layout import SIZE, starting_size
from antidiag.kernels import memory
from antidiag.kernels.cuda import devices
from tests.app.steps import run, set_parameter


def test_an_empty_window_says_what_to_do(window):
    assert "Open sequences" in window.empty.title.text()
    assert not window.method.run_button.isEnabled()
    assert "2 sequences" in window.cost.warnings.text()


def test_command_search_finds_and_does(qtbot, ready):
    search = actions.open_search(ready)
    qtbot.addWidget(search)
    qtbot.keyClicks(search.line, "dark theme")
    assert search.list.item(0).text() == "Dark theme"
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
    assert dialog.space_label.text() == "The limit could not be saved: Permission denied"


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
    qtbot.waitUntil(lambda: "No GPU" in window.device.itemText(3))
    assert "there is none in tests" in window.device.itemText(3)
    assert not window.device.model().item(3).isEnabled()
    assert window.device.itemText(0) == "Automatic \N{MIDDLE DOT} CPU (no GPU found)"


def test_the_device_list_names_gpus_with_their_free_memory(qtbot, make_window, monkeypatch):
    gpu = devices.Device(0, "NVIDIA H200", 132, (9, 0), 141_000_000_000)
    window = make_window()
    qtbot.waitUntil(lambda: "No GPU" in window.device.itemText(3))
    monkeypatch.setattr(devices, "discover_devices", lambda: ((gpu,), ""))
    monkeypatch.setattr(devices, "free_memory_bytes", lambda index: 138_000_000_000)
    window.device.look()
    qtbot.waitUntil(lambda: "H200" in window.device.itemText(3))
    assert window.device.itemText(3) == "GPU 0 \N{MIDDLE DOT} NVIDIA H200 \N{MIDDLE DOT} 138 of 141 GB free"
    assert "H200" in window.device.itemText(0)
    window.device.choose("cuda", 0)
    assert window.device.choice() == ("cuda", 0)


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
    assert places.moved_views() == {"summary": "beside"} and places.beside.isVisible()
    assert [view.id for view in places.seen()] == [
        ready.viewer.tabs_shown()[ready.viewer.tabs.currentIndex()],
        "summary",
    ]
    run(qtbot, ready)
    assert places.seen()[-1].id == "summary" and set(ready.viewer.tabs_shown()) == set(shown)
    places.back_button.click()
    assert not places.beside.isVisible() and not places.moved_views()
    ready.viewer.turn_to("timeline")
    ready.commands["apart"].trigger()
    (window,) = ready.result_tabs.windows
    assert window.isVisible() and "timeline" not in ready.viewer.tabs_shown()
    assert window.windowTitle().startswith("Timeline: ") and window.view.result is ready.viewer.result
    window.close()
    assert ready.viewer.tabs_shown() == shown and ready.viewer.current.id == "timeline"


def test_no_view_makes_a_small_window_larger(qtbot, ready):
    """Two views stand one above the other where there is no room beside each other."""
    run(qtbot, ready)
    ready.resize(960, 640)
    places = ready.viewer.places
    for view_id in ready.viewer.tabs_shown():
        ready.viewer.turn_to(view_id)
        assert ready.minimumSizeHint().width() <= 960 and ready.minimumSizeHint().height() <= 640, view_id
    ready.commands["beside"].trigger()
    assert places.beside.isVisible() and ready.size().toTuple() == (960, 640)
    assert ready.minimumSizeHint().width() <= 960
    qtbot.waitUntil(lambda: places.orientation() is Qt.Orientation.Vertical)
    ready.resize(1600, 900)
    qtbot.waitUntil(lambda: places.orientation() is Qt.Orientation.Horizontal)
    assert min(places.sizes()) > 200


def visible_shortcuts(dialog: ShortcutsDialog) -> list[tuple[str, str]]:
    groups = [dialog.list.topLevelItem(number) for number in range(dialog.list.topLevelItemCount())]
    items = [group.child(number) for group in groups for number in range(group.childCount())]
    return [(item.text(0), item.text(1)) for item in items if not item.isHidden()]


def test_all_keys_are_listed_and_found(qtbot, ready):
    ready.commands["shortcuts"].trigger()
    dialog = ready.findChild(ShortcutsDialog)
    assert ("Run", "Ctrl+R") in visible_shortcuts(dialog)
    dialog.filter.setText("gap")
    assert ("Insert, delete a gap", "Space, Backspace") in visible_shortcuts(dialog) and (
        "Run",
        "Ctrl+R",
    ) not in visible_shortcuts(dialog)
    dialog.filter.setText("alignment")
    listed = " ".join(keys for _, keys in visible_shortcuts(dialog))
    for keys in ("Ctrl+C", "Ctrl+Z", "Ctrl+F", "Shift+F8", "Shift+F10", "F4"):
        assert keys in listed
    dialog.close()


def test_words_above_run_stand_below_those_of_the_cards(qtbot, ready):
    cost = ready.cost
    cost.notes.setText("The CPU is used.")
    cost.notes.show()
    ready.show()
    qtbot.waitUntil(lambda: cost.line.isVisible() and cost.notes.isVisible())
    QApplication.processEvents()
    lefts = [widget.mapTo(ready, QPoint(0, 0)).x() for widget in (cost.line, cost.notes)]
    assert lefts[0] == lefts[1]
    assert cost.pinned.width() - cost.line.geometry().right() > theme.SPACING
