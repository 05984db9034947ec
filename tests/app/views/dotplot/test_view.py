"""The dot plot as a person uses it: matches by pixel, as lines, as letters; linked with the matrix."""

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from Bio.Seq import reverse_complement
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication

from antidiag.app import theme
from antidiag.app.kit.figures import export
from antidiag.app.kit.plane.cell_text import meeting_letters
from antidiag.app.kit.selection import Selection
from antidiag.app.views.dotplot import layers
from antidiag.app.views.dotplot.view import DotPlotView, SequencePair
from antidiag.app.views.matrix.view import MatrixView
from antidiag.kernels import memory
from antidiag.kernels.model import SequenceType
from antidiag.kernels.pairwise.pictures import word_windows
from tests.app.views import examples

LONG = examples.related(6000)
FIRST, SECOND = examples.related(400)
TURNED = SECOND[:100] + reverse_complement(SECOND[100:250]) + SECOND[250:]


def settled(qtbot, view):
    qtbot.waitUntil(lambda: view.sharp)
    QGuiApplication.processEvents()


@pytest.fixture
def selection():
    return Selection()


@pytest.fixture
def view(qtbot, selection):
    view = DotPlotView(selection)
    qtbot.addWidget(view)
    view.resize(700, 640)
    view.show()
    return view


def unaligned(qtbot, view, first, second):
    view.show_datum(SequencePair(examples.sequence("first", first), examples.sequence("second", second)))
    settled(qtbot, view)


def words(view):
    return " | ".join(item.text for item in view.legend.items)


def colours(view, rows, columns):
    """Colours of the pixels of some cells."""
    image, box = view.plot.grab().toImage(), view.plot.visible_frame().visible_rect(rows, columns)
    return {
        QColor(image.pixel(x, y)).name()
        for x in range(int(box.left()) + 1, int(box.right()))
        for y in range(int(box.top()) + 1, int(box.bottom()))
    }


def strands(view, rows, columns):
    """Strands whose matches are plain to be seen in the picture of some cells: blue or brown."""
    found = [QColor(name) for name in colours(view, rows, columns)]
    blue = any(colour.blue() - colour.red() > 120 for colour in found)
    brown = any(colour.red() - colour.blue() > 120 for colour in found)
    return {strand for strand, seen in (("forward", blue), ("reverse", brown)) if seen}


def type_k(qtbot, view, text):
    view.k.setFocus()
    view.k.lineEdit().selectAll()
    qtbot.keyClicks(view.k.lineEdit(), text)


def test_the_matches_of_a_result_and_its_path(qtbot, view):
    result = examples.result(examples.problem(FIRST, SECOND))
    view.show_result(result)
    settled(qtbot, view)
    assert view.k.text() == "auto (5)"
    assert words(view).startswith("5 equal letters (")
    assert "path" in words(view)
    assert "index" in words(view)
    assert view.path_button.isEnabled()
    view.show_path()
    frame = view.plot.visible_frame()
    assert frame.rows[0] <= result.answer.alignment.start[0] and frame.rows[1] > result.answer.end[0]


def test_a_score_alone_and_a_pair_that_was_not_aligned(qtbot, view):
    view.show_result(examples.result(examples.problem(FIRST, SECOND), score_only=True))
    settled(qtbot, view)
    assert "equal letters" in words(view)
    assert not view.path_button.isEnabled()
    assert view.go_to("end")
    unaligned(qtbot, view, FIRST, TURNED)
    assert "equal letters" in words(view)
    assert not view.layer_actions["path"].isVisible()
    assert not view.go_to("end")
    assert "not aligned" in view.status.text()
    assert view.figure_title() == "first \u00d7 second"


def test_far_away_the_density_of_both_strands_is_painted(qtbot, view):
    first, second = LONG[0], LONG[1][:2000] + reverse_complement(LONG[1][2000:4000]) + LONG[1][4000:]
    unaligned(qtbot, view, first, second)
    part = view.dots.window
    assert part.runs is None
    assert part.density.forward.shape[0] <= view.plot.height()
    turned = (2800, 3200), (2700, 3300)
    assert strands(view, (900, 1100), (880, 1120)) == {"forward"}
    assert strands(view, *turned) == {"reverse"}
    view.layer_actions["reverse"].setChecked(False)
    assert strands(view, *turned) == set()
    assert "reverse" not in words(view)


