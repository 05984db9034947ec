"""Narrow and low windows: panels fold into drawers by themselves, and nothing makes the window larger."""

import json
import os
import subprocess
import sys

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QApplication, QWidget

from antidiag.app import theme
from antidiag.app.layout import LEFT_MINIMUM, fit_layout
from antidiag.app.panels.page_group import share_width
from antidiag.kernels.io.aligned_sequences import read_alignment_text
from tests.app.steps import run, set_parameter
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


def test_a_narrow_window_offers_run_where_the_result_will_be(qtbot, ready):
    ready.resize(792, 600)
    qtbot.waitUntil(lambda: ready.folding.folded_sides == {"left", "right"})
    assert not ready.method.run_button.isVisible()
    button = ready.empty.run_button
    qtbot.waitUntil(lambda: button.isVisible() and button.isEnabled())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(ready.session.entries) == 1)


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


@pytest.mark.slow
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


def stale(qtbot, window):
    """Choose other settings than those of the shown result."""
    set_parameter(window, "s", 64)
    qtbot.waitUntil(lambda: window.viewer.stale_button.isVisible())


def top_of(widget, window):
    return widget.mapTo(window, QPoint(0, 0)).y()


def test_a_low_window_offers_the_settings_of_a_result_beside_its_tabs(qtbot, narrow):
    """The note about other settings, which is beside the numbers in a high window, is not lost and moves nothing."""
    narrow.resize(632, 320)
    qtbot.waitUntil(lambda: narrow.folding.folded_sides == {"left", "right"})
    QApplication.processEvents()
    before = top_of(narrow.viewer.places, narrow)
    stale(qtbot, narrow)
    button, bar = narrow.viewer.stale_button, narrow.viewer.tabs.tabBar()
    assert top_of(narrow.viewer.places, narrow) == before
    assert abs(top_of(button, narrow) - top_of(bar, narrow)) < bar.height() and button.width() >= 100
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not button.isVisible())
    narrow.resize(1000, 700)
    stale(qtbot, narrow)
    assert narrow.viewer.stale_note.isVisible() and narrow.viewer.chips.isVisible()
    assert abs(top_of(button, narrow) - top_of(narrow.viewer.chips, narrow)) < button.height()


@pytest.mark.parametrize("size", [(1500, 940), (1000, 700), (632, 320)])
@pytest.mark.parametrize("points", [0, 15])
def test_the_note_about_other_settings_does_not_move_the_view(qtbot, ready, size, points):
    try:
        theme.choose_fonts(QApplication.instance(), points=points)
        ready.resize(*size)
        run(qtbot, ready)
        before = resting_lines(qtbot, ready)
        stale(qtbot, ready)
        assert resting_lines(qtbot, ready) == before
        qtbot.mouseClick(ready.viewer.stale_button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: not ready.viewer.stale_button.isVisible())
        assert resting_lines(qtbot, ready) == before
    finally:
        theme.choose_fonts(QApplication.instance())


def resting_lines(qtbot, window):
    """Return the first line of pixels of the view, and how many lines it has, when the layout has come to rest."""
    seen = []

    def rests():
        seen.append((top_of(window.viewer.current, window), window.viewer.current.height()))
        return len(seen) > 4 and len(set(seen[-4:])) == 1

    qtbot.waitUntil(rests)
    return seen[-1]


def test_no_line_is_left_empty_above_the_tabs(qtbot, narrow):
    """A low window has its tabs at the top, and data have no line for the numbers of a result."""
    narrow.resize(632, 320)
    QApplication.processEvents()
    assert top_of(narrow.viewer.places, narrow.viewer) <= theme.SPACING
    narrow.resize(1000, 700)
    QApplication.processEvents()
    viewer = narrow.viewer
    assert viewer.chips.isVisible()
    (alignment,) = read_alignment_text(">a\nACGTACGT\n>b\nAC-TACGT\n")
    narrow.session.add_data([alignment])
    narrow.shown_data.show_datum(alignment)
    QApplication.processEvents()
    heading = viewer.heading_label.mapTo(viewer, QPoint(0, viewer.heading_label.height())).y()
    assert viewer.heading_label.text() and viewer.datum is alignment
    assert top_of(viewer.places, viewer) - heading <= 2 * theme.SPACING


