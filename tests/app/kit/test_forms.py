import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication

from antidiag.app.kit.controls.forms import ParameterForm
from antidiag.app.kit.controls.parameter_editors import LETTERS_COMPARED
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.scoring_options import SCORING_OPTIONS
from tests.app.answers import Answers

WIDTH = Parameter("s", "int", "Width", "Help.", minimum=32, maximum=1024, step=32, unit="columns")
RATE = Parameter("rate", "float", "Rate", "Help.", default=0.5, minimum=0)
WAY = Parameter("way", "choice", "Way", "Help.", default="b", choices=("a", "b"))
FLAG = Parameter("flag", "bool", "Flag", "Help.", default=False)
WORD = Parameter("word", "text", "Word", "Help.", default="")
BIG = Parameter("big", "int", "Big", "Help.", default=10**12, minimum=0)


@pytest.fixture
def form(qtbot):
    made = ParameterForm([WIDTH, RATE, WAY, FLAG, WORD, BIG])
    qtbot.addWidget(made)
    made.show()
    return made


def write(qtbot, editor, text):
    editor.setFocus()
    editor.lineEdit().selectAll()
    qtbot.keyClicks(editor.lineEdit(), text)


def test_a_fresh_form_has_the_defaults(form):
    assert form.values() == {"rate": 0.5, "way": "b", "flag": False, "word": "", "big": 10**12}
    assert form.entry_errors() == ()


def test_automatic_values_are_shown_and_not_given(form):
    form.set_automatic({"s": 512})
    assert form.editor("s").text() == "auto (512)"
    assert "s" not in form.values()


def test_typing_a_number(qtbot, form):
    editor = form.editor("s")
    with qtbot.waitSignal(form.changed):
        write(qtbot, editor, "64")
    assert form.values()["s"] == 64
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert editor.text() == "64 columns"


@pytest.mark.parametrize("text", ["33", "16", "2048", "x", "1.5"])
def test_what_is_no_value_is_marked_and_explained(qtbot, form, text):
    editor = form.editor("s")
    write(qtbot, editor, text)
    assert len(form.entry_errors()) == 1
    assert "Width" in form.entry_errors()[0]
    assert "a multiple of 32 between 32 and 1024" in form.entry_errors()[0]
    assert editor.property("wrong") is True
    write(qtbot, editor, "auto")
    assert form.entry_errors() == ()
    assert "s" not in form.values()


def test_a_wrong_value_stays_visible_until_it_is_mended(qtbot, form):
    editor = form.editor("s")
    write(qtbot, editor, "33")
    form.editor("rate").setFocus()
    form.set_automatic({"s": 512})
    assert editor.text() == "33"
    assert form.entry_errors()
    form._rows["s"][2].click()
    assert editor.text() == "auto (512)"
    assert form.entry_errors() == ()


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab])
@pytest.mark.parametrize("text", ["33", "-1", "0", "99999", "abc"])
def test_wrong_text_stays_wrong_when_it_is_entered_and_escape_restores(qtbot, form, text, key):
    editor = form.editor("s")
    write(qtbot, editor, "64")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    write(qtbot, editor, text)
    qtbot.keyClick(editor, key)
    form.set_automatic({"s": 512})
    assert editor.text() == text
    assert editor.property("wrong") is True
    assert len(form.entry_errors()) == 1
    editor.setFocus()
    with qtbot.waitSignal(form.changed):
        qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.text() == "64 columns"
    assert editor.property("wrong") is False
    assert form.entry_errors() == ()
    assert form.values()["s"] == 64


def test_escape_goes_back_over_what_was_right_on_the_way(qtbot, form):
    editor = form.editor("s")
    form.set_automatic({"s": 512})
    write(qtbot, editor, "640000")
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.text() == "auto (512)"
    assert "s" not in form.values()


def test_escape_is_the_windows_where_nothing_is_wrong(qtbot, form):
    pressed = []
    shortcut = QShortcut(QKeySequence("Esc"), form, lambda: pressed.append("window"))
    assert shortcut.isEnabled()
    editor = form.editor("s")
    write(qtbot, editor, "33")
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert (pressed, form.entry_errors()) == ([], ())
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert pressed == ["window"]


def test_a_number_is_written_anew_where_it_has_another_width_alone(qtbot, form, monkeypatch):
    editor, written = form.editor("s"), []
    editor.resize(300, 30)
    with monkeypatch.context() as patched:  # undone while the field is there, which Qt owns
        patched.setattr(editor.lineEdit(), "setText", written.append)
        editor.resize(300, 44)
        assert written == []
        editor.resize(200, 44)
        assert written == [editor.text()]


def test_a_number_without_automatic_takes_no_auto(qtbot, form):
    write(qtbot, form.editor("rate"), "auto")
    assert form.entry_errors()


def test_arrows_step_from_the_automatic_value_and_stay_in_range(form):
    editor = form.editor("s")
    form.set_automatic({"s": 512})
    editor.stepBy(1)
    assert form.values()["s"] == 544
    editor.stepBy(100)
    assert form.values()["s"] == 1024


def test_large_numbers_do_not_overflow(form):
    form.editor("big").stepBy(1)
    assert form.values()["big"] == 10**12 + 1


def test_reset_appears_where_something_was_set(form):
    shown = form._rows["s"][2].isVisible
    assert not shown()
    form.editor("s").stepBy(1)
    assert shown()
    form._rows["s"][2].click()
    assert not shown()
    assert "s" not in form.values()


