"""The tools of the panel of sequences, in the window."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from antidiag.app.panels.sequence_tools import KeepSequencesDialog, NewSequenceDialog
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels.registry import realignment
from antidiag.kernels.registry.task_methods import MethodTask


def names(window) -> list[str]:
    return [sequence.name for sequence in window.session.state.sequences]


@pytest.fixture
def opened(qtbot, window):
    window.loader.open_text(">a\nATGGCC\n>b\nATGGCC\n>c long\nATGGCCTTTAAA\n")
    qtbot.waitUntil(lambda: len(names(window)) == 3)
    return window


def test_what_is_made_of_the_selected_rows_stands_behind_them_and_can_be_undone(opened) -> None:
    tools = opened.sequences.tools
    opened.sequences.table.selectRow(0)
    tools.turn()
    opened.sequences.table.selectRow(0)
    tools.translate(1)
    assert names(opened) == ["a", "a_frame_1", "a_reverse_complement", "b", "c"]
    opened.sequences.table.selectRow(4)
    tools.cut("4-6")
    assert opened.session.state.sequences[5].letters == b"GCC"
    for _ in range(3):
        opened.session.undo_stack.undo()
    assert names(opened) == ["a", "b", "c"]


def test_a_part_that_is_not_there_is_refused(opened) -> None:
    said = []
    opened.sequences.refused.connect(said.append)
    opened.sequences.table.selectRow(0)
    opened.sequences.tools.cut("4-60")
    assert "outside its letters 1 to 6" in said[0]
    assert names(opened) == ["a", "b", "c"]


def test_where_no_row_is_selected_it_says_so(opened) -> None:
    said = []
    opened.sequences.refused.connect(said.append)
    opened.sequences.table.clearSelection()
    opened.sequences.tools.turn()
    assert said == ["Reverse complement: no sequence is selected; select rows of the table first."]
    assert names(opened) == ["a", "b", "c"]


def test_doubles_go_and_sequences_are_kept_by_name_and_length(opened) -> None:
    said = []
    opened.sequences.refused.connect(said.append)
    opened.sequences.tools.remove_duplicates()
    assert names(opened) == ["a", "c"]
    opened.sequences.tools.keep("nobody", 0, 100)
    opened.sequences.tools.keep("(", 0, 100)
    assert ["No sequence matches" in said[0], "not a regular expression" in said[1]] == [True, True]
    assert names(opened) == ["a", "c"]
    opened.sequences.tools.ask_keep()
    dialog = opened.findChild(KeepSequencesDialog)
    dialog.name.setText("LONG")
    dialog.accept()
    assert names(opened) == ["c"]


def test_rows_are_copied_as_fasta_and_pasted_letters_become_a_sequence(qtbot, opened) -> None:
    opened.sequences.table.selectRow(2)
    qtbot.keyClick(opened.sequences.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == ">c long\nATGGCCTTTAAA\n"
    opened.commands["new"].trigger()
    dialog = opened.findChild(NewSequenceDialog)
    dialog.name.setText("mine")
    dialog.letters.setPlainText("acg\nt")
    dialog.accept()
    assert names(opened)[-1] == "mine"
    assert opened.session.state.sequences[-1].letters == b"ACGT"
    opened.sequences.tools.add_text("", ">x\nAC\n>y\nGT\n")
    assert names(opened)[-2:] == ["x", "y"]


def test_a_renamed_sequence_and_a_copy_are_copied_and_found_by_their_names(opened) -> None:
    opened.session.rename(2, "renamed")
    opened.session.duplicate_rows([2])
    table = opened.sequences.table
    table.selectAll()
    opened.sequences.tools.copy()
    titles = [line[1:] for line in QGuiApplication.clipboard().text().splitlines() if line.startswith(">")]
    assert titles == ["a", "b", "renamed long", "renamed_copy long"]
    opened.sequences.tools.keep("^renamed", 0, 100)
    assert names(opened) == ["renamed", "renamed_copy"]


@pytest.mark.parametrize("what", ["ask_translate", "ask_part", "copy"])
def test_nothing_is_asked_where_no_row_is_selected(opened, what) -> None:
    said = []
    opened.sequences.refused.connect(said.append)
    opened.sequences.table.clearSelection()
    getattr(opened.sequences.tools, what)()
    assert "no sequence is selected" in said[0]


def test_an_error_that_was_said_is_gone_when_an_edit_was_made(opened) -> None:
    opened.sequences.table.selectRow(0)
    opened.sequences.tools.cut("x")
    assert "not a range" in opened.jobs.message.text()
    opened.sequences.tools.cut("1-3")
    assert "not a range" not in opened.jobs.message.text()


SHIFTED = ">a\nATGAAAGGTTGGTAA\n>b\nATGGGTTGG\n>c\nATGAAATGAGGTTGG\n"


def test_codons_are_aligned_and_shown_with_their_stops(qtbot, window, monkeypatch) -> None:
    rows = np.array([list(b"MK-GW"), list(b"M--GW"), list(b"MKXGW")], np.uint8)  # the method compiles for long
    monkeypatch.setattr(realignment, "align_sequences", lambda method, proteins, monitor: rows)
    monkeypatch.setattr(MethodTask, "recommend", lambda task, data: (None, "the window of tests has no such method"))
    window.loader.open_text(SHIFTED)
    qtbot.waitUntil(lambda: len(names(window)) == 3)
    window.sequences.table.selectAll()
    window.sequences.tools.align_codons()
    qtbot.waitUntil(lambda: len(window.session.state.data) == 1, timeout=60_000)
    (aligned,) = window.session.state.data
    assert aligned.names == ("a", "b", "c") and aligned.letters.shape[1] % 3 == 0
    assert [row.tobytes().replace(b"-", b"") for row in aligned.letters] == [
        b"ATGAAAGGTTGG",
        b"ATGGGTTGG",
        b"ATGAAATGAGGTTGG",
    ]
    assert "stop codon" in aligned.note
    window.shown_data.show_datum(aligned)
    view = next(view for view in window.findChildren(AlignmentViewer) if view.alignment is aligned)
    assert {"codons", "note:shift_or_stop", "frame 1"} <= set(view.canvas.shown_tracks)


def test_codons_of_one_sequence_or_of_proteins_are_refused(qtbot, opened) -> None:
    opened.sequences.table.selectRow(0)
    opened.sequences.tools.align_codons()
    qtbot.waitUntil(lambda: "choose two or more" in " ".join(label.text() for label in opened.findChildren(QLabel)))
