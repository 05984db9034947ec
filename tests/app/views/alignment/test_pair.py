from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent

from app.kit.selection import Selection
from app.views.alignment.pair import AlignmentView
from kernels.pairwise.model import DIAGONAL, LEFT, Alignment, PairAnswer
from kernels.registry import saving
from tests.app.views import examples

FIRST, SECOND = examples.related(200)


@pytest.fixture
def selection():
    return Selection()


@pytest.fixture
def view(qtbot, selection):
    view = AlignmentView(selection)
    qtbot.addWidget(view)
    view.resize(700, 420)
    view.show()
    return view


def shown(qtbot, view, first=FIRST, second=SECOND, score_only=False, **options):
    result = examples.result(examples.problem(first, second, **options), score_only=score_only)
    view.show_result(result)
    qtbot.waitUntil(lambda: not view._counting.busy)
    return result


def gapped(result):
    return result.answer.alignment.gapped(*result.problem.sequences)


@pytest.mark.parametrize(
    "options", [{}, {"mode": "global"}, {"first": SECOND, "second": FIRST}, {"matrix": "BLOSUM62", "mode": "global"}]
)
def test_copy_gives_the_gapped_rows(qtbot, view, options):
    result = shown(qtbot, view, **options)
    view.copy()
    top, match, bottom = QGuiApplication.clipboard().text().split("\n")
    assert (top, bottom) == gapped(result)
    assert len(match) == len(top)


def test_a_selection_is_copied_alone(qtbot, view):
    top, bottom = gapped(shown(qtbot, view))
    view.canvas.select((60, 75))
    lines = view.copy_text().split("\n")
    assert (lines[0], lines[2]) == (top[60:75], bottom[60:75])
    view.copy_letters(1)
    assert QGuiApplication.clipboard().text() == bottom[60:75].replace("-", "")


def test_statistics_in_the_header(qtbot, view):
    result = shown(qtbot, view)
    top, bottom = gapped(result)
    same = sum(a == b for a, b in zip(top, bottom, strict=True))
    text = view._header.text()
    assert f"Score <b>{result.score}</b>" in text
    assert f"Identity <b>{100 * same / len(top):.1f} %</b> ({same})" in text
    assert f"Columns <b>{len(top)}</b>" in text
    assert "of 200" in text


def test_lines_show_all_columns_once(qtbot, view):
    result = shown(qtbot, view)
    columns = len(result.answer.alignment.operations)
    view.resize(700, 2000)
    lines = view.canvas.lines()
    assert [line.first for line in lines] == list(range(0, columns, view.canvas.per_line))
    assert lines[-1].last == columns
    assert view.canvas.per_line % 10 == 0
    view.grab()


def test_unwrapped_scrolls_sideways(qtbot, view):
    shown(qtbot, view)
    view.wrap.setChecked(False)
    assert len(view.canvas.lines()) == 1
    view.canvas.scroll_to(150)
    first, last = view.canvas.visible()
    assert first <= 150 < last
    assert first > 0
    view.grab()
    view.wrap.setChecked(True)
    first, last = view.canvas.visible()
    assert first <= 150 < last


def _place(view, column):
    """A point of the viewport inside a column."""
    for line in view.canvas.lines():
        if line.first <= column < line.last:
            x = line.x + (column - line.first + 0.5) * view.canvas._advance
            return QPoint(round(x), round(line.y + 1.5 * view.canvas._height))
    raise AssertionError(f"column {column} is not visible")


def _move(viewport, place, buttons=Qt.MouseButton.NoButton):
    """Move the mouse; sent directly, because the offscreen pointer does not always arrive."""
    where, no_button = QPointF(place), Qt.MouseButton.NoButton
    modifiers = Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(QEvent.Type.MouseMove, where, viewport.mapToGlobal(where), no_button, buttons, modifiers)
    QGuiApplication.sendEvent(viewport, event)


def test_the_mouse_hovers_selects_and_chooses(qtbot, view, selection):
    shown(qtbot, view)
    viewport, chosen = view.canvas.viewport(), []
    selection.column_chosen.connect(chosen.append)
    _move(viewport, _place(view, 17))
    assert selection.column == 17
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=_place(view, 20))
    assert chosen == [20]
    _move(viewport, _place(view, 33), Qt.MouseButton.LeftButton)
    assert view.canvas.selection == (20, 34)
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=_place(view, 33))
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, _place(view, 15))
    assert view.canvas.selection == (15, 21)
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, _place(view, 33))
    assert view.canvas.selection == (20, 34)
    assert "columns 21" in view._status.text()


def test_go_to_columns_positions_and_letters(qtbot, view):
    result = shown(qtbot, view)
    top, bottom = gapped(result)
    start = result.answer.alignment.start
    assert view.go_to("150")
    assert view.canvas.marked == 149
    assert view.go_to(f"j {start[1] + 100}")
    column = view.canvas.marked
    assert start[1] + len(bottom[: column + 1].replace("-", "")) == start[1] + 100
    view.canvas.mark(None)
    letters = top.replace("-", "")[80:90]
    assert view.go_to(letters.lower())
    rest = top[view.canvas.marked :].replace("-", ""), bottom[view.canvas.marked :].replace("-", "")
    assert letters in (rest[0][:10], rest[1][:10])


