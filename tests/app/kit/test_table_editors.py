"""Editors of sequences and matrices as a person uses them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from antidiag.app.kit.controls.forms import ParameterForm
from antidiag.app.kit.controls.table_editors import RowsEditor, TableEditor
from antidiag.kernels import registry
from antidiag.kernels.walkthroughs import walkthrough
from antidiag.kernels.walkthroughs.typed_inputs import TypedInput

EIGHT = ", ".join(f"GATTACAGATTACAG{letter}" for letter in "ACGTACGT")


@pytest.fixture
def form(qtbot):
    made = ParameterForm(
        [
            TypedInput("sequences", "text", "Sequences", "Separated by commas.", default=EIGHT),
            TypedInput("transitions", "text", "Transitions", "Rows.", default="0.75 0.25; 0.5 0.5", layout="matrix"),
        ],
        wide_texts=True,
    )
    qtbot.addWidget(made)
    made.resize(280, 700)
    made.show()
    return made


def test_eight_sequences_are_seen_whole(form):
    editor = form.editor("sequences")
    assert isinstance(editor, RowsEditor) and editor.toPlainText().count("\n") == 7
    assert editor.width() >= 270
    widest = max(editor.fontMetrics().horizontalAdvance(line) for line in editor.toPlainText().splitlines())
    assert widest < editor.viewport().width()
    assert 8 * editor.fontMetrics().lineSpacing() < editor.viewport().height()
    assert form.values()["sequences"] == EIGHT


def test_sequences_are_typed_one_per_line_or_with_commas(qtbot, form):
    editor = form.editor("sequences")
    editor.selectAll()
    with qtbot.waitSignal(form.changed):
        qtbot.keyClicks(editor, "GAT")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.keyClicks(editor, "GCT, GC")
    assert form.values()["sequences"] == "GAT, GCT, GC"
    form.set_values({"sequences": "AC,GT"})
    assert editor.toPlainText() == "AC\nGT" and form.values()["sequences"] == "AC, GT"


def test_a_matrix_is_edited_in_cells(qtbot, form):
    editor = form.editor("transitions")
    assert isinstance(editor, TableEditor) and editor.table.rowCount() == editor.table.columnCount() == 2
    editor.table.setCurrentCell(0, 1)
    with qtbot.waitSignal(form.changed):
        editor.table.item(0, 1).setText("0.125")
    assert form.values()["transitions"] == "0.75 0.125; 0.5 0.5"
    editor.resize_table(1, 1)
    assert form.values()["transitions"] == "0.75 0.125 0; 0.5 0.5 0; 0 0 0"
    editor.resize_table(-1, 0)
    assert form.values()["transitions"] == "0.75 0.125 0; 0.5 0.5 0"
    form.set_values({})
    assert form.values()["transitions"] == "0.75 0.25; 0.5 0.5" and editor.table.columnCount() == 2


def test_a_table_is_pasted_and_copied(qtbot, form):
    editor = form.editor("transitions")
    QGuiApplication.clipboard().setText("1\t2\t3\n4\t5\t6\n")
    editor.table.setCurrentCell(0, 0)
    qtbot.keyClick(editor.table, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert form.values()["transitions"] == "1 2 3; 4 5 6"
    qtbot.keyClick(editor.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "1\t2\t3\n4\t5\t6"


def test_edits_of_a_matrix_are_undone_and_redone(qtbot, form):
    editor, control = form.editor("transitions"), Qt.KeyboardModifier.ControlModifier
    editor.table.setFocus()
    editor.table.setCurrentCell(0, 1)
    qtbot.keyClicks(editor.table, "1")
    with qtbot.waitSignal(form.changed):
        qtbot.keyClick(editor.table.focusWidget(), Qt.Key.Key_Return)
    editor.resize_table(1, 0)
    seen = [form.values()["transitions"]]
    for key in (Qt.Key.Key_Z, Qt.Key.Key_Z, Qt.Key.Key_Y):
        with qtbot.waitSignal(form.changed):
            qtbot.keyClick(editor.table, key, control)
        seen.append(form.values()["transitions"])
    assert seen == ["0.75 1; 0.5 0.5; 0 0", "0.75 1; 0.5 0.5", "0.75 0.25; 0.5 0.5", "0.75 1; 0.5 0.5"]


def test_tab_leaves_a_matrix(qtbot, form):
    table = form.editor("transitions").table
    table.setFocus()
    table.setCurrentCell(0, 0)
    qtbot.keyClick(table, Qt.Key.Key_Tab)
    assert not table.hasFocus() and not table.isAncestorOf(form.focusWidget())


def test_every_text_with_rows_has_such_an_editor(qtbot):
    """Defaults of all animations come back as they were, so that nothing counts as changed."""
    seen = set()
    for method in registry.METHODS:
        made = walkthrough.load_walkthrough(method)
        for parameter in made.inputs if made is not None else ():
            text = parameter.default if parameter.kind == "text" else ""
            several = ("," in text or ";" in text) and parameter.name != "dimensions"  # numbers on one line
            assert isinstance(parameter, TypedInput) or not several, (method.id, parameter.name)
            if isinstance(parameter, TypedInput) and parameter.default not in seen:
                seen.add(parameter.default)
                form = ParameterForm([parameter])
                qtbot.addWidget(form)
                assert form.values()[parameter.name] == parameter.default, (method.id, parameter.name)
    assert len(seen) > 8