def test_values_of_another_time_that_no_longer_fit_are_dropped(form):
    form.set_values({"s": 33, "way": "c", "rate": 2.0, "unknown": 1})
    assert form.values() == {"rate": 2.0, "way": "b", "flag": False, "word": "", "big": 10**12}


def test_the_matrix_list(qtbot, tmp_path, answers: Answers):
    form = ParameterForm(SCORING_OPTIONS)
    qtbot.addWidget(form)
    editor = form.editor("matrix")
    assert "matrix" not in form.values()
    form.set_automatic({"matrix": "BLOSUM62", "gap_open": 10})
    assert editor.currentText() == "auto (BLOSUM62)"
    assert form.editor("gap_open").text() == "auto (10)"
    editor.setCurrentText(LETTERS_COMPARED)
    assert form.values()["matrix"] == ""
    editor.setCurrentText("PAM250")
    assert form.values()["matrix"] == "PAM250"
    path = str(tmp_path / "own.mat")
    answers.path = path
    editor.setCurrentText("Matrix file...")
    editor.activated.emit(editor.currentIndex())
    assert form.values()["matrix"] == path
    assert editor.currentText() == "own.mat"


def test_a_word_stands_beside_what_was_not_set_by_hand(form):
    form.mark_rows(["s", "rate"], "tuned", "Found by a search.")
    assert form._labels["s"].text() == "Width \N{MIDDLE DOT} tuned"
    assert "Found by a search." in form._labels["s"].toolTip()
    assert form._labels["rate"].text() == "Rate", "it has a value"
    form.editor("s").set_value(64)
    form.mark_rows(["s"], "tuned", "Found by a search.")
    assert form._labels["s"].text() == "Width"
    assert "Found" not in form._labels["s"].toolTip()


def test_rows_that_stay_are_not_made_anew_and_begin_as_in_a_fresh_form(qtbot, form):
    """To make an editor takes longer than all else of another method."""
    other = Parameter("rate", "float", "Rate", "Other help.", default=0.25, minimum=0)
    width, rate = form.editor("s"), form.editor("rate")
    form.set_values({"s": 64})
    form.set_automatic({"s": 512})
    form.mark_rows(["s"], "tuned", "")
    form.show_row("s", False)
    form.set_parameters([WORD, other, WIDTH])
    assert form.editor("s") is width and form.editor("rate") is not rate
    assert form.parameter_names() == tuple(form.values() | {"s": None}) == ("word", "rate", "s")
    assert form.values() == {"word": "", "rate": 0.25} and width.text() == "auto" and width.isVisibleTo(form)
    assert not any(reset.isVisibleTo(form) for *_, reset in form._rows.values())
    QApplication.processEvents()
    tops = [form.editor(name).geometry().top() for name in form.parameter_names()]
    assert tops == sorted(tops)
    form.editor("word").setFocus()
    for name in ("rate", "s"):
        qtbot.keyClick(form.focusWidget(), Qt.Key.Key_Tab)
        assert form.focusWidget() in (form.editor(name), form.editor(name).lineEdit())


def test_no_row_is_shown_before_the_grid_lays_it_out(form, monkeypatch):
    """A widget that is shown at once has everything around it laid out, a row at a time."""
    shown = []
    monkeypatch.setattr(form, "show_row", lambda name, there: shown.append(name))
    form.set_parameters([WIDTH, Parameter("other", "int", "Other", "Help.", default=1)])
    assert shown == ["s"]


@pytest.mark.parametrize("name", ["s", "word"])
def test_undo_is_the_windows_where_nothing_was_typed(qtbot, form, name):
    editor, undone = form.editor(name), []
    shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), form)
    shortcut.activated.connect(lambda: undone.append(editor.text()))
    form.activateWindow()
    editor.setFocus()
    qtbot.waitUntil(editor.hasFocus)
    before = editor.text()
    qtbot.keyClick(editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert undone == [before]
    qtbot.keyClicks(editor, "6")
    qtbot.keyClick(editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert undone == [before] and editor.text() == before


def test_who_hears_of_the_focus_meets_no_row_without_an_editor(qtbot, form):
    """A row that goes takes the focus with it, while the rows of the next method are not there yet."""
    heard = []
    form.activateWindow()
    form.editor("s").setFocus()
    qtbot.waitUntil(form.editor("s").hasFocus)
    hear = lambda *_: heard.append([form.editor(name) for name in form.parameter_names()])  # noqa: E731
    QApplication.instance().focusChanged.connect(hear)
    form.set_parameters([Parameter("other", "int", "Other", "Help.", default=1), BIG])
    QApplication.instance().focusChanged.disconnect(hear)
    assert heard and form.parameter_names() == ("other", "big")


@pytest.mark.parametrize(("steps", "reached"), [(1, 416), (-1, 384), (2, 448)])
def test_numbers_between_the_steps_are_typed_and_arrows_lead_back(qtbot, steps, reached):
    uneven = Parameter(
        "s", "int", "Width", "", minimum=32, maximum=2048, step=32, between_steps="with mapping=published"
    )
    made = ParameterForm([uneven])
    qtbot.addWidget(made)
    made.show()
    write(qtbot, made.editor("s"), "410")
    assert made.values()["s"] == 410 and made.entry_errors() == ()
    qtbot.keyClick(made.editor("s"), Qt.Key.Key_Return)
    made.editor("s").stepBy(steps)
    assert made.values()["s"] == reached