def test_near_by_the_matches_themselves_are_lines(qtbot, view):
    unaligned(qtbot, view, FIRST, TURNED)
    assert view.dots.shows_runs
    view.go_to("20:80, 20:80")
    settled(qtbot, view)
    assert not view.plot.visible_frame().shows_cells
    runs = view.dots.window.runs
    longest = int(np.where(runs.first < 80, runs.lengths, 0).argmax())
    i, j = int(runs.first[longest]) + 5, int(runs.second[longest]) + 5
    assert theme.active().forward in colours(view, (i, i + 1), (j, j + 1))
    view.layer_actions["forward"].setChecked(False)
    assert theme.active().forward not in colours(view, (i, i + 1), (j, j + 1))


def test_nearest_are_letters(qtbot, view, selection):
    unaligned(qtbot, view, FIRST, TURNED)
    runs = view.dots.window.runs
    number = int(np.where(runs.reverse, runs.lengths, 0).argmax())
    length, i, j = (int(values[number]) for values in (runs.lengths, runs.first, runs.second))
    cell = i + 3, j + length - 2
    view.go_to(f"{cell[0]}, {cell[1]}")
    settled(qtbot, view)
    frame = view.plot.visible_frame()
    assert frame.shows_cells
    assert view.dots.window is not None
    matched = layers.matched_cells(frame, view.dots, theme.active())
    assert matched[cell] == theme.active().reverse
    assert FIRST[cell[0] - 1] == reverse_complement(TURNED[cell[1] - 1])
    assert theme.active().reverse in colours(view, (cell[0], cell[0] + 1), (cell[1], cell[1] + 1))
    equal = layers.equal_letters(view.dots, frame)
    for a in range(*frame.rows):
        for b in range(*frame.columns):
            found = equal[a - frame.rows[0], b - frame.columns[0]]
            assert found == (a > 0 and b > 0 and FIRST[a - 1] == TURNED[b - 1])
    assert "equal letters" in words(view)
    text = view.describe_cell(cell)
    assert meeting_letters(view.picture.problem, cell) in text
    assert f"{length} letters reverse complements: {i + 1}\u2013{i + length} and {j + 1}\u2013{j + length}" in text


def test_hover_counts_the_matches_of_a_pixel(qtbot, view):
    unaligned(qtbot, view, *LONG)
    forward = view.dots.window.density.forward
    place = np.unravel_index(forward.argmax(), forward.shape)
    cell = tuple(int((x + 0.5) * length / pixels) for x, length, pixels in zip(place, (6001, 6002), forward.shape,
                                                                              strict=True))  # fmt: skip
    assert f"{forward.max():,} equal words here" in view.describe_cell(cell)
    point = view.plot.box.mapViewToScene(QPointF(cell[1], cell[0]))
    view.plot.scene().sigMouseMoved.emit(point)
    assert view.selection.cell is not None
    assert "equal words here" in view.status.text()


def test_another_k(qtbot, view):
    unaligned(qtbot, view, FIRST, SECOND)
    type_k(qtbot, view, "9")
    assert not view.sharp
    settled(qtbot, view)
    assert "9 equal letters" in words(view)
    assert view.dots.window.runs.lengths.min() >= 9
    type_k(qtbot, view, "99")
    qtbot.waitUntil(lambda: "between 1 and 64" in view.status.text())
    assert "9 equal letters" in words(view)
    type_k(qtbot, view, "auto")
    settled(qtbot, view)
    assert "5 equal letters" in words(view)


