"""Narrow and low windows: panels fold into drawers by themselves, and nothing makes the window larger."""

import json
import os
import subprocess
import sys

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from antidiag.app.layout import fit_layout
from tests.app.steps import run
from tests.documents import ROOT


@pytest.fixture
def narrow(qtbot, ready):
    run(qtbot, ready)
    ready.resize(1000, 700)
    qtbot.waitUntil(lambda: ready.width() == 1000 and bool(ready.folding.folded_sides))
    return ready


def test_1000_pixels_are_wide_enough_in_all_workspaces(qtbot, narrow):
    assert narrow.folding.folded_sides == {"left"} and narrow.viewer.width() > 600
    assert narrow.docks["method"].isVisible() and narrow.method.run_button.isVisible()
    narrow.turn_to(1)
    narrow.tune.plots.show()
    assert narrow.tune.folding.folded_sides == {"right"} and narrow.tune.splitter.sizes()[1] > 600
    area = narrow.tune._plot_area
    narrow.tune._show_plots(True)
    QApplication.processEvents()
    assert narrow.tune.plots.height() == area.viewport().height() and area.verticalScrollBar().maximum() == 0
    narrow.turn_to(2)
    for row in (0, *range(4, narrow.learn.contents.count())):  # the others need methods that are no fakes
        narrow.learn.contents.setCurrentRow(row)
        QApplication.processEvents()
        assert narrow.learn.pages.width() > 900 and narrow.width() == 1000


def test_the_classes_fold_their_details_in_a_very_narrow_window(qtbot, narrow):
    narrow.turn_to(2)
    narrow.resize(640, 500)
    qtbot.waitUntil(lambda: bool(narrow.learn.classes.folding.folded_sides))
    QApplication.processEvents()
    assert narrow.learn.classes.width() <= narrow.width()


def test_a_folded_panel_opens_as_a_drawer(qtbot, narrow):
    view = narrow.viewer.width()
    assert not narrow.commands["data_panel"].isChecked() and not narrow.sequences.table.isVisible()
    qtbot.keyClick(narrow, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert narrow.sequences.table.isVisible() and narrow.results.table.isVisible()
    assert narrow.commands["data_panel"].isChecked() and narrow.viewer.width() == view, "it lies over the view"
    narrow.results.table.selectRow(0)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not narrow.sequences.table.isVisible() and not narrow.commands["data_panel"].isChecked()
    narrow.commands["data_panel"].trigger()
    qtbot.mouseClick(narrow.folding._shade, Qt.MouseButton.LeftButton, pos=QPoint(800, 300))
    assert not narrow.sequences.table.isVisible()
    narrow.commands["data_panel"].trigger()
    narrow.method.chooser.setFocus()  # the focus leaves the drawer
    assert not narrow.sequences.table.isVisible()


def test_panels_come_back_in_a_wide_window_as_they_were(qtbot, narrow):
    narrow.resize(1500, 900)
    qtbot.waitUntil(lambda: not narrow.folding.folded_sides)
    assert all(dock.isVisible() for dock in narrow.docks.values()) and narrow.sequences.table.isVisible()
    narrow.commands["results_panel"].trigger()
    narrow.resize(1000, 700)
    qtbot.waitUntil(lambda: bool(narrow.folding.folded_sides))
    narrow.resize(1500, 900)
    qtbot.waitUntil(lambda: not narrow.folding.folded_sides)
    assert narrow.docks["results"].isHidden() and narrow.docks["data"].isVisible()
    assert [narrow.commands[f"{name}_panel"].isChecked() for name in ("data", "results", "method")] == [
        True,
        False,
        True,
    ]


def test_a_narrow_window_saves_the_layout_of_a_wide_one(qtbot, narrow, make_window):
    narrow.close()
    again = make_window()
    qtbot.waitUntil(lambda: again.docks["data"].isVisible())
    assert not again.folding.folded_sides and again.sequences.isVisible() and again.docks["results"].isVisible()


def test_a_run_starts_from_a_drawer_and_closes_it(qtbot, narrow):
    narrow.resize(640, 560)
    qtbot.waitUntil(lambda: narrow.folding.folded_sides == {"left", "right"})
    narrow.commands["method_panel"].trigger()
    assert narrow.method.run_button.isVisible() and narrow.folding.open_side == "right"
    before = len(narrow.session.entries)
    qtbot.waitUntil(narrow.method.run_button.isEnabled)
    narrow.method.run_button.click()
    qtbot.waitUntil(lambda: len(narrow.session.entries) == before + 1)
    assert not narrow.folding.open_side and not narrow.method.run_button.isVisible()


def test_a_low_window_leaves_room_for_the_view(qtbot, narrow):
    """1280 x 720 pixels at 200 % are 640 x 360; the frame of the window takes 40."""
    narrow.resize(632, 320)
    qtbot.waitUntil(lambda: narrow.folding.folded_sides == {"left", "right"})
    assert narrow.size().toTuple() == (632, 320)
    for number in range(3):
        narrow.turn_to(number)
        QApplication.processEvents()
        assert narrow.size().toTuple() == (632, 320)
    narrow.turn_to(0)
    for view_id in narrow.viewer.tabs_shown():
        narrow.viewer.turn_to(view_id)
        QApplication.processEvents()
        assert narrow.size().toTuple() == (632, 320), view_id
        assert narrow.viewer.places.height() > 180
    assert narrow.jobs.isHidden() or narrow.jobs._message_timer.isActive()
    narrow.jobs._message_timer.stop()
    fit_layout(narrow)
    assert narrow.jobs.isHidden()
    narrow.jobs.show_message("Something went wrong.", error=True)
    assert narrow.jobs.isVisible() and narrow.size().toTuple() == (632, 320)


SCRIPT = """
import json, sys
sys.path.insert(0, {root!r})
from antidiag.app import application
from antidiag.app.settings import Settings
from antidiag.app.window import Window
settings = Settings()
app = application.make_application(settings)
window = Window(settings)
window.show()
for number in range(3):
    window.turn_to(number)
    app.processEvents()
room = window.screen().availableSize()
print(json.dumps([window.devicePixelRatio(), window.width(), window.height(), room.width(), room.height()]))
window.close()
"""


def test_the_window_fits_a_screen_of_1280_x_720_at_200_percent(tmp_path):
    screen = {
        "name": "a",
        "x": 0,
        "y": 0,
        "width": 1280,
        "height": 720,
        "logicalDpi": 96,
        "logicalBaseDpi": 96,
        "dpr": 1,
    }
    (tmp_path / "screen.json").write_text(json.dumps({"screens": [screen]}))
    environment = {
        **os.environ, "QT_SCALE_FACTOR": "2", "ANTIDIAG_FOLDER": str(tmp_path / "settings"),
        "QT_QPA_PLATFORM": f"offscreen:configfile={tmp_path / 'screen.json'}",
    }  # fmt: skip
    command = [sys.executable, "-c", SCRIPT.format(root=str(ROOT))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=ROOT)
    ratio, width, height, room_width, room_height = json.loads(done.stdout.splitlines()[-1])
    assert ratio == 2 and (room_width, room_height) == (640, 360)
    assert width <= 640 - 8 and height <= 360 - 40