def test_the_rows_of_an_alignment_are_seen_in_a_low_window(qtbot, narrow):
    narrow.resize(632, 320)
    narrow.viewer.turn_to("aligned")
    QApplication.processEvents()
    view = narrow.viewer.current
    assert not view.overview.isVisible() and view.canvas.height() > narrow.viewer.places.height() // 3
    narrow.resize(1000, 700)
    QApplication.processEvents()
    assert view.overview.isVisible()


def test_drawers_of_a_low_window_scroll(qtbot, narrow):
    """A panel higher than its drawer keeps its height, so that no line is cut or drawn over another."""
    narrow.resize(632, 320)
    narrow.turn_to(2)
    classes = narrow.learn.classes
    qtbot.waitUntil(lambda: bool(classes.folding.folded_sides))
    assert narrow.learn.page_title.isVisible() and narrow.learn.page_title.text() == "The four classes"
    classes.folding.toggle_panel("method")
    QApplication.processEvents()
    label = classes.reason
    assert label.isVisible() and label.height() >= label.heightForWidth(label.width())
    classes.folding.close_drawer()
    narrow.turn_to(0)
    narrow.commands["data_panel"].trigger()
    QApplication.processEvents()
    panel, table = narrow.sequences, narrow.sequences.table
    bottom = table.mapTo(panel, QPoint(0, table.height())).y()
    below = [box for box in panel.findChildren(QWidget) if box.objectName() == "input" and box.isVisible()]
    assert panel.height() >= panel.minimumSizeHint().height() and all(top_of(box, panel) >= bottom for box in below)
    narrow.resize(1500, 900)
    qtbot.waitUntil(lambda: not narrow.folding.folded_sides)
    narrow.turn_to(2)
    QApplication.processEvents()
    assert not narrow.learn.page_title.isVisible() and narrow.learn.contents.height() > 500


@pytest.mark.parametrize("width", [LEFT_MINIMUM, 220, 250, 320])
def test_titles_of_panels_are_whole(qtbot, ready, width):
    """Buttons without room are in a menu, which does the same."""
    (alignment,) = read_alignment_text(">a\nACGTACGT\n>b\nAC-TACGT\n")
    ready.session.add_data([alignment])
    for name in ("data", "results"):
        ready.docks[name].setFixedWidth(width)
    QApplication.processEvents()
    for panel in (ready.sequences, ready.data, ready.results):
        title = panel.heading
        assert title.isVisible() and title.width() >= title.sizeHint().width(), panel
    row = ready.sequences.open_button.parentWidget().layout()
    assert bool(row.overflowing_tools()) == (width < 300)
    row.menu.aboutToShow.emit()
    for action, button in zip(row.menu.actions(), row.overflowing_tools(), strict=True):
        assert action.menu() is button.menu() and action.text() in (button.text(), button.toolTip())


def test_titles_of_tabs_fit_in_a_narrow_group(qtbot, narrow):
    """Both titles are shortened in the middle; none is cut at its ends, also not the bold one of the chosen tab."""
    run(qtbot, narrow)
    for entry in narrow.session.entries:
        narrow.results.tab_wanted.emit(entry, False)
    narrow.commands["open_beside"].trigger()
    narrow.results.tab_wanted.emit(narrow.session.entries[0], False)
    qtbot.waitUntil(lambda: not narrow.shown_data.is_opening)
    QApplication.processEvents()
    for group in narrow.result_tabs.groups:
        bar, metrics = group.tabBar(), bold_metrics(group.tabBar())
        for index in range(bar.count()):
            title = bar.tabText(index)
            assert metrics.horizontalAdvance(title) <= bar.tabRect(index).width(), title
            assert len(title) > 4 and bar.tabRect(index).right() <= group.width()


def bold_metrics(bar):
    font = QFont(bar.font())
    font.setBold(True)
    return QFontMetrics(font)


def test_widths_are_shared():
    assert share_width(100, [30, 40], 20) == [30, 40]
    assert share_width(100, [30, 200, 200], 20) == [30, 35, 35]
    assert share_width(10, [30, 200], 20) == [20, 20]
    assert share_width(10, [], 20) == []


def test_a_panel_comes_back_as_wide_as_it_was(qtbot, window):
    panels = window.folding.panels
    window.analyse.resizeDocks([panels["data"].holder], [430], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: panels["data"].holder.width() == 430)
    window.resize(900, 800)
    qtbot.waitUntil(lambda: panels["data"].content is not None)
    window.resize(1500, 940)
    qtbot.waitUntil(lambda: panels["data"].content is None and panels["data"].holder.width() == 430)