def test_the_words_of_the_same_pair_are_kept(qtbot, view):
    view.show_result(examples.result(examples.problem(FIRST, SECOND)))
    settled(qtbot, view)
    survey = view._overview
    view.show_result(examples.result(examples.problem(FIRST, SECOND, mode="global"), score_only=True))
    assert view._overview is survey
    assert "path" not in words(view)
    view.show_result(examples.result(examples.problem(FIRST, FIRST)))
    assert view._overview is None
    view.show_result(None)
    view.grab()
    assert view.describe_cell((1, 1)) == ""


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [("A", "T", SequenceType.DNA), ("ACGT" * 900, "ACGT" * 900, SequenceType.DNA), ("N" * 50, "N", SequenceType.DNA),
     ("MEEPQSDPSVEPPLSQE", "MEEPQSDPSV", SequenceType.PROTEIN), ("ACGU" * 5, "ACGT" * 90, SequenceType.RNA)],
)  # fmt: skip
def test_unusual_pairs_are_painted(qtbot, view, first, second, kind):
    one, other = (replace(examples.sequence(name, text), type=kind) for name, text in (("a", first), ("b", second)))
    view.show_datum(SequencePair(one, other))
    settled(qtbot, view)
    assert view.layer_actions["reverse"].isVisible() == (kind != SequenceType.PROTEIN)
    for place in ("0, 0", "1, 1"):
        view.go_to(place)
        settled(qtbot, view)
        view.grab()
    view.show_one_to_one()
    view.grab()
    view.show_all()
    view.grab()


def test_frequent_words_are_thinned_and_that_is_said(qtbot, view, monkeypatch):
    from antidiag.kernels.pairwise.pictures import dotplot

    monkeypatch.setattr(dotplot, "MOST_LOOKUPS", 1000)
    unaligned(qtbot, view, "A" * 5000 + LONG[0][:500], LONG[0][:500] + "A" * 6000)
    assert "frequent words reduced to 8 positions each" in words(view)
    assert "at least" in words(view)


def test_looking_for_words_can_be_cancelled_and_begun_again(qtbot, view, monkeypatch):
    def endless(first, second, k, pixels, monitor, gpu):
        while True:
            monitor.update(1, 10)
            time.sleep(0.001)

    with monkeypatch.context() as patched:
        patched.setattr(word_windows, "index_pair", endless)
        view.show_datum(SequencePair(examples.sequence("a", FIRST), examples.sequence("b", SECOND)))
        qtbot.waitUntil(lambda: view.scan_panel.isVisible() and "10 %" in view.scan_panel.message)
        assert "Searching for words of 5 letters" in view.scan_panel.message
        view.scan_panel.button.click()
        assert view.scan_panel.message == "The dot plot was not computed."
    view.scan_panel.button.click()
    settled(qtbot, view)
    assert not view.scan_panel.isVisible()


def test_an_index_that_does_not_fit_is_refused(qtbot, view, monkeypatch):
    monkeypatch.setattr(memory, "host_bytes_free", lambda: 100)
    view.show_datum(SequencePair(examples.sequence("a", FIRST), examples.sequence("b", SECOND)))
    qtbot.waitUntil(lambda: "index needs" in view.scan_panel.message)
    assert "100 B is free" in view.scan_panel.message


def test_dot_plot_and_matrix_look_at_the_same_window(qtbot, view, selection):
    matrix = MatrixView(selection)
    qtbot.addWidget(matrix)
    matrix.resize(700, 640)
    result = examples.result(examples.problem(FIRST, SECOND))
    matrix.show_result(result)
    view.show_result(result)
    settled(qtbot, view)
    assert view.go_to("100:160, 110:170")
    settled(qtbot, view)
    qtbot.waitUntil(lambda: selection.ranges is not None)
    window = selection.ranges
    view.hide()
    matrix.show()
    qtbot.waitUntil(lambda: matrix.sharp)
    frame = matrix.plot.visible_frame()
    assert frame.rows[0] <= window[0][0] + 3 and frame.rows[1] >= window[0][1] - 3
    assert frame.rows[1] - frame.rows[0] < 120
    assert selection.ranges == window
    qtbot.keyClick(matrix.plot, Qt.Key.Key_F)
    qtbot.waitUntil(lambda: selection.ranges == ((0, 401), (0, len(SECOND) + 1)))
    matrix.hide()
    view.show()
    assert view.plot.visible_frame().rows == (0, 401)
    again = DotPlotView(selection)
    qtbot.addWidget(again)
    view.hide()
    again.resize(700, 640)
    again.show()
    view.go_to("5, 5")
    selection.show_ranges(((10, 60), (20, 70)))
    again.show_result(result)
    assert again.plot.visible_frame().rows[1] < 120


