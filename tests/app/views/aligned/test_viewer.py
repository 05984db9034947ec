"""The alignment viewer as a person uses it: look, choose, search, edit, undo, copy, save; with keys and the mouse."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QColor, QFontInfo, QFontMetricsF, QImage, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from app import theme
from app.kit import export
from app.kit.selection import Selection
from app.views.aligned import paint, saving, schemes, shown, tracks
from app.views.aligned.view import AlignmentViewer
from kernels.errors import InputError
from kernels.io import aligned, aligned_rows, aligned_writing, tree_files
from kernels.io.aligned import AlignedSequences
from kernels.io.alignment_files.rows import Annotations
from kernels.model import SequenceType
from tests.app.views import examples, triples

ROWS = ("MKVA-LNDSTCCGHW", "MKVAALNESTC-GHW", "MRIA--NDSTC-GHF", "--IAALNDSPCCGHW", "MKVG-LQDSTCCGYW")
Shift, Control, Alt = (
    Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
)  # fmt: skip


def alignment(*rows: str, kind: SequenceType = SequenceType.PROTEIN) -> AlignedSequences:
    letters = np.array([list(row.encode()) for row in rows or ROWS], np.uint8)
    letters.setflags(write=False)
    notes = Annotations(of_columns=(("SS", "H" * letters.shape[1]),))
    return AlignedSequences(tuple(f"row{n}" for n in range(len(letters))), letters, kind, "some", annotations=notes)


def text(view: AlignmentViewer) -> list[str]:
    return [row.tobytes().decode() for row in view.alignment.letters]


def cell(view: AlignmentViewer, row: int, column: int) -> QPointF:
    frame = view.canvas.frame_
    return QPointF(frame.x(column + 0.5), frame.y(row + 0.5))


def drag(view: AlignmentViewer, start: QPointF, end: QPointF, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
    target = view.canvas.viewport()
    QTest.mousePress(target, Qt.MouseButton.LeftButton, modifiers, start.toPoint())
    QTest.mouseMove(target, end.toPoint())
    QTest.mouseRelease(target, Qt.MouseButton.LeftButton, modifiers, end.toPoint())


def press(view: AlignmentViewer, key: Any, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(view.canvas, key, modifiers)


def chosen(view: AlignmentViewer) -> tuple[list[int], list[int]]:
    choice = view.picture.choice
    return np.flatnonzero(choice.rows).tolist(), np.flatnonzero(choice.columns).tolist()


def image(view: AlignmentViewer) -> QImage:
    return view.canvas.viewport().grab().toImage()


def test_letters_stand_in_their_cells_and_colours_behind_them(view: AlignmentViewer) -> None:
    painted, palette = image(view), view.picture.colouring
    for row, column in ((0, 0), (3, 4), (4, 14)):
        place = cell(view, row, column)
        code = palette.codes[0, tracks.CLASS[view.alignment.letters[row, column]]]
        corner = painted.pixelColor(
            int(place.x() - view.canvas.frame_.cell_width / 2) + 1,
            int(place.y() - view.canvas.frame_.cell_height / 2) + 1,
        )
        assert (corner.red(), corner.green(), corner.blue()) == tuple(palette.palette[code].tolist())


def test_letters_have_one_width_whatever_fonts_the_system_has(view: AlignmentViewer) -> None:
    found = QFontInfo(theme.fixed_font())
    assert found.family() == "JetBrains Mono" and theme.FONT.with_name("JetBrainsMono-OFL.txt").exists()
    metrics = QFontMetricsF(theme.fixed_font())
    assert len({metrics.horizontalAdvance(letter) for letter in "ACGTWMIJ-*il.|"}) == 1


@pytest.mark.parametrize("kind", [SequenceType.PROTEIN, SequenceType.DNA])
def test_every_scheme_track_and_size_can_be_painted(view: AlignmentViewer, kind: SequenceType) -> None:
    view.show_datum(alignment("ACGTAC-GT", "ACG-ACGGT", kind=kind))
    view.canvas.set_tracks(list(tracks.offered(view.picture)))
    assert "note:SS" in view.canvas.tracks and ("quality" in view.canvas.tracks) == (kind == SequenceType.PROTEIN)
    for scheme in schemes.available(kind == SequenceType.PROTEIN):
        view.colour(scheme)
        shape = view.picture.colouring.codes.shape
        assert (
            shape[1] == 28
            and shape[0] in (1, 9)
            and view.picture.colouring.codes.max() < len(view.picture.colouring.palette)
        )
        image(view)
    for letters in ("differences", "none", "all"):
        view.set_letters(letters)
        image(view)
    view.canvas.fit()
    view.canvas.zoom(0.01, 0.01)
    image(view)


def test_clustal_colours_follow_their_thresholds(view: AlignmentViewer) -> None:
    view.show_datum(alignment("GKPAC", "GKPDC", "GKAAC", "GEAWC", "GRASS"))
    view.colour("clustal")
    codes, kinds = view.picture.colouring.codes, tracks.CLASS
    none = 1
    assert (codes[:, kinds[ord("G")]] > none).all() and codes[2, kinds[ord("P")]] > none
    assert codes[1, kinds[ord("K")]] > none and codes[0, kinds[ord("K")]] == none
    assert codes[3, kinds[ord("A")]] == none and codes[4, kinds[ord("S")]] > none  # 80 % of cysteine is hydrophobic


def test_differences_are_told_from_the_row_at_the_cursor(view: AlignmentViewer) -> None:
    view.colour("row")
    before = view.picture.colouring
    view.canvas.go_to(2, 0)
    after = view.picture.colouring
    kind = tracks.CLASS[ord("R")]
    assert before.shown[1, kind] == 1 and after.shown[1, kind] == 0


def test_a_scheme_comes_from_a_file(view: AlignmentViewer, tmp_path: Any) -> None:
    path = tmp_path / "colours.txt"
    path.write_text("// mine\nMK #ff0000\nV=00ff00\n")
    found = schemes.of_groups(schemes.from_file(path))
    assert found.palette[found.codes[0, tracks.CLASS[ord("V")]]].tolist() == [0, 255, 0]
    path.write_text("MK red\n")
    with pytest.raises(Exception, match="line 1: 'MK red' is no letters and a colour"):
        schemes.from_file(path)


def test_a_scheme_from_a_file_follows_the_theme(
    view: AlignmentViewer, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "colours.txt"
    path.write_text("MK #ff0000\n")
    monkeypatch.setattr(shown.QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    view.ask_scheme()
    try:
        for name in (theme.choice_of("dark"), theme.choice_of("light")):
            theme.switch(name)
            panel = QColor(theme.active().panel)
            assert view.picture.colouring.palette[0].tolist() == [panel.red(), panel.green(), panel.blue()]
            assert view.picture.colouring.palette[2].tolist() == [255, 0, 0]
    finally:
        theme.switch("light")


def test_colours_of_nucleotides_are_not_those_of_their_translation(view: AlignmentViewer) -> None:
    view.show_datum(alignment("ATGAAATAA", kind=SequenceType.DNA))
    view.colour("purine")
    view.commands.translate(0)
    assert view.scheme == "residues"
    view.colour("zappo")
    view.editor.undo()
    assert view.scheme == "residues"


def test_the_mouse_chooses_cells_rows_and_columns(view: AlignmentViewer) -> None:
    drag(view, cell(view, 1, 2), cell(view, 3, 4))
    assert chosen(view) == ([1, 2, 3], [2, 3, 4])
    drag(view, QPointF(20, cell(view, 0, 0).y()), QPointF(20, cell(view, 1, 0).y()))
    assert chosen(view) == ([0, 1], list(range(15))) and view.selection.taxa == {"row0", "row1"}
    drag(view, QPointF(20, cell(view, 4, 0).y()), QPointF(20, cell(view, 4, 0).y()), Control)
    assert chosen(view)[0] == [0, 1, 4]
    drag(view, QPointF(cell(view, 0, 5).x(), 8), QPointF(cell(view, 0, 6).x(), 8))
    assert chosen(view) == ([0, 1, 2, 3, 4], [5, 6]) and view.selection.taxa == frozenset()
    drag(view, cell(view, 0, 0), cell(view, 0, 0))
    assert chosen(view)[1] == [] and view.picture.cursor == (0, 0)


def test_keys_move_choose_and_zoom(view: AlignmentViewer) -> None:
    press(view, Qt.Key.Key_End, Control)
    assert view.picture.cursor == (4, 14)
    press(view, Qt.Key.Key_Home, Control)
    press(view, Qt.Key.Key_Right, Control)
    assert view.picture.cursor == (0, 4)  # where the gap begins
    press(view, Qt.Key.Key_Down, Shift)
    press(view, Qt.Key.Key_Right, Shift)
    assert chosen(view) == ([0, 1], [4, 5])
    press(view, Qt.Key.Key_Escape)
    assert chosen(view) == ([], [])
    press(view, Qt.Key.Key_A, Control)
    assert chosen(view) == ([0, 1, 2, 3, 4], list(range(15)))
    width, height = view.canvas.frame_.cell_width, view.canvas.frame_.cell_height
    press(view, Qt.Key.Key_Right, Alt)
    assert view.canvas.frame_.cell_width > width and view.canvas.frame_.cell_height == height
    press(view, Qt.Key.Key_0, Control)
    assert view.canvas.frame_.cell_width * 15 <= view.canvas.frame_.width + 1


def test_gaps_by_keys_are_undone_in_one_step(view: AlignmentViewer) -> None:
    view.canvas.go_to(0, 3)
    press(view, Qt.Key.Key_Space)
    press(view, Qt.Key.Key_Space)
    assert text(view)[0] == "MKV--A-LNDSTCCGHW" and text(view)[1] == ROWS[1] + "--"
    assert view.picture.cursor == (0, 5) and view.editor.undo_text == "inserting gaps"
    press(view, Qt.Key.Key_Backspace)
    assert text(view)[0] == "MKV-A-LNDSTCCGHW-"
    press(view, Qt.Key.Key_Z, Control)
    press(view, Qt.Key.Key_Z, Control)
    assert text(view) == list(ROWS) and view.editor.edits is None
    press(view, Qt.Key.Key_Z, Control | Shift)
    assert text(view)[0].startswith("MKV--A")


def test_edits_at_other_places_are_undone_one_by_one(view: AlignmentViewer) -> None:
    def undone(between: Any) -> list[str]:
        view.show_datum(alignment("ACDEF--", "ACDEF--"))
        view.canvas.go_to(0, 2)
        press(view, Qt.Key.Key_Space)
        press(view, Qt.Key.Key_Space)
        between()
        press(view, Qt.Key.Key_Space)
        press(view, Qt.Key.Key_Z, Control)
        return text(view)

    assert undone(lambda: None) == ["ACDEF--", "ACDEF--"]
    for between in (
        lambda: press(view, Qt.Key.Key_Down),
        lambda: press(view, Qt.Key.Key_End),
        lambda: drag(view, cell(view, 1, 1), cell(view, 1, 1)),
        lambda: view.canvas.go_to(1, 0),
        lambda: (view.editor.undo(), view.editor.redo()),
    ):
        assert undone(between) == ["AC--DEF", "ACDEF--"]


def test_gaps_go_into_the_chosen_rows_however_wide_the_alignment_becomes(view: AlignmentViewer) -> None:
    view.show_datum(alignment("ACDEF", "ACDEF", "ACDEF"))
    view.canvas.choose(np.arange(3) > 0, np.arange(5) == 2)
    press(view, Qt.Key.Key_Space)
    press(view, Qt.Key.Key_Space)
    assert text(view) == ["ACDEF--", "AC--DEF", "AC--DEF"] and chosen(view) == ([1, 2], [4])
    view.canvas.choose(np.arange(3) > 0, None)
    press(view, Qt.Key.Key_Space)
    assert chosen(view) == ([1, 2], list(range(8)))
    view.canvas.choose(None, np.arange(8) == 3)
    view.commands.insert_column()
    assert chosen(view) == ([0, 1, 2], [4])


def test_a_chosen_block_is_dragged_over_gaps(view: AlignmentViewer) -> None:
    view.canvas.choose(np.arange(5) == 2, (np.arange(15) >= 2) & (np.arange(15) < 4))
    drag(view, cell(view, 2, 3), cell(view, 2, 5))
    assert text(view)[2] == "MR--IANDSTC-GHF" and chosen(view) == ([2], [4, 5])
    press(view, Qt.Key.Key_Left, Control)
    assert text(view)[2] == "MR-IA-NDSTC-GHF"
    view.editor.undo()
    assert text(view) == list(ROWS)


def test_rows_and_columns_go_and_come_back(view: AlignmentViewer) -> None:
    view.canvas.choose(np.arange(5) == 0, None)
    press(view, Qt.Key.Key_Delete)
    assert view.alignment.names == ("row1", "row2", "row3", "row4")
    view.canvas.choose(None, np.arange(15) < 3)
    view.commands.cut()
    assert text(view)[0] == ROWS[1][3:] and QApplication.clipboard().text().startswith(">row1\nMKV\n")
    view.editor.undo()
    view.editor.undo()
    assert text(view) == list(ROWS)
    view.commands.trim(1.0)
    assert text(view)[0] == "VANDSTCGHW"
    view.canvas.choose(np.arange(5) > 2, np.arange(10) > 7)
    view.commands.keep_only()
    assert text(view) == ["HW", "YW"]
    view.commands.remove_gap_columns()
    assert "0 columns of gaps" in view._status.text()


def test_rows_are_sorted_hidden_and_shown(view: AlignmentViewer) -> None:
    view.commands.sort("start")
    assert view.picture.order.tolist() == [0, 1, 2, 4, 3]
    view.canvas.choose(np.isin(np.arange(5), [3, 2]), None)
    view.commands.group()
    assert view.picture.order.tolist() == [2, 3, 0, 1, 4]
    view.commands.hide()
    assert view.picture.order.tolist() == [0, 1, 4] and view.picture.shape == (3, 15)
    kept = []
    view.kept.connect(kept.append)
    view.keep()
    assert kept[0].names == ("row0", "row1", "row4")
    view.commands.show_all()
    view.commands.sort("file")
    assert view.picture.order.tolist() == [0, 1, 2, 3, 4]


def test_rows_follow_a_tree_and_what_is_selected_elsewhere(view: AlignmentViewer) -> None:
    (tree,) = tree_files.parse("((row4,row1),(row0,other),row3);")
    view.commands.sort_by_tree(tree)
    assert view.picture.order.tolist() == [4, 1, 0, 3, 2] and "1 of 5 rows" in view._status.text()
    view.selection.choose_taxa(["row1", "row3"])
    view.choose_taxa()
    assert chosen(view)[0] == [1, 3]
    with pytest.raises(InputError, match="no leaf has the name"):
        view.commands.sort_by_tree(tree_files.parse("(a,b);")[0])


def test_a_reference_is_a_track_until_an_edit_makes_it_none(view: AlignmentViewer) -> None:
    view.compare_with(alignment())
    assert "SP 1.000, TC 1.000" in view._status.text() and view.picture.tracks["agreement"].tolist() == [1] * 15
    view.canvas.go_to(0, 3)
    view.commands.insert_gap()
    assert 0 < view.picture.tracks["agreement"][4] < 1
    view.canvas.choose(np.arange(5) == 0, None)
    view.commands.delete()
    assert "agreement" in view.canvas.tracks  # fewer rows than the reference has are still compared
    view.commands.typing = True
    view.canvas.go_to(0, 4)
    press(view, Qt.Key.Key_Delete)
    view.show_datum(alignment("AC", "A-"))
    assert "agreement" not in view.canvas.tracks


def test_a_reference_may_have_fewer_rows(view: AlignmentViewer) -> None:
    view.compare_with(replace(alignment(*ROWS[:3]), name="three"))
    assert "Against three: SP 1.000" in view._status.text() and "agreement" in view.canvas.tracks
    assert view.picture.tracks["agreement"].tolist() == [1] * 15


def test_search_goes_to_columns_letters_names_and_motifs(view: AlignmentViewer) -> None:
    assert view.finder.go_to("12") and view.picture.cursor == (0, 11)
    assert view.finder.go_to("#5") and view.picture.cursor == (0, 5)
    assert view.finder.go_to("ROW3") and view.picture.cursor[0] == 3
    assert view.finder.go_to("NDS") and [hit[0] for hit in view.picture.found] == [0, 2, 3]
    view.finder.next_hit()
    assert view.picture.cursor == (2, 6)
    view.finder.next_hit(-1)
    assert view.picture.cursor == (0, 6)
    view.finder.choose_found()
    assert chosen(view)[0] == [0, 2, 3]
    for wrong, said in (("99", "1 to 15"), ("#99", "1 to 14"), ("QQQQ", "no name and no row")):
        assert not view.finder.go_to(wrong) and said in view._status.text()


def test_what_was_found_is_sought_anew_after_an_edit(view: AlignmentViewer) -> None:
    view.finder.box.setText("NDS")
    QTest.keyClick(view.finder.box, Qt.Key.Key_Return)
    view.commands.sort("name")
    assert [hit[0] for hit in view.picture.found] == [0, 2, 3]
    view.canvas.choose(np.arange(5) == 0, None)
    view.commands.delete()
    assert view.picture.found == ()
    QTest.keyClick(view.finder.box, Qt.Key.Key_Return)
    assert view.picture.cursor == (1, 6) and view.picture.found == ((1, 6, 9), (2, 6, 9))
    view.show_datum(alignment("ACDEF", "ANDSF"))
    QTest.keyClick(view.finder.box, Qt.Key.Key_Return)
    assert view.picture.cursor == (1, 1)
    view.show_datum(alignment("ACDEF"))
    assert not view.finder.next_hit() and view.picture.found == ()


def test_too_many_places_are_not_told_as_all(view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aligned_rows, "MOST_HITS", 2)
    view.finder.go_to("NDS")
    assert "the first 2 places" in view._status.text()


def test_keys_of_the_window_stay_with_it(view: AlignmentViewer) -> None:
    def accepted(key: Any, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> bool:
        event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers)
        event.ignore()
        QApplication.sendEvent(view.canvas, event)
        return event.isAccepted()

    assert not accepted(Qt.Key.Key_Escape)
    view.canvas.choose(None, None)
    assert accepted(Qt.Key.Key_Escape)
    press(view, Qt.Key.Key_F, Control)
    assert QApplication.focusWidget() is view.finder.box
    view.canvas.setFocus()
    event = QKeyEvent(QEvent.Type.KeyPress, 0x424, Qt.KeyboardModifier.NoModifier, "\N{CYRILLIC CAPITAL LETTER EF}")
    QApplication.sendEvent(view.canvas, event)
    assert text(view) == list(ROWS)


def test_letters_are_typed_only_when_that_was_meant(view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    press(view, Qt.Key.Key_W)
    assert text(view) == list(ROWS) and "Type letters" in view._status.text()
    monkeypatch.setattr(type(view.commands), "confirm_typing", lambda self: True)
    view.commands.set_typing(True)
    press(view, Qt.Key.Key_W)
    press(view, Qt.Key.Key_W)
    assert text(view)[0].startswith("WWVA")


def test_nucleotides_are_turned_and_translated(view: AlignmentViewer) -> None:
    view.show_datum(alignment("ATGAAATAA", "ATG---TAA", kind=SequenceType.DNA))
    view.commands.reverse_complement()
    assert text(view) == ["TTATTTCAT", "TTA---CAT"]
    view.editor.undo()
    view.commands.translate(0)
    assert text(view) == ["MK*", "M-*"] and view.alignment.type == SequenceType.PROTEIN


def test_copies_hold_the_chosen_cells(view: AlignmentViewer) -> None:
    view.canvas.choose(np.arange(5) < 2, (np.arange(15) > 2) & (np.arange(15) < 6))
    press(view, Qt.Key.Key_C, Control)
    assert QApplication.clipboard().text() == ">row0\nA-L\n>row1\nAAL\n"
    for form, wanted in (("plain", "A-L\nAAL"), ("unaligned", ">row0\nAL\n>row1\nAAL\n"), ("names", "row0\nrow1")):
        view.copy(form)
        assert QApplication.clipboard().text() == wanted
    view.copy(".aln")
    assert QApplication.clipboard().text().startswith("CLUSTAL")


def test_one_file_is_written_at_a_time(
    view: AlignmentViewer, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    paths = iter([tmp_path / "one.fasta", tmp_path / "two.fasta", tmp_path / "missing" / "three.fasta"])
    monkeypatch.setattr(saving.QFileDialog, "getSaveFileName", lambda *_: (str(next(paths)), ""))
    told: list[str] = []
    monkeypatch.setattr(QMessageBox, "warning", lambda parent, title, said: told.append(said))
    wait, write = threading.Event(), aligned_writing.write
    monkeypatch.setattr(aligned_writing, "write", lambda *given: wait.wait() and write(*given))
    view.save_alignment()
    view.save_alignment()
    assert "Another file is being written" in view._status.text()
    wait.set()
    qtbot.waitUntil(lambda: "Saved" in view._status.text())
    assert (tmp_path / "one.fasta").read_text().startswith(">row0\nMKVA-LNDSTCCGHW\n")
    view.canvas.choose(np.arange(5) == 1, np.arange(15) < 3)
    view.save_alignment(True)
    qtbot.waitUntil(lambda: "two.fasta" in view._status.text() and not view._saving.busy)
    assert (tmp_path / "two.fasta").read_text() == ">row1\nMKV\n"
    view.save_alignment()
    qtbot.waitUntil(lambda: bool(told))
    assert "three.fasta" in told[0]


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_figures_are_written(view: AlignmentViewer, tmp_path: Any, suffix: str) -> None:
    for number, (size, draw) in enumerate((saving.seen(view.canvas, ()), saving.wrapped(view.canvas, (), 10))):
        path = tmp_path / f"{number}{suffix}"
        export.save(path, size, draw, "some")
        assert path.stat().st_size > 2000 and size.height() > 100
    if suffix == ".svg":
        assert ">G</text>" in path.read_text()  # letters are letters, not a picture


def test_a_figure_is_fine_and_leaves_the_screen_alone(view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    image(view)
    painted, asked, body = view.canvas._painted, [], paint.body
    monkeypatch.setattr(paint, "body", lambda *given: asked.append(given[3]) or body(*given))
    saving.copy_picture(view.canvas, ())
    assert asked == [paint.FINE] and view.canvas._painted is painted


def test_a_wrapped_figure_has_the_chosen_columns_alone(view: AlignmentViewer, tmp_path: Any) -> None:
    view.show_datum(alignment("AAAAA" + "C" * 890 + "DDDDD", "AAAAA" + "C" * 890 + "DDDDD"))
    view.canvas.set_tracks([])
    places = np.arange(900)
    view.canvas.choose(None, (places < 5) | (places >= 895))
    size, draw = saving.wrapped(view.canvas, ())
    export.save(tmp_path / "figure.svg", size, draw, "some")
    written = (tmp_path / "figure.svg").read_text()
    assert [written.count(f">{letter}</text>") for letter in "ACD"] == [10, 0, 10]


def test_an_alignment_of_gaps_alone_stays(view: AlignmentViewer) -> None:
    view.show_datum(alignment("---", "---"))
    view.commands.remove_gap_columns()
    assert text(view) == ["---", "---"] and "keep one" in view._status.text()


def test_edits_are_kept_and_put_back(view: AlignmentViewer, qtbot: Any) -> None:
    told: list[Any] = []
    view.edited.connect(told.append)
    view.canvas.go_to(0, 1)
    press(view, Qt.Key.Key_Space)
    view.commands.sort("start")
    other = AlignmentViewer(Selection())
    qtbot.addWidget(other)
    other.show_datum(alignment())
    other.show_edits(told[-1])
    assert text(other) == text(view) and other.picture.order.tolist() == view.picture.order.tolist()
    other.editor.undo()
    assert text(other) == list(ROWS)


def test_many_rows_become_a_coarse_picture_and_then_a_sharp_one(view: AlignmentViewer, qtbot: Any) -> None:
    random = np.random.default_rng(1)
    letters = random.choice(np.frombuffer(b"ACGT-", np.uint8), (3000, 2000))
    view.show_datum(AlignedSequences(tuple(map(str, range(3000))), letters, SequenceType.DNA))
    assert view.picture.columns is None
    view.canvas.fit()
    image(view)
    qtbot.waitUntil(lambda: view.sharp and view.picture.columns is not None)
    assert view.picture.columns.rows == 3000
    view.overview.wanted.emit((1500.0, 1000.0))
    view.canvas.readable()
    assert view.canvas.viewport().size() != QSize() and view.canvas.frame_.letters


def test_values_of_tracks_of_many_rows_are_made_on_a_thread(
    view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    monkeypatch.setattr(shown, "SMALL", 1)
    threads: list[bool] = []

    def seen(work: Any) -> Any:
        return lambda *given: threads.append(threading.current_thread() is threading.main_thread()) or work(*given)

    monkeypatch.setattr(tracks, "TRACKS", {
        name: replace(track, values=track.values and seen(track.values)) for name, track in tracks.TRACKS.items()
    })  # fmt: skip
    view.show_datum(alignment())
    image(view)
    qtbot.waitUntil(lambda: view.sharp and "conservation" in view.picture.tracks)
    view.set_track("entropy", True)
    image(view)
    qtbot.waitUntil(lambda: "entropy" in view.picture.tracks)
    view.compare_with(alignment())
    qtbot.waitUntil(lambda: "agreement" in view.picture.tracks)
    view.canvas.go_to(0, 3)
    view.commands.insert_gap()
    image(view)
    qtbot.waitUntil(lambda: "agreement" in view.picture.tracks)
    assert 0 < view.picture.tracks["agreement"][4] < 1
    view.canvas.choose(None, np.arange(16) < 2)
    view.commands.delete()  # now it has other letters than the reference
    qtbot.waitUntil(lambda: "agreement" not in view.canvas.tracks)
    assert view.picture.reference is None and threads and not any(threads)


def test_alignments_of_two_and_of_three_are_shown_as_rows(view: AlignmentViewer) -> None:
    pair = examples.result(examples.problem("ACGTACGTTACG", "ACGTCGTTACG", "global"))
    triple = triples.result(triples.problem())
    for result, rows in ((pair, 2), (triple, 3)):
        assert view.shows(result)
        view.show_result(result)
        assert view.alignment.letters.shape[0] == rows and view.result is result
        wanted = [one.letters.replace(b"-", b"") for one in result.problem.sequences]
        assert [row.tobytes().replace(b"-", b"") for row in view.alignment.letters] == wanted
    assert not view.shows(triples.result(triples.problem(), score_only=True))
    view.show_result(None)
    assert view.result is None and view.picture is None


def test_nothing_is_shown_of_nothing(view: AlignmentViewer) -> None:
    view.show_result(None)
    assert view.picture is None and not view._tools.isEnabled()
    image(view)
    assert aligned.unaligned(alignment("A-", "--"))[0].letters == b"A"
