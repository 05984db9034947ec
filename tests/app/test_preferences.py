"""The preferences as a person uses them: found by typing, applied at once, kept by a restart, and reset."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QFormLayout, QLabel

from antidiag.app import theme
from antidiag.app.dialogs.preferences import SETTINGS
from antidiag.app.kit import ask
from antidiag.app.settings import START_FOLDER, Settings
from antidiag.kernels import memory, processors, user_limits
from antidiag.kernels.memory import format_bytes
from tests.app.steps import run


@pytest.fixture
def dialog(qtbot, ready):
    ready.commands["preferences"].trigger()
    found = ready.open_preferences()
    qtbot.addWidget(found)
    yield found
    found.reject()
    theme.choose_fonts(QApplication.instance())


def test_every_setting_has_a_row_and_is_found(qtbot, dialog):
    assert {title: tuple(page.rows) for title, page in dialog.pages_by_title.items()} == dict(SETTINGS)
    qtbot.keyClicks(dialog.find_line, "thread")
    visible = [
        dialog.list.item(row).text() for row in range(dialog.list.count()) if not dialog.list.item(row).isHidden()
    ]
    assert visible == ["Computing"] and dialog.pages.currentIndex() == dialog.list.currentRow() == 3
    qtbot.keyClick(dialog.find_line, Qt.Key.Key_Return)
    assert dialog.focusWidget() is dialog.computing.threads and dialog.isVisible()


@pytest.mark.slow
def test_fonts_are_applied_at_once_and_kept(qtbot, dialog, ready, make_window):
    before = ready.method.summary.fontMetrics().height()
    dialog.appearance.size_box.setValue(20)
    assert QApplication.font().pointSizeF() == 20 and ready.method.summary.fontMetrics().height() > before
    assert theme.fixed_font().pointSizeF() == 20
    box = dialog.appearance.letters
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert theme.fixed_font().family() == box.currentText()
    ready.close()
    theme.choose_fonts(QApplication.instance())
    make_window()
    assert QApplication.font().pointSizeF() == 20 and theme.fixed_font().family() == box.currentText()


def test_pages_of_a_small_dialog_scroll_and_cut_no_note(qtbot, dialog):
    """A screen of 1280 x 720 at 200 % leaves 632 x 320."""
    dialog.resize(632, 320)
    for row, page in enumerate(dialog.pages_by_title.values()):
        dialog.list.setCurrentRow(row)
        QApplication.processEvents()
        notes = [label for label in page.findChildren(QLabel) if label.wordWrap() and label.isVisible()]
        assert all(label.height() >= label.heightForWidth(label.width()) for label in notes), page.title
    assert dialog.size().toTuple() == (632, 320)


def test_views_begin_with_what_is_chosen(dialog):
    pictures, settings = dialog.pictures, dialog._settings
    for box, value in (
        (pictures.proteins, "clustal"),
        (pictures.nucleotides, "purine"),
        (pictures.colour_map, "magma"),
    ):
        box.setCurrentIndex(box.findData(value))
        assert box.currentData() == value
        box.activated.emit(box.currentIndex())
    pictures.letter_size.setValue(22)
    for row in range(pictures.tracks.count()):
        item = pictures.tracks.item(row)
        if item.data(Qt.ItemDataRole.UserRole) in ("logo", "quality"):
            item.setCheckState(Qt.CheckState.Checked)
    assert settings.view_setting("aligned", "colours") == {"protein": "clustal", "nucleotides": "purine"}
    assert settings.view_setting("aligned", "letter_sizes") == {"line": [22.0, 34.0]}
    assert settings.view_setting("aligned", "forms") == {"many": [["logo", "quality"], False]}
    assert settings.view_setting("matrix", "_map") == settings.view_setting("joins", "map_name") == "magma"
    again = type(pictures)(settings, dialog_choices(dialog))
    assert again.proteins.currentData() == "clustal" and again.letter_size.value() == 22


def dialog_choices(dialog):
    from antidiag.app.dialogs.preference_pages import PreferenceChoices

    boxes = dialog.pictures.proteins, dialog.pictures.nucleotides
    return PreferenceChoices(*({box.itemData(at): box.itemText(at) for at in range(box.count())} for box in boxes))


def test_limits_hold_for_runs(dialog, ready):
    dialog.computing.threads.setValue(1)
    assert processors.count_processors() == 1
    dialog.computing.memory.setValue(2)
    assert memory.host_bytes_free() <= 2 * 2**30 and user_limits.memory_limit() == 2 * 2**30
    dialog.computing.units.setCurrentIndex(1)
    dialog.computing.units.activated.emit(1)
    assert format_bytes(1_500_000_000) == "1.5 GB" and format_bytes(999) == "999 B"
    assert "GB" in dialog.space_label.text() or "TB" in dialog.space_label.text()
    user_limits.reset_limits()
    assert format_bytes(3 * 2**29) == "1.5 GiB" and user_limits.thread_limit() == 0


def test_the_device_is_that_of_the_tool_bar(dialog, ready):
    assert dialog.computing.device.count() == ready.device.count()
    dialog.computing.device.setCurrentIndex(1)
    dialog.computing.device.activated.emit(1)
    assert ready.device.choice() == ("cpu", 0)


def test_dialogs_begin_in_the_chosen_folder_and_saving_waits_as_long_as_chosen(dialog, ready, tmp_path, answers):
    dialog.session.folder.setText(str(tmp_path / "missing"))
    assert "no folder" in dialog.session.folder_error.text() and dialog.session.folder_error.isVisibleTo(dialog.session)
    dialog.session.folder.setText(str(tmp_path))
    assert Settings().text(START_FOLDER) == str(tmp_path) and ask._last_folder() == str(tmp_path)
    dialog.session.autosave.setValue(9)
    assert ready.autosave._timer.interval() == 9000


def test_shortcuts_are_changed_moved_and_kept(qtbot, dialog, ready, make_window):
    editor = dialog.shortcuts
    editor.choose_command("dotplot")
    editor.keys_edit.setKeySequence(QKeySequence("Ctrl+R"))
    assert "Run has these keys now" in editor.message.text()
    editor.set_button.click()
    assert ready.commands["dotplot"].shortcut() == QKeySequence("Ctrl+R") and ready.commands["run"].shortcut().isEmpty()
    assert "no shortcut any longer" in editor.message.text() and "(Ctrl+R)" in ready.commands["dotplot"].toolTip()
    editor.filter.setText("Dot plot")
    shown = [editor.list.topLevelItem(row) for row in range(editor.list.topLevelItemCount())]
    assert [item.text(1) for item in shown if not item.isHidden()] == ["Ctrl+R"]
    ready.close()
    again = make_window()
    assert again.commands["dotplot"].shortcut() == QKeySequence("Ctrl+R")
    assert again.commands["run"].shortcut().isEmpty()


def test_a_hidden_command_gets_no_shortcut(dialog, ready):
    editor, before = dialog.shortcuts, ready.commands["open"].shortcut()
    editor.filter.setText("dot plot")
    assert editor.command == "dotplot"
    editor.keys_edit.setKeySequence(QKeySequence("Ctrl+J"))
    editor.set_button.click()
    assert ready.commands["dotplot"].shortcut() == QKeySequence("Ctrl+J")
    assert ready.commands["open"].shortcut() == before
    editor.filter.setText("no such command")
    assert editor.command == "" and not editor.set_button.isEnabled()
    editor.filter.clear()
    assert editor.command and editor.set_button.isEnabled()


def test_everything_is_reset_after_a_question(dialog, ready, answers):
    dialog.appearance.size_box.setValue(20)
    dialog.computing.threads.setValue(1)
    dialog.shortcuts.choose_command("run")
    dialog.shortcuts.clear_button.click()
    ready.commands["dark"].trigger()
    answers.agrees = False
    dialog.reset()
    assert QApplication.font().pointSizeF() == 20
    answers.agrees = True
    dialog.reset()
    assert QApplication.font().pointSizeF() != 20 and user_limits.thread_limit() == 0
    assert ready.commands["run"].shortcut() == QKeySequence("Ctrl+R") and not dialog.isVisible()
    assert ready.settings.text("theme", "system") == "system"


def test_what_is_chosen_for_pictures_holds_at_once_and_after_a_restart(qtbot, dialog, ready, make_window, pair):
    run(qtbot, ready)
    ready.viewer.turn_to("aligned")
    view, pictures = ready.viewer.current, dialog.pictures
    pictures.nucleotides.setCurrentIndex(pictures.nucleotides.findData("purine"))
    pictures.nucleotides.activated.emit(pictures.nucleotides.currentIndex())
    assert view.scheme == "purine"
    pictures.colour_map.setCurrentIndex(pictures.colour_map.findData("magma"))
    pictures.colour_map.activated.emit(pictures.colour_map.currentIndex())
    ready.viewer.turn_to("matrix")
    assert ready.viewer.current._map == "magma"
    ready.close()
    again = make_window()
    again.loader.open_paths([pair])
    run(qtbot, again)
    again.viewer.turn_to("aligned")
    assert again.viewer.current.scheme == "purine"


def test_the_rows_of_a_page_are_evenly_apart(qtbot, dialog):
    """A page higher than its rows leaves the rest empty below them."""
    dialog.show_setting("Tracks")
    dialog.resize(720, 900)
    qtbot.waitExposed(dialog)
    QApplication.processEvents()
    form, bottom, gaps = dialog.pictures.form, 0, []
    for row in range(form.rowCount()):
        box = form.itemAt(row, QFormLayout.ItemRole.FieldRole).widget().geometry()
        gaps.append(box.top() - bottom)
        bottom = box.bottom() + 1
    assert len(gaps) == 8 and max(gaps[1:]) - min(gaps[1:]) <= 2