def test_a_hovered_cell_is_marked_in_both(qtbot, view, selection):
    view.show_result(examples.result(examples.problem(FIRST, SECOND)))
    settled(qtbot, view)
    before = view.plot.grab().toImage()
    selection.hover_cell((200, 210))
    assert "cell (200, 210)" in view.status.text()
    assert view.plot.grab().toImage() != before
    chosen = []
    selection.cell_chosen.connect(chosen.append)
    view.plot.clicked.emit((200, 390))
    assert chosen == [(200, 390)]


def test_keys_zoom_and_what_was_zoomed_stays(qtbot, view):
    unaligned(qtbot, view, FIRST, SECOND)
    qtbot.keyClick(view.plot, Qt.Key.Key_Plus)
    settled(qtbot, view)
    near = view.plot.visible_frame()
    assert near.rows[1] - near.rows[0] < 401
    view.resize(720, 660)
    QApplication.processEvents()
    assert view.plot.visible_frame().rows[1] - view.plot.visible_frame().rows[0] < 401


def test_figures_are_written_in_both_themes(qtbot, view, tmp_path):
    unaligned(qtbot, view, FIRST, TURNED)
    light = view.plot.grab().toImage()
    for name in ("dots.png", "dots.svg"):
        export.save_figure(tmp_path / name, view.figure_size(), view.draw_figure, view.figure_title())
    assert "second (j)" in (tmp_path / "dots.svg").read_text(encoding="utf-8")
    assert (tmp_path / "dots.png").read_bytes().startswith(b"\x89PNG")
    theme.switch("dark")
    dark = view.plot.grab().toImage()
    theme.switch("light")
    assert dark != light


def test_nothing_is_computed_on_the_thread_of_the_window(qtbot, view, monkeypatch):
    letters_ = "".join(np.random.default_rng(7).choice(list("ACGT"), 100_000))
    threads = []
    for name in ("index_pair", "compute_window"):
        original = getattr(word_windows, name)

        def watched(*given, original=original):
            threads.append(threading.current_thread())
            return original(*given)

        monkeypatch.setattr(word_windows, name, watched)
    unaligned(qtbot, view, letters_, letters_[100:])
    assert len(threads) >= 2
    assert threading.main_thread() not in threads
    density = view.dots.window.density
    assert density.forward.shape[0] <= view.plot.height() and density.forward.shape[1] <= view.plot.width()


def test_the_chosen_pair_is_looked_at_before_and_after_a_run(qtbot, ready):
    ready.commands["dotplot"].trigger()
    assert ready.viewer.tabs_shown() == ("dotplot",)
    assert "not aligned" in ready.viewer.heading_label.text()
    view = ready.viewer.current
    settled(qtbot, view)
    ready.commands["run"].trigger()
    qtbot.waitUntil(lambda: bool(ready.session.entries))
    assert "dotplot" in ready.viewer.tabs_shown()
    entry = ready.session.entries[0]
    ready.commands["dotplot"].trigger()
    assert ready.viewer.result is entry.result
    assert ready.viewer.current is view
    ready.commands["swap"].trigger()
    ready.commands["dotplot"].trigger()
    assert ready.viewer.result is None
    assert view.picture.problem.first.name == "two"
    index = ready.results.table.model().index(0, 0)
    qtbot.mouseClick(
        ready.results.table.viewport(), Qt.MouseButton.LeftButton, pos=ready.results.table.visualRect(index).center()
    )
    assert ready.viewer.result is entry.result


def test_without_two_sequences_it_says_so(window):
    window.commands["dotplot"].trigger()
    assert "two sequences" in window.jobs.message.text()