@pytest.mark.parametrize(
    ("text", "reason"),
    [("9999", "Columns go from"), ("i 9999", "not in"), ("?", "Type"), ("TTTTTTTTTTTTTT", "does not")],
)
def test_go_to_nowhere_says_why(qtbot, view, text, reason):
    shown(qtbot, view)
    assert not view.go_to(text)
    assert reason in view._status.text()


def test_steps_to_mismatches_and_gaps(qtbot, view):
    result = shown(qtbot, view)
    top, bottom = gapped(result)
    view.canvas.mark(0)
    assert view.step("gap", forward=True)
    column = view.canvas.marked
    assert "-" in (top[column], bottom[column])
    assert view.step("mismatch", forward=False)
    column = view.canvas.marked
    assert top[column] != bottom[column]
    view.canvas.mark(len(top) - 1)
    assert not view.step("gap", forward=True)
    assert "No gap after" in view._status.text()


def test_a_cell_chosen_on_the_path_scrolls_the_alignment(qtbot, view, selection):
    result = shown(qtbot, view)
    cells = result.answer.alignment.cells()
    selection.choose_cell(tuple(int(x) for x in cells[170]))
    first, last = view.canvas.visible()
    assert first <= 169 < last
    assert view.canvas.marked == 169
    selection.hover_cell(tuple(int(x) for x in cells[5]))
    assert view.canvas.marked == 4
    selection.choose_cell((1, 150))
    assert view.canvas.marked == 4


def test_a_cell_chosen_before_the_view_had_the_result_is_found(qtbot, view, selection):
    result = examples.result(examples.problem(FIRST, SECOND))
    selection.choose_cell(tuple(int(x) for x in result.answer.alignment.cells()[170]), result)
    view.show_result(result)
    assert view.canvas.marked == 169


def test_score_only_and_empty_results_are_explained(qtbot, view):
    shown(qtbot, view, score_only=True)
    assert "score only" in view._explanation.text()
    assert "StripedAlignment" in view._explanation.text()
    shown(qtbot, view, first="AAAA", second="TTTT")
    assert "empty" in view._explanation.text()
    assert not view.step("gap", forward=True)
    view.grab()
    view.show_result(None)
    assert view.copy_text() == ""
    view.grab()


@pytest.mark.parametrize("suffix", [".fasta", ".aln", ".paf", ".sam", ".txt"])
@pytest.mark.parametrize("typed", [True, False])
def test_the_alignment_is_saved_in_the_format_of_the_suffix(qtbot, view, tmp_path, monkeypatch, suffix, typed):
    result = shown(qtbot, view)
    answers = (str(tmp_path / f"pair{suffix}"), "") if typed else (str(tmp_path / "pair"), f"Any (*{suffix})")
    offered = []
    monkeypatch.setattr(
        "app.kit.export.QFileDialog.getSaveFileName", lambda *given: (offered.append(given[-1]), answers)[1]
    )
    view.save()
    qtbot.waitUntil(lambda: view._status.text().startswith("Saved"))
    saving.write_result(tmp_path / f"expected{suffix}", result)
    assert (tmp_path / f"pair{suffix}").read_text() == (tmp_path / f"expected{suffix}").read_text()
    assert f"(*{suffix})" in offered[0]


def test_a_failed_save_is_shown(qtbot, view, tmp_path, monkeypatch):
    shown(qtbot, view)
    warnings = []
    missing = tmp_path / "nowhere" / "pair.fasta"
    monkeypatch.setattr("app.kit.export.QFileDialog.getSaveFileName", lambda *a: (str(missing), ""))
    monkeypatch.setattr("app.views.alignment.pair.QMessageBox.warning", lambda *a: warnings.append(a[-1]))
    view.save()
    qtbot.waitUntil(lambda: bool(warnings))
    assert str(missing.parent) in warnings[0]


def test_colours_and_sizes(qtbot, view):
    shown(qtbot, view)
    pictures = []
    for colouring in ("all", "differ", "none"):
        view.canvas.set_colouring(colouring)
        pictures.append(view.canvas.viewport().grab().toImage())
    assert pictures[0] != pictures[1] != pictures[2]
    before = view.canvas.per_line
    view.canvas.set_pixels(30)
    assert view.canvas.per_line < before


def test_millions_of_columns_are_read_only_where_they_are_seen(qtbot, view, monkeypatch):
    length = 3_000_000
    letters = "ACGT" * (length // 4)
    problem = examples.problem(letters, letters, mode="global")
    operations = np.full(length, DIAGONAL, np.uint8)
    operations[1_000_000:1_000_010] = LEFT
    path = Alignment((10, 0), (length, length), operations)
    small = examples.result(examples.problem("ACGT", "ACGT"))
    view.show_result(replace(small, problem=problem, answer=PairAnswer(0, path.end, path)))
    read = []
    stretch = view.text.stretch
    monkeypatch.setattr(view.text, "stretch", lambda first, last: read.append(last - first) or stretch(first, last))
    view.canvas.scroll_to(2_900_000)
    view.grab()
    assert view.canvas.visible()[0] <= 2_900_000 < view.canvas.visible()[1]
    assert 0 < sum(read) < 5000
    assert view.text.find("gap", 0) == 1_000_000
    qtbot.waitUntil(lambda: not view._counting.busy)
