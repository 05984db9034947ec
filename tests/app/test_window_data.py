"""Opening sequences in the window, and the table of them, as a person uses it."""

import gzip
import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QApplication

from antidiag.app import file_actions, startup
from antidiag.app.dialogs import confirmations
from antidiag.app.jobs.queue import JobState
from antidiag.app.panels.sequence_table import CONTENT, DESCRIPTION, MIN_NAME, NAME, PADDING, ROLE, TYPE
from antidiag.app.session import archive
from antidiag.app.session.state import State
from antidiag.kernels import registry
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.registry import data_loading
from tests.app.steps import cells

METHODS = registry.METHODS
"""The methods of the program, in place of which windows of tests have others."""
MANY = 200_000
"""Records: a thousand times as many as rows may be looked at."""


def test_opening_a_file(qtbot, ready):
    assert cells(ready, NAME) == ["one", "two"]
    assert cells(ready, TYPE) == ["DNA", "DNA"]
    assert cells(ready, ROLE) == ["1", "2"]
    assert cells(ready, CONTENT) == ["GC 40.0 %", "GC 40.0 %"]
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


def test_dragged_files_are_copied_and_the_window_shows_that_it_takes_them(qtbot, window, pair):
    """A move would let a file manager delete what was opened."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(pair))])
    keys, both = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    entered = QDragEnterEvent(QPoint(5, 5), both, mime, Qt.MouseButton.LeftButton, keys)
    entered.setDropAction(Qt.DropAction.MoveAction)
    window.dragEnterEvent(entered)
    assert entered.isAccepted() and entered.dropAction() == Qt.DropAction.CopyAction
    assert window.drop_frame.isVisible() and window.drop_frame.size() == window.size()
    window.dragLeaveEvent(QDragLeaveEvent())
    assert not window.drop_frame.isVisible()
    window.dragEnterEvent(entered)
    dropped = QDropEvent(QPointF(5, 5), both, mime, Qt.MouseButton.LeftButton, keys)
    window.dropEvent(dropped)
    assert dropped.dropAction() == Qt.DropAction.CopyAction and not window.drop_frame.isVisible()
    empty = QMimeData()  # an event does not keep it alive
    nothing = QDragEnterEvent(QPoint(5, 5), both, empty, Qt.MouseButton.LeftButton, keys)
    nothing.ignore()
    window.dragEnterEvent(nothing)
    assert not nothing.isAccepted() and not window.drop_frame.isVisible()
    qtbot.waitUntil(lambda: cells(window, NAME) == ["one", "two"])


def test_pasting_sequences_and_nothing(qtbot, window):
    QGuiApplication.clipboard().setText(">pasted\nACGTTT\n>more\nACGT\n")
    window.commands["paste"].trigger()
    qtbot.waitUntil(lambda: cells(window, NAME) == ["pasted", "more"])
    assert window.jobs.message.text() == "Pasted: 2 DNA sequences of 10 letters."
    QGuiApplication.clipboard().setText("  ")
    window.commands["paste"].trigger()
    assert "copy sequences first" in window.jobs.message.text()


@pytest.mark.parametrize("agreed", [True, False])
def test_letters_in_doubt_are_asked_about(qtbot, window, tmp_path, monkeypatch, agreed):
    asked = []
    monkeypatch.setattr(confirmations, "confirm_letters", lambda parent, doubt: asked.append(doubt) or agreed)
    QGuiApplication.clipboard().setText("hello world this is text")
    window.commands["paste"].trigger()
    qtbot.waitUntil(lambda: len(asked) == 1)
    assert "line 1: these may be words of a text" in asked[0]
    path = tmp_path / "words.txt"
    path.write_text("name ACGTACGTAC\n")
    window.loader.open_paths([path])
    qtbot.waitUntil(lambda: len(asked) == 2)
    assert "words.txt, line 1: 'name' may be a name before the letters" in asked[1]
    qtbot.waitUntil(lambda: len(cells(window, TYPE)) == (2 if agreed else 0))
    assert not any(job.state is JobState.FAILED for job in window.queue.jobs)


def test_what_reading_left_out_is_shown(qtbot, window):
    QGuiApplication.clipboard().setText(">a\nAC-GT\u00a0\n>b\nACG12T\n")
    window.commands["paste"].trigger()
    qtbot.waitUntil(lambda: len(cells(window, NAME)) == 2)
    shown = window.jobs.text.toPlainText()
    for note in ("1 no-break space removed", "1 gap removed", "2 digits removed"):
        assert note in shown


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


def test_what_could_not_be_opened_is_forgotten_when_something_else_is_opened(qtbot, window, pair, tmp_path):
    bad = tmp_path / "bad.fa"
    bad.write_bytes(b"\x00\x01")
    window.loader.open_paths([bad])
    qtbot.waitUntil(lambda: [job.state for job in window.queue.jobs] == [JobState.FAILED])
    assert len(window.jobs.rows) == 1
    window.loader.open_paths([pair])
    qtbot.waitUntil(lambda: len(window.session.state.sequences) == 2)
    assert not window.queue.jobs and not window.jobs.rows
    assert "bad.fa" in window.jobs.text.toPlainText()


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_is_refused_and_the_next_file_is_read(qtbot, window, pair, tmp_path):
    os.mkfifo(tmp_path / "pipe.fa")
    window.loader.open_paths([tmp_path / "pipe.fa", pair])
    qtbot.waitUntil(lambda: len(window.session.state.sequences) == 2)
    assert "is a pipe; save its output" in window.queue.jobs[0].error


def test_gaps_of_an_alignment_are_counted_over_all_rows(qtbot, window, tmp_path):
    rows = "".join(f">row{number}\nAC{'-' * (number % 7)}GT{'.' * 100}\n" for number in range(1, 2001))
    (tmp_path / "rows.afa").write_text(rows)
    window.loader.open_paths([tmp_path / "rows.afa"])
    qtbot.waitUntil(lambda: len(window.session.state.sequences) == 2000)
    gaps = sum(number % 7 + 100 for number in range(1, 2001))
    assert f"{gaps:,} gaps removed from 2,000 sequences" in window.jobs.text.toPlainText()
    assert window.jobs.message.text() == f"{gaps:,} gaps removed from 2,000 sequences"


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
    qtbot.waitUntil(lambda: cells(ready, ROLE) == ["", "", "2", "1"])
    assert cells(ready, NAME) == ["one", "two", "three", "four"]


def test_a_file_that_is_open_already_is_selected_and_not_added_again(qtbot, make_window, pair, tmp_path):
    """Also when the session of the last time holds it, from a file of another name."""
    alignment = tmp_path / "family.sto"
    alignment.write_text("# STOCKHOLM 1.0\none AC-GT\ntwo ACGGT\n#=GC SS_cons ..<<.\n//\n")
    window = make_window()
    window.loader.open_paths([pair])
    qtbot.waitUntil(lambda: len(window.session.state.sequences) == 2)
    window.loader.open_paths([alignment])
    qtbot.waitUntil(lambda: len(window.session.state.data) == 1)
    window.close()
    again = make_window()
    again.settings.put("seen", True)
    startup.start_with(again, [pair])
    qtbot.waitUntil(lambda: "These 2 are open already" in again.jobs.text.toPlainText())
    assert len(again.session.state.sequences) == 2 and len(again.session.state.data) == 1
    more = tmp_path / "more.fa"
    more.write_text(">three\nACGTT\n>four\nACGTA\n")
    again.loader.open_paths([more])
    qtbot.waitUntil(lambda: cells(again, ROLE) == ["", "", "1", "2"])
    pair.rename(tmp_path / "moved.fa")
    again.loader.open_paths([tmp_path / "moved.fa", alignment])
    qtbot.waitUntil(lambda: cells(again, ROLE) == ["1", "2", "", ""])
    assert list(again.sequences.table.rows()) == [0, 1]
    qtbot.waitUntil(lambda: "family is open already" in again.jobs.message.text())
    assert len(again.session.state.sequences) == 4 and len(again.session.state.data) == 1
    qtbot.waitUntil(lambda: again.viewer.datum is again.session.state.data[0])
    alignment.write_text(alignment.read_text().replace("..<<.", "<.>.."))
    again.loader.open_paths([alignment])
    qtbot.waitUntil(lambda: len(again.session.state.data) == 2)  # other notes are other content


def test_a_pair_of_proteins_takes_no_dna_for_its_third(qtbot, ready, tmp_path):
    ready.session.restrict_rows([])
    ready.loader.taken = replace(ready.loader.taken, minimum=3, maximum=3)
    proteins = tmp_path / "proteins.fa"
    proteins.write_text(">p\nMEEPQSDPSVEPPLSQ\n>q\nMEEPQSDLSVEPPLSQ\n")
    ready.loader.open_paths([proteins])
    qtbot.waitUntil(lambda: len(cells(ready, NAME)) == 4)
    state = ready.session.state
    assert [state.sequences[row].name for row in state.chosen] == ["p", "q"]


def test_a_protein_dropped_beside_dna_is_told_with_what_to_do(qtbot, ready, tmp_path):
    protein = tmp_path / "protein.fa"
    protein.write_text(">p\nMEEPQSDPSVEPPLSQ\n")
    ready.loader.open_paths([protein])
    qtbot.waitUntil(lambda: "p was added as protein and is paired with one" in ready.jobs.text.toPlainText())
    assert "open another protein sequence" in ready.jobs.text.toPlainText()


def test_rename_retype_reorder_duplicate_delete_and_undo(qtbot, ready):
    model, panel = ready.sequences.model, ready.sequences
    model.setData(model.index(0, NAME), "human")
    panel.go_to(0)
    panel.change_type(SequenceType.RNA)
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


def test_all_sequences_are_cleared_as_one_edit_and_copied_by_the_menu(qtbot, ready):
    ready.sequences.table.selectAll()
    ready.commands["copy_fasta"].trigger()
    assert QGuiApplication.clipboard().text().count(">") == 2
    ready.sequences.table.clearSelection()
    ready.commands["clear"].trigger()
    assert cells(ready, NAME) == [] and not ready.method.run_button.isEnabled()
    ready.commands["undo"].trigger()
    assert cells(ready, NAME) == ["one", "two"]


def test_a_type_that_does_not_fit_is_explained(qtbot, window):
    window.session.add([Sequence("p", b"MEEPQSDPSV", SequenceType.PROTEIN)])
    window.sequences.go_to(0)
    window.sequences.change_type(SequenceType.DNA)
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


def test_the_table_says_what_a_sequence_is_and_drops_columns_before_names(ready):
    table, model = ready.sequences.table, ready.sequences.model
    assert model.index(0, NAME).data(DESCRIPTION) == "first record"
    assert "first record" in ready.sequences.names[0].text()
    ready.resize(1600, 900)
    for width, hidden in ((230, [TYPE, CONTENT]), (600, [])):
        ready.analyse.resizeDocks([ready.docks["data"]], [width], Qt.Orientation.Horizontal)
        QApplication.processEvents()
        assert [column for column in (TYPE, CONTENT) if table.isColumnHidden(column)] == hidden
        assert not table.isColumnHidden(NAME)
    metrics = table.fontMetrics()
    assert table.columnWidth(CONTENT) > metrics.horizontalAdvance("GC 44.4 %")
    ready.analyse.resizeDocks([ready.docks["data"]], [290], Qt.Orientation.Horizontal)
    QApplication.processEvents()
    bold = QFontMetrics(model.index(0, NAME).data(Qt.ItemDataRole.FontRole))
    assert table.columnWidth(NAME) >= bold.horizontalAdvance(MIN_NAME) + PADDING, "names of the input are bold"
    assert not table.isColumnHidden(TYPE)


@pytest.mark.slow
def test_very_many_records_do_not_freeze_the_table(qtbot, window):
    letters = b"ACGT" * 25
    found = [Sequence(f"record{number}", letters, SequenceType.DNA) for number in range(MANY)]
    looked = []
    original = window.sequences.model._text
    window.sequences.model._text = lambda row, *rest: looked.append(row) or original(row, *rest)
    window.session.add(found)
    window.sequences.table.scrollToBottom()
    QApplication.processEvents()
    assert window.sequences.model.rowCount() == MANY
    assert len(set(looked)) < 200
    assert MANY - 1 in looked
    asked = []
    window.sequences.model.flags = lambda index: asked.append(index) or Qt.ItemFlag.ItemIsEnabled
    window.sequences.table.selectAll()
    QApplication.processEvents()
    assert len(window.sequences.table.rows()) == MANY
    assert len(asked) < 10_000


def test_every_kind_of_data_is_in_the_open_dialog(window):
    offered = file_actions.open_filter()
    for kind in data_loading.data_kinds():
        assert all(f"*{suffix}" in offered.split(";;")[0] for suffix in kind.suffixes)
    assert "Scales (*.scale)" in offered and "*.antidiag" in offered


def test_a_session_with_an_unreadable_result_opens_the_rest_and_says_so(qtbot, window, tmp_path):
    path = tmp_path / "x.antidiag"
    archive.save(path, State((Sequence("a", b"ACGT", SequenceType.DNA),)), [], {})
    with zipfile.ZipFile(path) as source:
        members = {name: source.read(name) for name in source.namelist()}
    index = {**json.loads(members[archive.INDEX]), "results": [{"name": "mine"}]}
    with zipfile.ZipFile(path, "w") as target:
        for name, data in {**members, archive.INDEX: json.dumps(index)}.items():
            target.writestr(name, data)
    file_actions.open_session(window, path)
    qtbot.waitUntil(lambda: len(window.session.state.sequences) == 1)
    assert window.jobs.message.text().startswith("Result mine could not be read and is missing")


@pytest.mark.parametrize(
    ("file", "kinds"),
    [
        ("tree/t06_nhx.nwk", ["tree"]),
        ("tree/t22_doublequote.nwk", ["tree"]),
        ("dist/d11_snpdists.tsv", ["distance matrix"]),
        ("dist/d24_nexus_dist.nex", ["distance matrix"]),
        ("dist/d26_mothur_col.dist", ["distance matrix"]),
        ("graph/g06.gml", ["graph"]),
        ("graph/g07_alpha.edgelist", ["graph"]),
        ("hmm/toy.hmm", ["profile", "hidden Markov model"]),
    ],
)
def test_files_of_other_programs_open(qtbot, window, monkeypatch, file, kinds):
    monkeypatch.setattr(registry, "METHODS", METHODS)  # whose kinds of data a window opens
    if file.endswith(".gml"):
        pytest.importorskip("networkx")
    window.loader.open_paths([Path("tests/cases") / file])
    qtbot.waitUntil(lambda: len(window.session.state.data) == len(kinds))
    found = [data_loading.find_kind(datum).label for datum in window.session.state.data]
    assert found == kinds
    assert not any(job.state is JobState.FAILED for job in window.queue.jobs)


def test_two_strands_in_a_record_are_explained(qtbot, window):
    window.loader.open_paths([Path("tests/cases/hmm/r03.fa")])
    qtbot.waitUntil(lambda: [job.state for job in window.queue.jobs] == [JobState.FAILED])
    assert "separates two strands" in next(iter(window.jobs.rows.values())).error.text()
