"""Keys as a person uses them: search from anywhere, from area to area, and no number changed by accident."""

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel

from antidiag.app import theme
from antidiag.app.command_search import CommandSearch
from antidiag.app.kit.focus import FocusFrame, main_widget
from tests.app.steps import run

Control, Shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def accent() -> QColor:
    return QColor(theme.active().accent)


def focus_inside(area) -> bool:
    here = QApplication.focusWidget()
    return here is not None and (area is here or area.isAncestorOf(here))


def test_find_works_wherever_the_focus_is(qtbot, ready):
    run(qtbot, ready)
    ready.viewer.turn_to("aligned")
    box = ready.viewer.current.finder.box
    editor = ready.method.parameters.editor("s")
    before = editor.value()
    for place in (editor, ready.sequences.table, ready.results.table, ready.method.chooser, ready.search_button):
        place.setFocus()
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F, Control)
        assert box.hasFocus(), place
    qtbot.keyClicks(QApplication.focusWidget(), "12")
    assert editor.value() == before and box.text() == "12"
    ready.viewer.turn_to("matrix")
    editor.setFocus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F, Control)
    assert QApplication.focusWidget().placeholderText() == "Go to i, j"


def test_find_opens_the_command_search_where_nothing_can_be_searched(qtbot, window):
    qtbot.keyClick(window, Qt.Key.Key_F, Control)
    assert any(search.isVisible() for search in window.findChildren(CommandSearch))


def test_find_works_in_other_windows(qtbot, ready):
    """In the window of a view, and in that of the help."""
    run(qtbot, ready)
    ready.viewer.turn_to("matrix")
    kind = type(ready.viewer.current)
    ready.commands["apart"].trigger()
    windows = [window for window in QApplication.topLevelWidgets() if window is not ready and window.isVisible()]
    (apart,) = [window for window in windows if window.findChild(kind)]
    for window, text in ((apart, "Go to i, j"), (ready.open_help(), "Search the help (Ctrl+F)")):
        window.activateWindow()
        qtbot.waitUntil(lambda window=window: QApplication.activeWindow() is window)
        main_widget(window).setFocus()
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F, Control)
        assert QApplication.focusWidget().placeholderText() == text and focus_inside(window)


def test_f6_walks_through_the_areas_and_back(qtbot, ready):
    run(qtbot, ready)
    ready.viewer.turn_to("aligned")
    ready.sequences.table.setFocus()
    seen = []
    for _ in range(4):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6)
        seen.append(next(name for name, area in (
            ("sequences", ready.sequences), ("results", ready.results), ("viewer", ready.viewer),
            ("method", ready.docks["method"]), ("jobs", ready.jobs)) if focus_inside(area)))  # fmt: skip
    assert seen == ["results", "viewer", "method", "jobs"]
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6, Shift)
    assert focus_inside(ready.docks["method"])
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6, Shift)
    assert ready.viewer.current.canvas.hasFocus()
    editor = ready.method.parameters.editor("s")
    editor.setFocus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6, Shift)
    assert focus_inside(editor), "the area remembers where the focus was"


def test_a_frame_shows_the_area_that_f6_reached(qtbot, ready):
    run(qtbot, ready)
    for number in range(3):
        ready.turn_to(number)
        begin = QApplication.focusWidget()
        qtbot.keyClick(begin or ready, Qt.Key.Key_F6)
        begin, frames = QApplication.focusWidget(), []
        for modifiers in (Qt.KeyboardModifier.NoModifier,) * 3 + (Shift,) * 3:
            qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6, modifiers)
            frame = next(frame for frame in ready.findChildren(FocusFrame) if frame.isVisible())
            here = QApplication.focusWidget()
            place = here.mapTo(ready, here.rect().center())
            assert frame.geometry().contains(place) and frame.grab().toImage().pixelColor(20, 0) == accent()
            frames.append(frame.geometry().getRect())
        assert QApplication.focusWidget() is begin and len(set(frames)) >= 2
    begin.clearFocus()
    assert not any(frame.isVisible() for frame in ready.findChildren(FocusFrame))


def test_f6_walks_through_tune_and_learn(qtbot, ready):
    for number, areas in ((1, lambda: [ready.tune.sides["data"]]), (2, lambda: [ready.learn.contents])):
        ready.turn_to(number)
        found = list(areas())
        reached = set()
        for _ in range(6):
            ready.commands["next_area"].trigger()
            reached |= {area for area in found if focus_inside(area)}
        assert reached == set(found)


def turn_wheel(widget) -> None:
    place = QPoint(5, 5)
    wheel = QWheelEvent(
        QPointF(place), QPointF(widget.mapToGlobal(place)), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, wheel)


def test_the_wheel_changes_no_number_under_the_pointer(qtbot, ready):
    ready.turn_to(1)
    boxes = [ready.tune.form.repeats, ready.tune.form.budget, ready.method.parameters.editor("s")]
    for box in boxes:
        before = box.value()
        turn_wheel(box)
        assert box.value() == before and box.focusPolicy() == Qt.FocusPolicy.StrongFocus
    boxes[0].setFocus()
    before = boxes[0].value()
    turn_wheel(boxes[0])
    assert boxes[0].value() == before + 1


def test_keys_meant_for_a_view_change_no_number(qtbot, ready):
    editor = ready.method.parameters.editor("s")
    editor.setFocus()
    editor.set_value(64)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_PageUp)
    assert editor.value() == 64, "Page up scrolls the panel"
    editor.setFocus()
    run(qtbot, ready)  # a run leaves the form
    ready.viewer.turn_to("aligned")
    qtbot.waitUntil(lambda: focus_inside(ready.viewer))
    for key in (Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_Down, Qt.Key.Key_1):
        qtbot.keyClick(QApplication.focusWidget(), key)
    assert editor.value() == 64


def test_a_click_on_a_tab_or_a_label_and_enter_in_a_form_give_the_keys_to_the_view(qtbot, ready):
    run(qtbot, ready)
    editor, tabs = ready.method.parameters.editor("s"), ready.viewer.tabs
    ready.viewer.turn_to("summary")
    editor.setFocus()
    at = [ready.viewer.tabs.tabText(index) for index in range(tabs.count())].index("Alignment")
    qtbot.mouseClick(tabs.tabBar(), Qt.MouseButton.LeftButton, pos=tabs.tabBar().tabRect(at).center())
    qtbot.waitUntil(lambda: ready.viewer.current.id == "aligned" and ready.viewer.current.canvas.hasFocus())
    editor.setFocus()
    label = ready.viewer.heading_label
    assert isinstance(label, QLabel)
    qtbot.mouseClick(label, Qt.MouseButton.LeftButton)
    assert ready.viewer.current.canvas.hasFocus()
    editor.setFocus()
    qtbot.keyClicks(editor.lineEdit(), "64")
    qtbot.keyClick(editor.lineEdit(), Qt.Key.Key_Return)
    assert editor.value() == 64 and ready.viewer.current.canvas.hasFocus()
    editor.setFocus()
    editor.lineEdit().selectAll()
    qtbot.keyClicks(editor.lineEdit(), "7")
    qtbot.keyClick(editor.lineEdit(), Qt.Key.Key_Return)
    assert focus_inside(editor), "what is wrong is corrected first"
